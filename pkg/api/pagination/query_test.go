package pagination

import (
	"net/url"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestParseQuery(t *testing.T) {
	tests := []struct{ query, want string }{
		{"", `{}`},
		{"a=1&b=2", `{"a":"1","b":"2"}`},
		{"a=1&b=2&a=3", `{"a":["1","3"],"b":"2"}`},
		{"a[]=1", `{"a[]":"1"}`},
		{"a%5B%5D=1&a[]=2", `{"a[]":["1","2"]}`},
		{"a[x]=1&a[y]=2", `{"a[x]":"1","a[y]":"2"}`},
		{"q=a+b%20c%2B", `{"q":"a b c+"}`},
		{"q=%C5%BE%2F", `{"q":"ž/"}`},
		{"q=a=b==", `{"q":"a=b=="}`},
		{"q=100%&r=%zz", `{"q":"100%","r":"%zz"}`},
		{"q=a%20b%&r%5B%=%zz+1", `{"q":"a b%","r[%":"%zz 1"}`},
		{"a&b=", `{"a":"","b":""}`},
		{"&&a=1&", `{"a":"1"}`},
		{"=1", `{"":"1"}`},
		{"a=?b", `{"a":"?b"}`},
	}
	for _, tt := range tests {
		if got := parseQuery(tt.query).JSON(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.query, got, tt.want)
		}
	}
}

// FuzzParseQuery compares with the standard library, which keeps no order and
// gives up on what it cannot decode.
func FuzzParseQuery(f *testing.F) {
	for _, query := range []string{"a=1&b=2&a=3", "a[]=%20+", "a&=b&&", "%zz=1"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		params := parseQuery(query)
		want, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		if params.Len() != len(want) {
			t.Fatalf("got %s, want %v", params.JSON(), want)
		}
		for name, texts := range want {
			v := params.Field(name)
			all := v.Items()
			if v.Kind() == value.String {
				all = []value.Value{v}
			}
			if len(all) != len(texts) {
				t.Fatalf("%q: got %s, want %q", name, v.JSON(), texts)
			}
			for i, text := range texts {
				if all[i].Raw() != text {
					t.Errorf("%q: got %s, want %q", name, v.JSON(), texts)
				}
			}
		}
	})
}
