package platformapi

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const maxJobs = 10_000

// searchParameters returns the parameters that searchJobs reads.
func searchParameters() []string {
	return []string{
		"id[]", "component[]", "componentId[]", "config[]", "configId[]", "runId[]", "branchId[]", "mode[]", "status[]",
		"tokenId[]", "tokenDescription[]", "projectId[]", "configRowIds[]", "parentRunId", "type[]",
		"createdTimeFrom", "createdTimeTo", "startTimeFrom", "startTimeTo", "endTimeFrom", "endTimeTo", "durationSecondsFrom", "durationSecondsTo",
		"limit", "offset", "sortBy", "sortOrder",
	}
}

// jobSearch is a query for jobs. An empty list matches every job.
type jobSearch struct {
	ids, components, configurations, statuses, runs, modes, types, branches []string
	tokens, tokenDescriptions, projects                                     []string
	// rows selects jobs that are limited to at least one of these rows.
	rows []string
	// parent is the run id of the job's parent, "" for jobs without a parent. It is used
	// only if hasParent is true.
	parent                  string
	hasParent               bool
	created, started, ended timeRange
	// shortest and longest are the bounds of the duration, in seconds.
	shortest, longest int
	limit, offset     int
	by                string
	ascending         bool
}

// timeRange is a range of times that includes both bounds. A zero bound is open.
type timeRange struct{ from, to time.Time }

func (s *server) searchJobs(r *http.Request) (response, error) {
	search, err := jobSearchOf(r, s.Now())
	if err != nil {
		return response{}, err
	}
	jobs, err := s.findJobs(search)
	if err != nil {
		return response{}, err
	}
	records := make([]jobRecord, 0, len(jobs))
	for _, j := range jobs {
		record, err := s.jobOf(r, j)
		if err != nil {
			return response{}, err
		}
		records = append(records, record)
	}
	return ok(records, nil)
}

func jobSearchOf(r *http.Request, now time.Time) (jobSearch, error) {
	q := queryOf(r)
	search := jobSearch{
		ids: q.list("id"), components: q.list("component", "componentId"), configurations: q.list("config", "configId"),
		runs: q.list("runId"), branches: q.branches(), modes: q.words("mode", modes()...),
		types: q.words("type", jobTypes()...), rows: q.list("configRowIds"),
		tokens: q.list("tokenId"), tokenDescriptions: q.list("tokenDescription"), projects: q.list("projectId"),
		parent: q.text("parentRunId"), hasParent: q.values.Has("parentRunId"),
		statuses: q.words("status", "created", "waiting", "processing", "terminating",
			"success", "warning", "error", "cancelled", "terminated"),
		created:   q.span("createdTime", now),
		started:   q.span("startTime", now),
		ended:     q.span("endTime", now),
		shortest:  q.number("durationSecondsFrom", 0, 0, math.MaxInt32),
		longest:   q.number("durationSecondsTo", math.MaxInt32, 0, math.MaxInt32),
		limit:     q.number("limit", 100, 1, maxJobs),
		offset:    q.number("offset", 0, 0, math.MaxInt32),
		by:        q.choice("sortBy", "id", "runId", "parentRunId", "component", "config", "configId", "status", "mode", "type", "createdTime", "startTime", "endTime", "durationSeconds", "branchId", "tokenId", "tokenDescription", "projectId"),
		ascending: q.choice("sortOrder", "desc", "asc") == "asc",
	}
	return search, q.err
}

// branches returns the ids of the branches to search. It replaces "default" with the id of
// the default branch.
func (q *query) branches() []string {
	found := q.list("branchId")
	for i, id := range found {
		if id == "default" {
			found[i] = strconv.Itoa(branchID)
		}
	}
	return found
}

func (q *query) span(name string, now time.Time) timeRange {
	return timeRange{from: q.timestamp(name+"From", now), to: q.timestamp(name+"To", now)}
}

func (s *server) findJobs(search jobSearch) ([]store.Job, error) {
	var found []store.Job
	// The store lists jobs newest first, so older jobs need not be read.
	enough := math.MaxInt
	if (search.by == "id" || search.by == "createdTime") && !search.ascending {
		enough = search.offset + search.limit
	}
	err := s.Store.Jobs(func(j store.Job) bool {
		if s.matches(j, search) {
			found = append(found, j)
		}
		return len(found) < enough
	})
	if enough == math.MaxInt {
		s.sort(found, search)
	}
	found = found[min(search.offset, len(found)):]
	return found[:min(search.limit, len(found))], err
}

func (s *server) matches(j store.Job, search jobSearch) bool {
	for _, filter := range []struct {
		wanted []string
		is     string
	}{
		{search.ids, j.ID}, {search.components, j.Component}, {search.configurations, j.Config}, {search.modes, j.Mode},
		{search.statuses, string(j.Status)}, {search.runs, runID(j)}, {search.branches, strconv.Itoa(branchID)},
		{search.types, typeOf(j)}, {search.tokens, tokenID}, {search.tokenDescriptions, tokenDescription}, {search.projects, strconv.Itoa(projectID)},
	} {
		if len(filter.wanted) > 0 && !slices.Contains(filter.wanted, filter.is) {
			return false
		}
	}
	if search.hasParent && search.parent != parentOf(j) {
		return false
	}
	if len(search.rows) > 0 && !slices.ContainsFunc(search.rows, func(id string) bool { return slices.Contains(j.ConfigRowIDs, id) }) {
		return false
	}
	if seconds := s.duration(j); seconds < search.shortest || seconds > search.longest {
		return false
	}
	return search.created.contains(j.Created) && search.started.contains(j.Started) && search.ended.contains(j.Ended)
}

// contains reports whether the range contains t. Only a range with two open bounds contains
// the zero time.
func (s timeRange) contains(t time.Time) bool {
	if s.from.IsZero() && s.to.IsZero() {
		return true
	}
	return !t.IsZero() && !t.Before(s.from) && (s.to.IsZero() || !t.After(s.to))
}

// sort sorts jobs, which must be ordered newest first. Equal jobs are ordered by id.
func (s *server) sort(jobs []store.Job, search jobSearch) {
	if search.ascending {
		slices.Reverse(jobs)
	}
	compare := s.comparison(search.by)
	slices.SortStableFunc(jobs, func(a, b store.Job) int {
		if search.ascending {
			return compare(a, b)
		}
		return compare(b, a)
	})
}

func (s *server) comparison(by string) func(a, b store.Job) int {
	text := func(of func(store.Job) string) func(a, b store.Job) int {
		return func(a, b store.Job) int { return cmp.Compare(of(a), of(b)) }
	}
	switch by {
	case "runId":
		return text(runID)
	case "component":
		return text(func(j store.Job) string { return j.Component })
	case "config", "configId":
		return text(func(j store.Job) string { return j.Config })
	case "parentRunId":
		return text(parentOf)
	case "type":
		return text(typeOf)
	case "status":
		return text(func(j store.Job) string { return string(j.Status) })
	case "mode":
		return text(func(j store.Job) string { return j.Mode })
	case "startTime":
		return func(a, b store.Job) int { return a.Started.Compare(b.Started) }
	case "endTime":
		return func(a, b store.Job) int { return a.Ended.Compare(b.Ended) }
	case "durationSeconds":
		return func(a, b store.Job) int { return cmp.Compare(s.duration(a), s.duration(b)) }
	default: // id and createdTime, which are the order of the store, and fields that are equal for all jobs
		return func(a, b store.Job) int { return 0 }
	}
}
