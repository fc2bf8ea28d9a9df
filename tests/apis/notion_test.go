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

// notion has cursors in the body of requests, and cuts long results without an error. Facts:
// https://developers.notion.com/reference/query-a-data-source,
// https://developers.notion.com/guides/data-apis/query-large-data-sources,
// https://developers.notion.com/reference/request-limits.
type notion struct {
	*world
	users, sources []map[string]any
	pages          map[string][]map[string]any // by data source
}

// notionCut is how many pages a query returns at most. The API has 10,000.
const notionCut = 150

func newNotion(w *world) imitation {
	n := &notion{world: w, pages: map[string][]map[string]any{}}
	for i := range 130 {
		n.users = append(n.users, map[string]any{"object": "user", "id": fmt.Sprint("user-", i), "type": "person", "name": fmt.Sprint("User ", i), "person": map[string]any{"email": fmt.Sprintf("u%d@example.com", i)}})
	}
	for i := range 4 {
		n.addSource(i, 120*i) // none in the first, more than a query returns in the last ones
		n.add(fmt.Sprint("source-", i), 1000, firstDay.Add(-2*time.Minute))
	}
	return n
}

// addSource adds a data source with pages that were edited every eight hours.
func (n *notion) addSource(i, pages int) {
	created := time.Date(2025, 10, 31, 12, 0, 0, 0, time.UTC)
	id := fmt.Sprint("source-", i)
	n.sources = append(n.sources, map[string]any{
		"object": "data_source", "id": id, "created_time": notionTime(created), "in_trash": false,
		"title": []any{map[string]any{"plain_text": fmt.Sprint("Source ", i)}}, "parent": map[string]any{"type": "database_id", "database_id": fmt.Sprint("database-", i)},
	})
	for p := range pages {
		n.add(id, p, created.Add(time.Duration(p)*8*time.Hour))
	}
}

// notionTime is a time in whole minutes.
func notionTime(t time.Time) string {
	return t.Truncate(time.Minute).Format("2006-01-02T15:04:05.000Z")
}

func (n *notion) add(source string, number int, edited time.Time) {
	n.pages[source] = append(n.pages[source], map[string]any{
		"object": "page", "id": fmt.Sprint(source, "-page-", number), "last_edited_time": notionTime(edited),
		"properties": map[string]any{"Name": map[string]any{"type": "title", "title": []any{map[string]any{"plain_text": "x"}}}},
	})
}

func (n *notion) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case r.Host != "api.notion.com":
		n.refuse(rw, r, http.StatusNotFound, "wrong host")
		return
	case r.Header.Get("Authorization") != "Bearer your-integration-secret":
		n.refuse(rw, r, http.StatusUnauthorized, "unauthorized")
		return
	case r.Header.Get("Notion-Version") != "2025-09-03":
		n.refuse(rw, r, http.StatusBadRequest, "missing_version")
		return
	}
	n.requests["all"]++
	if status := map[int]int{2: 429, 3: 529, 5: 409, 9: 503}[n.requests["all"]]; status != 0 {
		if status == 429 || status == 529 {
			rw.Header().Set("Retry-After", "45")
		}
		code := map[int]string{429: "rate_limited", 529: "service_overload", 409: "conflict_error", 503: "service_unavailable"}[status]
		reply(rw, status, map[string]any{"object": "error", "status": status, "code": code, "message": "try again"})
		return
	}
	body := notionQuery{}
	source, query := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1/data_sources/"), "/query")
	if r.Method == http.MethodPost {
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&body); err != nil || r.Header.Get("Content-Type") != "application/json" {
			n.refuse(rw, r, http.StatusBadRequest, fmt.Sprint("validation_error: ", err))
			return
		}
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/v1/users":
		body.StartCursor = r.URL.Query().Get("start_cursor")
		body.PageSize, _ = strconv.Atoi(r.URL.Query().Get("page_size"))
		n.page(rw, r, n.users, body)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/search" && body.Filter.Property == "object" && body.Filter.Value == "data_source":
		n.page(rw, r, n.sources, body)
	case r.Method == http.MethodPost && query && n.pages[source] != nil:
		n.query(rw, r, source, body)
	default:
		n.refuse(rw, r, http.StatusBadRequest, "invalid_request_url or validation_error")
	}
}

