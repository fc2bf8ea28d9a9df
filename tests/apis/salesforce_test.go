package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// salesforce responds to SOQL queries in pages, deleted records included. Facts:
// https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_queryall.htm,
// https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_dateformats.htm,
// https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_client_credentials_flow.htm.
type salesforce struct {
	*world
	salesforceLogin
	records  map[string][]salesforceRecord // by the object
	locators map[string][]object           // what follows a page
}

type salesforceRecord struct {
	id      string
	changed time.Time
	fields  object
}

const (
	salesforceHost  = "your-company.my.salesforce.com"
	salesforceToken = "00Dx0!token-"
	salesforceTime  = "2006-01-02T15:04:05.000-0700"
	salesforcePath  = "/services/data/v68.0"
	// salesforcePage is smaller than 2,000: Salesforce may send fewer records than that.
	salesforcePage = 400
)

// soql is the only form of query that the mock server knows.
var soql = regexp.MustCompile(`^SELECT (\w+(?:, \w+)*) FROM (\w+)(?: WHERE SystemModstamp >= (\S+Z) AND SystemModstamp < (\S+Z))?$`)

// salesforceFields are the fields of each object that the user may see.
var salesforceFields = map[string]string{
	"Account":          "Id Name Type Industry BillingCountry AnnualRevenue NumberOfEmployees ParentId OwnerId MasterRecordId IsDeleted CreatedDate SystemModstamp",
	"Contact":          "Id AccountId FirstName LastName Email Phone Title OwnerId MasterRecordId IsDeleted CreatedDate SystemModstamp",
	"Lead":             "Id FirstName LastName Company Email Status LeadSource IsConverted ConvertedDate ConvertedAccountId ConvertedContactId ConvertedOpportunityId OwnerId MasterRecordId IsDeleted CreatedDate SystemModstamp",
	"Opportunity":      "Id AccountId Name StageName Amount Probability CloseDate Type LeadSource IsClosed IsWon OwnerId IsDeleted CreatedDate SystemModstamp",
	"OpportunityStage": "Id ApiName MasterLabel SortOrder IsActive IsClosed IsWon DefaultProbability ForecastCategoryName SystemModstamp",
	"User":             "Id Username Name Email UserType IsActive CreatedDate SystemModstamp",
}

func newSalesforce(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "no query has parents; records that are not shared are left out",
		missingParent: "no query has parents",
		absentKey:     "each record has all fields of the query, null if they are empty",
		errorIn200:    "errors of queries have the status 400 and above",
	}
	return &salesforce{world: w, salesforceLogin: salesforceLogin{uses: map[string]int{}}, records: salesforceRecords(), locators: map[string][]object{}}
}

// salesforceRecords is what the mockServers of both APIs have on the first day.
func salesforceRecords() map[string][]salesforceRecord {
	records := map[string][]salesforceRecord{}
	for entity, n := range map[string]int{"Account": 3*salesforcePage - 1, "Contact": salesforcePage, "Lead": 3, "Opportunity": 7, "OpportunityStage": 2, "User": 3} {
		for i := range n {
			changed := time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*4).Add(time.Duration(i%1000) * time.Millisecond)
			records[entity] = append(records[entity], newRecord(entity, i, changed))
		}
	}
	records["Account"][1].fields["AnnualRevenue"] = json.Number("3.5E8")
	records["Lead"][1].fields["IsDeleted"], records["Lead"][1].fields["MasterRecordId"] = true, records["Lead"][0].id // merged
	records["User"][0].fields["IsActive"] = false
	return records
}

func newRecord(entity string, i int, changed time.Time) salesforceRecord {
	return salesforceRecord{fmt.Sprintf("%s%012d", entity[:3], i), changed, object{"Name": entity + " " + strconv.Itoa(i) + `, "Ltd"`, "IsDeleted": false, "IsActive": true}}
}

// salesforceLogin issues and checks access tokens. The first session ends after some requests.
type salesforceLogin struct {
	uses map[string]int // requests with each header Authorization
}

