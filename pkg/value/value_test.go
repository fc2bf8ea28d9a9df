package value

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func parse(t testing.TB, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestParseKeepsOrderAndNumbers(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"numbers as written", `[1.50, 1e3, 12345678901234567890123, -0, 1.0]`, `[1.50,1e3,12345678901234567890123,-0,1.0]`},
		{"order of members", `{"b":1,"a":{"z":2,"y":3}}`, `{"b":1,"a":{"z":2,"y":3}}`},
		{"last of equal names at the first place", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"escapes", `["\u0041\/\n\"\\\u0001"]`, `["A/\n\"\\\u0001"]`},
		{"surrogate pair", `["\ud83d\ude00"]`, `["😀"]`},
		{"lone surrogate", `["\ud83d"]`, "[\"\ufffd\"]"},
		{"literals", ` [ true , false , null ] `, `[true,false,null]`},
		{"empty name", `{"":0}`, `{"":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parse(t, tt.text).JSON(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseOfLargeObjects(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"k0":"first"`)
	for i := range 200 {
		b.WriteString(`,"k` + OfInt(int64(i)).Raw() + `":` + OfInt(int64(i)).Raw())
	}
	b.WriteString("}")
	v := parse(t, b.String())
	if v.Len() != 200 {
		t.Fatalf("got %d members", v.Len())
	}
	for _, name := range []string{"k0", "k15", "k16", "k199"} {
		if m, ok := v.Get(name); !ok || "k"+m.Raw() != name {
			t.Errorf("%s: got %v, %v", name, m, ok)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		text         string
		line, column int
		reason       string
	}{
		{"", 1, 1, "unexpected"},
		{"{\n \"a\": 1,\n}", 2, 8, "invalid character ','"},
		{"[1] 2", 1, 5, "more text"},
		{"[1", 1, 3, "unexpected"},
		{"\n\n  nope", 3, 4, "invalid"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.text))
		s, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Errorf("%q: got %v, want a syntax error", tt.text, err)
			continue
		}
		if s.Line != tt.line || s.Column != tt.column || !strings.Contains(strings.ToLower(s.Reason), tt.reason) {
			t.Errorf("%q: got %d:%d %s, want %d:%d %s", tt.text, s.Line, s.Column, s.Reason, tt.line, tt.column, tt.reason)
		}
	}
}

