package php

import (
	"testing"
	"time"
)

func TestDateLetters(t *testing.T) {
	monday := time.Unix(1490000000, 0).UTC()
	for _, c := range []struct{ format, want string }{
		{"d", "20"}, {"j", "20"}, {"D", "Mon"}, {"l", "Monday"}, {"N", "1"}, {"w", "1"}, {"z", "78"}, {"S", "th"},
		{"W", "12"}, {"o", "2017"},
		{"F", "March"}, {"M", "Mar"}, {"m", "03"}, {"n", "3"}, {"t", "31"}, {"L", "0"},
		{"Y", "2017"}, {"y", "17"},
		{"a", "am"}, {"A", "AM"}, {"g", "8"}, {"G", "8"}, {"h", "08"}, {"H", "08"}, {"i", "53"}, {"s", "20"},
		{"B", "412"}, {"u", "000000"}, {"v", "000"},
		{"e", "UTC"}, {"T", "UTC"}, {"P", "+00:00"}, {"O", "+0000"}, {"p", "Z"}, {"Z", "0"}, {"I", "0"},
		{"c", "2017-03-20T08:53:20+00:00"},
		{"r", "Mon, 20 Mar 2017 08:53:20 +0000"},
		{"U", "1490000000"},
		{`Y-m-d\TH:i:s\Z`, "2017-03-20T08:53:20Z"},
		{"Y-m-d H:i:s:u", "2017-03-20 08:53:20:000000"},
		{"Y-m-d", "2017-03-20"}, {"Y-m-d H:i:s", "2017-03-20 08:53:20"}, {`Y-m-d\TH:i:s`, "2017-03-20T08:53:20"},
		{`Y-m-d\TH:i:sP`, "2017-03-20T08:53:20+00:00"}, {"Ymd", "20170320"}, {"d.m.Y", "20.03.2017"},
		{"m/d/Y", "03/20/2017"}, {"Y-m", "2017-03"}, {"H:i", "08:53"}, {"Y-m-d+H:i", "2017-03-20+08:53"},
		{"D, d M Y H:i:s T", "Mon, 20 Mar 2017 08:53:20 UTC"},
		{"b C x é 5", "b C x é 5"}, {`\\`, `\`}, {`\`, `\`}, {"", ""},
	} {
		if got := DateIn(c.format, monday); got != c.want {
			t.Errorf("date(%q) = %q, want %q", c.format, got, c.want)
		}
	}
}

func TestDateOfOtherDays(t *testing.T) {
	for _, c := range []struct{ day, format, want string }{
		{"2024-02-29 00:05:09", "W z L t y", "09 59 1 29 24"},
		{"2017-01-01 12:00:00", "W o N w", "52 2016 7 0"},
		{"2018-12-31 23:30:00", "W o B", "01 2019 020"},
		{"2017-01-01 00:00:00", "g h G H a A", "12 12 0 00 am AM"},
		{"2017-01-01 12:00:00", "g h G H a A", "12 12 12 12 pm PM"},
		{"2017-01-01 13:00:00", "g h G H a A", "1 01 13 13 pm PM"},
		{"1900-02-01 00:00:00", "L t", "0 28"},
		{"2000-02-01 00:00:00", "L t", "1 29"},
		{"0033-02-01 00:00:00", "Y y", "0033 33"},
	} {
		day, err := time.Parse(layout, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := DateIn(c.format, day); got != c.want {
			t.Errorf("date(%q) of %s = %q, want %q", c.format, c.day, got, c.want)
		}
	}
	if got := DateIn("Y y", time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)); got != "-0005 05" {
		t.Errorf("a year before the first one is %q", got)
	}
	suffixes := map[int]string{1: "st", 2: "nd", 3: "rd", 4: "th", 11: "th", 12: "th", 13: "th", 21: "st", 22: "nd", 23: "rd", 24: "th", 30: "th", 31: "st"}
	for day, want := range suffixes {
		if got := DateIn("S", time.Date(2017, 1, day, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("suffix of %d is %q, want %q", day, got, want)
		}
	}
}

func FuzzDate(f *testing.F) {
	f.Add("dDjlNSwzWoFmMntLYyaABgGhHisuveIOPpTZcrU\\x", int64(1490000000))
	f.Add("\\", int64(-1e16))
	f.Fuzz(func(t *testing.T, format string, seconds int64) {
		DateIn(format, time.Unix(seconds%Farthest, 0).UTC())
	})
}
