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

// intercom searches for what changed, and scrolls over all companies. Facts, all from
// https://github.com/intercom/Intercom-OpenAPI/blob/main/descriptions/2.16/api.intercom.io.yaml
// if nothing else is said:
//   - a search for contacts truncates a time to a day of the workspace's time zone, and
//     ">" begins with the day after it; other searches compare seconds. The order is that
//     of the changes, the last one first.
//   - a contact shows 10 of its companies. Merged contacts are in no list.
//   - a conversation has its latest 500 parts.
//   - one scroll at a time, which expires after a minute and ends with an empty page.
//   - the reset of a limit is a Unix time:
//     https://developers.intercom.com/docs/references/rest-api/errors/rate-limiting
type intercom struct {
	*world
	zone                             *time.Location // of the workspace
	contacts, conversations, tickets []*intercomItem
	companies                        int
	deleted                          []int // conversations, the earliest first
	scroll                           int   // where the open scroll is, -1 without one
	scrolled                         time.Time
	nextDays                         bool
}

type intercomItem struct {
	id      int
	updated time.Time
	// inner is the number of companies of a contact, or of parts of a conversation.
	inner int
	state string
}

const (
	intercomPage  = 150
	intercomInner = 10  // companies that a contact shows
	intercomParts = 500 // parts that a conversation has
	intercomGone  = 77  // a contact and a conversation that are deleted after they were found
)

func newIntercom(w *world) imitation {
	c := &intercom{world: w, zone: time.FixedZone("", 13*60*60), companies: 230, scroll: -1}
	for i := range 320 { // three change at the same time
		contact := &intercomItem{id: 1000 + i, updated: firstDay.Add(-time.Duration(i/3) * 2 * time.Hour), inner: i % 3}
		switch i {
		case 40:
			contact.inner = 12
		case intercomGone:
			contact.inner = 11
		}
		c.contacts = append(c.contacts, contact)
	}
	for i := range 200 {
		conversation := &intercomItem{id: 5000 + i, updated: firstDay.Add(-time.Duration(i+1) * time.Hour), inner: i % 4, state: "open"}
		switch i {
		case 60:
			conversation.inner = 620
		case intercomGone:
			conversation.inner = 3
		}
		c.conversations = append(c.conversations, conversation)
	}
	for i := range 160 { // two pages
		c.tickets = append(c.tickets, &intercomItem{id: 8000 + i, updated: firstDay.Add(-time.Duration(i+30) * time.Hour), state: "in_progress"})
	}
	for i := range 130 {
		c.deleted = append(c.deleted, 4000+i)
	}
	return c
}

func (c *intercom) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.accepts(rw, r, "api.intercom.io", map[string]string{"Authorization": "Bearer your-access-token", "Intercom-Version": "2.16", "Accept": "application/json"}) {
		return
	}
	if c.requests[""]++; c.requests[""] == 6 {
		rw.Header().Set("X-RateLimit-Reset", strconv.FormatInt(c.Now().Add(7*time.Second).Unix(), 10))
		c.fail(rw, http.StatusTooManyRequests, "rate_limit_exceeded", "Exceeded rate limit")
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch method, path := r.Method, strings.Join(parts, "/"); {
	case method == http.MethodGet && path == "admins":
		reply(rw, http.StatusOK, map[string]any{"type": "admin.list", "admins": []any{map[string]any{"id": "41", "name": "Ann", "email": "ann@example.com", "has_inbox_seat": true, "team_ids": []any{51}}}})
	case method == http.MethodGet && path == "teams":
		reply(rw, http.StatusOK, map[string]any{"type": "team.list", "teams": []any{map[string]any{"id": "51", "name": "Support"}}})
	case method == http.MethodGet && path == "companies/scroll":
		c.scrollCompanies(rw, r)
	case method == http.MethodPost && path == "contacts/search":
		c.search(rw, r, "data", c.contacts, c.contact)
	case method == http.MethodPost && path == "conversations/search":
		c.search(rw, r, "conversations", c.conversations, c.conversation)
	case method == http.MethodPost && path == "tickets/search":
		c.search(rw, r, "tickets", c.tickets, c.ticket)
	case method == http.MethodGet && path == "conversations/deleted":
		c.listDeleted(rw, r)
	case method == http.MethodGet && len(parts) == 3 && parts[0] == "contacts" && parts[2] == "companies":
		c.companiesOf(rw, r, parts[1])
	case method == http.MethodGet && len(parts) == 2 && parts[0] == "conversations":
		c.retrieve(rw, r, parts[1])
	default:
		c.refuse(rw, r, http.StatusNotFound, "no such resource")
	}
}

