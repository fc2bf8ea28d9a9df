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

// monday is GraphQL with page numbers for lists, and cursors for items. Lists leave out what is
// archived or inactive unless a parameter includes it, and pages lack what the user may not see.
type monday struct {
	*world
	users, teams, workspaces, boards []object
	exhausted                        time.Time           // until when there is no complexity left
	items                            map[string][]object // by board
	cursors                          map[string]mondayCursor
}

// mondayCursor is where the items of a board continue, and until when.
type mondayCursor struct {
	board string
	from  int
	until time.Time
}

const (
	// mondayLevels is a board with several levels, whose subitems are on itself. Other
	// boards have their subitems on mondaySubitems.
	mondayLevels, mondaySubitems = "1005", "1010"
	// mondayGone is a board that is archived between the list of boards and its items.
	mondayGone = "1020"
	// mondayHidden is the board of a closed workspace, which the user may not see.
	mondayHidden = "1007"
)

func newMonday(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "the list of boards has only those that the user may read",
		tie:          "items have cursors, and every run reads all of them",
		expiredToken: "a personal token does not expire",
	}
	m := &monday{world: w, items: map[string][]object{}, cursors: map[string]mondayCursor{}}
	for i := range 530 {
		user := object{"id": fmt.Sprint(100 + i), "name": fmt.Sprint("User ", i), "email": fmt.Sprintf("u%d@example.com", i), "title": "", "status": "ACTIVE", "kind": "MEMBER", "created_at": "2025-01-01T00:00:00Z"}
		if i%50 == 0 {
			user["status"] = "INACTIVE"
		}
		m.users = append(m.users, user)
	}
	m.teams = []object{{"id": "7", "name": "Sales"}}
	m.workspaces = []object{{"id": "70", "name": "Old", "kind": "open", "state": "archived"}, {"id": "71", "name": "New", "kind": "open", "state": "active"}}
	for i := range 30 {
		items := 0
		if i%5 == 0 {
			items = 20 * i
		}
		m.addBoard(fmt.Sprint(1000+i), items)
	}
	m.board("1002")["state"] = "archived"
	m.board("1004")["type"] = "document"
	m.board(mondayLevels)["hierarchy_type"] = "multi_level"
	m.board(mondaySubitems)["type"] = "sub_items_board"
	return m
}

func (m *monday) board(id string) object {
	return m.boards[slices.IndexFunc(m.boards, func(board object) bool { return board["id"] == id })]
}

func (m *monday) addBoard(id string, items int) {
	board := object{"id": id, "name": "Board " + id, "state": "active", "type": "board", "board_kind": "public", "hierarchy_type": "classic", "workspace_id": nil, "description": nil, "updated_at": "2026-01-01T00:00:00Z", "url": "https://x.monday.com/boards/" + id}
	board["columns"] = []object{{"id": "name", "title": "Name", "type": "name"}, {"id": "status", "title": "Status", "type": "status"}}
	board["groups"] = []object{{"id": "topics", "title": "Group"}}
	m.boards = append(m.boards, board)
	m.items[id] = []object{}
	for i := range items {
		m.addItem(id, i)
	}
}

func (m *monday) addItem(board string, i int) {
	id := fmt.Sprint(board, "0", i)
	item := object{
		"id": id, "name": "Item " + id, "state": "active", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "creator_id": "100", "parent_item": nil,
		"url": "https://x.monday.com/items/" + id, "group": object{"id": "topics", "title": "Group"},
		"column_values": []object{
			{"id": "status", "type": "status", "text": "Done", "value": `{"index":1}`},
			{"id": "mirror", "type": "mirror", "text": nil, "value": nil, "MirrorValue": object{"display_value": "a, b"}},
			{"id": "link", "type": "board_relation", "text": nil, "value": nil, "BoardRelationValue": object{"display_value": "", "linked_item_ids": []string{}}},
		},
	}
	if board == mondaySubitems || board == mondayLevels && i%2 == 1 {
		item["parent_item"] = object{"id": "10000", "name": "Parent"}
	}
	m.items[board] = append(m.items[board], item)
}

