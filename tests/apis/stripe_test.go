package apis

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stripe lists objects newest first, from the one after the id in starting_after. A list
// within an object has its first ten items. The lists have no filter for changes, and
// deleted objects are in none of them: events name both. Facts:
// https://docs.stripe.com/api/pagination,
// https://docs.stripe.com/rate-limits, https://docs.stripe.com/api/events, and the
// parameters of https://github.com/stripe/stripe-node for the version.
type stripe struct {
	*world
	lists map[string][]stripeObject // newest first
	// nested are lists of more than ten items by the id of their parent.
	nested map[string][]any
}

type stripeObject struct {
	id      string
	created int64
	fields  object
}

// stripeParameters are those that a list knows beside limit and starting_after.
var stripeParameters = map[string][]string{
	"customers": nil, "products": nil, "prices": nil, "disputes": nil, "payouts": nil,
	"subscriptions":        {"status"},
	"subscription_items":   {"subscription"},
	"invoices":             {"created[gte]", "created[lt]"},
	"invoice_payments":     {"created[gte]", "created[lt]"},
	"payment_intents":      {"created[gte]", "created[lt]"},
	"charges":              {"created[gte]", "created[lt]"},
	"refunds":              {"created[gte]", "created[lt]"},
	"balance_transactions": {"created[gte]", "created[lt]"},
	"events":               {"created[gte]", "created[lt]", "types["},
}

// stripeLookback is how much of the lists a later run requests again, in days. The other
// lists are requested as a whole.
var stripeLookback = map[string]float64{
	"invoices": 35, "invoice_payments": 35, "payment_intents": 35, "charges": 35, "refunds": 35,
	"balance_transactions": 35, "events": 1. / 24,
}

func newStripe(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "a permission of a restricted key is for all objects of a kind, so the list of the parents is refused before",
		errorIn200:   "errors of Stripe have a status from 400 to 599",
		expiredToken: "API keys do not expire unless somebody rotates them",
	}
	s := &stripe{world: w, lists: map[string][]stripeObject{}, nested: map[string][]any{}}
	for i := range 250 {
		s.add("customers", i, i, object{"email": "c" + strconv.Itoa(i) + "@example.com", "balance": -i, "delinquent": i%2 == 0, "address": nil})
	}
	for i := range 130 {
		customer := any("customers_" + strconv.Itoa(i))
		if i == 7 {
			customer = nil // a guest
		}
		at := i
		if i == 29 { // the last charge of a page was created in the second of the one before it
			at = 30
		}
		s.add("charges", i, at, object{"customer": customer, "amount": 100 * i, "amount_refunded": 0, "currency": "eur", "status": "succeeded"})
		s.add("invoices", i, i, s.invoice("invoices_"+strconv.Itoa(i), 1+i%2*11))
	}
	s.add("products", 0, 0, object{"name": "Sold", "active": true, "default_price": "prices_0"})
	s.add("products", 1, 1, object{"name": "No longer sold", "active": false})
	s.add("prices", 0, 0, object{"product": "products_0", "unit_amount": 900, "recurring": object{"interval": "month", "interval_count": 1}})
	s.add("prices", 1, 1, object{"product": "products_1", "unit_amount": nil, "recurring": nil})
	for i, status := range []string{"active", "canceled", "past_due", "incomplete"} {
		id := "subscriptions_" + strconv.Itoa(i)
		s.add("subscriptions", i, i, object{"status": status, "items": s.sublist(id, "si", 1+i*10)})
	}
	s.add("payment_intents", 0, 100, object{"status": "succeeded", "latest_charge": "charges_100", "amount": 10000})
	s.add("invoice_payments", 0, 100, object{"invoice": "invoices_100", "status": "paid", "payment": object{"type": "payment_intent", "payment_intent": "payment_intents_0"}})
	s.add("refunds", 0, 100, object{"charge": "charges_100", "amount": 5, "status": "succeeded"})
	// These are older than the lookback.
	for i := 1; i <= 3; i++ {
		s.add("payment_intents", i, i, object{"status": "processing", "latest_charge": nil, "amount": 1})
		s.add("invoice_payments", i, i, object{"invoice": "invoices_20", "status": "open"})
		s.add("refunds", i, i, object{"charge": "charges_20", "amount": 1, "status": "pending"})
		s.add("balance_transactions", i, i, object{"amount": 1, "status": "available"})
	}
	s.add("products", 2, 2, object{"name": "A mistake", "active": true})
	s.add("prices", 2, 2, object{"product": "products_2", "unit_amount": 1, "recurring": nil})
	s.add("disputes", 0, 50, object{"charge": "charges_50", "amount": 9000, "status": "needs_response", "evidence_details": object{"due_by": nil}})
	s.add("payouts", 0, 100, object{"amount": 700, "status": "in_transit"})
	s.add("balance_transactions", 0, 100, object{"amount": 10000, "fee": 150, "net": 9850, "status": "pending", "source": "charges_100"})
	s.event("events_0", firstDay.AddDate(0, 0, -9), "charge.captured", "charge", "charges_100", object{"captured": false})
	s.event("events_1", firstDay.AddDate(0, 0, -8), "charge.succeeded", "charge", "charges_101", nil)
	return s
}

