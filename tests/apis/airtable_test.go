package apis

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// airtable refuses every request to a base for 30 seconds after one too many, and does not say so
// in a header. Records lack empty fields, and say nowhere when they were modified; only a formula
// knows it, if they were modified since their creation.
type airtable struct {
	*world
	bases   []string
	tables  map[string][]string // by base
	records map[string][]airtableRecord
	refused map[string]time.Time // until when, by base
}

const (
	// airtableInterface is a base of which the user may see interfaces only.
	airtableInterface = "app9"
	// airtableGoneBase is a base that is deleted between the list of bases and its tables.
	airtableGoneBase = "app8"
	// airtableGone is a table that is deleted between the list of tables and its records.
	airtableGone = "tblGone"
	// airtableShrinks is a table whose first record is deleted after the first run.
	airtableShrinks = "app4/tbl1"
)

type airtableRecord struct {
	id                string
	created, modified time.Time // not modified: zero
}

func newAirtable(w *world) mockServer {
	w.notShown = map[condition]string{
		archived:     "Airtable archives neither bases nor tables nor records",
		forbidden:    "a base that the user may not read says so in the list and is not requested; any other 403 ends the run, because it may be a token without a scope",
		errorIn200:   "errors have a status of their own; a cell with an error is a value",
		expiredToken: "a personal access token does not expire",
	}
	a := &airtable{world: w, tables: map[string][]string{}, records: map[string][]airtableRecord{}, refused: map[string]time.Time{}}
	for b := range 5 {
		base := fmt.Sprint("app", b)
		a.bases = append(a.bases, base)
		for t := range b { // the first base is empty, and ids of tables are unique in a base only
			a.addTable(base, fmt.Sprint("tbl", t), t*115)
		}
	}
	a.bases = append(a.bases, airtableInterface, airtableGoneBase)
	a.tables["app2"] = append(a.tables["app2"], airtableGone)
	return a
}

func (a *airtable) addTable(base, table string, records int) {
	a.tables[base] = append(a.tables[base], table)
	for r := range records {
		record := airtableRecord{id: fmt.Sprint("rec", r), created: firstDay.Add(-time.Duration((r+1)/2+1) * time.Hour)} // two at a time
		if r%2 == 0 {
			record.modified = record.created.Add(10 * time.Minute)
		}
		a.records[base+"/"+table] = append(a.records[base+"/"+table], record)
	}
}

func (a *airtable) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, found := strings.CutPrefix(r.URL.Path, "/v0/")
	base, rest, _ := strings.Cut(strings.TrimPrefix(path, "meta/bases/"), "/")
	a.refuseIf(r.Host != "api.airtable.com" || !found || r.Method != http.MethodGet, "no such address")
	a.refuseIf(r.Header.Get("Authorization") != "Bearer your-personal-access-token",
		"AUTHENTICATION_REQUIRED")
	switch {
	case path == "meta/bases":
		items := []any{}
		for _, id := range a.bases {
			level := "read"
			if id == airtableInterface {
				level = "none"
			}
			items = append(items, object{"id": id, "name": "Base " + id, "permissionLevel": level})
		}
		a.page(rw, r, "bases", items, 50)
	case base == airtableGoneBase:
		a.shows(missingParent)
		reply(rw, http.StatusNotFound, object{"error": "NOT_FOUND"})
	case a.tables[base] == nil && base != "app0":
		a.refuse("INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND")
	case a.limited(base):
		a.failUntil(rw, r, a.refused[base], http.StatusTooManyRequests, object{"errors": []any{object{"error": "RATE_LIMIT_REACHED"}}})
	case path == "meta/bases/"+base+"/tables":
		items := []any{}
		for _, id := range a.tables[base] {
			items = append(items, object{"id": id, "name": "Table " + id, "primaryFieldId": "fld1", "fields": []any{object{"id": "fld1", "name": "Name", "type": "singleLineText"}}, "views": []any{}})
		}
		reply(rw, http.StatusOK, object{"tables": items})
	default:
		a.list(rw, r, base+"/"+rest)
	}
}

// limited reports whether a base refuses requests. The third and the ninth request to a
// base are too many.
func (a *airtable) limited(base string) bool {
	if a.Now().Before(a.refused[base]) {
		return true
	}
	a.requests[base]++
	if a.requests[base] == 3 || a.requests[base] == 9 {
		a.refused[base] = a.Now().Add(30 * time.Second)
		return true
	}
	return false
}