// mondayQueries are the queries of the configuration, each with its selection.
var mondayQueries = map[string]*regexp.Regexp{
	"users":      regexp.MustCompile(`^query Users\(\$limit: Int!, \$page: Int!\) \{ users\(limit: \$limit, page: \$page, status: \[ACTIVE, INACTIVE, PENDING\]\) \{ (.*) \} \}$`),
	"teams":      regexp.MustCompile(`^query Teams \{ teams \{ (.*) \} \}$`),
	"workspaces": regexp.MustCompile(`^query Workspaces\(\$limit: Int!, \$page: Int!\) \{ workspaces\(limit: \$limit, page: \$page, state: all\) \{ (.*) \} \}$`),
	"boards":     regexp.MustCompile(`^query Boards\(\$limit: Int!, \$page: Int!\) \{ boards\(limit: \$limit, page: \$page, order_by: created_at, state: all, hierarchy_types: \[classic, multi_level\]\) \{ (.*) \} \}$`),
	"items":      regexp.MustCompile(`^query Items\(\$board: \[ID!\], \$limit: Int!, \$cursor: String, \$hierarchy: String\) \{ boards\(ids: \$board\) \{ id items_page\(limit: \$limit, cursor: \$cursor, hierarchy_scope_config: \$hierarchy\) \{ cursor items \{ (.*) \} \} \} \}$`),
}

var (
	mondayCapabilities = "column_values(capabilities: [CALCULATED])"
	// mondayFragment is a selection for one type of column.
	mondayFragment = regexp.MustCompile(`\.\.\. on (\w+) \{ ((?:[^{}]|\{[^}]*\})*) \}`)
)

// mondayVariables are those of all queries.
type mondayVariables struct {
	Limit, Page       int
	Board             []string
	Cursor, Hierarchy string
}

func (m *monday) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		Query     string
		Variables mondayVariables
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	m.refuseIf(r.Host != "api.monday.com" || r.URL.Path != "/v2" || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/json", "not the GraphQL endpoint")
	m.refuseIf(r.Header.Get("Authorization") != "your-api-token" ||
		r.Header.Get("API-Version") != "2026-10", "token or version")
	m.refuseIf(err != nil, err)
	m.requests["all"]++
	switch n := m.requests["all"]; n {
	case 2, 7: // once as an error of the application, once as one of the transport
		m.exhausted = m.Now().Add(23 * time.Second)
		status := map[int]int{2: http.StatusOK, 7: http.StatusTooManyRequests}[n]
		m.refusal(rw, status, object{"code": "COMPLEXITY_BUDGET_EXHAUSTED", "retry_in_seconds": 23})
		return
	case 3: // the only request since then, because it is for the next page of the only list
		m.refuseIf(m.Now().Before(m.exhausted), "too early")
	case 4:
		rw.Header().Set("Retry-After", "10")
		m.refusal(rw, http.StatusTooManyRequests, object{"code": "maxConcurrencyExceeded"})
		return
	case 9:
		m.refusal(rw, http.StatusOK, object{"code": "INTERNAL_SERVER_ERROR"})
		return
	}
	for name, form := range mondayQueries {
		if found := form.FindStringSubmatch(body.Query); found != nil {
			m.response(rw, r, name, body.Variables, found[1])
			return
		}
	}
	m.refuse("unknown query " + body.Query)
}

func (m *monday) refusal(rw http.ResponseWriter, status int, extensions object) {
	m.showsIf(status == http.StatusOK, errorIn200)
	reply(rw, status, object{"errors": []any{object{"message": "try again", "extensions": extensions}}})
}

func (m *monday) response(rw http.ResponseWriter, r *http.Request, list string, v mondayVariables, selection string) {
	if list == "items" {
		m.itemsPage(rw, r, v, selection)
		return
	}
	all := map[string][]object{"users": m.users, "teams": m.teams, "workspaces": m.workspaces, "boards": m.boards}[list]
	if list == "teams" {
		v.Limit, v.Page = len(all), 1 // the list has no pages
	}
	m.refuseIf(v.Limit < 1 || v.Limit > 1000 || v.Page < 1 || v.Board != nil || v.Cursor != "" ||
		v.Hierarchy != "", "invalid variables")
	from := min((v.Page-1)*v.Limit, len(all))
	visible := without(all[from:min(from+v.Limit, len(all))], func(item object) bool { return list == "boards" && item["id"] == mondayHidden })
	m.showsIf(len(visible) < v.Limit && from+v.Limit < len(all), shortPage)
	items, err := graphqlSelection(selection).below(visible)
	m.refuseIf(err != nil, err)
	for _, item := range visible {
		switch item["state"] {
		case "archived":
			m.shows(archived)
		case "deleted":
			m.shows(deleted)
		}
		if id, ok := item["workspace_id"]; ok && id == nil {
			m.shows(oddValue)
		}
	}
	reply(rw, http.StatusOK, object{"data": object{list: items}})
}

