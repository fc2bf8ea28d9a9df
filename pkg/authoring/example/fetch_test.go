package example

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// api serves the tests; other is another host.
func api(t *testing.T, other string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s|%s|%s|%s:%s|%s", r.Method, r.RequestURI, r.UserAgent(), r.Header.Get("Accept"), r.Header.Get("X-Key"), user, password, body)
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `[1]`)
		z.Close()
	})
	mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo?moved", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusFound) })
	mux.HandleFunc("/circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/circle", http.StatusFound) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "[")
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		part := make([]byte, 1<<20)
		for range maxResponse>>20 + 1 {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestFetch(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request went to another host")
	}))
	defer other.Close()
	server := api(t, other.URL+"/?token=s3cret")
	tests := []struct{ name, command, want, fails string }{
		{"as it is", `curl 'ADDRESS/echo?a=1' -X PUT -H 'X-Key: k' -d b`, "PUT /echo?a=1 test/1|application/json|k|:|b", ""},
		{"its own headers", `curl ADDRESS/echo -A me -H 'Accept: text/csv' -u ann:s3cret`, "GET /echo me|text/csv||ann:s3cret|", ""},
		{"compressed", `curl ADDRESS/gzip -H 'Accept-Encoding: gzip, br'`, "[1]", ""},
		{"moved on the same host", "curl ADDRESS/here", "GET /echo?moved test/1|application/json||:|", ""},
		{"moved to another host", "curl ADDRESS/away -H 'X-Key: k'", "", "it redirects to " + other.URL},
		{"moved in a circle", "curl ADDRESS/circle", "", "redirects again and again"},
		{"cut off", "curl ADDRESS/cut", "", "broke off: unexpected EOF"},
		{"too large", "curl ADDRESS/large", "", "larger than 32 MiB"},
		{"no one there", "curl 'http://127.0.0.1:1/?token=s3cret'", "", "no response from 127.0.0.1:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := FromCurl(strings.ReplaceAll(tt.command, "ADDRESS", server.URL), env)
			if err != nil {
				t.Fatal(err)
			}
			x, err := Fetch(t.Context(), r, Options{UserAgent: "test/1"})
			if tt.fails != "" {
				if failure.KindOf(err) != failure.User || !strings.Contains(fmt.Sprint(err), tt.fails) || strings.Contains(fmt.Sprint(err), "s3cret") {
					t.Errorf("got  %v\nwant %s", err, tt.fails)
				}
				return
			}
			if err != nil || string(x.Response) != tt.want || x.URL != r.URL {
				t.Errorf("got  %s (%v)\nwant %s", x.Response, err, tt.want)
			}
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Fetch(ctx, Request{Method: "GET", URL: server.URL + "/echo", Header: http.Header{}}, Options{}); failure.KindOf(err) != failure.User {
			t.Errorf("got %v", err)
		}
	})
}

// TestFetchWithoutCertificate: a server with an untrusted certificate needs -k.
func TestFetchWithoutCertificate(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") }))
	server.Config.ErrorLog = nil
	defer server.Close()
	r := Request{Method: "GET", URL: server.URL, Header: http.Header{}}
	if _, err := Fetch(t.Context(), r, Options{}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
	r.Insecure = true
	if x, err := Fetch(t.Context(), r, Options{}); err != nil || string(x.Response) != "[]" {
		t.Errorf("got %s, %v", x.Response, err)
	}
}
