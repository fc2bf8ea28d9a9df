package apis

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// jira searches for issues by pages that a token leads to, and lists worklogs by the time
// of their last change. It reads times of a query in the time zone of the user. Facts:
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/,
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-worklogs/.
type jira struct {
	*world
	projects int
	issues   []jiraIssue // in the order of their creation
	worklogs []jiraWorklog
	late     bool
}

type jiraIssue struct {
	id      int
	updated time.Time
}

type jiraWorklog struct {
	id      int
	updated int64 // milliseconds
}

// jiraZone is the time zone of the user.
var jiraZone = time.FixedZone("PST", -8*60*60)

// jiraHidden is a worklog that the user may not see.
const jiraHidden = 40

func newJira(w *world) imitation {
	j := &jira{world: w, projects: 120}
	for i := range 119 { // and one that comes late: full pages
		j.issues = append(j.issues, jiraIssue{10000 + i, firstDay.AddDate(0, 0, i-200)})
	}
	for i := range 1050 {
		j.worklogs = append(j.worklogs, jiraWorklog{i, firstDay.Add(time.Duration(i-2000) * time.Minute).UnixMilli()})
	}
	return j
}

func (j *jira) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	email, token, _ := r.BasicAuth()
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Host != "your-site.atlassian.net":
		j.refuse(rw, r, http.StatusNotFound, "Site temporarily unavailable")
		return
	case email != "your-email@example.com" || token != "your-api-token":
		j.refuse(rw, r, http.StatusUnauthorized, "Client must be authenticated to access this resource.")
		return
	case r.Method == http.MethodPost && media != "application/json":
		j.refuse(rw, r, http.StatusUnsupportedMediaType, "not JSON")
		return
	}
	j.requests[r.URL.Path]++
	if j.requests[r.URL.Path] == 2 {
		rw.Header().Set("Retry-After", "20")
		reply(rw, http.StatusTooManyRequests, map[string]any{"message": "Rate limit exceeded"})
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /rest/api/3/project/search":
		j.listProjects(rw, r)
	case "POST /rest/api/3/search/jql":
		j.search(rw, r)
	case "GET /rest/api/3/worklog/updated":
		j.updatedWorklogs(rw, r)
	case "POST /rest/api/3/worklog/list":
		j.listWorklogs(rw, r)
	default:
		j.refuse(rw, r, http.StatusNotFound, "null for uri")
	}
}

func (j *jira) listProjects(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("maxResults"))
	if err != nil || limit < 1 || limit > 100 || query.Get("orderBy") != "key" {
		j.refuse(rw, r, http.StatusBadRequest, "maxResults or orderBy")
		return
	}
	start, _ := strconv.Atoi(query.Get("startAt"))
	values := []any{}
	for i := start; i < min(j.projects, start+limit); i++ {
		values = append(values, map[string]any{"id": strconv.Itoa(i), "key": fmt.Sprintf("P%03d", i), "name": "Projekt č. 1", "projectTypeKey": "software", "style": "classic"})
	}
	page := map[string]any{"values": values, "startAt": start, "maxResults": limit, "total": j.projects, "isLast": start+limit >= j.projects}
	if start+limit < j.projects {
		page["nextPage"] = address(r.Host, fmt.Sprintf("%s?maxResults=%d&orderBy=key&startAt=%d", r.URL.Path, limit, start+limit))
	}
	reply(rw, http.StatusOK, page)
}

var jiraQuery = regexp.MustCompile(`^updated >= "(\d{4}-\d\d-\d\d \d\d:\d\d)" ORDER BY created ASC$`)

// search answers with 60 issues at most, even if more were requested. The last page may
// be empty.
func (j *jira) search(rw http.ResponseWriter, r *http.Request) {
	var request struct {
		JQL           string
		Fields        []string
		MaxResults    int
		NextPageToken string
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&request)
	bound := jiraQuery.FindStringSubmatch(request.JQL)
	if err != nil || bound == nil || request.MaxResults < 1 || request.MaxResults > 5000 {
		j.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("Unbounded JQL queries are not allowed here: %q (%v)", request.JQL, err))
		return
	}
	since, err := time.ParseInLocation("2006-01-02 15:04", bound[1], jiraZone)
	from := 0
	if request.NextPageToken != "" {
		_, err2 := fmt.Sscanf(request.NextPageToken, "token-%d-"+strconv.FormatInt(since.Unix(), 10), &from)
		if err2 != nil {
			err = fmt.Errorf("the token is not one of this query: %w", err2)
		}
	}
	if err != nil {
		j.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	found := slices.DeleteFunc(slices.Clone(j.issues), func(i jiraIssue) bool { return i.updated.Before(since) })
	page := found[min(from, len(found)):min(from+60, len(found))]
	issues := []any{}
	for _, i := range page {
		issues = append(issues, j.issue(i, request.Fields))
	}
	answer := map[string]any{"issues": issues, "isLast": len(page) < 60}
	if len(page) == 60 {
		answer["nextPageToken"] = fmt.Sprintf("token-%d-%d", from+60, since.Unix())
	}
	reply(rw, http.StatusOK, answer)
	if !j.late { // a list that grows while it is read
		j.late = true
		j.issues = append(j.issues, jiraIssue{20000, firstDay.Add(time.Minute)})
	}
}

