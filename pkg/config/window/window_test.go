package window

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
)

// rulesOf are rules in words.
func rulesOf(t testing.TB, step, format, zone string, inclusive bool) Spec {
	t.Helper()
	span, ok := ParseSpan(step)
	if !ok && step != "" {
		t.Fatalf("%q is no span", step)
	}
	at, ok := php.Zone(zone)
	if !ok {
		t.Fatalf("%q is no zone", zone)
	}
	return Spec{Step: span, Format: format, Zone: at, Inclusive: inclusive}
}

// at is a time in the zone of the rules.
func (r Spec) at(t testing.TB, text string) time.Time {
	t.Helper()
	at, ok := php.StrToTimeIn(text, time.Unix(0, 0), r.Zone)
	if !ok {
		t.Fatalf("%q is no time", text)
	}
	return at
}

func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		name, step, format, zone string
		inclusive                bool
		from, to                 string
		want                     []string
	}{
		{"days", "7 days", "Y-m-d", "", false, "2024-01-01", "2024-01-17", []string{"2024-01-01 to 2024-01-08", "2024-01-08 to 2024-01-15", "2024-01-15 to 2024-01-17"}},
		{"inclusive days", "7 days", "Y-m-d", "", true, "2024-01-01", "2024-01-17", []string{"2024-01-01 to 2024-01-07", "2024-01-08 to 2024-01-14", "2024-01-15 to 2024-01-16"}},
		{"a whole number of them", "1 week", "m/d", "", false, "2024-01-01", "2024-01-15", []string{"01/01 to 01/08", "01/08 to 01/15"}},
		{"one that is longer than all", "1 year", "Y-m-d", "", false, "2024-01-01", "2024-01-03", []string{"2024-01-01 to 2024-01-03"}},
		{"one", "", "Y-m-d H", "", false, "2024-01-01", "2029-01-05 09:00", []string{"2024-01-01 00 to 2029-01-05 09"}},
		{"one, inclusive", "", "Y-m-d", "", true, "2024-01-01", "2024-01-05 09:00", []string{"2024-01-01 to 2024-01-04"}},
		{"one, less than a day", "", "Y-m-d", "", true, "2024-01-05", "2024-01-05 09:00", nil},
		{"one, none", "", "c", "", false, "2024-01-01", "2024-01-01", nil},
		{"none", "1 day", "c", "", false, "2024-01-01", "2024-01-01", nil},
		{"to before from", "1 day", "c", "", false, "2024-01-02", "2024-01-01", nil},
		{"months from the 31st", "1 month", "m-d", "", false, "2023-01-31", "2023-05-01", []string{"01-31 to 02-28", "02-28 to 03-31", "03-31 to 04-30", "04-30 to 05-01"}},
		{"quarters", "3 months", "Y-m-d", "", true, "2023-11-30", "2024-06-01", []string{"2023-11-30 to 2024-02-28", "2024-02-29 to 2024-05-29", "2024-05-30 to 2024-05-31"}},
		{"leap years", "1 year", "Y-m-d", "", false, "2023-02-28", "2025-03-01", []string{"2023-02-28 to 2024-02-28", "2024-02-28 to 2025-02-28", "2025-02-28 to 2025-03-01"}},
		{"mixed", "1 month 1 day 2 hours", "m-d H", "", false, "2023-01-31", "2023-04-10", []string{"01-31 00 to 03-01 02", "03-01 02 to 04-02 04", "04-02 04 to 04-10 00"}},
		{"seconds", "6 hours", "H:i:s", "", true, "2024-01-01", "2024-01-01 07:00", []string{"00:00:00 to 05:59:59", "06:00:00 to 06:59:59"}},
		{"one second", "1 second", "s", "", true, "2024-01-01", "2024-01-01 00:00:02", []string{"00 to 00", "01 to 01"}},
		{"milliseconds", "1 day", "Y-m-d H:i:s.v", "", true, "2024-01-01", "2024-01-02", []string{"2024-01-01 00:00:00.000 to 2024-01-01 23:59:59.999"}},
		{"microseconds", "6 hours", "H:i:s.u", "", true, "2024-01-01", "2024-01-01 07:00", []string{"00:00:00.000000 to 05:59:59.999999", "06:00:00.000000 to 06:59:59.999999"}},
		{"milliseconds and microseconds", "1 day", "s.v u", "", true, "2024-01-01", "2024-01-02", []string{"00.000 000000 to 59.999 999999"}},
		{"an escaped v", "1 day", `\v H:i:s`, "", true, "2024-01-01", "2024-01-02", []string{"v 00:00:00 to v 23:59:59"}},
		{"minutes", "6 hours", "H:i", "", true, "2024-01-01", "2024-01-01 07:00:30", []string{"00:00 to 05:59", "06:00 to 06:59"}},
		{"less than a minute", "1 hour", "H:i", "", true, "2024-01-01 06:00:10", "2024-01-01 06:00:50", nil},
		{"hours", "1 day", "Y-m-d H", "Asia/Kolkata", true, "2024-01-01", "2024-01-02 07:30", []string{"2024-01-01 00 to 2024-01-01 23", "2024-01-02 00 to 2024-01-02 06"}},
		{"the default format", "1 day", "c", "Europe/Prague", false, "2024-03-31", "2024-04-01", []string{"2024-03-31T00:00:00+01:00 to 2024-04-01T00:00:00+02:00"}},
		{"Unix times", "1 day", "U", "Europe/Prague", true, "2024-03-31", "2024-04-01", []string{"1711839600 to 1711922399"}},
		{"a short day", "1 day", "d H:i", "America/New_York", false, "2024-03-10", "2024-03-11 12:00", []string{"10 00:00 to 11 00:00", "11 00:00 to 11 12:00"}},
		{"hours of a short day", "8 hours", "d H:i", "America/New_York", false, "2024-03-10", "2024-03-11", []string{"10 00:00 to 10 09:00", "10 09:00 to 10 17:00", "10 17:00 to 11 00:00"}},
		{"days of 24 hours end on the day of their start", "24 hours", "Y-m-d", "Europe/Prague", true, "2024-10-27", "2024-10-29", []string{"2024-10-27 to 2024-10-27", "2024-10-28 to 2024-10-28"}},
		{"a day that starts at one", "1 day", "Y-m-d H:i", "America/Sao_Paulo", false, "2018-11-03", "2018-11-05", []string{"2018-11-03 00:00 to 2018-11-04 01:00", "2018-11-04 01:00 to 2018-11-05 00:00"}},
		{"whole days where one starts at one", "1 day", "Y-m-d", "America/Sao_Paulo", true, "2018-11-03", "2018-11-06", []string{"2018-11-03 to 2018-11-03", "2018-11-04 to 2018-11-04", "2018-11-05 to 2018-11-05"}},
		{"a day that is skipped", "1 day", "Y-m-d", "Pacific/Apia", false, "2011-12-29", "2012-01-01", []string{"2011-12-29 to 2011-12-31", "2011-12-31 to 2012-01-01"}},
		{"a day that is skipped, inclusive", "1 day", "Y-m-d", "Pacific/Apia", true, "2011-12-29", "2012-01-01", []string{"2011-12-29 to 2011-12-29", "2011-12-31 to 2011-12-31"}},
		{"a day that is skipped, from noon", "1 day", "Y-m-d", "Pacific/Apia", true, "2011-12-28 12:00", "2012-01-01", []string{"2011-12-28 to 2011-12-28", "2011-12-29 to 2011-12-29", "2011-12-31 to 2011-12-31"}},
		{"the last day of a year that is skipped", "1 day", "Y-m-d", "Pacific/Kiritimati", true, "1994-12-30", "1995-01-02", []string{"1994-12-30 to 1994-12-30", "1995-01-01 to 1995-01-01"}},
		{"a week with a day that is skipped", "2 days", "Y-m-d", "Pacific/Apia", true, "2011-12-28", "2012-01-03", []string{"2011-12-28 to 2011-12-29", "2011-12-31 to 2011-12-31", "2012-01-01 to 2012-01-02"}},
		{"a time that is skipped", "1 day", "d H:i", "Europe/Prague", false, "2024-03-30 02:30", "2024-04-01 02:30", []string{"30 02:30 to 31 03:30", "31 03:30 to 01 02:30"}},
		{"a time that comes twice", "30 minutes", "H:i T", "Europe/Prague", false, "@1729990800", "@1729994400", []string{"02:00 CET to 02:30 CET", "02:30 CET to 03:00 CET"}},
		{"less than a day", "7 days", "Y-m-d", "", true, "2024-01-01", "2024-01-08 09:00", []string{"2024-01-01 to 2024-01-07"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rulesOf(t, tt.step, tt.format, tt.zone, tt.inclusive)
			w, err := r.Between(r.at(t, tt.from), r.at(t, tt.to))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for one := range w.All() {
				got = append(got, one.String())
				if one.Number != len(got) {
					t.Errorf("%s has the number %d", one, one.Number)
				}
			}
			if !slices.Equal(got, tt.want) || w.Count != len(got) {
				t.Errorf("%d: %s\nwant %s", w.Count, got, tt.want)
			}
			if first, ok := w.First(); ok != (len(got) > 0) || ok && first.String() != got[0] {
				t.Errorf("the first is %v, %s", ok, first)
			}
		})
	}
}

