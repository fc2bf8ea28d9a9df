package apis

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// asana returns the fields that opt_fields names, and offsets that expire. A task may
// belong to several projects. Facts:
//   - pages: https://developers.asana.com/docs/pagination
//   - limits: https://developers.asana.com/docs/rate-limits
//   - subtasks are in no list of a project, and moving a task does not change modified_at:
//     https://github.com/Asana/openapi/blob/master/defs/asana_oas.yaml
type asana struct {
	*world
	users, projects map[string][]string  // by workspace
	tasks           map[string][]string  // by project
	offsets         map[string]time.Time // until when they are valid
	nextDays        bool
}

const (
	asanaArchived = "3002" // a project that is archived
	asanaGone     = "3005" // a project that is deleted after it was listed
	asanaGoneTask = "40007"
)

func newAsana(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "a list has only the projects and tasks that the user may read",
		tie:          "nothing is requested by time: each run reads everything",
		errorIn200:   "Asana reports every error by the status",
		expiredToken: "a personal access token does not expire",
	}
	a := &asana{world: w, users: map[string][]string{}, projects: map[string][]string{}, tasks: map[string][]string{}, offsets: map[string]time.Time{}}
	for i, workspace := range []string{"11", "12"} {
		for u := range 60 + 90*i { // most users belong to both
			a.users[workspace] = append(a.users[workspace], fmt.Sprint(2000+u))
		}
		for p := range 6 * i {
			a.addProject(workspace, fmt.Sprint(3000+p), p*50)
		}
	}
	return a
}

func (a *asana) addProject(workspace, project string, tasks int) {
	a.projects[workspace] = append(a.projects[workspace], project)
	a.tasks[project] = []string{}
	for t := range tasks { // the tasks of one project are also in the others
		a.tasks[project] = append(a.tasks[project], fmt.Sprint(40000+t))
	}
}

// subtasks are how many a task has: one in forty has two, and one of them three pages.
func (a *asana) subtasks(task string) int {
	n, _ := strconv.Atoi(task)
	switch {
	case n == 40040:
		return 230
	case n%40 == 7:
		return 2
	}
	return 0
}

func (a *asana) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, found := strings.CutPrefix(r.URL.Path, "/api/1.0/")
	a.refuseIf(r.Host != "app.asana.com" || !found || r.Method != http.MethodGet, "no such address")
	a.refuseIf(r.Header.Get("Authorization") != "Bearer your-personal-access-token", "Not Authorized")
	switch a.count("all") {
	case 2, 7:
		fail(rw, http.StatusTooManyRequests, object{"errors": []any{object{"message": "You've made too many requests"}}}, "Retry-After", "30")
	case 5:
		fail(rw, http.StatusInternalServerError, object{"errors": []any{object{"message": "Server Error", "phrase": "6 sad squid snuggle softly"}}})
	}
	query := r.URL.Query()
	fields := query.Get("opt_fields")
	parts := strings.Split(path, "/")
	items := []object{}
	switch workspace, project := query.Get("workspace"), query.Get("project"); {
	case path == "workspaces":
		items = append(items, object{"gid": "11", "name": "Empty", "resource_type": "workspace"}, object{"gid": "12", "name": "Full", "resource_type": "workspace"})
	case path == "users" && a.users[workspace] != nil:
		for _, gid := range a.users[workspace] {
			items = append(items, asanaFields(fields, object{"gid": gid, "name": "User " + gid, "email": gid + "@example.com"}))
		}
	case path == "projects" && a.users[workspace] != nil:
		for _, gid := range a.projects[workspace] {
			a.showsIf(gid == asanaArchived, archived)
			items = append(items, asanaFields(fields, object{"gid": gid, "name": "Project " + gid, "archived": gid == asanaArchived, "owner": object{"gid": "2001", "name": "User 2001"}, "team": nil}))
		}
	case path == "tasks" && a.tasks[project] != nil && project != asanaGone:
		// it lacks a task that it had
		a.showsIf(a.nextDays && project == "3004", deleted)
		for _, gid := range a.tasks[project] {
			items = append(items, a.task(fields, gid, project))
		}
	case len(parts) == 3 && parts[2] == "sections" && a.tasks[parts[1]] != nil && parts[1] != asanaGone:
		for i := range 2 {
			items = append(items, asanaFields(fields, object{"gid": parts[1] + fmt.Sprint(i), "name": "Section " + fmt.Sprint(i)}))
		}
	case len(parts) == 3 && parts[2] == "subtasks" && a.subtasks(parts[1]) == 0:
		a.refuse("num_subtasks of the task is 0")
	case len(parts) == 3 && parts[2] == "subtasks" && parts[1] != asanaGoneTask:
		for i := range a.subtasks(parts[1]) {
			items = append(items, a.task(fields, fmt.Sprint(parts[1], "00", i), ""))
		}
	case project == asanaGone || len(parts) == 3: // deleted since it was listed
		a.shows(missingParent)
		fail(rw, http.StatusNotFound, object{"errors": []any{object{"message": "Unknown object", "help": "For more information on API status codes and how to handle them, read the docs on errors"}}})
	default:
		a.refuse("Missing input")
	}
	a.page(rw, r, items)
}

