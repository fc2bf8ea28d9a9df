package variables

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestReplace(t *testing.T) {
	values := map[string]string{
		"a": "1", "b": "two", "_x": "u", "9": "nine", "vault.t-1": "v",
		"odd": "\"\\\n{}é", "self": "{{a}}", "half": "{{", "empty": "",
	}
	for name, tc := range map[string]struct {
		doc, want string
		names     string // those found and replaced, in order
	}{
		"plain":                {`"x{{a}}y"`, `"x1y"`, "a"},
		"blanks":               {`"{{ a }}{{\t\n b}}"`, `"1two"`, "a b"},
		"triple":               {`"{{{a}}}{{{ b }}}"`, `"1two"`, "a b"},
		"ampersand":            {`"{{&a}}{{& b }}"`, `"1two"`, "a b"},
		"names":                {`"{{_x}}{{9}}{{vault.t-1}}"`, `"uninev"`, "_x 9 vault.t-1"},
		"stays a string":       {`{"limit":"{{a}}"}`, `{"limit":"1"}`, "a"},
		"value is escaped":     {`"{{odd}}"`, `"\"\\\n{}é"`, "odd"},
		"value is not scanned": {`"{{self}}{{half}}a}}"`, `"{{a}}{{a}}"`, "self half"},
		"empty value":          {`"<{{empty}}>"`, `"<>"`, "empty"},
		"key":                  {`{"{{a}}":{"k{{b}}":"{{a}}"}}`, `{"1":{"ktwo":"1"}}`, "a b"},
		"key before its value": {`{"{{b}}":"{{a}}","c":"{{b}}"}`, `{"two":"1","c":"two"}`, "b a"},
		"order of members":     {`{"z":"{{a}}","b":1.50,"a":[null,true,"{{b}}"]}`, `{"z":"1","b":1.50,"a":[null,true,"two"]}`, "a b"},
		"each name once":       {`["{{b}}","{{a}}{{b}}"]`, `["two","1two"]`, "b a"},
		"braces around a tag":  {`"{{{a}},{{a}}},{{{{a}}}}"`, `"{1,1},{1}"`, "a"},
		"section":              {`"{{#a}}{{/a}}{{^a}}"`, `"{{#a}}{{/a}}{{^a}}"`, ""},
		"comment and partial":  {`"{{! a }}{{>a}}{{=<< >>=}}"`, `"{{! a }}{{>a}}{{=<< >>=}}"`, ""},
		"not a name":           {`"{{}}{{-a}}{{.a}}{{a b}}{{é}}{{ &a }}{a}"`, `"{{}}{{-a}}{{.a}}{{a b}}{{é}}{{ &a }}{a}"`, ""},
		"not closed":           {`"{{a} {{a {a}}"`, `"{{a} {{a {a}}"`, ""},
		"across strings":       {`["{{","a","}}"]`, `["{{","a","}}"]`, ""},
		"nothing to do":        {`{"a":[],"b":{}}`, `{"a":[],"b":{}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			doc := testvalue.Parse(t, tc.doc)
			if got := strings.Join(Placeholders(doc), " "); got != tc.names {
				t.Errorf("placeholders %q, want %q", got, tc.names)
			}
			got, replaced, err := Replace(doc, values)
			if err != nil {
				t.Fatal(err)
			}
			if got.JSON() != tc.want || strings.Join(replaced, " ") != tc.names {
				t.Errorf("got %s and %q, want %s and %q", got.JSON(), replaced, tc.want, tc.names)
			}
		})
	}
}

// TestVariablesThatAreSecrets: what a variable that is used below a key with a hash
// sign became part of is marked.
func TestVariablesThatAreSecrets(t *testing.T) {
	doc := testvalue.Parse(t, `{"#a":{"b":["Bearer {{token}}"]},"x":"{{token}}","y":["u:{{ token }}{{open}}","{{open}}"],"deep":{"z":[{"#pin":"{{pin}}"}]},"pin":"{{pin}}","n":1,"names":{"k{{pin}}":{"l":2},"{{open}}":3}}`)
	got, _, err := Replace(doc, map[string]string{"token": "t", "pin": "7", "open": "o"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"x": true, "y.0": true, "y.1": false, "#a.b.0": true, "deep.z.0.#pin": true, "pin": true, "n": false, "names.k7.l": true, "names.o": false,
	} {
		if v, ok := got.At(path, "."); !ok || v.Secret() != want {
			t.Errorf("%s: a secret is %v, want %v", path, v.Secret(), want)
		}
	}
}

func TestReplaceLeavesUnknownNames(t *testing.T) {
	got, replaced, err := Replace(testvalue.Parse(t, `"{{b}} {{a}} {{ c }}"`), map[string]string{"a": "1"})
	if err != nil || got.JSON() != `"{{b}} 1 {{ c }}"` || !slices.Equal(replaced, []string{"a"}) {
		t.Errorf("got %s, %q, %v", got.JSON(), replaced, err)
	}
}

func TestNamesThatBecomeEqual(t *testing.T) {
	values := map[string]string{"a": "secret", "b": "secret"}
	const text = "replacing variables makes two names of one object equal: "
	for name, tc := range map[string]struct{ doc, want, pointer string }{
		"two placeholders": {`{"x":[{"{{a}}":1,"{{b}}":2}]}`, text + "a, b", "/x/0"},
		"and a plain name": {`{"{{u}}":0,"{{a}}":1,"secret":2}`, text + "a", ""},
		"two spellings":    {`{"{{a}}":{"{{a}}":1,"{{ a }}":2}}`, text + "a", "/{{a}}"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Replace(testvalue.Parse(t, tc.doc), values)
			e, ok := err.(*failure.Error)
			if !ok || e.Kind != failure.User || e.Message != tc.want || e.Pointer != tc.pointer {
				t.Errorf("got %v, want %q at %q", err, tc.want, tc.pointer)
			}
		})
	}
}

func FuzzReplace(f *testing.F) {
	for _, text := range []string{
		`{"{{a}}":"{{ b }}","c":["{{{a}}}","{{&b}}","{{#a}}"]}`, `"{{{{a}}}}"`, `{"{{a}}":1,"{{b}}":2}`, `"{{a}}{{b}}"`, `[1e3,null]`,
	} {
		f.Add([]byte(text), "1", "{{a}}")
	}
	f.Fuzz(func(t *testing.T, text []byte, a, b string) {
		doc, err := value.Parse(text)
		if err != nil {
			return
		}
		same, replaced, err := Replace(doc, nil)
		if err != nil || len(replaced) > 0 || !same.Equal(doc) {
			t.Fatalf("without values: %s became %s (%q, %v)", doc.JSON(), same.JSON(), replaced, err)
		}
		// Values without braces cannot make new placeholders, so all names
		// without a value are left and no other.
		plain := strings.NewReplacer("{", "", "}", "", "&", "")
		filled, replaced, err := Replace(doc, map[string]string{"a": "<" + plain.Replace(a) + ">", "b": "<" + plain.Replace(b) + ">"})
		if err != nil {
			return
		}
		for _, name := range Placeholders(doc) {
			known := name == "a" || name == "b"
			if slices.Contains(replaced, name) != known {
				t.Fatalf("%s: %q replaced: %q", doc.JSON(), name, replaced)
			}
		}
		for _, name := range Placeholders(filled) {
			if name == "a" || name == "b" {
				t.Fatalf("%s still holds %q: %s", doc.JSON(), name, filled.JSON())
			}
		}
		// A value that looks like a placeholder is inserted as it is.
		once, _, err := Replace(value.OfString("-{{a}}-"), map[string]string{"a": a, "b": "again"})
		if err != nil || once.Raw() != "-"+a+"-" {
			t.Fatalf("%q was scanned again: %q, %v", a, once.Raw(), err)
		}
	})
}