// TestUntil: a window without a start, which no window is too short for.
func TestUntil(t *testing.T) {
	for _, tt := range []struct {
		format, to string
		inclusive  bool
		want       string
	}{
		{"c", "2024-01-01", false, "everything until 2024-01-01T00:00:00+00:00"},
		{"Y-m-d", "2024-01-01 12:00", true, "everything until 2023-12-31"},
		{"U", "2024-01-01", true, "everything until 1704067199"},
	} {
		r := rulesOf(t, "", tt.format, "", tt.inclusive)
		w := r.Until(r.at(t, tt.to))
		first, ok := w.First()
		if !ok || w.Count != 1 || first.Number != 1 || first.String() != tt.want || !first.StartValue().IsNull() || !first.StartBound().IsNull() {
			t.Errorf("%s: got %s, %+v", tt.want, first, w)
		}
	}
}

func TestTooMany(t *testing.T) {
	r := rulesOf(t, "1 second", "c", "", false)
	from := time.Unix(1_704_067_200, 0)
	w, err := r.Between(from, from.Add(maxWindows*time.Second))
	if err != nil || w.Count != maxWindows {
		t.Fatalf("%d windows, %v", w.Count, err)
	}
	_, err = r.Between(from, from.Add((maxWindows+1)*time.Second))
	want := "there are more than 100000 windows between 2024-01-01T00:00:00+00:00 and 2024-01-02T03:46:41+00:00: make 'step' longer"
	if err == nil || err.Error() != want || failure.KindOf(err) != failure.User {
		t.Errorf("got %v, want %s", err, want)
	}
	// Most of these windows are shorter than a minute, so they do not count.
	w, err = rulesOf(t, "1 second", "H:i", "", true).Between(from, from.Add(2*maxWindows*time.Second))
	if err != nil || w.Count != 2*maxWindows/60 {
		t.Errorf("%d windows of a minute, %v", w.Count, err)
	}
}

