package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestIn(t *testing.T) {
	t.Parallel()
	doc, err := value.Parse([]byte(`{"a":1,"#b":"x","c":[{"#d/e":{"f":["y",2,true,null,""]}}],"g":{"h":"z"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for pointer, secret := range In(doc) {
		got = append(got, pointer+"="+secret)
	}
	if want := "[/#b=x /c/0/#d~1e/f/0=y /c/0/#d~1e/f/1=2 /c/0/#d~1e/f/4=]"; fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	for range In(doc) {
		break // the rest is not asked for
	}
}

// A number is a secret as it is written, and as the program writes it.
func TestNumbersAreRespelt(t *testing.T) {
	t.Parallel()
	doc, err := value.Parse([]byte(`{"#pin":1234567.50,"#big":1.5e300,"#whole":7654321,"#endless":1e999,"#exact":12.345678901234567}`))
	if err != nil {
		t.Fatal(err)
	}
	var s Registry
	s.AddDocument(doc)
	for text, want := range map[string]string{
		"1234567.50, 1234567.5":              "[hidden], [hidden]",
		"1.5e300 1.5E+300 1.5e+300":          "[hidden] [hidden] [hidden]",
		"7654321 1e999 INF":                  "[hidden] [hidden] INF",
		"12.345678901235 12.345678901234567": "[hidden] [hidden]",
	} {
		if got := s.Redact(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestNamesOfSecrets: what only says where a secret is, is none.
func TestNamesOfSecrets(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"#a":{"env":"API_KEY"}}`:                                               ``,
		`{"#a":{"env":"api-key"}}`:                                               `api-key`,
		`{"#a":{"env":"API_KEY","more":"x"}}`:                                    `API_KEY x`,
		`{"#a":{"response":"token"}}`:                                            `token`,
		`{"remember":{"#a":{"response":"token"},"#b":{"max":"x","per":["id"]}}}`: ``,
		`{"remember":{"#a":{"response":"token","default":"s3cret"}}}`:            `s3cret`,
		`{"remember":{"#a":{"function":"concat","args":["salt",{"responseHeader":"X"},{"attr":"#b"}]},"#c":"plain"}}`: `salt plain`,
		`{"remember":{"#a":{"response":7,"x":"y"}}}`:                                                                  `7 y`,
	} {
		v, err := value.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, secret := range In(v) {
			got = append(got, secret)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %s", doc, got, want)
		}
	}
}