func TestEscapedJSON(t *testing.T) {
	v := parse(t, `{"a/b":"č😀\u0007","n":[1.10,null]}`)
	want := `{"a\/b":"\u010d\ud83d\ude00\u0007","n":[1.10,null]}`
	if got := string(v.AppendEscapedJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAt(t *testing.T) {
	v := parse(t, `{"a":{"b":[10,null,{"c":1}],"n":null},"x.y":5,"":7,"-1":8,"[a=1]":9,"d.e.f":11,
		"l":[{"rel":"self","href":"/1"},{"rel":"next","href":"/2","on":true},{"rel":"next","href":"/3","n":1.50},{"rel":["next"]},7,{"rel":"a.b]","v":[1,2]}],
		"m":[{"code":{"id":7,"k":[{"x":1}]},"n":1},"u",{"code":{"id":8,"k":[2,{"x":3}]},"n":2},{"code.id":9,"n":3},{"code.id":8,"n":4},["v"]],
		"z":[1,null],"none":[]}`)
	tests := []struct {
		path, separator, want string
	}{
		{"a.b.0", ".", "10"}, {"a.b.2.c", ".", "1"}, {"a.n", ".", "null"}, {"x.y", "/", "5"}, {"", ".", "7"}, {"a/b/0", "/", "10"},
		{"a.b.1", ".", "-"}, {"a.b.3", ".", "-"}, {"a.b.00", ".", "-"}, {"a.b.x", ".", "-"}, {"a.n.z", ".", "-"}, {"zz", ".", "-"},
		// The last item, and one that is chosen by a member; on an object both are names.
		{"a.b.-1.c", ".", "1"}, {"z.-1", ".", "-"}, {"none.-1", ".", "-"}, {"l.-1.v.-1", ".", "2"}, {"l.-2", ".", "-"}, {"-1", ".", "8"}, {"[a=1]", ".", "9"}, {"[a=1].b", ".", "-"},
		{"l.[rel=next].href", ".", `"/2"`}, {"l/[rel=next]/href", "/", `"/2"`}, {"l.[on=true].href", ".", `"/2"`}, {"l.[on=1].href", ".", `"/2"`}, {"l.[n=1.50].href", ".", `"/3"`}, {"l.[n=1.5].href", ".", `"/3"`},
		{"l.[rel=last].href", ".", "-"}, {"l.[rel=].href", ".", "-"}, {"l.[missing=].href", ".", "-"}, {"l.[=next].href", ".", "-"}, {"l.[rel].href", ".", "-"}, {"l.[rel=a.b].v", ".", "-"}, {"l.[rel=next", ".", "-"}, {"l.[rel=next]x.href", ".", "-"},
		// One that is chosen by a value further in.
		{"m.[code.id=7].n", ".", "1"}, {"m/[code.id=8]/n", "/", "2"}, {"m.[code.id=9].n", ".", "3"}, {"m.[code.k.-1.x=3].n", ".", "2"}, {"m.[code.k.0.x=1].n", ".", "1"}, {"m.[code.id.x=7].n", ".", "-"}, {"m.[code=7].n", ".", "-"},
		{"m/[code/id=8]/n", "/", "-"}, {"m.[.=u]", ".", `"u"`}, {"m.[0=v]", ".", `["v"]`},
		// A whole path that is a name, where it leads nowhere else.
		{"x.y", ".", "5"}, {"d.e.f", ".", "11"}, {"d.e", ".", "-"}, {"d.e.f.g", ".", "-"},
	}
	for _, tt := range tests {
		got := "-"
		if at, ok := v.At(tt.path, tt.separator); ok {
			got = at.JSON()
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.path, got, tt.want)
		}
		packed := "-"
		if at, ok := Packed(v.AppendPacked(nil)).At(tt.path, tt.separator); ok {
			packed = at.JSON()
		}
		if packed != tt.want {
			t.Errorf("%s: packed, got %s, want %s", tt.path, packed, tt.want)
		}
	}
	if whole, ok := v.At(".", "."); !ok || !whole.Equal(v) {
		t.Error("a path equal to the separator must be the value itself")
	}
}

func TestEmpty(t *testing.T) {
	for _, text := range []string{`null`, `false`, `0`, `0.0`, `-0`, `0e5`, `""`, `"0"`, `[]`, `{}`} {
		if !parse(t, text).Empty() {
			t.Errorf("%s must be empty", text)
		}
	}
	for _, text := range []string{`true`, `1`, `"0.0"`, `" "`, `"false"`, `[0]`, `{"a":null}`, `0.1`, `1e-400`, `1e999999999`} {
		if parse(t, text).Empty() {
			t.Errorf("%s must not be empty", text)
		}
	}
}

func TestTextAndCell(t *testing.T) {
	tests := []struct{ json, text, cell string }{
		{`null`, "", ""}, {`true`, "1", "1"}, {`false`, "", ""}, {`"x"`, "x", "x"}, {`5`, "5", "5"},
		{`1.50`, "1.5", "1.50"}, {`1.0`, "1", "1.0"}, {`1e3`, "1000", "1e3"}, {`0.30000000000000004`, "0.30000000000000004", "0.30000000000000004"},
		{`1735689600.123456`, "1735689600.123456", "1735689600.123456"}, {`9007199254740993.0`, "9007199254740993.0", "9007199254740993.0"},
		{`123456789012.50`, "123456789012.5", "123456789012.50"}, {`1e-7`, "1.0E-7", "1e-7"}, {`-0.0`, "-0", "-0.0"}, {`1e400`, "1e400", "1e400"}, {`1e-400`, "1e-400", "1e-400"}, {`1E999999999`, "1E999999999", "1E999999999"},
		{`12345678901234567890`, "12345678901234567890", "12345678901234567890"}, {`1e15`, "1.0E+15", "1e15"}, {`[1]`, "", ""},
	}
	for _, tt := range tests {
		v := parse(t, tt.json)
		if v.Text() != tt.text || v.Cell() != tt.cell {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.json, v.Text(), v.Cell(), tt.text, tt.cell)
		}
	}
}

func TestInt(t *testing.T) {
	tests := []struct {
		json string
		want int64
		ok   bool
	}{
		{`5`, 5, true}, {`"5"`, 5, true}, {`" 5 "`, 5, true}, {`4.9`, 4, true}, {`-4.9`, -4, true}, {`"1e2"`, 100, true}, {`"+3"`, 3, true},
		{`9223372036854775807`, 9223372036854775807, true},
		{`9223372036854775808`, 0, false}, {`"x"`, 0, false}, {`"12abc"`, 0, false}, {`""`, 0, false}, {`"0x10"`, 0, false}, {`"inf"`, 0, false}, {`"1_0"`, 0, false},
		{`true`, 0, false}, {`null`, 0, false}, {`[1]`, 0, false},
	}
	for _, tt := range tests {
		if got, ok := parse(t, tt.json).Int(); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %d, %v, want %d, %v", tt.json, got, ok, tt.want, tt.ok)
		}
	}
}

