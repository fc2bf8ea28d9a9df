package platformapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// found are the ids of the jobs that a search returns, in its order.
func (w *world) found(path string) string {
	w.t.Helper()
	got := w.call("GET", path, "", "")
	if got.status != 200 {
		return got.body
	}
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(got.body), &list); err != nil {
		w.t.Fatal(err)
	}
	ids := make([]string, 0, len(list))
	for _, j := range list {
		ids = append(ids, j.ID)
	}
	return strings.Join(ids, " ")
}

func TestSearchJobs(t *testing.T) {
	w := newWorld(t)
	w.createConfig("a", "")
	w.createConfig("b", "")
	w.must("POST", "/v2/storage/components/other/configs", `{"name":"n","configurationId":"a"}`, 201)
	// Created at :07, :08, :09, :10, :11.
	for _, body := range []string{
		`{"component":"acme.ex","config":"a"}`,
		`{"component":"acme.ex","config":"b","mode":"debug"}`,
		`{"component":"other","config":"a"}`,
		`{"component":"acme.ex","config":"a","parentRunId":"9"}`,
		`{"component":"acme.ex","configData":{"a":1}}`,
	} {
		w.must("POST", jobs, body, 201)
		w.clock.Add(1)
	}
	w.moved("2", nil, store.Processing, store.Success)               // :13, :14
	w.moved("3", nil, store.Processing)                              // :15
	w.moved("1", &store.Result{ErrorType: "user"}, store.Processing) // :16
	w.moved("1", &store.Result{ErrorType: "user"}, store.Error)      // :17
	w.clock.Add(10)
	for name, tc := range map[string]struct{ query, want string }{
		"all, the newest first":   {"", "5 4 3 2 1"},
		"component":               {"component=other", "3"},
		"token":                   {"tokenId[]=1&tokenDescription[]=local&projectId[]=1", "5 4 3 2 1"},
		"other token":             {"tokenId[]=2", ""},
		"other project":           {"projectId=2", ""},
		"default branch":          {"branchId=default&component=other", "3"},
		"branches":                {"branchId[]=2&branchId[]=1&component=other", "3"},
		"other branch":            {"branchId=2", ""},
		"row":                     {"configRowIds[]=x", ""},
		"parent":                  {"parentRunId=9", "4"},
		"no parent":               {"parentRunId=", "5 3 2 1"},
		"type":                    {"type=standard&limit=1", "5"},
		"types":                   {"type[]=container", ""},
		"short":                   {"durationSecondsTo=1&status[]=success&status[]=error", "2 1"},
		"long":                    {"durationSecondsFrom=2", "3"},
		"relative time":           {"createdTimeFrom=-17%20seconds&sortOrder=asc", "4 5"},
		"relative end":            {"createdTimeTo=-20%20seconds", "1"},
		"by type":                 {"sortBy=type&sortOrder=asc", "1 2 3 4 5"},
		"by parent":               {"sortBy=parentRunId&limit=1", "4"},
		"odd type":                {"type=x", queueError(`"type" must be one of "standard", "container", "phaseContainer", "orchestrationContainer" or "retryContainer"`, "400")},
		"odd duration":            {"durationSecondsFrom=-1", queueError(`"durationSecondsFrom" must be a whole number from 0 to 2147483647`, "400")},
		"components as a list":    {"component[]=other&component[]=acme.ex", "5 4 3 2 1"},
		"components by index":     {"component%5B0%5D=other&component%5B1%5D=x", "3"},
		"component by its id":     {"componentId[]=other", "3"},
		"configuration":           {"configId[]=a", "4 3 1"},
		"configuration, short":    {"config=a&component=acme.ex", "4 1"},
		"status":                  {"status[]=created&status[]=success", "5 4 2"},
		"no such status":          {"status=warning", ""},
		"run":                     {"runId[]=9.4&runId[]=1", "4 1"},
		"mode":                    {"mode=debug", "2"},
		"id":                      {"id[]=1&id[]=5&id[]=x", "5 1"},
		"branch":                  {"branchId=1&limit=1", "5"},
		"created from":            {"createdTimeFrom=2026-03-04T05:06:10Z", "5 4"},
		"created until":           {"createdTimeTo=2026-03-04T06:06:08%2B01:00", "2 1"},
		"created until, plus":     {"createdTimeTo=2026-03-04T06:06:08+01:00", "2 1"},
		"created on a day":        {"createdTimeFrom=2026-03-04&createdTimeTo=2026-03-05", "5 4 3 2 1"},
		"started from":            {"startTimeFrom=2026-03-04T05:06:15%2B0000", "3 1"},
		"started before":          {"startTimeTo=2026-03-05", "3 2 1"},
		"ended":                   {"endTimeFrom=2026-03-04T05:06:14Z&endTimeTo=2026-03-04T05:06:16Z", "2"},
		"page":                    {"limit=2&offset=1", "4 3"},
		"page after the end":      {"limit=2&offset=5", ""},
		"page of a sorted list":   {"limit=2&offset=1&sortOrder=asc", "2 3"},
		"the oldest first":        {"sortBy=createdTime&sortOrder=asc", "1 2 3 4 5"},
		"by component":            {"sortBy=component", "3 5 4 2 1"},
		"by component, ascending": {"sortBy=component&sortOrder=asc", "1 2 4 5 3"},
		"by configuration":        {"sortBy=configId&sortOrder=asc", "5 1 3 4 2"},
		"by status":               {"sortBy=status&sortOrder=asc", "4 5 1 3 2"},
		"by start":                {"sortBy=startTime", "1 3 2 5 4"},
		"by end":                  {"sortBy=endTime", "1 2 5 4 3"},
		"by duration":             {"sortBy=durationSeconds", "3 2 1 5 4"},
		"by run":                  {"sortBy=runId", "4 5 3 2 1"},
		"by mode":                 {"sortBy=mode&sortOrder=asc", "2 1 3 4 5"},
		"odd status":              {"status=done", queueError(`"status" must be one of "created", "waiting", "processing", "terminating", "success", "warning", "error", "cancelled" or "terminated"`, "400")},
		"odd mode":                {"mode[]=x", queueError(`"mode" must be one of "run", "forceRun" or "debug"`, "400")},
		"odd time":                {"startTimeFrom=sometime", queueError(`"startTimeFrom" must be a date, a time like 2006-01-02T15:04:05+00:00, or a text like "-2 days"`, "400")},
		"odd times":               {"endTimeTo=x&startTimeFrom=x&createdTimeTo=x", queueError(`"createdTimeTo" must be a date, a time like 2006-01-02T15:04:05+00:00, or a text like "-2 days"`, "400")},
		"odd limit":               {"limit=x", queueError(`"limit" must be a whole number from 1 to 10000`, "400")},
		"odd order":               {"sortOrder=x", queueError(`"sortOrder" must be one of "desc" or "asc"`, "400")},
		"broken query":            {"a=%zz", queueError("The query is not valid", "400")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/queue/search/jobs?", "/queue/jobs?"} {
				if got := w.found(path + tc.query); got != tc.want {
					t.Errorf("got  %s\nwant %s", got, tc.want)
				}
			}
		})
	}
}
