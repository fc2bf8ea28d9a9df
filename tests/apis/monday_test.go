package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// monday is GraphQL with page numbers for boards and users, and cursors for items. A
// request with a cursor has no filter. Facts:
// https://developer.monday.com/api-reference/reference/items-page,
// https://developer.monday.com/api-reference/docs/rate-limits,
// https://developer.monday.com/api-reference/docs/error-handling.
type monday struct {
	*world
	users, boards []map[string]any
	exhausted     time.Time                   // until when there is no complexity left
	items         map[string][]map[string]any // by board
	cursors       map[string]mondayCursor
}

// mondayCursor is where the items of a board continue, and until when.
type mondayCursor struct {
	board, since string
	from         int
	until        time.Time
}

// mondayZone is the time zone of the user, in which days are counted.
var mondayZone = time.FixedZone("user", -10*60*60)

func newMonday(w *world) imitation {
	m := &monday{world: w, items: map[string][]map[string]any{}, cursors: map[string]mondayCursor{}}
	for i := range 130 {
		m.users = append(m.users, map[string]any{"id": fmt.Sprint(100 + i), "name": fmt.Sprint("User ", i), "email": fmt.Sprintf("u%d@example.com", i)})
	}
	for i := range 30 {
		items := 0
		if i%5 == 0 {
			items = 10 * i
		}
		m.addBoard(fmt.Sprint(1000+i), items)
	}
	return m
}

func (m *monday) addBoard(id string, items int) {
	board := map[string]any{"id": id, "name": "Board " + id, "state": "active", "type": "board", "board_kind": "public", "workspace_id": nil, "description": nil, "updated_at": "2026-01-01T00:00:00Z", "url": "https://x.monday.com/boards/" + id}
	board["columns"] = []map[string]any{{"id": "name", "title": "Name", "type": "name"}, {"id": "status", "title": "Status", "type": "status"}}
	board["groups"] = []map[string]any{{"id": "topics", "title": "Group"}}
	m.boards = append(m.boards, board)
	m.items[id] = []map[string]any{}
	for i := range items {
		m.addItem(id, i, firstDay.Add(-time.Duration(i+6)*12*time.Hour))
	}
}

func (m *monday) addItem(board string, i int, updated time.Time) {
	id := fmt.Sprint(board, "0", i)
	m.items[board] = append(m.items[board], map[string]any{
		"id": id, "name": "Item " + id, "state": "active", "created_at": "2025-01-01T00:00:00Z", "updated_at": updated.UTC().Format(time.RFC3339), "creator_id": "100",
		"url": "https://x.monday.com/items/" + id, "group": map[string]any{"id": "topics", "title": "Group"},
		"column_values": []map[string]any{{"id": "status", "type": "status", "text": "Done", "value": `{"index":1}`}},
	})
}

// mondayQueries are the queries of the configuration, each with its selection.
var mondayQueries = map[string]*regexp.Regexp{
	"users":  regexp.MustCompile(`^query Users\(\$limit: Int!, \$page: Int!\) \{ users\(limit: \$limit, page: \$page\) \{ (.*) \} \}$`),
	"boards": regexp.MustCompile(`^query Boards\(\$limit: Int!, \$page: Int!\) \{ boards\(limit: \$limit, page: \$page, order_by: created_at\) \{ (.*) \} \}$`),
	"items":  regexp.MustCompile(`^query Items\(\$board: \[ID!\], \$limit: Int!, \$cursor: String, \$filter: ItemsQuery\) \{ boards\(ids: \$board\) \{ items_page\(limit: \$limit, cursor: \$cursor, query_params: \$filter\) \{ cursor items \{ (.*) \} \} \} \}$`),
}

// mondayVariables are those of all queries.
type mondayVariables struct {
	Limit, Page int
	Board       []string
	Cursor      string
	Filter      *struct {
		Rules []struct {
			Column    string   `json:"column_id"`
			Attribute string   `json:"compare_attribute"`
			Operator  string   `json:"operator"`
			Value     []string `json:"compare_value"`
		}
	}
}

