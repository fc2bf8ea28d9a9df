package apis

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bigCommerce is a store. V2 lists are plain arrays, and a list without items is a 204; V3
// lists are in data. Archived orders are in no list. Facts: the specifications in
// https://github.com/bigcommerce/docs, and
// https://docs.bigcommerce.com/developer/docs/overview/api-fundamentals/rate-limits.
type bigCommerce struct {
	*world
	orders    []bigCommerceOrder // by id
	customers []object           // by id
	products  []object           // by id
	refunds   []object           // by id
	groups    []object
	// sent counts the requests of the window that began at a time.
	sent  int
	since time.Time
}

type bigCommerceOrder struct {
	id       int
	modified time.Time
	lines    int
}

// bigCommerceCap is the page size of lists whose specification names no maximum: a greater
// limit is cut without an error.
const bigCommerceCap = 100

// bigCommerceGone is an order that is archived after its page was read.
const bigCommerceGone = 255

func newBigCommerce(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:    "a scope is for all objects of a kind, so the list of the orders is refused before",
		errorIn200:   "errors of this API have a status of 400 or above",
		expiredToken: "access tokens of API accounts do not expire",
	}
	b := &bigCommerce{world: w, since: w.Now()}
	for i := range 500 { // exactly two pages
		b.order(i+1, firstDay.Add(time.Duration(i-1000)*time.Hour), i%3)
	}
	b.order(120, firstDay.Add(-time.Hour), 260) // where the lookback of the next run starts
	b.order(bigCommerceGone, firstDay.AddDate(0, 0, -3), 1)
	for i := range 300 {
		b.customer(i+1, firstDay.AddDate(0, 0, -i), "C"+strconv.Itoa(i+1))
	}
	for i := range 260 {
		b.products = append(b.products, object{
			"id": i + 1, "name": "Mug", "sku": "M-" + strconv.Itoa(i+1), "brand_id": 1, "categories": []any{1, 2}, "price": 9.5,
			"is_visible": i%10 > 0, "inventory_level": i, "date_modified": "2020-01-01T00:00:00+00:00",
		})
	}
	for i := range 130 {
		b.refund(i+1, firstDay.AddDate(0, 0, -i))
	}
	for i := range 3 {
		b.groups = append(b.groups, object{"id": i + 1, "name": "Group " + strconv.Itoa(i+1)})
	}
	return b
}

func (b *bigCommerce) order(id int, modified time.Time, lines int) {
	at, found := slices.BinarySearchFunc(b.orders, id, func(o bigCommerceOrder, id int) int { return o.id - id })
	if found {
		b.orders[at] = bigCommerceOrder{id, modified, lines}
		return
	}
	b.orders = slices.Insert(b.orders, at, bigCommerceOrder{id, modified, lines})
}

func (b *bigCommerce) customer(id int, modified time.Time, name string) {
	at := modified.Format("2006-01-02T15:04:05Z")
	c := object{"id": id, "email": "", "first_name": name, "last_name": "Nováková", "customer_group_id": 0, "date_created": at, "date_modified": at}
	b.customers = put(b.customers, c, func(x object) bool { return x["id"] == id })
}

func (b *bigCommerce) refund(id int, created time.Time) {
	b.refunds = append(b.refunds, object{
		"id": id, "order_id": id, "reason": "", "total_amount": 2.5, "created": created.Format(time.RFC3339),
		"items": []any{object{"item_type": "PRODUCT", "item_id": 10 * id, "quantity": 1}}, "payments": []any{},
	})
}

func (b *bigCommerce) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/stores/your-store-hash/")
	// V2 sends XML without the header Accept.
	b.admit(r, "api.bigcommerce.com", map[string]string{"X-Auth-Token": "your-access-token", "Accept": "application/json"})
	b.countRequest(rw, r)
	b.refuseIf(!ok, "no such store")
	query := r.URL.Query()
	limit := b.number(query, "limit", 1, 250)
	order, lines := strings.CutPrefix(strings.TrimSuffix(path, "/products"), "v2/orders/")
	switch {
	case path == "v2/orders":
		b.replyOrders(rw, r, query, limit)
	case lines:
		b.replyLines(rw, r, order, limit, query)
	case path == "v2/customer_groups":
		b.replyV2(rw, bigCommercePage(b.groups, query, limit))
	case path == "v3/customers":
		b.replyCustomers(rw, r, query, limit)
	case path == "v3/catalog/products":
		b.replyProducts(rw, r, query, limit)
	default:
		b.replyV3(rw, r, path, query, min(limit, bigCommerceCap))
	}
}

