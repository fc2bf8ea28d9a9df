package apis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// chargebee is a site with the Product Catalog 2.0. A page of a list ends with next_offset,
// which is the place in the order: the time and the number of the last object. Attributes
// without a value are absent. Facts:
//   - limit is at most 100, and offset is the next_offset of the page before:
//     https://apidocs.chargebee.com/docs/api/list-ops
//   - objects that have not changed since 28 September 2016 have no updated_at, and the
//     filter leaves out those without one. Deleted objects are in a list only with
//     include_deleted: https://apidocs.chargebee.com/docs/api/customers/list-customers,
//     https://github.com/PostHog/posthog/issues/76090
//   - a change may be in no list for up to five minutes:
//     https://github.com/estuary/connectors/pull/3637
//   - the ids of deleted items, prices and families can be used again, and families have no
//     filter by status: https://apidocs.chargebee.com/docs/api/item_families
//   - credit notes cannot be sorted by their change:
//     https://apidocs.chargebee.com/docs/api/credit_notes/list-credit-notes
//   - with Enterprise-scale Invoicing, an invoice has at most 300 of its lines, or none in
//     a list, and line_items_next_offset:
//     https://apidocs.chargebee.com/docs/api/invoices/retrieve-an-invoice, and the
//     connector of Singer
//   - the status 429 for too many requests in a minute:
//     https://www.chargebee.com/docs/billing/2.0/kb/platform/what-are-the-chargebee-api-limits
type chargebee struct {
	*world
	lists map[string][]*chargebeeObject // in the order of their numbers
	// lines are all lines of an invoice or a credit note by its id.
	lines map[string][]object
}

type chargebeeObject struct {
	number           int
	created, updated int64 // updated is 0 if the object has no updated_at
	visible          int64 // when the object is in the lists
	fields           object
}

// chargebeeList is what a list accepts.
type chargebeeList struct {
	object string
	// sorted are the attributes for sort_by.
	sorted []string
	// changes: the list accepts include_deleted. Others have a status instead.
	changes bool
	// statuses: the list accepts status.
	statuses bool
}

var chargebeeLists = map[string]chargebeeList{
	"customers":     {"customer", []string{"created_at", "updated_at"}, true, false},
	"subscriptions": {"subscription", []string{"created_at", "updated_at"}, true, true},
	"invoices":      {"invoice", []string{"date", "updated_at"}, true, true},
	"credit_notes":  {"credit_note", []string{"date"}, true, true},
	"transactions":  {"transaction", []string{"date", "updated_at"}, true, true},
	"items":         {"item", []string{"name", "id", "updated_at"}, false, true},
	"item_prices":   {"item_price", []string{"name", "id", "updated_at"}, false, true},
	"item_families": {"item_family", nil, false, false},
}

const (
	chargebeePerMinute = 150
	chargebeeLines     = 300
	// chargebeeDelay is how long a change may be in no list, in seconds.
	chargebeeDelay = 300
)

