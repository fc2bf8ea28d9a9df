package php

import (
	"testing"
	"time"
)

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]Interval{
		"7 days": {Days: 7}, "1 month": {Months: 1}, "2 years 3 months": {Months: 27}, "1 week 2 days": {Days: 9}, "90 minutes": {Seconds: 5400},
		"+1 hour": {Seconds: 3600}, "next year": {Months: 12}, "third day": {Days: 3}, "-2 days ago": {Days: 2}, "1 fortnight, 5 sec": {Days: 14, Seconds: 5},
	} {
		if got, ok := ParseSpan(text); !ok || got != want {
			t.Errorf("%q is %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", " ", "now", "0 days", "-1 day", "1 day ago", "1 year -1 day", "tomorrow", "noon", "1 weekday", "monday", "2024-01-01", "10:00", "1 day UTC", "@5", "first day of", "5", "x"} {
		if got, ok := ParseSpan(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// FuzzParseSpan: a span is never negative and never nothing.
func FuzzParseSpan(f *testing.F) {
	for _, text := range []string{"7 days", "1 month ago", "-5 sec ago", "9999999999999 years", "tomorrow 5 days"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := ParseSpan(text); ok && (min(s.Months, s.Days, s.Seconds) < 0 || s == Interval{}) {
			t.Errorf("%q is %+v", text, s)
		}
	})
}

func TestStrToTimeIn(t *testing.T) {
	base := time.Date(2024, 3, 31, 22, 30, 0, 0, time.UTC) // the next day in Prague
	for _, tt := range []struct{ zone, text, want string }{
		{"Europe/Prague", "2024-01-31", "2024-01-31T00:00:00+01:00"}, {"Europe/Prague", "2024-07-01 10:00", "2024-07-01T10:00:00+02:00"},
		{"Europe/Prague", "today", "2024-04-01T00:00:00+02:00"}, {"Europe/Prague", "yesterday", "2024-03-31T00:00:00+01:00"}, {"Europe/Prague", "now", "2024-04-01T00:30:00+02:00"},
		{"Europe/Prague", "2024-01-31 UTC", "2024-01-31T01:00:00+01:00"}, {"Europe/Prague", "@0", "1970-01-01T01:00:00+01:00"}, {"Europe/Prague", "2024-01-31T10:00:00Z", "2024-01-31T11:00:00+01:00"},
		{"Europe/Prague", "first day of this month midnight", "2024-04-01T00:00:00+02:00"}, {"Europe/Prague", "2024-03-31 02:30", "2024-03-31T03:30:00+02:00"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"}, {"", "today", "2024-03-31T00:00:00+00:00"},
	} {
		zone, _ := Zone(tt.zone)
		got, ok := StrToTimeIn(tt.text, base, zone)
		if text := DateIn("c", got.In(zone)); !ok || text != tt.want {
			t.Errorf("%q in %s is %s, %v, want %s", tt.text, tt.zone, text, ok, tt.want)
		}
	}
	if _, ok := StrToTimeIn("nonsense", base, time.UTC); ok {
		t.Error("nonsense is a time")
	}
}

func TestClock(t *testing.T) {
	for _, tt := range []struct {
		zone         string
		year         int
		month, day   int64
		hour, minute int
		want         string
	}{
		{"", 2024, 1, 31, 10, 0, "2024-01-31T10:00:00+00:00"}, {"", 2024, 14, 0, 0, 0, "2025-01-31T00:00:00+00:00"}, {"", 2024, 0, 1, 0, 0, "2023-12-01T00:00:00+00:00"},
		{"", 2024, -12, 1, 0, 0, "2022-12-01T00:00:00+00:00"}, {"", 2024, 1, 32, 24, 0, "2024-02-02T00:00:00+00:00"},
		{"Europe/Prague", 2024, 3, 31, 2, 30, "2024-03-31T03:30:00+02:00"}, {"Europe/Prague", 2024, 10, 27, 12, 0, "2024-10-27T12:00:00+01:00"},
		{"America/Sao_Paulo", 2018, 11, 4, 0, 0, "2018-11-04T01:00:00-02:00"}, {"Pacific/Apia", 2011, 12, 30, 0, 0, "2011-12-31T00:00:00+14:00"}, {"Australia/Lord_Howe", 2024, 10, 6, 2, 15, "2024-10-06T02:45:00+11:00"},
	} {
		zone, _ := Zone(tt.zone)
		if got := DateIn("c", Clock(tt.year, tt.month, tt.day, tt.hour, tt.minute, 0, zone)); got != tt.want {
			t.Errorf("%+v is %s", tt, got)
		}
	}
}
