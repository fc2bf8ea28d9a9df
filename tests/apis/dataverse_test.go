package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// dataverse tracks the changes of its tables.
type dataverse struct {
	entra
	// changes are the records of each tracked table by the day on which they changed.
	changes map[string][2][]object
	// whole are the records of the other tables.
	whole   map[string][]object
	day     int
	expired bool // the delta links of earlier rounds
}

const (
	dataverseHost = "your-org.crm.dynamics.com"
	// dataversePage is smaller than 5,000: a page has up to as many records as requested.
	dataversePage = 500
)

// dataverseColumns are the columns of each table, without its id.
var dataverseColumns = map[string]string{
	"accounts":      "name accountnumber telephone1 emailaddress1 websiteurl address1_city address1_country industrycode revenue numberofemployees _parentaccountid_value _primarycontactid_value _masterid_value _ownerid_value statecode statuscode createdon modifiedon",
	"contacts":      "fullname emailaddress1 telephone1 jobtitle _parentcustomerid_value _masterid_value _ownerid_value statecode statuscode createdon modifiedon",
	"leads":         "fullname companyname emailaddress1 leadsourcecode _qualifyingopportunityid_value _masterid_value _ownerid_value statecode statuscode createdon modifiedon",
	"opportunities": "name _customerid_value _originatingleadid_value stepname closeprobability estimatedvalue estimatedclosedate actualvalue actualclosedate _transactioncurrencyid_value _ownerid_value statecode statuscode createdon modifiedon",
	"systemusers":   "fullname internalemailaddress domainname title isdisabled",
	"stringmaps":    "objecttypecode attributename attributevalue langid value displayorder",
}

func newDataverse(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "each table is requested as a whole, and needs the privilege to read all of it",
		missingParent: "tables have no parents",
		tie:           "changes are distinguished by the version numbers of records, not by times",
		errorIn200:    "errors have the status 400 and above",
	}
	d := &dataverse{entra: entra{world: w, scope: "http://" + dataverseHost + "/.default"}, day: 1}
	var accounts, contacts []object
	for i := range 1100 {
		accounts = append(accounts, d.record("account", i, "name", "Account "+strconv.Itoa(i)))
	}
	accounts[1]["revenue"] = json.Number("20000.0000")
	accounts[2]["statecode"], accounts[2]["_masterid_value"] = 1, guid(1) // merged
	for i := range 1000 {
		contacts = append(contacts, d.record("contact", i, "fullname", "Contact "+strconv.Itoa(i)))
	}
	renamed := d.record("account", 7, "name", "Renamed")
	delete(renamed, "accountnumber")
	d.changes = map[string][2][]object{
		"accounts":      {accounts, {renamed, d.record("account", 2000, "name", "New"), d.deleted("accounts", 8), d.deleted("accounts", 3000)}},
		"contacts":      {contacts, nil},
		"leads":         {{d.record("lead", 1, "companyname", "A")}, nil},
		"opportunities": {{d.record("opportunity", 1, "name", "Deal")}, {d.deleted("opportunities", 1)}},
	}
	d.whole = map[string][]object{
		"systemusers": {{"systemuserid": guid(1), "fullname": "Ann", "isdisabled": false}, {"systemuserid": guid(2), "fullname": "Left", "isdisabled": true}},
		"stringmaps": {
			{"stringmapid": guid(1), "objecttypecode": "account", "attributename": "statecode", "attributevalue": 1, "langid": 1033, "value": "Inactive"},
			{"stringmapid": guid(2), "objecttypecode": "incident", "attributename": "statecode", "attributevalue": 1, "langid": 1033, "value": "Resolved"},
		},
	}
	return d
}

func guid(i int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", i) }

func (d *dataverse) record(table string, i int, column, v string) object {
	plurals := map[string]string{"account": "accounts", "contact": "contacts", "lead": "leads", "opportunity": "opportunities"}
	r := object{"@odata.etag": `W/"1"`, table + "id": guid(i)}
	for _, name := range strings.Fields(dataverseColumns[plurals[table]]) {
		r[name] = nil
	}
	r[column], r["statecode"], r["modifiedon"] = v, 0, "2026-02-01T10:00:00Z"
	return r
}

func (d *dataverse) deleted(table string, i int) object {
	return object{"@odata.context": address(dataverseHost, "/api/data/v9.2/$metadata#"+table+"/$deletedEntity"), "id": guid(i), "reason": "deleted"}
}

func (d *dataverse) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	switch r.Host {
	case "login.microsoftonline.com":
		d.login(rw, r)
	case dataverseHost:
		d.records(rw, r)
	default:
		d.refuse("wrong host")
	}
}

