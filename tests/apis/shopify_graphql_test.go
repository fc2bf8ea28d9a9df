package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shopifyGraphQL responds to queries of orders, products, variants and customers. It has access
// tokens that expire after a day, and a bucket of points that each query takes from. Errors have
// the status 200.
type shopifyGraphQL struct {
	*world
	lists  map[string]shopifyList // in the order of their ids
	logins map[string]time.Time   // access tokens with the time of their expiry
	points float64
	filled time.Time // when points was the number of points
	failed bool      // an internal error was sent
	// revoked is the token of the first login, which ends before its time.
	revoked string
	scopes  []string // of the app
}

// shopifyObject has every field that can be selected.
type shopifyObject object

// shopifyList is a connection.
type shopifyList []shopifyObject

func newShopifyGraphQL(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden: "a scope is for all objects of a type: a field that is denied fails the query of the parents",
		shortPage: "a page of a connection is short only at its end",
		absentKey: "a response of GraphQL has every field that the query selects",
	}
	s := &shopifyGraphQL{world: w, lists: map[string]shopifyList{}, logins: map[string]time.Time{}, points: 2000, filled: w.Now(), scopes: shopifyScopes}
	for i := range 40 {
		lines := i % 4
		if i == 7 {
			lines = 130
		}
		s.put("orders", shopifyOrder(i+1, lines, i%5, time.Date(2025, 1, 10*(i+1), 12, 0, 0, 0, time.UTC)))
	}
	for i := range 15 {
		s.put("orders", shopifyOrder(101+i, 1, 0, time.Date(2026, 2, 10, i, 0, 0, 0, time.UTC)))
	}
	s.put("orders", shopifyOrder(120, 12, 1, time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)))
	for i := range 230 {
		s.put("products", shopifyObject{"id": "gid://shopify/Product/" + strconv.Itoa(i+1), "title": "Mug", "handle": "mug", "status": []string{"ACTIVE", "ARCHIVED", "DRAFT"}[i%3],
			"vendor": "Acme", "productType": "", "publishedAt": nil, "createdAt": "2015-01-01T00:00:00Z", "updatedAt": "2015-07-01T00:00:00Z"})
		s.put("productVariants", shopifyVariant(i+1, "10.00", time.Date(2015, 7, 1, 0, 0, 0, 0, time.UTC)))
	}
	s.put("customers", shopifyCustomer(1, firstDay.Add(-time.Hour))) // where the lookback of the next run starts
	s.put("customers", shopifyCustomer(3, firstDay.Add(-5*time.Minute)))
	s.put("customers", shopifyCustomer(4, time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)))
	return s
}

func shopifyVariant(id int, price string, updated time.Time) shopifyObject {
	return shopifyObject{
		"id": "gid://shopify/ProductVariant/" + strconv.Itoa(id), "product": shopifyObject{"id": "gid://shopify/Product/" + strconv.Itoa(id)},
		"title": "Default Title", "sku": "", "barcode": nil, "price": price, "compareAtPrice": nil, "inventoryQuantity": -3,
		"createdAt": "2015-01-01T00:00:00Z", "updatedAt": updated.Format(time.RFC3339),
	}
}

func shopifyOrder(id, lines, refunds int, updated time.Time) shopifyObject {
	o := shopifyObject{
		"id": "gid://shopify/Order/" + strconv.Itoa(id), "name": "#" + strconv.Itoa(1000+id),
		"createdAt": "2025-01-01T00:00:00Z", "processedAt": "2025-01-01T00:00:00Z", "updatedAt": updated.Format(time.RFC3339),
		"cancelledAt": nil, "cancelReason": nil, "test": false, "currencyCode": "EUR",
		"displayFinancialStatus": "PAID", "displayFulfillmentStatus": "FULFILLED", "customer": nil,
		"subtotalPriceSet": nil, "totalDiscountsSet": nil, "totalTaxSet": nil, "totalShippingPriceSet": shopifyMoney("0.0"),
		"totalPriceSet": shopifyMoney("12.50"), "currentTotalPriceSet": shopifyMoney("10.00"),
	}
	list := shopifyList{}
	for i := range lines {
		list = append(list, shopifyObject{
			"id": fmt.Sprintf("gid://shopify/LineItem/%d", 1000*id+i), "sku": nil, "title": "Mug", "quantity": i + 1, "currentQuantity": i,
			"variant": nil, "originalUnitPriceSet": shopifyMoney("1.25"), "discountedTotalSet": shopifyMoney("1.00"),
		})
	}
	o["lineItems"] = list
	all := []shopifyObject{}
	for i := range refunds {
		all = append(all, shopifyObject{
			"id": fmt.Sprintf("gid://shopify/Refund/%d", 1000*id+i), "createdAt": "2025-02-01T00:00:00Z", "note": nil,
			"totalRefundedSet": shopifyMoney("2.50"),
		})
	}
	o["refunds"] = all
	return o
}

