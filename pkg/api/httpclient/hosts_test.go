package httpclient

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestAllowedHosts(t *testing.T) {
	tests := []struct {
		address string
		entry   config.AllowedHost
		want    bool
	}{
		{"https://shop.test/v1/items?x=1", config.AllowedHost{Host: "shop.test", Endpoint: "/v1"}, true},
		{"https://shop.test/v10", config.AllowedHost{Host: "shop.test", Endpoint: "/v1"}, false},
		{"http://shop.test/v1", config.AllowedHost{Scheme: "https", Host: "shop.test"}, false},
		{"https://shop.test/v1", config.AllowedHost{Scheme: "https", Host: "shop.test"}, true},
		{"https://eu.shop.test/", config.AllowedHost{Host: "shop.test"}, false},
		{"https://shop.test/", config.AllowedHost{Host: "eu.shop.test"}, false},
		{"https://shop.test/", config.AllowedHost{Host: "Shop.test"}, false},
		{"http://10.0.0.5:8080/a", config.AllowedHost{Host: "10.0.0.5"}, true},
		{"http://10.0.0.5:8080/a", config.AllowedHost{Host: "10.0.0.5", Port: 8080}, true},
		{"http://10.0.0.5:8081/a", config.AllowedHost{Host: "10.0.0.5", Port: 8080}, false},
		{"https://h.test/", config.AllowedHost{Host: "h.test", Port: 443}, false},
		{"https://h.test/api", config.AllowedHost{Host: "h.test", Endpoint: "/api"}, true},
		{"https://h.test/api/x", config.AllowedHost{Host: "h.test", Endpoint: "api/"}, true},
		{"https://h.test/apix", config.AllowedHost{Host: "h.test", Endpoint: "/api"}, false},
		{"https://h.test/x/api", config.AllowedHost{Host: "h.test", Endpoint: "/api"}, false},
		{"https://h.test/", config.AllowedHost{Host: "h.test", Endpoint: "/api"}, false},
		{"https://h.test/anything", config.AllowedHost{Host: "h.test", Endpoint: "/"}, true},
		{"https://h.test/my shop/x", config.AllowedHost{Host: "h.test", Endpoint: "/my shop"}, true},
		{"https://h.test/my%20shop/x", config.AllowedHost{Host: "h.test", Endpoint: "/my shop"}, true},
		{"https://h.test@o.test/", config.AllowedHost{Host: "h.test"}, false},
		{"https://o.test/?h.test", config.AllowedHost{Host: "h.test"}, false},
	}
	for _, tt := range tests {
		u, err := Resolve(baseURL(t, "https://base.test/"), tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := allows(tt.entry, u); got != tt.want {
			t.Errorf("%s by %+v: got %t, want %t", tt.address, tt.entry, got, tt.want)
		}
	}
}

// TestAmbiguousPaths: paths that a server may resolve to one that is not allowed.
func TestAmbiguousPaths(t *testing.T) {
	const dots, slashes, deep = "its path holds an encoded segment '..'", "its path begins with two slashes", "its path is encoded several times"
	tests := map[string]string{
		"/v1/items":                      "",
		"/v1//items/":                    "",
		"/v1/a%2fb":                      "",
		"/v1/100%25":                     "",
		"/v1/100%2525":                   "",
		"/v1/%zz%":                       "",
		"/v1/...":                        "",
		"/v1/a..b":                       "",
		"/v1/..a":                        "",
		"/v1/x;y=../z":                   "",
		"/v1/caf%C3%A9/%E9":              "",
		"/v1/.%2fx":                      "",
		"/v1/..%2fx":                     dots,
		"/v1/%2e%2E%2Fx":                 dots,
		"/v1/x%2f..":                     dots,
		"/v1/..%5Cx":                     dots,
		"/v1/%252e%252e/x":               dots,
		"/v1/..%25255cx":                 dots,
		"/v1/..;/x":                      dots,
		"/v1/..%3bx/y":                   dots,
		"/v1/..%20/x":                    dots,
		"/v1/.%09./x":                    dots,
		"/v1/..%00/x":                    dots,
		"/v1/%C0%AE%C0%AE%C0%AFx":        dots,
		"/v1/%C0%AE./x":                  dots,
		"/v1/%e0%80%ae%E0%80%AE/x":       dots,
		"/v1/..%e0%80%afx":               dots,
		"/v1/..%E0%81%9Cx":               dots,
		"/v1/%f0%80%80%ae.%F0%80%80%AFx": dots,
		"/v1/..%f0%80%81%9cx":            dots,
		"/v1/%c0%2e%c0%2e/x":             dots,
		"/v1/..%c0%2fx":                  dots,
		"//v1/x":                         slashes,
		"/%2fv1/x":                       slashes,
		"/%5cv1/x":                       slashes,
		"/v1/%2525252e%2525252e/x":       deep,
		"/v1/100%252525252525252525f":    deep,
	}
	for path, want := range tests {
		if got := ambiguity(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestAmbiguousPathsAreAllowedWhereEveryPathIs: an entry without a path allows all
// paths.
func TestAmbiguousPathsAreAllowedWhereEveryPathIs(t *testing.T) {
	s := serve(t, ok(""))
	at := dialer(map[string]string{"a.test:80": s.Listener.Addr().String()})
	f := newFixture(t, "http://a.test/v1", `{}`, nil, at, func(o *Options) {
		o.AllowedHosts = []config.AllowedHost{{Host: "a.test", Endpoint: "/v1"}, {Host: "a.test", Endpoint: "/"}}
	})
	if _, err := f.get(t, "..%2fx"); err != nil {
		t.Error(err)
	}
	f = newFixture(t, "http://a.test/v1", `{}`, nil, at, onlyV1)
	_, err := f.get(t, "..%2fx")
	wantUserError(t, err)
	if want := "the address http://a.test/v1/..%2fx is not allowed by 'image_parameters.allowed_hosts': its path holds an encoded segment '..', which servers interpret differently; write the path without it"; err.Error() != want {
		t.Errorf("got %q", err)
	}
}

// onlyV1 allows one path of one host, and a second host.
func onlyV1(o *Options) {
	o.AllowedHosts = []config.AllowedHost{{Host: "other.test"}, {Host: "a.test", Endpoint: "/v1"}}
}

func TestRefusedAddressShowsNoPassword(t *testing.T) {
	f := newFixture(t, "http://ann:s3cret@a.test/v2", `{}`, nil, onlyV1)
	_, err := f.get(t, "x?token=secret")
	wantUserError(t, err)
	if want := "the address http://a.test/v2/x is not allowed by 'image_parameters.allowed_hosts'"; err.Error() != want {
		t.Errorf("got %q", err)
	}
}
