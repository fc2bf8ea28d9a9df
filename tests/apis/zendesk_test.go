package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// zendesk exports tickets and users in the order of their changes: a cursor is a place in
// this order, which stays valid for the next export. Organizations are exported by the
// second of their change. Facts:
//   - a token comes from the client credentials of a confidential client, for 300 to 172,800
//     seconds: https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/
//   - exports accept 10 requests in a minute. Tickets of AI agents are left out unless
//     support_type_scope is "all". A page by time has all items of its last second, and the
//     next page begins with them again:
//     https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/
//   - a page of an export may be empty before the end of the stream, groups that were
//     deleted are left out unless exclude_deleted is false, and deleted tickets have no
//     metrics: the connectors of Airbyte and Estuary.
type zendesk struct {
	*world
	streams       map[string][]map[string]any // in the order of the changes
	organizations []map[string]any            // in the order of the changes
	lists         map[string][]map[string]any
	ends          map[string]int       // the length of each stream after the first day
	lastSecond    int64                // of the organizations that the first day has exported
	sent          []time.Time          // exports of the last minute
	tokens        map[string]time.Time // by the header Authorization
}

const (
	zendeskPage     = 100
	zendeskListPage = 100
	zendeskSince    = 1577836800 // 2020-01-01
)

func newZendesk(w *world) imitation {
	z := &zendesk{world: w, streams: map[string][]map[string]any{}, ends: map[string]int{}, lists: map[string][]map[string]any{}, tokens: map[string]time.Time{}}
	for i := range 1430 {
		z.ticket(i, "open")
	}
	for i := range 2*zendeskPage + 1 {
		z.user(i, true)
	}
	for i := range 2*zendeskPage + 30 {
		z.organization(i, zendeskSince+int64(i/3)) // three change in each second
	}
	z.lastSecond = z.organizations[len(z.organizations)-1]["second"].(int64)
	for i := range zendeskListPage + 20 {
		z.lists["groups"] = append(z.lists["groups"], map[string]any{"id": 3400 + i, "name": "Group " + strconv.Itoa(i), "deleted": i%40 == 39})
	}
	z.lists["ticket_fields"] = []map[string]any{
		{"id": 27642, "title": "Order", "type": "text", "active": true},
		{"id": 27648, "title": "Reasons", "type": "multiselect", "active": false},
	}
	for i := range zendeskListPage {
		z.lists["ticket_fields"] = append(z.lists["ticket_fields"], map[string]any{"id": 28000 + i, "title": "Field " + strconv.Itoa(i), "type": "text", "active": true})
	}
	return z
}

// ticket changes a ticket: its new state is at the end of the stream. One in ten is handled
// by an AI agent.
func (z *zendesk) ticket(i int, status string) {
	id := 360001000000 + i
	ticket := map[string]any{
		"id": id, "subject": "Ticket " + strconv.Itoa(i), "status": status, "priority": nil, "ai": i%10 == 9,
		"via": map[string]any{"channel": "web"}, "tags": []any{"web", "t" + strconv.Itoa(i%3)},
		"custom_fields": []any{map[string]any{"id": 27642, "value": strconv.Itoa(i)}, map[string]any{"id": 27648, "value": []any{"a", "b"}}},
	}
	if status != "deleted" {
		ticket["metric_set"] = map[string]any{
			"id": 7 + id, "ticket_id": id, "replies": i % 4, "reopens": 0, "solved_at": nil,
			"reply_time_in_minutes": map[string]any{"calendar": i, "business": nil},
		}
	}
	z.streams["tickets"] = append(z.streams["tickets"], ticket)
}

func (z *zendesk) user(i int, active bool) {
	z.streams["users"] = append(z.streams["users"], map[string]any{"id": 90001 + i, "name": "User " + strconv.Itoa(i), "email": nil, "role": "end-user", "active": active})
}

