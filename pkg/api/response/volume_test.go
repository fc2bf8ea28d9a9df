package response

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// rewritten is a value as the original writes it again.
func rewritten(v value.Value) value.Value {
	switch v.Kind() {
	case value.Number:
		f, err := strconv.ParseFloat(v.Raw(), 64)
		if err == nil && !v.IsInteger() {
			return value.OfNumber(strings.ToLower(php.Double(f, 17)))
		}
		return v
	case value.Array:
		var items []value.Value
		for _, item := range v.Items() {
			items = append(items, rewritten(item))
		}
		return value.OfItems(items...)
	case value.Object:
		var members []value.Member
		for _, m := range v.Members() {
			members = append(members, value.Member{Name: m.Name, Value: rewritten(m.Value)})
		}
		return value.OfMembers(members...)
	default:
		return v
	}
}

func TestVolume(t *testing.T) {
	tests := []struct{ name, text, written string }{
		{"white space", " { \"a\" : [ 1 , 2 ] ,\n\"b\":null } \n", `{"a":[1,2],"b":null}`},
		{"empty", `{"a":{},"b":[],"c":""}`, `{"a":{},"b":[],"c":""}`},
		{"nested", `[[[]],[{"a":{"b":[{}]}}],[1,[2,3],4]]`, `[[[]],[{"a":{"b":[{}]}}],[1,[2,3],4]]`},
		{"slashes", `{"a/b":"http:\/\/h/p"}`, `{"a\/b":"http:\/\/h\/p"}`},
		{"beyond ASCII", `{"č":"€"}`, `{"\u010d":"\u20ac"}`},
		{"beyond the first plane", `["😀","\ud83d\ude00"]`, `["\ud83d\ude00","\ud83d\ude00"]`},
		{"the last of each size", "[\"\x7f\",\"\u07ff\",\"\uffff\",\"\U00010000\"]", "[\"\x7f\",\"\\u07ff\",\"\\uffff\",\"\\ud800\\udc00\"]"},
		{"lone surrogate", `["\ud800"]`, `["\ufffd"]`},
		{"escapes that are not needed", `["\u0041\u0062c"]`, `["Abc"]`},
		{"control characters", `["\b\f\n\r\t\u0000\u001f\"\\"]`, `["\b\f\n\r\t\u0000\u001f\"\\"]`},
		{"integers", `[0,-0,12345678901234567890123]`, `[0,-0,12345678901234567890123]`},
		{"fractions", `[0.1,1.0,1.50,-2.25,100.00]`, `[0.10000000000000001,1,1.5,-2.25,100]`},
		{"exponents", `[1e25,1E2,1.5e-7,-1e-400]`, `[1.0000000000000001e+25,100,1.4999999999999999e-7,-0]`},
		{"beyond a double", `[1e400]`, `[1e400]`},
		{"literals", `[true,false,null]`, `[true,false,null]`},
		{"string alone", `"a/b"`, `"a\/b"`},
		{"number alone", `0.5`, `0.5`},
		{"equal names", `{"a":1,"a":22}`, `{"a":1,"a":22}`},
		{"null alone", `null`, `null`},
		{"byte order mark", "\ufeff[1]", `[1]`},
		{"bytes that are not UTF-8", "[\"x\xe9y\"]", `["xy"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for where, data := range map[string]Path{"found": {}, "on the path of the data": dot("a.b"), "all": dot(".")} {
				page, err := newScanner().Scan(spoolOf(t, tt.text, 8), Query{Data: data, Volume: true})
				if err != nil {
					t.Fatal(err)
				}
				if page.Volume != int64(len(tt.written)) {
					t.Errorf("data %s: got %d, want %d", where, page.Volume, len(tt.written))
				}
			}
		})
	}
}

func TestVolumeOnlyWhenAskedFor(t *testing.T) {
	page, err := newScanner().Scan(spoolOf(t, `{"a":[1,"x"]}`, 8), Query{})
	if err != nil {
		t.Fatal(err)
	}
	if page.Volume != 0 {
		t.Errorf("got %d", page.Volume)
	}
	if p := NoPage(Query{Volume: true}); p.Volume != 0 {
		t.Errorf("nothing at all: got %d", p.Volume)
	}
}

// FuzzVolume compares the volume with a tree of the whole text written again.
func FuzzVolume(f *testing.F) {
	for _, text := range []string{`{"a/b":["č😀\n",1.50,1e25,-0.0,{}]}`, `[1,[2,{"a":null}],"\ud800"]`, "[\"\x80\"]", `0.1`, `1e400`, "\ufeff[]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page, err := newScanner().Scan(spoolOf(t, text, 8), Query{Data: dot("a.b"), Volume: true})
		if err != nil {
			return
		}
		clean := []byte(strings.TrimPrefix(strings.ToValidUTF8(text, ""), "\ufeff"))
		unique := jsontext.NewDecoder(bytes.NewReader(clean), jsontext.AllowInvalidUTF8(true))
		for err == nil {
			_, err = unique.ReadToken()
		}
		if err != io.EOF {
			return // equal names: the tree keeps one value of them
		}
		tree, err := value.Parse(clean)
		if err != nil {
			t.Fatal(err)
		}
		if want := rewritten(tree).AppendEscapedJSON(nil); page.Volume != int64(len(want)) {
			t.Errorf("got %d, want %d: %s", page.Volume, len(want), want)
		}
	})
}