// TestLazy: memory does not grow with the number of windows.
func TestLazy(t *testing.T) {
	r := rulesOf(t, "1 second", "c", "", false)
	from := time.Unix(1_704_067_200, 0)
	few := testing.AllocsPerRun(10, func() { _, _ = r.Between(from, from.Add(time.Second)) })
	many := testing.AllocsPerRun(10, func() { _, _ = r.Between(from, from.Add(maxWindows*time.Second)) })
	if many > few {
		t.Errorf("%.0f allocations for %d windows, %.0f for one", many, maxWindows, few)
	}
}

var (
	zones   = []string{"", "Europe/Prague", "America/New_York", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata"}
	formats = []string{"Y-m-d", "c", "U", "Y-m-d H:i:s"}
	units   = []string{"second", "minute", "hour", "day", "week", "fortnight", "month", "year"}
)

// TestTiles: windows of any step follow one another from the first moment to the last
// one; no moment is in two of them, and with inclusive ends no unit that is written.
func TestTiles(t *testing.T) {
	slowtest.SkipRace(t, "it divides a thousand spans")
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		step := strconv.Itoa(1+random.IntN(40)) + " " + units[random.IntN(len(units))]
		if random.IntN(4) == 0 {
			step += " " + strconv.Itoa(1+random.IntN(9)) + " " + units[random.IntN(len(units))]
		}
		r := rulesOf(t, step, formats[random.IntN(len(formats))], zones[random.IntN(len(zones))], random.IntN(2) == 0)
		from := time.Unix(random.Int64N(2_000_000_000), 0)
		tiles(t, step, r, from, from.Add(time.Duration(random.Int64N(int64(5*365*24*time.Hour))>>random.IntN(16))))
	}
}

