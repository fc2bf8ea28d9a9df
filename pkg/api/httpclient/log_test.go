package httpclient

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// debugging requests an event for every request.
func debugging(o *Options) { o.Debug = true }

func TestReportOfARequest(t *testing.T) {
	s := serve(t, ok(""))
	f := newFixture(t, s.URL, `{}`, nil, debugging)
	f.secrets.Add("s3cret")
	if _, err := f.get(t, "a%2Fb?token=s3cret&x=1"); err != nil {
		t.Fatal(err)
	}
	want := []event.Field{{Name: "method", Value: "GET"}, {Name: "url", Value: s.URL + "/a%2Fb?token=[hidden]&x=1"},
		{Name: "path", Value: "/a%2Fb"}, {Name: "query", Value: "token=[hidden]&x=1"}, {Name: "attempt", Value: 1}}
	got := f.sink.events[0]
	if fmt.Sprint(got.Fields) != fmt.Sprint(want) || got.Level != event.Info || got.Message != "GET /a%2Fb?token=[hidden]&x=1" {
		t.Errorf("got %+v", got)
	}
}

func TestReportOfAResponse(t *testing.T) {
	broken := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		fmt.Fprint(w, "half")
	}
	s := serve(t, say(404, "gone"), broken)
	f := newFixture(t, s.URL, `{"retryConfig":{"maxRetries":0}}`, nil, debugging)
	f.secrets.Add("s3cret")
	for range 2 {
		if _, err := f.get(t, "a?token=s3cret"); err == nil {
			t.Fatal("no error")
		}
	}
	head := "method=GET url=" + s.URL + "/a?token=[hidden] path=/a query=token=[hidden] attempt=1 "
	want := []string{
		head + "status=404 bytes=4 seconds=0 ",
		head + "reason=network error 18: the connection ended in the middle of the response bytes=0 seconds=0 ",
	}
	var got []string
	for _, e := range f.sink.events {
		if e.Kind == "request.answered" {
			line := ""
			for _, f := range e.Fields {
				line += fmt.Sprintf("%s=%v ", f.Name, f.Value)
			}
			got = append(got, line)
		}
	}
	equal(t, "answers", got, want)
}

// TestEveryRequestIsReportedToAPlatformThatWatches: the end of each, also without debug.
func TestEveryRequestIsReportedToAPlatformThatWatches(t *testing.T) {
	f := newFixture(t, serve(t, say(503, ""), ok("")).URL, `{}`, nil, func(o *Options) { o.Log.EnableRequestEvents() })
	if _, err := f.get(t, "x"); err != nil {
		t.Fatal(err)
	}
	equal(t, "events", f.messages("request.sent"), nil)
	if got := f.messages("request.answered"); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsNotSentIsNotReported(t *testing.T) {
	f := newFixture(t, "http://a.test/", `{"retryConfig":{"maxRetries":1}}`, nil, dialer(nil), debugging)
	_, err := f.get(t, "x")
	wantUserError(t, err, "network error 6")
	equal(t, "events", f.messages("request.sent"), nil)
	equal(t, "events", f.messages("request.answered"), nil)
	equal(t, "retries", f.messages("request.retried"), []string{"GET /x: network error 6: the host a.test is not known, retry 1 in 1s"})
	if got := f.stats.Requests.Load(); got != 0 {
		t.Errorf("%d requests are counted", got)
	}
}

// TestReportHasTheJobOfARequest: without debug only a report gets the ends of requests,
// with their job, whether they are logins, and the delay by the rate limit.
func TestReportHasTheJobOfARequest(t *testing.T) {
	s := serve(t, ok("token"), say(503, ""), ok("token"), ok(""))
	var reported []string
	f := newFixture(t, s.URL, `{"http":{"rateLimit":{"requests":3,"perSeconds":60}}}`, authFunc(func(ctx context.Context, r *auth.Attempt) error {
		responded, err := r.Login(ctx, config.RequestSpec{Endpoint: "login", Method: "GET"})
		if err != nil {
			return err
		}
		return responded.Body.Close()
	}), func(o *Options) {
		o.Log.Trace(func(e event.Event) {
			switch b := e.Body.(type) {
			case event.RequestAnswered:
				reported = append(reported, fmt.Sprint(b.Level(), " ", b.Path, " ", b.Login, " ", b.Waited, " ", b.Job, " ", b.JobPointer, " ", b.Iteration))
			case event.RequestRetried:
				reported = append(reported, fmt.Sprint("retry ", b.Path, " ", b.Job, " ", b.JobPointer, " ", b.Iteration))
			}
		})
	})
	response, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "a", Method: "GET"}, JobInfo{Job: "users", Pointer: "/jobs/0", Iteration: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "reported", reported, []string{
		"trace /login true 0 users /jobs/0 2",
		"trace /a false 0 users /jobs/0 2",
		"retry /a users /jobs/0 2",
		"trace /login true 0 users /jobs/0 2",
		"trace /a false 60 users /jobs/0 2",
	})
	equal(t, "events", f.messages("request.answered"), nil)
}