func shopifyMoney(amount string) shopifyObject {
	return shopifyObject{"shopMoney": shopifyObject{"amount": amount, "currencyCode": "EUR"}}
}

func shopifyCustomer(id int, updated time.Time) shopifyObject {
	return shopifyObject{
		"id": "gid://shopify/Customer/" + strconv.Itoa(id), "firstName": nil, "lastName": "Nováková", "state": "DISABLED",
		"defaultEmailAddress": shopifyObject{"emailAddress": "n@example.com"}, "numberOfOrders": "3",
		"amountSpent": shopifyObject{"amount": "10.00", "currencyCode": "EUR"},
		"createdAt":   "2025-01-01T00:00:00Z", "updatedAt": updated.Format(time.RFC3339),
	}
}

func (s *shopifyGraphQL) put(list string, o shopifyObject) {
	s.lists[list] = put(s.lists[list], o, func(x shopifyObject) bool { return x["id"] == o["id"] })
}

func (s *shopifyGraphQL) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.refuseIf(r.Host != "your-store.myshopify.com" || r.Method != http.MethodPost, "Not Found")
	if r.URL.Path == "/admin/oauth/access_token" {
		shopifyLogin(s.world, s.logins, rw, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	var request struct {
		Query     string
		Variables object
	}
	if err == nil {
		err = json.Unmarshal(body, &request)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	s.refuseIf(r.URL.Path != "/admin/api/2026-10/graphql.json", "wrong version or path")
	switch {
	case s.revoked == "" && strings.Contains(request.Query, "customers("):
		s.revoked = r.Header.Get("X-Shopify-Access-Token")
		delete(s.logins, s.revoked)
		s.shows(expiredToken)
		reply(rw, http.StatusUnauthorized, object{"errors": "[API] Invalid API key or access token (unrecognized login or wrong password)"})
	case !s.logins[r.Header.Get("X-Shopify-Access-Token")].After(s.Now()):
		s.refuse("Invalid API key or access token")
	case err != nil || media != "application/json":
		s.refuse("not JSON")
	default:
		s.response(rw, r, request.Query, request.Variables)
	}
}

// shopifyLogin responds to a client credentials grant.
func shopifyLogin(w *world, logins map[string]time.Time, rw http.ResponseWriter, r *http.Request) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	w.refuseIf(media != "application/x-www-form-urlencoded" || r.ParseForm() != nil ||
		r.PostForm.Get("grant_type") != "client_credentials", "no client credentials grant")
	w.refuseIf(r.PostForm.Get("client_id") != "your-client-id" ||
		r.PostForm.Get("client_secret") != "your-client-secret", "wrong client")
	token := fmt.Sprintf("shpat_%d_%d", len(logins), w.Now().UnixNano())
	logins[token] = w.Now().Add(86399 * time.Second)
	reply(rw, http.StatusOK, object{"access_token": token, "scope": "read_orders", "expires_in": 86399})
}

// response takes the points of a query, and responds to it.
func (s *shopifyGraphQL) response(rw http.ResponseWriter, r *http.Request, query string, variables object) {
	root, err := parseShopify(query)
	s.refuseIf(err != nil, err)
	requested := root.cost() - 1
	s.refuseIf(requested > 1000, fmt.Sprintf("the query costs %v points, the limit is 1000", requested))
	if !s.failed {
		s.failed = true
		s.shows(errorIn200)
		internal := object{"message": "Internal error. Looks like something went wrong on our end.", "extensions": object{"code": "INTERNAL_SERVER_ERROR"}}
		reply(rw, http.StatusOK, object{"errors": []any{internal}})
		return
	}
	s.points = math.Min(2000, s.points+100*s.Now().Sub(s.filled).Seconds())
	s.filled = s.Now()
	cost := object{"requestedQueryCost": requested, "throttleStatus": object{"maximumAvailable": 2000, "currentlyAvailable": s.points, "restoreRate": 100}}
	if s.points < requested {
		failed := object{"message": "Throttled", "extensions": object{"code": "THROTTLED"}}
		reply(rw, http.StatusOK, object{"errors": []any{failed}, "extensions": object{"cost": cost}})
		return
	}
	s.points -= requested / 2 // the rest is given back
	data := object{}
	for _, f := range root.fields {
		v, err := s.root(f, variables)
		s.refuseIf(err != nil, err)
		data[f.alias] = v
	}
	reply(rw, http.StatusOK, object{"data": data, "extensions": object{"cost": cost}})
}

var shopifyFilter = regexp.MustCompile(`^updated_at:>='(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)'$`)

func (s *shopifyGraphQL) root(f shopifyField, variables object) (any, error) {
	switch f.name {
	case "currentAppInstallation":
		scopes := []shopifyObject{}
		for _, handle := range s.scopes {
			scopes = append(scopes, shopifyObject{"handle": handle, "description": "Read"})
		}
		return f.of(shopifyObject{"accessScopes": scopes}, variables)
	case "order":
		i := slices.IndexFunc(s.lists["orders"], func(o shopifyObject) bool { return o["id"] == variables[f.args["id"]] })
		if id := variables[f.args["id"]]; i < 0 || id == shopifyGone {
			s.shows(missingParent)
			return nil, nil
		}
		return f.of(s.lists["orders"][i], variables)
	}
	filter, _ := variables[f.args["query"]].(string)
	since := time.Time{}
	if bound := shopifyFilter.FindStringSubmatch(filter); bound != nil {
		since, _ = time.Parse(time.RFC3339, bound[1])
	}
	if s.lists[f.name] == nil || filter != "" && since.IsZero() || f.args["sortKey"] != "ID" {
		return nil, fmt.Errorf("%s of %q by %s", f.name, filter, f.args["sortKey"])
	}
	var found shopifyList
	for _, o := range s.lists[f.name] {
		at, _ := time.Parse(time.RFC3339, o["updatedAt"].(string))
		if at.Before(since) {
			continue
		}
		// the last run ended, less the lookback, in this second
		s.showsIf(at.Equal(since), tie)
		found = append(found, o)
	}
	page, err := f.of(found, variables)
	switch {
	case f.name == "orders":
		s.shows(oddValue) // no customer, no subtotal
	case f.name == "products" && filter == "":
		s.shows(archived)
	case f.name == "products":
		s.shows(deleted) // without any sign of it
	}
	return page, err
}

// shopifyGone is an order that is deleted after its page was read.
const shopifyGone = "gid://shopify/Order/120"

// shopifyScopes are the scopes of the app on the first day. On the second day it has lost the
// first one.
var shopifyScopes = []string{"read_all_orders", "read_orders", "read_products", "read_customers"}

// shopifyField is a field of a query with what is selected of it.
type shopifyField struct {
	alias, name string
	args        map[string]string
	fields      []shopifyField
}

var shopifyToken = regexp.MustCompile(`[$\w]+|[{}():!]`)

// parseShopify parses a query. The variables are not checked.
func parseShopify(query string) (shopifyField, error) {
	head, _, found := strings.Cut(query, "{")
	if !found || !strings.HasPrefix(head, "query ") {
		return shopifyField{}, fmt.Errorf("no query: %s", query)
	}
	tokens := shopifyToken.FindAllString(query[len(head):], -1)
	root := shopifyField{}
	rest, err := root.parse(tokens)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unexpected %v", rest)
	}
	return root, err
}

