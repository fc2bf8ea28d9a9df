package apis

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// github lists by page numbers, and links to the next page by the id of the repository.
// It limits requests by an hourly quota and by a secondary limit. Facts:
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
// https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api.
type github struct {
	*world
	repositories []string                  // the id of a repository is its index
	lists        map[string][]githubObject // in the order of their creation
	sent         int
	limited      time.Time // requests are refused until then
	late         bool
}

type githubObject struct {
	id      int
	changed time.Time
	fields  map[string]any
}

// githubStart is when the oldest objects were made, one each hour.
var githubStart = firstDay.Add(-300 * time.Hour)

func newGitHub(w *world) imitation {
	g := &github{world: w, repositories: []string{"api", "docs", "empty"}, lists: map[string][]githubObject{}}
	for i := range 230 {
		g.add("api/issues", i, githubStart.Add(time.Duration(i)*time.Hour))
		if i%2 == 0 {
			g.add("api/pulls", i, githubStart.Add(time.Duration(i)*time.Hour))
		}
	}
	g.add("api/issues", 230, firstDay.Add(-5*time.Minute)) // the clock of the run may be ahead
	for i := range 205 {
		g.add("api/commits", i, githubStart.Add(time.Duration(i)*time.Hour))
	}
	for i := range 100 { // exactly one page
		g.add("docs/issues", 1000+i, githubStart)
	}
	g.add("docs/commits", 1000, githubStart)
	return g
}

// add adds an object to a list, or replaces the one with this id.
func (g *github) add(list string, id int, changed time.Time) {
	at := changed.Format(time.RFC3339)
	o := githubObject{id, changed, map[string]any{"id": id, "number": id + 1, "state": "open", "updated_at": at}}
	switch list[strings.Index(list, "/")+1:] {
	case "commits":
		person := map[string]any{"email": "ann@example.com", "date": at}
		o.fields = map[string]any{"sha": githubSHA(id), "author": nil, "commit": map[string]any{"author": person, "committer": person, "message": "Change"}}
	case "issues":
		o.fields["user"] = map[string]any{"login": "ann"}
		o.fields["labels"] = []any{map[string]any{"id": 1, "name": "bug"}, map[string]any{"id": 2, "name": "late"}}[:id%3]
		if id%2 == 0 {
			o.fields["pull_request"] = map[string]any{"url": "https://api.github.com/pull"}
		}
	case "pulls":
		o.fields["user"] = nil // the account is deleted
		o.fields["head"], o.fields["base"] = map[string]any{"ref": "fix"}, map[string]any{"ref": "main"}
	}
	if i := slices.IndexFunc(g.lists[list], func(x githubObject) bool { return x.id == id }); i >= 0 {
		g.lists[list][i] = o
		return
	}
	g.lists[list] = append(g.lists[list], o)
}

// githubNumber is the number in a text, 0 without one.
func githubNumber(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func githubSHA(id int) string { return fmt.Sprintf("%040x", id) }

func (g *github) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case r.Host != "api.github.com" || r.Method != http.MethodGet:
		g.refuse(rw, r, http.StatusNotFound, "wrong host or method")
	case r.Header.Get("Authorization") != "Bearer your-access-token":
		g.refuse(rw, r, http.StatusUnauthorized, "Bad credentials")
	case r.Header.Get("User-Agent") == "":
		g.refuse(rw, r, http.StatusForbidden, "Request forbidden by administrative rules")
	case r.Header.Get("X-GitHub-Api-Version") != "2022-11-28" || r.Header.Get("Accept") != "application/vnd.github+json":
		g.refuse(rw, r, http.StatusBadRequest, "wrong version or media type")
	case g.limits(rw):
	default:
		g.list(rw, r)
	}
}

