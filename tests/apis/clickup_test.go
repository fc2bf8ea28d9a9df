package apis

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clickup lists tasks of a workspace by page numbers from 0, and everything else whole. Each list
// has either archived items or the others. The tasks of an archived list are in no list of the
// workspace, only in their own one.
type clickup struct {
	*world
	tasks   []clickupTask // in the order of their creation
	started time.Time     // when the run began
	removed bool          // a task was deleted
	// second is true on the second day: there are the archived lists 35 and 36, and the
	// workspace 2 with the list 41.
	second  bool
	limited time.Time // until when all requests are refused
	late    bool
}

type clickupTask struct {
	id       int
	list     string
	archived bool
	created  time.Time
	updated  time.Time
	tags     []any
}

// clickupSpaces, clickupFolders and clickupLists are the ids below each id, with a ! in
// front of those that are archived.
var (
	clickupSpaces  = map[string][]string{"1": {"11", "12", "13", "!14"}}
	clickupFolders = map[string][]string{"11": {"21", "22", "23"}}
	clickupLists   = map[string][]string{"folder/21": {"31", "!32", "!37"}, "space/11": {"33", "!34", "!38"}}
	// clickupHidden are a space, a folder and a list that the user may not open.
	clickupHidden = []string{"12", "22", "37"}
	// clickupGone are a space, a folder and a list that were deleted after they were listed.
	clickupGone = []string{"13", "23", "38"}
)

func newClickUp(w *world) mockServer {
	w.notShown = map[condition]string{
		errorIn200:   "errors have a status other than 200, as the page about common errors says",
		expiredToken: "personal tokens never expire; if one is revoked, the run fails with the status 401",
	}
	c := &clickup{world: w}
	for i := range 250 {
		c.add(i, []string{"31", "33"}[i%2], firstDay.Add(time.Duration(i-500)*time.Hour))
	}
	for i := 95; i < 105; i++ { // imported at once: equal times on both sides of the border of two pages
		c.tasks[i].created = c.tasks[95].created
	}
	c.tasks[7].archived = true
	c.add(300, "32", firstDay.Add(-400*time.Hour))
	c.add(301, "34", firstDay.Add(-400*time.Hour))
	for i := range 3 { // the clock of the run may be ahead
		c.add(302+i, []string{"33", "32", "34"}[i], firstDay.Add(-5*time.Minute))
	}
	c.add(305, "33", firstDay.Add(-5*time.Minute))
	c.tasks[len(c.tasks)-1].archived = true
	for i, list := range []string{"35", "36", "41", "41"} {
		c.add(310+i, list, firstDay.Add(-400*time.Hour))
	}
	c.tasks[len(c.tasks)-1].archived = true
	return c
}

func (c *clickup) add(id int, list string, updated time.Time) {
	t := clickupTask{id: id, list: list, created: updated, updated: updated, tags: []any{object{"name": "urgent"}, object{"name": "web"}}[:id%3]}
	if i := slices.IndexFunc(c.tasks, func(x clickupTask) bool { return x.id == id }); i >= 0 {
		t.created = c.tasks[i].created
		c.tasks[i] = t
		return
	}
	c.tasks = append(c.tasks, t)
}

// clickupPath is a path with the kind and the id of a parent, and what is listed of it.
var clickupPath = regexp.MustCompile(`^/api/v2/(team|space|folder|list)(?:/(\w+)/(space|folder|list|task))?$`)

