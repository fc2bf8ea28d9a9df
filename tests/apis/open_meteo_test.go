package apis

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// openMeteo responds with parallel lists: one of the times, and one of each value. Facts:
// https://open-meteo.com/en/docs, https://open-meteo.com/en/docs/historical-weather-api,
// https://open-meteo.com/en/terms, https://github.com/open-meteo/open-meteo. An
// error that comes after the status is a text in the body.
type openMeteo struct {
	*world
	// day is 2 after nextDay: forecasts change then.
	day int
	// until is when a request that reached a limit may come again.
	until map[string]time.Time
}

// openMeteoLimits are the limits that a request reaches before it gets data.
var openMeteoLimits = map[string][]string{
	"api.open-meteo.comBerlin":                   {"Minutely", "Hourly"},
	"archive-api.open-meteo.comPrague2026-02-01": {"Minutely"},
}

// places are the coordinates of the configuration, and where the nearest grid cell is.
var places = map[string]struct {
	name                           string
	latitude, longitude, elevation float64
}{
	"50.08 14.44": {"Prague", 50.08, 14.439999, 202},
	"52.52 13.41": {"Berlin", 52.52, 13.419998, 38},
}

func newOpenMeteo(w *world) mockServer {
	w.notShown = map[condition]string{
		deleted:       "an hour that has passed is not deleted, its values are replaced",
		archived:      "hours and days have no state",
		forbidden:     "the data are public, and no request has a credential",
		missingParent: "a request names a place by its coordinates, there is no list of places",
		shortPage:     "a response has all hours of the span at once, there are no pages",
		absentKey:     "every requested variable has a list of the same length; what is missing is null in it",
		tie:           "every hour of a place comes once in a response",
		expiredToken:  "the data are public, and no request has a token",
	}
	return &openMeteo{world: w, day: 1, until: map[string]time.Time{}}
}

func (o *openMeteo) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	place, known := places[query.Get("latitude")+" "+query.Get("longitude")]
	if r.Method != http.MethodGet || !known || query.Has("format") {
		o.refuse("wrong parameters")
		return
	}
	body := object{"latitude": place.latitude, "longitude": place.longitude, "generationtime_ms": 0.06, "utc_offset_seconds": 0, "timezone": "GMT", "timezone_abbreviation": "GMT", "elevation": place.elevation}
	lists := map[string][]any{}
	add := func(at, name2, name3, name4 string, values ...any) {
		for i, name := range []string{"time", name2, name3, name4} {
			lists[name] = append(lists[name], append([]any{at}, values...)[i])
		}
	}
	switch r.Host + r.URL.Path {
	case "api.open-meteo.com/v1/forecast":
		past, err := strconv.Atoi(query.Get("past_days"))
		days, err2 := strconv.Atoi(query.Get("forecast_days"))
		if len(query) != 5 || err != nil || err2 != nil || days > 16 || past > 92 || query.Get("hourly") != "temperature_2m,precipitation,wind_speed_10m" {
			o.refuse("wrong parameters of a forecast")
			return
		}
		body["hourly_units"] = object{"time": "iso8601", "temperature_2m": "°C", "precipitation": "mm", "wind_speed_10m": "km/h"}
		today := o.Now().Truncate(24 * time.Hour)
		for at := today.AddDate(0, 0, -past); at.Before(today.AddDate(0, 0, days)); at = at.Add(time.Hour) {
			add(at.Format("2006-01-02T15:04"), "temperature_2m", "precipitation", "wind_speed_10m", o.temperature(place.name, at), json.Number("0.00"), nil)
		}
		body["hourly"] = lists
	case "archive-api.open-meteo.com/v1/archive":
		from, err := time.Parse(time.DateOnly, query.Get("start_date"))
		to, err2 := time.Parse(time.DateOnly, query.Get("end_date"))
		if len(query) != 5 || err != nil || err2 != nil || to.Before(from) || !to.Before(o.Now()) || query.Get("daily") != "temperature_2m_max,temperature_2m_min,precipitation_sum" {
			o.refuse("wrong parameters of the archive")
			return
		}
		body["daily_units"] = object{"time": "iso8601", "temperature_2m_max": "°C", "temperature_2m_min": "°C", "precipitation_sum": "mm"}
		for at := from; !at.After(to); at = at.AddDate(0, 0, 1) {
			add(at.Format(time.DateOnly), "temperature_2m_max", "temperature_2m_min", "precipitation_sum", o.temperature(place.name, at), json.Number("-1.0"), o.rain(at))
		}
		body["daily"] = lists
	default:
		o.refuse("no such API")
		return
	}
	key := r.Host + place.name + query.Get("start_date")
	o.refuseIf(o.Now().Before(o.until[key]), "too early after a limit was reached")
	o.requests[key]++
	if limits := openMeteoLimits[key]; o.requests[key] <= len(limits) {
		name := limits[o.requests[key]-1]
		o.until[key] = o.Now().Add(map[string]time.Duration{"Minutely": time.Minute, "Hourly": time.Hour}[name])
		fail(rw, http.StatusTooManyRequests, object{"error": true, "reason": name + " API request limit exceeded. Please try again later."})
	}
	if o.requests[key] == 1+len(openMeteoLimits[key]) && r.Host == "archive-api.open-meteo.com" && query.Get("start_date") == "2026-02-01" {
		o.shows(errorIn200)
		rw.Header().Set("Content-Type", "application/json; charset=utf-8")
		if _, err := io.WriteString(rw, `{"latitude":50.08,"daily":{"time":["2026-02-01",Unexpected error while streaming data: timeoutReached`); err != nil {
			panic(http.ErrAbortHandler) // the client is gone
		}
		return
	}
	// the wind is null
	o.showsIf(r.Host == "api.open-meteo.com", oddValue)
	reply(rw, http.StatusOK, body)
}

// temperature is what is known of an hour: a forecast differs from day to day.
func (o *openMeteo) temperature(place string, at time.Time) json.Number {
	forecast := 0
	if at.After(firstDay) {
		forecast = o.day
	}
	return json.Number(fmt.Sprintf("%d.%d", len(place)+at.Hour(), forecast))
}

// rain has no value for the last days: they are not in the archive yet.
func (o *openMeteo) rain(at time.Time) any {
	if at.After(o.archived()) {
		return nil
	}
	return json.Number("1.20")
}

func (o *openMeteo) archived() time.Time { return o.today().AddDate(0, 0, -2) }

// today is the day of the last run.
func (o *openMeteo) today() time.Time { return firstDay.Truncate(24*time.Hour).AddDate(0, 0, o.day-1) }

func (o *openMeteo) nextDay() {
	o.day++
}

func (o *openMeteo) expected(int) tables {
	want := tables{}
	for _, place := range places {
		for at := o.today().AddDate(0, 0, -2); at.Before(o.today().AddDate(0, 0, 7)); at = at.Add(time.Hour) {
			want.add("forecast", row{
				"location": place.name, "time": at.Format("2006-01-02T15:04"), "temperature": string(o.temperature(place.name, at)), "precipitation": "0.00", "wind_speed": "",
			})
		}
	}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if o.day == 2 {
		from = firstDay.Truncate(24*time.Hour).AddDate(0, 0, -14) // lookback
	}
	for at := from; at.Before(o.today()); at = at.AddDate(0, 0, 1) {
		rain := "1.20"
		if o.rain(at) == nil {
			rain = ""
		}
		want.add("history", row{"location": "Prague", "day": at.Format(time.DateOnly), "temperature_max": string(o.temperature("Prague", at)), "precipitation": rain})
	}
	return want
}
