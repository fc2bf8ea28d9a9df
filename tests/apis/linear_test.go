package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// linear is GraphQL with connections. It limits requests with the status 400. Facts:
// https://linear.app/developers/pagination, https://linear.app/developers/rate-limiting,
// https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql.
type linear struct {
	*world
	nodes map[string][]map[string]any
}

func newLinear(w *world) imitation {
	l := &linear{world: w, nodes: map[string][]map[string]any{}}
	for name, count := range map[string]int{"users": 120, "teams": 3, "projects": 7, "issues": 330, "comments": 0} {
		for i := range count {
			l.add(name, i, firstDay.Add(-time.Duration(i+1)*time.Hour))
		}
	}
	return l
}

// add adds a node with all fields that its type has in the imitation.
func (l *linear) add(list string, i int, updated time.Time) {
	id := fmt.Sprintf("%s-%03d", list, i)
	node := map[string]any{"id": id, "updatedAt": linearTime(updated), "createdAt": "2025-01-01T00:00:00.000Z", "url": "https://linear.app/x/" + id}
	fields := map[string]string{
		"users":    "name displayName email active admin guest",
		"teams":    "key name description private timezone",
		"projects": "name description priority progress startDate targetDate startedAt completedAt canceledAt archivedAt status lead",
		"issues":   "identifier title description priority estimate dueDate startedAt completedAt canceledAt archivedAt trashed labelIds state team project cycle parent assignee creator",
		"comments": "body issueId parentId editedAt archivedAt user",
	}
	for _, name := range strings.Fields(fields[list]) {
		node[name] = nil
	}
	switch list {
	case "users":
		node["email"] = id + "@example.com"
	case "issues":
		node["state"] = map[string]any{"name": "Done", "type": "completed"}
		node["team"] = map[string]any{"id": "teams-000"}
		node["labelIds"] = []any{"label-1", "label-2"}
	}
	l.nodes[list] = append(l.nodes[list], node)
}

func linearTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// linearQuery is the form of the queries of the configuration.
var linearQuery = regexp.MustCompile(`^query \w+\(\$first: Int, \$after: String(?:, \$filter: (\w+))?\) \{ page: (\w+)\(first: \$first, after: \$after(.*?)\) \{ nodes \{ (.*) \} pageInfo \{ hasNextPage endCursor \} \} \}$`)

// linearLists has the type of the filter and the arguments of each list.
var linearLists = map[string][2]string{
	"users":    {"", ", includeDisabled: true"},
	"teams":    {"", ""},
	"projects": {"ProjectFilter", ", filter: $filter, orderBy: updatedAt, includeArchived: true"},
	"issues":   {"IssueFilter", ", filter: $filter, orderBy: updatedAt, includeArchived: true"},
	"comments": {"CommentFilter", ", filter: $filter, orderBy: updatedAt, includeArchived: true"},
}