func TestInteger(t *testing.T) {
	for json, want := range map[string]string{
		`5`: "5", `" 5 "`: "5", `-4.9`: "-4", `"+3"`: "3", `"1e2"`: "100", `"5."`: "5", `".5"`: "0", `"+1.5E1"`: "15",
		`9223372036854775807`: "9223372036854775807", `9223372036854775808`: "9223372036854775808", `-9223372036854775809`: "-9223372036854775809",
		`"340282366920938463463374607431768211455"`: "340282366920938463463374607431768211455",
		`12345678901234567.89`:                      "12345678901234567", `"1.234567890123456789e18"`: "1234567890123456789",
		`1e-999999999`: "0", `0.00e999999999`: "0", `1e30`: "1000000000000000000000000000000",
		`7.` + strings.Repeat("0", 1<<10): "7",
	} {
		if got, ok := parse(t, json).Integer(); !ok || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", json, got, ok, want)
		}
	}
	long := strings.Repeat("9", 1<<20)
	for _, json := range []string{`"x"`, `"12abc"`, `""`, `"0x10"`, `"inf"`, `"1_0"`, `"1/2"`, `true`, `null`, `[1]`, `1e400`, `1e999999999`, long} {
		if got, ok := parse(t, json).Integer(); ok {
			t.Errorf("%.20s: got %v", json, got)
		}
	}
}

func TestWithAndWithout(t *testing.T) {
	v := parse(t, `{"a":1,"b":2}`)
	if got := v.With("a", OfInt(9)).With("c", OfBool(true)).JSON(); got != `{"a":9,"b":2,"c":true}` {
		t.Errorf("got %s", got)
	}
	if got := v.Without("a", "z").JSON(); got != `{"b":2}` {
		t.Errorf("got %s", got)
	}
	if v.JSON() != `{"a":1,"b":2}` {
		t.Errorf("the original changed: %s", v.JSON())
	}
	if got := (Value{}).With("a", OfString("x")).JSON(); got != `{"a":"x"}` {
		t.Errorf("got %s", got)
	}
}

// FuzzParse checks that a value that was read can be written and read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"x\u0000",null,{"b":true}],"a":2}`, `"\ud800"`, `[[[[]]]]`, "\xff", `1e400`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse([]byte(text))
		if err != nil {
			return
		}
		for _, form := range []string{v.JSON(), string(v.AppendEscapedJSON(nil))} {
			again, err := Parse([]byte(form))
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if !again.Equal(v) {
				t.Errorf("%s became %s", v.JSON(), again.JSON())
			}
		}
		v.Text()
		small, fits := v.Int()
		if whole, ok := v.Integer(); fits && (!ok || whole.IsInt64() && v.IsInteger() && whole.Int64() != small) {
			t.Errorf("%s: %d is %v", text, small, whole)
		}
		v.Empty()
	})
}

func TestMap(t *testing.T) {
	var seen []string
	v := parse(t, `{"a":1,"b":[2,[3],null]}`)
	twice := func(m Member) Member {
		seen = append(seen, m.Name+"="+m.Value.JSON())
		return Member{m.Name + m.Name, OfItems(m.Value, m.Value)}
	}
	for text, got := range map[string]Value{
		`{"aa":[1,1],"bb":[[2,[3],null],[2,[3],null]]}`: v.Map(twice),
		`[[2,2],[[3],[3]],[null,null]]`:                 v.Field("b").Map(twice),
		`1`:                                             v.Field("a").Map(twice),
		`null`:                                          Value{}.Map(twice),
	} {
		if got.JSON() != text {
			t.Errorf("got %s, want %s", got.JSON(), text)
		}
	}
	if want := []string{"a=1", "b=[2,[3],null]", "=2", "=[3]", "=null"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q", seen)
	}
}

func TestLookup(t *testing.T) {
	v, err := Parse([]byte(`{"a":[{"b":1},2],"0":3}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tokens []string
		want   string
	}{
		{nil, `{"a":[{"b":1},2],"0":3}`},
		{[]string{"a", "0", "b"}, "1"},
		{[]string{"a", "1"}, "2"},
		{[]string{"0"}, "3"},
		{[]string{"a", "2"}, "null"},
		{[]string{"a", "-1"}, "null"},
		{[]string{"a", "b"}, "null"},
		{[]string{"a", "1", "b"}, "null"},
	} {
		if got := v.Lookup(tt.tokens).JSON(); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.tokens, got, tt.want)
		}
	}
}
