package secret

import (
	"fmt"
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
	for pointer, secret := range SecretsIn(doc) {
		got = append(got, pointer+"="+secret)
	}
	if want := "[/#b=x /c/0/#d~1e/f/0=y /c/0/#d~1e/f/1=2 /c/0/#d~1e/f/4=]"; fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	for range SecretsIn(doc) {
		break // the rest is not yielded
	}
}

// TestInRemembered: what is below the name of a secret for the next run says where
// it comes from, at that place of a job or of a login and nowhere else.
func TestInRemembered(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"endpoint":"e","remember":{"#a":{"response":"token"},"#b":{"function":"md5","args":[{"attr":"#k"}]},"c":{"max":"x"}}}`: "[]",
		`{"endpoint":"e","remember":{"#a":{"literal":"x"},"#b":{"response":"y","default":{"literal":"z"}}}}`:                     "[/remember/#a/literal=x /remember/#b/default/literal=z]",
		`{"endpoint":"e","remember":{"#a":"x","#b":["y"],"c":{"#d":"z"}}}`:                                                       "[/remember/#a=x /remember/#b/0=y /remember/c/#d=z]",
		`{"endpoint":"e","remember":{"#a":{"args":["s3cr/t!",123456789,12]}}}`:                                                   "[/remember/#a/args/0=s3cr/t! /remember/#a/args/1=123456789]",
		`{"endpoint":"e","#remember":{"#a":{"response":"x"}}}`:                                                                   "[/#remember/#a/response=x]",
		`{"remember":{"#a":{"response":"x"}}}`:                                                                                   "[/remember/#a/response=x]",
		`{"#s":{"endpoint":"e","remember":{"#a":{"response":"x"}}}}`:                                                             "[/#s/endpoint=e /#s/remember/#a/response=x]",
		`{"endpoint":"e","remember":"x","params":{"#a":{"response":"y"}}}`:                                                       "[/params/#a/response=y]",
	} {
		doc, err := value.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for pointer, secret := range SecretsIn(doc) {
			got = append(got, pointer+"="+secret)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
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
		if got := s.Mask(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
