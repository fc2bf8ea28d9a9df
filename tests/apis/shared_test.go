package apis

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// special is a response that an API sends instead of its data, and the effect that a rule of the
// configuration has then. The runs of check never get these responses, because a run that
// fails or skips a job has no tables to compare.
type special struct {
	api string
	// request is a part of the URL or of the body of the requests that get the response.
	request string
	status  int
	header  string // "Name: value"
	body    string
	// until is the time since the beginning of the run before which the extractor must not
	// send another request. If it is set, only the first request gets the response.
	until time.Duration
	// fails is a part of the message of the run, which fails without a retry. If it is empty,
	// the run ends with 0, and without until it reports that it skipped the response.
	fails string
}

var specials = []special{
	{api: "google-sheets", request: "values/Orders", status: 200, body: `{"values": [["Report"], ["Number", "Note"], ["1", "a"]]}`, fails: "Report"},
	{api: "google-sheets", request: "values/Customers", status: 200, body: `{"values": [["Report"], ["Name", "Country"], ["Ann", "CZ"]]}`, fails: "Report"},
	{api: "hubspot", request: "objects/2026-09/contacts", status: 429, body: `{"policyName": "DAILY", "message": "You have reached your daily limit."}`, fails: "daily limit"},
	{api: "hubspot", request: "objects/2026-09/contacts", status: 429, header: "X-HubSpot-RateLimit-Interval-Milliseconds: 10000", body: `{"policyName": "TEN_SECONDLY_ROLLING"}`, until: 10 * time.Second},
	{api: "hubspot", request: "deals/130/associations/contacts", status: 404, body: `{"category": "OBJECT_NOT_FOUND"}`},
	{api: "intercom", request: "admins", status: 429, header: "X-RateLimit-Reset: " + unix(time.Hour), body: `{"errors": [{"message": "Exceeded rate limit"}]}`, until: time.Hour},
	{api: "intercom", request: "companies/scroll", status: 400, body: `{"errors": [{"code": "scroll_exists"}]}`, until: 65 * time.Second},
	{api: "intercom", request: "companies/scroll", status: 500, body: `{"errors": [{"message": "scroll is lost"}]}`, fails: "scroll is lost"},
	{api: "jira", request: "users/search", status: 403, body: `{"errorMessages": ["You do not have permission to browse users."]}`},
	{api: "linear", request: "query Users", status: 200, body: `{"data": null, "errors": [{"message": "You don't have permission"}]}`, fails: "You don't have permission"},
	{api: "linear", request: "query Users", status: 400, body: `{"errors": [{"message": "Cannot query field"}]}`, fails: "Cannot query field"},
	{api: "mixpanel", request: "export", status: 429, body: `{"error": "Project exceeded rate limits."}`, until: 6 * time.Minute},
	{api: "mixpanel", request: "cohorts/list", status: 402, body: `{"error": "Your plan does not allow API calls. Upgrade at mixpanel.com/pricing"}`},
	{api: "mixpanel", request: "session_id", status: 200, body: `{"page": 0, "page_size": 500, "total": 0, "results": []}`, fails: "500"},
	{api: "monday", request: "query Users", status: 429, body: `{"errors": [{"message": "Daily limit exceeded", "extensions": {"code": "DAILY_LIMIT_EXCEEDED", "retry_in_seconds": 100}}]}`, fails: "Daily limit exceeded"},
	{api: "monday", request: "query Users", status: 200, body: `{"errors": [{"message": "User unauthorized", "extensions": {"code": "UserUnauthorizedException"}}]}`, fails: "User unauthorized"},
	{api: "monday", request: "query Items", status: 200, body: `{"data": {"boards": []}}`},
	{api: "netsuite", request: "deletedrecord", status: 200, body: `{"items": [{"type": "customer", "recordid": "1"}], "hasMore": false, "totalResults": 100000}`, fails: "rule"},
	{api: "notion", request: "/users", status: 529, header: "Retry-After: 45", body: `{"code": "service_overload"}`, until: 45 * time.Second},
	{api: "notion", request: "/query", status: 200, body: `{"results": [], "has_more": false, "request_status": {"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}}`, fails: "query_result_limit_reached"},
	{api: "okta", request: "/users", status: 429, header: "X-Rate-Limit-Reset: " + unix(time.Hour), body: `{"errorCode": "E0000047"}`, until: time.Hour},
	{api: "okta", request: "apps/a1/users", status: 404, body: `{"errorCode": "E0000007"}`},
	{api: "okta", request: "apps/a1/groups", status: 404, body: `{"errorCode": "E0000007"}`},
	{api: "workday", request: "Get_Workers_Request", status: 500, body: `<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"><SOAP-ENV:Body><SOAP-ENV:Fault><faultcode>SOAP-ENV:Client.authenticationError</faultcode><faultstring>invalid username or password</faultstring></SOAP-ENV:Fault></SOAP-ENV:Body></SOAP-ENV:Envelope>`, fails: "invalid username"},
}

// unix returns a time of the first run in Unix seconds.
func unix(after time.Duration) string { return strconv.FormatInt(firstDay.Add(after).Unix(), 10) }

// TestSpecials: the rules of the configurations have their effect on special responses.
func TestSpecials(t *testing.T) {
	for _, s := range specials {
		t.Run(fmt.Sprint(s.api, " ", s.request, " ", s.status), func(t *testing.T) {
			t.Parallel()
			known, err := gallery.Named(s.api)
			if err != nil {
				t.Fatal(err)
			}
			s.check(t, known.Config)
		})
	}
}

func (s special) check(t *testing.T, config []byte) {
	t.Helper()
	run := begin(t, config, 1, mockServers[s.api])
	served := run.served
	var mu sync.Mutex
	sent := 0 // special responses
	run.served = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if matches := strings.Contains(r.URL.Path+string(body), s.request); !matches || s.until > 0 && sent > 0 {
			if early := s.until - run.Now().Sub(firstDay); matches && early > 0 {
				t.Errorf("%s is repeated %s too early", r.URL, early)
			}
			served.ServeHTTP(rw, r)
			return
		}
		sent++
		if name, value, ok := strings.Cut(s.header, ": "); ok {
			rw.Header().Set(name, value)
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(s.status)
		_, _ = io.WriteString(rw, s.body)
	})
	exit, stdout, stderr := run.extract()
	output := stdout + stderr
	switch {
	case sent == 0:
		t.Error("no request got the response")
	case s.fails == "" && (exit != 0 || s.until == 0 && !strings.Contains(output, `"response.skipped"`)):
		t.Errorf("the run ends with %d: %s", exit, output)
	case s.fails != "" && (exit != 1 || sent != 1 || !strings.Contains(output[strings.Index(output, `"run.failed"`)+1:], s.fails)):
		t.Errorf("the run ends with %d after %d requests: %s", exit, sent, output)
	}
}
