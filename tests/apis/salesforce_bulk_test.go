package apis

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// salesforceBulk runs queries as jobs, and sends the results in sets of CSV. Facts:
// https://developer.salesforce.com/docs/atlas.en-us.api_asynch.meta/api_asynch/query_create_job.htm,
// https://developer.salesforce.com/docs/atlas.en-us.api_asynch.meta/api_asynch/query_get_one_job.htm,
// https://developer.salesforce.com/docs/atlas.en-us.api_asynch.meta/api_asynch/query_get_job_results.htm.
type salesforceBulk struct {
	*world
	salesforceLogin
	records map[string][]salesforceRecord
	jobs    map[string]*salesforceJob
}

// salesforceJob is a query with what it found when it was created.
type salesforceJob struct {
	object  string
	columns []string
	found   []object
	polls   int
	fetched int // requests for results
}

// salesforceBulkTime is how CSV has times; JSON has salesforceTime.
const salesforceBulkTime = "2006-01-02T15:04:05.000Z"

// salesforceStates are the states of a job each time it is looked at.
var salesforceStates = []string{"UploadComplete", "InProgress", "InProgress", "JobComplete"}

func newSalesforceBulk(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the parents are query jobs of the same user",
		missingParent: "a query job is kept for seven days, and its results are fetched at once",
		absentKey:     "each set of results has a column for each field of the query",
	}
	return &salesforceBulk{world: w, salesforceLogin: salesforceLogin{uses: map[string]int{}}, records: salesforceRecords(), jobs: map[string]*salesforceJob{}}
}

func (s *salesforceBulk) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == salesforceHost && r.URL.Path == "/services/oauth2/token" {
		why := s.login(rw, r)
		s.refuseIf(why != "", why)
		return
	}
	isKnown, isOver := s.session(r)
	path, isJobs := strings.CutPrefix(r.URL.Path, salesforcePath+"/jobs/query")
	id, results, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	job := s.jobs[id]
	s.refuseIf(r.Host != salesforceHost, "no such resource")
	s.refuseIf(!isKnown, "unknown token")
	switch {
	case isOver:
		s.shows(expiredToken)
		salesforceError(rw, http.StatusUnauthorized, "INVALID_SESSION_ID", "Session expired or invalid")
	case r.Method == http.MethodGet && r.URL.Path == salesforcePath+"/query":
		s.stages(rw, r)
	case !isJobs:
		s.refuse("no such resource")
	case r.Method == http.MethodPost && path == "":
		s.refuseError(s.create(rw, r))
	case r.Method == http.MethodGet && job != nil && results == "" && r.URL.RawQuery == "":
		state := salesforceStates[min(job.polls, len(salesforceStates)-1)]
		job.polls++
		reply(rw, http.StatusOK, job.info(id, state))
	case r.Method == http.MethodGet && job != nil && results == "results":
		s.refuseError(s.results(rw, r, job))
	default:
		s.refuse("no such job")
	}
}

func (s *salesforceBulk) create(rw http.ResponseWriter, r *http.Request) error {
	if s.count("create") == 2 {
		salesforceError(rw, http.StatusForbidden, "REQUEST_LIMIT_EXCEEDED", "ConcurrentRequests (Concurrent API Requests) Limit exceeded.")
		return nil
	}
	var body struct{ Operation, Query string }
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || body.Operation != "queryAll" || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return fmt.Errorf("wrong job %+v: %w", body, err)
	}
	found, err := query(s.records, body.Query, body.Operation)
	if err != nil {
		return err
	}
	parts := soql.FindStringSubmatch(body.Query)
	id := fmt.Sprintf("750%012d", len(s.jobs))
	s.jobs[id] = &salesforceJob{object: parts[2], columns: strings.Split(parts[1], ", "), found: found}
	reply(rw, http.StatusOK, s.jobs[id].info(id, "UploadComplete"))
	return nil
}

func (j *salesforceJob) info(id, state string) object {
	info := object{
		"id": id, "operation": "queryAll", "object": j.object, "state": state, "concurrencyMode": "Parallel",
		"contentType": "CSV", "apiVersion": 68.0, "lineEnding": "LF", "columnDelimiter": "COMMA",
	}
	if state == "JobComplete" {
		info["numberRecordsProcessed"], info["retries"], info["totalProcessingTime"] = len(j.found), 0, 334
	}
	return info
}

// stages responds to a query of the REST API: it has one page.
func (s *salesforceBulk) stages(rw http.ResponseWriter, r *http.Request) {
	found, err := query(s.records, r.URL.Query().Get("q"), "query")
	s.refuseIf(err != nil, err)
	reply(rw, http.StatusOK, object{"totalSize": len(found), "done": true, "records": found})
}

// results sends a set of records, each with a header. It is smaller than maxRecords. A
// request that fails gets 204.
func (s *salesforceBulk) results(rw http.ResponseWriter, r *http.Request, j *salesforceJob) error {
	from, locator := 0, r.URL.Query().Get("locator")
	if locator != "" {
		var err error
		if from, err = strconv.Atoi(strings.TrimPrefix(locator, "MTAw+/")); err != nil {
			return err
		}
	}
	if r.URL.Query().Get("maxRecords") != "50000" || r.Header.Get("Accept") != "text/csv" || j.polls < len(salesforceStates) || len(j.found) == 0 {
		return fmt.Errorf("no results after %d polls (Accept: %s)", j.polls, r.Header.Get("Accept"))
	}
	if j.fetched++; j.fetched == 2 && j.object == "Account" || j.fetched == 1 && j.object != "Account" { // accounts have several sets
		s.shows(errorIn200)
		rw.WriteHeader(http.StatusNoContent)
		return nil
	}
	to := min(from+salesforcePage, len(j.found))
	next := "null"
	if to < len(j.found) {
		next = "MTAw+/" + strconv.Itoa(to)
		s.shows(shortPage)
	}
	s.showsRecords(j.found[from:to])
	rw.Header().Set("Content-Type", "text/csv")
	rw.Header().Set("Sforce-NumberOfRecords", strconv.Itoa(to-from))
	rw.Header().Set("Sforce-Locator", next)
	w := csv.NewWriter(rw)
	lines := [][]string{j.columns}
	for _, record := range j.found[from:to] {
		var line []string
		for _, column := range j.columns {
			cell := ""
			if record[column] != nil {
				cell = fmt.Sprint(record[column])
			}
			if column == "SystemModstamp" {
				cell = strings.Replace(cell, "+0000", "Z", 1)
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	if err := w.WriteAll(lines); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	return nil
}

func (s *salesforceBulk) nextDay() {
	salesforceChanges(s.records)
	// The contacts that the query of the second day would find are gone for good.
	contacts := s.records["Contact"]
	s.records["Contact"] = slices.Clone(contacts[1 : len(contacts)-1])
}

func (s *salesforceBulk) expected(day int) tables {
	want := salesforceExpected(s.records, day, salesforceBulkTime, map[any]string{true: "true", false: "false"})
	if day == 2 {
		delete(want, "contacts")
	}
	for _, stage := range want["opportunity_stages"] { // from the REST API
		stage["is_active"] = "1"
	}
	return want
}