func tiles(t *testing.T, step string, r Spec, from, to time.Time) {
	t.Helper()
	w, err := r.Between(from, to)
	if err != nil {
		if w.Count != 0 || !strings.HasPrefix(err.Error(), "there are more than") {
			t.Errorf("%s: %v", step, err)
		}
		return
	}
	count, last, left := 0, from.Unix(), time.Time{}
	for one := range w.All() {
		count++
		whole := w.end == day || w.end > unit(time.Second) // windows without a whole unit are left out
		if one.Start.Unix() != last && !whole || one.Start.Unix() < last || !one.End.After(one.Start) || one.Number != count {
			t.Fatalf("%s in %s: window %d is from %s to %s, the one before it ends at %d", step, r.Zone, one.Number, one.Start, one.End, last)
		}
		if whole && count > 1 && one.Start.Unix() != last && dayOf(one.Start) != dayOf(left) {
			t.Fatalf("%s in %s: the day %s is in no window", step, r.Zone, left)
		}
		if end := one.lastTime(); r.Inclusive && dayOf(end) < dayOf(one.Start) {
			t.Fatalf("%s in %s: %s", step, r.Zone, one)
		}
		last, left = one.End.Unix(), one.End
	}
	reached := last == max(to.Unix(), from.Unix()) || to.Before(from)
	if !reached && !(r.Inclusive && Timeless(r.Format) && dayOf(to.In(r.Zone)) == dayOf(time.Unix(last, 0).In(r.Zone))) {
		t.Fatalf("%s in %s: the last window ends at %d, not at %s", step, r.Zone, last, to)
	}
	if count != w.Count {
		t.Errorf("%s: %d windows, counted %d", step, count, w.Count)
	}
}

// TestEachItemOnce: an API that takes the end for a part of the window, and compares what
// the format writes, returns each item in one window.
func TestEachItemOnce(t *testing.T) {
	slowtest.SkipRace(t, "it divides thousands of spans")
	random := rand.New(rand.NewPCG(3, 4))
	formats := map[string][]string{ // texts that sort as their times, and the zones where they do
		"Y-m-d":              {"", "Europe/Prague", "America/Sao_Paulo", "Pacific/Apia", "America/Havana", "Australia/Lord_Howe"},
		"Y-m-d H":            {"", "Asia/Kolkata"},
		"Y-m-d H:i":          {"", "Asia/Kolkata"},
		"Y-m-d H:i:s":        {"", "Asia/Kolkata"},
		"Y-m-d\\TH:i:s.v\\Z": {"", "Asia/Kolkata"},
		"Y-m-d H:i:s.u":      {"", "Asia/Kolkata"},
		"U":                  {"", "Europe/Prague", "Pacific/Apia"},
	}
	for format, zones := range formats {
		for _, zone := range zones {
			for range 25 {
				step := strconv.Itoa(1+random.IntN(9)) + " " + []string{"hour", "day", "week", "month"}[random.IntN(4)]
				if format == "Y-m-d" {
					step = strings.Replace(step, "hour", "day", 1)
				}
				r := rulesOf(t, step, format, zone, true)
				from := r.at(t, "2011-12-01").Add(time.Duration(random.IntN(100*60*60)) * time.Second)
				to := from.Add(time.Duration(random.IntN(60*24*60*60)) * time.Second)
				w, err := r.Between(from, to)
				if err != nil {
					t.Fatal(err)
				}
				var windows [][2]string
				for one := range w.All() {
					windows = append(windows, [2]string{one.StartValue().Raw(), one.EndValue().Raw()})
				}
				for range 50 {
					item := from.Add(time.Duration(random.Int64N(int64(to.Sub(from) + 1)))).In(r.Zone)
					at, left := formatTime(format, item).Raw(), formatTime(format, to.In(r.Zone)).Raw()
					n := 0
					for _, one := range windows {
						if one[0] <= at && at <= one[1] {
							n++
						}
					}
					if n != 1 && (n != 0 || at != left) { // the last unit is not over
						t.Fatalf("%s of %s in %q from %s to %s: %s is in %d windows", step, format, zone, from, to, at, n)
					}
				}
			}
		}
	}
}

// dayOf grows with the days.
func dayOf(t time.Time) int { return 400*t.Year() + t.YearDay() }

func TestSpans(t *testing.T) {
	for text, want := range map[string]bool{
		"7 days": true, "1 month": true, "6 hours": true, "1 year 6 months": true, "+1 week": true, "1week": true, " 2 Weeks ": true, "90 min": true, "36 sec": true,
		"1 fortnight": true, "-7 days ago": true, "next month": true, "10000 years": true,
		"": false, "0 days": false, "-1 day": false, "1 day ago": false, "1 month -1 day": false, "tomorrow": false, "1 weekday": false, "2 mondays": false, "now": false,
		"first day of next month": false, "2024-01-01": false, "7": false, "7 daze": false, "P7D": false, "1 day UTC": false, "1 day 10:00": false, "last week": false, "next week": false,
		"10001 years": false, "9999999999999 days": false, "99999999999999999 days": false, "9999999999999 sec": false,
	} {
		if _, ok := ParseSpan(text); ok != want {
			t.Errorf("%q is a span: %v, want %v", text, ok, want)
		}
	}
}