func (m *monday) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var body struct {
		Query     string
		Variables mondayVariables
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	switch {
	case r.Host != "api.monday.com" || r.URL.Path != "/v2" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json":
		m.refuse(rw, r, http.StatusNotFound, "not the GraphQL endpoint")
		return
	case r.Header.Get("Authorization") != "your-api-token" || r.Header.Get("API-Version") != "2026-10":
		m.refuse(rw, r, http.StatusUnauthorized, "token or version")
		return
	case err != nil:
		m.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	m.requests["all"]++
	switch n := m.requests["all"]; n {
	case 2, 7: // once as an error of the application, once as one of the transport
		m.exhausted = m.Now().Add(23 * time.Second)
		status := map[int]int{2: http.StatusOK, 7: http.StatusTooManyRequests}[n]
		reply(rw, status, map[string]any{"errors": []any{map[string]any{"message": "Complexity budget exhausted", "extensions": map[string]any{"code": "COMPLEXITY_BUDGET_EXHAUSTED", "retry_in_seconds": 23}}}})
		return
	case 3: // the only request since then, because it is for the next page of the only list
		if m.Now().Before(m.exhausted) {
			m.refuse(rw, r, http.StatusOK, "too early")
			return
		}
	case 4:
		rw.Header().Set("Retry-After", "10")
		reply(rw, http.StatusTooManyRequests, map[string]any{"errors": []any{map[string]any{"message": "Concurrency limit exceeded", "extensions": map[string]any{"code": "maxConcurrencyExceeded"}}}})
		return
	}
	for name, form := range mondayQueries {
		if found := form.FindStringSubmatch(body.Query); found != nil {
			m.answer(rw, r, name, body.Variables, graphqlSelection(found[1]))
			return
		}
	}
	m.refuse(rw, r, http.StatusOK, "unknown query "+body.Query)
}

func (m *monday) answer(rw http.ResponseWriter, r *http.Request, list string, v mondayVariables, selection graphqlFields) {
	if list == "items" {
		m.itemsPage(rw, r, v, selection)
		return
	}
	all := map[string][]map[string]any{"users": m.users, "boards": m.boards}[list]
	if v.Limit < 1 || v.Limit > 200 || v.Page < 1 || v.Board != nil || v.Cursor != "" || v.Filter != nil {
		m.refuse(rw, r, http.StatusOK, "invalid variables")
		return
	}
	from := min((v.Page-1)*v.Limit, len(all))
	items, err := selection.below(all[from:min(from+v.Limit, len(all))])
	if err != nil {
		m.refuse(rw, r, http.StatusOK, err.Error())
		return
	}
	reply(rw, http.StatusOK, map[string]any{"data": map[string]any{list: items}})
}

// itemsPage answers with some items of a board.
func (m *monday) itemsPage(rw http.ResponseWriter, r *http.Request, v mondayVariables, selection graphqlFields) {
	if v.Limit < 1 || v.Limit > 500 || v.Page != 0 || len(v.Board) != 1 || m.items[v.Board[0]] == nil {
		m.refuse(rw, r, http.StatusOK, "invalid variables")
		return
	}
	at := mondayCursor{board: v.Board[0], until: m.Now().Add(time.Hour)}
	switch known, ok := m.cursors[v.Cursor]; {
	case v.Cursor != "" && (v.Filter != nil || !ok || known.board != at.board || m.Now().After(known.until)):
		m.refuse(rw, r, http.StatusOK, "a cursor that is unknown, has expired, or has a filter beside it")
		return
	case v.Cursor != "":
		at = known
	case v.Filter != nil:
		rules := v.Filter.Rules
		if len(rules) != 1 || rules[0].Column != "__last_updated__" || rules[0].Attribute != "UPDATED_AT" || rules[0].Operator != "greater_than_or_equals" || len(rules[0].Value) != 2 || rules[0].Value[0] != "EXACT" {
			m.refuse(rw, r, http.StatusOK, "invalid filter")
			return
		}
		at.since = rules[0].Value[1]
	}
	if _, err := time.Parse(time.DateOnly, at.since); at.since != "" && err != nil {
		m.refuse(rw, r, http.StatusOK, err.Error())
		return
	}
	selected := slices.DeleteFunc(slices.Clone(m.items[at.board]), func(item map[string]any) bool { return mondayDay(item) < at.since })
	to := min(at.from+v.Limit, len(selected))
	items, err := selection.below(selected[at.from:to])
	if err != nil {
		m.refuse(rw, r, http.StatusOK, err.Error())
		return
	}
	page := map[string]any{"cursor": nil, "items": items}
	if to < len(selected) {
		cursor := "MSw5" + at.board + "-" + strconv.Itoa(to) + strings.ReplaceAll(at.since, "-", "")
		at.from = to
		m.cursors[cursor] = at
		page["cursor"] = cursor
	}
	reply(rw, http.StatusOK, map[string]any{"data": map[string]any{"boards": []any{map[string]any{"items_page": page}}}})
}

// mondayDay is the day of the last change of an item, in the time zone of the user.
func mondayDay(item map[string]any) string {
	updated, err := time.Parse(time.RFC3339, item["updated_at"].(string))
	if err != nil {
		panic(err)
	}
	return updated.In(mondayZone).Format(time.DateOnly)
}

func (m *monday) nextDay() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items["1025"][150]["updated_at"] = firstDay.Add(time.Hour).Format(time.RFC3339) // the day before, for the user
	m.items["1020"] = m.items["1020"][1:]                                             // deleted
	m.addItem("1005", 900, firstDay.Add(20*time.Hour))
	m.addBoard("1900", 120) // with older items
}

func (m *monday) expected(day int) tables {
	want := tables{}
	for _, user := range m.users {
		want["users"] = append(want["users"], row{"id": user["id"].(string), "email": user["email"].(string)})
	}
	for _, board := range m.boards {
		id := board["id"].(string)
		want["boards"] = append(want["boards"], row{"id": id, "kind": "public"})
		want["board_groups"] = append(want["board_groups"], row{"board_id": id, "id": "topics"})
		want["board_columns"] = append(want["board_columns"], row{"board_id": id, "id": "name"}, row{"board_id": id, "id": "status"})
		for _, item := range m.items[id] {
			if day == 1 || id == "1900" || mondayDay(item) >= "2026-03-01" {
				want["items"] = append(want["items"], row{"id": item["id"].(string), "board_id": id, "group_id": "topics"})
				want["item_values"] = append(want["item_values"], row{"item_id": item["id"].(string), "column_id": "status", "text": "Done"})
			}
		}
	}
	return want
}
