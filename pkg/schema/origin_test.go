package schema_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestTrustedOrigins(t *testing.T) {
	tests := []struct{ in, want string }{
		{``, `[]`},
		{`"http":{"trustedOrigins":[]},`, `[]`},
		{`"http":{"trustedOrigins":["https://Files.Example.com","http://h.test:80/","https://h.test:8443"]},`, `[https://files.example.com http://h.test https://h.test:8443]`},
		{`"http":{"trustedOrigins":["https://*.Example.com","http://10.0.0.5","http://[2001:db8::1]:81"]},`, `[https://*.example.com http://10.0.0.5 http://[2001:db8::1]:81]`},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(accepted(t, given{api: tt.in}).API.TrustedOrigins); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestOriginsCover(t *testing.T) {
	tests := []struct {
		entry, address string
		want           bool
	}{
		{"https://h.test", "HTTPS://H.test:443/a", true},
		{"https://h.test", "https://h.test:444", false},
		{"https://h.test", "http://h.test", false},
		{"https://h.test", "https://x.h.test", false},
		{"https://*.h.test", "https://x.h.test", true},
		{"https://*.h.test", "https://x.y.h.test/", true},
		{"https://*.h.test", "https://h.test", false},
		{"https://*.h.test", "https://.h.test", false},
		{"https://*.h.test", "https://xh.test", false},
		{"https://*.h.test:81", "https://x.h.test", false},
	}
	for _, tt := range tests {
		listed := accepted(t, given{api: `"http":{"trustedOrigins":["` + tt.entry + `"]},`}).API.TrustedOrigins
		u, err := url.Parse(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := listed[0].Covers(config.OriginOf(u)); got != tt.want {
			t.Errorf("%s covers %s: %v, want %v", tt.entry, tt.address, got, tt.want)
		}
	}
}