func newChargebee(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "an API key reads all objects of a kind or none, so the list of the parents is refused before",
		errorIn200:   "errors of Chargebee have a status from 400 to 599",
		expiredToken: "API keys do not expire, an administrator deletes them",
	}
	c := &chargebee{world: w, lists: map[string][]*chargebeeObject{}, lines: map[string][]object{}}
	// What was deleted has left its id to another one.
	c.add("item_families", "analytics", object{"name": "Old analytics", "status": "deleted"})
	c.add("item_families", "analytics", object{"name": "Analytics"})
	c.add("items", "basic", object{"name": "Old basic", "type": "plan", "status": "deleted", "metered": false})
	c.add("items", "basic", object{"name": "Basic", "type": "plan", "status": "active", "metered": false})
	c.add("items", "seats", object{"name": "Seats", "type": "addon", "status": "archived", "metered": false})
	c.add("item_prices", "basic-EUR-monthly", object{"name": "Basic EUR monthly", "item_id": "basic", "status": "active", "pricing_model": "flat_fee", "currency_code": "EUR", "price": 1000})
	c.add("item_prices", "seats-EUR-monthly", object{"name": "Seats EUR monthly", "item_id": "seats", "status": "archived", "pricing_model": "tiered", "currency_code": "EUR"})
	for i := range 250 {
		o := c.add("customers", "customer-"+strconv.Itoa(i), object{"email": "c" + strconv.Itoa(i) + "@example.com", "deleted": i == 4})
		switch {
		case i < 3:
			o.updated = 0 // they have not changed since 2016
		case i == 100: // it was created in the second of the one before it, on the border of two pages
			o.created = c.lists["customers"][99].created
		}
	}
	for i, status := range []string{"active", "paused", "cancelled"} {
		c.add("subscriptions", "subscription-"+strconv.Itoa(i), object{
			"customer_id": "customer-" + strconv.Itoa(i), "status": status, "currency_code": "EUR", "deleted": false,
			"subscription_items": []any{chargebeeItem("seats-EUR-monthly", "addon", 5), chargebeeItem("basic-EUR-monthly", "plan", 1)},
		})
	}
	for i := range 120 {
		c.document("invoices", "INV/"+strconv.Itoa(i), 1+i%3)
	}
	c.document("invoices", "INV/many", 2*chargebeeLines+50)
	c.document("invoices", "INV/gone", chargebeeLines+1)
	c.document("credit_notes", "CN-1", 2)
	c.document("credit_notes", "CN/many", chargebeeLines+20)
	c.document("credit_notes", "CN/gone", chargebeeLines+1)
	for i := range 5 {
		o := c.add("transactions", "txn_"+strconv.Itoa(i), object{"customer_id": "customer-1", "type": "payment", "status": "success", "currency_code": "EUR", "amount": 100 * i, "deleted": false})
		if i == 0 { // an authorization that was voided
			o.updated, o.fields["type"], o.fields["status"] = 0, "authorization", "voided"
		}
	}
	// What was created just before the run is not yet in the lists.
	c.add("customers", "customer-late", object{"email": "late@example.com", "deleted": false})
	c.add("subscriptions", "subscription-late", object{
		"customer_id": "customer-5", "status": "active", "currency_code": "EUR", "deleted": false,
		"subscription_items": []any{chargebeeItem("basic-EUR-monthly", "plan", 1)},
	})
	c.document("invoices", "INV/late", 1)
	c.document("credit_notes", "CN-late", 1)
	c.add("transactions", "txn_late", object{"type": "payment", "status": "success", "currency_code": "EUR", "deleted": false})
	for _, list := range []string{"customers", "subscriptions", "invoices", "credit_notes", "transactions"} {
		o := c.lists[list][len(c.lists[list])-1]
		o.created = firstDay.Unix() - 10
		o.updated, o.visible = o.created, o.created+chargebeeDelay
	}
	return c
}

// add adds an object that was created some days after the one before it.
func (c *chargebee) add(list, id string, fields object) *chargebeeObject {
	number := len(c.lists[list])
	created := time.Date(2025, 3, 1, number, 0, 0, 0, time.UTC).Unix()
	o := &chargebeeObject{number: number, created: created, updated: created, fields: fields}
	fields["id"] = id
	c.lists[list] = append(c.lists[list], o)
	return o
}

func chargebeeItem(price, kind string, quantity int) object {
	return object{"item_price_id": price, "item_type": kind, "quantity": quantity, "object": "subscription_item"}
}