// login responds to the request for a token. It reports why it refuses it.
func (l *salesforceLogin) login(rw http.ResponseWriter, r *http.Request) string {
	if err := r.ParseForm(); err != nil {
		return err.Error()
	}
	want := "client_id=your-consumer-key&client_secret=your-consumer-secret&grant_type=client_credentials"
	if r.Method != http.MethodPost || r.PostForm.Encode() != want || r.URL.RawQuery != "" {
		return "wrong login: " + r.PostForm.Encode()
	}
	token := salesforceToken + strconv.Itoa(len(l.uses))
	l.uses["Bearer "+token] = 0
	reply(rw, http.StatusOK, object{
		"access_token": token, "signature": "x", "instance_url": address(salesforceHost, ""), "token_type": "Bearer", "issued_at": "1772431200000",
	})
	return ""
}

// session reports whether the token of a request was given, and whether its session is over.
func (l *salesforceLogin) session(r *http.Request) (isKnown, isOver bool) {
	header := r.Header.Get("Authorization")
	_, isKnown = l.uses[header]
	if isKnown {
		l.uses[header]++
	}
	return isKnown, header == "Bearer "+salesforceToken+"0" && l.uses[header] > 6
}

func salesforceError(rw http.ResponseWriter, status int, code, message string) {
	reply(rw, status, []any{object{"message": message, "errorCode": code}})
}

func (s *salesforce) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == salesforceHost && r.URL.Path == "/services/oauth2/token" {
		why := s.login(rw, r)
		s.refuseIf(why != "", why)
		return
	}
	isKnown, isOver := s.session(r)
	s.refuseIf(r.Host != salesforceHost || r.Method != http.MethodGet, "no such resource")
	s.refuseIf(!isKnown, "unknown token")
	if isOver {
		s.shows(expiredToken)
		salesforceError(rw, http.StatusUnauthorized, "INVALID_SESSION_ID", "Session expired or invalid")
		return
	}
	if s.count("") == 5 {
		salesforceError(rw, http.StatusForbidden, "REQUEST_LIMIT_EXCEEDED", "ConcurrentRequests (Concurrent API Requests) Limit exceeded.")
		return
	}
	rest, isLocator := s.locators[r.URL.Path]
	switch {
	case isLocator && r.URL.RawQuery == "":
		s.page(rw, r.URL.Path, rest)
	case r.URL.Path == salesforcePath+"/queryAll" || r.URL.Path == salesforcePath+"/query":
		found, err := query(s.records, r.URL.Query().Get("q"), path.Base(r.URL.Path))
		s.refuseIf(err != nil, err)
		s.page(rw, fmt.Sprintf("%s/query/01g%06d-%d", salesforcePath, len(s.locators), len(found)), found)
	default:
		s.refuse("no such resource")
	}
}

func (s *salesforce) page(rw http.ResponseWriter, path string, records []object) {
	n := min(len(records), salesforcePage)
	s.showsRecords(records[:n])
	body := object{"totalSize": len(records), "done": n == len(records), "records": records[:n]}
	if n < len(records) {
		next := path[:strings.LastIndex(path, "-")+1] + strconv.Itoa(len(records)-n)
		s.locators[next] = records[n:]
		body["nextRecordsUrl"] = next
		s.shows(shortPage)
	}
	reply(rw, http.StatusOK, body)
}

// query returns the records that a query selects. Only queryAll finds deleted ones.
func query(records map[string][]salesforceRecord, text, resource string) ([]object, error) {
	parts := soql.FindStringSubmatch(text)
	if parts == nil || records[parts[2]] == nil {
		return nil, fmt.Errorf("MALFORMED_QUERY: %s", text)
	}
	entity, from, to := parts[2], time.Time{}, time.Date(4000, 12, 31, 0, 0, 0, 0, time.UTC)
	if parts[3] != "" {
		var err error
		if from, err = time.Parse(time.RFC3339, parts[3]); err != nil {
			return nil, err
		}
		if to, err = time.Parse(time.RFC3339, parts[4]); err != nil {
			return nil, err
		}
	}
	found := []object{}
	for _, record := range records[entity] {
		if record.changed.Before(from) || !record.changed.Before(to) || resource == "query" && record.fields["IsDeleted"] == true {
			continue
		}
		item := object{"attributes": object{"type": entity, "url": salesforcePath + "/sobjects/" + entity + "/" + record.id}}
		for _, field := range strings.Split(parts[1], ", ") {
			if !slices.Contains(strings.Fields(salesforceFields[entity]), field) {
				return nil, fmt.Errorf("INVALID_FIELD: No such column '%s' on entity '%s'", field, entity)
			}
			switch field {
			case "Id":
				item[field] = record.id
			case "SystemModstamp":
				item[field] = record.changed.Format(salesforceTime)
			default:
				item[field] = record.fields[field]
			}
		}
		found = append(found, item)
	}
	return found, nil
}

