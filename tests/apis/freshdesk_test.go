package apis

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// freshdesk is an account with more tickets than one list returns. Facts:
//   - the list of tickets has at most 300 pages, and tickets of the last 30 days unless
//     updated_since is set. It leaves out deleted tickets and spam, unless the parameter
//     filter requests them: https://developers.freshdesk.com/api/#list_all_tickets
//   - a page after the 300th is an error 400: https://github.com/airbytehq/airbyte/issues/3858
//   - per_page is 30 unless requested, and at most 100; the header Link has the next page:
//     https://developers.freshdesk.com/api/#pagination
//   - requests are counted for each minute, lists of tickets and contacts also on their own.
//     A request beyond is a 429 with Retry-After:
//     https://support.freshdesk.com/support/solutions/articles/225439
//   - updated_since includes tickets of that second: the notes in Airbyte's tests of the page limit.
type freshdesk struct {
	*world
	lists map[string][]object // tickets by updated_at, deleted tickets too
	seen  map[string]string   // where the last run of a list ended
}

const (
	freshdeskPages = 300
	freshdeskSize  = 100
	freshdeskLimit = 20
)

func newFreshdesk(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "no list is requested for a parent: an API key reads all lists or none",
		missingParent: "no list is requested for a parent, so none can be missing",
		shortPage:     "all pages but the last one of a list are full, as the documentation says",
		errorIn200:    "Freshdesk reports every error by the status",
		expiredToken:  "an API key does not end during a run",
	}
	f := &freshdesk{world: w, lists: map[string][]object{}, seen: map[string]string{}}
	old := firstDay.AddDate(-1, 0, 0)
	for i := range freshdeskPages*freshdeskSize + 250 {
		at := old.Add(time.Duration(i) * time.Minute)
		if border := freshdeskPages*freshdeskSize - 3; i > border && i < border+7 { // a macro has changed them at once
			at = old.Add(time.Duration(border) * time.Minute)
		}
		f.ticket("tickets", i+1, at, 2)
	}
	odd := f.lists["tickets"][4]
	odd["subject"], odd["type"], odd["responder_id"], odd["company_id"], odd["stats"] = "", nil, nil, nil, nil
	for i := range 3 {
		f.ticket("deleted", 90001+i, old.Add(time.Duration(i)*time.Hour), 5)
	}
	for i := range 2*freshdeskSize + 1 {
		f.contact(i+1, old.Add(time.Duration(i/3)*time.Second))
	}
	for i := range freshdeskSize {
		f.lists["companies"] = append(f.lists["companies"], object{"id": 500 + i, "name": "Company " + strconv.Itoa(i), "domains": []any{}, "industry": nil, "custom_fields": object{}})
	}
	f.lists["agents"] = []object{
		{"id": 11, "contact": object{"name": "Eva", "email": "eva@example.com", "active": true}, "type": "support_agent", "occasional": false},
		{"id": 12, "contact": object{"name": "Jan", "email": "jan@example.com", "active": false}, "type": "support_agent", "occasional": true},
	}
	f.lists["groups"] = []object{{"id": 21, "name": "Support", "description": nil}}
	return f
}

// freshdeskTime is a time as the API writes it.
func freshdeskTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// ticket adds a ticket, or changes it.
func (f *freshdesk) ticket(list string, id int, at time.Time, status int) {
	ticket := object{
		"id": id, "subject": "Ticket " + strconv.Itoa(id), "type": "Question", "status": status, "priority": 1, "source": 2,
		"requester_id": 43000000001 + id%7, "responder_id": 11, "group_id": 21, "company_id": 500, "product_id": nil,
		"spam": false, "is_escalated": id%9 == 0, "fr_escalated": false, "due_by": freshdeskTime(at), "fr_due_by": nil,
		"tags": []any{"a", "b"}, "custom_fields": object{"cf_order": nil}, "stats": object{"closed_at": nil, "first_responded_at": freshdeskTime(at)},
		"created_at": "2025-01-01T00:00:00Z", "updated_at": freshdeskTime(at),
	}
	if list == "tickets" && id <= len(f.lists[list]) { // their ids are numbers from 1
		f.lists[list][id-1] = ticket
	} else {
		f.lists[list] = append(f.lists[list], ticket)
	}
}

func (f *freshdesk) contact(id int, at time.Time) {
	contact := object{
		"id": id, "name": "Contact " + strconv.Itoa(id), "email": nil, "phone": "", "mobile": nil, "active": id%5 != 0, "company_id": nil,
		"job_title": nil, "language": "en", "time_zone": "Prague", "custom_fields": object{}, "created_at": freshdeskTime(at), "updated_at": freshdeskTime(at),
	}
	if id%2 == 0 {
		delete(contact, "mobile")
	}
	f.lists["contacts"] = put(f.lists["contacts"], contact, func(o object) bool { return o["id"] == id })
}

