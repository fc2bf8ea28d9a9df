package apis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// mixpanel exports events, and responds to queries of profiles and cohorts. Facts:
// https://docs.mixpanel.com/reference/raw-event-export,
// https://docs.mixpanel.com/reference/event-deduplication,
// https://docs.mixpanel.com/reference/engage-query,
// https://docs.mixpanel.com/reference/cohorts-list,
// https://docs.mixpanel.com/reference/rate-limits.
type mixpanel struct {
	*world
	day      int
	profiles []mixpanelProfile
	sessions map[string]mixpanelSession
	cohorts  []row
}

// mixpanelProfile has properties that the application chooses.
type mixpanelProfile struct {
	id         any
	properties object
}

// mixpanelSession is the result of a query, whose pages are requested later.
type mixpanelSession struct {
	where    string
	profiles []mixpanelProfile
}

const (
	mixpanelPageSize = 1000
	mixpanelFirstDay = "2026-02-01"
)

// mixpanelWhere is the expression of the incremental filter.
var mixpanelWhere = regexp.MustCompile(`^properties\["\$last_seen"\] >= "(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)"$`)

func newMixpanel(w *world) mockServer {
	const pages = "the only children are the pages of a query that the run itself has made"
	w.notShown = map[condition]string{
		forbidden:     pages,
		missingParent: pages,
		shortPage:     "Mixpanel says that a page with fewer profiles than page_size is the last one",
		expiredToken:  "requests have the name and the secret of a service account, there is no token",
	}
	m := &mixpanel{world: w, day: 1, sessions: map[string]mixpanelSession{}}
	for i := range 2*mixpanelPageSize + 300 {
		m.profiles = append(m.profiles, mixpanelProfile{"user-" + strconv.Itoa(i), object{
			"$email": strconv.Itoa(i) + "@example.com", "$name": "Ann \"" + strconv.Itoa(i) + "\"",
			"$created": "2026-01-01T10:00:00", "$last_seen": firstDay.Add(-time.Duration(i) * time.Hour).Format("2006-01-02T15:04:05"), "plan": []string{"a", "b"},
		}})
	}
	m.profiles[3] = mixpanelProfile{4, object{"$email": nil}} // imported, and not seen since
	m.cohorts = []row{
		{"id": "1000", "name": "Cohort One", "description": "", "count": "150", "is_visible": "1"},
		{"id": "2000", "name": "Cohort Two", "description": "hidden", "count": "25", "is_visible": "0"},
	}
	return m
}

func (m *mixpanel) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	user, secret, _ := r.BasicAuth()
	err := r.ParseForm()
	m.refuseIf(err != nil || user != "your-service-account" || secret != "your-service-account-secret" || r.URL.Query().Get("project_id") != "1234567",
		"Invalid credentials, or no project_id")
	switch r.Method + " " + r.Host + r.URL.Path {
	case "GET data.mixpanel.com/api/2.0/export":
		m.export(rw, r)
	case "POST mixpanel.com/api/query/engage":
		m.engage(rw, r)
	case "POST mixpanel.com/api/query/cohorts/list":
		m.listCohorts(rw, r)
	default:
		m.refuse("no such method")
	}
}

// export sends the events of some days, one in a line. An error that comes after the
// status is a line of its own.
func (m *mixpanel) export(rw http.ResponseWriter, r *http.Request) {
	m.refuseIf(m.recent("exports", time.Hour) > 60, "more than 60 queries in an hour")
	m.requests["export"]++
	query := r.URL.Query()
	from, fromErr := time.Parse(time.DateOnly, query.Get("from_date"))
	to, toErr := time.Parse(time.DateOnly, query.Get("to_date"))
	query.Del("project_id")
	query.Del("from_date")
	query.Del("to_date")
	switch n := m.requests["export"]; {
	case fromErr != nil || toErr != nil || to.Before(from) || query.Encode() != "time_in_ms=true":
		m.refuse("wrong parameters")
	case to.After(m.Now()):
		m.refuse("to_date cannot be later than today")
	case n == 2:
		fail(rw, http.StatusTooManyRequests, object{"error": "Project exceeded rate limits. Please wait and try again.", "status": "error"})
	}
	var body bytes.Buffer
	for _, event := range m.events(from, to) {
		line, err := json.Marshal(object{"event": event["event"], "properties": mixpanelProperties(event)})
		if err != nil {
			m.Fatal(err)
		}
		body.Write(append(line, '\n'))
		m.showsIf(event["insert_id"] == "", absentKey)
		// two events have the time at which the last window ended
		m.showsIf(event["time_ms"] == strconv.FormatInt(from.UnixMilli(), 10), tie)
	}
	if m.requests["export"] == 7 { // the export failed after the status was sent
		body.Reset()
		body.WriteString(`{"event":"Signed up","properties":{"time":1,"distinct_id":"lost"}}` + "\nterminated early\n")
		m.shows(errorIn200)
	}
	m.showsIf(m.day == 2 && !to.Before(mixpanelErased), deleted)
	rw.Header().Set("Content-Type", "text/plain")
	if _, err := rw.Write(body.Bytes()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// mixpanelProperties are the properties of an event in JSON. Its own are among them.
func mixpanelProperties(event row) object {
	properties := object{
		"time": json.Number(event["time_ms"]), "distinct_id": event["distinct_id"],
		"mp_processing_time_ms": json.Number(event["processed_ms"]), "$city": "Brno", "Price": nil,
	}
	if event["insert_id"] != "" {
		properties["$insert_id"] = event["insert_id"]
	}
	return properties
}

// Events of two days change: after the first run some are erased on request of a person,
// and others arrive five days late.
var (
	mixpanelErased = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	mixpanelLate   = time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC)
)

// events are those of some days by the names of the columns. Each day begins with two
// events at midnight.
func (m *mixpanel) events(from, to time.Time) (rows []row) {
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		if date.Format(time.DateOnly) < mixpanelFirstDay || date.After(m.Now()) {
			continue
		}
		for i := range 4 {
			if m.day == 1 && date.Equal(mixpanelLate) && i == 3 || m.day == 2 && date.Equal(mixpanelErased) && i == 2 {
				continue
			}
			moment := date.Add(time.Duration(max(0, i-1)) * 1001 * time.Millisecond)
			event := row{
				"event": "Signed up", "distinct_id": "user-" + strconv.Itoa(i), "insert_id": fmt.Sprintf("id%d-%d", date.Unix(), i),
				"time_ms": strconv.FormatInt(moment.UnixMilli(), 10), "processed_ms": strconv.FormatInt(moment.UnixMilli()+900, 10),
			}
			if i == 2 {
				event["insert_id"] = "" // it is older than the library that makes ids
			}
			rows = append(rows, event)
		}
	}
	return rows
}

