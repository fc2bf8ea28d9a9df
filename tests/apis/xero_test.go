package apis

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// xero has numbered pages, and a header for the time of the last change. Its tokens live for 30
// minutes.
type xero struct {
	*world
	lists map[string][]*xeroItem // by resource, in the order of the ids
	// old are statuses of items that were changed after their page was read.
	old         map[*xeroItem]string
	token       string
	tokenEnds   time.Time
	minute      time.Time
	minuteCalls int
	logins      int
}

type xeroItem struct {
	id, status string
	updated    time.Time
}

// xeroIDs are the members with the ids, by the resource.
var xeroIDs = map[string]string{
	"Contacts": "ContactID", "Invoices": "InvoiceID", "Payments": "PaymentID", "BankTransactions": "BankTransactionID", "Accounts": "AccountID", "Items": "ItemID",
}

// xeroTables are the tables of the resources, and their primary keys.
var xeroTables = map[string][2]string{
	"Contacts": {"contacts", "contact_id"}, "Invoices": {"invoices", "invoice_id"}, "Payments": {"payments", "payment_id"},
	"BankTransactions": {"bank_transactions", "bank_transaction_id"}, "Accounts": {"accounts", "account_id"}, "Items": {"items", "item_id"},
}

func newXero(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the resources are named in the configuration, they are no children of a list",
		missingParent: "the resources are named in the configuration, they are no children of a list",
		shortPage:     "a page has as many items as requested until there are no more, and itemCount is compared",
		errorIn200:    "errors have a status of 400 or above; the Status in a response is OK",
	}
	x := &xero{world: w, lists: map[string][]*xeroItem{}, old: map[*xeroItem]string{}}
	for resource, count := range map[string]int{"Contacts": 200, "Invoices": 250, "Payments": 5650, "BankTransactions": 3, "Accounts": 150, "Items": 2} {
		for i := range count { // an import gives several items the same time, also at the end of a page
			x.add(resource, i, time.Date(2026, 1, 1, 0, (i+2)/5, 0, 0, time.UTC))
		}
	}
	x.lists["Contacts"][8].status = "ARCHIVED"
	return x
}

func (x *xero) add(resource string, i int, updated time.Time) {
	id := fmt.Sprintf("%s-%04d", resource, i)
	at, _ := slices.BinarySearchFunc(x.lists[resource], id, func(i *xeroItem, id string) int { return cmp.Compare(i.id, id) })
	x.lists[resource] = slices.Insert(x.lists[resource], at, &xeroItem{id, "ACTIVE", updated})
}

func (x *xero) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == "identity.xero.com" {
		x.login(rw, r)
		return
	}
	resource, ofAccounting := strings.CutPrefix(r.URL.Path, "/api.xro/2.0/")
	all, known := x.lists[resource]
	x.refuseIf(r.Host != "api.xero.com" || !ofAccounting || !known, "no such resource")
	x.refuseIf(!issued(r, "token-", x.logins), "TokenInvalidSignature")
	// the client may learn it from this response
	failIf(r.Header.Get("Authorization") != "Bearer "+x.token || !x.Now().Before(x.tokenEnds),
		rw, http.StatusUnauthorized, object{"Title": "Unauthorized", "Status": 401, "Detail": "TokenExpired: token expired"})
	x.refuseIf(r.Header.Get("Accept") != "application/json", "the response would be XML")
	if x.Now().Sub(x.minute) >= time.Minute {
		x.minute, x.minuteCalls = x.Now(), 0
	}
	if x.minuteCalls++; x.minuteCalls > 60 {
		x.refuse("more than 60 calls in a minute")
	}
	x.requests[resource]++
	if resource == "Invoices" && x.requests[resource] == 2 { // the token ends meanwhile
		x.shows(expiredToken)
		fail(rw, http.StatusTooManyRequests, nil, "Retry-After", "1900", "X-Rate-Limit-Problem", "daily")
	}
	since, err := xeroSince(all, r.Header.Get("If-Modified-Since"))
	list := since
	if err == nil {
		list, err = x.page(resource, since, r)
	}
	x.refuseIf(err != nil, err)
	items := []any{}
	for _, i := range list {
		x.note(resource, i)
		items = append(items, xeroFields(resource, i))
	}
	response := object{"Id": "c1", "Status": "OK", "DateTimeUTC": xeroDate(x.Now()), resource: items}
	if len(r.URL.Query()) > 0 {
		response["pagination"] = object{"page": r.URL.Query().Get("page"), "pageSize": 100, "pageCount": (len(since) + 99) / 100, "itemCount": len(since)}
	}
	reply(rw, http.StatusOK, response)
}

func (x *xero) note(resource string, i *xeroItem) {
	switch {
	case i.status == "ARCHIVED":
		x.shows(archived)
	case i.status == "DELETED" || i.status == "VOIDED":
		x.shows(deleted)
	case resource == "Contacts": // one in ten has an empty address, and the others have none
		x.shows(absentKey, oddValue)
	}
}

