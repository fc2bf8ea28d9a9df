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
	streams       map[string][]object // in the order of the changes
	organizations []object            // in the order of the changes
	lists         map[string][]object
	ends          map[string]int       // the length of each stream after the first day
	lastSecond    int64                // of the organizations that the first day has exported
	tokens        map[string]time.Time // by the header Authorization
}

const (
	zendeskPage     = 100
	zendeskListPage = 100
	zendeskSince    = 1577836800 // 2020-01-01
)

func newZendesk(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "no job has a parent: an administrator exports everything",
		missingParent: "no job has a parent whose items it requests",
		errorIn200:    "Zendesk reports every error by the status",
	}
	z := &zendesk{world: w, streams: map[string][]object{}, ends: map[string]int{}, lists: map[string][]object{}, tokens: map[string]time.Time{}}
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
		z.lists["groups"] = append(z.lists["groups"], object{"id": 3400 + i, "name": "Group " + strconv.Itoa(i), "deleted": i%40 == 39})
	}
	z.lists["ticket_fields"] = []object{
		{"id": 27642, "title": "Order", "type": "text", "active": true},
		{"id": 27648, "title": "Reasons", "type": "multiselect", "active": false},
	}
	for i := range zendeskListPage {
		z.lists["ticket_fields"] = append(z.lists["ticket_fields"], object{"id": 28000 + i, "title": "Field " + strconv.Itoa(i), "type": "text", "active": true})
	}
	return z
}

// ticket changes a ticket: its new state is at the end of the stream. One in ten is handled
// by an AI agent.
func (z *zendesk) ticket(i int, status string) {
	id := 360001000000 + i
	ticket := object{
		"id": id, "subject": "Ticket " + strconv.Itoa(i), "status": status, "priority": nil, "ai": i%10 == 9,
		"via": object{"channel": "web"}, "tags": []any{"web", "t" + strconv.Itoa(i%3)},
		"custom_fields": []any{object{"id": 27642, "value": strconv.Itoa(i)}, object{"id": 27648, "value": []any{"a", "b"}}},
	}
	if status != "deleted" {
		ticket["metric_set"] = object{
			"id": 7 + id, "ticket_id": id, "replies": i % 4, "reopens": 0, "solved_at": nil,
			"reply_time_in_minutes": object{"calendar": i, "business": nil},
		}
	}
	z.streams["tickets"] = append(z.streams["tickets"], ticket)
}

func (z *zendesk) user(i int, active bool) {
	z.streams["users"] = append(z.streams["users"], object{"id": 90001 + i, "name": "User " + strconv.Itoa(i), "email": nil, "role": "end-user", "active": active})
}

func (z *zendesk) organization(i int, second int64) object {
	o := object{"id": 57000 + i, "name": "Organization " + strconv.Itoa(i), "domain_names": []any{}, "deleted_at": nil, "second": second}
	z.organizations = append(z.organizations, o)
	slices.SortStableFunc(z.organizations, func(a, b object) int { return int(a["second"].(int64) - b["second"].(int64)) })
	return o
}

func (z *zendesk) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	z.refuseIf(r.Host != "your-company.zendesk.com", "no such account")
	if r.URL.Path == "/oauth/tokens" {
		z.login(rw, r)
		return
	}
	z.requests[""]++
	switch end, ok := z.tokens[r.Header.Get("Authorization")]; {
	case !ok:
		z.refuse("no such token")
	case !z.Now().Before(end), z.requests[""] == 7: // expired, or revoked by an administrator
		z.shows(expiredToken)
		fail(rw, http.StatusUnauthorized, object{"error": "invalid_token", "error_description": "The access token provided is expired, revoked, malformed or invalid for other reasons."})
	}
	path, inAPI := strings.CutPrefix(r.URL.Path, "/api/v2/")
	z.refuseIf(!inAPI || r.Method != http.MethodGet, "no such endpoint")
	z.refuseIf(strings.HasPrefix(path, "incremental/") && z.recent("exports", time.Minute) > 10, "more than 10 requests in a minute")
	switch {
	case path == "incremental/tickets/cursor.json":
		z.changes(rw, r, "tickets")
	case path == "incremental/users/cursor.json":
		z.changes(rw, r, "users")
	case path == "incremental/organizations.json":
		z.changesByTime(rw, r)
	case path == "groups.json", path == "ticket_fields.json":
		z.list(rw, r, strings.TrimSuffix(path, ".json"))
	default:
		z.refuse("no such endpoint")
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
	z.refuseIf(err != nil || r.Method != http.MethodPost || body.Grant != "client_credentials" ||
		body.Scope != "read" || body.Expires <= 300 || body.Expires >= 172800,
		fmt.Sprintf("not a request for a token: %+v (%v)", body, err))
	z.refuseIf(body.ID != "your-client-identifier" || body.Secret != "your-client-secret", "wrong client")
	token := fmt.Sprintf("token-%d", len(z.tokens)+1)
	z.tokens["Bearer "+token] = z.Now().Add(time.Duration(body.Expires) * time.Second)
	reply(rw, http.StatusCreated, object{"access_token": token, "token_type": "bearer", "scope": body.Scope, "expires_in": body.Expires})
}