// limits refuses some requests, and all until the time that the answer names.
func (g *github) limits(rw http.ResponseWriter) bool {
	refuse := func(status int, message string) bool {
		reply(rw, status, map[string]any{"message": message})
		return true
	}
	if left := g.limited.Sub(g.Now()); left > 0 {
		rw.Header().Set("Retry-After", strconv.Itoa(int(left/time.Second)+1))
		return refuse(http.StatusForbidden, "You have exceeded a secondary rate limit")
	}
	g.sent++
	switch g.sent {
	case 3: // the quota of the hour is used up
		g.limited = g.Now().Add(55 * time.Minute)
		rw.Header().Set("X-RateLimit-Remaining", "0")
		rw.Header().Set("X-RateLimit-Reset", strconv.FormatInt(g.limited.Unix(), 10))
		return refuse(http.StatusForbidden, "API rate limit exceeded")
	case 5:
		g.limited = g.Now().Add(30 * time.Second)
		rw.Header().Set("Retry-After", "30")
		return refuse(http.StatusTooManyRequests, "You have exceeded a secondary rate limit")
	case 7: // does not say how long
		return refuse(http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
	}
	rw.Header().Set("X-RateLimit-Remaining", "4000")
	return false
}

// list answers with a page.
func (g *github) list(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	perPage, err := strconv.Atoi(query.Get("per_page"))
	if err != nil || perPage < 1 || perPage > 100 {
		g.refuse(rw, r, http.StatusUnprocessableEntity, "per_page must be from 1 to 100")
		return
	}
	if r.URL.Path == "/orgs/your-organization/repos" {
		page := []any{}
		for id, name := range g.repositories {
			page = append(page, map[string]any{"id": id, "full_name": "acme/" + name, "private": true, "default_branch": "main"})
		}
		reply(rw, http.StatusOK, page)
		return
	}
	name, kind := g.repository(r.URL.Path)
	objects := g.lists[name+"/"+kind]
	known := map[string][]string{"issues": {"since", "state", "sort", "direction"}, "pulls": {"state", "sort", "direction"}, "commits": {"since"}}[kind]
	for parameter := range query {
		if known == nil || !slices.Contains(append(known, "page", "per_page"), parameter) {
			g.refuse(rw, r, http.StatusNotFound, "no such list or parameter: "+parameter)
			return
		}
	}
	switch {
	case kind == "commits" && len(objects) == 0:
		reply(rw, http.StatusConflict, map[string]any{"message": "Git Repository is empty."})
		return
	case kind != "commits" && (query.Get("state") != "all" || query.Get("sort") != "created" || query.Get("direction") != "asc"):
		g.refuse(rw, r, http.StatusUnprocessableEntity, "only open items, the newest first: pages would change while they are read")
		return
	}
	if since := query.Get("since"); since != "" {
		after, err := time.Parse("2006-01-02T15:04:05Z", since)
		if err != nil || after.Year() < 1971 {
			g.refuse(rw, r, http.StatusUnprocessableEntity, "wrong since")
			return
		}
		objects = slices.DeleteFunc(slices.Clone(objects), func(o githubObject) bool { return o.changed.Before(after) })
	}
	if kind == "commits" { // newest first
		objects = slices.Clone(objects)
		slices.Reverse(objects)
	}
	page := max(1, githubNumber(query.Get("page")))
	items := []any{}
	for _, o := range objects[min(len(objects), (page-1)*perPage):min(len(objects), page*perPage)] {
		items = append(items, o.fields)
	}
	if page*perPage < len(objects) {
		next := url.Values{}
		for name, values := range query {
			next[name] = values
		}
		next.Set("page", strconv.Itoa(page+1))
		path := fmt.Sprintf("/repositories/%d/%s?", slices.Index(g.repositories, name), kind)
		rw.Header().Set("Link", fmt.Sprintf(`<%s>; rel="prev", <%s>; rel="next"`, address(r.Host, path), address(r.Host, path+next.Encode())))
	}
	reply(rw, http.StatusOK, items)
	if name == "api" && kind == "issues" && page == 2 && !g.late { // a list that grows while it is read
		g.late = true
		g.add("api/issues", 900, firstDay.Add(time.Minute))
	}
}

// repository returns the name of a repository and what is listed of it, for both forms
// of a path.
func (g *github) repository(path string) (name, kind string) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) == 4 && parts[0] == "repos" && parts[1] == "acme" && slices.Contains(g.repositories, parts[2]):
		return parts[2], parts[3]
	case len(parts) == 3 && parts[0] == "repositories":
		return g.repositories[githubNumber(parts[1])], parts[2]
	}
	return "", ""
}

func (g *github) nextDay() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent = 0
	morning := firstDay.Add(20 * time.Hour)
	g.add("api/issues", 5, morning) // changed
	g.add("api/issues", 901, morning)
	g.add("api/pulls", 901, morning)
	g.add("api/commits", 901, morning)
	g.add("api/commits", 902, githubStart.Add(140*time.Hour))  // committed five days before it was pushed
	g.add("empty/commits", 903, githubStart.AddDate(-1, 0, 0)) // a history that was made elsewhere
	g.lists["docs/issues"] = slices.Delete(g.lists["docs/issues"], 3, 4)
	g.repositories = append(g.repositories, "new")
	g.add("new/issues", 2000, githubStart)
	g.add("new/commits", 2000, githubStart)
}

func (g *github) expected(day int) tables {
	want := tables{}
	for id, name := range g.repositories {
		want["repositories"] = append(want["repositories"], row{"id": strconv.Itoa(id), "full_name": "acme/" + name})
	}
	for list, objects := range g.lists {
		name, kind, _ := strings.Cut(list, "/")
		for _, o := range objects {
			id := strconv.Itoa(o.id)
			since := map[string]time.Time{"issues": firstDay.Add(-10 * time.Minute), "commits": firstDay.AddDate(0, 0, -7)}[kind]
			if day == 2 && name != "new" && name != "empty" && o.changed.Before(since) {
				continue
			}
			switch kind {
			case "commits":
				want["commits"] = append(want["commits"], row{"repository": "acme/" + name, "sha": githubSHA(o.id), "author": "", "author_email": "ann@example.com"})
			case "pulls":
				want["pull_requests"] = append(want["pull_requests"], row{"id": id, "repository": "acme/" + name, "author": "", "head_branch": "fix"})
			case "issues":
				want["issues"] = append(want["issues"], row{"id": id, "repository": "acme/" + name, "author": "ann", "updated_at": o.fields["updated_at"].(string)})
				for label := range o.id % 3 {
					want["issue_labels"] = append(want["issue_labels"], row{"issue_id": id, "id": strconv.Itoa(label + 1)})
				}
			}
		}
	}
	return want
}
