package apis

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gitlab lists by page numbers, which only the header Link leads to. Lists of a group leave out
// archived projects unless non_archived is false. Equal times are in the order of their ids, the
// newest first. A project may have no pipelines for the token.
type gitlab struct {
	*world
	lists   map[string][]gitlabObject // in the order of their creation
	removed bool                      // an issue was deleted
	started time.Time                 // when the run began
	late    bool
}

type gitlabObject struct {
	id      int
	changed time.Time
	fields  object
}

const (
	// gitlabArchived is a project in the archive.
	gitlabArchived = 2
	// gitlabNoCI is a project without CI/CD, and gitlabGone one that was deleted after it
	// was listed.
	gitlabNoCI, gitlabGone = 3, 4
)

func newGitLab(w *world) mockServer {
	w.notShown = map[condition]string{
		errorIn200:   "the REST API reports errors by their status only",
		expiredToken: "no request renews an access token: if it ends, the run fails with the status 401",
	}
	g := &gitlab{world: w, lists: map[string][]gitlabObject{}}
	for i := range 101 {
		g.add("projects", i+1, firstDay)
	}
	for i := range 230 {
		g.add("issues", i+1, firstDay.Add(time.Duration(i-500)*time.Hour))
	}
	g.add("issues", 231, firstDay.Add(-5*time.Minute)) // the clock of the run may be ahead
	for i := range 200 {                               // two full pages
		g.add("merge_requests", i+1, firstDay.Add(-500*time.Hour))
	}
	g.add("merge_requests", 200, firstDay.Add(-5*time.Minute))
	for i := range 130 {
		g.add("projects/1/pipelines", i+1, firstDay.Add(time.Duration(i-500)*time.Hour))
	}
	g.add("projects/1/pipelines", 131, firstDay.Add(-5*time.Minute))
	return g
}

func (g *gitlab) add(list string, id int, changed time.Time) {
	at := changed.Format("2006-01-02T15:04:05.000Z")
	person := object{"id": 7, "username": "bob", "name": "Bob"}
	o := gitlabObject{id, changed, object{
		"id": id, "iid": id, "project_id": 1 + id%10/9, // every tenth is in the archived project
		"updated_at": at, "title": "Číslo " + strconv.Itoa(id),
		"path_with_namespace": "your-group/p" + strconv.Itoa(id), "archived": id == gitlabArchived, "status": "success",
		"author": object{"id": 5, "username": "ann", "name": "Ann"}, "issue_type": "issue", "confidential": id%10 == 0,
		"labels": []string{"bug", "next"}[:id%3%2], "assignees": []any{person}[:id%2], "reviewers": []any{person}[:id%2],
		"milestone": nil, "merged_at": nil, "due_date": nil, "time_stats": object{"time_estimate": 0, "total_time_spent": 60},
	}}
	if id%2 == 0 { // a paid edition
		o.fields["weight"] = nil
	}
	if id%4 == 0 {
		o.fields["merge_user"] = person
	}
	g.lists[list] = put(g.lists[list], o, func(x gitlabObject) bool { return x.id == id })
}

func (g *gitlab) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	const prefix = "/api/v4/groups/your-group%2Fbackend/"
	query, path := r.URL.Query(), r.URL.EscapedPath()
	name := ""
	if list, ok := strings.CutPrefix(path, prefix); ok && !strings.Contains(list, "/") {
		name = list
	} else if project, ok := strings.CutPrefix(path, "/api/v4/projects/"); ok && strings.HasSuffix(path, "/pipelines") {
		name = "projects/" + project
	}
	pipelines := strings.HasSuffix(name, "/pipelines")
	perPage, err := strconv.Atoi(query.Get("per_page"))
	g.refuseIf(r.Host != "gitlab.com" || g.lists[name] == nil && !pipelines, "404 Group Not Found")
	g.refuseIf(r.Header.Get("PRIVATE-TOKEN") != "your-access-token", "401 Unauthorized")
	g.refuseIf(err != nil || perPage < 1 || perPage > 100 || query.Get("sort") != "asc", "per_page or sort")
	g.refuseIf((name == "projects" || pipelines) && query.Get("order_by") != "id" ||
		name == "projects" && (query.Get("include_subgroups") != "true" || query.Get("with_shared") != "false"),
		"projects of subgroups by id, and none of other groups")
	g.refuseIf((name == "issues" || name == "merge_requests") && (query.Get("order_by") != "created_at" || query.Get("scope") != "all" || query.Get("state") != "all"),
		"all items by their creation")
	g.requests[name]++
	if name == "projects" && query.Get("page") == "" {
		g.started = g.Now()
	}
	switch {
	case g.requests[name] == 2 && !pipelines:
		rw.Header().Set("Retry-After", "30")
		rw.Header().Set("RateLimit-Remaining", "0")
		rw.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintln(rw, "Retry later")
		return
	case name == fmt.Sprintf("projects/%d/pipelines", gitlabNoCI):
		g.shows(forbidden)
		fail(rw, http.StatusForbidden, object{"message": "403 Forbidden"})
	case name == fmt.Sprintf("projects/%d/pipelines", gitlabGone):
		g.shows(missingParent)
		fail(rw, http.StatusNotFound, object{"message": "404 Project Not Found"})
	}
	g.list(rw, r, name, perPage)
}

