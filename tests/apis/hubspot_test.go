package apis

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hubspot lists objects by their ids, from the id in after. It responds with the
// properties and the associations that a request names, all of them as texts. Facts:
//   - paths have the date of the version: https://developers.hubspot.com/docs/api-reference/latest/overview
//   - a page has 100 objects at most, and archived ones only if they are requested. An
//     object has its first 100 associations; the others begin at associations.….paging:
//     https://developers.hubspot.com/changelog/announcing-a-change-to-how-v3-crm-apis-return-association-data
//   - a removed owner is archived, without e-mail: https://developers.hubspot.com/docs/api-reference/latest/crm/owners/guide
//   - limits: https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
type hubspot struct {
	*world
	lists map[string][]hubspotObject // in the order of their ids
	sent  int
	late  bool
}

type hubspotObject struct {
	id         int
	properties object
	// associated has the ids of associated objects by their type.
	associated map[string][]int
	archived   bool
}

const (
	hubspotPage         = 100
	hubspotAssociations = 100 // of an object in a list
	hubspotBigDeal      = 130 // it has contacts on three pages
	hubspotGoneDeal     = 150 // it is deleted before its associations are read
)

func newHubSpot(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "a service key reads all objects of a kind that it has the scope for",
		tie:          "pages are in the order of the ids, which are unique, and every run reads all of them",
		errorIn200:   "HubSpot reports an error of a read by the status",
		expiredToken: "a service key does not expire",
	}
	h := &hubspot{world: w, lists: map[string][]hubspotObject{}}
	for i := range 250 {
		h.lists["contacts"] = append(h.lists["contacts"], h.contact(100+i))
	}
	for i := range 100 { // exactly one page
		h.lists["companies"] = append(h.lists["companies"], hubspotObject{id: 100 + i, properties: object{"name": "Company " + strconv.Itoa(i), "domain": nil}})
	}
	for i := range 101 {
		deal := hubspotObject{id: 100 + i, properties: object{"dealname": "Deal", "amount": "12.50", "dealstage": "won"}, associated: map[string][]int{"companies": []int{101, 102}[:i%3], "contacts": []int{103}[:i%2]}}
		switch deal.id {
		case hubspotBigDeal:
			for j := range 700 {
				deal.associated["contacts"] = append(deal.associated["contacts"], 5000+j)
			}
		case hubspotGoneDeal:
			for j := range 120 {
				deal.associated["companies"] = append(deal.associated["companies"], 7000+j)
			}
		}
		h.lists["deals"] = append(h.lists["deals"], deal)
	}
	for i := range 3 {
		h.lists["owners"] = append(h.lists["owners"], hubspotObject{id: 41 + i, properties: object{"firstName": "Owner " + strconv.Itoa(i), "email": "o@example.com"}, archived: i == 1})
	}
	return h
}

func (h *hubspot) contact(id int) hubspotObject {
	return hubspotObject{id: id, properties: object{"email": "c" + strconv.Itoa(id) + "@example.com", "lastname": "Nováková"}}
}

func (h *hubspot) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/crm/")
	h.admit(r, "api.hubapi.com", map[string]string{"Authorization": "Bearer your-service-key"})
	if h.sent++; h.sent%3 == 2 { // says only how long its interval is
		fail(rw, http.StatusTooManyRequests, object{"status": "error", "errorType": "RATE_LIMIT", "policyName": "TEN_SECONDLY_ROLLING", "message": "You have reached your ten_secondly_rolling limit."}, "X-HubSpot-RateLimit-Interval-Milliseconds", "10000")
	}
	object, isObject := strings.CutPrefix(path, "objects/2026-09/")
	parts := strings.Split(object, "/")
	h.refuseIf(r.Method != http.MethodGet, "no such method")
	switch {
	case path == "pipelines/2026-09/deals":
		reply(rw, http.StatusOK, h.pipelines())
	case path == "owners/2026-09":
		h.list(rw, r, "owners")
	case isObject && len(parts) == 1 && h.lists[object] != nil:
		h.list(rw, r, object)
	case isObject && len(parts) == 4 && parts[0] == "deals" && parts[2] == "associations":
		h.associations(rw, r, parts[1], parts[3])
	default:
		h.refuse("no such resource")
	}
}

