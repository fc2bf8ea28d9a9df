package apis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// linear is GraphQL with connections. It limits requests with the status 400, and reports some
// transient errors with the status 200. The time of the last change stays when an issue is
// archived.
type linear struct {
	*world
	nodes   map[string][]object
	removed bool // a comment was deleted
}

func newLinear(w *world) mockServer {
	const noChildren = "every list is one of the workspace; no request depends on an item of another one"
	w.notShown = map[condition]string{
		forbidden:     noChildren,
		missingParent: noChildren,
		absentKey:     "GraphQL returns every field that a query selects",
		expiredToken:  "no request renews a personal API key: if it is revoked, the run fails with an authentication error",
	}
	l := &linear{world: w, nodes: map[string][]object{}}
	for name, count := range map[string]int{
		"users": 120, "teams": 3, "workflowStates": 5, "issueLabels": 4, "cycles": 2, "projects": 7, "issues": 330, "comments": 40,
	} {
		for i := range count {
			l.add(name, i, firstDay.Add(-time.Duration(i+1)*time.Hour))
		}
	}
	for i := 95; i < 105; i++ { // imported at once: equal times on both sides of the border of two pages
		l.nodes["issues"][i]["updatedAt"] = linearTime(firstDay.Add(-100 * time.Hour))
	}
	l.nodes["issues"][250]["archivedAt"] = linearTime(firstDay.Add(-20 * time.Hour))
	return l
}

// linearFields are the fields of each type without those that all of them have.
var linearFields = map[string]string{
	"users":          "name displayName email active admin guest app",
	"teams":          "key name description visibility timezone parent retiredAt",
	"workflowStates": "name type position team",
	"issueLabels":    "name color isGroup parent team",
	"cycles":         "number name team startsAt endsAt completedAt progress",
	"projects":       "name description priority progress scope startDate targetDate startedAt completedAt canceledAt status lead trashed",
	"issues":         "identifier title description priority estimate dueDate startedAt completedAt canceledAt trashed labelIds state team project cycle parent assignee creator",
	"comments":       "body issueId projectId projectUpdateId parentId editedAt resolvedAt user",
}

// add adds a node with all fields that its type has in the mock server.
func (l *linear) add(list string, i int, updated time.Time) {
	id := fmt.Sprintf("%s-%03d", list, i)
	node := object{"id": id, "updatedAt": linearTime(updated), "createdAt": "2025-01-01T00:00:00.000Z", "archivedAt": nil, "url": "https://linear.app/x/" + id}
	for _, name := range strings.Fields(linearFields[list]) {
		node[name] = nil
	}
	switch list {
	case "users":
		node["email"] = id + "@example.com"
	case "workflowStates", "cycles":
		node["team"] = object{"id": "teams-000"}
	case "projects":
		node["status"] = object{"name": "Planned"}
	case "issues":
		node["state"] = object{"id": "workflowStates-000", "name": "Done", "type": "completed"}
		node["team"] = object{"id": "teams-000"}
		node["labelIds"] = []any{"label-1", "label-2"}[:i%3]
	}
	l.nodes[list] = append(l.nodes[list], node)
}

func linearTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// linearQuery is the form of the queries of the configuration.
var linearQuery = regexp.MustCompile(`^query \w+\(\$first: Int, \$after: String(?:, \$filter: (\w+))?\) \{ page: (\w+)\(first: \$first, after: \$after(.*?)\) \{ nodes \{ (.*) \} pageInfo \{ hasNextPage endCursor \} \} \}$`)

// linearLists has the type of the filter and the arguments of each list.
var linearLists = map[string][2]string{
	"users":          {"", ", includeDisabled: true, includeArchived: true"},
	"teams":          {"", ", includeArchived: true"},
	"workflowStates": {"", ", includeArchived: true"},
	"issueLabels":    {"", ", includeArchived: true"},
	"cycles":         {"", ", includeArchived: true"},
	"projects":       {"", ", includeArchived: true"},
	"issues":         {"IssueFilter", ", filter: $filter, orderBy: updatedAt, includeArchived: true"},
	"comments":       {"CommentFilter", ", filter: $filter, orderBy: updatedAt, includeArchived: true"},
}

// linearFilter is a filter by times. Its alternatives are in Or.
type linearFilter struct {
	UpdatedAt, ArchivedAt struct{ Gte string }
	Or                    []linearFilter
}

// matches reports whether a node passes. Comments have no filter by archivedAt.
func (f linearFilter) matches(node object) bool {
	if len(f.Or) > 0 {
		return slices.ContainsFunc(f.Or, func(f linearFilter) bool { return f.matches(node) })
	}
	since, at := f.UpdatedAt.Gte, node["updatedAt"]
	if f.ArchivedAt.Gte != "" {
		since, at = f.ArchivedAt.Gte, node["archivedAt"]
	}
	text, ok := at.(string)
	return ok && text >= since
}

