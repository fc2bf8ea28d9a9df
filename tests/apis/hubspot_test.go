package apis

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hubspot lists objects by their ids, from the id in after. It answers with the
// properties and the associations that a request names, all of them as texts. Facts:
// https://developers.hubspot.com/docs/api/crm/understanding-the-crm,
// https://developers.hubspot.com/docs/api/usage-details.
type hubspot struct {
	*world
	lists map[string][]hubspotObject // in the order of their ids
	sent  int
	late  bool
}

type hubspotObject struct {
	id         int
	properties map[string]any
	// associated has the ids of associated objects by their type.
	associated map[string][]int
}

func newHubSpot(w *world) imitation {
	h := &hubspot{world: w, lists: map[string][]hubspotObject{}}
	for i := range 250 {
		h.lists["contacts"] = append(h.lists["contacts"], h.contact(100+i))
	}
	for i := range 100 { // exactly one page
		h.lists["companies"] = append(h.lists["companies"], hubspotObject{id: 100 + i, properties: map[string]any{"name": "Company " + strconv.Itoa(i), "domain": nil}})
	}
	for i := range 101 {
		h.lists["deals"] = append(h.lists["deals"], hubspotObject{100 + i, map[string]any{"dealname": "Deal", "amount": "12.50"}, map[string][]int{"companies": []int{101, 102}[:i%3], "contacts": []int{103}[:i%2]}})
	}
	return h
}

func (h *hubspot) contact(id int) hubspotObject {
	return hubspotObject{id: id, properties: map[string]any{"email": "c" + strconv.Itoa(id) + "@example.com", "lastname": "Nováková"}}
}

func (h *hubspot) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/crm/v3/objects/")
	list, known := h.lists[name]
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	switch {
	case r.Host != "api.hubapi.com" || r.Method != http.MethodGet || !known:
		h.refuse(rw, r, http.StatusNotFound, "no such object")
		return
	case r.Header.Get("Authorization") != "Bearer your-access-token":
		h.refuse(rw, r, http.StatusUnauthorized, "Authentication credentials not found")
		return
	case err != nil || limit < 1 || limit > 100 || query.Get("archived") != "false":
		h.refuse(rw, r, http.StatusBadRequest, "limit must be from 1 to 100")
		return
	}
	if h.sent++; h.sent%3 == 2 { // says only how long its interval is
		rw.Header().Set("X-HubSpot-RateLimit-Interval-Milliseconds", "10000")
		reply(rw, http.StatusTooManyRequests, map[string]any{"status": "error", "errorType": "RATE_LIMIT", "policyName": "TEN_SECONDLY_ROLLING", "message": "You have reached your ten_secondly_rolling limit."})
		return
	}
	from := 0
	if after := query.Get("after"); after != "" {
		id, err := strconv.Atoi(after)
		if err != nil {
			h.refuse(rw, r, http.StatusBadRequest, "wrong after")
			return
		}
		from = slices.IndexFunc(append(list, hubspotObject{id: id + 1}), func(o hubspotObject) bool { return o.id > id })
	}
	page := list[from:min(len(list), from+limit)]
	results := []any{}
	for _, o := range page {
		results = append(results, h.result(name, o, query.Get("properties"), query.Get("associations")))
	}
	answer := map[string]any{"results": results}
	if from+limit < len(list) {
		after := strconv.Itoa(page[len(page)-1].id)
		answer["paging"] = map[string]any{"next": map[string]any{"after": after, "link": address(r.Host, r.URL.Path+"?after="+after)}}
	}
	reply(rw, http.StatusOK, answer)
	if name == "contacts" && from == 0 && !h.late { // a list that changes while it is read
		h.late = true
		h.lists[name] = append(slices.Delete(slices.Clone(list), 5, 6), h.contact(900))
	}
}

// result is an object with what was requested.
func (h *hubspot) result(name string, o hubspotObject, properties, associations string) map[string]any {
	selected := map[string]any{"hs_object_id": strconv.Itoa(o.id)}
	for _, property := range strings.Split(properties, ",") {
		selected[property] = o.properties[property]
	}
	result := map[string]any{"id": strconv.Itoa(o.id), "properties": selected, "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": h.updated(o), "archived": false}
	associated := map[string]any{}
	for _, kind := range strings.Split(associations, ",") {
		var ids []any
		for _, id := range o.associated[kind] {
			for _, label := range []string{"", "_unlabeled"} { // one object, two kinds of association
				ids = append(ids, map[string]any{"id": strconv.Itoa(id), "type": name + "_to_" + kind + label})
			}
		}
		if ids != nil {
			associated[kind] = map[string]any{"results": ids}
		}
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
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists["contacts"][0].properties["lastname"] = "Changed"
	h.lists["companies"] = slices.Delete(h.lists["companies"], 3, 4)
	h.lists["deals"] = append(h.lists["deals"], hubspotObject{id: 901, properties: map[string]any{"dealname": "New"}})
}

func (h *hubspot) expected(day int) tables {
	want := tables{}
	lists := maps.Clone(h.lists)
	if day == 1 { // it was deleted after it had been read
		lists["contacts"] = append(slices.Clone(lists["contacts"]), h.contact(105))
	}
	for name, list := range lists {
		for _, o := range list {
			id := strconv.Itoa(o.id)
			r := row{"id": id, "updated_at": h.updated(o)}
			for column, property := range map[string]string{"name": map[string]string{"deals": "dealname", "companies": "name"}[name], "last_name": "lastname", "email": "email", "amount": "amount"} {
				if v, ok := o.properties[property].(string); ok {
					r[column] = v
				}
			}
			if name == "deals" {
				for kind, column := range map[string]string{"contacts": "contact_id", "companies": "company_id"} {
					for _, other := range o.associated[kind] {
						for _, label := range []string{"", "_unlabeled"} {
							want["deal_"+kind] = append(want["deal_"+kind], row{"deal_id": id, column: strconv.Itoa(other), "type": "deals_to_" + kind + label})
						}
					}
				}
			}
			want[name] = append(want[name], r)
		}
	}
	return want
}
