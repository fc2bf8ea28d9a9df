package platform_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/keboola/go-client/pkg/client"

	"github.com/keboola/configurable-extractor/pkg/platform"
)

const configURL = storage + "/v2/storage/components/keboola.variables/configs/12"

func TestErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		response
		want  platform.Error // without method and URL
		text  string         // after the URL
		calls int            // requests that are sent
	}{
		"storage error": {
			response{404, `{"error":"Configuration \"12\" not found","code":"storage.configuration.notFound","exceptionId":"e-1","status":"error"}`, ""},
			platform.Error{Status: 404, Code: "storage.configuration.notFound", Message: `Configuration "12" not found`, ExceptionID: "e-1"},
			`: 404 Not Found: Configuration "12" not found (code storage.configuration.notFound, exceptionId e-1)`, 1,
		},
		"queue error": {
			response{401, `{"error":"Invalid access token","code":401,"exceptionId":"exception-ab","status":"error","context":[]}`, ""},
			platform.Error{Status: 401, Code: "401", Message: "Invalid access token", ExceptionID: "exception-ab"},
			`: 401 Unauthorized: Invalid access token (code 401, exceptionId exception-ab)`, 1,
		},
		"message instead of error": {
			response{403, `{"error":{"a":1},"message":"no access"}`, ""},
			platform.Error{Status: 403, Message: "no access"}, `: 403 Forbidden: no access`, 1,
		},
		"maintenance is retried": {
			response{503, `{"status":"maintenance","estimatedEndTime":"2030-01-01","reason":"upgrade"}`, ""},
			platform.Error{Status: 503, Message: "upgrade"}, `: 503 Service Unavailable: upgrade`, 6,
		},
		"HTML of a proxy": {
			response{502, `<html><h1>Bad gateway</h1></html>`, "text/html"},
			platform.Error{Status: 502}, `: 502 Bad Gateway`, 6,
		},
		"HTML called JSON": {
			response{400, `<html>`, ""}, platform.Error{Status: 400}, `: 400 Bad Request`, 1,
		},
		"empty error":       {response{400, ``, ""}, platform.Error{Status: 400}, `: 400 Bad Request`, 1},
		"error is a list":   {response{400, `["x"]`, ""}, platform.Error{Status: 400}, `: 400 Bad Request`, 1},
		"error is null":     {response{400, `null`, ""}, platform.Error{Status: 400}, `: 400 Bad Request`, 1},
		"error is a text":   {response{400, `"x"`, ""}, platform.Error{Status: 400}, `: 400 Bad Request`, 1},
		"status 501 stays":  {response{501, `{}`, ""}, platform.Error{Status: 501}, `: 501 Not Implemented`, 1},
		"unnamed status":    {response{599, `{}`, ""}, platform.Error{Status: 599}, `: 599`, 1},
		"exception id only": {response{400, `{"exceptionId":"e"}`, ""}, platform.Error{Status: 400, ExceptionID: "e"}, `: 400 Bad Request (exceptionId e)`, 1},
		"token repeated": {
			response{401, `{"error":"unknown ` + token + `","code":"` + token + `","exceptionId":"` + token + `"}`, ""},
			platform.Error{Status: 401, Code: "[hidden]", Message: "unknown [hidden]", ExceptionID: "[hidden]"},
			`: 401 Unauthorized: unknown [hidden] (code [hidden], exceptionId [hidden])`, 1,
		},
		"success that is HTML": {
			response{200, `<html>`, "text/html"},
			platform.Error{Status: 200, Message: "the response is not a JSON object"}, `: 200 OK: the response is not a JSON object`, 1,
		},
		"success that is cut off": {
			response{200, `{"id":"12","configuration":{"secret`, ""},
			platform.Error{Status: 200, Message: "the response is incomplete or not valid JSON"},
			`: 200 OK: the response is incomplete or not valid JSON`, 1,
		},
		"success that is empty": {
			response{200, ``, ""},
			platform.Error{Status: 200, Message: "the response is incomplete or not valid JSON"},
			`: 200 OK: the response is incomplete or not valid JSON`, 1,
		},
		"success that is a list": {
			response{200, `[]`, ""},
			platform.Error{Status: 200, Message: "the response is not a JSON object"}, `: 200 OK: the response is not a JSON object`, 1,
		},
		"success without content": {
			response{204, ``, ""},
			platform.Error{Status: 204, Message: "the response is not a JSON object"}, `: 204 No Content: the response is not a JSON object`, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, transport := mocked(t, map[string]response{config: tc.response})
			_, err := c.Configuration(context.Background(), "keboola.variables", "12")
			var got *platform.Error
			if !errors.As(err, &got) {
				t.Fatalf("got %v", err)
			}
			tc.want.Method, tc.want.URL = "GET", configURL
			if *got != tc.want {
				t.Errorf("got %#v, want %#v", *got, tc.want)
			}
			if want := "GET " + configURL + tc.text; got.Error() != want {
				t.Errorf("got %q, want %q", got.Error(), want)
			}
			if n := transport.GetTotalCallCount(); n != tc.calls {
				t.Errorf("%d requests were sent, want %d", n, tc.calls)
			}
			if refused := tc.status == 401 || tc.status == 403; got.Refused() != refused {
				t.Errorf("refused %t", got.Refused())
			}
		})
	}
}

