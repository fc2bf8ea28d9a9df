package apis

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// github lists by page numbers, and links to the next page by the id of the repository. It limits
// requests by an hourly quota and by a secondary limit. A repository without pull requests has no
// such list, and one without them and without issues no list of issues and comments either.
type github struct {
	*world
	repositories []string                  // the id of a repository is its index
	lists        map[string][]githubObject // in the order of their creation
	gone         map[string]bool           // objects that runs have read, and that are deleted now
	started      time.Time                 // when the run began
	sent         int
	limit        githubLimit
	late         bool
}

type githubObject struct {
	id      int
	changed time.Time
	fields  object
}

// githubLimit is a limit that refuses all requests until its end.
type githubLimit struct {
	end     time.Time
	status  int
	headers map[string]string
	message string
}

// githubStart is when the oldest objects were made, one each hour.
var githubStart = firstDay.Add(-300 * time.Hour)

// githubSettings are what the list of repositories says of some of them.
var githubSettings = map[string]object{
	"docs":  {"archived": true, "has_issues": false},           // older servers do not name has_pull_requests
	"board": {"has_issues": true, "has_pull_requests": false},  // issues only
	"dump":  {"has_issues": false, "has_pull_requests": false}, // neither
	"fixes": {"has_issues": false, "has_pull_requests": true},  // the pull requests are issues
	"empty": {"has_issues": true, "has_pull_requests": true},   // no commit yet
	"gone":  {"has_issues": true, "has_pull_requests": true},   // deleted after it was listed
	"bad":   {"has_issues": true, "has_pull_requests": true},   // blocked by GitHub
	"api":   {"has_issues": true, "has_pull_requests": true, "description": nil},
	"new":   {"has_issues": true, "has_pull_requests": true},
}

func newGitHub(w *world) mockServer {
	w.notShown = map[condition]string{
		errorIn200:   "the REST API reports errors by their status only",
		expiredToken: "no request renews a personal access token: if it ends, the run fails with the status 401",
	}
	g := &github{
		world: w, lists: map[string][]githubObject{}, gone: map[string]bool{},
		repositories: []string{"api", "docs", "empty", "board", "dump", "fixes", "gone", "bad"},
	}
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
	for i := range 130 { // equal times on both sides of the border of two pages
		g.add("docs/issues", 1000+i, githubStart)
	}
	for i := range 100 { // exactly one page
		g.add("docs/comments", 1000+i, githubStart)
	}
	g.add("api/comments", 230, firstDay.Add(-5*time.Minute))
	g.add("docs/pulls", 1000, githubStart)
	g.add("docs/commits", 1000, githubStart)
	g.add("board/issues", 3000, githubStart)
	g.add("board/commits", 3000, githubStart)
	g.add("fixes/issues", 3010, githubStart)
	g.add("fixes/pulls", 3010, githubStart)
	g.add("fixes/commits", 1000, githubStart) // a fork has the commits of its source
	return g
}

func (g *github) add(list string, id int, changed time.Time) {
	at := changed.Format(time.RFC3339)
	o := githubObject{id, changed, object{"id": id, "number": id + 1, "state": "open", "updated_at": at}}
	switch list[strings.Index(list, "/")+1:] {
	case "commits":
		person := object{"email": "ann@example.com", "date": at}
		o.fields = object{"sha": githubSHA(id), "author": nil, "commit": object{"author": person, "committer": person, "message": "Change"}}
		if id%2 == 0 {
			o.fields["author"] = object{} // the schema has an empty object, too
		}
	case "issues":
		o.fields["user"], o.fields["state_reason"] = object{"login": "ann"}, nil
		o.fields["labels"], o.fields["assignees"] = githubLabels(id), []any{}
		if id%2 == 0 {
			o.fields["pull_request"] = object{"url": "https://api.github.com/pull"}
			o.fields["milestone"] = nil
		} else {
			o.fields["assignees"] = []any{object{"id": 7, "login": "ann"}, object{"id": 8, "login": "bob"}}
			o.fields["type"], o.fields["milestone"] = object{"name": "Bug"}, object{"title": "May"}
		}
	case "comments":
		o.fields = object{"id": id, "user": nil, "body": "", "issue_url": "https://api.github.com/issue", "created_at": at, "updated_at": at}
	case "pulls":
		o.fields["user"] = nil // the account is deleted
		o.fields["head"], o.fields["base"] = object{"ref": "fix", "repo": nil}, object{"ref": "main"}
	}
	g.lists[list] = put(g.lists[list], o, func(x githubObject) bool { return x.id == id })
}

func githubLabels(id int) []any {
	return []any{object{"id": 1, "name": "bug"}, object{"id": 2, "name": "late"}}[:id%3]
}

