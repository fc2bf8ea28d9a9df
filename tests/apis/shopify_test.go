package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shopify lists newest ids first. The header Link leads to the next page by a page_info, which
// allows no other parameter but limit. It has access tokens that expire after a day, and a bucket
// of requests.
type shopify struct {
	*world
	lists  map[string]shopifyList // newest first
	logins map[string]time.Time   // access tokens with the time of their expiry
	used   float64                // requests in the bucket
	leaked time.Time
	late   bool
	// revoked is the token of the first login, which ends before its time.
	revoked string
	scopes  []string // of the app
}

func newShopify(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "nothing is requested for a parent: lines, refunds and variants are in their objects",
		missingParent: "nothing is requested for a parent: lines, refunds and variants are in their objects",
		shortPage:     "the header Link shows whether there is a next page, so the size of a page does not matter",
		errorIn200:    "errors of this API have a status of 400 or above",
	}
	s := &shopify{world: w, lists: map[string]shopifyList{}, logins: map[string]time.Time{}, leaked: w.Now(), scopes: shopifyScopes}
	for i := range 510 {
		s.put("orders", i+1, firstDay.Add(time.Duration(i-1000)*time.Hour))
	}
	s.put("orders", 511, firstDay.Add(-5*time.Minute))
	s.put("orders", 512, firstDay.Add(-10*time.Minute)) // where the lookback of the next run starts
	for i := range 250 {                                // exactly one page
		s.put("products", i+1, firstDay.AddDate(0, -1, 0))
	}
	s.put("customers", 1, firstDay.AddDate(0, -1, 0))
	s.put("customers", 9, firstDay.AddDate(-8, 0, 0))
	return s
}

func (s *shopify) put(list string, id int, updated time.Time) {
	at := updated.In(time.FixedZone("", -5*60*60)).Format(time.RFC3339)
	o := shopifyObject{"id": id, "created_at": "2026-01-01T00:00:00-05:00", "updated_at": at, "title": "Hrnek", "status": "active"}
	switch list {
	case "orders":
		o = shopifyObject{"id": id, "name": "#" + strconv.Itoa(id), "customer": nil, "financial_status": "paid", "fulfillment_status": nil,
			"total_price": "12.50", "total_tax": "2.50", "currency": "EUR", "updated_at": at, "line_items": []any{}, "refunds": []any{}}
		for i := range id % 3 {
			line := object{"id": 10*id + i, "variant_id": nil, "sku": "", "title": "Hrnek", "quantity": i + 1, "price": "1.25"}
			o["line_items"] = append(o["line_items"].([]any), line)
		}
		if id%7 == 0 {
			o["refunds"] = []any{object{
				"id": 20 * id, "note": "", "created_at": at,
				"refund_line_items": []any{object{"id": 30 * id, "line_item_id": 10 * id, "quantity": 1, "restock_type": "return", "subtotal": 1.25, "total_tax": 0}},
				"transactions":      []any{object{"id": 40 * id, "kind": "refund", "status": "success", "amount": "1.25", "currency": "EUR"}},
			}}
		}
	case "products":
		o["status"] = []string{"active", "archived", "draft"}[id%3]
		o["variants"] = []any{object{"id": 10 * id, "title": "Default Title", "sku": "M-" + strconv.Itoa(id), "price": "1.25"}}
	case "customers":
		o["orders_count"], o["total_spent"] = 3, "37.50"
		if id != 9 { // a customer without a name
			o["last_name"], o["email"] = "Nováková", "n@example.com"
		}
	}
	if i := slices.IndexFunc(s.lists[list], func(x shopifyObject) bool { return x["id"] == id }); i >= 0 {
		s.lists[list][i] = o
		return
	}
	s.lists[list] = slices.Insert(s.lists[list], 0, o)
}

func (s *shopify) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, versioned := strings.CutPrefix(r.URL.Path, "/admin/api/2026-10/")
	name, json := strings.CutSuffix(path, ".json")
	s.refuseIf(r.Host != "your-store.myshopify.com", "Not Found")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/admin/oauth/access_token":
		shopifyLogin(s.world, s.logins, rw, r)
	case s.revoked == "" && name == "customers":
		s.revoked = r.Header.Get("X-Shopify-Access-Token")
		delete(s.logins, s.revoked)
		s.shows(expiredToken)
		reply(rw, http.StatusUnauthorized, object{"errors": "[API] Invalid API key or access token (unrecognized login or wrong password)"})
	case r.URL.Path == "/admin/oauth/access_scopes.json":
		scopes := []any{}
		for _, handle := range s.scopes {
			scopes = append(scopes, object{"handle": handle})
		}
		reply(rw, http.StatusOK, object{"access_scopes": scopes})
	case r.Method != http.MethodGet || !versioned || !json || s.lists[name] == nil:
		s.refuse("wrong version or list")
	case !s.logins[r.Header.Get("X-Shopify-Access-Token")].After(s.Now()):
		s.refuse("[API] Invalid API key or access token")
	default:
		s.useBucket(rw, name)
		s.list(rw, r, name)
	}
}

// useBucket refuses a request if the bucket is full, and the second one of each list, as if
// another app had filled it.
func (s *shopify) useBucket(rw http.ResponseWriter, name string) {
	s.used = math.Max(0, s.used-2*s.Now().Sub(s.leaked).Seconds())
	s.leaked = s.Now()
	s.requests[name]++
	if s.used += 1; s.used <= 40 && s.requests[name] != 2 {
		rw.Header().Set("X-Shopify-Shop-Api-Call-Limit", fmt.Sprintf("%.0f/40", math.Ceil(s.used)))
		return
	}
	fail(rw, http.StatusTooManyRequests, object{"errors": "Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service."}, "Retry-After", "2.0")
}

