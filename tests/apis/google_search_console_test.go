package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// searchConsole counts clicks in search results, by the days of Los Angeles. Facts:
// https://developers.google.com/webmaster-tools/v1/searchanalytics/query,
// https://developers.google.com/webmaster-tools/v1/how-tos/all-your-data,
// https://developers.google.com/webmaster-tools/limits.
type searchConsole struct {
	googleAccount
	final time.Time // the last day that is final
}

// searchConsoleStart is the first day with data.
var searchConsoleStart = time.Date(2026, 2, 9, 0, 0, 0, 0, time.UTC)

func newSearchConsole(w *world) imitation {
	// 6:00 UTC on 2 March is 1 March in Los Angeles. The data of three days is not final.
	return &searchConsole{newGoogleAccount(w, "webmasters.readonly"), time.Date(2026, 2, 26, 0, 0, 0, 0, time.UTC)}
}

func (s *searchConsole) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.admit(rw, r) {
		return
	}
	path := "/webmasters/v3/sites/" + url.QueryEscape(address("www.your-company.com", "/")) + "/searchAnalytics/query"
	if r.Method != http.MethodPost || r.Host != "searchconsole.googleapis.com" || r.URL.EscapedPath() != path || r.URL.RawQuery != "" {
		s.refuse(rw, r, http.StatusNotFound, "no such site")
		return
	}
	s.requests[""]++
	switch s.requests[""] {
	case 2:
		googleError(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Search Analytics QPS quota exceeded.")
		return
	case 4:
		googleError(rw, http.StatusForbidden, "PERMISSION_DENIED", "Search Analytics load quota exceeded. Learn about usage limits.")
		return
	}
	var request struct {
		StartDate, EndDate string
		Dimensions         []string
		RowLimit, StartRow int
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&request)
	date, dateErr := time.Parse(time.DateOnly, request.StartDate)
	if err != nil || dateErr != nil || request.EndDate != request.StartDate || request.RowLimit < 1 || request.RowLimit > 25000 {
		s.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("wrong request %+v: %v, %v", request, err, dateErr))
		return
	}
	body := map[string]any{"responseAggregationType": "byProperty"}
	var rows []any
	for _, found := range s.rows(strings.Join(request.Dimensions, ","), date, date) {
		var keys []string
		for _, dimension := range request.Dimensions {
			keys = append(keys, found[dimension])
		}
		item := map[string]any{"keys": keys}
		for _, metric := range []string{"clicks", "impressions", "ctr", "position"} {
			item[metric] = json.Number(found[metric])
		}
		rows = append(rows, item)
	}
	if page := rows[min(request.StartRow, len(rows)):min(request.StartRow+request.RowLimit, len(rows))]; len(page) > 0 {
		body["rows"] = page
	}
	reply(rw, http.StatusOK, body)
}

// rows are those of some days, as far as they are final. One day has more than a page.
func (s *searchConsole) rows(dimensions string, from, to time.Time) (rows []row) {
	names := strings.Split(dimensions, ",")
	if !slices.Contains([]string{"date,query,country", "date,page,device"}, dimensions) {
		s.Errorf("dimensions %s", dimensions)
	}
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		size := 3
		switch {
		case date.Before(searchConsoleStart) || date.After(s.final) || date.Day() == 20:
			continue
		case date.Day() == 10 && names[1] == "query":
			size = 25003
		}
		for i := range size {
			r := row{"date": date.Format(time.DateOnly), "clicks": strconv.Itoa(size - i), "impressions": strconv.Itoa(7 * size), "ctr": "0.125", "position": "3.5"}
			r[names[1]], r[names[2]] = names[1]+" ď "+strconv.Itoa(i/2), names[2]+strconv.Itoa(i%2)
			rows = append(rows, r)
		}
	}
	return rows
}

func (s *searchConsole) nextDay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.final = s.final.AddDate(0, 0, 1)
}

func (s *searchConsole) expected(day int) tables {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := searchConsoleStart
	if day == 2 { // the first run ended before 1 March
		from = time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC)
	}
	return tables{"queries": s.rows("date,query,country", from, s.final), "pages": s.rows("date,page,device", from, s.final)}
}
