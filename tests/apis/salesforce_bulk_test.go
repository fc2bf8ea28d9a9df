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
	found   []map[string]any
	polls   int
}

// salesforceStates are the states of a job each time it is looked at.
var salesforceStates = []string{"UploadComplete", "InProgress", "InProgress", "JobComplete"}

func newSalesforceBulk(w *world) imitation {
	return &salesforceBulk{world: w, salesforceLogin: salesforceLogin{uses: map[string]int{}}, records: salesforceRecords(), jobs: map[string]*salesforceJob{}}
}

func (s *salesforceBulk) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Host == salesforceHost && r.URL.Path == "/services/oauth2/token" {
		if why := s.login(rw, r); why != "" {
			s.refuse(rw, r, http.StatusBadRequest, why)
		}
		return
	}
	isKnown, isOver := s.session(r)
	path, isJobs := strings.CutPrefix(r.URL.Path, "/services/data/v66.0/jobs/query")
	id, results, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	job := s.jobs[id]
	switch {
	case r.Host != salesforceHost || !isJobs:
		s.refuse(rw, r, http.StatusNotFound, "no such resource")
	case !isKnown:
		s.refuse(rw, r, http.StatusUnauthorized, "unknown token")
	case isOver:
		salesforceError(rw, http.StatusUnauthorized, "INVALID_SESSION_ID", "Session expired or invalid")
	case r.Method == http.MethodPost && path == "":
		if err := s.create(rw, r); err != nil {
			s.refuse(rw, r, http.StatusBadRequest, err.Error())
		}
	case r.Method == http.MethodGet && job != nil && results == "" && r.URL.RawQuery == "":
		state := salesforceStates[min(job.polls, len(salesforceStates)-1)]
		job.polls++
		reply(rw, http.StatusOK, job.info(id, state))
	case r.Method == http.MethodGet && job != nil && results == "results":
		if err := job.results(rw, r); err != nil {
			s.refuse(rw, r, http.StatusBadRequest, err.Error())
		}
	default:
		s.refuse(rw, r, http.StatusNotFound, "no such job")
	}
}

// create makes a job.
func (s *salesforceBulk) create(rw http.ResponseWriter, r *http.Request) error {
	s.requests["create"]++
	if s.requests["create"] == 2 {
		salesforceError(rw, http.StatusForbidden, "REQUEST_LIMIT_EXCEEDED", "ConcurrentRequests (Concurrent API Requests) Limit exceeded.")
		return nil
	}
	var body struct{ Operation, Query string }
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || body.Operation != "queryAll" || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return fmt.Errorf("wrong job %+v: %w", body, err)
	}
	found, err := query(s.records, body.Query)
	if err != nil {
		return err
	}
	parts := soql.FindStringSubmatch(body.Query)
	id := fmt.Sprintf("750%012d", len(s.jobs))
	s.jobs[id] = &salesforceJob{object: parts[2], columns: strings.Split(parts[1], ", "), found: found}
	reply(rw, http.StatusOK, s.jobs[id].info(id, "UploadComplete"))
	return nil
}

// info describes a job.
func (j *salesforceJob) info(id, state string) map[string]any {
	info := map[string]any{
		"id": id, "operation": "queryAll", "object": j.object, "state": state, "concurrencyMode": "Parallel",
		"contentType": "CSV", "apiVersion": 66.0, "lineEnding": "LF", "columnDelimiter": "COMMA",
	}
	if state == "JobComplete" {
		info["numberRecordsProcessed"], info["retries"], info["totalProcessingTime"] = len(j.found), 0, 334
	}
	return info
}

// results sends a set of records, each with a header. It is smaller than maxRecords.
func (j *salesforceJob) results(rw http.ResponseWriter, r *http.Request) error {
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
	to := min(from+salesforcePage, len(j.found))
	next := "null"
	if to < len(j.found) {
		next = "MTAw+/" + strconv.Itoa(to)
	}
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
	s.mu.Lock()
	defer s.mu.Unlock()
	salesforceChanges(s.records)
	// Contacts are gone for good: the query of the second day finds none.
	s.records["Contact"] = slices.DeleteFunc(s.records["Contact"], func(salesforceRecord) bool { return true })
}

func (s *salesforceBulk) expected(day int) tables {
	s.mu.Lock()
	defer s.mu.Unlock()
	return salesforceExpected(s.records, day, map[any]string{true: "true", false: "false"})
}