func (h *hubspot) list(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	after := 0
	if text := query.Get("after"); err == nil && text != "" {
		after, err = strconv.Atoi(text)
	}
	h.refuseIf(err != nil || limit < 1 || limit > hubspotPage, "limit must be from 1 to 100")
	if name == "contacts" && after > 0 { // a page may have fewer objects
		limit = 70
		h.shows(shortPage)
	}
	list := without(h.lists[name], func(o hubspotObject) bool {
		other := o.archived != (query.Get("archived") == "true")
		h.showsIf(other && name == "companies", deleted)
		return o.id <= after || other
	})
	page := list[:min(len(list), limit)]
	results := []any{}
	for _, o := range page {
		if name == "owners" {
			results = append(results, h.owner(o))
		} else {
			results = append(results, h.result(name, o, query.Get("properties"), query.Get("associations")))
		}
	}
	response := object{"results": results}
	if len(page) < len(list) {
		next := strconv.Itoa(page[len(page)-1].id)
		response["paging"] = object{"next": object{"after": next, "link": address(r.Host, r.URL.Path+"?after="+next)}}
	}
	reply(rw, http.StatusOK, response)
	if name == "contacts" && after == 0 && !h.late { // a list that changes while it is read
		h.late = true
		h.lists[name] = append(slices.Delete(slices.Clone(h.lists[name]), 5, 6), h.contact(900))
	}
}

func (h *hubspot) associations(rw http.ResponseWriter, r *http.Request, deal, kind string) {
	from, err := strconv.Atoi(r.URL.Query().Get("after"))
	h.refuseIf(err != nil, "after must be what the deal or the page before has")
	if deal == strconv.Itoa(hubspotGoneDeal) {
		h.shows(missingParent)
		fail(rw, http.StatusNotFound, object{"status": "error", "category": "OBJECT_NOT_FOUND", "message": "Object not found. objectId are usually numeric."})
	}
	i := slices.IndexFunc(h.lists["deals"], func(o hubspotObject) bool { return strconv.Itoa(o.id) == deal })
	all := h.lists["deals"][i].associated[kind]
	to := min(len(all), from+500)
	results := []any{}
	for _, id := range all[from:to] {
		results = append(results, object{"toObjectId": id, "associationTypes": []any{object{"category": "HUBSPOT_DEFINED", "typeId": 3, "label": nil}}})
	}
	response := object{"results": results}
	if to < len(all) {
		response["paging"] = object{"next": object{"after": strconv.Itoa(to)}}
	}
	reply(rw, http.StatusOK, response)
}

func (h *hubspot) owner(o hubspotObject) object {
	owner := object{"id": strconv.Itoa(o.id), "type": "PERSON", "archived": o.archived, "userIdIncludingInactive": 9000 + o.id}
	if o.archived {
		h.shows(archived, absentKey)
		return owner
	}
	for key, v := range o.properties {
		owner[key] = v
	}
	return owner
}

func (h *hubspot) pipelines() object {
	stages := []any{
		object{"id": "new", "label": "New", "displayOrder": 0, "metadata": object{"probability": "0.2", "isClosed": "false"}},
		object{"id": "won", "label": "Won", "displayOrder": 1, "metadata": object{"probability": "1.0", "isClosed": "true"}},
	}
	return object{"results": []any{
		object{"id": "default", "label": "Sales", "displayOrder": 0, "stages": stages},
		object{"id": "renewals", "label": "Renewals", "displayOrder": 1, "stages": stages[1:]},
	}}
}

