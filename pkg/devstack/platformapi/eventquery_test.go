package platformapi_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func TestEventQuery(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.AddEvents(
		store.Event{Component: "acme.ex", Type: "info", RunID: "7", Message: "Job started", Description: "in Prague"},
		store.Event{Component: "acme.ex", Type: "warn", RunID: "7", ConfigurationID: "c", Message: "page 3 was empty"},
		store.Event{Component: "acme.wr", Type: "error", RunID: "8", Message: `Job failed: "boom" (AND more)`},
		store.Event{Component: "other", Type: "success", Message: "search-12 done"},
	); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"type:error":                       "3",
		"job":                              "3 1",
		"job started":                      "1",
		"started job":                      "1",
		`"job started"`:                    "1",
		`"started job"`:                    "",
		"job AND failed":                   "3",
		"job && failed":                    "3",
		"started OR empty":                 "2 1",
		"started || empty":                 "2 1",
		"job OR done AND empty":            "3 1",
		"(job OR done) AND type:success":   "4",
		"NOT job":                          "4 2",
		"-job":                             "4 2",
		"job -type:error":                  "1",
		"+job +failed":                     "3",
		"NOT (job OR empty)":               "4",
		"prague":                           "1",
		"description:prague":               "1",
		"message:prague":                   "",
		`message:"job failed"`:             "3",
		`"(AND more)"`:                     "3",
		`"AND"`:                            "3",
		"component:acme.ex":                "2 1",
		"component:acme*":                  "3 2 1",
		"component:acme":                   "",
		"runId:7 configurationId:c":        "2",
		"id:4":                             "4",
		"event:ext.acme.ex.warn":           "2",
		"search-12":                        "4",
		"sea*":                             "4",
		"TYPE:error":                       `unknown field \"TYPE\", expected id, type, component, runId, configurationId, event, message or description`,
		": success":                        `unknown field \"\", expected id, type, component, runId, configurationId, event, message or description`,
		"type:":                            `\"type:\" has no text`,
		"/GET":                             `\"/GET\" has a character with a meaning that is not supported, put it into quotes`,
		"*tables*":                         `\"*tables*\" has a character with a meaning that is not supported, put it into quotes`,
		`"open`:                            "a phrase has no closing quote",
		`a"b`:                              "a phrase has no closing quote",
		`"a"b`:                             `\"\\\"a\\\"b\" has quotes in the middle`,
		"(job":                             "a parenthesis is not closed",
		"job)":                             `unexpected \")\"`,
		"job AND":                          "a word is missing",
		"OR job":                           "a word is missing",
		"NOT":                              "a word is missing",
		"()":                               "a word is missing",
		"++job":                            `unexpected \"+\"`,
		strings.Repeat("(", 21):            "it is nested deeper than 20 levels",
		strings.Repeat("-", 21):            "it is nested deeper than 20 levels",
		strings.Repeat("x", 1001):          "it is longer than 1000 bytes",
		strings.Repeat("a OR ", 190) + "a": "4 3 2 1",
	} {
		got := w.call("GET", "/v2/storage/events?q="+url.QueryEscape(query), "", "")
		if got.status == 400 {
			if want := `{"error":"Failed to parse query: ` + want + `","code":"validation"`; !strings.HasPrefix(got.body, want) {
				t.Errorf("%.60s: got %s\nwant %s", query, got.body, want)
			}
			continue
		}
		var list []struct{ ID string }
		if err := json.Unmarshal([]byte(got.body), &list); err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		if strings.Join(ids, " ") != want {
			t.Errorf("%.60s: got %q, want %q", query, ids, want)
		}
	}
}