// add adds an object that was created on a day, counted from November 2025. Some are older
// than a lookback.
func (s *stripe) add(list string, i, day int, fields object) {
	created := time.Date(2025, 11, 1+day, 0, 0, 0, 0, time.UTC).Unix()
	if created >= firstDay.Unix() {
		created = firstDay.Add(-time.Duration(1000-day) * time.Minute).Unix()
	}
	s.insert(list, stripeObject{list + "_" + strconv.Itoa(i), created, fields})
}

// event adds an event about an object. previous has the earlier values of what changed.
func (s *stripe) event(id string, at time.Time, kind, about, of string, previous object) {
	data := object{"object": object{"object": about, "id": of}}
	if about == "dispute" {
		data["object"] = object{"object": about, "id": of, "charge": "charges_50"}
	}
	if previous != nil {
		data["previous_attributes"] = previous
	}
	s.insert("events", stripeObject{id, at.Unix(), object{"type": kind, "data": data}})
}

func (s *stripe) insert(list string, o stripeObject) {
	place, _ := slices.BinarySearchFunc(s.lists[list], o, func(a, b stripeObject) int { return int(b.created - a.created) })
	s.lists[list] = slices.Insert(s.lists[list], place, o)
}

func (s *stripe) invoice(id string, lines int) object {
	return object{
		"total": lines, "currency": "eur", "status": "open", "parent": nil,
		"status_transitions": object{"finalized_at": 1, "paid_at": nil},
		"lines":              s.sublist(id, "il", lines),
	}
}

// sublist is a list within an object: ten of its items.
func (s *stripe) sublist(parent, prefix string, n int) object {
	all := []any{}
	for i := range n {
		all = append(all, object{
			"id": fmt.Sprintf("%s_%s_%d", prefix, parent, i), "amount": i, "description": nil, "quantity": 1,
			"period": object{"start": 1, "end": 2}, "price": object{"id": "prices_0", "product": "products_0"},
		})
	}
	s.nested[parent] = all
	return object{"object": "list", "data": all[:min(n, 10)], "has_more": n > 10}
}

func (s *stripe) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/v1/")
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	// Another version has other fields.
	s.admit(r, "api.stripe.com", map[string]string{"Authorization": "Bearer your-restricted-key", "Stripe-Version": "2026-08-26.dahlia"})
	s.refuseIf(!strings.Contains(name, "/") && (err != nil || limit < 1 || limit > 100),
		"limit must be from 1 to 100")
	if invoice, ok := strings.CutSuffix(strings.TrimPrefix(name, "invoices/"), "/lines"); ok {
		s.replyItems(rw, r, invoice, limit)
		return
	}
	known, ok := stripeParameters[name]
	if !ok && strings.Contains(name, "/") {
		s.replyObject(rw, r, name)
		return
	}
	s.refuseIf(!ok, "no such list")
	for parameter := range query {
		s.refuseIf(parameter != "limit" && parameter != "starting_after" && !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(parameter, k) }),
			"Received unknown parameter: "+parameter)
	}
	if name == "subscription_items" {
		s.replyItems(rw, r, query.Get("subscription"), limit)
		return
	}
	s.requests[name]++
	// too many requests, without Retry-After
	failIf(s.requests[name] == 2,
		rw, http.StatusTooManyRequests, object{"error": object{"type": "invalid_request_error", "code": "rate_limit"}})
	if s.requests[name] == 3 && name == "customers" { // a list that grows while it is read
		s.insert(name, stripeObject{"customers_late", s.Now().Unix(), object{"email": "late@example.com"}})
	}
	s.replyList(rw, r, name, limit, query)
}

func (s *stripe) replyObject(rw http.ResponseWriter, r *http.Request, path string) {
	list, id, _ := strings.Cut(path, "/")
	i := slices.IndexFunc(s.lists[list], func(o stripeObject) bool { return o.id == id })
	s.refuseIf(i < 0 || r.URL.RawQuery != "", "no such object, or a parameter for it")
	reply(rw, http.StatusOK, s.lists[list][i].item(list))
}