func (c *intercom) fail(rw http.ResponseWriter, status int, code, message string) {
	reply(rw, status, map[string]any{"type": "error.list", "request_id": "002je5a3", "errors": []any{map[string]any{"code": code, "message": message}}})
}

// search sends a page of the items that changed after the time in the request.
func (c *intercom) search(rw http.ResponseWriter, r *http.Request, member string, items []*intercomItem, show func(*intercomItem) map[string]any) {
	var body struct {
		Query struct {
			Field, Operator string
			Value           json.Number
		}
		Pagination struct {
			PerPage       int    `json:"per_page"`
			StartingAfter string `json:"starting_after"`
		}
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	seconds, numberErr := body.Query.Value.Int64()
	if err != nil || numberErr != nil || body.Query.Field != "updated_at" || body.Query.Operator != ">" || body.Pagination.PerPage < 1 || body.Pagination.PerPage > intercomPage {
		c.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("not a search: %+v (%v, %v)", body, err, numberErr))
		return
	}
	since := time.Unix(seconds, 0)
	if member == "data" {
		since = c.dayAfter(since)
	}
	found := slices.DeleteFunc(slices.Clone(items), func(i *intercomItem) bool { return i.updated.Before(since) })
	slices.SortStableFunc(found, func(a, b *intercomItem) int { return b.updated.Compare(a.updated) })
	from := 0
	if after := body.Pagination.StartingAfter; after != "" {
		from = 1 + slices.IndexFunc(found, func(i *intercomItem) bool { return "after-"+strconv.Itoa(i.id) == after })
	}
	to := min(len(found), from+body.Pagination.PerPage)
	if member == "data" && from == 0 && to < len(found) { // a page may have fewer items
		c.shows(shortPage)
		to -= 10
	}
	pages := map[string]any{"type": "pages", "page": 1, "per_page": body.Pagination.PerPage}
	if to < len(found) {
		pages["next"] = map[string]any{"page": 2, "starting_after": "after-" + strconv.Itoa(found[to-1].id)}
		if found[to].updated.Equal(found[to-1].updated) {
			c.shows(tie)
		}
	}
	shown := []any{}
	for _, i := range found[from:to] {
		shown = append(shown, show(i))
	}
	reply(rw, http.StatusOK, map[string]any{"type": "list", member: shown, "total_count": len(found), "pages": pages})
}

// dayAfter is the midnight after a time in the workspace.
func (c *intercom) dayAfter(t time.Time) time.Time {
	year, month, day := t.In(c.zone).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, c.zone)
}

func (c *intercom) contact(i *intercomItem) map[string]any {
	companies := []any{}
	for n := range min(i.inner, intercomInner) {
		companies = append(companies, map[string]any{"type": "company", "id": "co" + strconv.Itoa(n)})
	}
	return map[string]any{
		"type": "contact", "id": "c" + strconv.Itoa(i.id), "role": "user", "email": nil, "name": "Contact " + strconv.Itoa(i.id), "updated_at": i.updated.Unix(), "custom_attributes": map[string]any{"plan": "pro"},
		"companies": map[string]any{"type": "list", "data": companies, "total_count": i.inner, "has_more": i.inner > intercomInner},
	}
}