// countRequest refuses requests until the end of the 30 seconds if their quota is used up. Other
// apps use it up once.
func (b *bigCommerce) countRequest(rw http.ResponseWriter, r *http.Request) {
	if b.Now().Sub(b.since) >= 30*time.Second {
		b.since, b.sent = b.Now(), 0
	}
	b.sent++
	if b.count("all") == 4 {
		b.sent = 151
	}
	if b.sent <= 150 {
		return
	}
	end := b.since.Add(30 * time.Second)
	b.failUntil(rw, r, end, http.StatusTooManyRequests, object{"status": 429, "title": "Too Many Requests"},
		"X-Rate-Limit-Time-Window-Ms", "30000",
		"X-Rate-Limit-Time-Reset-Ms", strconv.FormatInt(end.Sub(b.Now()).Milliseconds(), 10))
}

func (*bigCommerce) replyV2(rw http.ResponseWriter, page []object) {
	if len(page) == 0 {
		rw.WriteHeader(http.StatusNoContent)
		return
	}
	reply(rw, http.StatusOK, page)
}

func bigCommercePage(all []object, query url.Values, limit int) []object {
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil {
		n = 1
	}
	return all[min(len(all), (n-1)*limit):min(len(all), n*limit)]
}

func (b *bigCommerce) replyOrders(rw http.ResponseWriter, r *http.Request, query url.Values, limit int) {
	least, _ := strconv.Atoi(query.Get("min_id"))
	since := time.Time{}
	var err error
	if text := query.Get("min_date_modified"); text != "" {
		since, err = time.Parse(time.RFC3339, text)
	}
	b.refuseIf(err != nil || query.Get("sort") != "id:asc", "wrong parameters")
	page := []object{}
	for _, o := range b.orders {
		if o.id < least || o.modified.Before(since) || len(page) == limit {
			continue
		}
		b.showsIf(o.modified.Equal(since), tie)
		page = append(page, object{
			"id": o.id, "customer_id": 0, "status_id": 11, "status": "Awaiting Fulfillment", "default_currency_code": "EUR", "total_inc_tax": "12.5000",
			"refunded_amount": "0.0000", "date_modified": o.modified.Format(time.RFC1123Z), "date_shipped": "",
			"products": object{"url": address(r.Host, r.URL.Path+"/"+strconv.Itoa(o.id)+"/products"), "resource": "/orders/" + strconv.Itoa(o.id) + "/products"},
		})
	}
	b.shows(oddValue) // guests have the customer 0, and what is not shipped has an empty date
	// the archived order is not among them
	b.showsIf(!since.IsZero(), deleted)
	b.replyV2(rw, page)
}

func (b *bigCommerce) replyLines(rw http.ResponseWriter, r *http.Request, order string, limit int, query url.Values) {
	id, _ := strconv.Atoi(order)
	i := slices.IndexFunc(b.orders, func(o bigCommerceOrder) bool { return o.id == id })
	if id == bigCommerceGone {
		b.shows(missingParent)
		fail(rw, http.StatusNotFound, []any{object{"status": 404, "message": "The requested resource was not found."}})
	}
	b.refuseIf(i < 0, "no such order")
	all := []object{}
	for n := range b.orders[i].lines {
		line := object{"id": 1000*id + n, "order_id": id, "product_id": 0, "name": "Custom", "sku": "", "quantity": n + 1, "total_inc_tax": "12.5000"}
		if n > 0 { // the first one is a custom product: it has no variant
			line["product_id"], line["variant_id"] = 7, 70
		} else {
			b.shows(absentKey)
		}
		all = append(all, line)
	}
	b.replyV2(rw, bigCommercePage(all, query, limit))
}

func (b *bigCommerce) replyCustomers(rw http.ResponseWriter, r *http.Request, query url.Values, limit int) {
	cursor, err := base64.StdEncoding.DecodeString(query.Get("after"))
	after, _ := strconv.Atoi(strings.TrimPrefix(string(cursor), "id:"))
	since := time.Time{}
	if text := query.Get("date_modified:min"); text != "" && err == nil {
		since, err = time.Parse("2006-01-02T15:04:05", text)
	}
	b.refuseIf(err != nil, err)
	page := []object{}
	for _, c := range b.customers {
		if at, _ := time.Parse(time.RFC3339, c["date_modified"].(string)); c["id"].(int) > after && !at.Before(since) && len(page) < limit {
			page = append(page, c)
		}
	}
	meta := object{"count": len(page), "per_page": limit}
	if len(page) > 0 {
		meta["end_cursor"] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("id:%d", page[len(page)-1]["id"])))
	}
	reply(rw, http.StatusOK, object{"data": page, "meta": object{"cursor_pagination": meta}})
}

