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

// mixpanel exports events, and answers queries of profiles and cohorts. Facts:
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
	// exports and queries are the times of the last requests to both APIs.
	exports, queries []time.Time
}

// mixpanelProfile has properties that the application chooses.
type mixpanelProfile struct {
	id         any
	properties map[string]any
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

func newMixpanel(w *world) imitation {
	m := &mixpanel{world: w, day: 1, sessions: map[string]mixpanelSession{}}
	for i := range 2*mixpanelPageSize + 300 {
		m.profiles = append(m.profiles, mixpanelProfile{"user-" + strconv.Itoa(i), map[string]any{
			"$email": strconv.Itoa(i) + "@example.com", "$name": "Ann \"" + strconv.Itoa(i) + "\"",
			"$created": "2026-01-01T10:00:00", "$last_seen": firstDay.Add(-time.Duration(i) * time.Hour).Format("2006-01-02T15:04:05"), "plan": []string{"a", "b"},
		}})
	}
	m.profiles[3] = mixpanelProfile{4, map[string]any{"$email": nil}} // imported, and not seen since
	m.cohorts = []row{
		{"id": "1000", "name": "Cohort One", "description": "", "count": "150", "is_visible": "1"},
		{"id": "2000", "name": "Cohort Two", "description": "hidden", "count": "25", "is_visible": "0"},
	}
	return m
}

func (m *mixpanel) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	user, secret, _ := r.BasicAuth()
	if err := r.ParseForm(); err != nil || user != "your-service-account" || secret != "your-service-account-secret" || r.URL.Query().Get("project_id") != "1234567" {
		m.refuse(rw, r, http.StatusUnauthorized, "Invalid credentials, or no project_id")
		return
	}
	switch r.Method + " " + r.Host + r.URL.Path {
	case "GET data.mixpanel.com/api/2.0/export":
		m.export(rw, r)
	case "POST mixpanel.com/api/query/engage":
		m.engage(rw, r)
	case "POST mixpanel.com/api/query/cohorts/list":
		m.listCohorts(rw, r)
	default:
		m.refuse(rw, r, http.StatusNotFound, "no such method")
	}
}