// task is a task with the requested fields. Tasks of a free workspace have no custom fields.
func (a *asana) task(fields, gid, project string) object {
	a.shows(oddValue) // no one is assigned
	task := object{
		"gid": gid, "name": "Task " + gid, "resource_subtype": "default_task", "completed": false, "assignee": nil, "num_subtasks": a.subtasks(gid),
		"memberships":   []any{object{"project": object{"gid": project}, "section": object{"gid": project + "0"}}},
		"custom_fields": []any{},
	}
	if strings.HasSuffix(gid, "3") {
		a.shows(absentKey)
		delete(task, "custom_fields")
	}
	return asanaFields(fields, task)
}

func asanaFields(names string, item object) object {
	kept := object{"gid": item["gid"]}
	for _, name := range strings.Split(names, ",") {
		name, _, _ = strings.Cut(name, ".")
		if v, ok := item[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

// page responds with some of the items. An offset is good for the same request only, and
// for ten minutes.
func (a *asana) page(rw http.ResponseWriter, r *http.Request, items []object) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	from, offset := 0, query.Get("offset")
	query.Del("offset")
	if offset != "" {
		gid, of, _ := strings.Cut(offset, ":")
		from = slices.IndexFunc(items, func(item object) bool { return item["gid"] == gid })
		if of != r.URL.Path+"?"+query.Encode() || a.Now().After(a.offsets[offset]) {
			from = -1
		}
	}
	a.refuseIf(err != nil || limit < 1 || limit > 100 || from < 0,
		"limit, or an offset that is unknown or has expired")
	to := min(from+limit, len(items))
	if r.URL.Path == "/api/1.0/tasks" && from == 0 && to < len(items) { // a page may have fewer items
		a.shows(shortPage)
		to -= 7
	}
	response := object{"data": items[from:to], "next_page": nil}
	if to < len(items) {
		next := fmt.Sprint(items[to]["gid"], ":", r.URL.Path, "?", query.Encode())
		a.offsets[next] = a.Now().Add(10 * time.Minute)
		query.Set("offset", next)
		path := strings.TrimPrefix(r.URL.Path, "/api/1.0") + "?" + query.Encode()
		response["next_page"] = object{"offset": next, "path": path, "uri": address(r.Host, "/api/1.0"+path)}
	}
	reply(rw, http.StatusOK, response)
}

func (a *asana) nextDay() {
	a.nextDays = true
	a.tasks["3004"] = a.tasks["3004"][1:]              // deleted
	a.tasks["3000"] = append(a.tasks["3000"], "40120") // moved here, without a change of modified_at
	a.addProject("12", "3900", 105)
}

func (a *asana) expected(int) tables {
	want := tables{"workspaces": {{"gid": "11"}, {"gid": "12", "name": "Full"}}}
	for _, workspace := range []string{"11", "12"} {
		for _, gid := range a.users[workspace] {
			want.add("users", row{"workspace_gid": workspace, "gid": gid, "email": gid + "@example.com"})
		}
		for _, project := range a.projects[workspace] {
			inArchive := map[bool]string{true: "1"}[project == asanaArchived]
			want.add("projects", row{"gid": project, "workspace_gid": workspace, "owner_gid": "2001", "archived": inArchive})
			if project == asanaGone {
				continue
			}
			for i := range 2 {
				want.add("sections", row{"gid": project + fmt.Sprint(i), "project_gid": project, "name": "Section " + fmt.Sprint(i)})
			}
			for _, gid := range a.tasks[project] {
				want.add("tasks", row{"project_gid": project, "gid": gid, "name": "Task " + gid, "type": "default_task", "assignee_gid": "", "memberships": fmt.Sprintf(`[{"project":{"gid":"%s"},"section":{"gid":"%s0"}}]`, project, project)})
				if gid == asanaGoneTask {
					continue
				}
				for i := range a.subtasks(gid) {
					sub := fmt.Sprint(gid, "00", i)
					want.add("subtasks", row{"project_gid": project, "parent_gid": gid, "gid": sub, "name": "Task " + sub})
				}
			}
		}
	}
	return want
}
