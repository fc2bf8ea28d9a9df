package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// notion has cursors in the body of requests, and cuts long results without an error. A relation
// has at most 25 pages in a page, and says that it has more. Queries leave out the trash, or with
// a parameter everything else.
type notion struct {
	*world
	users, sources []object
	pages          map[string][]object // by data source
}

const (
	// notionCut is how many pages a query returns at most. The API has 10,000.
	notionCut = 150
	// notionReferences is how many pages of a relation a page has at most.
	notionReferences = 25
	// notionRelated is how many pages the relation of notionHub has.
	notionRelated = 130
	notionHub     = "source-1-page-7"
	// notionGone is a data source that search still finds after it was deleted.
	notionGone = "source-gone"
)

func newNotion(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "a 403 means that the whole connection lacks a capability; a data source that is not shared is a 404",
		errorIn200:   "the only problem with the status 200 is a result of more than 10,000 pages, which ends the run",
		expiredToken: "the token of an internal connection does not expire",
	}
	n := &notion{world: w, pages: map[string][]object{}}
	for i := range 130 {
		n.users = append(n.users, object{"object": "user", "id": fmt.Sprint("user-", i), "type": "person", "name": fmt.Sprint("User ", i), "person": object{"email": fmt.Sprintf("u%d@example.com", i)}})
	}
	n.users[4]["name"] = nil
	n.users[5]["person"] = object{} // the connection may not see the address
	for i := range 4 {
		n.addSource(i, 120*i) // none in the first, more than a query returns in the last ones
		n.add(fmt.Sprint("source-", i), 1000, firstDay.Add(-2*time.Minute))
	}
	n.add("source-2", 1001, time.Date(2021, 5, 4, 3, 2, 0, 0, time.UTC)) // older than its data source
	n.pages["source-2"][3]["is_archived"] = true
	n.sources = append(n.sources, object{"object": "data_source", "id": notionGone, "created_time": notionTime(firstDay.Add(-24 * time.Hour)), "title": []any{}, "parent": object{}})
	return n
}

// addSource adds a data source with pages, of which two are edited every 16 hours.
func (n *notion) addSource(i, pages int) {
	created := time.Date(2025, 10, 31, 12, 0, 0, 0, time.UTC)
	id := fmt.Sprint("source-", i)
	n.sources = append(n.sources, object{
		"object": "data_source", "id": id, "created_time": notionTime(created), "in_trash": false,
		"title": []any{object{"plain_text": fmt.Sprint("Source ", i)}}, "parent": object{"type": "database_id", "database_id": fmt.Sprint("database-", i)},
	})
	for p := range pages {
		n.add(id, p, created.Add(time.Duration((p+1)/2)*16*time.Hour)) // two at a time
	}
}

// notionTime is a time in whole minutes.
func notionTime(t time.Time) string {
	return t.Truncate(time.Minute).Format("2006-01-02T15:04:05.000Z")
}

func (n *notion) add(source string, number int, edited time.Time) {
	n.pages[source] = append(n.pages[source], object{
		"object": "page", "id": fmt.Sprint(source, "-page-", number), "last_edited_time": notionTime(edited), "in_trash": false, "is_archived": false,
		"properties": object{
			"Name":    object{"id": "title", "type": "title", "title": []any{object{"plain_text": `"has_more":true`}}},
			"Status":  object{"id": "%3AUPp", "type": "select", "select": nil},
			"Related": object{"id": "b%7D%3Ek", "type": "relation", "relation": []any{}, "has_more": false},
		},
	})
	if page := n.pages[source][len(n.pages[source])-1]; page["id"] == notionHub {
		page["properties"].(object)["Related"] = object{"id": "b%7D%3Ek", "type": "relation", "relation": notionRelation()[:notionReferences], "has_more": true}
	}
}

// notionRelation is the whole relation of notionHub.
func notionRelation() []any {
	var all []any
	for i := range notionRelated {
		all = append(all, object{"id": fmt.Sprint("related-", i)})
	}
	return all
}

func (n *notion) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n.admit(r, "api.notion.com", map[string]string{"Authorization": "Bearer your-connection-token", "Notion-Version": "2026-03-11"})
	n.requests["all"]++
	if status := map[int]int{2: 429, 3: 529, 5: 409, 9: 503}[n.requests["all"]]; status != 0 {
		if status == 429 || status == 529 {
			rw.Header().Set("Retry-After", "45")
		}
		code := map[int]string{429: "rate_limited", 529: "service_overload", 409: "conflict_error", 503: "service_unavailable"}[status]
		reply(rw, status, object{"object": "error", "status": status, "code": code, "message": "try again"})
		return
	}
	body := notionQuery{}
	get := r.Method == http.MethodGet
	source, query := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1/data_sources/"), "/query")
	if r.Method == http.MethodPost {
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&body)
		n.refuseIf(err != nil || r.Header.Get("Content-Type") != "application/json",
			"validation_error: ", err)
	}
	if get {
		body.StartCursor = r.URL.Query().Get("start_cursor")
		body.PageSize, _ = strconv.Atoi(r.URL.Query().Get("page_size"))
	}
	switch {
	case get && r.URL.Path == "/v1/users":
		n.shows(oddValue, absentKey)
		n.page(rw, r, n.users, body)
	case get && r.URL.Path == "/v1/pages/"+notionHub:
		reply(rw, http.StatusOK, n.pages["source-1"][slices.IndexFunc(n.pages["source-1"], func(page object) bool { return page["id"] == notionHub })])
	case get && r.URL.EscapedPath() == "/v1/pages/"+notionHub+"/properties/b%7D%3Ek":
		var items []object
		for _, related := range notionRelation() {
			items = append(items, object{"object": "property_item", "id": related.(object)["id"], "type": "relation", "relation": related})
		}
		n.page(rw, r, items, body)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/search" && body.Filter.Property == "object" && body.Filter.Value == "data_source":
		n.page(rw, r, n.sources, body)
	case r.Method == http.MethodPost && query && source == notionGone:
		n.shows(missingParent)
		reply(rw, http.StatusNotFound, object{"object": "error", "status": 404, "code": "object_not_found", "message": "Could not find data source"})
	case r.Method == http.MethodPost && query && n.pages[source] != nil:
		n.query(rw, r, source, body)
	default:
		n.refuse("invalid_request_url or validation_error")
	}
}

