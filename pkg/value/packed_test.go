package value

import (
	"strings"
	"testing"
)

// packedSamples are values of every kind, as JSON.
var packedSamples = []string{
	`null`, `true`, `false`, `0`, `-1.50`, `12345678901234567890`, `""`, `"ě/\u0000"`, `[]`, `{}`,
	`[1,[null,{"a":[]}],"x"]`, `{"":{"b":null},"c":[true,false]}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17}`,
	`"` + strings.Repeat("long ", 60) + `"`,
}

func TestPackedValuesComeBack(t *testing.T) {
	for _, text := range packedSamples {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Unpack(string(v.AppendPacked(nil)))
		if err != nil || !got.Equal(v) {
			t.Errorf("%s: came back as %s, error %v", text, got.JSON(), err)
		}
		for _, m := range v.Members() {
			if w, ok := got.Get(m.Name); !ok || !w.Equal(m.Value) {
				t.Errorf("%s: member %q not found again", text, m.Name)
			}
		}
	}
}

func TestUnpackFaults(t *testing.T) {
	rows := map[string]string{
		"empty":                     "",
		"unknown tag":               "\x09",
		"text shorter than length":  "\x04\x05ab",
		"more after the value":      "\x00\x00",
		"count beyond the text":     "\x05\xff\xff\xff\xff\x0f\x00",
		"length without end":        "\x04\xff\xff",
		"length of more than 64bit": "\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"array cut short":           "\x05\x02\x00",
		"object cut short":          "\x06\x01\x01a",
	}
	for name, packed := range rows {
		if v, err := Unpack(packed); err == nil {
			t.Errorf("%s: no error, got %s", name, v.JSON())
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, text := range packedSamples {
		v, err := Parse([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(v.AppendPacked(nil)))
	}
	f.Fuzz(func(t *testing.T, packed string) {
		v, err := Unpack(packed)
		if err != nil {
			return
		}
		again, err := Unpack(string(v.AppendPacked(nil)))
		if err != nil || !again.Equal(v) {
			t.Errorf("%q does not survive packing again", packed)
		}
	})
}
