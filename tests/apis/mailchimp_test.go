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

// mailchimp skips offset items of a list. A contact has the same hash of its address in every
// audience, and another hash when the address changes.
type mailchimp struct {
	*world
	lists map[string][]*mailchimpItem // by the path of the endpoint, in their order
	// gone are audiences that are deleted between their list and their contacts.
	gone map[string]bool
	// old are the fields of contacts that were changed after their page was read.
	old map[*mailchimpItem]object
}

type mailchimpItem struct {
	fields object
	at     time.Time // when it was changed, sent or created
}

func newMailchimp(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "a key reads all audiences of its account; a 403 ends the run, because then the key lacks a right",
		shortPage:    "a page has as many items as requested until the list ends, and total_items is compared",
		errorIn200:   "errors of Mailchimp have a status of 400 or above",
		expiredToken: "an API key does not expire",
	}
	m := &mailchimp{world: w, lists: map[string][]*mailchimpItem{}, gone: map[string]bool{"d4": true}, old: map[*mailchimpItem]object{}}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for list, contacts := range map[string]int{"a1": 1150, "b2": 1000, "c3": 0, "d4": 1} {
		m.lists["lists/"+list+"/members"] = nil
		for i := range contacts { // an import gives 50 contacts the same times, also at the end of a page
			m.addContact(list, i, start.Add(time.Duration((i+25)/50)*time.Minute))
		}
	}
	for _, list := range []string{"a1", "b2", "c3", "d4"} {
		m.add("lists", start, object{"id": list, "name": "Audience " + list, "stats": object{"member_count": 1, "open_rate": 32.5}})
	}
	m.lists["lists/a1/members"][30].fields["status"] = "archived"
	for i := range 70 {
		m.addCampaign(i, start.Add(time.Duration(i)*20*time.Hour))
	}
	return m
}

func (m *mailchimp) add(path string, at time.Time, fields object) {
	m.lists[path] = append(m.lists[path], &mailchimpItem{fields, at})
}

func (m *mailchimp) addContact(list string, i int, at time.Time) {
	fields := object{
		"id": fmt.Sprintf("hash%d", i), "contact_id": fmt.Sprintf("contact-%s-%d", list, i), "list_id": list, "email_address": fmt.Sprintf("c%d@example.com", i),
		"status": "subscribed", "vip": false, "timestamp_opt": at.Format(time.RFC3339), "timestamp_signup": "",
		"merge_fields": object{"FNAME": "Ann", "ADDRESS": ""}, "tags": []any{object{"id": 1, "name": "vip"}},
	}
	switch i % 3 {
	case 1: // only those who have left have the key
		fields["status"], fields["unsubscribe_reason"] = "unsubscribed", "N/A (Unsubscribed by admin)"
	case 2: // who has not confirmed yet has no time
		fields["status"], fields["timestamp_opt"] = "pending", ""
	}
	m.add("lists/"+list+"/members", at, fields)
}

// addCampaign adds a campaign and its report. An automation has no time when it was sent.
func (m *mailchimp) addCampaign(i int, at time.Time) {
	id := fmt.Sprintf("k%d", i)
	campaign := object{"id": id, "type": "regular", "status": "sent", "send_time": at.Format(time.RFC3339), "recipients": object{"list_id": "a1"}, "settings": object{"title": "Campaign " + id}}
	if i%7 == 0 {
		campaign["type"], campaign["status"], campaign["send_time"] = "automation", "sending", ""
	}
	m.add("campaigns", at, campaign)
	m.add("reports", at, object{
		"id": id, "send_time": campaign["send_time"], "emails_sent": 1000, "bounces": object{"hard_bounces": 1}, "opens": object{"opens_total": 500}, "clicks": object{"clicks_total": 50},
	})
}

// mailchimpOrders are the fields that lists are sorted by.
var mailchimpOrders = map[string]string{"lists": "date_created", "campaigns": "create_time", "reports": "", "members": "timestamp_opt"}

