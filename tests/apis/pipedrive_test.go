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

// pipedrive lists everything by pages that a cursor leads to. Custom fields are in an object
// by hashes, which differ from account to account. Live and archived deals are two lists, and
// deleted deals are listed for 30 days if the request names their status. Facts:
// https://developers.pipedrive.com/docs/api/v1/Deals,
// https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide,
// https://pipedrive.readme.io/docs/core-api-concepts-pagination.
type pipedrive struct {
	*world
	deals, persons, organizations []pipedriveItem
}

type pipedriveItem struct {
	id                int
	updated           time.Time
	archived, deleted bool
}

// pipedriveFields are the custom fields of each list: two fields of one name, a name that a
// member of the item has, and one without letters.
var pipedriveFields = map[string][]object{
	"dealFields": {
		{"field_name": "Title", "field_code": "title", "field_type": "varchar", "is_custom_field": false, "options": nil},
		{"field_name": "Budget", "field_code": pipedriveHash(2), "field_type": "monetary", "is_custom_field": true, "options": nil},
		{"field_name": "Budget", "field_code": pipedriveHash(1), "field_type": "double", "is_custom_field": true, "options": nil},
		{"field_name": "title", "field_code": pipedriveHash(3), "field_type": "varchar", "is_custom_field": true, "options": nil},
		{"field_name": "Zdroj „A“", "field_code": pipedriveHash(4), "field_type": "enum", "is_custom_field": true, "options": []object{{"id": 1, "label": "Web"}}},
	},
	"personFields":       {{"field_name": "Language", "field_code": pipedriveHash(5), "field_type": "set", "is_custom_field": true, "options": []object{}}},
	"organizationFields": {{"field_name": "Name", "field_code": "name", "field_type": "varchar", "is_custom_field": false, "options": nil}},
}

func pipedriveHash(n int) string { return fmt.Sprintf("%040x", n) }

func newPipedrive(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "lists leave out what the user may not see; no list has a parent",
		missingParent: "no request is for the children of an item",
		errorIn200:    "an error has a status of its own, and no data",
		expiredToken:  "an API token does not expire",
	}
	p := &pipedrive{world: w}
	for i := range 1103 { // two have one time
		p.deals = append(p.deals, pipedriveItem{id: i + 1, updated: firstDay.Add(-time.Duration(i/2+1) * time.Minute), archived: i%100 == 7})
	}
	for i := range 501 {
		p.persons = append(p.persons, pipedriveItem{id: i + 1, updated: firstDay.Add(-time.Duration(i+30) * time.Hour)})
	}
	p.organizations = []pipedriveItem{{id: 1, updated: firstDay.AddDate(-1, 0, 0)}}
	return p
}

func (p *pipedrive) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	p.admit(r, "your-company.pipedrive.com", map[string]string{"x-api-token": "your-api-token"})
	list, found := strings.CutPrefix(r.URL.Path, "/api/v2/")
	query := r.URL.Query()
	p.refuseIf(!found || r.Method != http.MethodGet || query.Has("api_token"), "Unknown method.")
	failIf(p.recent("all", 2*time.Second) > 20 || p.count(list) == 2,
		rw, http.StatusTooManyRequests, object{"success": false, "error": "Request over limit"}, "x-ratelimit-limit", "20", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "2")
	if fields, ok := pipedriveFields[list]; ok {
		p.page(rw, r, each(fields, func(f object) object { return f }))
		return
	}
	var since time.Time
	if text := query.Get("updated_since"); query.Has("updated_since") {
		var err error
		since, err = time.Parse(time.RFC3339, text)
		p.refuseError(err)
	}
	p.refuseIf(query.Get("sort_by") != "id", "sort_by")
	var items []object
	add := func(all []pipedriveItem, chosen func(pipedriveItem) bool, describe func(pipedriveItem) object) {
		for _, i := range all {
			if !i.updated.Before(since) && chosen(i) {
				items = append(items, describe(i))
			}
		}
	}
	switch list {
	case "deals", "deals/archived":
		statuses := strings.Split(query.Get("status"), ",")
		p.refuseIf(slices.ContainsFunc(statuses, func(s string) bool { return !slices.Contains([]string{"", "open", "won", "lost", "deleted"}, s) }), "status")
		add(p.deals, func(i pipedriveItem) bool {
			return i.archived == (list == "deals/archived") && (!i.deleted || slices.Contains(statuses, "deleted"))
		}, p.deal)
	case "persons":
		add(p.persons, func(i pipedriveItem) bool { return !i.deleted }, p.person)
	case "organizations":
		add(p.organizations, func(i pipedriveItem) bool { return !i.deleted }, p.organization)
	default:
		p.refuse("Unknown method.")
	}
	p.page(rw, r, items)
}