// airtableFormula is the formula of the configuration.
var airtableFormula = regexp.MustCompile(`^IS_AFTER\(IF\(LAST_MODIFIED_TIME\(\), LAST_MODIFIED_TIME\(\), CREATED_TIME\(\)\), DATETIME_PARSE\('([^']*)'\)\)$`)

// cell is the cell with the fields of a record.
func (r airtableRecord) cell() string {
	name := ""
	if !r.modified.IsZero() {
		name = `"Name":"` + r.modified.Format(time.RFC3339) + `",`
	}
	return "{" + name + `"Odhad (K\u010d)":12.5,"Ratio":{"specialValue":"NaN"},"id":null}`
}

func (r airtableRecord) changed() time.Time {
	if r.modified.IsZero() {
		return r.created
	}
	return r.modified
}

func (a *airtable) list(rw http.ResponseWriter, r *http.Request, table string) {
	all, known := a.records[table]
	if strings.HasSuffix(table, airtableGone) {
		a.shows(missingParent)
		fail(rw, http.StatusNotFound, object{"error": "NOT_FOUND"})
	}
	a.refuseIf(!known && !strings.HasSuffix(table, "/tbl0"), "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND")
	var since time.Time
	if formula := r.URL.Query().Get("filterByFormula"); formula != "" || r.URL.Query().Has("filterByFormula") {
		m := airtableFormula.FindStringSubmatch(formula)
		a.refuseIf(m == nil, "INVALID_FILTER_BY_FORMULA")
		var err error
		if since, err = time.Parse(time.RFC3339, m[1]); err != nil {
			a.refuse(err)
		}
	}
	a.showsIf(table == airtableShrinks && all[0].id != "rec0", deleted)
	items := []any{}
	for _, record := range all {
		if !record.changed().After(since) {
			continue
		}
		// Empty fields are absent. A field may have the name of a member of the record.
		fields := object{"Ratio": object{"specialValue": "NaN"}, "id": nil, "Odhad (Kč)": 12.5}
		if !record.modified.IsZero() {
			fields["Name"] = record.modified.Format(time.RFC3339)
		}
		a.shows(absentKey, oddValue)
		items = append(items, object{"id": record.id, "createdTime": record.created.Format(time.RFC3339), "fields": fields})
	}
	a.refuseIf(r.URL.Query().Get("pageSize") != "100", "pageSize")
	a.page(rw, r, "records", items, 100)
}

// page responds with some of the items, and with an offset unless they are the last ones.
func (a *airtable) page(rw http.ResponseWriter, r *http.Request, name string, items []any, size int) {
	from := 0
	if offset := r.URL.Query().Get("offset"); offset != "" {
		if n, err := fmt.Sscanf(offset, "itr1/rec%d", &from); n != 1 || err != nil || from >= len(items) {
			a.refuse("INVALID_OFFSET_VALUE")
		}
	}
	if from == size {
		size -= 40 // a page may have fewer than requested
	}
	to := min(from+size, len(items))
	response := object{name: items[from:to]}
	if to < len(items) {
		response["offset"] = fmt.Sprintf("itr1/rec%d", to)
		a.showsIf(to-from < 100 && name == "records", shortPage)
		if created := items[to].(object)["createdTime"]; created != nil && created == items[to-1].(object)["createdTime"] {
			a.shows(tie)
		}
	}
	reply(rw, http.StatusOK, response)
}

func (a *airtable) nextDay() {
	old := a.records[airtableShrinks]
	old[7].modified = firstDay.Add(2 * time.Hour)
	a.records[airtableShrinks] = append(old[1:], airtableRecord{id: "rec900", created: firstDay.Add(time.Hour)})
	a.records["app3/tbl1"][4].modified = firstDay.Add(-3 * time.Minute) // too late for the first run
	a.addTable("app1", "tbl2", 130)                                     // older records; other bases have a table of this id
}

func (a *airtable) expected(day int) tables {
	want := tables{}
	for _, base := range a.bases {
		level := map[bool]string{true: "none", false: "read"}[base == airtableInterface]
		want.add("bases", row{"id": base, "permission_level": level})
		for _, table := range a.tables[base] {
			want.add("tables", row{"base_id": base, "id": table, "name": "Table " + table})
			since := firstDay.Add(-5 * time.Minute)
			if day == 1 || base+table == "app1tbl2" {
				since = time.Time{}
			}
			for _, record := range a.records[base+"/"+table] {
				if record.changed().After(since) {
					want.add(base+"_"+table, row{"base_id": base, "table_id": table, "id": record.id, "fields": record.cell()})
				}
			}
		}
	}
	return want
}