func (z *zendesk) organization(i int, second int64) map[string]any {
	o := map[string]any{"id": 57000 + i, "name": "Organization " + strconv.Itoa(i), "domain_names": []any{}, "deleted_at": nil, "second": second}
	z.organizations = append(z.organizations, o)
	slices.SortStableFunc(z.organizations, func(a, b map[string]any) int { return int(a["second"].(int64) - b["second"].(int64)) })
	return o
}

func (z *zendesk) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if r.Host != "your-company.zendesk.com" {
		z.refuse(rw, r, http.StatusNotFound, "no such account")
		return
	}
	if r.URL.Path == "/oauth/tokens" {
		z.login(rw, r)
		return
	}
	z.requests[""]++
	switch end, ok := z.tokens[r.Header.Get("Authorization")]; {
	case !ok:
		z.refuse(rw, r, http.StatusUnauthorized, "no such token")
		return
	case !z.Now().Before(end), z.requests[""] == 7: // expired, or revoked by an administrator
		z.shows(expiredToken)
		reply(rw, http.StatusUnauthorized, map[string]any{"error": "invalid_token", "error_description": "The access token provided is expired, revoked, malformed or invalid for other reasons."})
		return
	}
	path, inAPI := strings.CutPrefix(r.URL.Path, "/api/v2/")
	switch {
	case !inAPI || r.Method != http.MethodGet:
		z.refuse(rw, r, http.StatusNotFound, "no such endpoint")
	case strings.HasPrefix(path, "incremental/") && z.isBusy():
		z.refuse(rw, r, http.StatusTooManyRequests, "more than 10 requests in a minute")
	case path == "incremental/tickets/cursor.json":
		z.changes(rw, r, "tickets")
	case path == "incremental/users/cursor.json":
		z.changes(rw, r, "users")
	case path == "incremental/organizations.json":
		z.changesByTime(rw, r)
	case path == "groups.json", path == "ticket_fields.json":
		z.list(rw, r, strings.TrimSuffix(path, ".json"))
	default:
		z.refuse(rw, r, http.StatusNotFound, "no such endpoint")
	}
}