// page responds with up to 500 items. A page may have fewer although others follow.
func (p *pipedrive) page(rw http.ResponseWriter, r *http.Request, all []object) {
	query := r.URL.Query()
	limit, from := p.number(query, "limit", 1, 500), 0
	if query.Has("cursor") {
		_, err := fmt.Sscanf(query.Get("cursor"), "eyJpZCI6%d", &from)
		p.refuseIf(err != nil || from >= len(all), "Invalid cursor")
	}
	if from == 500 {
		limit -= 100
	}
	page := cut(all, from, limit)
	var next any
	if to := from + len(page); to < len(all) {
		next = fmt.Sprint("eyJpZCI6", to)
		p.showsIf(limit < 500, shortPage)
		p.showsIf(to > 0 && all[to]["update_time"] == all[to-1]["update_time"], tie)
	}
	reply(rw, http.StatusOK, object{"success": true, "data": page, "additional_data": object{"next_cursor": next}})
}

func (i pipedriveItem) at() string { return i.updated.UTC().Format(time.RFC3339) }

func (p *pipedrive) deal(i pipedriveItem) object {
	p.showsIf(i.archived, archived)
	p.showsIf(i.deleted, deleted)
	p.shows(oddValue)
	status := "open"
	if i.deleted {
		status = "deleted"
	}
	item := object{
		"id": i.id, "title": "Obchod \"A\"", "status": status, "is_archived": i.archived, "is_deleted": i.deleted, "pipeline_id": 1, "stage_id": 2, "owner_id": 3,
		"person_id": nil, "org_id": 1, "value": 12.50, "currency": "CZK", "probability": nil, "add_time": "2026-01-01T00:00:00Z", "update_time": i.at(),
		"expected_close_date": nil, "won_time": nil, "lost_time": nil, "lost_reason": nil, "label_ids": []int{},
		"custom_fields": object{pipedriveHash(1): 7, pipedriveHash(2): object{"value": 2300, "currency": "EUR"}, pipedriveHash(3): "custom", pipedriveHash(4): nil},
	}
	if i.id == 1 { // a deal of which no custom field is filled
		item["custom_fields"] = nil
	}
	return item
}

// custom is the cell with the custom fields of a deal.
func (i pipedriveItem) custom() string {
	if i.id == 1 {
		return ""
	}
	return `{"Budget":7,"Budget_2":{"currency":"EUR","value":2300},"title":"custom","Zdroj \u201eA\u201c":null}`
}

func (p *pipedrive) person(i pipedriveItem) object {
	item := object{"id": i.id, "name": "Mia", "owner_id": 3, "org_id": nil, "add_time": "2026-01-01T00:00:00Z", "update_time": i.at(), "is_deleted": false, "label_ids": nil,
		"phones": []any{}, "emails": []object{{"value": "old@example.com", "primary": false, "label": "work"}, {"value": "mia@example.com", "primary": true, "label": ""}},
		"custom_fields": object{pipedriveHash(5): []int{1, 2}}}
	if i.id%2 == 0 {
		delete(item, "emails")
		p.shows(absentKey)
	}
	return item
}

func (p *pipedrive) organization(i pipedriveItem) object {
	return object{"id": i.id, "name": "Acme", "owner_id": 3, "address": nil, "add_time": "2026-01-01T00:00:00Z", "update_time": i.at(), "is_deleted": false, "label_ids": []int{4}, "custom_fields": object{}}
}

func (p *pipedrive) nextDay() {
	morning := firstDay.Add(20 * time.Hour)
	p.deals[3].deleted, p.deals[3].updated = true, morning
	p.deals[4].archived, p.deals[4].updated = true, morning
	p.deals = append(p.deals, pipedriveItem{id: 2000, updated: firstDay.Add(-5 * time.Minute)}) // not before the time that the run sends
	p.persons[8].deleted = true
	p.persons[9].updated = morning
}

func (p *pipedrive) expected(day int) tables {
	want := tables{"person_fields": {{"code": pipedriveHash(5), "name": "Language", "options": "[]"}}}
	for _, f := range pipedriveFields["dealFields"] {
		if f["is_custom_field"] == true {
			options, err := json.Marshal(f["options"])
			p.refuseError(err)
			text := string(options)
			if f["options"] == nil {
				text = ""
			}
			want.add("deal_fields", row{"code": f["field_code"].(string), "name": f["field_name"].(string), "options": text})
		}
	}
	since := time.Time{}
	if day == 2 {
		since = firstDay.Add(-5 * time.Minute)
	}
	for _, i := range p.deals {
		if !i.updated.Before(since) {
			want.add("deals", row{"id": strconv.Itoa(i.id), "title": "Obchod \"A\"", "updated": i.at(), "value": "12.5", "labels": "[]", "custom_fields": i.custom(), "person_id": "",
				"is_archived": map[bool]string{true: "1"}[i.archived], "is_deleted": map[bool]string{true: "1"}[i.deleted]})
		}
	}
	for _, i := range p.persons {
		if !i.deleted && !i.updated.Before(since) {
			r := row{"id": strconv.Itoa(i.id), "email": "mia@example.com", "custom_fields": `{"Language":[1,2]}`, "labels": ""}
			if i.id%2 == 0 {
				r["email"] = ""
			}
			want.add("persons", r)
		}
	}
	if day == 1 {
		want.add("organizations", row{"id": "1", "name": "Acme", "address": "", "labels": "[4]", "custom_fields": "{}"})
	}
	return want
}
