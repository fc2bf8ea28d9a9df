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
// of their last change. It reads times of a query in the time zone of the user. Projects,
// boards and sprints are listed by an index, and a page may have fewer items than
// maxResults. Without valid credentials lists are empty, and only the request for the
// account is refused. Facts:
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/,
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-worklogs/,
// https://developer.atlassian.com/cloud/jira/software/rest/api-group-board/,
// https://support.atlassian.com/jira/kb/jira-cloud-jql-search-rest-api-returns-200-ok-without-api-token/.
type jira struct {
	*world
	projects int
	issues   []jiraIssue // in the order of their creation
	worklogs []jiraWorklog
	removed  []jiraWorklog // deleted worklogs
	boards   []jiraBoard
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

// jiraBoard responds to a request for its sprints with a status other than 200, or has some.
type jiraBoard struct {
	kind    string
	status  int
	message string
	sprints int
}

// jiraZone is the time zone of the user.
var jiraZone = time.FixedZone("PST", -8*60*60)

const (
	// jiraHidden is a worklog that the user may not see.
	jiraHidden = 40
	// jiraArchived is a project in the archive, which only status=archived returns.
	jiraArchived = 17
	// jiraUsers are the users of the site.
	jiraUsers = 1200
)

func newJira(w *world) mockServer {
	w.notShown = map[condition]string{
		tie:          "a token leads from page to page of issues, times of worklogs are in milliseconds, and runs overlap by an hour or a day",
		errorIn200:   "errors have a status of their own; a search without valid credentials is empty, which the request for the account prevents",
		expiredToken: "no request renews an API token: if it ends, the first request of a run fails with the status 401",
	}
	j := &jira{world: w, projects: 120}
	for i := range 119 { // and one that comes late: full pages
		j.issues = append(j.issues, jiraIssue{10000 + i, firstDay.AddDate(0, 0, i-200)})
	}
	for i := range 1050 {
		j.worklogs = append(j.worklogs, jiraWorklog{i, firstDay.Add(time.Duration(i-2000) * time.Minute).UnixMilli()})
	}
	j.worklogs = append(j.worklogs, jiraWorklog{1050, firstDay.Add(-30 * time.Minute).UnixMilli()}) // in the lookback of the next run
	for i := range 1000 {                                                                           // and one more: two pages
		j.removed = append(j.removed, jiraWorklog{20000 + i, firstDay.Add(time.Duration(i-2000) * time.Minute).UnixMilli()})
	}
	j.removed = append(j.removed, jiraWorklog{9000, firstDay.Add(-30 * time.Minute).UnixMilli()})
	j.boards = []jiraBoard{
		{kind: "scrum", sprints: 70},
		{kind: "kanban", status: http.StatusBadRequest, message: "The board does not support sprints"},
		{kind: "simple", status: http.StatusBadRequest, message: "The board does not support sprints"},
		{kind: "simple", sprints: 1},
		{kind: "scrum", status: http.StatusForbidden, message: "You do not have permission to view this board."},
		{kind: "scrum", status: http.StatusNotFound, message: "The requested board cannot be viewed because it either does not exist or you do not have permission to view it."},
		{kind: "scrum", status: http.StatusInternalServerError, message: "This board has no columns with a mapped status."},
	}
	return j
}

func (j *jira) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	email, token, _ := r.BasicAuth()
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	j.refuseIf(r.Host != "your-site.atlassian.net", "Site temporarily unavailable")
	j.refuseIf(email != "your-email@example.com" || token != "your-api-token",
		"Client must be authenticated to access this resource.")
	j.refuseIf(j.requests["/rest/api/3/myself"] == 0 && r.URL.Path != "/rest/api/3/myself",
		"a list is empty without valid credentials, so the first request must be one that is refused then")
	j.refuseIf(r.Method == http.MethodPost && media != "application/json", "not JSON")
	failIf(j.count(r.URL.Path) == 2,
		rw, http.StatusTooManyRequests, object{"message": "Rate limit exceeded"}, "Retry-After", "20")
	board := -1
	if match := jiraSprints.FindStringSubmatch(r.URL.Path); match != nil {
		board, _ = strconv.Atoi(match[1])
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/myself":
		reply(rw, http.StatusOK, object{"accountId": "5b10", "displayName": "Mia", "timeZone": "America/Los_Angeles", "groups": object{"size": 3, "items": []any{}}})
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/project/search":
		j.listProjects(rw, r)
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/users/search":
		j.listUsers(rw, r)
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/status":
		reply(rw, http.StatusOK, []any{
			object{"id": "3", "name": "Done", "statusCategory": object{"id": 3, "key": "done", "name": "Done"}},
			object{"id": "10010", "name": "Done", "statusCategory": object{"name": "Done"}, "scope": object{"type": "PROJECT", "project": object{"id": "1"}}},
		})
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/field":
		reply(rw, http.StatusOK, append(each(jiraFields, func(f jiraField) object {
			return object{"id": f.id, "key": f.id, "name": f.name, "custom": true, "navigable": true, "schema": object{"type": "string", "custom": "textfield", "customId": 1}}
		}), object{"id": "summary", "key": "summary", "name": "Summary", "custom": false, "navigable": true}, object{"id": "thumbnail", "name": "Images", "custom": false}))
	case r.Method == http.MethodPost && r.URL.Path == "/rest/api/3/search/jql":
		j.search(rw, r)
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/worklog/updated":
		j.changedWorklogs(rw, r, j.worklogs)
	case r.Method == http.MethodGet && r.URL.Path == "/rest/api/3/worklog/deleted":
		j.changedWorklogs(rw, r, j.removed)
		j.showsIf(len(j.removed) > 1001, deleted)
	case r.Method == http.MethodPost && r.URL.Path == "/rest/api/3/worklog/list":
		j.listWorklogs(rw, r)
	case r.Method == http.MethodGet && r.URL.Path == "/rest/agile/1.0/board":
		var boards []any
		for i, b := range j.boards {
			item := object{"id": i, "name": "Board", "type": b.kind}
			if i != 3 { // a board of a user has no location that others see
				item["location"] = object{"projectId": 1}
			}
			boards = append(boards, item)
		}
		j.pageOf(rw, r, 50, boards)
	case r.Method == http.MethodGet && board >= 0 && board < len(j.boards):
		j.listSprints(rw, r, board)
	default:
		j.refuse("null for uri")
	}
}

