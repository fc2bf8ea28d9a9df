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

// jobText is a text of a job that clients select jobs by, and can sort by.
type jobText struct {
	parameters []string
	text       func(store.Job) string
	words      []string // all possible texts; nil if there is no limit
}

func jobTexts() []jobText {
	always := func(text string) func(store.Job) string { return func(store.Job) string { return text } }
	statuses := []string{"created", "waiting", "processing", "terminating", "success", "warning", "error", "cancelled", "terminated"}
	return []jobText{
		{[]string{"id"}, func(j store.Job) string { return j.ID }, nil},
		{[]string{"component", "componentId"}, func(j store.Job) string { return j.Component }, nil},
		{[]string{"config", "configId"}, func(j store.Job) string { return j.Config }, nil},
		{[]string{"runId"}, runID, nil},
		{[]string{"branchId"}, always(strconv.Itoa(branchID)), nil},
		{[]string{"mode"}, func(j store.Job) string { return j.Mode }, modes()},
		{[]string{"status"}, func(j store.Job) string { return string(j.Status) }, statuses},
		{[]string{"tokenId"}, always(tokenID), nil},
		{[]string{"tokenDescription"}, always(tokenDescription), nil},
		{[]string{"projectId"}, always(strconv.Itoa(projectID)), nil},
		{[]string{"type"}, typeOf, jobTypes()},
	}
}

func searchParameters() []string {
	all := []string{
		"configRowIds[]", "parentRunId", "createdTimeFrom", "createdTimeTo", "startTimeFrom", "startTimeTo", "endTimeFrom", "endTimeTo",
		"durationSecondsFrom", "durationSecondsTo", "limit", "offset", "sortBy", "sortOrder",
	}
	for _, t := range jobTexts() {
		for _, name := range t.parameters {
			all = append(all, name+"[]")
		}
	}
	return all
}

func (s *server) searchJobs(r *http.Request) (response, error) {
	q := queryOf(r)
	matches := s.jobFilter(q)
	limit, offset := q.number("limit", 100, 1, maxJobs), q.number("offset", 0, 0, math.MaxInt32)
	by := q.choice("sortBy", "id", "runId", "parentRunId", "component", "config", "configId", "status", "mode", "type", "createdTime",
		"startTime", "endTime", "durationSeconds", "branchId", "tokenId", "tokenDescription", "projectId")
	ascending := q.choice("sortOrder", "desc", "asc") == "asc"
	if q.err != nil {
		return response{}, q.err
	}
	// The store lists jobs newest first, so older jobs need not be read.
	enough := math.MaxInt
	if (by == "id" || by == "createdTime") && !ascending {
		enough = offset + limit
	}
	var found []store.Job
	err := s.Store.Jobs(func(j store.Job) bool {
		if matches(j) {
			found = append(found, j)
		}
		return len(found) < enough
	})
	if enough == math.MaxInt {
		s.sortJobs(found, by, ascending)
	}
	found = found[min(offset, len(found)):]
	records := []jobRecord{}
	for _, j := range found[:min(limit, len(found))] {
		record, recordErr := s.jobOf(r, j)
		err = cmp.Or(err, recordErr)
		records = append(records, record)
	}
	return ok(records, err)
}

func (s *server) jobFilter(q *query) func(store.Job) bool {
	var all []func(store.Job) bool
	now := s.Now()
	for _, t := range jobTexts() {
		wanted := q.list(t.parameters...)
		if t.words != nil {
			wanted = q.words(t.parameters[0], t.words...)
		}
		if i := slices.Index(wanted, "default"); i >= 0 && t.parameters[0] == "branchId" {
			wanted[i] = strconv.Itoa(branchID)
		}
		if len(wanted) > 0 {
			all = append(all, func(j store.Job) bool { return slices.Contains(wanted, t.text(j)) })
		}
	}
	if parent := q.text("parentRunId"); q.values.Has("parentRunId") { // "" selects jobs without a parent
		all = append(all, func(j store.Job) bool { return parentOf(j) == parent })
	}
	if rows := q.list("configRowIds"); len(rows) > 0 {
		all = append(all, func(j store.Job) bool {
			return slices.ContainsFunc(rows, func(id string) bool { return slices.Contains(j.ConfigRowIDs, id) })
		})
	}
	shortest := q.number("durationSecondsFrom", 0, 0, math.MaxInt32)
	longest := q.number("durationSecondsTo", math.MaxInt32, 0, math.MaxInt32)
	all = append(all, func(j store.Job) bool { return shortest <= s.duration(j) && s.duration(j) <= longest })
	for _, by := range []struct {
		name   string
		timeOf func(store.Job) time.Time
	}{
		{"createdTime", func(j store.Job) time.Time { return j.Created }},
		{"startTime", func(j store.Job) time.Time { return j.Started }},
		{"endTime", func(j store.Job) time.Time { return j.Ended }},
	} {
		from, to := q.timestamp(by.name+"From", now), q.timestamp(by.name+"To", now)
		if from.IsZero() && to.IsZero() {
			continue
		}
		all = append(all, func(j store.Job) bool {
			t := by.timeOf(j)
			return !t.IsZero() && !t.Before(from) && (to.IsZero() || !t.After(to))
		})
	}
	return func(j store.Job) bool {
		return !slices.ContainsFunc(all, func(matches func(store.Job) bool) bool { return !matches(j) })
	}
}

// sortJobs sorts jobs, which must be ordered newest first. Equal jobs are ordered by id.
func (s *server) sortJobs(jobs []store.Job, by string, ascending bool) {
	var compare func(a, b store.Job) int
	switch by {
	case "id", "createdTime": // the order of the store
		compare = func(a, b store.Job) int { return 0 }
	case "startTime":
		compare = func(a, b store.Job) int { return a.Started.Compare(b.Started) }
	case "endTime":
		compare = func(a, b store.Job) int { return a.Ended.Compare(b.Ended) }
	case "durationSeconds":
		compare = func(a, b store.Job) int { return cmp.Compare(s.duration(a), s.duration(b)) }
	default:
		text := parentOf
		for _, t := range jobTexts() {
			if slices.Contains(t.parameters, by) {
				text = t.text
			}
		}
		compare = func(a, b store.Job) int { return cmp.Compare(text(a), text(b)) }
	}
	if ascending {
		slices.Reverse(jobs)
	}
	slices.SortStableFunc(jobs, func(a, b store.Job) int {
		if ascending {
			return compare(a, b)
		}
		return compare(b, a)
	})
}
