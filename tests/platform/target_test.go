package platform

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// target is an API to extract from. It remembers the requests that arrived.
type target struct {
	url string

	mu       sync.Mutex
	requests []string
}

func newTarget(t *testing.T, response http.HandlerFunc) *target {
	t.Helper()
	a := &target{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.requests = append(a.requests, r.Method+" "+r.URL.String())
		a.mu.Unlock()
		response(w, r)
	}))
	t.Cleanup(server.Close)
	a.url = server.URL
	return a
}

// arrived are the requests so far, in their order.
func (a *target) arrived() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}