// document adds an invoice or a credit note. The numbers of invoices have a prefix with a
// slash.
func (c *chargebee) document(list, id string, lines int) {
	fields := object{"customer_id": "customer-1", "status": "paid", "currency_code": "EUR", "sub_total": lines, "deleted": false}
	for i := range lines {
		c.lines[id] = append(c.lines[id], object{"id": fmt.Sprintf("li_%d", i), "amount": i, "entity_type": "plan_item_price", "entity_id": "basic-EUR-monthly"})
	}
	if list == "invoices" {
		fields["linked_payments"] = []any{object{"txn_id": "txn_1", "applied_amount": 1, "applied_at": 1700000000, "txn_status": "success"}}
	} else {
		fields["type"] = "adjustment"
		fields["allocations"] = []any{object{"invoice_id": "INV/1", "allocated_amount": 2, "allocated_at": 1700000000, "invoice_status": "paid"}}
	}
	c.add(list, id, fields)
}

func (c *chargebee) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	path, inAPI := strings.CutPrefix(r.URL.EscapedPath(), "/api/v2/")
	name, id, single := strings.Cut(path, "/")
	list, known := chargebeeLists[name]
	c.requests[name]++
	c.refuseIf(r.Host != "your-site.chargebee.com" || !inAPI || !known || r.Method != http.MethodGet,
		"no such list")
	c.refuseIf(!ok || user != "your-api-key" || password != "", "wrong key")
	c.refuseIf(c.recent("", time.Minute) > chargebeePerMinute, "too many requests in a minute")
	switch {
	case name == "customers" && c.requests[name] == 2: // other programs use the same limit
		reply(rw, http.StatusTooManyRequests, chargebeeError("api_request_limit_exceeded"))
	case name == "invoices" && c.requests[name] == 2:
		reply(rw, http.StatusServiceUnavailable, chargebeeError("internal_temporary_error"))
	case single:
		c.retrieve(rw, r, list.object, id)
	default:
		c.page(rw, r, name, list)
	}
}

func chargebeeError(code string) object {
	return object{"message": "Sorry, " + code, "type": "operation_failed", "api_error_code": code}
}

func (l chargebeeList) check(query url.Values) error {
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		return fmt.Errorf("limit must be from 1 to 100")
	}
	for name, values := range query {
		ok := false
		switch name {
		case "limit", "offset", "updated_at[after]":
			ok = true
		case "include_deleted":
			ok = l.changes
		case "status[in]":
			ok = l.statuses
		case "sort_by[asc]", "sort_by[desc]":
			ok = slices.Contains(l.sorted, values[0])
		}
		if !ok {
			return fmt.Errorf("wrong parameter %s=%s", name, values[0])
		}
	}
	return nil
}

func (c *chargebee) page(rw http.ResponseWriter, r *http.Request, name string, list chargebeeList) {
	query := r.URL.Query()
	c.refuseError(list.check(query))
	c.refuseIf(query.Has("updated_at[after]") && slices.Contains(list.sorted, "updated_at") && query.Get("sort_by[desc]") != "updated_at",
		"an object that changes leaves its place, and others move to pages that were read")
	position, sorted := list.order(query)
	rest := c.matching(name, list, query)
	slices.SortFunc(rest, sorted)
	if offset := query.Get("offset"); offset != "" {
		i := slices.IndexFunc(rest, func(o *chargebeeObject) bool { return chargebeeOffset(position(o), o.number) == offset })
		c.refuseIf(i < 0, "offset is not the next_offset of a page")
		c.showsIf(i+1 < len(rest) && position(rest[i]) == position(rest[i+1]), tie)
		rest = rest[i+1:]
	}
	limit, _ := strconv.Atoi(query.Get("limit"))
	if len(c.lists[name]) < 10 && len(rest) > 1 { // only next_offset shows that there are more
		limit = 1
		c.shows(shortPage)
	}
	items := each(rest[:min(limit, len(rest))], func(o *chargebeeObject) object { return object{list.object: c.sending(name, list.object, o)} })
	body := object{"list": items}
	if len(rest) > limit {
		last := rest[limit-1]
		body["next_offset"] = chargebeeOffset(position(last), last.number)
	}
	reply(rw, http.StatusOK, body)
}

