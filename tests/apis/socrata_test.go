package apis

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// socrata responds to queries for the rows after an id. Rows are updated and deleted while they are
// read. A selection must not have a star behind columns.
type socrata struct {
	*world
	sets map[string]*dataSet // by the id of the data set
}

type dataSet struct {
	table, date string // date is the column that $where limits
	rows        []*socrataRow
	gone        *socrataRow // was deleted after it had been read
}

type socrataRow struct {
	id      string
	number  int
	updated time.Time
	columns object
}

func newSocrata(w *world) mockServer {
	w.notShown = map[condition]string{
		archived:      "rows of a data set have no state; what a publisher removes is deleted",
		forbidden:     "data sets are named in the configuration, they are no children of a list",
		missingParent: "data sets are named in the configuration, they are no children of a list",
		shortPage:     "a page has as many rows as requested until there are no more",
		errorIn200:    "errors have a status of 400 or above; 202 says that a query is not done yet",
		expiredToken:  "an app token names an application, and has no end",
		oddValue:      "a column without a value is left out of the row, and types are those of the data set",
	}
	s := &socrata{world: w, sets: map[string]*dataSet{
		"ijzp-q8t2": {table: "crimes", date: "date"},
		"r5kz-chrr": {table: "business_licenses", date: "license_start_date"},
	}}
	for i := range 1020 {
		s.add("ijzp-q8t2", i)
	}
	for i := range 1000 { // a whole page, and an empty one after it
		s.add("r5kz-chrr", i)
	}
	return s
}

// add adds a row at the place of its id, which says nothing about its age.
func (s *socrata) add(set string, i int) {
	d := s.sets[set]
	r := &socrataRow{fmt.Sprintf("row-%04x~%04x", i*7919%65536, i), i, s.Now().Add(-time.Hour).Add(time.Duration(i) * time.Millisecond), nil}
	if set == "ijzp-q8t2" {
		r.columns = object{"id": strconv.Itoa(i), "case_number": "JK" + strconv.Itoa(i), "arrest": i%2 == 0}
	} else {
		r.columns = object{"id": strconv.Itoa(i) + "-20260115", "license_number": strconv.Itoa(i)}
	}
	if i%3 != 0 { // an empty column is not in the response
		r.columns["latitude"] = "41.88"
	}
	place, _ := slices.BinarySearchFunc(d.rows, r, func(a, b *socrataRow) int { return cmp.Compare(a.id, b.id) })
	d.rows = slices.Insert(d.rows, place, r)
}

var socrataQuery = regexp.MustCompile(`^SELECT :id, :updated_at, ([\w, ]+) WHERE (\w+) >= '2026-01-01' AND :updated_at >= '([^']+)'(?: AND :id > '([^']+)')? ORDER BY :id$`)

func (s *socrata) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	id := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/api/v3/views/"), "/query.json")
	set, known := s.sets[id]
	var body struct {
		Query string
		Page  struct{ PageNumber, PageSize int }
	}
	err := strictly(r.Body, &body)
	where := socrataQuery.FindStringSubmatch(body.Query)
	s.refuseIf(r.Host != "data.cityofchicago.org" || r.Method != http.MethodPost || !known,
		"no such data set")
	s.refuseIf(r.Header.Get("X-App-Token") != "your-app-token", "Invalid app_token specified")
	s.refuseIf(err != nil || where == nil || where[2] != set.date || body.Page.PageNumber != 1 ||
		body.Page.PageSize < 1, "cannot read the query "+body.Query)
	columns := strings.Split(where[1], ", ")
	since, err := time.Parse(time.RFC3339, where[3])
	s.refuseIf(err != nil, err)
	// the pool of requests is empty; no Retry-After
	failIf(s.count(id) == 2,
		rw, http.StatusTooManyRequests, object{"error": true, "message": "Too many requests"})
	if id == "r5kz-chrr" && s.requests[id] == 1 { // the query takes longer than a response may
		reply(rw, http.StatusAccepted, object{"code": "accepted", "message": "Request processing"})
		return
	}
	if id == "ijzp-q8t2" && s.requests[id] == 3 { // a row of the last page changes after the first page
		set.rows[1010].updated = firstDay.Add(10 * time.Second)
		s.shows(deleted)
		set.gone = set.rows[5]
		set.rows = slices.Delete(set.rows, 5, 6)
	}
	response := []any{}
	for _, row := range set.rows {
		if row.updated.Before(since) || row.id <= where[4] || len(response) == body.Page.PageSize {
			continue
		}
		// the last update of the run before
		s.showsIf(row.updated.Equal(since), tie)
		item := object{":id": row.id, ":updated_at": row.updated.Format(socrataTime), set.date: "2026-01-15T10:00:00.000"}
		for _, name := range columns {
			if v, ok := row.columns[name]; ok {
				item[name] = v
			} else if name == "latitude" {
				s.shows(absentKey)
			}
		}
		response = append(response, item)
	}
	reply(rw, http.StatusOK, response)
}

const socrataTime = "2006-01-02T15:04:05.000Z"

func (s *socrata) nextDay() {
	s.add("ijzp-q8t2", 5000)
	changed := s.sets["r5kz-chrr"].rows[7]
	changed.updated = s.Now()
	changed.columns["license_status"] = "REV"
}

func (s *socrata) expected(day int) tables {
	want := tables{}
	for _, set := range s.sets {
		latest := slices.MaxFunc(set.rows, func(a, b *socrataRow) int { return a.updated.Compare(b.updated) })
		rows := set.rows
		if day == 1 && set.gone != nil {
			rows = append(slices.Clone(rows), set.gone)
		}
		for _, r := range rows {
			if day == 2 && r != latest && !r.updated.Equal(firstDayUpdate(set)) {
				continue
			}
			columns := row{"row_id": r.id, "updated_at": r.updated.Format(socrataTime)}
			if set.table == "crimes" {
				columns["case_number"], columns["arrest"] = "JK"+strconv.Itoa(r.number), map[bool]string{true: "1"}[r.number%2 == 0]
			} else {
				status, _ := r.columns["license_status"].(string)
				columns["license_number"], columns["license_status"] = strconv.Itoa(r.number), status
			}
			want.add(set.table, columns)
		}
	}
	return want
}

// firstDayUpdate is the time of the latest update that the first run has seen: with >=,
// its rows come again.
func firstDayUpdate(set *dataSet) time.Time {
	latest := time.Time{}
	for _, r := range set.rows {
		if r.updated.After(latest) && r.updated.Before(firstDay.Add(12*time.Hour)) {
			latest = r.updated
		}
	}
	return latest
}
