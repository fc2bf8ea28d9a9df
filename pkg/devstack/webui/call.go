package webui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// refused is the response of an API to a request that it did not carry out.
type refused struct {
	Status  int
	Message string
}

func (e *refused) Error() string { return e.Message }

// call sends a request to the platform's APIs, with the token of the page. The body,
// if it is not nil, is sent as JSON, and the response is decoded into result, if that is
// not nil. A response of 4xx or 5xx is a *refused.
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
	a := &reply{header: http.Header{}}
	s.API.ServeHTTP(a, r)
	if a.status >= http.StatusBadRequest {
		var said struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(a.body.Bytes(), &said) != nil || said.Error == "" {
			said.Error = http.StatusText(a.status)
		}
		return &refused{Status: a.status, Message: said.Error}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.body.Bytes(), result); err != nil {
		return fmt.Errorf("reading the response to %s %s: %w", method, path, err)
	}
	return nil
}

// reply keeps a response of the APIs.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *reply) Header() http.Header { return a.header }

func (a *reply) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *reply) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}
