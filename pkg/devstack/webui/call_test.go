package webui

import (
	"errors"
	"net/http"
	"testing"
)

// TestCall changes something as every other client would, and shows what the API
// says if it refuses.
func TestCall(t *testing.T) {
	p := newPlatform(t)
	s := &site{Options: Options{API: newAPI(p.store, p.clock.Now), Token: testToken}}
	const configs = "/v2/storage/components/acme.ex-shop/configs"
	var made struct {
		ID      string `json:"id"`
		Version int    `json:"version"`
	}
	p.must(s.call(t.Context(), http.MethodPost, configs, map[string]any{"name": "Orders", "configuration": map[string]any{}}, &made))
	if c, err := p.store.Configuration("acme.ex-shop", made.ID); err != nil || c.Name != "Orders" || made.Version != 1 {
		t.Errorf("stored %+v, %v", c, err)
	}
	p.must(s.call(t.Context(), http.MethodDelete, configs+"/"+made.ID, nil, nil))

	err := s.call(t.Context(), http.MethodGet, configs+"/0", nil, nil)
	var no *apiError
	if !errors.As(err, &no) || no.Status != http.StatusNotFound || no.Message == "" {
		t.Errorf("%v", err)
	}
	s.Token = "another"
	if err := s.call(t.Context(), http.MethodGet, configs, nil, nil); !errors.As(err, &no) || no.Status != http.StatusUnauthorized {
		t.Errorf("%v", err)
	}
}