var jiraSprints = regexp.MustCompile(`^/rest/agile/1\.0/board/(\d+)/sprint$`)

// pageOf responds with a page of a list. Greater pages than the maximum are cut to it.
func (j *jira) pageOf(rw http.ResponseWriter, r *http.Request, most int, all []any) {
	query := r.URL.Query()
	limit := j.number(query, "maxResults", 1, most)
	start, _ := strconv.Atoi(query.Get("startAt"))
	if start == 0 && len(all) > limit { // the first page is shorter than requested
		limit--
		j.shows(shortPage)
	}
	end := min(len(all), start+limit)
	reply(rw, http.StatusOK, object{"values": all[min(start, end):end], "startAt": start, "maxResults": limit, "total": len(all), "isLast": end == len(all)})
}

// listProjects leaves out archived projects if the request does not name their status.
func (j *jira) listProjects(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	j.refuseIf(query.Get("orderBy") != "key" || query.Get("expand") != "lead", "orderBy or expand")
	var all []any
	for i := range j.projects {
		item := object{
			"id": strconv.Itoa(i), "key": fmt.Sprintf("P%03d", i), "name": "Projekt č. 1", "projectTypeKey": "software", "style": "classic",
			"lead": object{"accountId": "5b10"},
		}
		status := "live"
		if i == jiraArchived {
			status, item["archived"] = "archived", true
		}
		if status != query.Get("status") {
			continue
		}
		j.showsIf(status == "archived", archived)
		all = append(all, item)
	}
	j.pageOf(rw, r, 100, all)
}

// listUsers has inactive users, and users who hide their e-mail address.
func (j *jira) listUsers(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("maxResults"))
	start, _ := strconv.Atoi(query.Get("startAt"))
	j.refuseIf(err != nil || limit < 1 || limit > 1000, "maxResults")
	page := []any{}
	for i := start; i < min(jiraUsers, start+limit); i++ {
		item := object{"accountId": strconv.Itoa(i), "accountType": "atlassian", "displayName": "Mia", "active": i != 5}
		switch i % 3 {
		case 0:
			item["emailAddress"] = "mia@example.com"
		case 1:
			item["emailAddress"] = ""
		}
		page = append(page, item)
	}
	j.shows(absentKey)
	reply(rw, http.StatusOK, page)
}

func (j *jira) listSprints(rw http.ResponseWriter, r *http.Request, board int) {
	b := j.boards[board]
	switch b.status {
	case http.StatusForbidden:
		j.shows(forbidden)
	case http.StatusNotFound:
		j.shows(missingParent)
	}
	if b.status != 0 {
		reply(rw, b.status, object{"errorMessages": []string{b.message}, "errors": object{}})
		return
	}
	var all []any
	for i := range b.sprints { // a sprint is on each board that shows one of its issues
		item := object{"id": i, "name": "Sprint", "state": "future", "originBoardId": 0}
		if i == 0 {
			item["state"], item["startDate"], item["goal"] = "closed", "2026-01-01T00:00:00.000Z", ""
		}
		all = append(all, item)
	}
	j.pageOf(rw, r, 50, all)
}

