package apis

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// gitlab lists by page numbers, which only the header Link leads to. Facts:
// https://docs.gitlab.com/api/rest/, https://docs.gitlab.com/api/issues/,
// https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/.
type gitlab struct {
	*world
	lists map[string][]gitlabObject // in the order of their creation
	late  bool
}

type gitlabObject struct {
	id      int
	changed time.Time
	fields  map[string]any
}

func newGitLab(w *world) imitation {
	g := &gitlab{world: w, lists: map[string][]gitlabObject{}}
	for i := range 101 {
		g.add("projects", i+1, firstDay)
	}
	for i := range 230 {
		g.add("issues", i+1, firstDay.Add(time.Duration(i-500)*time.Hour))
	}
	g.add("issues", 231, firstDay.Add(-5*time.Minute)) // the clock of the run may be ahead
	for i := range 200 {                               // two full pages
		g.add("merge_requests", i+1, firstDay.Add(time.Duration(i-500)*time.Hour))
	}
	return g
}

// add adds an object to a list, or replaces the one with this id.
func (g *gitlab) add(list string, id int, changed time.Time) {
	at := changed.Format("2006-01-02T15:04:05.000Z")
	o := gitlabObject{id, changed, map[string]any{
		"id": id, "iid": id, "project_id": 1, "updated_at": at, "title": "Číslo " + strconv.Itoa(id),
		"path_with_namespace": "your-group/p" + strconv.Itoa(id), "author": map[string]any{"username": "ann"},
		"labels": []string{"bug", "next"}[:id%3%2], "assignees": []any{map[string]any{"id": 7, "username": "bob"}}[:id%2],
	}}
	if i := slices.IndexFunc(g.lists[list], func(x gitlabObject) bool { return x.id == id }); i >= 0 {
		g.lists[list][i] = o
		return
	}
	g.lists[list] = append(g.lists[list], o)
}

func (g *gitlab) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	const prefix = "/api/v4/groups/your-group%2Fbackend/"
	query, path := r.URL.Query(), r.URL.EscapedPath()
	name := ""
	if len(path) > len(prefix) && path[:len(prefix)] == prefix {
		name = path[len(prefix):]
	}
	perPage, err := strconv.Atoi(query.Get("per_page"))
	switch {
	case r.Host != "gitlab.com" || g.lists[name] == nil:
		g.refuse(rw, r, http.StatusNotFound, "404 Group Not Found")
		return
	case r.Header.Get("PRIVATE-TOKEN") != "your-access-token":
		g.refuse(rw, r, http.StatusUnauthorized, "401 Unauthorized")
		return
	case err != nil || perPage < 1 || perPage > 100 || query.Get("sort") != "asc":
		g.refuse(rw, r, http.StatusBadRequest, "per_page or sort")
		return
	case name == "projects" && (query.Get("order_by") != "id" || query.Get("include_subgroups") != "true"):
		g.refuse(rw, r, http.StatusBadRequest, "projects of subgroups by id")
		return
	case name != "projects" && (query.Get("order_by") != "created_at" || query.Get("scope") != "all" || query.Get("state") != "all"):
		g.refuse(rw, r, http.StatusBadRequest, "all items by their creation")
		return
	}
	g.requests[name]++
	if g.requests[name] == 2 {
		rw.Header().Set("Retry-After", "30")
		rw.Header().Set("RateLimit-Remaining", "0")
		rw.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintln(rw, "Retry later")
		return
	}
	objects := g.lists[name]
	if text := query.Get("updated_after"); text != "" {
		after, err := time.Parse(time.RFC3339, text)
		if err != nil || name == "projects" {
			g.refuse(rw, r, http.StatusBadRequest, "updated_after is invalid")
			return
		}
		objects = slices.DeleteFunc(slices.Clone(objects), func(o gitlabObject) bool { return o.changed.Before(after) })
	}
	page := 1
	if text := query.Get("page"); text != "" {
		page, _ = strconv.Atoi(text)
	}
	items := []any{}
	for _, o := range objects[min(len(objects), (page-1)*perPage):min(len(objects), page*perPage)] {
		items = append(items, o.fields)
	}
	link := func(rel string, page int) string {
		next, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			g.Errorf("%s: %v", r.URL, err)
		}
		next.Set("page", strconv.Itoa(page))
		return fmt.Sprintf(`<%s?%s>; rel="%s"`, address(r.Host, path), next.Encode(), rel)
	}
	links := link("first", 1)
	if page*perPage < len(objects) {
		links = link("next", page+1) + ", " + links
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
	g.mu.Lock()
	defer g.mu.Unlock()
	morning := firstDay.Add(20 * time.Hour)
	g.add("projects", 102, morning)
	g.add("issues", 5, morning)
	g.add("issues", 301, morning)
	g.lists["issues"] = slices.DeleteFunc(g.lists["issues"], func(o gitlabObject) bool { return o.id == 20 })
	g.add("merge_requests", 7, morning)
}

func (g *gitlab) expected(day int) tables {
	want := tables{}
	for name, list := range g.lists {
		for _, o := range list {
			if day == 2 && name != "projects" && o.changed.Before(firstDay.Add(-10*time.Minute)) {
				continue
			}
			id := strconv.Itoa(o.id)
			r := row{"id": id}
			if name != "projects" {
				r["title"], r["author"], r["labels"] = "Číslo "+id, "ann", []string{`[]`, `["bug"]`}[o.id%3%2]
			}
			if name == "issues" && (day == 2 || o.id != 10) { // the first run saw it before its change
				r["updated_at"] = o.fields["updated_at"].(string)
			}
			want[name] = append(want[name], r)
			if name == "issues" && o.id%2 == 1 {
				want["issue_assignees"] = append(want["issue_assignees"], row{"issue_id": id, "user_id": "7", "username": "bob"})
			}
		}
	}
	return want
}
