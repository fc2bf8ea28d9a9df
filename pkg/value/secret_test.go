package value

import "testing"

func TestSecret(t *testing.T) {
	plain := parse(t, `{"a":[1,{"b":"x"}],"c":null,"d":true}`)
	if plain.Secret() {
		t.Error("a value that was read is a secret")
	}
	marked := plain.AsSecret()
	if !marked.Equal(plain) || marked.JSON() != plain.JSON() {
		t.Errorf("marked it is %s", marked.JSON())
	}
	for path, want := range map[string]bool{"a": true, "a.0": true, "a.1": true, "a.1.b": true, "c": false, "d": true} {
		v, ok := marked.At(path, ".")
		if !ok || v.Secret() != want {
			t.Errorf("%s: a secret is %v, want %v", path, v.Secret(), want)
		}
	}
	if again := OfMembers(Member{"x", OfItems(OfInt(1))}, Member{"y", OfItems(OfString("s").AsSecret())}); !again.Secret() || again.Field("x").Secret() || !again.With("x", OfInt(2)).Secret() {
		t.Error("the mark does not stay where it was put")
	}
	if (Value{}).AsSecret().Secret() || OfMembers().AsSecret().Secret() {
		t.Error("nothing is a secret")
	}
}

func TestWithoutSecrets(t *testing.T) {
	secret := OfString("s3cret").AsSecret()
	member := func(name string, v Value) Member { return Member{Name: name, Value: v} }
	open := OfMembers(member("a", OfInt(1)), member("none", OfMembers()), member("l", OfItems()))
	for _, tt := range []struct {
		v    Value
		want string
	}{
		{open, `{"a":1,"none":{},"l":[]}`},
		{secret, `null`},
		{OfMembers(member("k", secret), member("a", OfInt(1))), `{"a":1}`},
		{OfMembers(member("deep", OfMembers(member("k", secret))), member("o", open)), `{"o":{"a":1,"none":{},"l":[]}}`},
		{OfMembers(member("l", OfItems(secret, OfInt(2), OfItems(secret)))), `{"l":[2]}`},
		{OfItems(secret), `[]`},
	} {
		if got := tt.v.WithoutSecrets(); got.JSON() != tt.want || got.Secret() {
			t.Errorf("%s without secrets is %s, want %s", tt.v.JSON(), got.JSON(), tt.want)
		}
	}
}