// notionQuery is the body of a request.
type notionQuery struct {
	StartCursor string `json:"start_cursor"`
	PageSize    int    `json:"page_size"`
	ResultType  string `json:"result_type"`
	InTrash     bool   `json:"in_trash"`
	Filter      struct {
		Property, Value string
		And             []struct {
			Timestamp string
			Edited    struct {
				OnOrAfter *time.Time `json:"on_or_after"`
				Before    *time.Time
			} `json:"last_edited_time"`
		}
	}
}

func (n *notion) query(rw http.ResponseWriter, r *http.Request, source string, body notionQuery) {
	items := []object{}
	n.refuseIf(body.ResultType != "page" || len(body.Filter.And) != 2 && !body.InTrash,
		"neither a filter nor the trash")
	for _, page := range n.pages[source] {
		edited, _ := time.Parse(time.RFC3339, page["last_edited_time"].(string))
		selected := page["in_trash"] == body.InTrash
		for _, f := range body.Filter.And {
			n.refuseIf(f.Timestamp != "last_edited_time" ||
				(f.Edited.OnOrAfter == nil) == (f.Edited.Before == nil), "validation_error: filter")
			selected = selected && (f.Edited.OnOrAfter == nil || !edited.Before(*f.Edited.OnOrAfter)) && (f.Edited.Before == nil || edited.Before(*f.Edited.Before))
		}
		if selected {
			items = append(items, page)
		}
		n.showsIf(selected && page["is_archived"] == true, archived)
		n.showsIf(selected && body.InTrash, deleted)
	}
	n.page(rw, r, items, body)
}

// page responds with a page of the items, which the API may make shorter than page_size.
func (n *notion) page(rw http.ResponseWriter, r *http.Request, items []object, body notionQuery) {
	from := 0
	if body.StartCursor != "" {
		from = slices.IndexFunc(items, func(item object) bool { return item["id"] == body.StartCursor })
	}
	n.refuseIf(from < 0 || body.PageSize < 1 || body.PageSize > 100,
		"validation_error: start_cursor or page_size")
	response := object{"object": "list", "has_more": false, "next_cursor": nil, "request_status": object{"type": "complete"}}
	if len(items) > notionCut {
		items = items[:notionCut]
		response["request_status"] = object{"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
	}
	to := min(from+max(1, body.PageSize-60), len(items))
	if to < len(items) {
		n.shows(shortPage)
		response["has_more"], response["next_cursor"] = true, items[to]["id"]
		if edited := items[to]["last_edited_time"]; edited != nil && edited == items[to-1]["last_edited_time"] {
			n.shows(tie)
		}
	}
	response["results"] = items[from:to]
	reply(rw, http.StatusOK, response)
}

func (n *notion) nextDay() {
	n.pages["source-2"][5]["last_edited_time"] = notionTime(firstDay.Add(3 * time.Hour))
	n.pages["source-3"][0]["in_trash"] = true
	n.add("source-1", 2000, firstDay.Add(4*time.Hour))
	n.add("source-1", 2001, firstDay.Add(-4*time.Minute)) // it came late
	n.add("source-0", 2002, firstDay)
	n.addSource(9, 7) // shared with the integration only now
}

func (n *notion) expected(day int) tables {
	want, stored := tables{}, map[any]string{true: "1"}
	for _, user := range n.users {
		name, _ := user["name"].(string)
		email, _ := user["person"].(object)["email"].(string)
		want.add("users", row{"id": user["id"].(string), "name": name, "email": email})
	}
	for _, source := range n.sources {
		id := source["id"].(string)
		database, _ := source["parent"].(object)["database_id"].(string)
		want.add("data_sources", row{"id": id, "database_id": database})
		for _, page := range n.pages[id] {
			edited := page["last_edited_time"].(string)
			if day == 1 || id == "source-9" || page["in_trash"] == true || edited >= notionTime(firstDay.Add(-5*time.Minute)) {
				want.add("pages", row{"id": page["id"].(string), "data_source_id": id, "last_edited_time": edited, "in_trash": stored[page["in_trash"]], "is_archived": stored[page["is_archived"]]})
			}
		}
	}
	want["relations"] = []row{}
	if day == 1 {
		for _, related := range notionRelation() {
			want.add("relations", row{"page_id": notionHub, "property_id": "b%7D%3Ek", "property_name": "Related", "related_page_id": related.(object)["id"].(string)})
		}
	}
	return want
}
