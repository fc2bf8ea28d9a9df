package apis

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// quickbooks responds to queries whose text has the position and the number of rows. A refresh
// token is good until the next one is given out. Balances change without a new time of
// change. Facts:
// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries,
// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture,
// https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles,
// https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0.
// A fault with the status 200: https://github.com/Servosity/msp-skills/pull/90.
type quickbooks struct {
	*world
	lists map[string][]*quickbooksItem // by entity, in the order of the ids
	// changed are names of items that were changed after their page was read.
	changed   map[*quickbooksItem]string
	refresh   string
	token     string
	tokenEnds time.Time
	logins    int
}

type quickbooksItem struct {
	id, name string
	updated  time.Time
	balance  int
	inactive bool
	deleted  bool
}

// quickbooksTables are the tables of the entities.
var quickbooksTables = map[string]string{
	"Customer": "customers", "Vendor": "vendors", "Item": "items", "Account": "accounts",
	"Invoice": "invoices", "CreditMemo": "credit_memos", "SalesReceipt": "sales_receipts", "Payment": "payments", "Bill": "bills",
}

// quickbooksLists are the entities whose inactive items a query leaves out unless it
// names them. They are not deleted.
var quickbooksLists = []string{"Customer", "Vendor", "Item", "Account"}

func newQuickbooks(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the entities are named in the configuration, they are no children of a list",
		missingParent: "the entities are named in the configuration, they are no children of a list",
		shortPage:     "a page has as many rows as MAXRESULTS says until there are no more",
	}
	q := &quickbooks{world: w, lists: map[string][]*quickbooksItem{}, changed: map[*quickbooksItem]string{}, refresh: "your-refresh-token"}
	for entity, count := range map[string]int{"Customer": 30, "Vendor": 2, "Item": 5, "Account": 3, "Invoice": 1500, "CreditMemo": 2, "SalesReceipt": 4, "Payment": 1000, "Bill": 3} {
		for i := range count { // an import gives several items the same time, also at the end of a page
			q.add(entity, time.Date(2026, 1, 1, 0, 0, (i+2)/5, 0, time.UTC))
		}
	}
	q.lists["Customer"][4].inactive = true
	return q
}

func (q *quickbooks) add(entity string, updated time.Time) {
	id := strconv.Itoa(len(q.lists[entity]) + 1)
	q.lists[entity] = append(q.lists[entity], &quickbooksItem{id: id, name: entity + " " + id, updated: updated, balance: 100})
}

func (q *quickbooks) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == "oauth.platform.intuit.com" {
		q.login(rw, r)
		return
	}
	operation, ok := strings.CutPrefix(r.URL.Path, "/v3/company/your-company-id/")
	q.refuseIf(r.Host != "quickbooks.api.intuit.com" || !ok || r.Method != http.MethodGet, "no such resource")
	q.refuseIf(!issued(r, "access-token-", q.logins), "AuthenticationFailed")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+q.token || !q.Now().Before(q.tokenEnds):
		q.shows(expiredToken)
		fail(rw, http.StatusUnauthorized, quickbooksFault("AUTHENTICATION", "Token expired"))
	case r.Header.Get("Accept") != "application/json" || r.URL.Query().Get("minorversion") != "75":
		q.refuse("the response would be XML, or of another version")
	}
	switch q.requests["all"]++; q.requests["all"] {
	case 3: // without Retry-After
		fail(rw, http.StatusTooManyRequests, quickbooksFault("ThrottleExceeded", "message=ThrottleExceeded; errorCode=003001; statusCode=429"))
	case 5:
		q.shows(errorIn200)
		reply(rw, http.StatusOK, quickbooksFault("SystemFault", "An application error has occurred while processing your request"))
		return
	case 7: // the next request finds that the token has ended
		q.tokenEnds = q.Now()
	}
	var response object
	var err error
	if operation == "cdc" {
		response, err = q.changes(r)
	} else {
		response, err = q.query(r.URL.Query().Get("query"))
	}
	q.refuseIf(err != nil, err)
	response["time"] = q.Now().Format(time.RFC3339)
	reply(rw, http.StatusOK, response)
}

func quickbooksFault(kind, detail string) object {
	return object{"Fault": object{"Error": []any{object{"Message": kind, "Detail": detail, "code": "10000"}}, "type": kind}}
}