func (l *linear) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var body struct {
		Query     string
		Variables struct {
			First  int
			After  *string
			Filter *struct {
				UpdatedAt struct{ Gte time.Time }
			}
		}
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	query := linearQuery.FindStringSubmatch(body.Query)
	switch {
	case r.Host != "api.linear.app" || r.URL.Path != "/graphql" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json":
		l.refuse(rw, r, http.StatusNotFound, "not the GraphQL endpoint")
		return
	case r.Header.Get("Authorization") != "your-api-key":
		l.refuse(rw, r, http.StatusUnauthorized, "AUTHENTICATION_ERROR")
		return
	case err != nil || query == nil || body.Variables.First < 1 || body.Variables.First > 250:
		l.refuse(rw, r, http.StatusBadRequest, fmt.Sprint("GRAPHQL_VALIDATION_FAILED ", err))
		return
	}
	filter, list, arguments, selection := query[1], query[2], query[3], graphqlSelection(query[4])
	if known, ok := linearLists[list]; !ok || known != [2]string{filter, arguments} || (filter != "") != (body.Variables.Filter != nil) {
		l.refuse(rw, r, http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED: arguments of "+list)
		return
	}
	l.requests["all"]++
	l.requests[list]++
	switch {
	case l.requests["all"] == 2 || l.requests["all"] == 3:
		rw.Header().Set("X-RateLimit-Requests-Remaining", "0")
		rw.Header().Set("X-RateLimit-Requests-Reset", fmt.Sprint(l.Now().Add(time.Hour).UnixMilli()))
		reply(rw, http.StatusBadRequest, map[string]any{"errors": []any{map[string]any{"message": "Rate limit exceeded", "extensions": map[string]any{"code": "RATELIMITED"}}}})
		return
	case l.requests["all"] == 5:
		reply(rw, http.StatusBadGateway, map[string]any{"errors": []any{map[string]any{"message": "Bad gateway"}}})
		return
	case list == "issues" && body.Variables.After != nil && l.requests["moved"] == 0:
		l.requests["moved"]++ // the last issue changes before it was read
		l.nodes["issues"][329]["updatedAt"] = linearTime(firstDay.Add(time.Second))
	}
	since := ""
	if body.Variables.Filter != nil {
		since = linearTime(body.Variables.Filter.UpdatedAt.Gte)
	}
	l.page(rw, r, l.newestFirst(list, since), body.Variables.First, body.Variables.After, selection)
}

// newestFirst are the nodes that changed since a time.
func (l *linear) newestFirst(list, since string) []map[string]any {
	nodes := slices.DeleteFunc(slices.Clone(l.nodes[list]), func(n map[string]any) bool { return n["updatedAt"].(string) < since })
	slices.SortStableFunc(nodes, func(a, b map[string]any) int {
		return strings.Compare(b["updatedAt"].(string), a["updatedAt"].(string))
	})
	return nodes
}

// page answers with the nodes behind a cursor.
func (l *linear) page(rw http.ResponseWriter, r *http.Request, nodes []map[string]any, first int, after *string, selection graphqlFields) {
	from := 0
	if after != nil {
		from = slices.IndexFunc(nodes, func(n map[string]any) bool { return n["id"] == *after }) + 1
		if from == 0 {
			l.refuse(rw, r, http.StatusBadRequest, "no such cursor: "+*after)
			return
		}
	}
	to := min(from+first, len(nodes))
	selected := []any{}
	for _, node := range nodes[from:to] {
		fields, err := selection.of(node)
		if err != nil {
			l.refuse(rw, r, http.StatusBadRequest, err.Error())
			return
		}
		selected = append(selected, fields)
	}
	info := map[string]any{"hasNextPage": to < len(nodes), "endCursor": nil}
	if to > from {
		info["endCursor"] = nodes[to-1]["id"]
	}
	reply(rw, http.StatusOK, map[string]any{"data": map[string]any{"page": map[string]any{"nodes": selected, "pageInfo": info}}})
}

func (l *linear) nextDay() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nodes["issues"][200]["archivedAt"] = linearTime(firstDay.Add(time.Hour))
	l.nodes["issues"][200]["updatedAt"] = linearTime(firstDay.Add(time.Hour))
	l.add("issues", 900, firstDay.Add(2*time.Hour))
	l.add("comments", 1, firstDay.Add(2*time.Hour))
	l.nodes["users"][4]["active"] = false
}

func (l *linear) expected(day int) tables {
	want := tables{}
	for list, nodes := range l.nodes {
		for i, node := range nodes {
			updated := node["updatedAt"].(string)
			switch {
			case day == 1 && list == "issues" && i == 329:
				continue // it moved to a page that was read before
			case day == 2 && linearLists[list][0] != "" && updated < linearTime(firstDay.Add(-time.Hour)):
				continue // older than the newest of the first day
			}
			r := row{"id": node["id"].(string), "updated_at": updated}
			if list == "issues" {
				r["state"], r["team_id"], r["label_ids"] = "Done", "teams-000", `["label-1","label-2"]`
			}
			want[list] = append(want[list], r)
		}
	}
	return want
}
