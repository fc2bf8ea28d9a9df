package platformapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const events = "/v2/storage/events"

func uuid(n int) string { return fmt.Sprintf("6c6f6361-6c00-8000-8000-%012x", n) }

func TestEvents(t *testing.T) {
	w := newWorld(t)
	event := func(id int, message, rest string) string {
		return fmt.Sprintf(`{"id":"%d","uuid":%q,%s,"created":"2026-03-04T05:06:07+0000",%s}`, id, uuid(id),
			strings.ReplaceAll(message, "MESSAGE", `"component":"acme.ex","message"`), rest)
	}
	const tail = `"performance":{},"token":{"id":"1","name":"local"},"uri":"http://HOST/v2/storage/events/%d","idBranch":1,"attachments":[]`
	first := event(1, `"event":"ext.acme.ex.info",MESSAGE:"m","description":"","type":"info","runId":null`,
		`"configurationId":null,"objectId":null,"objectName":null,"objectType":null,"context":{},"params":{},"results":{},`+fmt.Sprintf(tail, 1))
	second := event(2, `"event":"ext.acme.ex.warn",MESSAGE:"é <b>","description":"d","type":"warn","runId":"7"`,
		`"configurationId":"c","objectId":null,"objectName":null,"objectType":null,"context":{},"params":{"a":1.0},"results":{"b":[]},`+
			strings.Replace(fmt.Sprintf(tail, 2), `"performance":{}`, `"performance":{"duration":3}`, 1))
	created := func(id int) string { return fmt.Sprintf(`{"id":"%d","uuid":%q}`, id, uuid(id)) }
	const wrongType = `"type" must be one of "info", "success", "warn" or "error"`
	w.run(t, []step{
		{"smallest", "POST", events, asJSON, `{"component":"acme.ex","message":"m"}`, 201, created(1)},
		{"everything, objects as texts", "POST", "/v2/storage/branch/default/events/", asJSON,
			`{"component":"acme.ex","message":"é <b>","description":"d","type":"warn","runId":7,"configurationId":"c","params":"{\"a\":1.0}","results":{"b":[]},"duration":3,"x":null}`,
			201, created(2)},
		{"form", "POST", events, form, "component=other&message=%26&type=success&results=" + url.QueryEscape(`{}`), 201, created(3)},
		{"null as text", "POST", events, asJSON, `{"component":"other","message":"m","params":"null","results":null,"duration":"0"}`, 201, created(4)},
		{"no message", "POST", events, asJSON, `{"component":"c"}`, 400, storageError(`"message" is required`, "validation")},
		{"no component", "POST", events, asJSON, `{"message":"m"}`, 400, storageError(`"component" is required`, "validation")},
		{"unknown type", "POST", events, asJSON, `{"message":"m","component":"c","type":"fatal"}`, 400, storageError(wrongType, "validation")},
		{"debug", "POST", events, asJSON, `{"message":"m","component":"c","type":"debug"}`, 400, storageError(wrongType, "validation")},
		{"odd parameters", "POST", events, asJSON, `{"message":"m","component":"c","params":"x"}`, 400,
			storageError(`"params" is not valid JSON: line 1, column 1: invalid character 'x' at start of value`, "validation")},
		{"odd duration", "POST", events, asJSON, `{"message":"m","component":"c","duration":1.5}`, 400, storageError(`"duration" must be a number of seconds`, "validation")},
		{"odd run", "POST", events, asJSON, `{"message":"m","component":"c","runId":"a\u0000b"}`, 400,
			storageError(`"runId" must be an id of letters, digits, ".", "_" and "-"`, "validation")},
		{"long run", "POST", events, asJSON, `{"message":"m","component":"c","runId":"` + strings.Repeat("1", 256) + `"}`, 400,
			storageError(`"runId" must be an id of letters, digits, ".", "_" and "-"`, "validation")},
		{"by id", "GET", events + "/1", "", "", 200, first},
		{"by UUID", "GET", "/v2/storage/branch/1/events/" + strings.ToUpper(uuid(2)), "", "", 200, second},
		{"unknown id", "GET", events + "/99", "", "", 404, storageError(`Event "99" not found`, "storage.events.notFound")},
		{"no id", "GET", events + "/x", "", "", 404, storageError(`Event "x" not found`, "storage.events.notFound")},
		{"unknown UUID", "GET", events + "/" + uuid(99), "", "", 404, storageError(`Event "`+uuid(99)+`" not found`, "storage.events.notFound")},
		{"half a UUID", "GET", events + "/" + uuid(1)[:24], "", "", 404, storageError(`Event "`+uuid(1)[:24]+`" not found`, "storage.events.notFound")},
		{"of a run", "GET", events + "?runId=7", "", "", 200, "[" + second + "]"},
	})
}

