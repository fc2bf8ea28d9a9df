package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// searchConsole counts clicks in search results, by the days of Los Angeles.
type searchConsole struct {
	googleAccount
	final   time.Time // the last day that is final
	limited time.Time // until when all requests are refused
}

// searchConsoleStart is the first day with data, and on searchConsoleBusyDay there are
// more queries than a page has. Nothing was found on searchConsoleQuietDay.
var (
	searchConsoleStart    = time.Date(2026, 2, 9, 0, 0, 0, 0, time.UTC)
	searchConsoleBusyDay  = time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC)
	searchConsoleQuietDay = time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
)

func newSearchConsole(w *world) mockServer {
	const parents = "all reports are of the property itself, nothing in them has children"
	w.notShown = map[condition]string{
		deleted:       "Google keeps the rows of a day that is final for 16 months",
		archived:      "reports count clicks, which are neither archived nor paused",
		forbidden:     parents,
		missingParent: parents,
		shortPage:     "a page has as many rows as rowLimit says while there are rows left",
		errorIn200:    "Google reports errors with their own status",
	}
	// 6:00 UTC on 2 March is 1 March in Los Angeles. The data of seven days is not final:
	// it is late.
	return &searchConsole{googleAccount: newGoogleAccount(w, "webmasters.readonly"), final: time.Date(2026, 2, 22, 0, 0, 0, 0, time.UTC)}
}

func (s *searchConsole) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !s.admit(rw, r) {
		return
	}
	path := "/webmasters/v3/sites/" + url.QueryEscape(address("www.your-company.com", "/")) + "/searchAnalytics/query"
	s.refuseIf(r.Method != http.MethodPost || r.Host != "searchconsole.googleapis.com" ||
		r.URL.EscapedPath() != path || r.URL.RawQuery != "", "User does not have sufficient permission for site")
	var request struct {
		StartDate, EndDate string
		Dimensions         []string
		RowLimit, StartRow int
	}
	err := strictly(r.Body, &request)
	from, fromErr := time.Parse(time.DateOnly, request.StartDate)
	to, toErr := time.Parse(time.DateOnly, request.EndDate)
	s.refuseIf(err != nil || fromErr != nil || toErr != nil || to.Before(from) ||
		request.RowLimit < 1 || request.RowLimit > 25000,
		fmt.Sprintf("wrong request %+v: %v, %v, %v", request, err, fromErr, toErr))
	if s.count("") == 4 { // the load of ten minutes
		s.limited = s.Now().Add(15 * time.Minute)
	}
	switch {
	case s.requests[""] == 2:
		googleError(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Search Analytics QPS quota exceeded.")
	case s.Now().Before(s.limited):
		s.refusedAgain(fmt.Sprint(request), s.limited)
		message := "Search Analytics load quota exceeded. Learn about usage limits."
		fail(rw, http.StatusForbidden, object{"error": object{"code": 403, "message": message, "errors": []any{object{"domain": "usageLimits", "reason": "quotaExceeded", "message": message}}}})
	}
	dimensions := strings.Join(request.Dimensions, ",")
	s.refuseIf(dimensions != "date" && to.After(from),
		"rows beyond the 50,000 of a request are left out: request one day")
	rows := s.rows(dimensions, from, to)
	start, end := min(request.StartRow, len(rows)), min(request.StartRow+request.RowLimit, len(rows))
	body := object{"responseAggregationType": "byProperty"}
	if start < end {
		var page []any
		for _, found := range rows[start:end] {
			page = append(page, s.item(request.Dimensions, found))
		}
		body["rows"] = page
	} else {
		s.shows(absentKey) // an empty list is left out
	}
	s.showsIf(start < end && end < len(rows) && rows[end-1]["clicks"] == rows[end]["clicks"], tie)
	reply(rw, http.StatusOK, body)
}

func (s *searchConsole) item(dimensions []string, found row) object {
	var keys []string
	for _, dimension := range dimensions {
		keys = append(keys, found[dimension])
	}
	s.showsIf(found["country"] == "zzz", oddValue)
	item := object{"keys": keys}
	for _, metric := range []string{"clicks", "impressions", "ctr", "position"} {
		item[metric] = json.Number(found[metric])
	}
	return item
}

// rows are those of some days, as far as they are final, with the most clicks first.
// Queries of few people are not among them, but their clicks are in those of the day.
func (s *searchConsole) rows(dimensions string, from, to time.Time) (rows []row) {
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		if date.Before(searchConsoleStart) || date.After(s.final) || date.Equal(searchConsoleQuietDay) {
			continue
		}
		metrics := func(clicks int) row {
			return row{"date": date.Format(time.DateOnly), "clicks": strconv.Itoa(clicks), "impressions": strconv.Itoa(8 * clicks), "ctr": "0.125", "position": "3.5"}
		}
		switch dimensions {
		case "date":
			rows = append(rows, metrics(100000))
		case "date,query,country":
			size := 3
			if date.Equal(searchConsoleBusyDay) {
				size = 25003
			}
			for i := range size {
				r := metrics((size - i) / 6)
				r["query"], r["country"] = "query ď "+strconv.Itoa(i/2), []string{"cze", "zzz"}[i%2] // zzz: not known
				rows = append(rows, r)
			}
		case "date,page,device":
			for i, device := range []string{"MOBILE", "DESKTOP", "TABLET"} {
				r := metrics(3 - i)
				r["page"], r["device"] = address("www.your-company.com", "/a?b=č#"+strconv.Itoa(i/2)), device
				rows = append(rows, r)
			}
		default:
			s.Errorf("dimensions %s", dimensions)
		}
	}
	return rows
}

func (s *searchConsole) nextDay() {
	s.final = s.final.AddDate(0, 0, 5)
}

func (s *searchConsole) expected(day int) tables {
	from := searchConsoleStart
	if day == 2 { // the first run ended before 1 March
		from = time.Date(2026, 2, 19, 0, 0, 0, 0, time.UTC)
	}
	return tables{
		"days":    s.rows("date", from, s.final),
		"queries": s.rows("date,query,country", from, s.final),
		"pages":   s.rows("date,page,device", from, s.final),
	}
}