func (g *gitlab) list(rw http.ResponseWriter, r *http.Request, name string, perPage int) {
	query := r.URL.Query()
	objects := slices.Clone(g.lists[name])
	if name == "issues" || name == "merge_requests" {
		if query.Get("non_archived") != "false" {
			objects = slices.DeleteFunc(objects, func(o gitlabObject) bool { return o.fields["project_id"] == gitlabArchived })
		} else {
			g.shows(archived)
		}
	}
	if text := query.Get("updated_after"); text != "" {
		after, err := time.Parse(time.RFC3339, text)
		g.refuseIf(err != nil || name == "projects", "updated_after is invalid")
		objects = slices.DeleteFunc(objects, func(o gitlabObject) bool { return o.changed.Before(after) })
	}
	page := 1
	if text := query.Get("page"); text != "" {
		page, _ = strconv.Atoi(text)
	}
	if strings.HasSuffix(name, "/pipelines") { // only Link says which page is the last one
		perPage--
	}
	first, end := min(len(objects), (page-1)*perPage), min(len(objects), page*perPage)
	items := each(objects[first:end], func(o gitlabObject) object { return o.fields })
	link := func(rel string, page int) string {
		next := r.URL.Query()
		next.Set("page", strconv.Itoa(page))
		return fmt.Sprintf(`<%s?%s>; rel="%s"`, address(r.Host, r.URL.EscapedPath()), next.Encode(), rel)
	}
	links := link("first", 1)
	if end < len(objects) {
		links = link("next", page+1) + ", " + links
		g.showsIf(strings.HasSuffix(name, "/pipelines"), shortPage)
		g.showsIf(objects[end-1].changed.Equal(objects[end].changed) && name == "merge_requests", tie)
	}
	if name == "issues" {
		g.shows(absentKey, oddValue)
		g.showsIf(g.removed, deleted)
	}
	rw.Header().Set("Link", links)
	reply(rw, http.StatusOK, items)
	if name == "issues" && page == 2 && !g.late { // a list that changes while it is read
		g.late = true
		g.add("issues", 300, firstDay.Add(time.Minute))
		g.add("issues", 10, firstDay.Add(time.Minute)) // it was on the first page
	}
}

func (g *gitlab) nextDay() {
	morning := firstDay.Add(20 * time.Hour)
	g.add("projects", 102, morning)
	g.add("projects/102/pipelines", 900, firstDay.AddDate(-1, 0, 0)) // the project came from elsewhere
	g.add("projects/1/pipelines", 5, morning)
	g.add("issues", 5, morning)
	i := slices.IndexFunc(g.lists["issues"], func(o gitlabObject) bool { return o.id == 5 })
	g.lists["issues"][i].fields["assignees"] = []any{}
	g.add("issues", 301, morning)
	g.removed = true
	g.lists["issues"] = slices.DeleteFunc(g.lists["issues"], func(o gitlabObject) bool { return o.id == 20 })
	g.add("merge_requests", 7, morning)
}

// expected: an issue and its assignees have the same read_at; assignees that were removed
// have an older one. The row of a deleted issue stays as the first run wrote it.
func (g *gitlab) expected(day int) tables {
	want := tables{}
	readAt := g.started.Format("2006-01-02T15:04:05Z")
	for name, list := range g.lists {
		for _, o := range list {
			if day == 2 && name != "projects" && name != "projects/102/pipelines" && o.changed.Before(firstDay.Add(-10*time.Minute)) {
				continue
			}
			id := strconv.Itoa(o.id)
			r := row{"id": id}
			person := row{"user_id": "7", "username": "bob", "name": "Bob", "read_at": readAt}
			switch name {
			case "projects":
				r["archived"] = map[bool]string{true: "1"}[o.id == gitlabArchived]
			case "issues", "merge_requests":
				maps.Copy(r, row{"title": "Číslo " + id, "author": "ann", "author_name": "Ann", "labels": []string{`[]`, `["bug"]`}[o.id%3%2], "read_at": readAt, "milestone": ""})
			}
			switch name {
			case "issues":
				r["weight"], r["spent_seconds"] = "", "60"
				if day == 2 || o.id != 10 { // the first run saw it before its change
					r["updated_at"] = o.fields["updated_at"].(string)
				}
				if len(o.fields["assignees"].([]any)) > 0 {
					person["issue_id"] = id
					want.add("issue_assignees", person)
				}
			case "merge_requests":
				r["merged_by"] = []string{"bob", "", "", ""}[o.id%4]
				if o.id%2 == 1 {
					person["merge_request_id"] = id
					want.add("merge_request_reviewers", person)
				}
			}
			table := name
			if strings.HasSuffix(name, "/pipelines") {
				table = "pipelines"
			}
			want.add(table, r)
		}
	}
	return want
}
