package httpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// shared returns the options of a client with these settings.
func shared(s Settings) Options {
	return Options{Shared: &Shared{Run: &env.Run{UserAgent: "agent/1"}, Settings: s}}
}

// TestCacheKeys: what distinguishes responses, and what does not.
func TestCacheKeys(t *testing.T) {
	slowtest.Skip(t, "keys of a cache are made slowly, on purpose")
	const account = `{"user":"ann"}`
	key := func(o Options, base string, r config.RequestSpec, headers []config.Header, added string) string {
		t.Helper()
		if o.Shared == nil {
			o.Shared = shared(Settings{}).Shared
		}
		req, err := Build(baseURL(t, base), r, o.UserAgent, "", headers)
		if err != nil {
			t.Fatal(err)
		}
		x := &Call{Request: req, Built: req}
		if added != "" { // by an authentication
			x.Request = req.Clone()
			x.Sensitive = secret.Sensitive{}.WithParam("sig")
			x.URL.RawQuery = added
			x.Header.Set("X-Token", added)
		}
		k, err := newCacheKeys(&o).of(x)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	get := func(headers, params string) config.RequestSpec {
		return config.RequestSpec{Endpoint: "x", Headers: parse(t, headers), Params: parse(t, params)}
	}
	plain := key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "")
	if sum := sha256.Sum256([]byte("GET http://a.test/x?page=1")); plain != hex.EncodeToString(sum[:]) {
		t.Errorf("without an account the key is %s", plain)
	}
	secret := parse(t, `{"page":1,"pin":7}`)
	secret = secret.With("pin", secret.Field("pin").AsSecret())
	all := map[string]string{"nothing": plain}
	for name, k := range map[string]string{
		"another address":     key(Options{}, "http://a.test/", get(`{}`, `{"page":2}`), nil, ""),
		"an identity":         key(Options{Identity: account}, "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"a user":              key(Options{}, "http://ann:pass@a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"another user":        key(Options{}, "http://bob:pass@a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"a signature":         key(shared(Settings{signature: &signature{keyID: "a", secret: "b"}}), "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"another signature":   key(shared(Settings{signature: &signature{keyID: "a", secret: "c"}}), "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"a header":            key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), []config.Header{{Name: "X-A", Values: []string{"1"}}}, ""),
		"two lines of it":     key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), []config.Header{{Name: "X-A", Values: []string{"1", "2"}}}, ""),
		"one of the job":      key(Options{}, "http://a.test/", get(`{"X-B":"1"}`, `{"page":1}`), nil, ""),
		"Accept":              key(Options{}, "http://a.test/", get(`{"Accept":"text/csv"}`, `{"page":1}`), nil, ""),
		"a secret parameter":  key(Options{}, "http://a.test/", config.RequestSpec{Endpoint: "x", Params: secret}, nil, ""),
		"another one":         key(Options{}, "http://a.test/", config.RequestSpec{Endpoint: "x", Params: secret.With("pin", parse(t, `8`).AsSecret())}, nil, ""),
		"an added signature":  key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "page=1&sig=1"),
		"another one of them": key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "page=1&sig=2"),
	} {
		for other, same := range all {
			if k == same {
				t.Errorf("%s and %s have one key", name, other)
			}
		}
		all[name] = k
	}
	for name, same := range map[string]string{
		"the same again":          key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"what a login brought":    key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "page=1"),
		"Cache-Control":           key(Options{}, "http://a.test/", get(`{"cache-control":"min-fresh=9"}`, `{"page":1}`), nil, ""),
		"a header we send anyway": key(Options{}, "http://a.test/", get(`{"accept":"application/json"}`, `{"page":1}`), nil, ""),
	} {
		if same != plain {
			t.Errorf("%s has another key", name)
		}
	}
}

// TestCacheKeysForgetSignatures: a new signature for each request does not use more and
// more memory.
func TestCacheKeysForgetSignatures(t *testing.T) {
	o := shared(Settings{})
	k := newCacheKeys(&o)
	for i := range knownAccounts {
		k.known[[32]byte{byte(i), byte(i >> 8)}] = ""
	}
	req := &request.Request{Method: http.MethodGet, URL: baseURL(t, "http://ann@a.test/"), Host: "a.test"}
	for range 2 {
		if _, err := k.of(&Call{Request: req, Built: req}); err != nil || len(k.known) != 1 {
			t.Errorf("%d accounts are remembered, %v", len(k.known), err)
		}
	}
}