// companiesOf sends all companies of a contact, eleven on a page.
func (c *intercom) companiesOf(rw http.ResponseWriter, r *http.Request, contact string) {
	i := slices.IndexFunc(c.contacts, func(i *intercomItem) bool { return "c"+strconv.Itoa(i.id) == contact })
	if i < 0 || c.contacts[i].id == 1000+intercomGone {
		c.shows(missingParent)
		c.fail(rw, http.StatusNotFound, "not_found", "User Not Found")
		return
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from := 11 * max(page-1, 0)
	to := min(from+11, c.contacts[i].inner)
	companies := []any{}
	for n := from; n < to; n++ {
		companies = append(companies, map[string]any{"type": "company", "id": "co" + strconv.Itoa(n), "name": "Company"})
	}
	pages := map[string]any{"type": "pages", "next": nil}
	if to < c.contacts[i].inner {
		pages["next"] = address(r.Host, r.URL.Path+"?page="+strconv.Itoa(max(page, 1)+1))
	}
	reply(rw, http.StatusOK, map[string]any{"type": "list", "data": companies, "pages": pages, "total_count": c.contacts[i].inner})
}

func (c *intercom) conversation(i *intercomItem) map[string]any {
	if i.inner == 0 {
		c.shows(oddValue) // null in the place of an object
	}
	statistics := map[bool]any{false: map[string]any{"count_conversation_parts": i.inner}}[i.inner == 0]
	return map[string]any{
		"type": "conversation", "id": strconv.Itoa(i.id), "title": nil, "state": i.state, "updated_at": i.updated.Unix(), "admin_assignee_id": 0, "statistics": statistics, "conversation_rating": nil,
		"custom_attributes": map[string]any{}, "source": map[string]any{"type": "email", "body": "<p>Hi</p>", "author": map[string]any{"type": "user", "id": "c1000"}},
		"tags":     map[string]any{"type": "tag.list", "tags": []any{map[string]any{"id": "61", "name": "Billing"}}},
		"contacts": map[string]any{"type": "contact.list", "contacts": []any{map[string]any{"type": "contact", "id": "c1000"}}},
	}
}

// retrieve sends a conversation with its parts.
func (c *intercom) retrieve(rw http.ResponseWriter, r *http.Request, id string) {
	i := slices.IndexFunc(c.conversations, func(i *intercomItem) bool { return strconv.Itoa(i.id) == id })
	switch {
	case r.URL.Query().Get("display_as") != "plaintext":
		c.refuse(rw, r, http.StatusBadRequest, "HTML is not expected")
		return
	case i < 0 || c.conversations[i].id == 5000+intercomGone:
		c.shows(missingParent)
		c.fail(rw, http.StatusNotFound, "not_found", "Resource Not Found")
		return
	}
	conversation, all := c.conversation(c.conversations[i]), c.conversations[i].inner
	parts := []any{}
	for n := max(0, all-intercomParts); n < all; n++ {
		parts = append(parts, map[string]any{"type": "conversation_part", "id": strconv.Itoa(n), "part_type": "comment", "body": "Hi", "assigned_to": nil, "author": map[string]any{"type": "admin", "id": "41"}})
	}
	conversation["conversation_parts"] = map[string]any{"type": "conversation_part.list", "conversation_parts": parts, "total_count": all}
	reply(rw, http.StatusOK, conversation)
}

// listDeleted sends a page of the conversations that were deleted.
func (c *intercom) listDeleted(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page, pageErr := strconv.Atoi(query.Get("page"))
	size, err := strconv.Atoi(query.Get("per_page"))
	if err != nil || pageErr != nil || size < 1 || size > 60 || query.Get("order") != "asc" {
		c.refuse(rw, r, http.StatusBadRequest, "wrong page")
		return
	}
	if c.nextDays {
		c.shows(deleted)
	}
	from := min(len(c.deleted), (page-1)*size)
	items := []any{}
	for _, id := range c.deleted[from:min(len(c.deleted), from+size)] {
		items = append(items, map[string]any{"type": "conversation", "id": strconv.Itoa(id), "deleted_at": 1734537460, "metrics_retained": false})
	}
	reply(rw, http.StatusOK, map[string]any{"type": "conversations.list", "conversations": items, "total_count": len(c.deleted), "pages": map[string]any{"type": "pages", "page": page, "per_page": size, "total_pages": (len(c.deleted) + size - 1) / size}})
}

// scrollCompanies sends the next 100 companies.
func (c *intercom) scrollCompanies(rw http.ResponseWriter, r *http.Request) {
	c.requests["scroll"]++
	param := r.URL.Query().Get("scroll_param")
	open := c.scroll >= 0 && c.Now().Sub(c.scrolled) < time.Minute
	switch {
	case c.requests["scroll"] == 1: // of another program
		c.scroll, c.scrolled = 0, c.Now()
		fallthrough
	case param == "" && open:
		c.fail(rw, http.StatusBadRequest, "scroll_exists", "scroll already exists for this workspace")
		return
	case param == "":
		c.scroll = 0
	case !open:
		c.refuse(rw, r, http.StatusNotFound, "scroll parameter not found")
		return
	}
	from := c.scroll
	c.scroll, c.scrolled = min(c.companies, from+100), c.Now()
	items := []any{}
	for n := from; n < c.scroll; n++ {
		company := map[string]any{"type": "company", "id": "co" + strconv.Itoa(n), "name": "Company " + strconv.Itoa(n), "plan": map[string]any{}, "custom_attributes": map[string]any{}}
		if n%2 == 0 {
			company["plan"] = map[string]any{"type": "plan", "name": "pro"}
		} else {
			c.shows(absentKey)
		}
		items = append(items, company)
	}
	if len(items) == 0 {
		c.scroll = -1
	}
	reply(rw, http.StatusOK, map[string]any{"type": "list", "data": items, "pages": nil, "total_count": nil, "scroll_param": "69352cd2"})
}

func (c *intercom) ticket(i *intercomItem) map[string]any {
	return map[string]any{
		"type": "ticket", "id": strconv.Itoa(i.id), "ticket_id": "7", "updated_at": i.updated.Unix(), "open": true, "ticket_type": map[string]any{"name": "Bug"},
		"ticket_state": map[string]any{"category": i.state, "internal_label": "With Dev Team"}, "ticket_attributes": map[string]any{"_default_title_": "Broken"},
		"contacts": map[string]any{"type": "contact.list", "contacts": []any{map[string]any{"type": "contact", "id": "c1000"}}},
	}
}

func (c *intercom) nextDay() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextDays = true
	c.contacts = slices.Delete(c.contacts, 3, 4) // merged into another
	c.contacts[200].updated = firstDay.Add(time.Hour)
	c.conversations[150].updated, c.conversations[150].state = firstDay.Add(time.Minute), "closed"
	c.deleted = append(c.deleted, c.conversations[0].id)
	c.conversations = c.conversations[1:]
	c.tickets[4].updated, c.tickets[4].state = firstDay.Add(time.Minute), "resolved"
	c.companies++
}

