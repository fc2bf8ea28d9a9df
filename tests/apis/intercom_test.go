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

func newIntercom(w *world) mockServer {
	w.notShown = map[condition]string{
		archived:     "archived contacts are in no list, and no parameter requests them; closed conversations are in the search",
		forbidden:    "the permissions of an app are for kinds of data, not for single items",
		errorIn200:   "Intercom reports every error by the status",
		expiredToken: "the access token of an app does not expire",
	}
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
	c.admit(r, "api.intercom.io", map[string]string{"Authorization": "Bearer your-access-token", "Intercom-Version": "2.16", "Accept": "application/json"})
	if c.count("") == 6 {
		rw.Header().Set("X-RateLimit-Reset", strconv.FormatInt(c.Now().Add(7*time.Second).Unix(), 10))
		c.fail(rw, http.StatusTooManyRequests, "rate_limit_exceeded", "Exceeded rate limit")
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch method, path := r.Method, strings.Join(parts, "/"); {
	case method == http.MethodGet && path == "admins":
		reply(rw, http.StatusOK, object{"type": "admin.list", "admins": []any{object{"id": "41", "name": "Ann", "email": "ann@example.com", "has_inbox_seat": true, "team_ids": []any{51}}}})
	case method == http.MethodGet && path == "teams":
		reply(rw, http.StatusOK, object{"type": "team.list", "teams": []any{object{"id": "51", "name": "Support"}}})
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
		c.refuse("no such resource")
	}
}

func (c *intercom) fail(rw http.ResponseWriter, status int, code, message string) {
	reply(rw, status, object{"type": "error.list", "request_id": "002je5a3", "errors": []any{object{"code": code, "message": message}}})
}

func (c *intercom) search(rw http.ResponseWriter, r *http.Request, member string, items []*intercomItem, show func(*intercomItem) object) {
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
	c.refuseIf(err != nil || numberErr != nil || body.Query.Field != "updated_at" ||
		body.Query.Operator != ">" || body.Pagination.PerPage < 1 ||
		body.Pagination.PerPage > intercomPage, fmt.Sprintf("not a search: %+v (%v, %v)", body, err, numberErr))
	since := time.Unix(seconds, 0)
	if member == "data" {
		since = c.dayAfter(since)
	}
	found := without(items, func(i *intercomItem) bool { return i.updated.Before(since) })
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
	pages := object{"type": "pages", "page": 1, "per_page": body.Pagination.PerPage}
	if to < len(found) {
		pages["next"] = object{"page": 2, "starting_after": "after-" + strconv.Itoa(found[to-1].id)}
		c.showsIf(found[to].updated.Equal(found[to-1].updated), tie)
	}
	shown := each(found[from:to], show)
	reply(rw, http.StatusOK, object{"type": "list", member: shown, "total_count": len(found), "pages": pages})
}

func (c *intercom) dayAfter(t time.Time) time.Time {
	year, month, day := t.In(c.zone).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, c.zone)
}

func (c *intercom) contact(i *intercomItem) object {
	companies := []any{}
	for n := range min(i.inner, intercomInner) {
		companies = append(companies, object{"type": "company", "id": "co" + strconv.Itoa(n)})
	}
	return object{
		"type": "contact", "id": "c" + strconv.Itoa(i.id), "role": "user", "email": nil, "name": "Contact " + strconv.Itoa(i.id), "updated_at": i.updated.Unix(), "custom_attributes": object{"plan": "pro"},
		"companies": object{"type": "list", "data": companies, "total_count": i.inner, "has_more": i.inner > intercomInner},
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
		companies = append(companies, object{"type": "company", "id": "co" + strconv.Itoa(n), "name": "Company"})
	}
	pages := object{"type": "pages", "next": nil}
	if to < c.contacts[i].inner {
		pages["next"] = address(r.Host, r.URL.Path+"?page="+strconv.Itoa(max(page, 1)+1))
	}
	reply(rw, http.StatusOK, object{"type": "list", "data": companies, "pages": pages, "total_count": c.contacts[i].inner})
}

func (c *intercom) conversation(i *intercomItem) object {
	// null in the place of an object
	c.showsIf(i.inner == 0, oddValue)
	statistics := map[bool]any{false: object{"count_conversation_parts": i.inner}}[i.inner == 0]
	return object{
		"type": "conversation", "id": strconv.Itoa(i.id), "title": nil, "state": i.state, "updated_at": i.updated.Unix(), "admin_assignee_id": 0, "statistics": statistics, "conversation_rating": nil,
		"custom_attributes": object{}, "source": object{"type": "email", "body": "<p>Hi</p>", "author": object{"type": "user", "id": "c1000"}},
		"tags":     object{"type": "tag.list", "tags": []any{object{"id": "61", "name": "Billing"}}},
		"contacts": object{"type": "contact.list", "contacts": []any{object{"type": "contact", "id": "c1000"}}},
	}
}