// itemsPage responds with some items of a board. A board that is not active has none.
func (m *monday) itemsPage(rw http.ResponseWriter, r *http.Request, v mondayVariables, selection string) {
	m.refuseIf(v.Limit < 1 || v.Limit > 500 || v.Page != 0 || len(v.Board) != 1 ||
		m.items[v.Board[0]] == nil || m.board(v.Board[0])["type"] == "document", "invalid variables")
	if v.Board[0] == mondayGone || m.board(v.Board[0])["state"] != "active" {
		m.shows(missingParent)
		reply(rw, http.StatusOK, object{"data": object{"boards": []any{}}})
		return
	}
	at := mondayCursor{board: v.Board[0], until: m.Now().Add(time.Hour)}
	switch known, ok := m.cursors[v.Cursor]; {
	case v.Cursor == "" && v.Hierarchy != "allItems":
		m.refuse("the subitems of boards with several levels are left out")
	case v.Cursor != "" && (v.Hierarchy != "" || !ok || known.board != at.board || m.Now().After(known.until)):
		m.refuse("a cursor that is unknown, has expired, or has a filter beside it")
	case v.Cursor != "":
		at = known
	}
	all := m.items[at.board]
	to := min(at.from+v.Limit, len(all))
	items, err := mondaySelect(all[at.from:to], selection)
	m.refuseIf(err != nil, err)
	m.showsIf(len(items) > 0, absentKey)
	page := object{"cursor": nil, "items": items}
	if to < len(all) {
		cursor := "MSw5" + at.board + "-" + strconv.Itoa(to)
		at.from = to
		m.cursors[cursor] = at
		page["cursor"] = cursor
	}
	reply(rw, http.StatusOK, object{"data": object{"boards": []any{object{"id": at.board, "items_page": page}}}})
}

// mondaySelect keeps the selected fields of items. The values of columns have those of the
// fragment for their type besides. Columns that are computed have no value unless the
// selection says so.
func mondaySelect(items []object, selection string) ([]any, error) {
	if !strings.Contains(selection, mondayCapabilities) {
		return nil, fmt.Errorf("the selection lacks %s", mondayCapabilities)
	}
	fragments := map[string]graphqlFields{}
	for _, m := range mondayFragment.FindAllStringSubmatch(selection, -1) {
		fragments[m[1]] = graphqlSelection(m[2])
	}
	selection = strings.ReplaceAll(mondayFragment.ReplaceAllString(selection, ""), mondayCapabilities, "column_values")
	var selected []any
	for _, item := range items {
		kept, err := graphqlSelection(selection).of(item)
		if err != nil {
			return nil, err
		}
		for i, value := range item["column_values"].([]object) {
			for kind, fields := range fragments {
				if special, ok := value[kind].(object); ok {
					for name := range fields {
						kept["column_values"].([]any)[i].(object)[name] = special[name]
					}
				}
			}
		}
		selected = append(selected, kept)
	}
	return selected, nil
}

func (m *monday) nextDay() {
	m.items["1025"][150]["name"] = "Renamed"
	m.items["1025"] = m.items["1025"][1:] // deleted
	m.board("1015")["state"] = "deleted"  // with its items
	m.addItem("1005", 900)
	m.addBoard("1900", 120)
	m.cursors = map[string]mondayCursor{}
}

func (m *monday) expected(int) tables {
	want := tables{}
	for _, user := range m.users {
		want.add("users", row{"id": user["id"].(string), "email": user["email"].(string), "status": user["status"].(string)})
	}
	want["teams"] = []row{{"id": "7", "name": "Sales"}}
	want["workspaces"] = []row{{"id": "70", "state": "archived"}, {"id": "71", "state": "active"}}
	for _, board := range m.boards {
		id, state := board["id"].(string), board["state"].(string)
		if id == mondayHidden {
			continue
		}
		want.add("boards", row{"id": id, "state": state, "hierarchy_type": board["hierarchy_type"].(string)})
		want.add("board_groups", row{"board_id": id, "id": "topics"})
		want.add("board_columns", row{"board_id": id, "id": "name"}, row{"board_id": id, "id": "status"})
		if state != "active" || id == mondayGone {
			continue
		}
		for _, item := range m.items[id] {
			parent := ""
			if of, ok := item["parent_item"].(object); ok {
				parent = of["id"].(string)
			}
			number := item["id"].(string)
			want.add("items", row{"id": number, "board_id": id, "group_id": "topics", "name": item["name"].(string), "parent_item_id": parent})
			want.add("item_values",
				row{"item_id": number, "column_id": "status", "text": "Done", "linked_item_ids": ""},
				row{"item_id": number, "column_id": "mirror", "text": "a, b", "linked_item_ids": ""},
				row{"item_id": number, "column_id": "link", "text": "", "linked_item_ids": "[]"},
			)
		}
	}
	return want
}
