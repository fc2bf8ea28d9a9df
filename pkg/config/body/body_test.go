package body

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// fill compiles a text with the values a, b and c, and fills it.
func fill(t *testing.T, mediaType, text, values string) (string, error) {
	t.Helper()
	all, err := value.Parse([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	template, fault := Parse(mediaType, text, []string{"a", "b", "c"})
	if fault != nil {
		t.Fatalf("fault %+v", *fault)
	}
	got, _, err := template.Fill(all.Field)
	return string(got), err
}

func TestFill(t *testing.T) {
	const soap, form = "text/xml; charset=utf-8", "application/x-www-form-urlencoded"
	tests := []struct{ name, mediaType, text, values, want string }{
		{"element", soap, `<e>{a}</e>`, `{"a":"x & <y> \"z\" 'w' ]]>"}`, `<e>x &amp; &lt;y&gt; &quot;z&quot; &#39;w&#39; ]]&gt;</e>`},
		{"attribute", "application/soap+xml", `<e n='{a}' m="{b}"/>`, `{"a":"'\"\n","b":"\t>"}`, `<e n='&#39;&quot;&#10;' m="&#9;&gt;"/>`},
		{"end of CDATA with the text", soap, `<e>{a}{b}]&gt;</e>`, `{"a":"]","b":"]]"}`, `<e>&#93;&#93;&#93;]&gt;</e>`},
		{"null and absent are empty", soap, `<e>{a}{b}</e>`, `{"a":null}`, `<e></e>`},
		{"scalars", soap, `<e>{a} {b} {c}</e>`, `{"a":1.50,"b":true,"c":false}`, `<e>1.5 true false</e>`},
		{"exact number", soap, `<e>{a}</e>`, `{"a":1735689600.123456}`, `<e>1735689600.123456</e>`},
		{"other braces", soap, `<e>{ a } {d} {{a}} {a</e>`, `{"a":7}`, `<e>{ a } {d} {7} {a</e>`},
		{"value with a name in braces", soap, `<e>{a}{b}</e>`, `{"a":"{b}","b":"{a}"}`, `<e>{b}{a}</e>`},
		{"CDATA, comment and declaration without values", soap, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- {d} --><e><![CDATA[<{d}>]]>{a}</e>", `{"a":1}`, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- {d} --><e><![CDATA[<{d}>]]>1</e>"},
		{"quotes between tags", soap, `<e>"{a}"</e>`, `{"a":"x"}`, `<e>"x"</e>`},
		{"greater-than in an attribute", soap, `<e n=">{a}"/>`, `{"a":"x"}`, `<e n=">x"/>`},

		{"JSON text", "application/json", `{"q":"-{a}-","{b}":1}`, `{"a":"\"\\\n","b":"k\""}`, `{"q":"-\"\\\n-","k\"":1}`},
		{"JSON scalars in quotes", "application/json", `{"q":"{a}{b}{c}"}`, `{"a":1.0,"b":true,"c":null}`, `{"q":"1true"}`},
		{"JSON values", "application/vnd.api+json; charset=UTF-8", `[{a},{b},{c}]`, `{"a":{"x":[1.50,{}]},"b":null,"c":[]}`, `[{"x":[1.5,{}]},null,[]]`},
		{"texts that are scalars", "application/json", `[{a},{b},{c}]`, `{"a":"12345678901234567890","b":" true ","c":"null"}`, `[12345678901234567890,true,null]`},
		{"braces of JSON", "application/json", `{"a":{"a":{a}}}`, `{"a":5}`, `{"a":{"a":5}}`},
		{"escaped quote", "application/json", `["\"{a}\\",{b}]`, `{"a":"x","b":1}`, `["\"x\\",1]`},

		{"form", form, `q={a}&{b}=1&r=%41{c}`, `{"a":"x&y=z é","b":"n[]","c":"%"}`, `q=x%26y%3Dz+%C3%A9&n%5B%5D=1&r=%41%25`},
		{"booleans of a form", form, `a={a}&b={b}&c={c}`, `{"a":true,"b":false,"c":null}`, `a=1&b=0&c=`},
		{"other type", "text/plain", `{a};{b}`, `{"a":"<&\"","b":false}`, `<&";false`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := fill(t, tt.mediaType, tt.text, tt.values); err != nil || got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestFillErrors(t *testing.T) {
	tests := []struct{ name, mediaType, text, values, words string }{
		{"character that XML cannot hold", "text/xml", `<e>{a}</e>`, `{"a":"s3cret\u0000"}`, "U+0000"},
		{"noncharacter", "text/xml", `<e n="{a}"/>`, `{"a":"s3cret\uffff"}`, "U+FFFF"},
		{"object in XML", "text/xml", `<e>{a}</e>`, `{"a":{"x":"s3cret"}}`, "found an object"},
		{"list in quotes", "application/json", `["{a}"]`, `{"a":["s3cret"]}`, "found an array"},
		{"text outside quotes", "application/json", `[{a}]`, `{"a":"s3cret"}`, "write quotes around the braces"},
		{"JSON of a string outside quotes", "application/json", `[{a}]`, `{"a":"\"s3cret\""}`, "write quotes"},
		{"JSON of a list outside quotes", "application/json", `[{a}]`, `{"a":"1,2"}`, "write quotes"},
		{"empty text outside quotes", "application/json", `[{a}]`, `{"a":""}`, "write quotes"},
		{"object in a form", "application/x-www-form-urlencoded", `a={a}`, `{"a":{}}`, "found an object"},
		{"list in another type", "text/csv", `{a}`, `{"a":[1]}`, "found an array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fill(t, tt.mediaType, tt.text, tt.values)
			if err == nil || !strings.Contains(err.Error(), tt.words) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got %v, want %q and no value", err, tt.words)
			}
		})
	}
	for _, mediaType := range []string{"text/xml", "application/json", "application/x-www-form-urlencoded", "text/plain"} {
		text := map[string]string{"text/xml": "<e>{a}</e>", "application/json": `"{a}"`}[mediaType]
		if text == "" {
			text = "{a}"
		}
		template, _ := Parse(mediaType, text, []string{"a"})
		if _, _, err := template.Fill(func(string) value.Value { return value.OfString("a\xe9") }); err == nil || err.Error() != "the value is not UTF-8" {
			t.Errorf("%s: got %v for a value in another character set", mediaType, err)
		}
	}
}

func TestFaults(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		name, mediaType, text string
		line                  int
		words                 string
	}{
		{"CDATA", "text/xml", "<e>\n<![CDATA[{a}]]></e>", 2, "inside CDATA"},
		{"comment", "text/xml", "<e><!-- {a} --></e>", 1, "inside a comment"},
		{"comment without an end", "text/xml", "<e><!-- {a}", 1, "inside a comment"},
		{"processing instruction", "text/xml", "<?php {a}?><e/>", 1, "processing instruction"},
		{"declaration", "text/xml", "<!DOCTYPE {a}><e/>", 1, "inside a declaration"},
		{"name of an element", "text/xml", "<{a}/>", 1, "inside a tag"},
		{"name of an attribute", "text/xml", "<e {a}='1'/>", 1, "inside a tag"},
		{"attribute without quotes", "text/xml", "<e n={a}/>", 1, "inside a tag"},
		{"reference", "text/xml", "<e>&am{a}p;</e>", 1, "inside a reference"},
		{"reference of a value alone", "text/xml", "<e>&{a};</e>", 1, "inside a reference"},
		{"tags that do not match", "text/xml", "<e>\n</f>", 2, "well-formed"},
		{"no end", "text/xml", "<e>", 1, "well-formed"},
		{"no element", "text/xml", "<!-- x -->", 0, "no element"},
		{"value outside the root", "text/xml", "<e/>{a}", 1, "outside the root"},
		{"two roots", "text/xml", "<e/><f/>", 1, "second root"},
		{"end of CDATA without a value", "text/xml", "<e>]]{a}></e>", 1, "well-formed"},
		{"encoding", "text/xml", "<?xml version='1.0' encoding='ISO-8859-2'?>\n<e>{a}</e>", 1, "always sent in UTF-8"},
		{"no JSON", "application/json", "{\n\"q\": {a}}}", 2, "expected JSON"},
		{"empty JSON", "application/json", "", 1, "expected JSON"},
		{"number with a value", "application/json", `[1{a}]`, 1, "expected JSON"},
		{"two values", "application/json", `[{a}{b}]`, 1, "expected JSON"},
		{"value in an escape", "application/json", `["\u{a}0041"]`, 1, "expected JSON"},
		{"value after a backslash", "application/json", `["\{a}"]`, 1, "expected JSON"},
		{"name without quotes", "application/json", `{{a}:1}`, 1, "expected JSON"},
		{"value in a percent-encoding", form, "q=\n%4{a}", 2, "after a percent sign"},
		{"value after a percent sign", form, "%{a}", 1, "after a percent sign"},
		{"text in another character set", "text/plain", "a\xe9", 0, "in UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, fault := Parse(tt.mediaType, tt.text, []string{"a", "b"})
			if fault == nil || !strings.Contains(fault.Expected.String(), tt.words) || fault.Line != tt.line {
				t.Errorf("got %+v, want %q in line %d", fault, tt.words, tt.line)
			}
		})
	}
}

func TestCheckType(t *testing.T) {
	for text, ok := range map[string]bool{
		"text/xml": true, "text/xml; charset=utf-8": true, `application/soap+xml;charset="UTF-8";action="urn:x"`: true, "application/json;charset=utf8": true,
		"": false, "xml": false, "text/xml; charset=iso-8859-1": false, "text/xml\r\nX-A: b": false, "text/": false, "text/xml;;": false,
	} {
		if fault := CheckType(text); (fault == nil) != ok {
			t.Errorf("%q: got %+v", text, fault)
		}
	}
	for name, ok := range map[string]bool{"since": true, "#pass-word.1": true, "ns:é_2": true, "": false, "a b": false, "a}": false, `"`: false} {
		if fault := CheckName(name); (fault == nil) != ok {
			t.Errorf("name %q: got %+v", name, fault)
		}
	}
}

func TestSecretsAndUses(t *testing.T) {
	template, fault := Parse("text/xml", `<e p="{#p}">{a}{#p}</e>`, []string{"#p", "a", "b"})
	if fault != nil {
		t.Fatal(*fault)
	}
	if !template.Uses("#p") || !template.Uses("a") || template.Uses("b") || template.Uses("") {
		t.Error("wrong uses")
	}
	text, secrets, err := template.Fill(func(name string) value.Value {
		if name == "#p" {
			return value.OfString("x<y").AsSecret()
		}
		return value.Value{}
	})
	if err != nil || len(secrets) != 2 {
		t.Fatalf("got %s %v %v", text, secrets, err)
	}
	for _, s := range secrets {
		if got := string(text[s.From:s.To]); got != "x&lt;y" {
			t.Errorf("the range has %q", got)
		}
	}
}

// FuzzFill fills a text with two sets of values. If both are accepted, the bodies have the
// same structure, and the values can be read from them.
func FuzzFill(f *testing.F) {
	for _, seed := range []string{"<e a='{a}'>{b}</e>", `{"q":"{a}","r":{b}}`, "q={a}&r={b}", `<e>&{a};]]{b}></e>`, `["\u00{a}",{b}]`, "%{a}{b}", "<!--{a}--><e/>", "<e b=\"{a}\" {b}='1'/>"} {
		for kind := range 3 {
			f.Add(kind, seed, `x"'<&>]]>`, `1`)
			f.Add(kind, seed, `\`, `{"a":[]}`)
			f.Add(kind, seed, "lt", "amp;")
		}
	}
	f.Fuzz(func(t *testing.T, kind int, text, a, b string) {
		mediaTypes := []string{"text/xml", "application/json", "application/x-www-form-urlencoded"}
		structures := []func(string) ([]string, error){xmlStructure, jsonStructure, formStructure}
		if kind < 0 || kind >= len(mediaTypes) {
			return
		}
		template, fault := Parse(mediaTypes[kind], text, []string{"a", "b"})
		if fault != nil {
			return
		}
		var first []string
		for i, values := range []map[string]string{{"a": a, "b": b}, {"a": b, "b": a}, {"a": "1", "b": "1"}} {
			filled, _, err := template.Fill(func(name string) value.Value { return value.OfString(values[name]) })
			if err != nil {
				continue
			}
			if !utf8.Valid(filled) {
				t.Fatalf("%q is not UTF-8", filled)
			}
			got, err := structures[kind](string(filled))
			if err != nil {
				t.Fatalf("%q, filled with %q, does not parse: %v", text, values, err)
			}
			if first == nil {
				first = got
			} else if !slices.Equal(got, first) {
				t.Fatalf("%q: run %d has the structure %q, before it was %q", text, i, got, first)
			}
		}
	})
}

func xmlStructure(text string) ([]string, error) {
	structure := []string{"xml"}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return structure, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			structure = append(structure, "<"+token.Name.Local)
			for _, a := range token.Attr {
				structure = append(structure, "@"+a.Name.Local)
			}
		case xml.EndElement:
			structure = append(structure, "/")
		case xml.Comment:
			structure = append(structure, "<!--"+string(token))
		case xml.ProcInst:
			structure = append(structure, "<?"+string(token.Inst))
		case xml.Directive:
			structure = append(structure, "<!"+string(token))
		}
	}
}

// jsonStructure lists the tokens without the texts of strings. Scalars are equal.
func jsonStructure(text string) ([]string, error) {
	structure := []string{"json"}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("no JSON")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return structure, nil
		}
		if err != nil {
			return nil, err
		}
		if delim, ok := token.(json.Delim); ok {
			structure = append(structure, delim.String())
		} else {
			structure = append(structure, "scalar")
		}
	}
}

func formStructure(text string) ([]string, error) {
	structure := []string{"form"}
	for pair := range strings.SplitSeq(text, "&") {
		structure = append(structure, strings.Repeat("=", strings.Count(pair, "=")))
	}
	return structure, nil
}