func (h *hubspot) result(name string, o hubspotObject, properties, associations string) object {
	selected := object{"hs_object_id": strconv.Itoa(o.id)}
	for _, property := range strings.Split(properties, ",") {
		if selected[property] = o.properties[property]; selected[property] == nil {
			h.shows(oddValue)
		}
	}
	result := object{"id": strconv.Itoa(o.id), "properties": selected, "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": h.updated(o), "archived": false}
	associated := object{}
	for _, kind := range strings.Split(associations, ",") {
		var ids []any
		all := o.associated[kind]
		first := all[:min(len(all), hubspotAssociations)]
		for _, id := range first {
			for _, label := range []string{"", "_unlabeled"} { // one object, two kinds of association
				ids = append(ids, object{"id": strconv.Itoa(id), "type": name + "_to_" + kind + label})
			}
		}
		if ids == nil {
			h.shows(absentKey)
			continue
		}
		list := object{"results": ids}
		if len(first) < len(all) {
			list["paging"] = object{"next": object{"after": strconv.Itoa(len(first)), "link": "deprecated"}}
		}
		associated[kind] = list
	}
	if len(associated) > 0 {
		result["associations"] = associated
	}
	return result
}

func (h *hubspot) updated(o hubspotObject) string {
	return firstDay.Add(-time.Duration(o.id) * time.Minute).Format("2006-01-02T15:04:05.000Z")
}

func (h *hubspot) nextDay() {
	h.lists["contacts"][0].properties["lastname"] = "Changed"
	h.lists["companies"][3].archived = true // the list leaves it out now
	h.lists["deals"] = append(h.lists["deals"], hubspotObject{id: 901, properties: object{"dealname": "New"}})
	h.lists["owners"][2].archived = true
}

func (h *hubspot) expected(day int) tables {
	want := tables{
		"pipelines": {{"id": "default", "label": "Sales"}, {"id": "renewals", "label": "Renewals"}},
		"stages": {
			{"pipeline_id": "default", "id": "new", "label": "New", "probability": "0.2", "is_closed": "false"},
			{"pipeline_id": "default", "id": "won", "label": "Won", "probability": "1.0", "is_closed": "true"},
			{"pipeline_id": "renewals", "id": "won", "label": "Won", "probability": "1.0", "is_closed": "true"},
		},
	}
	for _, o := range h.lists["owners"] {
		r := row{"id": strconv.Itoa(o.id), "first_name": "", "archived": "1", "user_id": strconv.Itoa(9000 + o.id)}
		if !o.archived {
			r["first_name"], r["archived"] = o.properties["firstName"].(string), ""
		}
		want.add("owners", r)
	}
	lists := maps.Clone(h.lists)
	if day == 1 { // it was deleted after it had been read
		lists["contacts"] = append(slices.Clone(lists["contacts"]), h.contact(105))
	}
	for _, name := range []string{"contacts", "companies", "deals"} {
		for _, o := range lists[name] {
			if o.archived {
				continue
			}
			id := strconv.Itoa(o.id)
			r := row{"id": id, "updated_at": h.updated(o)}
			for column, property := range map[string]string{"name": map[string]string{"deals": "dealname", "companies": "name"}[name], "last_name": "lastname", "email": "email", "amount": "amount", "stage": "dealstage"} {
				if v, ok := o.properties[property].(string); ok {
					r[column] = v
				}
			}
			want.add(name, r)
			for kind, column := range map[string]string{"contacts": "contact_id", "companies": "company_id"} {
				want.add("deal_"+kind, h.associated(o, kind, column)...)
			}
		}
	}
	return want
}

// associated are the rows of what an object is associated with: the first ones from the
// list, the others from their own pages.
func (h *hubspot) associated(o hubspotObject, kind, column string) []row {
	var rows []row
	for i, other := range o.associated[kind] {
		r := row{"deal_id": strconv.Itoa(o.id), column: strconv.Itoa(other)}
		switch {
		case i < hubspotAssociations:
			for _, label := range []string{"", "_unlabeled"} {
				labeled := maps.Clone(r)
				labeled["type"] = "deals_to_" + kind + label
				rows = append(rows, labeled)
			}
		case o.id != hubspotGoneDeal:
			r["type"] = "3"
			rows = append(rows, r)
		}
	}
	return rows
}