func (c *intercom) retrieve(rw http.ResponseWriter, r *http.Request, id string) {
	i := slices.IndexFunc(c.conversations, func(i *intercomItem) bool { return strconv.Itoa(i.id) == id })
	c.refuseIf(r.URL.Query().Get("display_as") != "plaintext", "HTML is not expected")
	if i < 0 || c.conversations[i].id == 5000+intercomGone {
		c.shows(missingParent)
		c.fail(rw, http.StatusNotFound, "not_found", "Resource Not Found")
		return
	}
	conversation, all := c.conversation(c.conversations[i]), c.conversations[i].inner
	parts := []any{}
	for n := max(0, all-intercomParts); n < all; n++ {
		parts = append(parts, object{"type": "conversation_part", "id": strconv.Itoa(n), "part_type": "comment", "body": "Hi", "assigned_to": nil, "author": object{"type": "admin", "id": "41"}})
	}
	conversation["conversation_parts"] = object{"type": "conversation_part.list", "conversation_parts": parts, "total_count": all}
	reply(rw, http.StatusOK, conversation)
}

func (c *intercom) listDeleted(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page, pageErr := strconv.Atoi(query.Get("page"))
	size, err := strconv.Atoi(query.Get("per_page"))
	c.refuseIf(err != nil || pageErr != nil || size < 1 || size > 60 || query.Get("order") != "asc",
		"wrong page")
	c.showsIf(c.nextDays, deleted)
	from := min(len(c.deleted), (page-1)*size)
	items := []any{}
	for _, id := range c.deleted[from:min(len(c.deleted), from+size)] {
		items = append(items, object{"type": "conversation", "id": strconv.Itoa(id), "deleted_at": 1734537460, "metrics_retained": false})
	}
	reply(rw, http.StatusOK, object{"type": "conversations.list", "conversations": items, "total_count": len(c.deleted), "pages": object{"type": "pages", "page": page, "per_page": size, "total_pages": (len(c.deleted) + size - 1) / size}})
}

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
		c.refuse("scroll parameter not found")
	}
	from := c.scroll
	c.scroll, c.scrolled = min(c.companies, from+100), c.Now()
	items := []any{}
	for n := from; n < c.scroll; n++ {
		company := object{"type": "company", "id": "co" + strconv.Itoa(n), "name": "Company " + strconv.Itoa(n), "plan": object{}, "custom_attributes": object{}}
		if n%2 == 0 {
			company["plan"] = object{"type": "plan", "name": "pro"}
		} else {
			c.shows(absentKey)
		}
		items = append(items, company)
	}
	if len(items) == 0 {
		c.scroll = -1
	}
	reply(rw, http.StatusOK, object{"type": "list", "data": items, "pages": nil, "total_count": nil, "scroll_param": "69352cd2"})
}

func (c *intercom) ticket(i *intercomItem) object {
	return object{
		"type": "ticket", "id": strconv.Itoa(i.id), "ticket_id": "7", "updated_at": i.updated.Unix(), "open": true, "ticket_type": object{"name": "Bug"},
		"ticket_state": object{"category": i.state, "internal_label": "With Dev Team"}, "ticket_attributes": object{"_default_title_": "Broken"},
		"contacts": object{"type": "contact.list", "contacts": []any{object{"type": "contact", "id": "c1000"}}},
	}
}

func (c *intercom) nextDay() {
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

func (c *intercom) expected(day int) tables {
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
		want.add("contacts", row{"id": id, "email": "", "updated_at": strconv.FormatInt(i.updated.Unix(), 10), "custom_attributes": `{"plan":"pro"}`})
		all := i.inner
		if i.id == 1000+intercomGone {
			all = intercomInner
		}
		for n := range all {
			want.add("contact_companies", row{"contact_id": id, "company_id": "co" + strconv.Itoa(n)})
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
		want.add("conversations", row{"id": id, "state": i.state, "body": "<p>Hi</p>", "count_parts": count, "author_id": "c1000"})
		want.add("conversation_tags", row{"conversation_id": id, "tag_id": "61", "name": "Billing"})
		want.add("conversation_contacts", row{"conversation_id": id, "contact_id": "c1000"})
		for n := max(0, i.inner-intercomParts); n < i.inner && i.id != 5000+intercomGone; n++ {
			want.add("conversation_parts", row{"conversation_id": id, "id": strconv.Itoa(n), "body": "Hi", "author_id": "41", "assigned_to_id": ""})
		}
	}
	for _, i := range c.tickets {
		if !i.updated.Before(since) {
			id := strconv.Itoa(i.id)
			want.add("tickets", row{"id": id, "state": i.state, "type": "Bug", "attributes": `{"_default_title_":"Broken"}`})
			want.add("ticket_contacts", row{"ticket_id": id, "contact_id": "c1000"})
		}
	}
	for _, id := range c.deleted {
		want.add("deleted_conversations", row{"id": strconv.Itoa(id), "deleted_at": "1734537460"})
	}
	for n := range c.companies {
		want.add("companies", row{"id": "co" + strconv.Itoa(n), "plan": map[bool]string{true: "pro"}[n%2 == 0]})
	}
	return want
}