func TestUnderADay(t *testing.T) {
	for text, want := range map[string]bool{"6 hours": true, "86399 sec": false, "21 hours": true, "23 hours": false, "1 day": false, "1 month 1 sec": false} {
		if s, _ := ParseSpan(text); s.UnderADay() != want {
			t.Errorf("%q is under a day: %v, want %v", text, !want, want)
		}
	}
}

func TestBefore(t *testing.T) {
	zone, _ := php.Zone("Europe/Prague")
	for _, tt := range []struct{ span, from, want string }{
		{"2 days", "2024-04-01 00:30", "2024-03-30T00:30:00+01:00"},
		{"1 month", "2024-03-31", "2024-02-29T00:00:00+01:00"},
		{"1 year 1 month", "2024-01-31", "2022-12-31T00:00:00+01:00"},
		{"26 hours", "2024-04-01", "2024-03-30T21:00:00+01:00"},
		{"14 months", "2024-01-15", "2022-11-15T00:00:00+01:00"},
	} {
		span, _ := ParseSpan(tt.span)
		from, _ := php.StrToTimeIn(tt.from, time.Unix(0, 0), zone)
		if got := php.DateIn("c", span.Before(from.In(zone))); got != tt.want {
			t.Errorf("%s before %s is %s, want %s", tt.span, tt.from, got, tt.want)
		}
	}
}

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"Y-m-d": "", "c": "", "U": "", "r": "", "d.m.y": "", `\W\e\ek W o`: "", `Y-m-d\TH:i:s\Z`: "", `Ymd`: "", "Y-m-d%20H": "",
		"%Y-%m-%d": "without %", "YYYY-MM-DD": "each letter", "yyyy": "each letter", "H:i:s": "no part of a date", "": "no part of a date", `\Y`: "no part of a date", "e T P": "no part of a date", `\`: "no part of a date",
	} {
		if got := CheckFormat(format); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", format, got, want)
		}
	}
	for format, want := range map[string]bool{"Y-m-d": true, "Y-m-d T": true, `Y\H`: true, "c": false, "U": false, "Y-m-d H": false, "r": false} {
		if got := Timeless(format); got != want {
			t.Errorf("%q has no time: %v, want %v", format, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	r := rulesOf(t, "1 day", "d", "Europe/Prague", true)
	w, _ := r.Between(r.at(t, "2024-01-01"), r.at(t, "2024-01-03"))
	first, _ := w.First()
	if got := first.StartBound().Raw() + " " + first.EndBound().Raw(); got != "2024-01-01T00:00:00+01:00 2024-01-02T00:00:00+01:00" {
		t.Errorf("the bounds are %s", got)
	}
	if got := first.StartValue().JSON() + first.EndValue().JSON(); got != `"01""01"` {
		t.Errorf("the values are %s", got)
	}
	r.Format = "U"
	w, _ = r.Between(first.Start, first.End)
	first, _ = w.First()
	if got := first.StartValue().JSON() + " " + first.EndValue().JSON(); got != "1704063600 1704149999" {
		t.Errorf("the values are %s", got)
	}
}

// FuzzWindows: any words, zone and times give windows that tile, an error, or nothing.
func FuzzWindows(f *testing.F) {
	f.Add("7 days", "Y-m-d", "Europe/Prague", int64(1_700_000_000), int64(1_710_000_000), true)
	f.Add("1 month 1 sec", "c", "", int64(-1), int64(1e9), false)
	f.Add("10000 years", "U", "Pacific/Apia", int64(-1e15), int64(1e16), false)
	f.Add("1 sec", `\`, "America/Sao_Paulo", int64(1_541_300_000), int64(1_541_300_005), true)
	f.Fuzz(func(t *testing.T, step, format, zone string, from, to int64, inclusive bool) {
		const farthest = php.Farthest
		if len(format) > 100 {
			return // each window is written
		}
		span, ok := ParseSpan(step)
		at, known := php.Zone(zone)
		if !ok || !known || from < -farthest || from > farthest || to < -farthest || to > farthest || span.UnderADay() && Timeless(format) {
			return
		}
		_ = CheckFormat(format)
		tiles(t, step, Spec{Step: span, Format: format, Zone: at, Inclusive: inclusive}, time.Unix(from, 0), time.Unix(to, 0))
	})
}