func (m *mailchimp) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, underAPI := strings.CutPrefix(r.URL.Path, "/3.0/")
	list, known := m.lists[path]
	name := path[strings.LastIndex(path, "/")+1:]
	query := r.URL.Query()
	count, err := strconv.Atoi(query.Get("count"))
	offset, wrong := strconv.Atoi(query.Get("offset"))
	_, key, _ := r.BasicAuth()
	m.refuseIf(r.Host != "your-dc.api.mailchimp.com" || !underAPI || !known, "Resource Not Found")
	m.refuseIf(key != "your-api-key", "API Key Invalid")
	m.refuseIf(err != nil || count < 1 || count > 1000 || wrong != nil || offset < 0 ||
		query.Get("sort_field") != mailchimpOrders[name], "Invalid Resource")
	if name == "members" && m.gone[strings.Split(path, "/")[1]] {
		m.shows(missingParent)
		mailchimpError(rw, http.StatusNotFound, "Resource Not Found", "The requested resource could not be found.")
		return
	}
	if m.count(path) == 2 {
		mailchimpError(rw, http.StatusTooManyRequests, "Too Many Requests", "You have exceeded the limit of 10 simultaneous connections.")
		return
	}
	if path == "lists/a1/members" && offset == 1000 && len(m.old) == 0 { // the first contact is changed after it was read
		first := list[0]
		m.old[first] = maps.Clone(first.fields)
		first.fields["email_address"], first.fields["id"], first.at = "late@example.com", "hash-late", m.Now().Add(time.Second)
	}
	matching, err := mailchimpFilter(name, list, query.Get("status"), query.Get("since_last_changed"))
	if err != nil {
		m.refuse(err)
	}
	items := []any{}
	for _, i := range cut(matching, offset, count) {
		item := maps.Clone(i.fields)
		item[map[string]string{"members": "last_changed", "reports": "list_name", "campaigns": "create_time", "lists": "date_created"}[name]] = i.at.Format(time.RFC3339)
		items = append(items, item)
		m.note(item)
	}
	if end := offset + count; end < len(matching) && matching[end-1].at.Equal(matching[end].at) {
		m.shows(tie)
	}
	reply(rw, http.StatusOK, object{name: items, "total_items": len(matching)})
}

// mailchimpError responds with an error as RFC 7807 describes.
func mailchimpError(rw http.ResponseWriter, status int, title, detail string) {
	rw.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
	reply(rw, status, object{"type": "https://mailchimp.com/developer/marketing/docs/errors/", "title": title, "status": status, "detail": detail, "instance": "i1"})
}

// mailchimpFilter are the items with a status that were changed after a time. Without a
// status, archived contacts are left out.
func mailchimpFilter(name string, list []*mailchimpItem, status, since string) ([]*mailchimpItem, error) {
	if name != "members" {
		if status+since != "" {
			return nil, fmt.Errorf("%s has no such filter", name)
		}
		return list, nil
	}
	var after time.Time
	var err error
	if since != "" {
		after, err = time.Parse(time.RFC3339, since)
	}
	return without(list, func(i *mailchimpItem) bool {
		return !i.at.After(after) || (status == "archived") != (i.fields["status"] == "archived")
	}), err
}

func (m *mailchimp) note(item object) {
	switch {
	case item["status"] == "archived":
		m.shows(archived)
	case item["contact_id"] != nil && item["unsubscribe_reason"] == nil:
		m.shows(absentKey)
	case item["send_time"] == "", item["timestamp_opt"] == "":
		m.shows(oddValue)
	}
}

func (m *mailchimp) nextDay() {
	contacts := m.lists["lists/a1/members"]
	contacts[10].fields["email_address"], contacts[10].fields["id"], contacts[10].at = "changed@example.com", "hash-changed", m.Now().Add(-time.Hour)
	contacts[12].fields["status"], contacts[12].at = "archived", m.Now().Add(-time.Hour)
	contacts[14].at = firstDay.Add(-5 * time.Minute) // was changed before the first run, and seen by no one
	m.lists["lists/a1/members"] = slices.Delete(contacts, 20, 21)
	m.shows(deleted)
	m.addContact("b2", 9000, m.Now().Add(-time.Minute))
	m.addCampaign(900, m.Now().Add(-time.Hour))
}

func (m *mailchimp) expected(day int) tables {
	want := tables{}
	changed := time.Time{}
	if day == 2 {
		changed = firstDay.Add(-10 * time.Minute)
	}
	for path, list := range m.lists {
		name := path[strings.LastIndex(path, "/")+1:]
		for _, i := range list {
			fields := i.fields
			switch {
			case name == "reports":
				want.add(name, row{"campaign_id": fields["id"].(string), "send_time": fields["send_time"].(string), "opens_total": "500", "hard_bounces": "1"})
			case name != "members":
				want.add(name, row{"id": fields["id"].(string)})
			case i.at.After(changed) && !m.gone[fields["list_id"].(string)]:
				if day == 1 && m.old[i] != nil {
					fields = m.old[i]
				}
				reason, _ := fields["unsubscribe_reason"].(string)
				want.add(name, row{
					"list_id": fields["list_id"].(string), "contact_id": fields["contact_id"].(string), "email_hash": fields["id"].(string), "email_address": fields["email_address"].(string),
					"status": fields["status"].(string), "unsubscribe_reason": reason, "timestamp_opt": fields["timestamp_opt"].(string), "tags": `[{"id":1,"name":"vip"}]`,
				})
			}
		}
	}
	return want
}