func (c *clickup) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := clickupPath.FindStringSubmatch(r.URL.Path)
	c.refuseIf(r.Host != "api.clickup.com" || r.Method != http.MethodGet || path == nil, "Route not found")
	c.refuseIf(r.Header.Get("Authorization") != "your-personal-token", "Token invalid OAUTH_025")
	c.requests["all"]++
	if c.requests["all"] == 3 || c.requests["all"] == 9 {
		c.limited = c.Now().Truncate(time.Second).Add(40 * time.Second)
	}
	if c.Now().Before(c.limited) {
		c.failUntil(rw, r, c.limited, http.StatusTooManyRequests, object{"err": "Rate limit reached", "ECODE": "APP_002"},
			"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(c.limited.Unix(), 10))
	}
	kind, id, list := path[1], path[2], path[3]
	archivedOnes := r.URL.Query().Get("archived")
	c.refuseIf(id != "" && archivedOnes != "true" && archivedOnes != "false",
		"either archived items or the others")
	switch {
	case kind == "team" && id == "":
		c.started = c.Now()
		c.shows(absentKey)
		teams := []any{object{"id": "1", "name": "Acme", "members": []any{
			object{"user": object{"id": 5, "username": "Ann", "email": "ann@example.com", "role": 1}},
			object{"user": object{"id": 6, "username": nil, "email": "bob@example.com", "role": 4, "last_active": "1772431200000"}},
		}}}
		if c.second {
			teams = append(teams, object{"id": "2", "name": "New", "members": []any{}})
		}
		reply(rw, http.StatusOK, object{"teams": teams})
	case slices.Contains(clickupHidden, id):
		c.shows(forbidden)
		reply(rw, http.StatusForbidden, object{"err": "You don't have access", "ECODE": "ACCESS_999"})
	case slices.Contains(clickupGone, id):
		c.shows(missingParent)
		reply(rw, http.StatusNotFound, object{"err": "Space not found", "ECODE": "ITEM_015"})
	case (kind == "team" || kind == "list") && list == "task":
		c.page(rw, r, kind == "list", id, archivedOnes == "true")
	case kind == "team" && list == "space":
		c.whole(rw, "spaces", clickupSpaces[id], archivedOnes == "true")
	case kind == "space" && list == "folder":
		c.whole(rw, "folders", clickupFolders[id], archivedOnes == "true")
	case list == "list":
		lists := clickupLists[kind+"/"+id]
		if c.second && kind+id == "folder21" {
			lists = append(slices.Clone(lists), "!35")
		} else if c.second && kind+id == "space11" {
			lists = append(slices.Clone(lists), "!36")
		}
		c.whole(rw, "lists", lists, archivedOnes == "true")
	default:
		c.refuse("not found")
	}
}

// whole responses with all items of a list without pages.
func (c *clickup) whole(rw http.ResponseWriter, name string, ids []string, archivedOnes bool) {
	items := []any{}
	for _, text := range ids {
		id, inArchive := strings.CutPrefix(text, "!")
		if inArchive != archivedOnes {
			continue
		}
		item := object{"id": id, "name": "Name " + id, "archived": inArchive}
		if name == "lists" {
			item["space"], item["folder"] = object{"id": "11"}, object{"id": clickupFolder(id)}
			item["start_date"], item["due_date"], item["task_count"] = nil, nil, nil
		}
		items = append(items, item)
		c.showsIf(inArchive, archived)
	}
	reply(rw, http.StatusOK, object{name: items})
}

// clickupFolder is the folder of a list. Lists of a space are in a hidden one.
func clickupFolder(list string) string {
	if slices.Contains([]string{"31", "32", "35", "37"}, list) {
		return "21"
	}
	return "99"
}

func clickupWorkspace(list string) string {
	if list == "41" {
		return "2"
	}
	return "1"
}

// page responds with tasks of the workspace or of a list. The second page is shorter than
// the others.
func (c *clickup) page(rw http.ResponseWriter, r *http.Request, ofList bool, parent string, archivedOnes bool) {
	query := r.URL.Query()
	page, err := strconv.Atoi(query.Get("page"))
	since, err2 := strconv.ParseInt(query.Get("date_updated_gt"), 10, 64)
	c.refuseIf(err != nil || err2 != nil || query.Get("order_by") != "created" ||
		query.Get("reverse") != "true" || query.Get("subtasks") != "true" ||
		query.Get("include_closed") != "true", "all tasks by their creation")
	c.showsIf(c.removed && !ofList, deleted)
	var found []clickupTask
	for _, t := range c.tasks {
		inArchive := slices.Contains([]string{"32", "34", "35", "36"}, t.list)
		of := clickupWorkspace(t.list)
		if ofList {
			of = t.list
		}
		if t.archived == archivedOnes && inArchive == ofList && of == parent && t.updated.UnixMilli() >= since {
			found = append(found, t)
		}
	}
	bounds := []int{0, min(100, len(found)), min(190, len(found)), len(found)}
	first, end := bounds[min(page, 3)], bounds[min(page+1, 3)]
	tasks := each(found[first:end], func(t clickupTask) object { return t.fields() })
	response := object{"tasks": tasks}
	if end == len(found) && page != 2 { // last_page is not always there
		response["last_page"] = true
	}
	c.showsIf(page == 1 && end-first < 100 && end < len(found), shortPage)
	c.showsIf(first < end && end < len(found) && found[end-1].created.Equal(found[end].created), tie)
	c.showsIf(len(tasks) > 0, oddValue)
	reply(rw, http.StatusOK, response)
	if page == 1 && !c.late { // a list that grows while it is read
		c.late = true
		c.add(400, "33", firstDay.Add(time.Minute))
	}
}