// shopifyPage is what a page_info stands for.
type shopifyPage struct {
	List, Since string
	After       int
}

func (s *shopify) list(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	page := shopifyPage{name, query.Get("updated_at_min"), math.MaxInt}
	limit, err := strconv.Atoi(query.Get("limit"))
	if text := query.Get("page_info"); text != "" {
		decoded, err2 := base64.RawURLEncoding.DecodeString(text)
		if err2 == nil {
			err2 = json.Unmarshal(decoded, &page)
		}
		if err2 != nil || page.List != name || len(query) != 2 {
			err = fmt.Errorf("page_info with other parameters, or an invalid one: %s (%w)", r.URL.RawQuery, err2)
		}
	} else if name == "orders" && query.Get("status") != "any" {
		err = fmt.Errorf("open orders only")
	}
	since := time.Time{}
	if page.Since != "" && err == nil {
		since, err = time.Parse(time.RFC3339, page.Since)
	}
	s.refuseIf(err != nil || limit < 1 || limit > 250, fmt.Sprintf("wrong parameters: %v", err))
	found := without(s.lists[name], func(o shopifyObject) bool {
		at, _ := time.Parse(time.RFC3339, o["updated_at"].(string))
		return at.Before(since) || o["id"].(int) >= page.After
	})
	items := found[:min(limit, len(found))]
	if len(items) < len(found) {
		page.After = items[len(items)-1]["id"].(int)
		encoded, err := json.Marshal(page)
		if err != nil {
			s.Error(err)
		}
		next := url.Values{"limit": {strconv.Itoa(limit)}, "page_info": {base64.RawURLEncoding.EncodeToString(encoded)}}
		rw.Header().Set("Link", fmt.Sprintf(`<%s>; rel="previous", <%s>; rel="next"`, address(r.Host, r.URL.Path+"?limit=1&page_info=x"), address(r.Host, r.URL.Path+"?"+next.Encode())))
	}
	for _, o := range items {
		s.note(name, o, since)
	}
	reply(rw, http.StatusOK, object{name: append(shopifyList{}, items...)})
	if name == "orders" && !s.late { // a list that changes while it is read
		s.late = true
		s.put("orders", 900, firstDay.Add(time.Minute))
		s.lists[name] = slices.DeleteFunc(s.lists[name], func(o shopifyObject) bool { return o["id"] == 500 }) // it was on the first page
	}
}

func (s *shopify) note(name string, o shopifyObject, since time.Time) {
	at, _ := time.Parse(time.RFC3339, o["updated_at"].(string))
	switch {
	case at.Equal(since):
		s.shows(tie) // the last run ended, less the lookback, in this second
	case o["status"] == "archived":
		s.shows(archived)
	case name == "customers" && o["email"] == nil:
		s.shows(absentKey)
	case name == "orders" && o["id"] == 901:
		s.shows(deleted) // order 500 is no longer there, without any sign of it
	case name == "orders":
		s.shows(oddValue) // no customer
	}
}

func (s *shopify) nextDay() {
	s.scopes = shopifyScopes[1:]
	morning := firstDay.Add(20 * time.Hour)
	s.put("orders", 5, morning)
	s.put("orders", 901, morning)
	s.put("products", 7, morning)
	s.put("customers", 2, morning)
	for list := range s.lists { // with the time of a clock that is slow
		s.put(list, 950, firstDay.Add(-5*time.Minute))
	}
}

func (s *shopify) expected(day int) tables {
	want := tables{"refunds": nil, "refund_lines": nil, "refund_transactions": nil}
	if day == 1 { // later there is a warning instead
		for _, handle := range shopifyScopes {
			want.add("access_scopes", row{"handle": handle})
		}
	}
	lists := map[string]shopifyList{}
	for name, list := range s.lists {
		lists[name] = list
	}
	if day == 1 { // the run read one order before it was deleted, and is too early for the new one
		gone := &shopify{lists: map[string]shopifyList{}}
		gone.put("orders", 500, firstDay.Add(-501*time.Hour))
		lists["orders"] = append(slices.Clone(lists["orders"]), gone.lists["orders"]...)
	}
	for name, list := range lists {
		for _, o := range list {
			at, _ := time.Parse(time.RFC3339, o["updated_at"].(string))
			if day == 1 && !at.Before(firstDay) || day == 2 && at.Before(firstDay.Add(-10*time.Minute)) {
				continue
			}
			id := fmt.Sprint(o["id"])
			r := row{"id": id, "updated_at": o["updated_at"].(string)}
			switch name {
			case "orders":
				r["total"], r["customer_id"] = "12.50", ""
				for _, line := range o["line_items"].([]any) {
					l := line.(object)
					want.add("order_lines", row{"id": fmt.Sprint(l["id"]), "order_id": id, "quantity": fmt.Sprint(l["quantity"])})
				}
				for range o["refunds"].([]any) {
					n := o["id"].(int)
					want.add("refunds", row{"id": fmt.Sprint(20 * n), "order_id": id})
					want.add("refund_lines", row{"id": fmt.Sprint(30 * n), "refund_id": fmt.Sprint(20 * n), "line_item_id": id + "0", "subtotal": "1.25"})
					want.add("refund_transactions", row{"id": fmt.Sprint(40 * n), "refund_id": fmt.Sprint(20 * n), "amount": "1.25"})
				}
			case "products":
				r["status"] = o["status"].(string)
				want.add("variants", row{"id": id + "0", "product_id": id, "sku": "M-" + id})
			case "customers":
				r["last_name"], _ = o["last_name"].(string)
				r["orders"], r["spent"] = "3", "37.50"
			}
			want.add(name, r)
		}
	}
	return want
}