func chargebeeOffset(position int64, number int) string {
	text, _ := json.Marshal([]string{strconv.FormatInt(position*1000, 10), strconv.Itoa(number)})
	return string(text)
}

// order returns the time by which a list is sorted, and the order: by the last change with
// the latest first, or by creation, which begins with the newest in the product catalog.
func (l chargebeeList) order(query url.Values) (position func(*chargebeeObject) int64, sorted func(a, b *chargebeeObject) int) {
	position = func(o *chargebeeObject) int64 { return o.created }
	latestFirst := !l.changes
	if query.Get("sort_by[desc]") == "updated_at" {
		position, latestFirst = func(o *chargebeeObject) int64 { return o.updated }, true
	}
	return position, func(a, b *chargebeeObject) int {
		if latestFirst {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(position(a), position(b)), cmp.Compare(a.number, b.number))
	}
}

func (c *chargebee) matching(name string, list chargebeeList, query url.Values) []*chargebeeObject {
	after, err := strconv.ParseInt(query.Get("updated_at[after]"), 10, 64)
	statuses := strings.Split(strings.Trim(query.Get("status[in]"), "[]"), ",")
	return without(c.lists[name], func(o *chargebeeObject) bool {
		return o.visible > c.Now().Unix() || err == nil && o.updated <= after ||
			o.fields["deleted"] == true && query.Get("include_deleted") != "true" ||
			!list.changes && list.statuses && o.fields["status"] != "active" && !slices.Contains(statuses, o.fields["status"].(string))
	})
}

func (c *chargebee) sending(name, kind string, o *chargebeeObject) object {
	sent := maps.Clone(o.fields)
	sent["object"] = kind
	if o.updated > 0 {
		sent["updated_at"] = o.updated
	} else {
		c.shows(absentKey)
	}
	switch name {
	case "invoices", "credit_notes":
		c.withLines(sent, 0, 0)
	default:
		sent["created_at"] = o.created
	}
	switch {
	case o.fields["deleted"] == true:
		c.shows(deleted)
	case o.fields["status"] == "paused" || o.fields["status"] == "archived":
		c.shows(archived)
	case strings.Contains(o.fields["id"].(string), "/"):
		c.shows(oddValue)
	}
	return sent
}

// withLines adds lines to a document, and where the next ones begin. In a list (limit 0) a
// document has all of them, or its first ten if they are more than a page, or none.
func (c *chargebee) withLines(document object, from, limit int) {
	all := c.lines[document["id"].(string)]
	switch {
	case limit == 0 && len(all) <= chargebeeLines:
		limit = len(all)
	case limit == 0 && document["object"] == "credit_note":
		limit = 10
	}
	to := min(from+limit, len(all))
	document["line_items"] = all[from:to]
	if to < len(all) {
		document["line_items_next_offset"] = chargebeeOffset(int64(to), len(all))
	}
}

func (c *chargebee) retrieve(rw http.ResponseWriter, r *http.Request, kind, escaped string) {
	id, err := url.PathUnescape(escaped)
	query := r.URL.Query()
	limit, wrong := strconv.Atoi(query.Get("line_items_limit"))
	var offset []string
	notJSON := json.Unmarshal([]byte(query.Get("line_items_offset")), &offset)
	c.refuseIf(err != nil || strings.Contains(escaped, "/") || c.lines[id] == nil, "no such document")
	c.refuseIf(wrong != nil || limit < 1 || limit > chargebeeLines || notJSON != nil ||
		len(offset) != 2 || len(query) != 2, "wrong parameters for lines")
	if strings.HasSuffix(id, "/gone") { // it was pending, and was deleted after its page was read
		c.shows(missingParent)
		fail(rw, http.StatusNotFound, chargebeeError("resource_not_found"))
	}
	from, _ := strconv.Atoi(strings.TrimSuffix(offset[0], "000"))
	document := object{"id": id, "object": kind}
	c.withLines(document, from, limit)
	reply(rw, http.StatusOK, object{kind: document})
}

