package apis

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mailchimp skips offset items of a list. A contact has the same id in every audience.
// Facts: https://mailchimp.com/developer/marketing/docs/fundamentals/ and
// https://mailchimp.com/developer/marketing/api/list-members/.
type mailchimp struct {
	*world
	lists map[string][]*mailchimpItem // by the path of the endpoint, in their order
	// old are addresses of contacts that were changed after their page was read.
	old map[*mailchimpItem]string
}

type mailchimpItem struct {
	fields map[string]any
	at     time.Time // when it was changed or sent
}

func newMailchimp(w *world) imitation {
	m := &mailchimp{world: w, lists: map[string][]*mailchimpItem{}, old: map[*mailchimpItem]string{}}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for list, contacts := range map[string]int{"a1": 1150, "b2": 1000, "c3": 0} {
		m.lists["lists/"+list+"/members"] = nil
		for i := range contacts {
			m.addContact(list, i, start.Add(time.Duration(i)*time.Minute))
		}
	}
	for _, list := range []string{"a1", "b2", "c3"} {
		m.add("lists", start, map[string]any{"id": list, "name": "Audience " + list, "stats": map[string]any{"member_count": 1, "open_rate": 32.5}})
	}
	for i := range 70 {
		m.addCampaign(i, start.Add(time.Duration(i)*20*time.Hour))
	}
	return m
}

func (m *mailchimp) add(path string, at time.Time, fields map[string]any) {
	m.lists[path] = append(m.lists[path], &mailchimpItem{fields, at})
}

func (m *mailchimp) addContact(list string, i int, at time.Time) {
	m.add("lists/"+list+"/members", at, map[string]any{
		"id": fmt.Sprintf("hash%d", i), "list_id": list, "email_address": fmt.Sprintf("c%d@example.com", i), "status": "subscribed",
		"vip": false, "merge_fields": map[string]any{"FNAME": "Ann", "ADDRESS": ""}, "tags": []any{map[string]any{"id": 1, "name": "vip"}},
	})
}

// addCampaign adds a campaign and its report.
func (m *mailchimp) addCampaign(i int, at time.Time) {
	id := fmt.Sprintf("k%d", i)
	m.add("campaigns", at, map[string]any{
		"id": id, "type": "regular", "status": "sent", "recipients": map[string]any{"list_id": "a1"}, "settings": map[string]any{"title": "Campaign " + id},
	})
	m.add("reports", at, map[string]any{
		"id": id, "emails_sent": 1000, "bounces": map[string]any{"hard_bounces": 1}, "opens": map[string]any{"opens_total": 500}, "clicks": map[string]any{"clicks_total": 50},
	})
}

func (m *mailchimp) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	path, underAPI := strings.CutPrefix(r.URL.Path, "/3.0/")
	list, known := m.lists[path]
	query := r.URL.Query()
	count, err := strconv.Atoi(query.Get("count"))
	offset, wrong := strconv.Atoi(query.Get("offset"))
	_, key, _ := r.BasicAuth()
	sorted := map[string]string{"lists": "date_created", "campaigns": "create_time", "reports": ""}
	order, ok := sorted[path]
	if !ok {
		order = "timestamp_opt"
	}
	switch {
	case r.Host != "your-dc.api.mailchimp.com" || !underAPI || !known:
		m.refuse(rw, r, http.StatusNotFound, "Resource Not Found")
		return
	case key != "your-api-key":
		m.refuse(rw, r, http.StatusUnauthorized, "API Key Invalid")
		return
	case err != nil || count < 1 || count > 1000 || wrong != nil || offset < 0 || query.Get("sort_field") != order:
		m.refuse(rw, r, http.StatusBadRequest, "Invalid Resource")
		return
	}
	m.requests[path]++
	if m.requests[path] == 2 { // too many connections, without Retry-After
		reply(rw, http.StatusTooManyRequests, map[string]any{"title": "Too Many Requests", "status": 429})
		return
	}
	if path == "lists/a1/members" && offset == 1000 { // the first contact is changed after it was read
		first := list[0]
		m.old[first] = first.fields["email_address"].(string)
		first.fields["email_address"], first.at = "late@example.com", m.Now().Add(time.Second)
	}
	name := path[strings.LastIndex(path, "/")+1:]
	matching := list
	for parameter, of := range map[string]string{"since_last_changed": "members", "since_send_time": "reports"} {
		if text := query.Get(parameter); text != "" {
			since, err := time.Parse(time.RFC3339, text)
			if err != nil || of != name {
				m.refuse(rw, r, http.StatusBadRequest, "wrong "+parameter)
				return
			}
			matching = slices.DeleteFunc(slices.Clone(list), func(i *mailchimpItem) bool { return !i.at.After(since) })
		}
	}
	items := []any{}
	for _, i := range matching[min(offset, len(matching)):min(offset+count, len(matching))] {
		item := maps.Clone(i.fields)
		item[map[string]string{"members": "last_changed", "reports": "send_time", "campaigns": "create_time", "lists": "date_created"}[name]] = i.at.Format(time.RFC3339)
		items = append(items, item)
	}
	reply(rw, http.StatusOK, map[string]any{name: items, "total_items": len(matching)})
}

func (m *mailchimp) nextDay() {
	m.mu.Lock()
	defer m.mu.Unlock()
	contacts := m.lists["lists/a1/members"]
	contacts[10].fields["email_address"], contacts[10].at = "changed@example.com", m.Now().Add(-time.Hour)
	m.lists["lists/a1/members"] = slices.Delete(contacts, 20, 21)
	m.addContact("b2", 9000, m.Now().Add(-time.Minute))
	m.addCampaign(900, m.Now().Add(-time.Hour))
}

func (m *mailchimp) expected(day int) tables {
	want := tables{}
	sent, changed := time.Time{}, time.Time{}
	if day == 2 {
		changed, sent = firstDay, firstDay.Add(-30*24*time.Hour)
	}
	for path, list := range m.lists {
		name := path[strings.LastIndex(path, "/")+1:]
		for _, i := range list {
			id := i.fields["id"].(string)
			switch {
			case name == "reports" && i.at.After(sent):
				want[name] = append(want[name], row{"campaign_id": id, "opens_total": "500", "hard_bounces": "1"})
			case name == "members" && i.at.After(changed):
				email := i.fields["email_address"].(string)
				if old := m.old[i]; day == 1 && old != "" {
					email = old
				}
				want[name] = append(want[name], row{"list_id": i.fields["list_id"].(string), "id": id, "email_address": email, "tags": `[{"id":1,"name":"vip"}]`})
			case name == "campaigns" || name == "lists":
				want[name] = append(want[name], row{"id": id})
			}
		}
	}
	return want
}