func githubNumber(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func githubSHA(id int) string { return fmt.Sprintf("%040x", id) }

func (g *github) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if g.sent == 0 {
		g.started = g.Now()
	}
	g.refuseIf(r.Host != "api.github.com" || r.Method != http.MethodGet, "wrong host or method")
	g.refuseIf(r.Header.Get("Authorization") != "Bearer your-access-token", "Bad credentials")
	g.refuseIf(r.Header.Get("User-Agent") == "", "Request forbidden by administrative rules")
	g.refuseIf(r.Header.Get("X-GitHub-Api-Version") != "2026-03-10" ||
		r.Header.Get("Accept") != "application/vnd.github+json", "wrong version or media type")
	g.limits(rw, r)
	g.list(rw, r)
}

// limits refuses some requests, and all others until the end of the limit.
func (g *github) limits(rw http.ResponseWriter, r *http.Request) {
	if !g.Now().Before(g.limit.end) {
		g.sent++
		now := g.Now().Truncate(time.Second)
		switch g.sent {
		case 3: // the quota of the hour is used up
			end := now.Add(time.Hour + 5*time.Second) // its clock is ahead
			g.limit = githubLimit{end, http.StatusForbidden, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(end.Unix(), 10)}, "API rate limit exceeded"}
		case 5:
			g.limit = githubLimit{now.Add(30 * time.Second), http.StatusTooManyRequests, map[string]string{"Retry-After": "30"}, "You have exceeded a secondary rate limit"}
		case 7: // does not say how long
			g.limit = githubLimit{now.Add(60 * time.Second), http.StatusForbidden, nil, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
		default:
			rw.Header().Set("X-RateLimit-Remaining", "4000")
			return
		}
	}
	for name, v := range g.limit.headers {
		rw.Header().Set(name, v)
	}
	g.failUntil(rw, r, g.limit.end, g.limit.status, object{"message": g.limit.message})
}

func (g *github) list(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	perPage := g.number(query, "per_page", 1, 100)
	if r.URL.Path == "/orgs/your-organization/repos" {
		page := []any{}
		g.refuseIf(query.Get("sort") != "created" || query.Get("direction") != "asc",
			"a new repository comes first, and moves the others")
		for id, name := range g.repositories {
			item := object{"id": id, "full_name": "acme/" + name, "archived": false, "visibility": "private", "default_branch": "main", "language": nil}
			maps.Copy(item, githubSettings[name])
			page = append(page, item)
		}
		g.shows(archived, absentKey)
		reply(rw, http.StatusOK, page)
		return
	}
	name, kind := g.repository(r.URL.Path)
	objects := g.lists[name+"/"+kind]
	known := map[string][]string{
		"issues":   {"since", "state", "sort", "direction"},
		"comments": {"since", "sort", "direction"},
		"pulls":    {"state", "sort", "direction"},
		"commits":  {"since"},
	}[kind]
	for parameter := range query {
		g.refuseIf(known == nil || !slices.Contains(append(known, "page", "per_page"), parameter),
			"no such list or parameter: "+parameter)
	}
	settings := githubSettings[name]
	switch {
	case name == "gone":
		g.shows(missingParent)
		fail(rw, http.StatusNotFound, object{"message": "Not Found"})
	case name == "bad":
		g.shows(forbidden)
		block := object{"reason": "tos", "html_url": "https://github.com/contact/tos-violation"}
		fail(rw, http.StatusForbidden, object{"message": "Repository access blocked", "block": block})
	case settings["has_pull_requests"] == false && (kind == "pulls" || settings["has_issues"] == false && kind != "commits"):
		g.refuse("the repository has no such list")
	case kind == "commits" && len(objects) == 0:
		fail(rw, http.StatusConflict, object{"message": "Git Repository is empty."})
	case kind != "commits" && (query.Get("sort") != "created" || query.Get("direction") != "asc"), slices.Contains(known, "state") && query.Get("state") != "all":
		g.refuse("only open items, the newest first: pages would change while they are read")
	}
	if since := query.Get("since"); since != "" {
		after, err := time.Parse("2006-01-02T15:04:05Z", since)
		g.refuseIf(err != nil || after.Year() < 1971, "wrong since")
		objects = without(objects, func(o githubObject) bool { return o.changed.Before(after) })
	}
	if kind == "commits" { // newest first
		objects = slices.Clone(objects)
		slices.Reverse(objects)
	}
	page := max(1, githubNumber(query.Get("page")))
	if kind == "pulls" { // a page may have fewer items than per_page; only Link says that it is the last one
		perPage--
	}
	first, end := min(len(objects), (page-1)*perPage), min(len(objects), page*perPage)
	items := each(objects[first:end], func(o githubObject) object { return o.fields })
	if end < len(objects) {
		next := url.Values{}
		for name, values := range query {
			next[name] = values
		}
		next.Set("page", strconv.Itoa(page+1))
		path := fmt.Sprintf("/repositories/%d/%s?", slices.Index(g.repositories, name), githubPaths[kind])
		rw.Header().Set("Link", fmt.Sprintf(`<%s>; rel="prev", <%s>; rel="next"`, address(r.Host, path), address(r.Host, path+next.Encode())))
		g.showsIf(kind == "pulls", shortPage)
		g.showsIf(objects[end-1].changed.Equal(objects[end].changed), tie)
	}
	g.showsIf(kind == "comments" && len(items) > 0, oddValue)
	g.showsIf(len(g.gone) > 0 && name == "docs" && kind == "issues", deleted)
	reply(rw, http.StatusOK, items)
	if name == "api" && kind == "issues" && page == 2 && !g.late { // a list that grows while it is read
		g.late = true
		g.add("api/issues", 900, firstDay.Add(time.Minute))
	}
}