// TestFieldsOfEvents: what a component has logged has its fields only if its logging is
// verbose; what a client sends as results is shown as it is.
func TestFieldsOfEvents(t *testing.T) {
	const fields = `{"event":"job.finished","rows":12.50,"incomplete":true,"warnings":[],"names":["a",1],"o":{"k":null}}`
	for name, tt := range map[string]struct {
		logged, verbose bool
		want            string
	}{
		"of a client": {false, false, fields},
		"normal":      {true, false, `{}`},
		"verbose":     {true, true, `{"_event":"job.finished","_rows":"12.5","_incomplete":"1","_warnings":[],"_names":["a","1"],"_o":{"k":""}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if _, err := w.store.AddEvents(store.Event{Component: "c", Type: "info", Message: "m", RunID: "7", Results: []byte(fields), Logged: tt.logged, Verbose: tt.verbose}); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{events + "?runId=7", events + "/1"} {
				if got := w.call("GET", path, "", ""); got.status != 200 || !strings.Contains(got.body, `"results":`+tt.want+`,`) {
					t.Errorf("%s: %d %s", path, got.status, got.body)
				}
			}
		})
	}
}

func TestEventOfTheRunInTheHeader(t *testing.T) {
	w := newWorld(t)
	header := http.Header{"X-Storageapi-Token": {token}, "Content-Type": {asJSON}, "X-Kbc-Runid": {"12"}}
	for _, body := range []string{`{"component":"c","message":"header"}`, `{"component":"c","message":"body","runId":"13"}`} {
		if got := w.callWith("POST", events, body, header); got.status != 201 {
			t.Fatal(got)
		}
	}
	for run, want := range map[string]string{"12": "header", "13": "body"} {
		if got := w.messages("?runId=" + run); got != want {
			t.Errorf("run %s: %s", run, got)
		}
	}
}

// messages are those of a list of events, in its order.
func (w *world) messages(query string) string {
	w.t.Helper()
	got := w.call("GET", events+query, "", "")
	if got.status != 200 {
		return got.body
	}
	var list []struct{ Message string }
	if err := json.Unmarshal([]byte(got.body), &list); err != nil {
		w.t.Fatal(err)
	}
	texts := make([]string, 0, len(list))
	for _, e := range list {
		texts = append(texts, e.Message)
	}
	return strings.Join(texts, " ")
}

func TestEventList(t *testing.T) {
	w := newWorld(t)
	// The ids of these are 1 to 8.
	for i, e := range []store.Event{
		{Component: "a", RunID: "1", Message: "Alpha"},
		{Component: "a", RunID: "10", Message: "beta"},
		{Component: "b", RunID: "1", Message: "Gamma", ConfigurationID: "c"},
		{Component: "a", RunID: "1", Message: "debugging", Type: "debug"},
		{Component: "a", RunID: "2", Message: "delta"},
		{Component: "a", RunID: "1", Message: "epsilon"},
		{Component: "a", Message: "zeta", ConfigurationID: "c"},
		{Component: "a", RunID: "1", Message: "last", Type: "debug"},
	} {
		if e.Type == "" {
			e.Type = "info"
		}
		if stored, err := w.store.AddEvents(e); err != nil || stored[0].ID != fmt.Sprint(i+1) {
			t.Fatal(stored, err)
		}
	}
	for name, tc := range map[string]struct{ query, want string }{
		"all, the newest first":       {"", "zeta epsilon delta Gamma beta Alpha"},
		"the oldest first":            {"?sortOrder=asc", "Alpha beta Gamma delta epsilon zeta"},
		"run":                         {"?runId=1", "epsilon Gamma Alpha"},
		"run, the oldest first":       {"?runId=1&sortOrder=asc", "Alpha Gamma epsilon"},
		"unknown run":                 {"?runId=3", ""},
		"component":                   {"?component=b", "Gamma"},
		"component of a run":          {"?component=a&runId=1", "epsilon Alpha"},
		"configuration":               {"?configurationId=c", "zeta Gamma"},
		"words":                       {"?q=ETA", "zeta beta"},
		"words of debug events":       {"?q=debugging", ""},
		"since":                       {"?sinceId=3", "zeta epsilon delta"},
		"since, in a run":             {"?sinceId=3&runId=1", "epsilon"},
		"since, the oldest first":     {"?sinceId=3&sortOrder=asc", "delta epsilon zeta"},
		"since, first in a run":       {"?sinceId=1&runId=1&sortOrder=asc", "Gamma epsilon"},
		"since the end":               {"?sinceId=18446744073709551615&runId=1&sortOrder=asc", ""},
		"up to":                       {"?maxId=6", "delta Gamma beta Alpha"},
		"up to, in a run":             {"?maxId=6&runId=1", "Gamma Alpha"},
		"up to, first in a run":       {"?maxId=6&runId=1&sortOrder=asc", "Alpha Gamma"},
		"between":                     {"?sinceId=1&maxId=6", "delta Gamma beta"},
		"page":                        {"?limit=2&offset=1", "epsilon delta"},
		"page in a run":               {"?limit=1&offset=1&runId=1", "Gamma"},
		"page, the oldest first":      {"?limit=2&offset=1&sortOrder=asc", "beta Gamma"},
		"page of a run, oldest first": {"?limit=1&offset=1&sortOrder=asc&runId=1", "Gamma"},
		"after the end":               {"?offset=6", ""},
		"after the end, ascending":    {"?offset=2147483647&sortOrder=asc", ""},
		"debug events take no place":  {"?limit=1&runId=1", "epsilon"},
		"greatest page":               {"?limit=10000&component=", "zeta epsilon delta Gamma beta Alpha"},
		"page too great":              {"?limit=10001", storageError(`"limit" must be a whole number from 1 to 10000`, "validation")},
		"empty page":                  {"?limit=0", storageError(`"limit" must be a whole number from 1 to 10000`, "validation")},
		"odd offset":                  {"?offset=-1", storageError(`"offset" must be a whole number from 0 to 2147483647`, "validation")},
		"odd bound":                   {"?sinceId=x", storageError(`"sinceId" must be the id of an event`, "validation")},
		"odd order":                   {"?sortOrder=up", storageError(`"sortOrder" must be one of "desc" or "asc"`, "validation")},
		"odd run":                     {"?runId=a%00", storageError(`"runId" must be an id of letters, digits, ".", "_" and "-"`, "validation")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.messages(tc.query); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	if got := w.call("GET", events+"/4", "", ""); got.status != 404 {
		t.Errorf("a debug event is shown: %d %s", got.status, got.body)
	}
}