// parse reads the selection of a field, and returns what follows.
func (f *shopifyField) parse(tokens []string) ([]string, error) {
	for tokens = tokens[1:]; len(tokens) > 1 && tokens[0] != "}"; {
		child := shopifyField{alias: tokens[0], name: tokens[0], args: map[string]string{}}
		if tokens = tokens[1:]; tokens[0] == ":" && len(tokens) > 2 {
			child.name, tokens = tokens[1], tokens[2:]
		}
		if tokens[0] == "(" {
			for tokens = tokens[1:]; len(tokens) > 3 && tokens[0] != ")"; tokens = tokens[3:] {
				child.args[tokens[0]] = strings.TrimPrefix(tokens[2], "$")
			}
			tokens = tokens[1:]
		}
		if len(tokens) > 0 && tokens[0] == "{" {
			rest, err := child.parse(tokens)
			if err != nil {
				return nil, err
			}
			tokens = rest
		}
		f.fields = append(f.fields, child)
	}
	if len(tokens) == 0 || tokens[0] != "}" {
		return nil, fmt.Errorf("no end of %s", f.name)
	}
	return tokens[1:], nil
}

// cost is one point for an object, and for a connection two and those of its objects.
func (f shopifyField) cost() float64 {
	if len(f.fields) == 0 {
		return 0
	}
	sum := 1.0
	for _, child := range f.fields {
		sum += child.cost()
	}
	if first, err := strconv.Atoi(f.args["first"]); err == nil {
		return 2 + float64(first)*(sum-2) // pageInfo and the list itself are free
	}
	return sum
}