func (t clickupTask) fields() object {
	ms := func(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
	return object{
		"id": t.key(), "custom_id": nil, "name": "Úkol", "status": object{"status": "done", "type": "closed"}, "priority": nil,
		"date_created": ms(t.created), "date_updated": ms(t.updated), "date_closed": nil, "date_done": nil, "archived": t.archived,
		"creator": object{"id": 5}, "assignees": []any{object{"id": 6, "username": nil}}, "tags": t.tags, "parent": nil,
		"due_date": nil, "start_date": nil, "points": nil, "time_estimate": nil, "time_spent": 60000, "url": "https://app.clickup.com/t/" + t.key(),
		"team_id": clickupWorkspace(t.list), "list": object{"id": t.list, "name": "Name " + t.list}, "folder": object{"id": clickupFolder(t.list)}, "space": object{"id": "11"},
		"custom_fields": []any{
			object{"id": "f1", "name": "Budget", "type": "currency", "value": "9.50"},
			object{"id": "f2", "name": "Stages", "type": "labels", "value": []any{"x", "y"}},
			object{"id": "f3", "name": "Note", "type": "text"},
		},
	}
}

func (t clickupTask) key() string { return fmt.Sprintf("86a%03d", t.id) }

func (c *clickup) nextDay() {
	morning := firstDay.Add(20 * time.Hour)
	c.add(5, "33", morning)
	i := slices.IndexFunc(c.tasks, func(t clickupTask) bool { return t.id == 5 })
	c.tasks[i].tags = []any{} // its tags were removed
	c.add(9, "31", morning)
	c.tasks[9].archived = true
	c.add(401, "34", morning)
	c.removed, c.second = true, true
	c.tasks = slices.DeleteFunc(c.tasks, func(t clickupTask) bool { return t.id == 20 })
}

// expected: a task and its tags have the same read_at; tags that were removed have an older
// one. The row of a deleted task stays as the first run wrote it.
func (c *clickup) expected(day int) tables {
	want := tables{
		"workspaces": {{"id": "1", "name": "Acme"}},
		"users": {
			{"workspace_id": "1", "id": "5", "name": "Ann", "email": "ann@example.com", "role": "1", "last_active_ms": ""},
			{"workspace_id": "1", "id": "6", "name": "", "email": "bob@example.com", "role": "4", "last_active_ms": "1772431200000"},
		},
		"spaces":  {{"id": "11", "workspace_id": "1"}, {"id": "12"}, {"id": "13"}, {"id": "14", "workspace_id": "1", "archived": "1"}},
		"folders": {{"id": "21", "space_id": "11"}, {"id": "22"}, {"id": "23"}},
		"lists": {
			{"id": "31", "folder_id": "21", "space_id": "11", "archived": ""}, {"id": "32", "folder_id": "21", "archived": "1"},
			{"id": "33", "folder_id": "99", "space_id": "11", "archived": ""}, {"id": "34", "folder_id": "99", "archived": "1"},
			{"id": "37", "folder_id": "21", "archived": "1"}, {"id": "38", "folder_id": "99", "archived": "1"},
		},
	}
	if day == 2 {
		want.add("workspaces", row{"id": "2", "name": "New"})
		want.add("lists", row{"id": "35", "folder_id": "21", "archived": "1"}, row{"id": "36", "folder_id": "99", "archived": "1"})
	}
	readAt := c.started.Format("2006-01-02T15:04:05Z")
	for _, t := range c.tasks {
		isNew := slices.Contains([]string{"35", "36", "41"}, t.list) // only the second run finds its list
		if day == 1 && isNew || day == 2 && !isNew && t.updated.Before(firstDay.Add(-10*time.Minute)) {
			continue
		}
		id := t.key()
		want.add("tasks", row{
			"id": id, "list_id": t.list, "list": "Name " + t.list, "archived": map[bool]string{true: "1"}[t.archived], "workspace_id": clickupWorkspace(t.list),
			"updated_ms": strconv.FormatInt(t.updated.UnixMilli(), 10), "spent_ms": "60000", "priority": "", "read_at": readAt,
		})
		want.add("task_assignees", row{"task_id": id, "user_id": "6", "read_at": readAt})
		for _, tag := range t.tags {
			want.add("task_tags", row{"task_id": id, "tag": tag.(object)["name"].(string), "read_at": readAt})
		}
		want.add("task_fields",
			row{"task_id": id, "field_id": "f1", "value": "9.50"}, row{"task_id": id, "field_id": "f2", "value": `["x","y"]`}, row{"task_id": id, "field_id": "f3", "value": ""})
	}
	return want
}
