package apis

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// servicenow is an instance with the Table API. Access control lists are evaluated after
// the limit, so a page can be short. Facts:
// https://www.servicenow.com/docs/r/australia/api-reference/rest-apis/c_TableAPI.html,
// https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB1297438 (errors in 200),
// https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB3047080 (202),
// https://www.servicenow.com/docs/r/zurich/platform-security/authentication/client-credentials.html.
type servicenow struct {
	*world
	tables map[string][]*servicenowRecord // in the order of the sys_ids
	tokens map[string]*servicenowToken    // by the header Authorization
	// mayReadDeletions is whether the user has a role for sys_audit_delete.
	mayReadDeletions bool
}

// servicenowRecord is a record with the fields that have a value.
type servicenowRecord struct {
	id string
	// changed is when it was updated or, in sys_audit_delete, created.
	changed time.Time
	fields  map[string]servicenowField
	// isHidden says that the user has no right to read the record.
	isHidden bool
}

type servicenowField struct{ v, display string }

type servicenowToken struct {
	ends    time.Time
	isFirst bool // it is revoked after some requests
	uses    int
}

const servicenowHost = "your-instance.service-now.com"

// servicenowFields are the fields of each table; the API ignores others.
var servicenowFields = map[string]string{
	"incident":         "sys_id number short_description state priority category assignment_group assigned_to caller_id cmdb_ci close_code opened_at resolved_at closed_at sys_created_on sys_updated_on",
	"problem":          "sys_id number short_description state priority assignment_group assigned_to cmdb_ci opened_at closed_at sys_created_on sys_updated_on",
	"change_request":   "sys_id number short_description type state risk assignment_group assigned_to cmdb_ci start_date end_date opened_at closed_at close_code sys_created_on sys_updated_on",
	"sc_req_item":      "sys_id number short_description cat_item request state stage assignment_group assigned_to opened_at closed_at sys_created_on sys_updated_on",
	"sys_user":         "sys_id user_name name email title department manager active sys_created_on sys_updated_on",
	"sys_user_group":   "sys_id name description manager active sys_created_on sys_updated_on",
	"sys_audit_delete": "sys_id tablename documentkey sys_created_on",
}

func newServicenow(w *world) mockServer {
	w.notShown = map[condition]string{missingParent: "each table is requested as a whole, without parents"}
	s := &servicenow{world: w, tokens: map[string]*servicenowToken{}, tables: map[string][]*servicenowRecord{}}
	old := time.Date(2019, 5, 1, 8, 0, 0, 0, time.UTC)
	for i := range 2100 {
		r := s.add("incident", i, old.Add(time.Duration(i)*time.Hour))
		r.fields["number"] = servicenowField{fmt.Sprintf("INC%07d", i), fmt.Sprintf("INC%07d", i)}
		r.fields["state"] = servicenowField{"2", "In Progress"}
		r.fields["assignment_group"] = servicenowField{servicenowID(1), "Network"}
	}
	incidents := s.tables["incident"]
	incidents[3].isHidden = true                                // the first page has 999 records
	incidents[4].fields["assignment_group"] = servicenowField{} // of no group
	delete(incidents[5].fields, "state")                        // the user may not read the field
	incidents[6].fields["state"] = servicenowField{"8", "8"}    // a choice without a label
	incidents[7].fields["state"] = servicenowField{"7", "Closed"}
	for table, n := range map[string]int{"problem": 1, "change_request": 1000, "sc_req_item": 2, "sys_user": 2, "sys_user_group": 1} {
		for i := range n {
			r := s.add(table, i, old)
			r.fields["name"] = servicenowField{table + " " + strconv.Itoa(i), table + " " + strconv.Itoa(i)}
			r.fields["active"] = servicenowField{"true", "true"}
		}
	}
	s.tables["sys_user"][1].fields["active"] = servicenowField{"false", "false"}
	s.add("sys_user", 2, old).id = "glide.maint" // not each sys_id is a number
	s.delete(1, "incident", servicenowID(5000), old)
	return s
}

// servicenowID is a sys_id. Those of greater numbers are greater.
func servicenowID(i int) string { return fmt.Sprintf("%032x", i+1) }

func (s *servicenow) add(table string, i int, changed time.Time) *servicenowRecord {
	r := &servicenowRecord{id: servicenowID(i), changed: changed, fields: map[string]servicenowField{}}
	s.tables[table] = append(s.tables[table], r)
	return r
}