// notionQuery is the body of a request.
type notionQuery struct {
	StartCursor string `json:"start_cursor"`
	PageSize    int    `json:"page_size"`
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

// query answers with the pages of a data source that the filter selects.
func (n *notion) query(rw http.ResponseWriter, r *http.Request, source string, body notionQuery) {
	items := []map[string]any{}
	if len(body.Filter.And) != 2 {
		n.refuse(rw, r, http.StatusBadRequest, "no filter")
		return
	}
	for _, page := range n.pages[source] {
		edited, _ := time.Parse(time.RFC3339, page["last_edited_time"].(string))
		selected := true
		for _, f := range body.Filter.And {
			if f.Timestamp != "last_edited_time" || (f.Edited.OnOrAfter == nil) == (f.Edited.Before == nil) {
				n.refuse(rw, r, http.StatusBadRequest, "validation_error: filter")
				return
			}
			selected = selected && (f.Edited.OnOrAfter == nil || !edited.Before(*f.Edited.OnOrAfter)) && (f.Edited.Before == nil || edited.Before(*f.Edited.Before))
		}
		if selected {
			items = append(items, page)
		}
	}
	n.page(rw, r, items, body)
}

// page answers with a page of the items, which the API may make shorter than page_size.
func (n *notion) page(rw http.ResponseWriter, r *http.Request, items []map[string]any, body notionQuery) {
	from := 0
	if body.StartCursor != "" {
		from = slices.IndexFunc(items, func(item map[string]any) bool { return item["id"] == body.StartCursor })
	}
	if from < 0 || body.PageSize < 1 || body.PageSize > 100 {
		n.refuse(rw, r, http.StatusBadRequest, "validation_error: start_cursor or page_size")
		return
	}
	answer := map[string]any{"object": "list", "has_more": false, "next_cursor": nil, "request_status": map[string]any{"type": "complete"}}
	if len(items) > notionCut {
		items = items[:notionCut]
		answer["request_status"] = map[string]any{"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
	}
	to := min(from+max(1, body.PageSize-60), len(items))
	if to < len(items) {
		answer["has_more"], answer["next_cursor"] = true, items[to]["id"]
	}
	answer["results"] = items[from:to]
	reply(rw, http.StatusOK, answer)
}

func (n *notion) nextDay() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pages["source-2"][5]["last_edited_time"] = notionTime(firstDay.Add(3 * time.Hour))
	n.pages["source-3"] = n.pages["source-3"][1:] // to the trash
	n.add("source-1", 2000, firstDay.Add(4*time.Hour))
	n.add("source-1", 2001, firstDay.Add(-4*time.Minute)) // it came late
	n.add("source-0", 2002, firstDay)
	n.addSource(9, 7) // shared with the integration only now
}

func (n *notion) expected(day int) tables {
	want := tables{}
	for _, user := range n.users {
		want["users"] = append(want["users"], row{"id": user["id"].(string), "name": user["name"].(string)})
	}
	for _, source := range n.sources {
		id := source["id"].(string)
		want["data_sources"] = append(want["data_sources"], row{"id": id, "database_id": strings.Replace(id, "source", "database", 1)})
		for _, page := range n.pages[id] {
			edited := page["last_edited_time"].(string)
			if day == 1 || id == "source-9" || edited >= notionTime(firstDay.Add(-5*time.Minute)) {
				want["pages"] = append(want["pages"], row{"id": page["id"].(string), "data_source_id": id, "last_edited_time": edited})
			}
		}
	}
	return want
}
