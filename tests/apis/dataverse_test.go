package apis

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// dataverse tracks the changes of its tables. Facts:
// https://learn.microsoft.com/en-us/power-apps/developer/data-platform/use-change-tracking-synchronize-data-external-systems,
// https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/query/page-results,
// https://learn.microsoft.com/en-us/power-apps/developer/data-platform/api-limits.
type dataverse struct {
	entra
	// changes are the records of each table by the day on which they changed.
	changes map[string][2][]map[string]any
	day     int
	expired bool // the delta links of earlier rounds
}

// dataverseSelect are the columns that the configuration selects.
var dataverseSelect = map[string]string{
	"accounts": "name,accountnumber,telephone1,emailaddress1,address1_city,address1_country,statecode,createdon,modifiedon",
	"contacts": "fullname,emailaddress1,telephone1,_parentcustomerid_value,statecode,createdon,modifiedon",
}

const dataverseHost = "your-org.crm.dynamics.com"

func newDataverse(w *world) imitation {
	d := &dataverse{entra: entra{world: w, scope: "http://" + dataverseHost + "/.default"}, day: 1}
	var accounts, contacts []map[string]any
	for i := range 1100 {
		accounts = append(accounts, d.account(i, "Account "+strconv.Itoa(i)))
	}
	for i := range 1000 {
		contacts = append(contacts, map[string]any{"@odata.etag": `W/"1"`, "contactid": guid(i), "fullname": "Contact " + strconv.Itoa(i), "_parentcustomerid_value": guid(i), "statecode": 0})
	}
	d.changes = map[string][2][]map[string]any{
		"accounts": {accounts, {d.account(7, "Renamed"), d.account(2000, "New"), d.deleted("accounts", 8)}},
		"contacts": {contacts, nil},
	}
	return d
}

func guid(i int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", i) }

func (d *dataverse) account(i int, name string) map[string]any {
	return map[string]any{"@odata.etag": `W/"1"`, "accountid": guid(i), "name": name, "accountnumber": nil, "statecode": 0}
}

func (d *dataverse) deleted(table string, i int) map[string]any {
	return map[string]any{"@odata.context": address(dataverseHost, "/api/data/v9.2/$metadata#"+table+"/$deletedEntity"), "id": guid(i), "reason": "deleted"}
}

func (d *dataverse) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch r.Host {
	case "login.microsoftonline.com":
		d.login(rw, r)
	case dataverseHost:
		d.records(rw, r)
	default:
		d.refuse(rw, r, http.StatusNotFound, "wrong host")
	}
}

// records answers with a page. The tokens are the day and the number of the page.
func (d *dataverse) records(rw http.ResponseWriter, r *http.Request) {
	table := strings.TrimPrefix(r.URL.Path, "/api/data/v9.2/")
	columns, known := dataverseSelect[table]
	query := r.URL.Query()
	switch {
	case !known || r.Method != http.MethodGet:
		d.refuse(rw, r, http.StatusNotFound, "no such table")
		return
	case r.Header.Get("OData-Version") != "4.0" || r.Header.Get("OData-MaxVersion") != "4.0":
		d.refuse(rw, r, http.StatusBadRequest, "wrong version of OData")
		return
	case r.Header.Get("Prefer") != "odata.track-changes,odata.maxpagesize=1000":
		d.refuse(rw, r, http.StatusBadRequest, "no changes are tracked, or the size of the pages changes")
		return
	case query.Get("$select") != columns || len(query["$select"]) != 1:
		d.refuse(rw, r, http.StatusBadRequest, "wrong columns")
		return
	}
	if !d.admits(rw, r) {
		return
	}
	if d.requests[table]++; d.requests[table] == 2 { // longer than the token is valid
		rw.Header().Set("Retry-After", "650")
		reply(rw, http.StatusTooManyRequests, map[string]any{"error": map[string]any{"code": "0x80072322", "message": "Number of requests exceeded the limit of 6000 over time window of 300 seconds."}})
		return
	}
	if d.expired && query.Has("$deltatoken") {
		reply(rw, http.StatusBadRequest, map[string]any{"error": map[string]any{"code": "0x80044352", "message": "Version stamp associated with the client has expired. Please perform a full sync."}})
		return
	}
	day, page := 1, 0
	if query.Has("$deltatoken") {
		day = 2
	}
	if token := query.Get("$skiptoken"); token != "" {
		if _, err := fmt.Sscanf(token, "<cookie day='%d' page='%d'/>", &day, &page); err != nil {
			d.refuse(rw, r, http.StatusBadRequest, "the next link was changed")
			return
		}
	}
	if day != d.day {
		d.refuse(rw, r, http.StatusBadRequest, "the run of the second day begins without the delta link")
		return
	}
	records := d.changes[table][day-1]
	link := address(dataverseHost, r.URL.Path+"?$select="+columns)
	answer := map[string]any{"@odata.context": link, "value": []any{}}
	if rest := records[min(page*1000, len(records)):]; len(rest) > 0 {
		answer["value"] = rest[:min(1000, len(rest))]
	}
	if (page+1)*1000 <= len(records) { // a whole page may be the last one: the next is empty
		answer["@odata.nextLink"] = link + "&$skiptoken=" + fmt.Sprintf("%%3Ccookie%%20day='%d'%%20page='%d'/%%3E", day, page+1)
	} else {
		answer["@odata.deltaLink"] = link + "&$deltatoken=" + "919042%2108%2f22%2f2017%2008%3a10%3a44"
	}
	reply(rw, http.StatusOK, answer)
}

func (d *dataverse) nextDay() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.day++
}

// forget begins another first round.
func (d *dataverse) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expired, d.day = true, 1
}

func (d *dataverse) expected(day int) tables {
	if day == 2 {
		return tables{"accounts": {
			{"id": guid(7), "removed": "", "name": "Renamed"},
			{"id": guid(2000), "removed": "", "name": "New"},
			{"id": guid(8), "removed": "deleted", "name": ""},
		}}
	}
	want := tables{}
	for i := range 1100 {
		want["accounts"] = append(want["accounts"], row{"id": guid(i), "removed": "", "name": "Account " + strconv.Itoa(i), "state": "0"})
	}
	for i := range 1000 {
		want["contacts"] = append(want["contacts"], row{"id": guid(i), "removed": "", "full_name": "Contact " + strconv.Itoa(i), "parent_customer_id": guid(i)})
	}
	return want
}
