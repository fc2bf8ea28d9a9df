package config

import (
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	valid := []string{
		"http://h", "https://h.test", "HTTPS://H.test/", "https://localhost:8080", "http://a/", "https://h.test./x", "https://h-1_x.test",
		"https://10.0.0.5/", "https://999.1.1.1/", "https://[::1]:80/x", "https://háčky.čz/š", "https://ann@h.test", "https://ann:pw%20x@h.test/",
		"https://h.test/a/b;c=d,e/~f/$g&h'(i)*+j!@k:l", "https://h.test/%C5%BE", "https://h.test/?a[0]=b/c?d", "https://h.test/x#frag/?", "https://h.test//a//",
		"https://h.test:65535/",
	}
	for _, text := range valid {
		u := parseBaseURL(text)
		if u == nil {
			t.Errorf("%s: not valid", text)
			continue
		}
		if got := u.String(); !strings.EqualFold(got, text) && !strings.Contains(text, "č") && !strings.Contains(text, "'") {
			t.Errorf("%s: became %s", text, got)
		}
	}
	invalid := []string{
		"", "h.test", "//h.test/", "ftp://h.test", "https://", "https:///x", "https:// h.test", " https://h.test", "https://h.test ", "https://h.test/a b",
		"https://{{host}}/", "https://h.test/{id}", "https://h.test/a[0]", `https://h.test/"`, "https://h.test/<", `https://h.test/\`, "https://h.test/^", "https://h.test/|",
		"https://h.test/%zz", "https://h.test/%2", "https://h-", "https://h..", "https://h.test:", "https://h.test:x", "https://h.test:65536",
		"https://[::1", "https://[1.2.3.4]/", "https://[xyz]/", "https://a@b@c/", "https://a b@c/", "https://h.test/?a b", "https://h.test/#a[b", "https://h.test\n",
	}
	for _, text := range invalid {
		if u := parseBaseURL(text); u != nil {
			t.Errorf("%s: taken for %s", text, u)
		}
	}
}