// engage responds to a query, or sends a page of the result of an earlier one.
func (m *mixpanel) engage(rw http.ResponseWriter, r *http.Request) {
	m.refuseIf(m.recent("queries", time.Hour) > 60, "more than 60 queries in an hour")
	form := r.PostForm
	where, id := form.Get("where"), form.Get("session_id")
	session, known := m.sessions[id]
	page, pageErr := strconv.Atoi(form.Get("page"))
	m.refuseIf(id == "" && (form.Has("page") || form.Has("page_size")),
		"a page needs the session_id of its query")
	switch {
	case id == "":
		profiles, err := m.found(where)
		m.refuseIf(err != nil, err)
		id, page, pageErr = fmt.Sprintf("1769%d-EXAMPL", len(m.sessions)), 0, nil
		session = mixpanelSession{where, profiles}
		m.sessions[id] = session
	case !known || session.where != where || form.Get("page_size") != strconv.Itoa(mixpanelPageSize):
		m.refuse("request for page in uncached query for params")
	}
	m.refuseIf(pageErr != nil, "no page")
	results := []any{}
	start := min(page*mixpanelPageSize, len(session.profiles))
	for _, p := range cut(session.profiles, start, mixpanelPageSize) {
		results = append(results, object{"$distinct_id": p.id, "$properties": p.properties})
		if _, isText := p.id.(string); !isText {
			m.shows(oddValue)
		}
	}
	reply(rw, http.StatusOK, object{"page": page, "page_size": mixpanelPageSize, "session_id": id, "status": "ok", "total": len(session.profiles), "results": results})
}

// found are the profiles that an expression selects. A profile without the property is
// not among them.
func (m *mixpanel) found(where string) ([]mixpanelProfile, error) {
	if where == "" {
		return slices.Clone(m.profiles), nil
	}
	since := mixpanelWhere.FindStringSubmatch(where)
	if since == nil {
		return nil, fmt.Errorf("cannot parse the selector %s", where)
	}
	return without(m.profiles, func(p mixpanelProfile) bool {
		seen, _ := p.properties["$last_seen"].(string)
		return seen < since[1]
	}), nil
}

func (m *mixpanel) listCohorts(rw http.ResponseWriter, r *http.Request) {
	m.refuseIf(m.recent("queries", time.Hour) > 60, "more than 60 queries in an hour")
	all := []any{}
	for _, c := range m.cohorts {
		m.showsIf(c["is_visible"] == "0", archived)
		all = append(all, object{
			"id": json.Number(c["id"]), "name": c["name"], "description": c["description"], "count": json.Number(c["count"]),
			"is_visible": json.Number(c["is_visible"]), "created": "2019-03-19 23:49:51", "project_id": 1234567,
		})
	}
	reply(rw, http.StatusOK, all)
}

func (m *mixpanel) nextDay() {
	m.day = 2
	seen := m.Now().Add(-time.Hour).Format("2006-01-02T15:04:05")
	changed := maps.Clone(m.profiles[7].properties)
	changed["$email"], changed["$last_seen"] = "new@example.com", seen
	m.profiles[7].properties = changed
	m.profiles = append(m.profiles, mixpanelProfile{"user-new", object{"$last_seen": seen}})
	m.cohorts[0]["count"] = "151"
}

func (m *mixpanel) expected(day int) tables {
	today := firstDay.Truncate(24*time.Hour).AddDate(0, 0, day-1)
	from, where := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), ""
	if day == 2 { // the day since the last run and the six before it, and who was seen since the last one of them
		from = today.AddDate(0, 0, -7)
		where = fmt.Sprintf("properties[%q] >= %q", "$last_seen", firstDay.Format("2006-01-02T15:04:05"))
	}
	found, err := m.found(where)
	if err != nil {
		m.Error(err)
	}
	want := tables{"events": m.events(from, today.AddDate(0, 0, -1)), "cohorts": m.cohorts}
	for _, event := range want["events"] {
		text, err := json.Marshal(mixpanelProperties(event))
		if err != nil {
			m.Error(err)
		}
		event["properties"] = string(text)
	}
	for _, p := range found {
		r := row{"distinct_id": fmt.Sprint(p.id)}
		for column, name := range map[string]string{"email": "$email", "name": "$name", "last_seen": "$last_seen"} {
			if v, ok := p.properties[name].(string); ok {
				r[column] = v
			} else {
				r[column] = ""
			}
		}
		want.add("profiles", r)
	}
	return want
}