// records responds with a page. The tokens are the day and the number of the page.
func (d *dataverse) records(rw http.ResponseWriter, r *http.Request) {
	table := strings.TrimPrefix(r.URL.Path, "/api/data/v9.2/")
	query := r.URL.Query()
	whole, isWhole := d.whole[table]
	prefer := "odata.track-changes,odata.maxpagesize=5000"
	if isWhole {
		prefer = "odata.maxpagesize=5000"
	}
	d.refuseIf(dataverseColumns[table] == "" || r.Method != http.MethodGet, "no such table")
	d.refuseIf(r.Header.Get("OData-Version") != "4.0" || r.Header.Get("OData-MaxVersion") != "4.0",
		"wrong version of OData")
	d.refuseIf(r.Header.Get("Prefer") != prefer, "no changes are tracked, or the size of the pages changes")
	d.refuseIf(len(query["$select"]) != 1 || !isWhole && query.Has("$filter"),
		"no $select, or a $filter of a table that is tracked")
	for _, column := range strings.Split(query.Get("$select"), ",") {
		d.refuseIf(!slices.Contains(strings.Fields(dataverseColumns[table]), column),
			"could not find a property named "+column)
	}
	if d.count("all") == 5 { // the token ends earlier than it said
		d.expires = d.Now().Add(-time.Second)
		d.shows(expiredToken)
	}
	d.checkToken(rw, r)
	if d.requests[table]++; table == "accounts" && d.requests[table] == 2 { // longer than the token is valid
		rw.Header().Set("Retry-After", "650")
		dataverseError(rw, http.StatusTooManyRequests, "0x80072322", "Number of requests exceeded the limit of 6000 over time window of 300 seconds.")
		return
	}
	if isWhole {
		if filter := query.Get("$filter"); filter != "" {
			whole = without(whole, func(record object) bool {
				return !strings.Contains(filter, fmt.Sprintf("objecttypecode eq '%v'", record["objecttypecode"]))
			})
		}
		d.send(rw, whole, object{})
		return
	}
	d.tracked(rw, r, table)
}

func (d *dataverse) tracked(rw http.ResponseWriter, r *http.Request, table string) {
	query := r.URL.Query()
	switch {
	case d.expired && (table == "leads" || table == "opportunities"): // the app for sales has been removed
		dataverseError(rw, http.StatusNotFound, "0x8006088a", "Resource not found for the segment '"+table+"'.")
		return
	case d.expired && query.Has("$deltatoken"):
		dataverseError(rw, http.StatusBadRequest, "0x80044352", "Version stamp associated with the client has expired. Please perform a full sync.")
		return
	}
	day, page := 1, 0
	if query.Has("$deltatoken") {
		day = 2
	}
	if token := query.Get("$skiptoken"); token != "" {
		if _, err := fmt.Sscanf(token, "<cookie day='%d' page='%d'/>", &day, &page); err != nil {
			d.refuse("the next link was changed")
		}
	}
	d.refuseIf(day != d.day, "the run of the second day begins without the delta link")
	records := d.changes[table][day-1]
	link := address(dataverseHost, r.URL.Path+"?$select="+query.Get("$select"))
	response := object{"@odata.context": link}
	if (page+1)*dataversePage <= len(records) { // a whole page may be the last one: the next is empty
		response["@odata.nextLink"] = link + "&$skiptoken=" + fmt.Sprintf("%%3Ccookie%%20day='%d'%%20page='%d'/%%3E", day, page+1)
		d.shows(shortPage)
	} else {
		response["@odata.deltaLink"] = link + "&$deltatoken=" + "919042%2108%2f22%2f2017%2008%3a10%3a44"
	}
	rest := records[min(page*dataversePage, len(records)):]
	d.send(rw, rest[:min(dataversePage, len(rest))], response)
}

func (d *dataverse) send(rw http.ResponseWriter, records []object, response object) {
	for _, record := range records {
		d.showsIf(record["reason"] == "deleted", deleted)
		d.showsIf(record["statecode"] == 1 || record["isdisabled"] == true, archived)
		if v, ok := record["accountnumber"]; ok && v == nil {
			d.shows(oddValue)
		}
		// its number is not null, but absent
		d.showsIf(record["name"] == "Renamed", absentKey)
	}
	if records == nil {
		records = []object{}
	}
	response["value"] = records
	reply(rw, http.StatusOK, response)
}

func dataverseError(rw http.ResponseWriter, status int, code, message string) {
	reply(rw, status, object{"error": object{"code": code, "message": message}})
}

func (d *dataverse) nextDay() {
	d.day++
}

func (d *dataverse) forget() {
	d.expired, d.day = true, 1
}

func (d *dataverse) expected(day int) tables {
	want := tables{
		"users":   {{"id": guid(1), "full_name": "Ann", "is_disabled": ""}, {"id": guid(2), "full_name": "Left", "is_disabled": "1"}},
		"choices": {{"id": guid(1), "table": "account", "column": "statecode", "value": "1", "label": "Inactive"}},
	}
	if day == 2 {
		want["accounts"] = []row{
			{"id": guid(7), "removed": "", "name": "Renamed", "account_number": ""},
			{"id": guid(2000), "removed": "", "name": "New"},
			{"id": guid(8), "removed": "deleted", "name": ""},
			{"id": guid(3000), "removed": "deleted", "name": ""}, // it lived between the runs
		}
		want["opportunities"] = []row{{"id": guid(1), "removed": "deleted", "name": ""}}
		return want
	}
	for i := range 1100 {
		want.add("accounts", row{"id": guid(i), "removed": "", "name": "Account " + strconv.Itoa(i), "state": "0", "revenue": "", "master_id": ""})
	}
	want["accounts"][1]["revenue"] = "20000.0000"
	want["accounts"][2]["state"], want["accounts"][2]["master_id"] = "1", guid(1)
	for i := range 1000 {
		want.add("contacts", row{"id": guid(i), "removed": "", "full_name": "Contact " + strconv.Itoa(i)})
	}
	if day == 1 {
		want["opportunities"] = []row{{"id": guid(1), "removed": "", "name": "Deal"}}
		want["leads"] = []row{{"id": guid(1), "removed": "", "company": "A"}}
	}
	return want
}