func (f shopifyField) of(v any, variables object) (any, error) {
	switch v := v.(type) {
	case shopifyList:
		page, err := v.page(f, variables)
		if err != nil {
			return nil, err
		}
		return f.of(page, variables)
	case []shopifyObject:
		if first, err := strconv.Atoi(f.args["first"]); err == nil { // a list is cut without a sign
			v = v[:min(first, len(v))]
		}
		all := []any{}
		for _, o := range v {
			item, err := f.of(o, variables)
			if err != nil {
				return nil, err
			}
			all = append(all, item)
		}
		return all, nil
	case shopifyObject:
		if len(f.fields) == 0 {
			return nil, fmt.Errorf("%s needs a selection of fields", f.name)
		}
		selected := object{}
		for _, child := range f.fields {
			value, known := v[child.name]
			if !known {
				return nil, fmt.Errorf("%s has no field %s", f.name, child.name)
			}
			part, err := child.of(value, variables)
			if err != nil {
				return nil, err
			}
			selected[child.alias] = part
		}
		return selected, nil
	}
	return v, nil
}

// page is the part of a connection that the arguments of a field select.
func (l shopifyList) page(f shopifyField, variables object) (shopifyObject, error) {
	first, err := strconv.Atoi(f.args["first"])
	if err != nil || first < 1 || first > 250 {
		return nil, fmt.Errorf("first of %s must be from 1 to 250", f.name)
	}
	from := 0
	if cursor, ok := variables[f.args["after"]].(string); ok && f.args["after"] != "" {
		id, _ := base64.StdEncoding.DecodeString(cursor)
		if from = slices.IndexFunc(l, func(o shopifyObject) bool { return o["id"] == string(id) }) + 1; from == 0 {
			return nil, fmt.Errorf("invalid cursor %s of %s", cursor, f.name)
		}
	}
	nodes := l[from:min(len(l), from+first)]
	info := shopifyObject{"hasNextPage": from+first < len(l), "endCursor": nil}
	if len(nodes) > 0 {
		info["endCursor"] = base64.StdEncoding.EncodeToString([]byte(nodes[len(nodes)-1]["id"].(string)))
	}
	return shopifyObject{"nodes": []shopifyObject(nodes), "pageInfo": info}, nil
}

func (s *shopifyGraphQL) nextDay() {
	s.scopes = shopifyScopes[1:]
	morning := firstDay.Add(20 * time.Hour)
	s.put("orders", shopifyOrder(5, 25, 7, morning))
	s.put("orders", shopifyOrder(900, 2, 0, morning))
	s.put("customers", shopifyCustomer(2, morning))
	s.put("productVariants", shopifyVariant(7, "9.00", morning))
	s.lists["products"] = slices.Delete(s.lists["products"], 0, 1)
	late := firstDay.Add(-30 * time.Minute) // by a clock that is slow
	s.put("orders", shopifyOrder(901, 1, 0, late))
	s.put("productVariants", shopifyVariant(8, "9.00", late))
	product := maps.Clone(s.lists["products"][8])
	product["updatedAt"] = late.Format(time.RFC3339)
	s.put("products", product)
}

func (s *shopifyGraphQL) expected(day int) tables {
	want := tables{"refunds": nil}
	if day == 1 { // later there is a warning instead
		for _, handle := range shopifyScopes {
			want.add("access_scopes", row{"handle": handle})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.lists)) {
		for _, o := range s.lists[name] {
			at, _ := time.Parse(time.RFC3339, o["updatedAt"].(string))
			if day == 2 && at.Before(firstDay.Add(-time.Hour)) {
				continue
			}
			id := o["id"].(string)
			r := row{"id": id, "updated_at": o["updatedAt"].(string)}
			table := name
			switch name {
			case "orders":
				r["total"], r["current_total"], r["subtotal"], r["currency"], r["customer_id"] = "12.50", "10.00", "", "EUR", ""
				for i, line := range o["lineItems"].(shopifyList) {
					if id != shopifyGone || i < 10 {
						want.add("order_lines", row{"id": line["id"].(string), "order_id": id, "quantity": fmt.Sprint(line["quantity"]), "unit_price": "1.25"})
					}
				}
				for _, refund := range o["refunds"].([]shopifyObject) {
					if id != shopifyGone {
						want.add("refunds", row{"id": refund["id"].(string), "order_id": id, "amount": "2.50", "currency": "EUR"})
					}
				}
			case "products":
				r["status"] = o["status"].(string)
			case "productVariants":
				table = "variants"
				r["price"], r["product_id"] = o["price"].(string), "gid://shopify/Product/"+strings.TrimPrefix(id, "gid://shopify/ProductVariant/")
			case "customers":
				r["email"], r["orders"], r["last_name"] = "n@example.com", "3", "Nováková"
			}
			want.add(table, r)
		}
	}
	return want
}
