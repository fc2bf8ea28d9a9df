package apis

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// ecb answers queries of series in CSV, and has nothing to say when nothing was updated.
// Facts: https://data.ecb.europa.eu/help/api/data, https://data.ecb.europa.eu/help/api/status-codes,
// https://data.ecb.europa.eu/help/data-examples. That its limit of requests is an HTML page
// with status 400: https://cran.r-project.org/web/packages/readecb/news/news.html.
type ecb struct {
	*world
	queries map[string]*ecbQuery // by the end of the path
}

type ecbQuery struct {
	table, header, line string
	observations        []observation
}

type observation struct {
	series, period, value string
	updated               time.Time
}

func newECB(w *world) imitation {
	e := &ecb{world: w, queries: map[string]*ecbQuery{
		"EXR/D..EUR.SP00.A": {
			table:  "exchange_rates",
			header: "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE",
			line:   "EXR.D.%[1]s.EUR.SP00.A,D,%[1]s,EUR,SP00,A,%[2]s,%[3]s",
		},
		"FM/B.U2.EUR.4F.KR.MRR_FR+DFR.LEV": {
			table:  "key_interest_rates",
			header: "KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM,TIME_PERIOD,OBS_VALUE",
			line:   "FM.B.U2.EUR.4F.KR.%[1]s.LEV,B,U2,EUR,4F,KR,%[1]s,LEV,%[2]s,%[3]s",
		},
	}}
	rates := e.queries["EXR/D..EUR.SP00.A"]
	for _, currency := range []string{"CZK", "JPY", "USD"} {
		for at := time.Date(2024, 12, 30, 0, 0, 0, 0, time.UTC); at.Before(firstDay.AddDate(0, 0, -1)); at = at.AddDate(0, 0, 1) {
			rates.add(currency, at, fmt.Sprint(at.Day()), at.Add(15*time.Hour))
		}
	}
	keyRates := e.queries["FM/B.U2.EUR.4F.KR.MRR_FR+DFR.LEV"]
	for _, rate := range []string{"DFR", "MRR_FR"} {
		at := time.Date(2025, 6, 11, 0, 0, 0, 0, time.UTC)
		keyRates.add(rate, at, "2.15", at)
	}
	return e
}

func (q *ecbQuery) add(series string, period time.Time, value string, updated time.Time) {
	q.observations = append(q.observations, observation{series, period.Format(time.DateOnly), value, updated})
}

func (e *ecb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/service/data/")
	q, known := e.queries[path]
	query := r.URL.Query()
	after, err := time.Time{}, error(nil)
	if query.Has("updatedAfter") {
		after, err = time.Parse(time.RFC3339, query.Get("updatedAfter"))
		query.Del("updatedAfter")
	}
	switch {
	case r.Host != "data-api.ecb.europa.eu" || r.Method != http.MethodGet || !known:
		e.refuse(rw, r, http.StatusNotFound, "no such series")
		return
	case err != nil || query.Encode() != "detail=dataonly&format=csvdata&startPeriod=2025-01-01":
		e.refuse(rw, r, http.StatusBadRequest, "syntax error")
		return
	}
	e.requests[path]++
	switch e.requests[path] {
	case 1: // too many requests, or a service that is overloaded
		if q.table == "exchange_rates" {
			rw.Header().Set("Content-Type", "text/html")
			rw.WriteHeader(http.StatusBadRequest)
		} else {
			rw.WriteHeader(http.StatusGatewayTimeout)
		}
		return
	}
	lines := []string{q.header}
	for _, o := range q.observations {
		if o.period >= "2025-01-01" && o.updated.After(after) {
			lines = append(lines, fmt.Sprintf(q.line, o.series, o.period, o.value))
		}
	}
	if len(lines) == 1 {
		rw.Header().Set("Content-Type", "application/problem+json")
		rw.WriteHeader(http.StatusNotFound)
		lines = []string{`{"type":"` + r.URL.Path + `","title":"Not Found","status":404,"detail":"No results found.","instance":"` + r.URL.Path + `"}`}
	} else {
		rw.Header().Set("Content-Type", "text/csv")
	}
	if _, err := io.WriteString(rw, strings.Join(lines, "\r\n")+"\r\n"); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// nextDay publishes new rates and corrects an old one. The key rates stay.
func (e *ecb) nextDay() {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.queries["EXR/D..EUR.SP00.A"]
	q.add("USD", firstDay, "1.1723", firstDay.Add(9*time.Hour))
	q.observations[10].value, q.observations[10].updated = "25.1", firstDay.Add(10*time.Hour)
}

func (e *ecb) expected(day int) tables {
	want := tables{}
	for _, q := range e.queries {
		for _, o := range q.observations {
			if o.period < "2025-01-01" || day == 2 && o.updated.Before(firstDay) {
				continue
			}
			series, _, _ := strings.Cut(fmt.Sprintf(q.line, o.series, "", ""), ",")
			want[q.table] = append(want[q.table], row{"series": series, "period": o.period, "value": o.value})
		}
	}
	return want
}