var jiraQuery = regexp.MustCompile(`^updated >= "(\d{4}-\d\d-\d\d \d\d:\d\d)" ORDER BY created ASC$`)

// search responds with 60 issues at most, even if more were requested. The last page may
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
	j.refuseIf(err != nil || bound == nil || request.MaxResults < 1 || request.MaxResults > 5000,
		fmt.Sprintf("Unbounded JQL queries are not allowed here: %q (%v)", request.JQL, err))
	since, err := time.ParseInLocation("2006-01-02 15:04", bound[1], jiraZone)
	from := 0
	if request.NextPageToken != "" {
		_, err2 := fmt.Sscanf(request.NextPageToken, "token-%d-"+strconv.FormatInt(since.Unix(), 10), &from)
		if err2 != nil {
			err = fmt.Errorf("the token is not one of this query: %w", err2)
		}
	}
	j.refuseIf(err != nil, err)
	found := without(j.issues, func(i jiraIssue) bool { return i.updated.Before(since) })
	page := cut(found, from, 60)
	issues := each(page, func(i jiraIssue) object { return j.issue(i, request.Fields) })
	response := object{"issues": issues, "isLast": len(page) < 60}
	if len(page) == 60 {
		response["nextPageToken"] = fmt.Sprintf("token-%d-%d", from+60, since.Unix())
	}
	reply(rw, http.StatusOK, response)
	if !j.late { // a list that grows while it is read
		j.late = true
		j.issues = append(j.issues, jiraIssue{20000, firstDay.Add(time.Minute)})
	}
}

func (j *jira) issue(i jiraIssue, fields []string) object {
	all := object{
		"project": object{"id": "1", "key": "ABC"}, "timeoriginalestimate": nil, "timespent": 3600, "issuetype": object{"name": "Task"}, "summary": "Opravit \"tisk\"",
		"status": object{"id": "3", "name": "Done"}, "priority": nil, "resolution": object{"name": "Fixed"},
		"assignee": nil, "reporter": object{"accountId": "5b10", "displayName": "Mia"},
		"labels": []string{"a", "b"}, "created": "2026-01-01T00:00:00.000-0800", "updated": i.at(), "duedate": nil, "resolutiondate": nil,
	}
	for _, f := range jiraFields {
		all[f.id] = f.value
	}
	all["description"], all["environment"] = object{"type": "doc", "version": 1}, nil
	selected := object{}
	for name, v := range all {
		if (slices.Contains(fields, name) || slices.Contains(fields, "*navigable")) && !slices.Contains(fields, "-"+name) {
			selected[name] = v
		}
	}
	j.shows(oddValue)
	return object{"id": strconv.Itoa(i.id), "key": "ABC-" + strconv.Itoa(i.id), "fields": selected}
}

// jiraField is a custom field. given is the name that its values must get.
type jiraField struct {
	id, name, given string
	value           any
}

// jiraFields are custom fields: two of one name, and one with the name of another field.
var jiraFields = []jiraField{
	{"customfield_10021", "Team", "Team", nil},
	{"customfield_10016", "labels", "labels_2", []string{"x"}},
	{"customfield_9000", "Team", "Team_2", object{"id": "7", "name": "Tisk"}},
}

// fieldsCell is the cell with all fields of an issue, the custom ones by name.
func (i jiraIssue) fieldsCell() string {
	return `{"assignee":null,"created":"2026-01-01T00:00:00.000-0800","labels_2":["x"],"Team":null,"Team_2":{"id":"7","name":"Tisk"},"duedate":null,"issuetype":{"name":"Task"},` +
		`"labels":["a","b"],"priority":null,"project":{"id":"1","key":"ABC"},"reporter":{"accountId":"5b10","displayName":"Mia"},"resolution":{"name":"Fixed"},"resolutiondate":null,` +
		`"status":{"id":"3","name":"Done"},"summary":"Opravit \"tisk\"","timeoriginalestimate":null,"timespent":3600,"updated":"` + i.at() + `"}`
}

func (i jiraIssue) at() string { return i.updated.In(jiraZone).Format("2006-01-02T15:04:05.000-0700") }

// changedWorklogs responds with 1,000 ids at most, the oldest change first, and with none of
// the last minute.
func (j *jira) changedWorklogs(rw http.ResponseWriter, r *http.Request, all []jiraWorklog) {
	since := int64(0)
	if text := r.URL.Query().Get("since"); text != "" {
		var err error
		if since, err = strconv.ParseInt(text, 10, 64); err != nil {
			j.refuse("since is no number of milliseconds")
		}
	}
	now := j.Now().Add(-time.Minute).UnixMilli()
	found := without(all, func(w jiraWorklog) bool { return w.updated <= since || w.updated > now })
	page := found[:min(1000, len(found))]
	until := since
	values := []any{}
	for _, w := range page {
		until = w.updated
		values = append(values, object{"worklogId": w.id, "updatedTime": w.updated, "properties": []any{}})
	}
	response := object{"values": values, "since": since, "until": until, "lastPage": len(page) == len(found)}
	if len(page) < len(found) {
		response["nextPage"] = address(r.Host, r.URL.Path+"?since="+strconv.FormatInt(until, 10))
	}
	reply(rw, http.StatusOK, response)
}