func TestNetworkFailure(t *testing.T) {
	c, transport := mocked(t, nil)
	broken := errors.New("connection reset by " + token)
	transport.RegisterResponder("GET", configURL, httpmock.NewErrorResponder(broken))
	_, err := c.Configuration(context.Background(), "keboola.variables", "12")
	var got *platform.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v", err)
	}
	if want := "GET " + configURL + ": connection reset by [hidden]"; got.Status != 0 || err.Error() != want {
		t.Errorf("got %d %q, want %q", got.Status, err, want)
	}
	if !errors.Is(err, broken) {
		t.Error("the cause is lost")
	}
	if n := transport.GetTotalCallCount(); n != 6 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestConnectionRefused(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	c, err := platform.New(platform.Options{URL: server.URL, Token: token, Retry: &client.RetryConfig{}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.QueueURL(context.Background())
	if err == nil || !strings.HasPrefix(err.Error(), "GET "+server.URL+"/v2/storage: dial tcp ") || !strings.HasSuffix(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

// hanging is a server that answers when the test is over.
func hanging(t *testing.T, retry client.RetryConfig, transport http.RoundTripper) *platform.Client {
	t.Helper()
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	c, err := platform.New(platform.Options{URL: server.URL, Token: token, Retry: &retry, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTimeouts(t *testing.T) {
	t.Run("of the client", func(t *testing.T) {
		c := hanging(t, client.RetryConfig{TotalRequestTimeout: 10 * time.Millisecond}, nil)
		_, err := c.QueueURL(context.Background())
		if err == nil || !strings.HasSuffix(err.Error(), "/v2/storage: no response in time") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("of the transport", func(t *testing.T) {
		c := hanging(t, client.RetryConfig{}, &http.Transport{ResponseHeaderTimeout: 10 * time.Millisecond})
		_, err := c.QueueURL(context.Background())
		if err == nil || !strings.HasSuffix(err.Error(), "/v2/storage: no response in time") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("of the caller", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		_, err := hanging(t, client.RetryConfig{}, nil).QueueURL(ctx)
		if err == nil || !strings.HasSuffix(err.Error(), "/v2/storage: interrupted") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := hanging(t, client.RetryConfig{}, nil).QueueURL(ctx)
		if err == nil || !strings.HasSuffix(err.Error(), "/v2/storage: interrupted") || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestConnectionLostInTheBody(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"services":[{"id":"secret`))
	}))
	defer server.Close()
	c, err := platform.New(platform.Options{URL: server.URL, Token: token, Retry: &client.RetryConfig{}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.QueueURL(context.Background())
	if want := "GET " + server.URL + "/v2/storage: 200 OK: the response is incomplete or not valid JSON"; text(err) != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