func (x *xero) login(rw http.ResponseWriter, r *http.Request) {
	client := "Basic " + base64.StdEncoding.EncodeToString([]byte("your-client-id:your-client-secret"))
	scope := "accounting.contacts.read accounting.invoices.read accounting.payments.read accounting.banktransactions.read accounting.settings.read"
	x.refuseIf(r.Method != http.MethodPost || r.URL.Path != "/connect/token" ||
		r.Header.Get("Authorization") != client ||
		r.PostFormValue("grant_type") != "client_credentials" ||
		r.PostFormValue("scope") != scope, "invalid_client")
	x.logins++
	x.token, x.tokenEnds = "token-"+strconv.Itoa(x.logins), x.Now().Add(30*time.Minute)
	reply(rw, http.StatusOK, object{"access_token": x.token, "expires_in": 1800, "token_type": "Bearer", "scope": scope})
}

// xeroSince are the items that were changed at the time of the header or later.
func xeroSince(list []*xeroItem, header string) ([]*xeroItem, error) {
	if header == "" {
		return list, nil
	}
	since, err := time.Parse("2006-01-02T15:04:05", header)
	return without(list, func(i *xeroItem) bool { return i.updated.Before(since) }), err
}

// page is the page that the request names. Accounts and items have no pages. Archived
// contacts are left out unless the request names them.
func (x *xero) page(resource string, list []*xeroItem, r *http.Request) ([]*xeroItem, error) {
	query := r.URL.Query()
	if resource == "Accounts" || resource == "Items" {
		if len(query) > 0 {
			return nil, fmt.Errorf("%s have no pages", resource)
		}
		return list, nil
	}
	if (resource == "Contacts" || resource == "Invoices") && query.Get("includeArchived") != "true" {
		return nil, fmt.Errorf("archived %s would be missing", resource)
	}
	page, err := strconv.Atoi(query.Get("page"))
	if err != nil || page < 1 || query.Get("pageSize") != "100" || query.Get("order") != xeroIDs[resource]+" ASC" {
		return nil, fmt.Errorf("wrong page, pageSize or order")
	}
	if resource == "Invoices" && page == 3 { // the first invoice is changed after it was read
		first := list[0]
		x.old[first] = first.status
		first.status, first.updated = "VOIDED", x.Now().Add(time.Second)
	}
	if end := 100 * page; end < len(list) && list[end-1].updated.Equal(list[end].updated) {
		x.shows(tie)
	}
	return list[min(100*(page-1), len(list)):min(100*page, len(list))], nil
}

func xeroDate(at time.Time) string { return fmt.Sprintf("/Date(%d+0000)/", at.UnixMilli()) }

func xeroFields(resource string, i *xeroItem) object {
	fields := object{xeroIDs[resource]: i.id, "Status": i.status, "UpdatedDateUTC": xeroDate(i.updated)}
	switch resource {
	case "Contacts":
		delete(fields, "Status")
		fields["ContactStatus"], fields["IsCustomer"] = i.status, true
		if strings.HasSuffix(i.id, "1") {
			fields["EmailAddress"] = ""
		}
	case "Invoices":
		fields["Contact"] = object{"ContactID": "Contacts-0001", "Name": "Ann"}
		fields["Total"], fields["DateString"] = 40.5, "2026-01-01T00:00:00"
		fields["LineItems"] = []any{
			object{"LineItemID": i.id + "-a", "LineAmount": 40.0, "Quantity": 2},
			object{"LineItemID": i.id + "-b", "LineAmount": 0.5},
		}
	case "BankTransactions":
		fields["BankAccount"], fields["IsReconciled"] = object{"AccountID": "Accounts-0001"}, false
		fields["LineItems"] = []any{object{"LineItemID": i.id + "-a", "LineAmount": 7.25, "AccountCode": "400"}}
	case "Payments":
		fields["Invoice"] = object{"InvoiceID": "Invoices-0001"}
	}
	return fields
}

func (x *xero) nextDay() {
	x.lists["Contacts"][3].status, x.lists["Contacts"][3].updated = "ARCHIVED", firstDay.Add(time.Minute) // after it was read
	deleted := x.lists["Invoices"][7]
	deleted.status, deleted.updated = "DELETED", x.Now().Add(-time.Hour)
	x.add("Invoices", 900, x.Now().Add(-time.Minute))
	x.add("Contacts", 900, x.Now().Add(-time.Minute))
	x.add("Accounts", 900, x.Now().Add(-time.Minute))
}

func (x *xero) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 {
		since = firstDay.Add(-5 * time.Minute)
	}
	for resource, list := range x.lists {
		name, key := xeroTables[resource][0], xeroTables[resource][1]
		for _, i := range list {
			if i.updated.Before(since) {
				continue
			}
			status := i.status
			if old := x.old[i]; day == 1 && old != "" {
				status = old
			}
			want.add(name, row{key: i.id})
			if resource != "Items" {
				want[name][len(want[name])-1]["status"] = status
			}
			switch resource {
			case "Invoices":
				want.add("invoice_lines",
					row{"line_item_id": i.id + "-a", "invoice_id": i.id, "amount": "40"},
					row{"line_item_id": i.id + "-b", "invoice_id": i.id, "amount": "0.5"})
			case "BankTransactions":
				want.add("bank_transaction_lines", row{"line_item_id": i.id + "-a", "bank_transaction_id": i.id, "amount": "7.25"})
			}
		}
	}
	return want
}
