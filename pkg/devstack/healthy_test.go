package devstack

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, "well")
		case "/hangs":
			<-r.Context().Done()
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	rows := []struct {
		name, url string
		ctx       context.Context
		err       string // the beginning
	}{
		{"answers", server.URL + "/", t.Context(), ""},
		{"another status", server.URL + "/missing", t.Context(), "the server returned status 404"},
		{"redirect", server.URL + "/moved", t.Context(), "the server returned status 302"},
		{"no one listens", gone.URL, t.Context(), "the server does not respond: "},
		{"no time left", server.URL + "/hangs", ended, "the server does not respond: context canceled"},
		{"no address", "http://a b/", t.Context(), "cannot send a request to the server: "},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			err := Healthy(row.ctx, row.url)
			if row.err == "" && err != nil || row.err != "" && (err == nil || !strings.HasPrefix(err.Error(), row.err)) {
				t.Errorf("got %v, want %q…", err, row.err)
			}
		})
	}
}
