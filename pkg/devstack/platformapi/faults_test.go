package platformapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func (w *world) setFaults(list string) {
	w.t.Helper()
	if got := w.call("PUT", "/faults", asJSON, list); got.status != 200 {
		w.t.Fatalf("faults: %d %s", got.status, got.body)
	}
}

func TestFaultStatuses(t *testing.T) {
	const verify = "/v2/storage/tokens/verify"
	for name, tc := range map[string]struct {
		fault, method, path string
		status              int
		kind, want          string
	}{
		"in the words of storage": {`{"path":"/v2","status":500}`, "GET", verify, 500, asJSON, storageError("Fault on demand", "fault")},
		"in the words of the queue": {`{"path":"/queue","status":503,"headers":{"Retry-After":"1"}}`, "POST", jobs, 503, asJSON,
			queueError("Fault on demand", "503")},
		"maintenance": {`{"path":"/v2","status":503}`, "GET", verify, 503, asJSON,
			`{"status":"maintenance","estimatedEndTime":"2026-03-04T05:06:07+0000","reason":"Fault on demand"}`},
		"own body":            {`{"path":"/","status":429,"body":{"b":1.0,"a":2}}`, "GET", verify, 429, asJSON, `{"b":1.0,"a":2}`},
		"own text":            {`{"path":"/","status":502,"body":"<html>"}`, "GET", verify, 502, "text/html; charset=utf-8", "<html>"},
		"own plain text":      {`{"path":"/","status":502,"body":"no"}`, "GET", verify, 502, "text/plain; charset=utf-8", "no"},
		"own kind":            {`{"path":"/","status":502,"body":"{","headers":{"content-type":"application/json"}}`, "GET", verify, 502, "application/json", "{"},
		"any method":          {`{"path":"/","status":500}`, "DELETE", verify, 500, asJSON, storageError("Fault on demand", "fault")},
		"another method":      {`{"path":"/","method":"post","status":500}`, "GET", verify, 200, asJSON, `"isMasterToken":true`},
		"method of any case":  {`{"path":"/","method":"get","status":500}`, "GET", verify, 500, asJSON, "Fault on demand"},
		"another path":        {`{"path":"/v2/storage/events","status":500}`, "GET", verify, 200, asJSON, `"isMasterToken":true`},
		"the faults are safe": {`{"path":"/","status":500}`, "GET", "/faults", 200, asJSON, `[{"path":"/","status":500}]`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.setFaults("[" + tc.fault + "]")
			got := w.call(tc.method, tc.path, "", "")
			if got.status != tc.status || got.header.Get("Content-Type") != tc.kind || !strings.Contains(got.body, tc.want) {
				t.Errorf("got %d %s %s", got.status, got.header.Get("Content-Type"), got.body)
			}
			if strings.Contains(tc.fault, "Retry-After") != (got.header.Get("Retry-After") == "1") {
				t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
			}
		})
	}
}

func TestFaultsAreUsedUp(t *testing.T) {
	w := newWorld(t)
	w.setFaults(`[{"path":"/v2/storage/tickets","status":429,"times":2},{"path":"/v2/storage/tickets","status":500,"times":1},{"path":"/queue","status":502}]`)
	for i, want := range []int{429, 429, 500, 201, 201} {
		if got := w.call("POST", "/v2/storage/tickets", "", ""); got.status != want {
			t.Errorf("request %d: %d", i, got.status)
		}
	}
	for range 3 {
		if got := w.call("GET", jobs, "", ""); got.status != 502 {
			t.Errorf("for ever: %d", got.status)
		}
	}
	if got := w.call("GET", "/faults/", "", ""); got.body != `[{"path":"/queue","status":502}]` {
		t.Errorf("left %s", got.body)
	}
	if got := w.call("DELETE", "/faults", "", ""); got.status != 204 {
		t.Errorf("delete: %d", got.status)
	}
	if got := w.call("GET", jobs, "", ""); got.status != 200 || got.body != "[]" {
		t.Errorf("afterwards %d %s", got.status, got.body)
	}
}

// Requests that come side by side share none of a fault's times.
func TestFaultsInParallel(t *testing.T) {
	const requests, times = 100, 30
	w := newWorld(t)
	w.setFaults(`[{"path":"/v2/storage/tokens","status":429,"times":30}]`)
	var failed atomic.Int64
	var wait sync.WaitGroup
	for range requests {
		wait.Go(func() {
			response, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/v2/storage/tokens/verify", nil)
			r.Header.Set("X-StorageApi-Token", token)
			w.handler.ServeHTTP(response, r)
			if response.Code == 429 {
				failed.Add(1)
			}
		})
	}
	wait.Wait()
	if failed.Load() != times {
		t.Errorf("%d of %d failed", failed.Load(), requests)
	}
}

func TestCuts(t *testing.T) {
	for name, tc := range map[string]struct{ cut, stored string }{
		"before": {"before", "[]"}, "after": {"after", `"id":"mine"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.setFaults(`[{"method":"POST","path":"` + configs + `","cut":"` + tc.cut + `","times":1}]`)
			r, err := http.NewRequest("POST", w.server.URL+configs, strings.NewReader(`{"name":"n","configurationId":"mine"}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"X-Storageapi-Token": {token}, "Content-Type": {asJSON}}
			if res, err := w.server.Client().Do(r); err == nil {
				_ = res.Body.Close()
				t.Fatalf("answered %s", res.Status)
			}
			if got := w.call("GET", configs, "", ""); !strings.Contains(got.body, tc.stored) {
				t.Errorf("stored %s", got.body)
			}
		})
	}
}

