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

// quickbooks answers queries whose text has the position and the number of rows. A refresh
// token is good until the next one is given out. Facts:
// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries,
// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture,
// https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0.
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
	inactive bool
	deleted  bool
}

// quickbooksLists are the entities whose inactive items a query leaves out unless it
// names them.
var quickbooksLists = []string{"Customer", "Item", "Account"}

func newQuickbooks(w *world) imitation {
	q := &quickbooks{world: w, lists: map[string][]*quickbooksItem{}, changed: map[*quickbooksItem]string{}, refresh: "your-refresh-token"}
	for entity, count := range map[string]int{"Customer": 30, "Item": 5, "Account": 3, "Invoice": 1500, "Payment": 1000} {
		for range count {
			q.add(entity, time.Date(2026, 1, 1, 0, 0, len(q.lists[entity]), 0, time.UTC))
		}
	}
	q.lists["Customer"][4].inactive = true
	return q
}

func (q *quickbooks) add(entity string, updated time.Time) {
	id := strconv.Itoa(len(q.lists[entity]) + 1)
	q.lists[entity] = append(q.lists[entity], &quickbooksItem{id: id, name: entity + " " + id, updated: updated})
}

func (q *quickbooks) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.Host == "oauth.platform.intuit.com" {
		q.login(rw, r)
		return
	}
	operation, ok := strings.CutPrefix(r.URL.Path, "/v3/company/your-company-id/")
	switch {
	case r.Host != "quickbooks.api.intuit.com" || !ok || r.Method != http.MethodGet:
		q.refuse(rw, r, http.StatusNotFound, "no such resource")
		return
	case r.Header.Get("Authorization") != "Bearer "+q.token || !q.Now().Before(q.tokenEnds):
		q.refuse(rw, r, http.StatusUnauthorized, "AuthenticationFailed")
		return
	case r.Header.Get("Accept") != "application/json" || r.URL.Query().Get("minorversion") != "75":
		q.refuse(rw, r, http.StatusBadRequest, "the answer would be XML, or of another version")
		return
	}
	if q.requests["all"]++; q.requests["all"] == 4 || q.requests["all"] == 5 { // the token ends meanwhile
		rw.Header().Set("Retry-After", "1900")
		reply(rw, http.StatusTooManyRequests, map[string]any{"Fault": map[string]any{"Error": []any{map[string]any{"Message": "message=ThrottleExceeded; errorCode=003001; statusCode=429", "code": "3001"}}, "type": "ThrottleExceeded"}})
		return
	}
	var answer map[string]any
	var err error
	if operation == "cdc" {
		answer, err = q.changes(r)
	} else {
		answer, err = q.query(r.URL.Query().Get("query"))
	}
	if err != nil {
		q.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	answer["time"] = q.Now().Format(time.RFC3339)
	reply(rw, http.StatusOK, answer)
}

// login answers with a token, and with a refresh token that ends the one before.
func (q *quickbooks) login(rw http.ResponseWriter, r *http.Request) {
	client := "Basic " + base64.StdEncoding.EncodeToString([]byte("your-client-id:your-client-secret"))
	if r.Method != http.MethodPost || r.URL.Path != "/oauth2/v1/tokens/bearer" || r.Header.Get("Authorization") != client ||
		r.PostFormValue("grant_type") != "refresh_token" || r.PostFormValue("refresh_token") != q.refresh {
		q.refuse(rw, r, http.StatusBadRequest, "invalid_grant")
		return
	}
	q.logins++
	q.refresh, q.token = fmt.Sprintf("refresh-token-%d", q.logins), fmt.Sprintf("access-token-%d", q.logins)
	q.tokenEnds = q.Now().Add(time.Hour)
	reply(rw, http.StatusOK, map[string]any{"access_token": q.token, "expires_in": 3600, "refresh_token": q.refresh, "x_refresh_token_expires_in": 8726400, "token_type": "bearer"})
}

// quickbooksQuery is the form of the queries that the imitation understands.
var quickbooksQuery = regexp.MustCompile(`^SELECT \* FROM (\w+)( WHERE Active IN \(true, false\))?(?: (AND|WHERE) MetaData\.LastUpdatedTime >= '([^']+)')? ORDERBY Id STARTPOSITION (\d+) MAXRESULTS (\d+)$`)

func (q *quickbooks) query(text string) (map[string]any, error) {
	parts := quickbooksQuery.FindStringSubmatch(text)
	if parts == nil || parts[4] != "" && (parts[3] == "AND") != (parts[2] != "") {
		return nil, fmt.Errorf("QueryParserError: %s", text)
	}
	entity := parts[1]
	since, err := quickbooksTime(parts[4])
	from, wrong := strconv.Atoi(parts[5])
	most, wrong2 := strconv.Atoi(parts[6])
	if err != nil || wrong != nil || wrong2 != nil || from < 1 || most < 1 || most > 1000 {
		return nil, fmt.Errorf("wrong time, position or number in %s", text)
	}
	if entity == "Invoice" && from > 1 { // an invoice of the page before is changed
		first := q.lists[entity][0]
		if q.changed[first] == "" {
			q.changed[first], first.name, first.updated = first.name, "changed", q.Now()
		}
	}
	rows := []any{}
	for _, i := range q.lists[entity] {
		if !i.deleted && !i.updated.Before(since) && (!i.inactive || parts[2] != "") {
			rows = append(rows, quickbooksFields(entity, i))
		}
	}
	rows = rows[min(from-1, len(rows)):min(from-1+most, len(rows))]
	if len(rows) == 0 {
		return map[string]any{"QueryResponse": map[string]any{}}, nil
	}
	return map[string]any{"QueryResponse": map[string]any{entity: rows, "startPosition": from, "maxResults": len(rows), "totalCount": len(rows)}}, nil
}