func (o stripeObject) item(list string) object {
	item := object{"id": o.id, "object": strings.TrimSuffix(list, "s"), "created": o.created}
	maps.Copy(item, o.fields)
	return item
}

// stripeGone are objects that are deleted after their page was read: a draft and a
// subscription of a test clock.
var stripeGone = []string{"invoices_129", "subscriptions_3"}

func (s *stripe) replyItems(rw http.ResponseWriter, r *http.Request, parent string, limit int) {
	if slices.Contains(stripeGone, parent) {
		s.shows(missingParent)
		fail(rw, http.StatusNotFound, object{"error": object{"type": "invalid_request_error", "code": "resource_missing", "message": "No such object: '" + parent + "'"}})
	}
	all := s.nested[parent]
	after := r.URL.Query().Get("starting_after")
	from := slices.IndexFunc(all, func(v any) bool { return v.(object)["id"] == after }) + 1
	s.refuseIf(from < 10, "the first ten are in the object")
	rest := all[from:]
	reply(rw, http.StatusOK, object{"object": "list", "has_more": len(rest) > limit, "data": rest[:min(limit, len(rest))]})
}

func (s *stripe) matching(name string, query url.Values) []stripeObject {
	since, _ := strconv.ParseInt(query.Get("created[gte]"), 10, 64)
	until, err := strconv.ParseInt(query.Get("created[lt]"), 10, 64)
	var types []string
	for parameter, v := range query {
		if strings.HasPrefix(parameter, "types[") {
			types = append(types, v...)
		}
	}
	return without(s.lists[name], func(o stripeObject) bool {
		return o.created < since || err == nil && o.created >= until ||
			name == "subscriptions" && o.fields["status"] == "canceled" && query.Get("status") != "all" ||
			name == "events" && !slices.Contains(types, o.fields["type"].(string))
	})
}

func (s *stripe) replyList(rw http.ResponseWriter, r *http.Request, name string, limit int, query url.Values) {
	rest := s.matching(name, query)
	if after := query.Get("starting_after"); after != "" {
		from := slices.IndexFunc(rest, func(o stripeObject) bool { return o.id == after }) + 1
		s.refuseIf(from == 0, "no such id: "+after)
		s.showsIf(name == "charges" && from < len(rest) && rest[from-1].created == rest[from].created, tie)
		rest = rest[from:]
	}
	if name == "customers" && len(rest) > 60 { // only has_more is false at the end
		limit = 60
		s.shows(shortPage)
	}
	data := []any{}
	for _, o := range rest[:min(limit, len(rest))] {
		data = append(data, o.item(name))
		s.note(name, o)
	}
	reply(rw, http.StatusOK, object{"object": "list", "url": r.URL.Path, "has_more": len(rest) > limit, "data": data})
}

func (s *stripe) note(name string, o stripeObject) {
	switch {
	case o.id == "products_1" || o.id == "subscriptions_1":
		s.shows(archived)
	case o.id == "charges_7":
		s.shows(oddValue)
	case o.id == "events_7":
		s.shows(absentKey, deleted)
	}
}