func TestDelays(t *testing.T) {
	var waited []time.Duration
	w := newWorld(t, func(o *platformapi.Options) {
		o.Sleep = func(_ context.Context, d time.Duration) error {
			waited = append(waited, d)
			return nil
		}
	})
	w.setFaults(`[{"path":"/v2/storage/tickets","delaySeconds":0.25,"times":1},{"path":"/v2/storage/tickets","delaySeconds":2,"status":500}]`)
	first, second := w.call("POST", "/v2/storage/tickets", "", ""), w.call("POST", "/v2/storage/tickets", "", "")
	if first.body != `{"id":1}` || second.status != 500 || len(waited) != 2 || waited[0] != 250*time.Millisecond || waited[1] != 2*time.Second {
		t.Errorf("got %s, %d after %v", first.body, second.status, waited)
	}
}

// A client that goes during the delay must not have its request carried out.
func TestDelayEndsWithTheClient(t *testing.T) {
	w := newWorld(t)
	w.setFaults(`[{"path":"/v2/storage/tickets","delaySeconds":3600}]`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "POST", "/v2/storage/tickets", nil)
	r.Header.Set("X-StorageApi-Token", token)
	func() {
		defer func() {
			if got, ok := recover().(error); !ok || !errors.Is(got, http.ErrAbortHandler) {
				t.Errorf("ended with %v", got)
			}
		}()
		w.handler.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if id, err := w.store.NewID(); err != nil || id != "1" {
		t.Errorf("next id %s, %v", id, err)
	}
}

func TestBrokenFaults(t *testing.T) {
	w := newWorld(t)
	w.setFaults(`[{"path":"/x","status":500}]`)
	for name, tc := range map[string]struct{ body, want string }{
		"no JSON":         {`[`, "The body is not valid JSON: line 1, column 2: unexpected end of the text"},
		"no list":         {`{}`, "The body must be a list of at most 1000 faults"},
		"too many":        {"[" + strings.Repeat("1,", 1000) + "1]", "The body must be a list of at most 1000 faults"},
		"no object":       {`[1]`, "Fault 1: it must be an object, not a number"},
		"misspelt":        {`[{"path":"/","status":500},{"path":"/","time":1}]`, `Fault 2: "time" is unknown, expected "method", "path", "status", "headers", "body", "delaySeconds", "cut" or "times"`},
		"no path":         {`[{"status":500}]`, `Fault 1: "path" must begin with "/"`},
		"relative path":   {`[{"path":"queue","status":500}]`, `Fault 1: "path" must begin with "/"`},
		"nothing happens": {`[{"path":"/"}]`, `Fault 1: it needs a "status", a "cut" or "delaySeconds"`},
		"no fault":        {`[{"path":"/","status":200}]`, `Fault 1: "status" must be a whole number from 400 to 599`},
		"odd cut":         {`[{"path":"/","cut":"never"}]`, `Fault 1: "cut" must be "before" or "after"`},
		"cut and status":  {`[{"path":"/","cut":"after","status":500}]`, `Fault 1: "cut" and "status" exclude each other`},
		"body of nothing": {`[{"path":"/","cut":"after","body":{}}]`, `Fault 1: "body" and "headers" need a "status"`},
		"odd delay":       {`[{"path":"/","delaySeconds":-1}]`, `Fault 1: "delaySeconds" must be a number from 0 to 3600`},
		"delay as text":   {`[{"path":"/","delaySeconds":"1"}]`, `Fault 1: "delaySeconds" must be a number from 0 to 3600`},
		"odd times":       {`[{"path":"/","status":500,"times":-1}]`, `Fault 1: "times" must be a whole number from 0 to 2147483647`},
		"odd headers":     {`[{"path":"/","status":500,"headers":[1]}]`, `Fault 1: "headers" must be an object, not an array`},
		"odd header":      {`[{"path":"/","status":500,"headers":{"a b":"c"}}]`, `Fault 1: "headers" holds the invalid header "a b"`},
		"odd header line": {`[{"path":"/","status":500,"headers":{"a":"b\r\nc: d"}}]`, `Fault 1: "headers" holds the invalid header "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call("PUT", "/faults", asJSON, tc.body)
			if want := storageError(tc.want, "validation"); got.status != 400 || got.body != want {
				t.Errorf("got  %d %s\nwant 400 %s", got.status, got.body, want)
			}
		})
	}
	if got := w.call("GET", "/faults", "", ""); got.body != `[{"path":"/x","status":500}]` {
		t.Errorf("a refused list changed the faults: %s", got.body)
	}
}

// An error of the program is reported where the server runs; the client only gets
// its id.
func TestErrorsOfTheProgram(t *testing.T) {
	var reported []string
	w := newWorld(t, func(o *platformapi.Options) { o.Report = func(err error) { reported = append(reported, err.Error()) } })
	broken, err := store.Open(t.TempDir()+"/closed", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	w.handler = platformapi.New(platformapi.Options{Store: broken, Token: token, Report: func(err error) { reported = append(reported, err.Error()) }})
	for path, want := range map[string]string{
		configs:               `"code":"internalError"`,
		jobs + "/1":           `"code":500`,
		"/v2/storage/buckets": `"code":"internalError"`,
	} {
		reported = nil
		response := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-StorageApi-Token", token)
		w.handler.ServeHTTP(response, r)
		var record struct{ Error, ExceptionID string }
		if err := json.Unmarshal(response.Body.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		if response.Code != 500 || record.Error != "Internal Server Error occurred." || !strings.Contains(response.Body.String(), want) {
			t.Errorf("%s: %d %s", path, response.Code, response.Body)
		}
		if len(reported) != 1 || !strings.HasPrefix(reported[0], record.ExceptionID+": GET "+path+": database not open") {
			t.Errorf("%s: reported %q", path, reported)
		}
	}
}