func (b *bigCommerce) replyProducts(rw http.ResponseWriter, r *http.Request, query url.Values, limit int) {
	above, _ := strconv.Atoi(query.Get("id:greater"))
	b.refuseIf(query.Get("sort") != "id" || query.Get("direction") != "asc", "the order may change")
	fields := strings.Split(query.Get("include_fields"), ",")
	page := []object{}
	for _, p := range b.products {
		if p["id"].(int) <= above || len(page) == limit {
			continue
		}
		item := object{"id": p["id"]}
		for name, v := range p {
			if slices.Contains(fields, name) {
				item[name] = v
			}
		}
		page = append(page, item)
		b.showsIf(p["is_visible"] == false, archived)
	}
	reply(rw, http.StatusOK, object{"data": page, "meta": object{"pagination": object{"total": len(page), "per_page": limit}}})
}

func (b *bigCommerce) replyV3(rw http.ResponseWriter, r *http.Request, path string, query url.Values, limit int) {
	var all []object
	switch path {
	case "v3/orders/payment_actions/refunds":
		since, _ := time.Parse(time.RFC3339, query.Get("created:min"))
		for _, refund := range b.refunds {
			if at, _ := time.Parse(time.RFC3339, refund["created"].(string)); !at.Before(since) {
				all = append(all, refund)
			}
		}
	case "v3/catalog/variants":
		for _, p := range b.products {
			all = append(all, object{"id": 10 * p["id"].(int), "product_id": p["id"], "sku": p["sku"], "price": nil, "calculated_price": 9.5, "inventory_level": 1, "option_values": []any{}})
		}
	case "v3/catalog/trees/categories":
		for i := range 2 {
			all = append(all, object{"category_id": i + 1, "tree_id": 1, "parent_id": i, "name": "Mugs", "is_visible": true, "url": object{"path": "/mugs/"}})
		}
	case "v3/catalog/brands":
		all = append(all, object{"id": 1, "name": "Acme"})
	default:
		b.refuse("no such list")
	}
	page := bigCommercePage(all, query, limit)
	// 250 were requested, and there are more
	b.showsIf(len(page) == bigCommerceCap, shortPage)
	reply(rw, http.StatusOK, object{"data": append([]object{}, page...), "meta": object{}})
}

func (b *bigCommerce) nextDay() {
	morning := firstDay.Add(20 * time.Hour)
	b.order(7, morning, 2)
	b.order(600, morning, 1)
	b.orders = slices.DeleteFunc(b.orders, func(o bigCommerceOrder) bool { return o.id == bigCommerceGone })
	b.customer(250, morning, "New name")
	b.customer(301, morning, "C301")
	b.refund(500, morning)
	b.products[3]["price"] = 8.5 // without a change of date_modified
}

func (b *bigCommerce) expected(day int) tables {
	want := tables{"brands": {{"id": "1", "name": "Acme"}}, "categories": {{"id": "1", "path": "/mugs/"}, {"id": "2", "parent_id": "1"}}}
	day2 := func(lookback time.Duration) time.Time {
		if day == 1 {
			return time.Time{}
		}
		return firstDay.Add(-lookback)
	}
	for _, o := range b.orders {
		if o.modified.Before(day2(time.Hour)) {
			continue
		}
		id := strconv.Itoa(o.id)
		want.add("orders", row{"id": id, "customer_id": "0", "total_inc_tax": "12.5000", "currency": "EUR", "updated_at": o.modified.Format(time.RFC1123Z), "shipped_at": ""})
		for n := range o.lines {
			if o.id == bigCommerceGone {
				continue
			}
			line := row{"id": strconv.Itoa(1000*o.id + n), "order_id": id, "product_id": "7", "variant_id": "70", "quantity": strconv.Itoa(n + 1)}
			if n == 0 {
				line["product_id"], line["variant_id"] = "0", ""
			}
			want.add("order_products", line)
		}
	}
	for _, c := range b.customers {
		if at, _ := time.Parse(time.RFC3339, c["date_modified"].(string)); !at.Before(day2(24 * time.Hour)) {
			want.add("customers", row{"id": fmt.Sprint(c["id"]), "first_name": c["first_name"].(string)})
		}
	}
	for _, refund := range b.refunds {
		if at, _ := time.Parse(time.RFC3339, refund["created"].(string)); !at.Before(day2(7 * 24 * time.Hour)) {
			want.add("refunds", row{"id": fmt.Sprint(refund["id"]), "order_id": fmt.Sprint(refund["order_id"]), "amount": "2.5"})
		}
	}
	for _, p := range b.products {
		id := fmt.Sprint(p["id"])
		want.add("products", row{"id": id, "price": fmt.Sprint(p["price"]), "categories": "[1,2]"})
		want.add("variants", row{"id": id + "0", "product_id": id, "price": ""})
	}
	for _, g := range b.groups {
		want.add("customer_groups", row{"id": fmt.Sprint(g["id"]), "name": g["name"].(string)})
	}
	return want
}