// login responds with a token, and with a refresh token that ends the one before.
func (q *quickbooks) login(rw http.ResponseWriter, r *http.Request) {
	client := "Basic " + base64.StdEncoding.EncodeToString([]byte("your-client-id:your-client-secret"))
	q.refuseIf(r.Method != http.MethodPost || r.URL.Path != "/oauth2/v1/tokens/bearer" ||
		r.Header.Get("Authorization") != client ||
		r.PostFormValue("grant_type") != "refresh_token" ||
		r.PostFormValue("refresh_token") != q.refresh, "invalid_grant")
	q.logins++
	q.refresh, q.token = fmt.Sprintf("refresh-token-%d", q.logins), fmt.Sprintf("access-token-%d", q.logins)
	q.tokenEnds = q.Now().Add(time.Hour)
	reply(rw, http.StatusOK, object{"access_token": q.token, "expires_in": 3600, "refresh_token": q.refresh, "x_refresh_token_expires_in": 8726400, "token_type": "bearer"})
}

// quickbooksQuery is the form of the queries that the mock server understands.
var quickbooksQuery = regexp.MustCompile(`^SELECT \* FROM (\w+) WHERE (?:(Active IN \(true, false\))|MetaData\.LastUpdatedTime >= '([^']+)') ORDERBY Id STARTPOSITION (\d+) MAXRESULTS (\d+)$`)

func (q *quickbooks) query(text string) (object, error) {
	parts := quickbooksQuery.FindStringSubmatch(text)
	if parts == nil || q.lists[parts[1]] == nil || (parts[2] != "") != slices.Contains(quickbooksLists, parts[1]) {
		return nil, fmt.Errorf("QueryParserError: %s", text)
	}
	entity := parts[1]
	var since time.Time
	var err error
	if parts[3] != "" {
		since, err = time.Parse(time.RFC3339, parts[3])
	}
	from, wrong := strconv.Atoi(parts[4])
	most, wrong2 := strconv.Atoi(parts[5])
	if err != nil || wrong != nil || wrong2 != nil || from < 1 || most < 1 || most > 1000 {
		return nil, fmt.Errorf("wrong time, position or number in %s", text)
	}
	if entity == "Invoice" && from > 1 { // an invoice of the page before is changed
		first := q.lists[entity][0]
		if q.changed[first] == "" {
			q.changed[first], first.name, first.updated = first.name, "changed", q.Now()
		}
	}
	var matching []*quickbooksItem
	for _, i := range q.lists[entity] {
		if !i.deleted && !i.updated.Before(since) {
			matching = append(matching, i)
		}
	}
	if end := from - 1 + most; end < len(matching) && matching[end-1].updated.Equal(matching[end].updated) {
		q.shows(tie)
	}
	rows := []any{}
	for _, i := range matching[min(from-1, len(matching)):min(from-1+most, len(matching))] {
		q.showsIf(i.inactive, archived)
		rows = append(rows, quickbooksFields(entity, i))
	}
	if len(rows) == 0 {
		return object{"QueryResponse": object{}}, nil
	}
	// lines without an id, and two kinds of them
	q.showsIf(entity == "Invoice", absentKey, oddValue)
	return object{"QueryResponse": object{entity: rows, "startPosition": from, "maxResults": len(rows), "totalCount": len(rows)}}, nil
}

// changes are the items of one entity that have changed, and those that were deleted.
func (q *quickbooks) changes(r *http.Request) (object, error) {
	entity := r.URL.Query().Get("entities")
	since, err := time.Parse(time.RFC3339, r.URL.Query().Get("changedSince"))
	if err != nil || q.Now().Sub(since) > 30*24*time.Hour || q.lists[entity] == nil {
		return nil, fmt.Errorf("wrong entities or changedSince: %s", r.URL.RawQuery)
	}
	active, gone := []any{}, []any{}
	for _, i := range q.lists[entity] {
		switch {
		case i.updated.Before(since):
		case i.deleted:
			q.shows(deleted)
			gone = append(gone, object{"domain": "QBO", "status": "Deleted", "Id": i.id, "MetaData": object{"LastUpdatedTime": i.updated.Format(time.RFC3339)}})
		default:
			active = append(active, quickbooksFields(entity, i))
		}
	}
	response := object{}
	if all := slices.Concat(active, gone); len(all) > 0 {
		response = object{entity: all, "startPosition": 1, "maxResults": len(all)}
	}
	return object{"CDCResponse": []any{object{"QueryResponse": []any{response}}}}, nil
}