func (z *zendesk) changes(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	from, skipped, err := z.from(query.Get("cursor"), query.Get("start_time"))
	z.refuseIf(err != nil, err)
	z.requests[name]++
	failIf(z.requests[name] == 3,
		rw, http.StatusTooManyRequests, object{"error": "TooManyRequests", "description": "Number of allowed incremental export API requests per minute exceeded"}, "Retry-After", "93")
	if z.requests[name] == 2 && name == "tickets" { // an export that grows while it is read
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
	reply(rw, http.StatusOK, object{
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

func (z *zendesk) sideload(items []object, include, scope string) []object {
	sent := []object{}
	for _, item := range items {
		if item["ai"] == true && scope != "all" {
			continue
		}
		copied := object{}
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

func (z *zendesk) changesByTime(rw http.ResponseWriter, r *http.Request) {
	second, err := strconv.ParseInt(r.URL.Query().Get("start_time"), 10, 64)
	z.refuseIf(err != nil || second > z.Now().Unix()-60, "start_time must be a time more than a minute ago")
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
	body := object{"organizations": page, "count": len(page), "end_of_stream": !more, "end_time": nil, "next_page": nil}
	if len(page) > 0 {
		last := page[len(page)-1]["second"]
		body["end_time"], body["next_page"] = last, address(r.Host, fmt.Sprintf("%s?start_time=%d", r.URL.Path, last))
	}
	reply(rw, http.StatusOK, body)
}

func (z *zendesk) since(second int64) []object {
	i := slices.IndexFunc(z.organizations, func(o object) bool { return o["second"].(int64) >= second })
	return z.organizations[max(i, 0):]
}

func (z *zendesk) list(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("page[size]"))
	from := 0
	if after := query.Get("page[after]"); err == nil && after != "" {
		from, err = strconv.Atoi(after)
	}
	z.refuseIf(err != nil || size < 1 || size > zendeskListPage, "the page size is between 1 and 100")
	all := z.lists[name]
	to := min(from+size, len(all))
	items := []object{}
	for _, item := range all[from:to] {
		if item["deleted"] == true && query.Get("exclude_deleted") != "false" {
			continue
		}
		z.showsIf(item["active"] == false, archived)
		items = append(items, item)
	}
	reply(rw, http.StatusOK, object{name: items, "meta": object{"has_more": to < len(all), "after_cursor": strconv.Itoa(to)}})
}

func (z *zendesk) nextDay() {
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

func (z *zendesk) expected(day int) tables {
	want := tables{}
	tickets := map[any]object{} // the last state of each
	for _, ticket := range z.streams["tickets"][z.ends["tickets"]:] {
		tickets[ticket["id"]] = ticket
	}
	for _, ticket := range tickets {
		id := fmt.Sprint(ticket["id"])
		want.add("tickets", row{"id": id, "status": ticket["status"].(string), "subject": ticket["subject"].(string), "priority": "", "channel": "web"})
		fields := ticket["custom_fields"].([]any)
		want.add("ticket_fields",
			row{"ticket_id": id, "id": "27642", "value": fields[0].(object)["value"].(string)},
			row{"ticket_id": id, "id": "27648", "value": `["a","b"]`})
		if metrics, ok := ticket["metric_set"].(object); ok {
			minutes := metrics["reply_time_in_minutes"].(object)["calendar"]
			want.add("ticket_metrics", row{"ticket_id": id, "replies": fmt.Sprint(metrics["replies"]), "first_reply_minutes": fmt.Sprint(minutes), "first_reply_business_minutes": ""})
		}
	}
	yes := map[any]string{true: "1", false: ""}
	for _, user := range z.streams["users"][z.ends["users"]:] {
		want.add("users", row{"id": fmt.Sprint(user["id"]), "active": yes[user["active"]]})
	}
	organizations := z.organizations
	if day == 2 {
		organizations = z.since(z.lastSecond)
	}
	for _, o := range organizations {
		gone, _ := o["deleted_at"].(string)
		want.add("organizations", row{"id": fmt.Sprint(o["id"]), "name": o["name"].(string), "domain_names": "[]", "deleted_at": gone})
	}
	for _, g := range z.lists["groups"] {
		want.add("groups", row{"id": fmt.Sprint(g["id"]), "name": g["name"].(string), "deleted": yes[g["deleted"]]})
	}
	for _, f := range z.lists["ticket_fields"] {
		want.add("fields", row{"id": fmt.Sprint(f["id"]), "title": f["title"].(string), "active": yes[f["active"]]})
	}
	return want
}