func (c *chargebee) nextDay() {
	c.change("customers", "customer-7", "deleted", true)
	c.change("customers", "customer-1", "email", "new@example.com") // now it has updated_at
	c.change("subscriptions", "subscription-0", "status", "cancelled")
	c.change("subscriptions", "subscription-1", "subscription_items", []any{chargebeeItem("basic-EUR-monthly", "plan", 2)})
	c.change("invoices", "INV/5", "status", "voided")
	c.change("invoices", "INV/6", "status", "not_paid")
	c.change("credit_notes", "CN-1", "status", "voided")
	c.change("transactions", "txn_2", "status", "failure")
	for list, id := range map[string]string{"subscriptions": "subscription-2", "invoices": "INV/7", "credit_notes": "CN/many", "transactions": "txn_3"} {
		c.change(list, id, "deleted", true)
	}
	c.lists["items"][1].fields["status"] = "deleted"
}

func (c *chargebee) change(list, id, field string, v any) {
	for _, o := range c.lists[list] {
		if o.fields["id"] == id {
			o.fields[field] = v
			o.updated = c.Now().Add(-time.Hour).Unix()
		}
	}
}

// chargebeeColumns are compared, if the object has them.
var chargebeeColumns = []string{"email", "customer_id", "name", "type", "status", "item_id", "price", "currency_code", "amount", "sub_total", "deleted"}

func (c *chargebee) expected(day int) tables {
	want := tables{}
	for name, list := range c.lists {
		for _, o := range list {
			id := o.fields["id"].(string)
			switch {
			case day == 1 && o.visible > 0:
				continue // it comes with the second run, by its lookback
			case o.fields["status"] == "deleted":
				continue // in the product catalog
			case day == 2 && chargebeeLists[name].changes && o.updated <= firstDay.Add(-time.Hour).Unix():
				continue
			}
			line := row{"id": id, "updated_at": ""}
			if o.updated > 0 {
				line["updated_at"] = strconv.FormatInt(o.updated, 10)
			}
			for _, column := range chargebeeColumns {
				switch v := o.fields[column].(type) {
				case string:
					line[column] = v
				case int:
					line[column] = strconv.Itoa(v)
				case bool:
					line[column] = map[bool]string{true: "1", false: ""}[v]
				}
			}
			c.expectNested(want, name, id, o, line)
			want.add(name, line)
		}
	}
	return want
}

func (c *chargebee) expectNested(want tables, name, id string, o *chargebeeObject, line row) {
	switch name {
	case "subscriptions":
		items := o.fields["subscription_items"].([]any)
		text, _ := json.Marshal(items)
		line["plan_item_price_id"], line["items"] = "basic-EUR-monthly", string(text)
		for _, v := range items {
			item := v.(object)
			want.add("subscription_items", row{
				"subscription_id": id, "item_price_id": item["item_price_id"].(string), "item_type": item["item_type"].(string), "quantity": strconv.Itoa(item["quantity"].(int)),
			})
		}
	case "invoices":
		want.add("invoice_payments", row{"invoice_id": id, "transaction_id": "txn_1", "applied_at": "1700000000", "applied_amount": "1", "transaction_status": "success"})
	case "credit_notes":
		want.add("credit_note_allocations", row{"credit_note_id": id, "invoice_id": "INV/1", "allocated_at": "1700000000", "allocated_amount": "2"})
	}
	lines := c.lines[id]
	switch id { // the others are no longer there
	case "INV/gone":
		lines = nil
	case "CN/gone":
		lines = lines[:10]
	}
	document := strings.TrimSuffix(name, "s")
	for _, l := range lines {
		want.add(document+"_lines", row{document + "_id": id, "id": l["id"].(string), "amount": strconv.Itoa(l["amount"].(int)), "entity_id": "basic-EUR-monthly"})
	}
}