func (f *freshdesk) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	f.admit(r, "your-company.freshdesk.com", map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("your-api-key:X"))})
	list, ok := strings.CutPrefix(r.URL.Path, "/api/v2/")
	f.refuseIf(!ok || r.Method != http.MethodGet || f.lists[list] == nil || list == "deleted", "no such list")
	f.refuseIf(f.recent(list, time.Minute) > freshdeskLimit, "too many requests in a minute")
	f.requests[list]++
	failIf(f.requests[list] == 2, rw, http.StatusTooManyRequests, object{"message": "You have exceeded the limit of requests per minute"}, "Retry-After", "44")
	query := r.URL.Query()
	page := 1
	if query.Has("page") {
		page = f.number(query, "page", 1, 1000)
	}
	size := f.number(query, "per_page", 1, freshdeskSize)
	if list == "tickets" {
		f.refuseIf(page > freshdeskPages, "You cannot access tickets beyond the 300th page. Please provide a smaller page number.")
		f.refuseIf(query.Get("order_by") != "updated_at" || query.Get("order_type") != "asc", "the newest tickets would be first")
		f.refuseIf(!query.Has("updated_since"), "older tickets would be missing")
		if query.Get("filter") == "deleted" {
			list = "deleted"
		}
	}
	rows := f.since(list, query.Get("updated_since")+query.Get("_updated_since"))
	if len(rows) > page*size {
		query.Set("page", strconv.Itoa(page+1))
		rw.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, address(r.Host, r.URL.Path), query.Encode()))
	}
	sent := cut(rows, (page-1)*size, size)
	f.note(list, sent)
	if query.Get("include") != "stats" {
		sent = each(sent, func(o object) object {
			copied := object{}
			for name, v := range o {
				if name != "stats" {
					copied[name] = v
				}
			}
			return copied
		})
	}
	reply(rw, http.StatusOK, sent)
	if list == "tickets" && f.requests[list] == 5 { // a ticket that was not yet sent changes, and a new one comes
		f.ticket("tickets", 20000, firstDay.Add(time.Minute), 4)
		f.ticket("tickets", len(f.lists["tickets"])+1, firstDay.Add(time.Minute), 2)
	}
}

// since returns the items of a list that were not changed before a time.
func (f *freshdesk) since(list, at string) []object {
	rows := without(f.lists[list], func(o object) bool { return at != "" && o["updated_at"].(string) < at })
	if list == "tickets" || list == "deleted" {
		slices.SortStableFunc(rows, func(a, b object) int { return cmp.Compare(a["updated_at"].(string), b["updated_at"].(string)) })
	}
	return rows
}

func (f *freshdesk) note(list string, sent []object) {
	f.showsIf(list == "deleted" && len(sent) > 0, deleted)
	for i, o := range sent {
		_, hasMobile := o["mobile"]
		f.showsIf(list == "contacts" && !hasMobile, absentKey)
		f.showsIf(o["active"] == false, archived)
		f.showsIf(o["type"] == nil && list == "tickets", oddValue)
		f.showsIf(i == 0 && len(sent) > 1 && o["updated_at"] != nil && o["updated_at"] == sent[1]["updated_at"], tie)
	}
}

func (f *freshdesk) nextDay() {
	for _, list := range []string{"tickets", "deleted", "contacts"} {
		for _, o := range f.lists[list] {
			f.seen[list] = max(f.seen[list], o["updated_at"].(string))
		}
	}
	later := firstDay.Add(8 * time.Hour)
	f.ticket("tickets", 7, later, 5)
	f.ticket("tickets", len(f.lists["tickets"])+1, later, 2)
	f.ticket("deleted", 90010, later, 2)
	f.contact(9, later)
	f.lists["groups"][0]["name"] = "Care"
}

// repeats: tickets at the border of two rounds come twice.
func (f *freshdesk) repeats(table string) bool { return table == "tickets" }

func (f *freshdesk) expected(int) tables {
	want := tables{}
	for list, items := range f.lists {
		table := strings.Replace(list, "deleted", "deleted_tickets", 1)
		for _, o := range items {
			if at, ok := o["updated_at"].(string); ok && at < f.seen[list] {
				continue
			}
			r := row{"id": fmt.Sprint(o["id"])}
			switch list {
			case "tickets":
				r["subject"], r["status"], r["tags"], r["updated_at"] = o["subject"].(string), fmt.Sprint(o["status"]), `["a","b"]`, o["updated_at"].(string)
				r["closed_at"], r["first_responded_at"] = "", ""
				if stats, ok := o["stats"].(object); ok {
					r["first_responded_at"] = stats["first_responded_at"].(string)
				}
			case "contacts":
				r["email"], r["mobile"], r["active"] = "", "", map[bool]string{true: "1"}[o["active"].(bool)]
			case "agents":
				r["name"] = o["contact"].(object)["name"].(string)
			case "companies", "groups":
				r["name"] = o["name"].(string)
			}
			want.add(table, r)
		}
	}
	return want
}
