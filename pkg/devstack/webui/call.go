package webui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// apiError is an error response of an API.
type apiError struct {
	Status  int
	Message string
}

func (e *apiError) Error() string { return e.Message }

// call sends a request to the platform's APIs with the token of the web UI. It sends body
// as JSON unless body is nil, and decodes the response into result unless result is nil.
// A response with status 4xx or 5xx is returned as an *apiError.
func (s *site) call(ctx context.Context, method, path string, body, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if body == nil {
		text = nil
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	r.Header.Set("X-StorageApi-Token", s.Token)
	r.Header.Set("Content-Type", "application/json")
	a := &recorder{header: http.Header{}}
	s.API.ServeHTTP(a, r)
	if a.status >= http.StatusBadRequest {
		var said struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(a.body.Bytes(), &said) != nil || said.Error == "" {
			said.Error = http.StatusText(a.status)
		}
		return &apiError{Status: a.status, Message: said.Error}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.body.Bytes(), result); err != nil {
		return fmt.Errorf("reading the response to %s %s: %w", method, path, err)
	}
	return nil
}

// recorder is an http.ResponseWriter that keeps the response.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorder) Header() http.Header { return a.header }

func (a *recorder) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *recorder) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}
