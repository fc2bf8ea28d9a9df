package value

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// packedSamples are values of every kind, as JSON.
var packedSamples = []string{
	`null`, `true`, `false`, `0`, `-1.50`, `12345678901234567890`, `""`, `"ě/\u0000"`, `[]`, `{}`,
	`[1,[null,{"a":[]}],"x"]`, `{"":{"b":null},"c":[true,false]}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17}`,
	`"` + strings.Repeat("long ", 60) + `"`, `{"` + strings.Repeat("long ", 60) + `":"` + strings.Repeat(`\"`, 200) + `"}`,
	" [ 1 ,\n{ \"a\"\t: 1e5 , \"b\" : -0.5E-3 } , [ ] , { } ]\r\n", `["\ud800","\ud83d\ude00","\\\"\/\b\f\n\r\t"]`,
	`{"a":1,"b":2,"a":3}`, `[{"a":1,"b":2},{"a":1,"a":{"x":1,"x":2}},{"a":1,"b":2},{"b":1,"a":2,"c":3,"b":4}]`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17,"c":0}`,
}

// unchanged checks that a packed value has the same parts as the value.
func unchanged(t *testing.T, p Packed, v Value) {
	t.Helper()
	if p.Kind() != v.Kind() || p.Len() != v.Len() || p.True() != v.True() || p.Empty() != v.Empty() {
		t.Fatalf("%s: kind %s, %d parts, true %v, empty %v", v.JSON(), p.Kind(), p.Len(), p.True(), p.Empty())
	}
	raw := ""
	if k := v.Kind(); k == Number || k == String {
		raw = v.Raw()
	}
	if string(p.Raw()) != raw || string(p.Cell()) != v.Cell() {
		t.Fatalf("%s: contents %q, cell %q", v.JSON(), p.Raw(), p.Cell())
	}
	parts, skipped := p.Parts(), p.Parts()
	for _, item := range v.Items() {
		nextPart(t, &parts, &skipped, item)
	}
	for _, m := range v.Members() {
		if name := skipped.Name(); string(name) != m.Name {
			t.Fatalf("%s: name %q instead of %q", v.JSON(), name, m.Name)
		}
		if NextIs(&parts, AppendName(nil, m.Name+"x")) || !NextIs(&parts, AppendName(nil, m.Name)) {
			t.Fatalf("%s: the name %q is not distinguished from another one", v.JSON(), m.Name)
		}
		nextPart(t, &parts, &skipped, m.Value)
	}
	if parts.More() || skipped.More() {
		t.Fatalf("%s: there is more", v.JSON())
	}
}

// nextPart takes the next part of one walk, which must be the value, and skips that of
// the other.
func nextPart(t *testing.T, parts, skipped *Parts, v Value) {
	t.Helper()
	kind := skipped.Kind()
	skipped.Skip()
	p, k, cell := parts.Cell()
	if k != v.Kind() || kind != k || string(cell) != v.Cell() {
		t.Fatalf("%s: kind %s and %s, cell %q", v.JSON(), k, kind, cell)
	}
	unchanged(t, p, v)
}

func TestPackerPacksAsValuesDo(t *testing.T) {
	if !(Packed(nil)).Value().IsNull() {
		t.Error("the empty one is not null")
	}
	var p Packer // one for all, because it remembers earlier objects
	for range 2 {
		for _, text := range packedSamples {
			v := parse(t, text)
			got, regular := p.Append([]byte("before"), []byte(text))
			want := string(v.AppendPacked([]byte("before")))
			if string(got) != want {
				t.Errorf("%s: got %q, want %q", text, got, want)
				continue
			}
			if want := !strings.Contains(text, "0.5E") && text != "-1.50"; regular != want {
				t.Errorf("%s: regular %v", text, regular)
			}
			unchanged(t, got[len("before"):], v)
			read, same, err := p.Read([]byte("before"), NewDecoder(strings.NewReader(text)))
			if err != nil || string(read) != want || same != regular {
				t.Errorf("%s: token by token %q, regular %v, %v", text, read, same, err)
			}
		}
	}
}

// TestRepeatedNamesArePackedAnewOnce: a chain of objects that is four times as long must
// not allocate sixteen times as many bytes.
func TestRepeatedNamesArePackedAnewOnce(t *testing.T) {
	allocated := func(depth int) float64 {
		text := []byte(strings.Repeat(`{"a":1,"a":`, depth) + "1" + strings.Repeat("}", depth))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		packed, _ := new(Packer).Append(nil, text)
		runtime.ReadMemStats(&after)
		if got, want := Packed(packed).Value().JSON(), strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth); got != want {
			t.Fatalf("packed as %s", got)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if small, large := allocated(200), allocated(800); large > 5.5*small {
		t.Errorf("%.0f bytes for 200 levels, %.0f for 800", small, large)
	}
}

func TestPackerReadsNoPartOfAValue(t *testing.T) {
	for _, text := range []string{``, `[`, `[1`, `[1,`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":[{}`, `[1}`, `{"a":1,}`} {
		if got, _, err := new(Packer).Read(nil, NewDecoder(strings.NewReader(text))); err == nil {
			t.Errorf("%s: packed as %q", text, got)
		}
	}
}

// TestNextTakesWholeValues: Next takes nothing of a text that is cut anywhere, except
// numbers, whose end cannot be seen.
func TestNextTakesWholeValues(t *testing.T) {
	var p Packer
	for _, text := range packedSamples {
		text = strings.Trim(text, " \n\r\t")
		want := parse(t, text).AppendPacked(nil)
		for _, after := range []string{"", ",1", "]", " }"} {
			got, n, _ := p.Next(nil, []byte(" "+text+after))
			if n != len(" "+text) || string(got) != string(want) {
				t.Errorf("%s: took %d bytes as %q", text+after, n, got)
			}
		}
		for end := range len(text) {
			if got, n, _ := p.Next([]byte("x"), []byte(text[:end])); string(got) != "x" && (want[0] != packedNumber || n != end) || n != end && n != 0 {
				t.Errorf("%s: took %d bytes as %q", text[:end], n, got)
			}
		}
	}
	if _, n, _ := p.Next(nil, []byte(strings.Repeat("[", maxLevels+1)+strings.Repeat("]", maxLevels+1))); n != 0 {
		t.Error("too many levels are taken")
	}
}

// FuzzNext checks that Next accepts a value only if the decoder does.
func FuzzNext(f *testing.F) {
	for _, text := range packedSamples {
		f.Add(text)
	}
	for _, text := range []string{`01`, `1.`, `-`, `1e`, `.5`, `[1,]`, `[,]`, `{,}`, `{"a":1,}`, `{"a" 1}`, `{1:2}`, `"\x"`, `"\u12g4"`, "\"\n\"", `nul`, `truex`, `[1 2]`, "[\v1]", `{"a":1}{`, `[1}`, `{"a"b":1}`, "\x00", `"\u@000"`, "\"\\u0\x1000\""} {
		f.Add(text)
		f.Add(`[{"a\"":1,"b":2},{"a":1},{"a":` + text + `}]`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "") // as answers are
		var p Packer
		dec := NewDecoder(strings.NewReader(text))
		raw, err := dec.ReadValue()
		got, n, regular := p.Next(nil, []byte(text))
		if err != nil || n == 0 {
			// Next may take less of a cut text; the caller sees that.
			if n == 0 && err == nil && strings.Count(text, "[")+strings.Count(text, "{") <= maxLevels {
				t.Fatalf("not taken: %q", text)
			}
			if err != nil && n > 0 && n < len(text) {
				first := NewDecoder(strings.NewReader(text[:n] + " "))
				if _, err := first.ReadValue(); err != nil {
					t.Fatalf("%q was taken: %v", text[:n], err)
				}
			}
			return
		}
		if int64(n) != dec.InputOffset() {
			t.Fatalf("%q: took %d bytes, the decoder %d", text, n, dec.InputOffset())
		}
		if want, wantRegular := new(Packer).Append(nil, raw); string(got) != string(want) || regular != wantRegular {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

// TestAppendMap replaces parts by texts, and stops at an error.
func TestAppendMap(t *testing.T) {
	wrong := errors.New("wrong")
	change := func(dst, name []byte, part Packed) ([]byte, error) {
		if part.Kind() == Null {
			return dst, wrong
		}
		return OfString(string(name) + part.Value().JSON()).AppendPacked(dst), nil
	}
	for text, want := range map[string]string{
		`{"a":1,"":[2]}`: `{"a":"a1","":"[2]"}`, `[1,{"a":2}]`: `["1","{\"a\":2}"]`, `5`: `5`, `null`: `null`, `[]`: `[]`, `{}`: `{}`,
	} {
		got, err := Packed(parse(t, text).AppendPacked(nil)).AppendMap([]byte("before"), change)
		if json := Packed(got[len("before"):]).Value().JSON(); err != nil || json != want {
			t.Errorf("%s: %s, %v", text, json, err)
		}
	}
	if _, err := Packed(parse(t, `[1,null]`).AppendPacked(nil)).AppendMap(nil, change); err != wrong {
		t.Errorf("got %v", err)
	}
}

// FuzzPacker checks that packing a text, token by token too, is the same as packing its
// value.
func FuzzPacker(f *testing.F) {
	for _, text := range append(packedSamples, `["`+strings.Repeat("ě/😀x", 2000)+`"]`, `"`+strings.Repeat("x", escapedStep)+`"`, `"x`+strings.Repeat("😀", escapedStep)+`"`) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "") // as answers are
		v, err := Parse([]byte(text))
		if err != nil {
			return
		}
		got, _ := new(Packer).Append(nil, []byte(text))
		if want := v.AppendPacked(nil); string(got) != string(want) {
			t.Fatalf("%s: got %q, want %q", text, got, want)
		}
		unchanged(t, got, v)
		if read, _, err := new(Packer).Read(nil, NewDecoder(strings.NewReader(text))); err != nil || string(read) != string(got) {
			t.Errorf("%s: token by token %q, %v", text, read, err)
		}
		if got, want := string(Packed(got).AppendEscapedJSON(nil)), string(v.AppendEscapedJSON(nil)); got != want {
			t.Errorf("written as %s instead of %s", got, want)
		}
		if again := Packed(got).Value(); !again.Equal(v) {
			t.Errorf("%s came back as %s", v.JSON(), again.JSON())
		}
	})
}
