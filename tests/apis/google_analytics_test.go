package apis

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// googleAnalytics computes reports.
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
// of other days have no rows. On gaBusyDay more pages were viewed than a response has.
var (
	gaStart    = time.Date(2025, 12, 30, 0, 0, 0, 0, time.UTC)
	gaPagesEnd = time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
	gaBusyDay  = time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)
)

// gaReports are the reports by their tables. All of their dimensions and metrics are
// compatible. Metadata is what Google says about the whole report.
var gaReports = map[string]struct {
	dimensions, metrics []string
	metadata            object
}{
	"days": {
		[]string{"date"},
		[]string{"activeUsers", "newUsers", "sessions", "engagedSessions", "screenPageViews", "keyEvents", "totalRevenue"},
		nil,
	},
	"traffic": {
		[]string{"date", "sessionDefaultChannelGroup", "sessionSource", "sessionMedium", "sessionCampaignName", "country"},
		[]string{"sessions", "engagedSessions", "totalUsers", "newUsers", "keyEvents", "totalRevenue"},
		object{"subjectToThresholding": true},
	},
	"pages": {
		[]string{"date", "pagePath"},
		[]string{"screenPageViews", "activeUsers", "eventCount", "keyEvents"},
		object{"dataLossFromOtherRow": true},
	},
	"events": {
		[]string{"date", "eventName"},
		[]string{"eventCount", "keyEvents", "totalUsers", "totalRevenue"},
		object{"samplingMetadatas": []any{object{"samplesReadCount": "9917254", "samplingSpaceSize": "30000000"}}},
	},
}

func newGoogleAnalytics(w *world) mockServer {
	const parents = "all reports are of the property itself, nothing in them has children"
	w.notShown = map[condition]string{
		archived:      "reports count events, which are neither archived nor paused",
		forbidden:     parents,
		missingParent: parents,
		shortPage:     "a page has as many rows as the limit says while there are rows left",
		errorIn200:    "Google reports errors with their own status",
	}
	return &googleAnalytics{googleAccount: newGoogleAccount(w, "analytics.readonly"), day: 1}
}

func (g *googleAnalytics) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !g.admit(rw, r) {
		return
	}
	g.refuseIf(r.Method != http.MethodPost || r.Host != "analyticsdata.googleapis.com" ||
		r.URL.String() != "/v1beta/properties/123456789:runReport", "no such method")
	g.requests[""]++
	if n := g.requests[""]; n == 2 || n > 20 && n <= 23 { // the tokens of an hour are used up, twice
		googleError(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Exhausted property tokens for a project per hour. These quota tokens will return in under an hour.")
	}
	var request gaRequest
	g.refuseError(strictly(r.Body, &request))
	table, err := gaTable(request)
	g.refuseIf(err != nil, err)
	g.report(rw, r, table, request)
}

// gaTable is the table of a report. Only the reports of the configuration are known.
func gaTable(request gaRequest) (string, error) {
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
	switch {
	case len(request.DateRanges) != 1 || request.Limit < 1 || request.Limit > 250000:
		return "", fmt.Errorf("wrong request: %+v", request)
	case len(dimensions) > 9 || len(metrics) < 1 || len(metrics) > 10:
		return "", fmt.Errorf("%d dimensions and %d metrics", len(dimensions), len(metrics))
	case !slices.Equal(orders, dimensions):
		return "", fmt.Errorf("rows may move between the pages: ordered by %q", orders)
	}
	for table, report := range gaReports {
		if slices.Equal(dimensions, report.dimensions) && slices.Equal(metrics, report.metrics) {
			return table, nil
		}
	}
	return "", fmt.Errorf("no such report: %+v", request)
}