// listWorklogs responds with those that exist and that the user may see.
func (j *jira) listWorklogs(rw http.ResponseWriter, r *http.Request) {
	var request struct{ IDs []int }
	err := json.NewDecoder(r.Body).Decode(&request)
	j.refuseIf(err != nil || len(request.IDs) == 0 || len(request.IDs) > 1000,
		fmt.Sprintf("ids must be from 1 to 1000 numbers (%v)", err))
	all := []any{}
	for _, w := range j.worklogs {
		if slices.Contains(request.IDs, w.id) && w.id != jiraHidden {
			all = append(all, object{"id": strconv.Itoa(w.id), "issueId": "10002", "author": object{"accountId": "5b10", "displayName": "Mia"},
				"started": "2026-01-01T00:00:00.000+0000", "timeSpentSeconds": 60 * w.id, "updated": "2026-01-01T00:00:00.000+0000"})
		}
	}
	reply(rw, http.StatusOK, all)
}

func (j *jira) nextDay() {
	morning := firstDay.Add(20 * time.Hour)
	j.issues[3].updated = morning
	j.issues = append(j.issues, jiraIssue{30000, morning})
	j.worklogs = slices.DeleteFunc(j.worklogs, func(w jiraWorklog) bool { return w.id == 7 || w.id == 8 })
	j.worklogs = append(j.worklogs, jiraWorklog{7, morning.UnixMilli()}, jiraWorklog{5000, morning.UnixMilli() + 1})
	j.removed = append(j.removed, jiraWorklog{8, morning.UnixMilli()})
}

// expected: the row of a deleted worklog stays, and deleted_worklogs has its id.
func (j *jira) expected(day int) tables {
	want := tables{
		"account":  {{"id": "5b10", "time_zone": "America/Los_Angeles"}},
		"statuses": {{"id": "3", "category": "Done", "project_id": ""}, {"id": "10010", "category": "Done", "project_id": "1"}},
		"sprints":  {{"board_id": "3", "id": "0", "origin_board_id": "0", "started": "2026-01-01T00:00:00.000Z", "state": "closed"}},
	}
	for _, f := range jiraFields {
		want.add("custom_fields", row{"id": f.id, "name": f.name, "type": "string", "kind": "textfield"})
	}
	for i := range j.projects {
		r := row{"id": strconv.Itoa(i), "name": "Projekt č. 1", "lead_id": "5b10", "archived": ""}
		if i == jiraArchived {
			r["archived"] = "1"
		}
		want.add("projects", r)
	}
	for i := range jiraUsers {
		want.add("users", row{"id": strconv.Itoa(i), "email": []string{"mia@example.com", "", ""}[i%3]})
	}
	for i, b := range j.boards {
		project := "1"
		if i == 3 {
			project = ""
		}
		want.add("boards", row{"id": strconv.Itoa(i), "type": b.kind, "project_id": project})
	}
	for i := range j.boards[0].sprints {
		want.add("sprints", row{"board_id": "0", "id": strconv.Itoa(i)})
	}
	// A query of the second run begins a day before the first run, in another time zone.
	since := firstDay.AddDate(0, 0, -1).Add(8 * time.Hour)
	for _, i := range j.issues {
		if day == 1 || !i.updated.Before(since) {
			want.add("issues", row{
				"id": strconv.Itoa(i.id), "updated": i.at(), "labels": `["a","b"]`, "assignee": "", "reporter": "Mia", "summary": `Opravit "tisk"`,
				"estimate_seconds": "", "spent_seconds": "3600", "status_id": "3", "project": "ABC", "fields": i.fieldsCell(),
			})
		}
	}
	lookback := firstDay.Add(-time.Hour).UnixMilli()
	for _, w := range j.worklogs {
		if w.id != jiraHidden && (day == 1 || w.updated > lookback) {
			want.add("worklogs", row{"id": strconv.Itoa(w.id), "issue_id": "10002", "seconds": strconv.Itoa(60 * w.id)})
		}
	}
	for _, w := range j.removed {
		if day == 1 || w.updated > lookback {
			want.add("deleted_worklogs", row{"id": strconv.Itoa(w.id), "deleted_ms": strconv.FormatInt(w.updated, 10)})
		}
	}
	return want
}