// changes are the items of one entity that have changed, and those that were deleted.
func (q *quickbooks) changes(r *http.Request) (map[string]any, error) {
	entity := r.URL.Query().Get("entities")
	since, err := quickbooksTime(r.URL.Query().Get("changedSince"))
	if err != nil || since.IsZero() || q.Now().Sub(since) > 30*24*time.Hour || q.lists[entity] == nil {
		return nil, fmt.Errorf("wrong entities or changedSince: %s", r.URL.RawQuery)
	}
	active, deleted := []any{}, []any{}
	for _, i := range q.lists[entity] {
		switch {
		case i.updated.Before(since):
		case i.deleted:
			deleted = append(deleted, map[string]any{"domain": "QBO", "status": "Deleted", "Id": i.id, "MetaData": map[string]any{"LastUpdatedTime": i.updated.Format(time.RFC3339)}})
		default:
			active = append(active, quickbooksFields(entity, i))
		}
	}
	response := map[string]any{}
	if all := slices.Concat(active, deleted); len(all) > 0 {
		response = map[string]any{entity: all, "startPosition": 1, "maxResults": len(all)}
	}
	return map[string]any{"CDCResponse": []any{map[string]any{"QueryResponse": []any{response}}}}, nil
}

func quickbooksTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}

func quickbooksFields(entity string, i *quickbooksItem) map[string]any {
	fields := map[string]any{"domain": "QBO", "sparse": false, "Id": i.id, "SyncToken": "0", "MetaData": map[string]any{"CreateTime": "2026-01-01T00:00:00-08:00", "LastUpdatedTime": i.updated.Format(time.RFC3339)}}
	switch entity {
	case "Customer":
		fields["DisplayName"], fields["Active"] = i.name, !i.inactive
	case "Item", "Account":
		fields["Name"], fields["Active"] = i.name, !i.inactive
	case "Invoice":
		fields["DocNumber"], fields["TotalAmt"], fields["CustomerRef"] = i.name, 40.5, map[string]any{"value": "1", "name": "Customer 1"}
		fields["Line"] = []any{
			map[string]any{"Id": "1", "LineNum": 1, "Amount": 40.5, "DetailType": "SalesItemLineDetail", "SalesItemLineDetail": map[string]any{"ItemRef": map[string]any{"value": "2"}, "Qty": 3}},
			map[string]any{"Amount": 40.5, "DetailType": "SubTotalLineDetail", "SubTotalLineDetail": map[string]any{}},
		}
	case "Payment":
		fields["TotalAmt"], fields["CustomerRef"] = 40.5, map[string]any{"value": "1"}
	}
	return fields
}

func (q *quickbooks) nextDay() {
	q.mu.Lock()
	defer q.mu.Unlock()
	customer := q.lists["Customer"][6]
	customer.inactive, customer.updated = true, q.Now().Add(-time.Hour)
	q.add("Invoice", q.Now().Add(-time.Minute))
	gone := q.lists["Invoice"][9]
	gone.deleted, gone.updated = true, q.Now().Add(-2*time.Hour)
	gone = q.lists["Payment"][3]
	gone.deleted, gone.updated = true, firstDay.Add(-time.Minute) // before the second run, after the data of the first one
}

func (q *quickbooks) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 {
		since = firstDay.Add(-5 * time.Minute)
	}
	for entity, list := range q.lists {
		name := strings.ToLower(entity) + "s"
		for _, i := range list {
			switch {
			case i.updated.Before(since):
			case i.deleted:
				want["deleted_"+name] = append(want["deleted_"+name], row{"id": i.id, "deleted_at": i.updated.Format(time.RFC3339)})
			case slices.Contains(quickbooksLists, entity):
				column := "name"
				if entity == "Customer" {
					column = "display_name"
				}
				active := "1"
				if i.inactive {
					active = ""
				}
				want[name] = append(want[name], row{"id": i.id, column: i.name, "active": active})
			case entity == "Invoice":
				number := i.name
				if day == 1 && q.changed[i] != "" {
					number = q.changed[i]
				}
				want[name] = append(want[name], row{"id": i.id, "number": number, "customer_id": "1"})
				want["invoice_lines"] = append(want["invoice_lines"],
					row{"id": "1", "invoice_id": i.id, "item_id": "2", "quantity": "3"}, row{"id": "", "invoice_id": i.id, "type": "SubTotalLineDetail"})
			default:
				want[name] = append(want[name], row{"id": i.id, "total": "40.5"})
			}
		}
	}
	return want
}