// report sends a page of a report. Empty fields are not in the response.
func (g *googleAnalytics) report(rw http.ResponseWriter, r *http.Request, table string, request gaRequest) {
	from, err := time.Parse(time.DateOnly, request.DateRanges[0].StartDate)
	to, toErr := time.Parse(time.DateOnly, request.DateRanges[0].EndDate)
	g.refuseIf(err != nil || toErr != nil || to.Before(from),
		fmt.Sprintf("wrong dates %+v", request.DateRanges))
	report := gaReports[table]
	heads := func(names []string) (list []any) {
		for _, n := range names {
			list = append(list, object{"name": n})
		}
		return list
	}
	metadata := object{"currencyCode": "EUR", "timeZone": "Etc/UTC"}
	body := object{
		"kind":             "analyticsData#runReport",
		"dimensionHeaders": heads(report.dimensions),
		"metricHeaders":    heads(report.metrics),
		"metadata":         metadata,
	}
	rows := g.rows(table, from, to)
	if len(rows) > 0 {
		body["rowCount"] = len(rows)
		for name, v := range report.metadata {
			metadata[name] = v
		}
	} else {
		g.shows(absentKey)
	}
	start, end := min(request.Offset, len(rows)), min(request.Offset+request.Limit, len(rows))
	if start < end {
		var page []any
		for _, found := range rows[start:end] {
			page = append(page, object{"dimensionValues": gaValues(report.dimensions, found), "metricValues": gaValues(report.metrics, found)})
		}
		body["rows"] = page
		g.noteConditions(table, rows, start, end)
	}
	reply(rw, http.StatusOK, body)
}

func gaValues(columns []string, found row) (list []any) {
	for _, c := range columns {
		list = append(list, object{"value": found[c]})
	}
	return list
}

func (g *googleAnalytics) noteConditions(table string, rows []row, start, end int) {
	g.showsIf(end < len(rows) && rows[end-1]["date"] == rows[end]["date"], tie)
	for _, found := range rows[start:end] {
		if path, ok := found["pagePath"]; ok && path == "" {
			g.shows(oddValue)
		}
	}
	// the rows of the last days are fewer than on the first day
	g.showsIf(table == "traffic" && g.day == 2, deleted)
}

// rows are those of some days by the names of the API. The metrics of the last days still
// change, and a row of them disappears.
func (g *googleAnalytics) rows(table string, from, to time.Time) (rows []row) {
	report := gaReports[table]
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		if date.Before(gaStart) || table == "pages" && date.After(gaPagesEnd) {
			continue
		}
		isChanging := g.day == 2 && date.After(firstDay.AddDate(0, 0, -6))
		size := 3
		switch {
		case table == "days":
			size = 1
		case table == "pages" && date.Equal(gaBusyDay):
			size = 100100
		case table == "traffic" && isChanging:
			size = 2
		}
		for i := range size {
			r := row{}
			for _, d := range report.dimensions {
				r[d] = gaDimension(d, i, size)
			}
			r["date"] = date.Format("20060102")
			for k, m := range report.metrics {
				r[m] = strconv.Itoa(i + k)
				if isChanging {
					r[m] = strconv.Itoa(1000 + i + k)
				}
			}
			if _, ok := r["totalRevenue"]; ok {
				r["totalRevenue"] = strconv.Itoa(i) + ".95"
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// gaDimension is the value of a dimension in row i of n of a day. Paths may be empty, and
// names unknown. What is too much for a day is in one row.
func gaDimension(name string, i, n int) string {
	switch {
	case name == "pagePath" && i == 0:
		return ""
	case name == "pagePath" && i == n-1:
		return "(other)"
	case name == "sessionCampaignName" && i == 0:
		return "(not set)"
	}
	return name + " ď " + strconv.Itoa(i)
}

func (g *googleAnalytics) nextDay() {
	g.day = 2
}

func (g *googleAnalytics) expected(day int) tables {
	today := firstDay.Truncate(24*time.Hour).AddDate(0, 0, day-1)
	from := gaStart
	if day == 2 { // the day since the last run, and the seven before it
		from = today.AddDate(0, 0, -8)
	}
	about := map[string]row{
		"traffic": {"subject_to_thresholding": "1", "data_loss_from_other_row": ""},
		"pages":   {"data_loss_from_other_row": "1", "samples_read": ""},
		"events":  {"samples_read": "9917254", "sampling_space": "30000000", "subject_to_thresholding": ""},
	}
	want := tables{"pages": nil}
	for table := range gaReports {
		from := from
		if table == "pages" && day == 2 { // the last window that had rows ended on 24 February
			from = time.Date(2026, 2, 18, 0, 0, 0, 0, time.UTC)
		}
		for _, found := range g.rows(table, from, today.AddDate(0, 0, -1)) {
			r := row{}
			for name, v := range found {
				r[snakeCase(name)] = v
			}
			for name, v := range about[table] {
				r[name] = v
			}
			want.add(table, r)
		}
	}
	return want
}

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