func (s *servicenow) delete(i int, table, id string, at time.Time) {
	r := s.add("sys_audit_delete", i, at)
	r.fields["tablename"], r.fields["documentkey"] = servicenowField{table, table}, servicenowField{id, id}
}

func (s *servicenow) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	table, isTable := strings.CutPrefix(r.URL.Path, "/api/now/v2/table/")
	switch {
	case r.Host == servicenowHost && r.Method == http.MethodPost && r.URL.Path == "/oauth_token.do":
		s.login(rw, r)
	case r.Host != servicenowHost || r.Method != http.MethodGet || !isTable || servicenowFields[table] == "":
		s.refuse("no such table")
	default:
		s.checkToken(rw, r)
		s.records(rw, r, table)
	}
}

func (s *servicenow) login(rw http.ResponseWriter, r *http.Request) {
	err := r.ParseForm()
	s.refuseIf(err != nil ||
		r.PostForm.Encode() != "client_id=your-client-id&client_secret=your-client-secret&grant_type=client_credentials",
		"access_denied: "+r.PostForm.Encode())
	name := "token-" + strconv.Itoa(len(s.tokens))
	s.tokens["Bearer "+name] = &servicenowToken{ends: s.Now().Add(1799 * time.Second), isFirst: len(s.tokens) == 0}
	reply(rw, http.StatusOK, object{"access_token": name, "scope": "useraccount", "token_type": "Bearer", "expires_in": 1799})
}

func (s *servicenow) checkToken(rw http.ResponseWriter, r *http.Request) {
	token := s.tokens[r.Header.Get("Authorization")]
	s.refuseIf(token == nil, "unknown token")
	if token.uses++; s.Now().After(token.ends) || token.isFirst && token.uses > 3 {
		s.shows(expiredToken)
		servicenowError(rw, http.StatusUnauthorized, "User Not Authenticated", "Required to provide Auth information")
	}
	switch s.count("all") {
	case 5: // a rule of the instance
		rw.Header().Set("Retry-After", "30")
		servicenowError(rw, http.StatusTooManyRequests, "Rate limit exceeded", "Rejected by large REST API Rate Limit")
	case 7: // the queue of the session is full
		rw.WriteHeader(http.StatusAccepted)
		panic(failed{})
	}
}

func servicenowError(rw http.ResponseWriter, status int, message, detail string) {
	fail(rw, status, object{"error": object{"message": message, "detail": detail}, "status": "failure"})
}

// servicenowQuery is the form of the queries that the mock server understands.
var servicenowQuery = regexp.MustCompile(`^(?:tablenameIN([\w,]+)\^)?(?:(sys_updated_on|sys_created_on)>=(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\^)?(?:sys_id>([^^]+)\^)?ORDERBYsys_id$`)

func (s *servicenow) records(rw http.ResponseWriter, r *http.Request, table string) {
	query := r.URL.Query()
	parts := servicenowQuery.FindStringSubmatch(query.Get("sysparm_query"))
	s.refuseIf(parts == nil || query.Get("sysparm_limit") != "1000" ||
		query.Get("sysparm_display_value") != "all" ||
		query.Get("sysparm_exclude_reference_link") != "true" || len(query) != 5, "wrong parameters")
	s.refuseIf((parts[2] == "sys_created_on") != (table == "sys_audit_delete") && parts[2] != "",
		"wrong field for the time")
	if table == "sys_audit_delete" && !s.mayReadDeletions {
		s.shows(forbidden)
		servicenowError(rw, http.StatusForbidden, "Insufficient rights to query records", "Field(s) present in the query do not have permission to be read")
	}
	since := time.Time{}
	if parts[3] != "" {
		var err error
		if since, err = time.Parse(time.DateTime, parts[3]); err != nil {
			s.refuse(err)
		}
	}
	var found []*servicenowRecord
	for _, record := range s.tables[table] {
		isTracked := parts[1] == "" || slices.Contains(strings.Split(parts[1], ","), record.fields["tablename"].v)
		if record.id > parts[4] && !record.changed.Before(since) && isTracked {
			found = append(found, record)
		}
	}
	total := len(found)
	found = found[:min(1000, total)]
	if total > 1000 {
		rw.Header().Set("Link", fmt.Sprintf(`<%s?sysparm_offset=1000>;rel="next"`, address(servicenowHost, r.URL.Path)))
	}
	rw.Header().Set("X-Total-Count", strconv.Itoa(total))
	body := object{}
	if s.requests[table]++; table == "incident" && s.requests[table] == 2 { // cut after a minute
		found = nil // before the first record was sent
		body["error"] = object{"message": "Transaction cancelled: maximum execution time exceeded"}
		body["status"] = "failure"
		s.shows(errorIn200)
	}
	result := []any{}
	for _, record := range found {
		if record.isHidden {
			s.showsIf(total > 1000, shortPage)
			continue
		}
		result = append(result, s.item(record, query.Get("sysparm_fields")))
		s.note(table, record, parts[3] != "")
	}
	body["result"] = result
	reply(rw, http.StatusOK, body)
}