func (s *stripe) nextDay() {
	at := s.Now().Add(-time.Hour)
	now := at.Unix()
	s.insert("charges", stripeObject{"charges_new", now, object{"amount": 7, "currency": "usd", "status": "failed"}})
	s.insert("invoices", stripeObject{"invoices_new", now, s.invoice("invoices_new", 250)})
	s.change("subscriptions", "subscriptions_0", "status", "canceled")
	s.change("balance_transactions", "balance_transactions_0", "status", "available")
	// Two invoices are paid, and a charge is refunded in two parts. One invoice and the charge
	// are older than the lookback.
	s.change("invoices", "invoices_100", "status", "paid")
	s.event("events_2", at, "invoice.paid", "invoice", "invoices_100", nil)
	s.change("invoices", "invoices_11", "status", "paid")
	s.event("events_3", at, "invoice.paid", "invoice", "invoices_11", nil)
	s.change("charges", "charges_10", "amount_refunded", 1000)
	s.event("events_4", at, "charge.refunded", "charge", "charges_10", object{"amount_refunded": 0})
	s.event("events_5", at, "charge.refunded", "charge", "charges_10", object{"amount_refunded": 400})
	s.insert("refunds", stripeObject{"refunds_new", now, object{"charge": "charges_10", "amount": 1000, "status": "succeeded"}})
	s.change("charges", "charges_50", "status", "disputed")
	s.event("events_6", at, "charge.dispute.created", "dispute", "disputes_0", nil)
	s.remove("customers", "customers_3")
	s.event("events_7", at, "customer.deleted", "customer", "customers_3", nil)
	s.remove("invoices", "invoices_129")
	s.event("events_8", at, "invoice.deleted", "invoice", "invoices_129", nil)
	s.remove("products", "products_2")
	s.event("events_9", at, "product.deleted", "product", "products_2", nil)
	s.remove("prices", "prices_2")
	s.event("events_10", at, "price.deleted", "price", "prices_2", nil)
	for i, e := range []struct{ kind, list, id, status string }{
		{"invoice.finalized", "invoices", "invoices_12", "open"},
		{"invoice.voided", "invoices", "invoices_13", "void"},
		{"invoice.marked_uncollectible", "invoices", "invoices_14", "uncollectible"},
		{"invoice_payment.paid", "invoice_payments", "invoice_payments_1", "paid"},
		{"payment_intent.succeeded", "payment_intents", "payment_intents_1", "succeeded"},
		{"payment_intent.canceled", "payment_intents", "payment_intents_2", "canceled"},
		{"charge.captured", "charges", "charges_11", "succeeded"},
		{"refund.updated", "refunds", "refunds_1", "succeeded"},
		{"refund.failed", "refunds", "refunds_2", "failed"},
	} {
		s.change(e.list, e.id, "status", e.status)
		s.event("events_"+strconv.Itoa(20+i), at, e.kind, strings.TrimSuffix(e.list, "s"), e.id, nil)
	}
	// An event of the first day that was not listed yet when the first run ended.
	s.change("invoices", "invoices_15", "status", "paid")
	s.event("events_30", firstDay.Add(-30*time.Minute), "invoice.paid", "invoice", "invoices_15", nil)
}

// stripeAgain are the old objects that the second run requests because of an event.
var stripeAgain = []string{
	"invoices_11", "invoices_12", "invoices_13", "invoices_14", "invoices_15", "invoice_payments_1",
	"payment_intents_1", "payment_intents_2", "charges_10", "charges_11", "charges_50", "refunds_1", "refunds_2",
}

// repeats: an object comes once from its list, and once for each event.
func (*stripe) repeats(table string) bool {
	return slices.Contains([]string{"invoices", "invoice_lines", "charges"}, table)
}

func (s *stripe) change(list, id, field string, v any) {
	for _, o := range s.lists[list] {
		if o.id == id {
			o.fields[field] = v
		}
	}
}

func (s *stripe) remove(list, id string) {
	s.lists[list] = slices.DeleteFunc(s.lists[list], func(o stripeObject) bool { return o.id == id })
}

// stripeColumns are compared, if the object has them.
var stripeColumns = []string{
	"email", "name", "active", "product", "unit_amount", "status", "customer", "amount", "amount_refunded", "currency",
	"total", "invoice", "charge", "latest_charge", "fee", "net", "source", "type",
}

func (s *stripe) expected(day int) tables {
	want := tables{"subscription_items": nil, "invoice_lines": nil}
	for name, list := range s.lists {
		for _, o := range list {
			lookback, recent := stripeLookback[name]
			switch {
			case o.id == "customers_late" && day == 1, o.id == "events_1":
				continue // it came after the first page, and an event of another type
			case day == 2 && recent && !slices.Contains(stripeAgain, o.id) && float64(o.created) < float64(firstDay.Unix())-lookback*24*3600:
				continue
			}
			line := row{"id": o.id, "created": strconv.FormatInt(o.created, 10)}
			for _, column := range stripeColumns {
				switch v := o.fields[column].(type) {
				case string:
					line[column] = v
				case int:
					line[column] = strconv.Itoa(v)
				case bool:
					line[column] = map[bool]string{true: "1", false: ""}[v]
				case nil:
					if _, there := o.fields[column]; there {
						line[column] = ""
					}
				}
			}
			if name == "events" {
				object := o.fields["data"].(object)["object"].(object)
				line["object_id"], line["object_type"] = object["id"].(string), object["object"].(string)
			}
			want.add(name, line)
			items := s.nested[o.id]
			if slices.Contains(stripeGone, o.id) {
				items = items[:10]
			}
			for _, item := range items {
				id := item.(object)["id"].(string)
				switch name {
				case "invoices":
					want.add("invoice_lines", row{"id": id, "invoice_id": o.id, "amount": strconv.Itoa(item.(object)["amount"].(int))})
				case "subscriptions":
					want.add("subscription_items", row{"id": id, "subscription_id": o.id, "product": "products_0"})
				}
			}
		}
	}
	return want
}