func (z *zendesk) login(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		Grant   string `json:"grant_type"`
		ID      string `json:"client_id"`
		Secret  string `json:"client_secret"`
		Scope   string `json:"scope"`
		Expires int    `json:"expires_in"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	switch {
	case err != nil || r.Method != http.MethodPost || body.Grant != "client_credentials" || body.Scope != "read" || body.Expires <= 300 || body.Expires >= 172800:
		z.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("not a request for a token: %+v (%v)", body, err))
		return
	case body.ID != "your-client-identifier" || body.Secret != "your-client-secret":
		z.refuse(rw, r, http.StatusUnauthorized, "wrong client")
		return
	}
	token := fmt.Sprintf("token-%d", len(z.tokens)+1)
	z.tokens["Bearer "+token] = z.Now().Add(time.Duration(body.Expires) * time.Second)
	reply(rw, http.StatusCreated, map[string]any{"access_token": token, "token_type": "bearer", "scope": body.Scope, "expires_in": body.Expires})
}

// changes sends a page of an export by cursor.
func (z *zendesk) changes(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	from, skipped, err := z.from(query.Get("cursor"), query.Get("start_time"))
	if err != nil {
		z.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	z.requests[name]++
	switch {
	case z.requests[name] == 3:
		rw.Header().Set("Retry-After", "93")
		reply(rw, http.StatusTooManyRequests, map[string]any{"error": "TooManyRequests", "description": "Number of allowed incremental export API requests per minute exceeded"})
		return
	case z.requests[name] == 2 && name == "tickets": // an export that grows while it is read
		z.ticket(5000, "new")
		z.ticket(8, "pending") // it has been exported with the first page
	}
	stream := z.streams[name]
	to := min(from+zendeskPage, len(stream))
	if name == "tickets" && from == 2*zendeskPage && !skipped { // nothing was found yet
		z.shows(shortPage)
		to, skipped = from, true
	} else {
		skipped = false
	}
	after := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%d|%t|", to, skipped))
	reply(rw, http.StatusOK, map[string]any{
		name: z.sideload(stream[from:to], query.Get("include"), query.Get("support_type_scope")), "end_of_stream": to == len(stream),
		"before_cursor": nil, "before_url": nil, "after_cursor": after, "after_url": address(r.Host, r.URL.Path+"?cursor="+after),
	})
}

// from is where the page begins that a request is for, and whether an empty page was sent
// there.
func (z *zendesk) from(cursor, start string) (from int, skipped bool, err error) {
	if (cursor == "") == (start == "") {
		return 0, false, fmt.Errorf("either cursor or start_time is expected, not %q and %q", cursor, start)
	}
	if start != "" {
		if start != strconv.Itoa(zendeskSince) {
			err = fmt.Errorf("start_time is %s", start)
		}
		return 0, false, err
	}
	text, err := base64.StdEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(strings.ReplaceAll(string(text), "|", " "), "%d %t", &from, &skipped)
	}
	return from, skipped, err
}

// sideload returns the items with what the request wants.
func (z *zendesk) sideload(items []map[string]any, include, scope string) []map[string]any {
	sent := []map[string]any{}
	for _, item := range items {
		if item["ai"] == true && scope != "all" {
			continue
		}
		copied := map[string]any{}
		for key, v := range item {
			if key != "ai" && (key != "metric_set" || include == "metric_sets") {
				copied[key] = v
			}
		}
		switch {
		case copied["status"] == "deleted":
			z.shows(deleted, absentKey)
		case copied["status"] != nil:
			z.shows(oddValue) // no priority, and a list as the value of a field
		}
		sent = append(sent, copied)
	}
	return sent
}

// changesByTime sends a page of the organizations that changed in a second or later.
func (z *zendesk) changesByTime(rw http.ResponseWriter, r *http.Request) {
	second, err := strconv.ParseInt(r.URL.Query().Get("start_time"), 10, 64)
	if err != nil || second > z.Now().Unix()-60 {
		z.refuse(rw, r, http.StatusBadRequest, "start_time must be a time more than a minute ago")
		return
	}
	page := slices.Clone(z.since(second))
	more := false
	if len(page) > zendeskPage {
		end := zendeskPage
		for end < len(page) && page[end]["second"] == page[end-1]["second"] {
			z.shows(tie)
			end++
		}
		page, more = page[:end], end < len(page)
	}
	body := map[string]any{"organizations": page, "count": len(page), "end_of_stream": !more, "end_time": nil, "next_page": nil}
	if len(page) > 0 {
		last := page[len(page)-1]["second"]
		body["end_time"], body["next_page"] = last, address(r.Host, fmt.Sprintf("%s?start_time=%d", r.URL.Path, last))
	}
	reply(rw, http.StatusOK, body)
}

// since are the organizations that changed in a second or later.
func (z *zendesk) since(second int64) []map[string]any {
	i := slices.IndexFunc(z.organizations, func(o map[string]any) bool { return o["second"].(int64) >= second })
	return z.organizations[max(i, 0):]
}

// list sends a page of a list that is paged by cursor.
func (z *zendesk) list(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("page[size]"))
	from := 0
	if after := query.Get("page[after]"); err == nil && after != "" {
		from, err = strconv.Atoi(after)
	}
	if err != nil || size < 1 || size > zendeskListPage {
		z.refuse(rw, r, http.StatusBadRequest, "the page size is between 1 and 100")
		return
	}
	all := z.lists[name]
	to := min(from+size, len(all))
	items := []map[string]any{}
	for _, item := range all[from:to] {
		if item["deleted"] == true && query.Get("exclude_deleted") != "false" {
			continue
		}
		if item["active"] == false {
			z.shows(archived)
		}
		items = append(items, item)
	}
	reply(rw, http.StatusOK, map[string]any{name: items, "meta": map[string]any{"has_more": to < len(all), "after_cursor": strconv.Itoa(to)}})
}

// isBusy counts an export, and reports whether there are more than 10 in a minute.
func (z *zendesk) isBusy() bool {
	now := z.Now()
	for len(z.sent) > 0 && now.Sub(z.sent[0]) >= time.Minute {
		z.sent = z.sent[1:]
	}
	z.sent = append(z.sent, now)
	return len(z.sent) > 10
}

func (z *zendesk) nextDay() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for name, stream := range z.streams {
		z.ends[name] = len(stream)
	}
	z.ticket(3, "solved")
	z.ticket(4, "deleted")
	z.ticket(5001, "new")
	z.user(7, false)
	z.organization(500, z.lastSecond) // it was not yet there when the first day ended
	z.organizations[0]["deleted_at"] = "2026-03-02T08:00:00Z"
	z.organizations[0]["second"] = firstDay.Add(2 * time.Hour).Unix()
	gone := z.organizations[0]
	z.organizations = append(z.organizations[1:], gone)
	z.lists["groups"][0]["deleted"] = true
}

// repeats: what changes while it is exported comes again, and so does the last second of
// each page of organizations.
func (z *zendesk) repeats(table string) bool {
	return strings.HasPrefix(table, "ticket") || table == "organizations"
}

// notShown are conditions that cannot occur here.
func (z *zendesk) notShown() map[condition]string {
	return map[condition]string{
		forbidden:     "no job has a parent: an administrator exports everything",
		missingParent: "no job has a parent whose items it requests",
		errorIn200:    "Zendesk reports every error by the status",
	}
}

func (z *zendesk) expected(day int) tables {
	z.mu.Lock()
	defer z.mu.Unlock()
	want := tables{}
	tickets := map[any]map[string]any{} // the last state of each
	for _, ticket := range z.streams["tickets"][z.ends["tickets"]:] {
		tickets[ticket["id"]] = ticket
	}
	for _, ticket := range tickets {
		id := fmt.Sprint(ticket["id"])
		want["tickets"] = append(want["tickets"], row{"id": id, "status": ticket["status"].(string), "subject": ticket["subject"].(string), "priority": "", "channel": "web"})
		fields := ticket["custom_fields"].([]any)
		want["ticket_fields"] = append(want["ticket_fields"],
			row{"ticket_id": id, "id": "27642", "value": fields[0].(map[string]any)["value"].(string)},
			row{"ticket_id": id, "id": "27648", "value": `["a","b"]`})
		if metrics, ok := ticket["metric_set"].(map[string]any); ok {
			minutes := metrics["reply_time_in_minutes"].(map[string]any)["calendar"]
			want["ticket_metrics"] = append(want["ticket_metrics"], row{"ticket_id": id, "replies": fmt.Sprint(metrics["replies"]), "first_reply_minutes": fmt.Sprint(minutes), "first_reply_business_minutes": ""})
		}
	}
	yes := map[any]string{true: "1", false: ""}
	for _, user := range z.streams["users"][z.ends["users"]:] {
		want["users"] = append(want["users"], row{"id": fmt.Sprint(user["id"]), "active": yes[user["active"]]})
	}
	organizations := z.organizations
	if day == 2 {
		organizations = z.since(z.lastSecond)
	}
	for _, o := range organizations {
		gone, _ := o["deleted_at"].(string)
		want["organizations"] = append(want["organizations"], row{"id": fmt.Sprint(o["id"]), "name": o["name"].(string), "domain_names": "[]", "deleted_at": gone})
	}
	for _, g := range z.lists["groups"] {
		want["groups"] = append(want["groups"], row{"id": fmt.Sprint(g["id"]), "name": g["name"].(string), "deleted": yes[g["deleted"]]})
	}
	for _, f := range z.lists["ticket_fields"] {
		want["fields"] = append(want["fields"], row{"id": fmt.Sprint(f["id"]), "title": f["title"].(string), "active": yes[f["active"]]})
	}
	return want
}
