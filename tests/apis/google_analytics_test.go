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

// googleAnalytics computes reports. Facts:
// https://developers.google.com/analytics/devguides/reporting/data/v1/rest/v1beta/properties/runReport,
// https://developers.google.com/analytics/devguides/reporting/data/v1/rest/v1beta/RunReportResponse,
// https://developers.google.com/analytics/devguides/reporting/data/v1/quotas.
type googleAnalytics struct {
	googleAccount
	day int
}

// gaRequest is what the configuration may send.
type gaRequest struct {
	DateRanges          []struct{ StartDate, EndDate string }
	Dimensions, Metrics []struct{ Name string }
	OrderBys            []struct {
		Dimension struct{ DimensionName string }
	}
	Limit, Offset int
}

// The property was created at gaStart, and no page was viewed after gaPagesEnd. Reports
// of other days have no rows; on the second day this is each report of pages.
var (
	gaStart    = time.Date(2025, 12, 30, 0, 0, 0, 0, time.UTC)
	gaPagesEnd = time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
)

// gaReports are the reports by their first metric, with the rows of a day in January 2026
// (more than a page for the month); other days have two.
var gaReports = map[string]struct {
	table               string
	dimensions, metrics []string
	rows                int
}{
	"sessions":        {"traffic", []string{"date", "sessionSource", "sessionMedium", "country"}, []string{"sessions", "engagedSessions", "totalUsers", "newUsers"}, 2},
	"screenPageViews": {"pages", []string{"date", "pagePath"}, []string{"screenPageViews", "activeUsers", "eventCount"}, 330},
}

func newGoogleAnalytics(w *world) imitation {
	return &googleAnalytics{googleAccount: newGoogleAccount(w, "analytics.readonly"), day: 1}
}

func (g *googleAnalytics) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.admit(rw, r) {
		return
	}
	if r.Method != http.MethodPost || r.Host != "analyticsdata.googleapis.com" || r.URL.String() != "/v1beta/properties/123456789:runReport" {
		g.refuse(rw, r, http.StatusNotFound, "no such method")
		return
	}
	g.requests[""]++
	if n := g.requests[""]; n == 2 || n > 20 && n <= 23 { // the tokens of an hour are used up, twice
		googleError(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Exhausted property tokens for a project per hour.")
		return
	}
	var request gaRequest
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		g.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	rows, err := g.report(request)
	if err != nil {
		g.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	body := map[string]any{"metadata": map[string]any{"timeZone": "Etc/UTC"}, "kind": "analyticsData#runReport"}
	heads := func(names []struct{ Name string }) (list []any) {
		for _, n := range names {
			list = append(list, map[string]any{"name": n.Name})
		}
		return list
	}
	body["dimensionHeaders"], body["metricHeaders"] = heads(request.Dimensions), heads(request.Metrics)
	if len(rows) > 0 { // empty fields are not in the answer
		body["rowCount"] = len(rows)
	}
	if page := rows[min(request.Offset, len(rows)):min(request.Offset+request.Limit, len(rows))]; len(page) > 0 {
		body["rows"] = page
	}
	reply(rw, http.StatusOK, body)
}

// report returns all rows of a report.
func (g *googleAnalytics) report(request gaRequest) ([]any, error) {
	if len(request.DateRanges) != 1 || len(request.Metrics) == 0 || request.Limit < 1 || request.Limit > 250000 {
		return nil, fmt.Errorf("wrong request: %+v", request)
	}
	report := gaReports[request.Metrics[0].Name]
	var dimensions, metrics, orders []string
	for _, d := range request.Dimensions {
		dimensions = append(dimensions, d.Name)
	}
	for _, m := range request.Metrics {
		metrics = append(metrics, m.Name)
	}
	for _, o := range request.OrderBys {
		orders = append(orders, o.Dimension.DimensionName)
	}
	if !slices.Equal(dimensions, report.dimensions) || !slices.Equal(metrics, report.metrics) || !slices.Equal(orders, dimensions) {
		return nil, fmt.Errorf("no such report: %+v", request)
	}
	from, err := time.Parse(time.DateOnly, request.DateRanges[0].StartDate)
	if err != nil {
		return nil, err
	}
	to, err := time.Parse(time.DateOnly, request.DateRanges[0].EndDate)
	if err != nil || to.Before(from) {
		return nil, fmt.Errorf("wrong dates %+v (%v)", request.DateRanges, err)
	}
	values := func(columns []string, r row) (list []any) {
		for _, c := range columns {
			list = append(list, map[string]any{"value": r[c]})
		}
		return list
	}
	var rows []any
	for _, r := range g.rows(report.dimensions, report.metrics, report.rows, from, to) {
		rows = append(rows, map[string]any{"dimensionValues": values(dimensions, r), "metricValues": values(metrics, r)})
	}
	return rows, nil
}

// rows are those of some days by the names of the API. The last days still change.
func (g *googleAnalytics) rows(dimensions, metrics []string, n int, from, to time.Time) (rows []row) {
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		if date.Before(gaStart) || date.After(gaPagesEnd) && slices.Contains(dimensions, "pagePath") {
			continue
		}
		size := 2
		if date.Month() == time.January {
			size = n
		}
		for i := range size {
			r := row{}
			for _, d := range dimensions {
				r[d] = d + " " + strconv.Itoa(i)
			}
			r["date"] = date.Format("20060102")
			for k, m := range metrics {
				r[m] = strconv.Itoa(i + k)
				if g.day == 2 && date.After(firstDay.AddDate(0, 0, -3)) {
					r[m] = strconv.Itoa(1000 + i + k)
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func (g *googleAnalytics) nextDay() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.day = 2
}

func (g *googleAnalytics) expected(day int) tables {
	g.mu.Lock()
	defer g.mu.Unlock()
	today := firstDay.Truncate(24*time.Hour).AddDate(0, 0, day-1)
	from := gaStart
	if day == 2 { // the day since the last run, and the three before it
		from = today.AddDate(0, 0, -4)
	}
	want := tables{"pages": nil}
	for _, report := range gaReports {
		for _, r := range g.rows(report.dimensions, report.metrics, report.rows, from, today.AddDate(0, 0, -1)) {
			column := row{}
			for name, v := range r {
				column[snakeCase(name)] = v
			}
			want[report.table] = append(want[report.table], column)
		}
	}
	return want
}

// snakeCase is the name of the column for a field in camel case.
func snakeCase(name string) string {
	var b strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