// repeats: the first companies of a contact come again with the others.
func (c *intercom) repeats(table string) bool { return table == "contact_companies" }

// notShown are conditions that cannot occur here.
func (c *intercom) notShown() map[condition]string {
	return map[condition]string{
		archived:     "archived contacts are in no list, and no parameter requests them; closed conversations are in the search",
		forbidden:    "the permissions of an app are for kinds of data, not for single items",
		errorIn200:   "Intercom reports every error by the status",
		expiredToken: "the access token of an app does not expire",
	}
}

func (c *intercom) expected(day int) tables {
	c.mu.Lock()
	defer c.mu.Unlock()
	want := tables{
		"admins": {{"id": "41", "name": "Ann", "team_ids": "[51]"}},
		"teams":  {{"id": "51", "name": "Support"}},
	}
	since, day1 := time.Time{}, time.Time{}
	if day == 2 {
		since = firstDay.AddDate(0, 0, -2)
		day1 = c.dayAfter(since)
	}
	for _, i := range c.contacts {
		if i.updated.Before(day1) {
			continue
		}
		id := "c" + strconv.Itoa(i.id)
		want["contacts"] = append(want["contacts"], row{"id": id, "email": "", "updated_at": strconv.FormatInt(i.updated.Unix(), 10), "custom_attributes": `{"plan":"pro"}`})
		all := i.inner
		if i.id == 1000+intercomGone {
			all = intercomInner
		}
		for n := range all {
			want["contact_companies"] = append(want["contact_companies"], row{"contact_id": id, "company_id": "co" + strconv.Itoa(n)})
		}
	}
	for _, i := range c.conversations {
		if i.updated.Before(since) {
			continue
		}
		id, count := strconv.Itoa(i.id), strconv.Itoa(i.inner)
		if i.inner == 0 {
			count = ""
		}
		want["conversations"] = append(want["conversations"], row{"id": id, "state": i.state, "body": "<p>Hi</p>", "count_parts": count, "author_id": "c1000"})
		want["conversation_tags"] = append(want["conversation_tags"], row{"conversation_id": id, "tag_id": "61", "name": "Billing"})
		want["conversation_contacts"] = append(want["conversation_contacts"], row{"conversation_id": id, "contact_id": "c1000"})
		for n := max(0, i.inner-intercomParts); n < i.inner && i.id != 5000+intercomGone; n++ {
			want["conversation_parts"] = append(want["conversation_parts"], row{"conversation_id": id, "id": strconv.Itoa(n), "body": "Hi", "author_id": "41", "assigned_to_id": ""})
		}
	}
	for _, i := range c.tickets {
		if !i.updated.Before(since) {
			id := strconv.Itoa(i.id)
			want["tickets"] = append(want["tickets"], row{"id": id, "state": i.state, "type": "Bug", "attributes": `{"_default_title_":"Broken"}`})
			want["ticket_contacts"] = append(want["ticket_contacts"], row{"ticket_id": id, "contact_id": "c1000"})
		}
	}
	for _, id := range c.deleted {
		want["deleted_conversations"] = append(want["deleted_conversations"], row{"id": strconv.Itoa(id), "deleted_at": "1734537460"})
	}
	for n := range c.companies {
		want["companies"] = append(want["companies"], row{"id": "co" + strconv.Itoa(n), "plan": map[bool]string{true: "pro"}[n%2 == 0]})
	}
	return want
}