// issue has the fields that a request names.
func (j *jira) issue(i jiraIssue, fields []string) map[string]any {
	all := map[string]any{
		"project": map[string]any{"id": "1", "key": "ABC"}, "issuetype": map[string]any{"name": "Task"}, "summary": "Opravit \"tisk\"",
		"status": map[string]any{"name": "Done"}, "priority": nil, "resolution": map[string]any{"name": "Fixed"},
		"assignee": nil, "reporter": map[string]any{"accountId": "5b10", "displayName": "Mia"},
		"labels": []string{"a", "b"}, "created": "2026-01-01T00:00:00.000-0800", "updated": i.at(), "duedate": nil, "resolutiondate": nil,
	}
	selected := map[string]any{}
	for _, name := range fields {
		if v, ok := all[name]; ok {
			selected[name] = v
		}
	}
	return map[string]any{"id": strconv.Itoa(i.id), "key": "ABC-" + strconv.Itoa(i.id), "fields": selected}
}

func (i jiraIssue) at() string { return i.updated.In(jiraZone).Format("2006-01-02T15:04:05.000-0700") }

// updatedWorklogs answers with 1,000 ids at most, the oldest change first.
func (j *jira) updatedWorklogs(rw http.ResponseWriter, r *http.Request) {
	since := int64(0)
	if text := r.URL.Query().Get("since"); text != "" {
		var err error
		if since, err = strconv.ParseInt(text, 10, 64); err != nil {
			j.refuse(rw, r, http.StatusBadRequest, "since is no number of milliseconds")
			return
		}
	}
	found := slices.DeleteFunc(slices.Clone(j.worklogs), func(w jiraWorklog) bool { return w.updated <= since })
	page := found[:min(1000, len(found))]
	until := since
	values := []any{}
	for _, w := range page {
		until = w.updated
		values = append(values, map[string]any{"worklogId": w.id, "updatedTime": w.updated, "properties": []any{}})
	}
	answer := map[string]any{"values": values, "since": since, "until": until, "lastPage": len(page) == len(found)}
	if len(page) < len(found) {
		answer["nextPage"] = address(r.Host, r.URL.Path+"?since="+strconv.FormatInt(until, 10))
	}
	reply(rw, http.StatusOK, answer)
}

// listWorklogs answers with those that exist and that the user may see.
func (j *jira) listWorklogs(rw http.ResponseWriter, r *http.Request) {
	var request struct{ IDs []int }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.IDs) == 0 || len(request.IDs) > 1000 {
		j.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("ids must be from 1 to 1000 numbers (%v)", err))
		return
	}
	all := []any{}
	for _, w := range j.worklogs {
		if slices.Contains(request.IDs, w.id) && w.id != jiraHidden {
			all = append(all, map[string]any{"id": strconv.Itoa(w.id), "issueId": "10002", "author": map[string]any{"accountId": "5b10", "displayName": "Mia"},
				"started": "2026-01-01T00:00:00.000+0000", "timeSpentSeconds": 60 * w.id, "updated": "2026-01-01T00:00:00.000+0000"})
		}
	}
	reply(rw, http.StatusOK, all)
}

func (j *jira) nextDay() {
	j.mu.Lock()
	defer j.mu.Unlock()
	morning := firstDay.Add(20 * time.Hour)
	j.issues[3].updated = morning
	j.issues = append(j.issues, jiraIssue{30000, morning})
	j.worklogs = append(j.worklogs[:7], j.worklogs[8:]...)
	j.worklogs = append(j.worklogs, jiraWorklog{7, morning.UnixMilli()}, jiraWorklog{5000, morning.UnixMilli() + 1})
}

func (j *jira) expected(day int) tables {
	want := tables{}
	for i := range j.projects {
		want["projects"] = append(want["projects"], row{"id": strconv.Itoa(i), "name": "Projekt č. 1"})
	}
	// A query of the second run begins a day before the first run, in another time zone.
	since := firstDay.AddDate(0, 0, -1).Add(8 * time.Hour)
	for _, i := range j.issues {
		if day == 1 || !i.updated.Before(since) {
			want["issues"] = append(want["issues"], row{"id": strconv.Itoa(i.id), "updated": i.at(), "labels": `["a","b"]`, "assignee": "", "reporter": "Mia", "summary": `Opravit "tisk"`})
		}
	}
	for _, w := range j.worklogs {
		if w.id != jiraHidden && (day == 1 || w.updated > firstDay.UnixMilli()) {
			want["worklogs"] = append(want["worklogs"], row{"id": strconv.Itoa(w.id), "issue_id": "10002", "seconds": strconv.Itoa(60 * w.id)})
		}
	}
	return want
}