// mayQuery counts a request, and reports whether there are not more than 60 in an hour.
func (m *mixpanel) mayQuery(rw http.ResponseWriter, r *http.Request, times *[]time.Time) bool {
	now := m.Now()
	*times = slices.DeleteFunc(append(*times, now), func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	if len(*times) > 60 {
		m.refuse(rw, r, http.StatusTooManyRequests, "more than 60 queries in an hour")
		return false
	}
	return true
}

// export sends the events of some days, one in a line. An error that comes after the
// status is a line of its own.
func (m *mixpanel) export(rw http.ResponseWriter, r *http.Request) {
	if !m.mayQuery(rw, r, &m.exports) {
		return
	}
	m.requests["export"]++
	query := r.URL.Query()
	from, fromErr := time.Parse(time.DateOnly, query.Get("from_date"))
	to, toErr := time.Parse(time.DateOnly, query.Get("to_date"))
	query.Del("project_id")
	query.Del("from_date")
	query.Del("to_date")
	switch n := m.requests["export"]; {
	case fromErr != nil || toErr != nil || to.Before(from) || query.Encode() != "time_in_ms=true":
		m.refuse(rw, r, http.StatusBadRequest, "wrong parameters")
		return
	case to.After(m.Now()):
		m.refuse(rw, r, http.StatusBadRequest, "to_date cannot be later than today")
		return
	case n == 2:
		reply(rw, http.StatusTooManyRequests, map[string]any{"error": "Project exceeded rate limits. Please wait and try again.", "status": "error"})
		return
	}
	var body bytes.Buffer
	for _, event := range m.events(from, to) {
		line, err := json.Marshal(map[string]any{"event": event["event"], "properties": mixpanelProperties(event)})
		if err != nil {
			m.Fatal(err)
		}
		body.Write(append(line, '\n'))
		if event["insert_id"] == "" {
			m.shows(absentKey)
		}
		if event["time_ms"] == strconv.FormatInt(from.UnixMilli(), 10) {
			m.shows(tie) // two events have the time at which the last window ended
		}
	}
	if m.requests["export"] == 7 { // the export failed after the status was sent
		body.Reset()
		body.WriteString(`{"event":"Signed up","properties":{"time":1,"distinct_id":"lost"}}` + "\nterminated early\n")
		m.shows(errorIn200)
	}
	if m.day == 2 && !to.Before(mixpanelErased) {
		m.shows(deleted)
	}
	rw.Header().Set("Content-Type", "text/plain")
	if _, err := rw.Write(body.Bytes()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// mixpanelProperties are the properties of an event in JSON. Its own are among them.
func mixpanelProperties(event row) map[string]any {
	properties := map[string]any{
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
	if !m.mayQuery(rw, r, &m.queries) {
		return
	}
	form := r.PostForm
	where, id := form.Get("where"), form.Get("session_id")
	session, known := m.sessions[id]
	page, pageErr := strconv.Atoi(form.Get("page"))
	switch {
	case id == "" && (form.Has("page") || form.Has("page_size")):
		m.refuse(rw, r, http.StatusBadRequest, "a page needs the session_id of its query")
		return
	case id == "":
		profiles, err := m.found(where)
		if err != nil {
			m.refuse(rw, r, http.StatusBadRequest, err.Error())
			return
		}
		id, page, pageErr = fmt.Sprintf("1769%d-EXAMPL", len(m.sessions)), 0, nil
		session = mixpanelSession{where, profiles}
		m.sessions[id] = session
	case !known || session.where != where || form.Get("page_size") != strconv.Itoa(mixpanelPageSize):
		m.refuse(rw, r, http.StatusBadRequest, "request for page in uncached query for params")
		return
	}
	if pageErr != nil {
		m.refuse(rw, r, http.StatusBadRequest, "no page")
		return
	}
	results := []any{}
	start := min(page*mixpanelPageSize, len(session.profiles))
	for _, p := range session.profiles[start:min(start+mixpanelPageSize, len(session.profiles))] {
		results = append(results, map[string]any{"$distinct_id": p.id, "$properties": p.properties})
		if _, isText := p.id.(string); !isText {
			m.shows(oddValue)
		}
	}
	reply(rw, http.StatusOK, map[string]any{"page": page, "page_size": mixpanelPageSize, "session_id": id, "status": "ok", "total": len(session.profiles), "results": results})
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
	return slices.DeleteFunc(slices.Clone(m.profiles), func(p mixpanelProfile) bool {
		seen, _ := p.properties["$last_seen"].(string)
		return seen < since[1]
	}), nil
}

func (m *mixpanel) listCohorts(rw http.ResponseWriter, r *http.Request) {
	if !m.mayQuery(rw, r, &m.queries) {
		return
	}
	all := []any{}
	for _, c := range m.cohorts {
		if c["is_visible"] == "0" {
			m.shows(archived)
		}
		all = append(all, map[string]any{
			"id": json.Number(c["id"]), "name": c["name"], "description": c["description"], "count": json.Number(c["count"]),
			"is_visible": json.Number(c["is_visible"]), "created": "2019-03-19 23:49:51", "project_id": 1234567,
		})
	}
	reply(rw, http.StatusOK, all)
}

func (m *mixpanel) nextDay() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.day = 2
	seen := m.Now().Add(-time.Hour).Format("2006-01-02T15:04:05")
	changed := maps.Clone(m.profiles[7].properties)
	changed["$email"], changed["$last_seen"] = "new@example.com", seen
	m.profiles[7].properties = changed
	m.profiles = append(m.profiles, mixpanelProfile{"user-new", map[string]any{"$last_seen": seen}})
	m.cohorts[0]["count"] = "151"
}

func (*mixpanel) notShown() map[condition]string {
	const pages = "the only children are the pages of a query that the run itself has made"
	return map[condition]string{
		forbidden:     pages,
		missingParent: pages,
		shortPage:     "Mixpanel says that a page with fewer profiles than page_size is the last one",
		expiredToken:  "requests have the name and the secret of a service account, there is no token",
	}
}

func (m *mixpanel) expected(day int) tables {
	m.mu.Lock()
	defer m.mu.Unlock()
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
		want["profiles"] = append(want["profiles"], r)
	}
	return want
}
