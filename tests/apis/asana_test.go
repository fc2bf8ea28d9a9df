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
// belong to several projects. Facts: https://developers.asana.com/docs/pagination,
// https://developers.asana.com/docs/rate-limits,
// https://developers.asana.com/reference/gettasks.
type asana struct {
	*world
	users, projects map[string][]string    // by workspace
	tasks           map[string][]asanaTask // by project
	offsets         map[string]time.Time   // until when they are valid
}

type asanaTask struct {
	gid      string
	modified time.Time
}

func newAsana(w *world) imitation {
	a := &asana{world: w, users: map[string][]string{}, projects: map[string][]string{}, tasks: map[string][]asanaTask{}, offsets: map[string]time.Time{}}
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
	a.tasks[project] = []asanaTask{}
	for t := range tasks { // the tasks of one project are also in the others
		a.tasks[project] = append(a.tasks[project], asanaTask{fmt.Sprint(40000 + t), firstDay.Add(-time.Duration(t+1) * time.Hour)})
	}
}

func (a *asana) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	query := r.URL.Query()
	path, found := strings.CutPrefix(r.URL.Path, "/api/1.0/")
	workspace := query.Get("workspace")
	switch {
	case r.Host != "app.asana.com" || !found || r.Method != http.MethodGet:
		a.refuse(rw, r, http.StatusNotFound, "no such address")
		return
	case r.Header.Get("Authorization") != "Bearer your-personal-access-token":
		a.refuse(rw, r, http.StatusUnauthorized, "Not Authorized")
		return
	}
	a.requests["all"]++
	switch a.requests["all"] {
	case 2, 7:
		rw.Header().Set("Retry-After", "30")
		reply(rw, http.StatusTooManyRequests, map[string]any{"errors": []any{map[string]any{"message": "You've made too many requests"}}})
		return
	case 5:
		reply(rw, http.StatusInternalServerError, map[string]any{"errors": []any{map[string]any{"message": "Server Error", "phrase": "6 sad squid snuggle softly"}}})
		return
	}
	items := []map[string]any{}
	switch {
	case path == "workspaces":
		items = append(items, map[string]any{"gid": "11", "name": "Empty", "resource_type": "workspace"}, map[string]any{"gid": "12", "name": "Full", "resource_type": "workspace"})
	case path == "users" && a.users[workspace] != nil:
		for _, gid := range a.users[workspace] {
			items = append(items, asanaFields(query.Get("opt_fields"), map[string]any{"gid": gid, "name": "User " + gid, "email": gid + "@example.com"}))
		}
	case path == "projects" && a.users[workspace] != nil:
		for _, gid := range a.projects[workspace] {
			items = append(items, asanaFields(query.Get("opt_fields"), map[string]any{"gid": gid, "name": "Project " + gid, "archived": false, "owner": map[string]any{"gid": "2001", "name": "User 2001"}, "team": nil}))
		}
	case path == "tasks" && a.tasks[query.Get("project")] != nil:
		since, err := time.Time{}, error(nil)
		if query.Has("modified_since") {
			since, err = time.Parse(time.RFC3339, query.Get("modified_since"))
		}
		if err != nil {
			a.refuse(rw, r, http.StatusBadRequest, "modified_since")
			return
		}
		for _, t := range a.tasks[query.Get("project")] {
			if !t.modified.Before(since) {
				items = append(items, asanaFields(query.Get("opt_fields"), map[string]any{"gid": t.gid, "name": "Task " + t.gid, "completed": false, "modified_at": t.modified.Format("2006-01-02T15:04:05.000Z"), "assignee": nil, "parent": nil, "custom_fields": []any{}}))
			}
		}
	default:
		a.refuse(rw, r, http.StatusBadRequest, "Missing input")
		return
	}
	a.page(rw, r, items)
}

// asanaFields keeps the gid, and the requested fields.
func asanaFields(names string, item map[string]any) map[string]any {
	kept := map[string]any{"gid": item["gid"]}
	for _, name := range strings.Split(names, ",") {
		name, _, _ = strings.Cut(name, ".")
		if v, ok := item[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

// page answers with some of the items. An offset is good for the same request only, and
// for ten minutes.
func (a *asana) page(rw http.ResponseWriter, r *http.Request, items []map[string]any) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	from, offset := 0, query.Get("offset")
	query.Del("offset")
	if offset != "" {
		gid, of, _ := strings.Cut(offset, ":")
		from = slices.IndexFunc(items, func(item map[string]any) bool { return item["gid"] == gid })
		if of != r.URL.Path+"?"+query.Encode() || a.Now().After(a.offsets[offset]) {
			from = -1
		}
	}
	if err != nil || limit < 1 || limit > 100 || from < 0 {
		a.refuse(rw, r, http.StatusBadRequest, "limit, or an offset that is unknown or has expired")
		return
	}
	to := min(from+limit, len(items))
	answer := map[string]any{"data": items[from:to], "next_page": nil}
	if to < len(items) {
		next := fmt.Sprint(items[to]["gid"], ":", r.URL.Path, "?", query.Encode())
		a.offsets[next] = a.Now().Add(10 * time.Minute)
		query.Set("offset", next)
		path := strings.TrimPrefix(r.URL.Path, "/api/1.0") + "?" + query.Encode()
		answer["next_page"] = map[string]any{"offset": next, "path": path, "uri": address(r.Host, "/api/1.0"+path)}
	}
	reply(rw, http.StatusOK, answer)
}

func (a *asana) nextDay() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks["3002"][90].modified = firstDay.Add(time.Hour)
	a.tasks["3003"][90].modified = firstDay.Add(time.Hour) // the same task
	a.tasks["3004"][9].modified = firstDay.Add(-time.Minute)
	a.tasks["3005"] = a.tasks["3005"][1:] // deleted
	a.addProject("12", "3900", 105)       // with tasks that are older
}

func (a *asana) expected(day int) tables {
	want := tables{"workspaces": {{"gid": "11"}, {"gid": "12", "name": "Full"}}}
	for _, workspace := range []string{"11", "12"} {
		for _, gid := range a.users[workspace] {
			want["users"] = append(want["users"], row{"workspace_gid": workspace, "gid": gid, "email": gid + "@example.com"})
		}
		for _, project := range a.projects[workspace] {
			want["projects"] = append(want["projects"], row{"gid": project, "workspace_gid": workspace, "owner_gid": "2001"})
			for _, t := range a.tasks[project] {
				if day == 1 || project == "3900" || !t.modified.Before(firstDay.Add(-5*time.Minute)) {
					want["tasks"] = append(want["tasks"], row{"project_gid": project, "gid": t.gid, "name": "Task " + t.gid})
				}
			}
		}
	}
	return want
}