func quickbooksFields(entity string, i *quickbooksItem) object {
	fields := object{"domain": "QBO", "sparse": false, "Id": i.id, "SyncToken": "0", "MetaData": object{"CreateTime": "2026-01-01T00:00:00-08:00", "LastUpdatedTime": i.updated.Format(time.RFC3339)}}
	switch entity {
	case "Customer", "Vendor":
		fields["DisplayName"], fields["Active"], fields["Balance"] = i.name, !i.inactive, i.balance
	case "Item":
		fields["Name"], fields["Active"], fields["QtyOnHand"] = i.name, !i.inactive, i.balance
	case "Account":
		fields["Name"], fields["Active"], fields["CurrentBalance"] = i.name, !i.inactive, i.balance
	case "Invoice":
		fields["DocNumber"], fields["TotalAmt"], fields["CustomerRef"] = i.name, 40.5, object{"value": "1", "name": "Customer 1"}
		fields["Line"] = []any{
			object{"Id": "1", "LineNum": 1, "Amount": 40.5, "DetailType": "SalesItemLineDetail", "SalesItemLineDetail": object{"ItemRef": object{"value": "2"}, "Qty": 3}},
			object{"Id": "2", "LineNum": 2, "Amount": 9, "DetailType": "GroupLineDetail", "GroupLineDetail": object{"Quantity": 1}},
			object{"Amount": 40.5, "DetailType": "SubTotalLineDetail", "SubTotalLineDetail": object{}},
			object{"Amount": 1.5, "DetailType": "DiscountLineDetail", "DiscountLineDetail": object{"PercentBased": false}},
		}
	case "Bill":
		fields["TotalAmt"], fields["VendorRef"] = 40.5, object{"value": "1"}
	default:
		fields["TotalAmt"], fields["CustomerRef"] = 40.5, object{"value": "1"}
	}
	return fields
}

func (q *quickbooks) nextDay() {
	customer := q.lists["Customer"][6]
	customer.inactive, customer.updated = true, q.Now().Add(-time.Hour)
	q.lists["Account"][1].balance = 250 // no other time of change
	q.add("Invoice", q.Now().Add(-time.Minute))
	gone := q.lists["Invoice"][9]
	gone.deleted, gone.updated = true, q.Now().Add(-2*time.Hour)
	for entity, list := range q.lists { // what the first run did not see yet
		if !slices.Contains(quickbooksLists, entity) {
			list[1].deleted, list[1].updated = true, firstDay.Add(-time.Minute)
			q.add(entity, firstDay.Add(-time.Minute))
		}
	}
}

func (q *quickbooks) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 {
		since = firstDay.Add(-5 * time.Minute)
	}
	for entity, list := range q.lists {
		name := quickbooksTables[entity]
		for _, i := range list {
			switch {
			case slices.Contains(quickbooksLists, entity):
				column, balance := "name", "balance"
				switch entity {
				case "Customer", "Vendor":
					column = "display_name"
				case "Item":
					balance = "quantity_on_hand"
				case "Account":
					balance = "current_balance"
				}
				active := "1"
				if i.inactive {
					active = ""
				}
				want.add(name, row{"id": i.id, column: i.name, "active": active, balance: strconv.Itoa(i.balance)})
			case i.updated.Before(since):
			case i.deleted:
				want.add(name, row{"id": i.id, "status": "Deleted", "updated_at": i.updated.Format(time.RFC3339), "total": ""})
			case entity == "Invoice":
				number := i.name
				if day == 1 && q.changed[i] != "" {
					number = q.changed[i]
				}
				want.add(name, row{"id": i.id, "status": "", "number": number, "customer_id": "1"})
				want.add("invoice_lines",
					row{"id": "1", "invoice_id": i.id, "type": "SalesItemLineDetail", "item_id": "2", "quantity": "3"},
					row{"id": "2", "invoice_id": i.id, "type": "GroupLineDetail", "bundle": `{"Quantity":1}`},
					row{"id": "", "invoice_id": i.id, "type": "SubTotalLineDetail", "amount": "40.5"},
					row{"id": "", "invoice_id": i.id, "type": "DiscountLineDetail", "amount": "1.5"})
			default:
				want.add(name, row{"id": i.id, "status": "", "total": "40.5"})
			}
		}
	}
	return want
}
