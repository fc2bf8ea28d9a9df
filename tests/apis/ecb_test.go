package apis

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ecb responds to queries of series in CSV. Series that have ended stay, and an observation
// without a value is a line without one. Facts: https://data.ecb.europa.eu/help/api/data,
// https://data.ecb.europa.eu/help/api/status-codes, https://data.ecb.europa.eu/help/data-examples.
// That its limit of requests is an HTML page with status 400:
// https://cran.r-project.org/web/packages/readecb/news/news.html.
type ecb struct {
	*world
	queries map[string]*ecbQuery // by the end of the path
}

type ecbQuery struct {
	table, header, line, start string
	observations               []observation
}

type observation struct {
	series, period, value string
}

func newECB(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the data are public, and the series are no children of a list",
		missingParent: "the series are named in the configuration, they are no children of a list",
		shortPage:     "a response has all observations, there are no pages",
		absentKey:     "every line of the CSV has the columns of its header",
		tie:           "a series has one observation in each period, and all are fetched in each run",
		errorIn200:    "errors have a status of 400 or above",
		expiredToken:  "the data are public, and no request has a token",
	}
	e := &ecb{world: w, queries: map[string]*ecbQuery{
		"EXR/D..EUR.SP00.A": {
			table:  "exchange_rates",
			header: "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE",
			line:   "EXR.D.%[1]s.EUR.SP00.A,D,%[1]s,EUR,SP00,A,%[2]s,%[3]s",
			start:  "2025-01-01",
		},
		"FM/B.U2.EUR.4F.KR.MRR_FR+MLFR+DFR.LEV": {
			table:  "key_interest_rates",
			header: "KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM,TIME_PERIOD,OBS_VALUE",
			line:   "FM.B.U2.EUR.4F.KR.%[1]s.LEV,B,U2,EUR,4F,KR,%[1]s,LEV,%[2]s,%[3]s",
			start:  "1999-01-01",
		},
	}}
	rates := e.queries["EXR/D..EUR.SP00.A"]
	for _, currency := range []string{"BGN", "CZK", "USD"} {
		end := firstDay.AddDate(0, 0, -1)
		if currency == "BGN" { // Bulgaria has the euro since 2026
			end = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		for at := time.Date(2024, 12, 30, 0, 0, 0, 0, time.UTC); at.Before(end); at = at.AddDate(0, 0, 1) {
			value := fmt.Sprint(at.Day())
			if at.Day() == 25 && at.Month() == time.December { // no rate on a holiday
				value = ""
			}
			rates.add(currency, at, value)
		}
	}
	keyRates := e.queries["FM/B.U2.EUR.4F.KR.MRR_FR+MLFR+DFR.LEV"]
	for _, rate := range []string{"DFR", "MLFR", "MRR_FR"} {
		keyRates.add(rate, time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), "2.0")
		keyRates.add(rate, time.Date(2025, 6, 11, 0, 0, 0, 0, time.UTC), "2.15")
	}
	return e
}

func (q *ecbQuery) add(series string, period time.Time, value string) {
	q.observations = append(q.observations, observation{series, period.Format(time.DateOnly), value})
}

func (e *ecb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/service/data/")
	q, known := e.queries[path]
	e.refuseIf(r.Host != "data-api.ecb.europa.eu" || r.Method != http.MethodGet || !known, "no such series")
	e.refuseIf(r.URL.Query().Encode() != "detail=dataonly&format=csvdata&startPeriod="+q.start,
		"syntax error")
	if e.count(path) == 1 { // too many requests, or a service that is overloaded
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
		if o.period < q.start {
			continue
		}
		e.showsIf(o.value == "", oddValue)
		e.showsIf(o.series == "BGN", archived)
		lines = append(lines, fmt.Sprintf(q.line, o.series, o.period, o.value))
	}
	rw.Header().Set("Content-Type", "text/csv")
	if _, err := io.WriteString(rw, strings.Join(lines, "\r\n")+"\r\n"); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// nextDay publishes new rates, corrects an old one and deletes another. The key rates stay.
func (e *ecb) nextDay() {
	q := e.queries["EXR/D..EUR.SP00.A"]
	q.add("USD", firstDay, "1.1723")
	q.observations[10].value = "25.1"
	q.observations = slices.Delete(q.observations, 20, 21)
	e.shows(deleted)
}

func (e *ecb) expected(int) tables {
	want := tables{}
	for _, q := range e.queries {
		for _, o := range q.observations {
			if o.period < q.start {
				continue
			}
			series, _, _ := strings.Cut(fmt.Sprintf(q.line, o.series, "", ""), ",")
			want.add(q.table, row{"series": series, "period": o.period, "value": o.value})
		}
	}
	return want
}