// githubPaths are the lists of a repository.
var githubPaths = map[string]string{"issues": "issues", "comments": "issues/comments", "pulls": "pulls", "commits": "commits"}

// repository returns the name of a repository and what is listed of it, for both forms
// of a path.
func (g *github) repository(path string) (name, kind string) {
	for kind, list := range githubPaths {
		for id, name := range g.repositories {
			if path == "/repos/acme/"+name+"/"+list || path == fmt.Sprintf("/repositories/%d/%s", id, list) {
				return name, kind
			}
		}
	}
	return "", ""
}

func (g *github) nextDay() {
	g.sent = 0
	morning := firstDay.Add(20 * time.Hour)
	g.add("api/issues", 5, morning) // changed
	g.label("api/issues", 5, nil)   // its labels were removed
	g.add("api/issues", 901, morning)
	g.add("api/comments", 902, morning)
	g.add("api/pulls", 901, morning)
	g.add("api/commits", 901, morning)
	g.add("api/commits", 902, githubStart.Add(140*time.Hour))  // committed five days before it was pushed
	g.add("empty/commits", 903, githubStart.AddDate(-1, 0, 0)) // a history that was made elsewhere
	g.gone[strconv.Itoa(g.lists["docs/issues"][3].id)] = true
	g.lists["docs/issues"] = slices.Delete(g.lists["docs/issues"], 3, 4)
	g.repositories = append(g.repositories, "new")
	g.add("new/issues", 2000, githubStart)
	g.add("new/comments", 2000, githubStart)
	g.add("new/commits", 2000, githubStart)
}

func (g *github) label(list string, id int, labels []any) {
	i := slices.IndexFunc(g.lists[list], func(o githubObject) bool { return o.id == id })
	g.lists[list][i].fields["labels"] = labels
}

// expected: a deleted issue is not in the second run, so its row of the first one stays. An
// issue and its labels have the same read_at, so labels that were removed have an older one.
func (g *github) expected(day int) tables {
	want := tables{}
	for id, name := range g.repositories {
		archived := ""
		if githubSettings[name]["archived"] == true {
			archived = "1"
		}
		want.add("repositories", row{"id": strconv.Itoa(id), "full_name": "acme/" + name, "archived": archived, "language": ""})
	}
	readAt := g.started.Format("2006-01-02T15:04:05Z")
	for list, objects := range g.lists {
		name, kind, _ := strings.Cut(list, "/")
		repository := strconv.Itoa(slices.Index(g.repositories, name))
		for _, o := range objects {
			id := strconv.Itoa(o.id)
			lookback := map[string]time.Duration{"issues": 10 * time.Minute, "comments": 10 * time.Minute, "commits": 7 * 24 * time.Hour}[kind]
			if day == 2 && lookback > 0 && name != "new" && name != "empty" && o.changed.Before(firstDay.Add(-lookback)) {
				continue
			}
			r := row{"repository_id": repository, "repository": "acme/" + name}
			switch kind {
			case "commits":
				maps.Copy(r, row{"sha": githubSHA(o.id), "author": "", "author_email": "ann@example.com"})
			case "pulls":
				maps.Copy(r, row{"id": id, "author": "", "head_branch": "fix"})
			case "comments":
				maps.Copy(r, row{"id": id, "author": "", "body": ""})
			case "issues":
				maps.Copy(r, row{"id": id, "author": "ann", "updated_at": o.fields["updated_at"].(string), "read_at": readAt, "type": "", "milestone": ""})
				if o.id%2 == 1 {
					r["type"], r["milestone"] = "Bug", "May"
					want.add("issue_assignees",
						row{"issue_id": id, "user_id": "7", "login": "ann", "read_at": readAt}, row{"issue_id": id, "user_id": "8", "login": "bob", "read_at": readAt})
				}
				for _, label := range o.fields["labels"].([]any) {
					want.add("issue_labels", row{"issue_id": id, "id": fmt.Sprint(label.(object)["id"]), "read_at": readAt})
				}
			}
			table := cmp.Or(map[string]string{"pulls": "pull_requests"}[kind], kind)
			want.add(table, r)
		}
	}
	return want
}