func (l *linear) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		Query     string
		Variables struct {
			First  int
			After  *string
			Filter *linearFilter
		}
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	query := linearQuery.FindStringSubmatch(body.Query)
	l.refuseIf(r.Host != "api.linear.app" || r.URL.Path != "/graphql" || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/json", "not the GraphQL endpoint")
	l.refuseIf(r.Header.Get("Authorization") != "your-api-key", "AUTHENTICATION_ERROR")
	l.refuseIf(err != nil || query == nil || body.Variables.First < 1 || body.Variables.First > 250,
		"GRAPHQL_VALIDATION_FAILED ", err)
	filter, list, arguments, selection := query[1], query[2], query[3], graphqlSelection(query[4])
	if known, ok := linearLists[list]; !ok || known != [2]string{filter, arguments} || (filter != "") != (body.Variables.Filter != nil) {
		l.refuse("GRAPHQL_VALIDATION_FAILED: arguments of " + list)
	}
	l.requests["all"]++
	l.requests[list]++
	failIf(l.requests["all"] == 2 || l.requests["all"] == 3,
		rw, http.StatusBadRequest, object{"errors": []any{object{"message": "Rate limit exceeded", "extensions": object{"code": "RATELIMITED"}}}}, "X-RateLimit-Requests-Remaining", "0", "X-RateLimit-Requests-Reset", fmt.Sprint(l.Now().Add(time.Hour).UnixMilli()))
	failIf(l.requests["all"] == 5,
		rw, http.StatusBadGateway, object{"errors": []any{object{"message": "Bad gateway"}}})
	switch {
	case l.requests["all"] == 6:
		l.shows(errorIn200)
		failure := object{"message": "Internal server error", "extensions": object{"type": "internal error", "code": "INTERNAL_SERVER_ERROR"}}
		reply(rw, http.StatusOK, object{"data": nil, "errors": []any{failure}})
		return
	case list == "issues" && body.Variables.After != nil && l.requests["moved"] == 0:
		l.requests["moved"]++ // the last issue changes before it was read
		l.nodes["issues"][329]["updatedAt"] = linearTime(firstDay.Add(time.Second))
	}
	var filtered linearFilter
	if body.Variables.Filter != nil {
		filtered = *body.Variables.Filter
	}
	l.page(rw, r, list, l.newestFirst(list, filtered), body.Variables.First, body.Variables.After, selection)
}

func (l *linear) newestFirst(list string, filter linearFilter) []object {
	nodes := without(l.nodes[list], func(n object) bool { return !filter.matches(n) })
	slices.SortStableFunc(nodes, func(a, b object) int {
		return strings.Compare(b["updatedAt"].(string), a["updatedAt"].(string))
	})
	return nodes
}

// page responds with the nodes behind a cursor. The first page of users has fewer than the
// request allows.
func (l *linear) page(rw http.ResponseWriter, r *http.Request, list string, nodes []object, first int, after *string, selection graphqlFields) {
	from := 0
	if after != nil {
		from = slices.IndexFunc(nodes, func(n object) bool { return n["id"] == *after }) + 1
		l.refuseIf(from == 0, "no such cursor: "+*after)
	}
	if list == "users" && after == nil {
		first--
		l.shows(shortPage)
	}
	to := min(from+first, len(nodes))
	selected := []any{}
	for _, node := range nodes[from:to] {
		fields, err := selection.of(node)
		l.refuseIf(err != nil, err)
		selected = append(selected, fields)
		l.showsIf(node["archivedAt"] != nil, archived)
	}
	if list == "issues" {
		l.shows(oddValue)
		l.showsIf(to < len(nodes) && nodes[to-1]["updatedAt"] == nodes[to]["updatedAt"], tie)
	}
	l.showsIf(list == "comments" && l.removed, deleted)
	info := object{"hasNextPage": to < len(nodes), "endCursor": nil}
	if to > from {
		info["endCursor"] = nodes[to-1]["id"]
	}
	reply(rw, http.StatusOK, object{"data": object{"page": object{"nodes": selected, "pageInfo": info}}})
}

func (l *linear) nextDay() {
	l.nodes["issues"][200]["archivedAt"] = linearTime(firstDay.Add(time.Hour)) // its updatedAt stays
	l.nodes["projects"][2]["progress"] = 0.5                                   // its updatedAt stays
	l.add("issues", 900, firstDay.Add(2*time.Hour))
	l.add("comments", 900, firstDay.Add(2*time.Hour))
	l.nodes["comments"] = slices.Delete(l.nodes["comments"], 0, 1)
	l.removed = true
	l.nodes["users"][4]["active"] = false
}

// expected: a deleted comment is not in the second run, so its row of the first one stays.
func (l *linear) expected(day int) tables {
	want := tables{}
	since := linearTime(firstDay.Add(-time.Hour))
	for list, nodes := range l.nodes {
		for i, node := range nodes {
			updated := node["updatedAt"].(string)
			archived, _ := node["archivedAt"].(string)
			switch {
			case day == 1 && list == "issues" && i == 329:
				continue // it moved to a page that was read before
			case day == 2 && linearLists[list][0] != "" && updated < since && (list != "issues" || archived < since):
				continue
			}
			r := row{"id": node["id"].(string), "archived_at": archived}
			switch list {
			case "issues":
				r["updated_at"], r["state"], r["state_id"], r["team_id"], r["assignee_id"] = updated, "Done", "workflowStates-000", "teams-000", ""
				r["label_ids"] = []string{`[]`, `["label-1"]`, `["label-1","label-2"]`}[len(node["labelIds"].([]any))]
			case "projects":
				r["progress"] = ""
				if node["progress"] != nil {
					r["progress"] = "0.5"
				}
			}
			table := cmp.Or(map[string]string{"workflowStates": "workflow_states", "issueLabels": "labels"}[list], list)
			want.add(table, r)
		}
	}
	return want
}
