package secret

import (
	"net/url"
	"slices"
	"testing"
)

func TestPartsOfAnAddress(t *testing.T) {
	sensitive := Sensitive{}.WithParam("pin").WithParam("a[b]").WithParam("ž x")
	secrets := &Registry{}
	secrets.Add("s3?k=t")
	for text, want := range map[string]Address{
		"http://a":                             {"http://a", "", ""},
		"http://a/":                            {"http://a/", "/", ""},
		"http://a/b?":                          {"http://a/b?", "/b", ""},
		"http://u:p@a/b%2Fc?d=e":               {"http://a/b%2Fc?d=e", "/b%2Fc", "d=e"},
		"http://a/b?pin=1&page=1":              {"http://a/b?pin=[hidden]&page=1", "/b", "pin=[hidden]&page=1"},
		"http://a/b?page=1&a%5Bb%5D=1":         {"http://a/b?page=1&a%5Bb%5D=[hidden]", "/b", "page=1&a%5Bb%5D=[hidden]"},
		"http://a/b?a[b][c]=1&a[bc]=1&a[b]=2":  {"http://a/b?a[b][c]=[hidden]&a[bc]=1&a[b]=[hidden]", "/b", "a[b][c]=[hidden]&a[bc]=1&a[b]=[hidden]"},
		"http://a/pin=1?pin&pin=&%C5%BE+x=1=2": {"http://a/pin=1?pin&pin=&%C5%BE+x=[hidden]", "/pin=1", "pin&pin=&%C5%BE+x=[hidden]"},
		"http://a/xs3?k=tx&pin=1":              {"http://a/x[hidden]x&pin=[hidden]", "/x[hidden]", "[hidden]x&pin=[hidden]"},
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := secrets.RedactAddress(u, sensitive); got != want {
			t.Errorf("%s:\n%+v, want\n%+v", text, got, want)
		}
	}
}

func TestSensitiveGrowsByCopies(t *testing.T) {
	one := Sensitive{}.WithHeader("X-Key").WithParam("a")
	two := one.WithHeader("Y").WithParam("b")
	three := one.WithHeader("Z").WithParam("c")
	if !two.Header("y") || two.Header("z") || !three.Param("c") || three.Param("b") || one.Header("Y") || !one.Header("x-kEY") || one.Param("b") {
		t.Errorf("%+v, %+v, %+v", one, two, three)
	}
}

func TestMaskingByPlaceAndByText(t *testing.T) {
	secrets := &Registry{}
	secrets.Add("s3cret")
	const text = `{"pin":"1","token":"a s3cret z"}`
	parts := Sensitive{}.WithBody([]Span{{8, 9}, {20, 30}}).Body()
	if got, want := secrets.RedactWith(text, parts), `{"pin":"[hidden]","token":"[hidden]"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := secrets.maskedSpansWith("none here", nil); !slices.Equal(got, nil) {
		t.Errorf("got %v", got)
	}
}