func (w *world) showsRecords(records []object) {
	for _, record := range records {
		w.showsIf(record["IsDeleted"] == true, deleted)
		w.showsIf(record["IsActive"] == false, archived)
		// a number with an exponent, where others are null
		w.showsIf(record["AnnualRevenue"] != nil, oddValue)
		w.showsIf(record["Name"] == "Tie", tie)
	}
}

func (s *salesforce) nextDay() { salesforceChanges(s.records) }

// salesforceChanges are those of a day: an account is deleted, another one is new, and one has
// the time that the first run remembers. One record of each object was changed before the
// first run, in a transaction that ended after it.
func salesforceChanges(records map[string][]salesforceRecord) {
	accounts := records["Account"]
	latest := accounts[len(accounts)-1].changed
	for entity, list := range records {
		if entity != "Account" && len(list) > 0 {
			list[0].changed = list[len(list)-1].changed.Add(-50 * time.Minute)
		}
	}
	accounts[3].changed = firstDay.Add(time.Hour)
	accounts[3].fields["IsDeleted"] = true
	accounts[4].changed = latest.Add(-50 * time.Minute)
	accounts[4].fields["Name"] = "Late"
	accounts[5].changed = latest
	accounts[5].fields["Name"] = "Tie"
	records["Account"] = append(accounts, newRecord("Account", 9000, firstDay.Add(2*time.Hour)))
}

func (s *salesforce) expected(day int) tables {
	return salesforceExpected(s.records, day, salesforceTime, map[any]string{true: "1", false: "", nil: ""})
}

// salesforceExpected is what a run stores, with times and booleans as the format writes them.
func salesforceExpected(records map[string][]salesforceRecord, day int, layout string, booleans map[any]string) tables {
	want := tables{}
	for entity, table := range map[string]string{"Account": "accounts", "Contact": "contacts", "Lead": "leads", "Opportunity": "opportunities", "OpportunityStage": "opportunity_stages", "User": "users"} {
		list := slices.Clone(records[entity])
		if day == 2 && entity != "OpportunityStage" { // from an hour before the latest change of the first day
			latest := time.Time{}
			for _, record := range list {
				if record.changed.Before(firstDay) && record.changed.After(latest) {
					latest = record.changed
				}
			}
			list = slices.DeleteFunc(list, func(r salesforceRecord) bool { return r.changed.Before(latest.Add(-time.Hour)) })
		}
		for _, record := range list {
			r := row{"id": record.id}
			if entity != "OpportunityStage" {
				r["system_modstamp"] = record.changed.Format(layout)
			}
			switch entity {
			case "Account":
				r["name"], r["is_deleted"], r["annual_revenue"] = record.fields["Name"].(string), booleans[record.fields["IsDeleted"]], ""
				if revenue := record.fields["AnnualRevenue"]; revenue != nil {
					r["annual_revenue"] = fmt.Sprint(revenue)
				}
			case "Lead":
				r["is_deleted"], r["master_record_id"] = booleans[record.fields["IsDeleted"]], ""
				if master := record.fields["MasterRecordId"]; master != nil {
					r["master_record_id"] = master.(string)
				}
			case "OpportunityStage", "User":
				r["is_active"] = booleans[record.fields["IsActive"]]
			}
			want.add(table, r)
		}
	}
	return want
}