// item is a record with values and display values. Fields that do not exist are left out.
func (s *servicenow) item(record *servicenowRecord, names string) object {
	item := object{}
	for _, name := range strings.Split(names, ",") {
		f, ok := record.fields[name]
		switch name {
		case "sys_id":
			f, ok = servicenowField{record.id, record.id}, true
		case "sys_updated_on", "sys_created_on": // what is displayed is in the zone of the user
			f, ok = servicenowField{record.changed.Format(time.DateTime), record.changed.Add(2 * time.Hour).Format(time.DateTime)}, true
		}
		if ok {
			item[name] = object{"display_value": f.display, "value": f.v}
		}
	}
	return item
}

func (s *servicenow) note(table string, record *servicenowRecord, isLater bool) {
	_, hasState := record.fields["state"]
	switch {
	case table == "sys_audit_delete":
		s.shows(deleted)
	case table == "sys_user" && record.fields["active"].v == "false":
		s.shows(archived)
	case record.id == "glide.maint":
		s.shows(oddValue)
	case table != "incident":
	case !hasState:
		s.shows(absentKey)
	case record.fields["state"].display == "8":
		s.shows(oddValue)
	case isLater && record.changed.Equal(firstDay): // changed in the second when the run before this one began
		s.shows(tie)
	}
}

func (s *servicenow) nextDay() {
	s.mayReadDeletions = true
	incidents := s.tables["incident"]
	for table, records := range s.tables { // with a time of an earlier zone
		if table != "sys_audit_delete" {
			records[0].changed = firstDay.Add(-2 * time.Hour)
		}
	}
	incidents[10].changed = firstDay
	incidents[10].fields["state"] = servicenowField{"6", "Resolved"}
	s.tables["incident"] = slices.Delete(incidents, 20, 21)
	s.delete(2, "incident", servicenowID(20), s.Now().Add(-time.Hour))
	s.delete(3, "sys_properties", servicenowID(9), s.Now().Add(-time.Hour)) // a table that is not extracted
}

// forget is a week without a run. Only the remembered time finds the deletions in it.
func (s *servicenow) forget() { s.delete(4, "problem", servicenowID(7), firstDay.AddDate(0, 0, 4)) }

func (s *servicenow) expected(day int) tables {
	names := map[string]string{"incident": "incidents", "problem": "problems", "change_request": "changes", "sc_req_item": "requested_items", "sys_user": "users", "sys_user_group": "groups"}
	want := tables{}
	since := time.Time{}
	switch day {
	case 2:
		since = firstDay.AddDate(0, 0, -1)
	case 3: // a day before the second run, which began some seconds later than 24 hours after the first
		since = firstDay.Add(time.Minute)
	}
	for table, name := range names {
		for _, r := range s.tables[table] {
			if r.isHidden || r.changed.Before(since) {
				continue
			}
			w := row{"id": r.id, "updated": r.changed.Format(time.DateTime)}
			switch table {
			case "incident":
				w["number"], w["state"], w["state_name"] = r.fields["number"].v, r.fields["state"].v, r.fields["state"].display
				w["assignment_group"], w["assignment_group_name"] = r.fields["assignment_group"].v, r.fields["assignment_group"].display
			case "sys_user":
				w["active"] = r.fields["active"].v
			}
			want.add(name, w)
		}
	}
	for _, log := range s.tables["sys_audit_delete"][1:] {
		if table := log.fields["tablename"].v; names[table] != "" {
			want.add("deleted_records", row{"id": log.id, "table": table, "record_id": log.fields["documentkey"].v, "deleted": log.changed.Format(time.DateTime)})
		}
	}
	return want
}
