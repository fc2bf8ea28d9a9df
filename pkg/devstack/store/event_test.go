package store

import (
	"math"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	s := open(t)
	runs := []string{"a", "a\x00", "a\x00bcdefgh", "a\x01", "ab", "", "b", "\uffff"}
	var added []Event
	for range 40 { // more than a page
		for _, run := range runs {
			added = append(added, Event{RunID: run, Message: strings.Repeat("x", 100)})
		}
	}
	must[[]Event](t)(s.AddEvents(added...))
	for _, run := range runs {
		var newest, oldest []string
		if err := s.Events(run, func(e Event) bool { newest = append(newest, e.ID); return e.RunID == run || run == "" }); err != nil {
			t.Fatal(err)
		}
		if err := s.EventsOf(run, 0, func(e Event) bool { oldest = append(oldest, e.ID); return e.RunID == run }); err != nil {
			t.Fatal(err)
		}
		want := 40
		if run == "" {
			want = 40 * len(runs)
		}
		if len(newest) != want || len(oldest) != 40 {
			t.Errorf("run %q: %d newest first, %d oldest first", run, len(newest), len(oldest))
			continue
		}
		for i, id := range oldest {
			if run != "" && newest[len(newest)-1-i] != id {
				t.Fatalf("run %q: orders differ: %v, %v", run, newest, oldest)
			}
		}
	}
}

func TestEventsSince(t *testing.T) {
	s := open(t)
	for _, run := range []string{"a", "b", "a", "b", "a"} {
		must[[]Event](t)(s.AddEvents(Event{RunID: run}))
	}
	for _, row := range []struct {
		name, run string
		since     uint64
		stop      string
		want      string
	}{
		{"all", "a", 0, "", "1 3 5 "},
		{"after one of its own", "a", 3, "", "5 "},
		{"after one of another run", "a", 2, "", "3 5 "},
		{"after the last", "a", 5, "", ""},
		{"after the highest number", "a", math.MaxUint64, "", ""},
		{"until enough", "a", 0, "3", "1 3 "},
		{"of no run", "c", 0, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			err := s.EventsOf(row.run, row.since, func(e Event) bool { got += e.ID + " "; return e.ID != row.stop })
			if err != nil || got != row.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestAddEvents(t *testing.T) {
	s := open(t)
	added := must[[]Event](t)(s.AddEvents(Event{Message: "a"}, Event{Message: "b", Created: clock().AddDate(1, 0, 0)}))
	if !added[0].Created.Equal(clock()) || added[1].Created.Year() != 2027 || string(added[0].Params) != "{}" {
		t.Errorf("%+v", added)
	}
	if e := must[Event](t)(s.Event(added[1].ID)); e.Message != "b" {
		t.Errorf("%+v", e)
	}
	for _, id := range []string{"", "3", "02", "x"} {
		if _, err := s.Event(id); err != ErrNotFound {
			t.Errorf("event %q: %v", id, err)
		}
	}
	if _, err := s.AddEvents(Event{}, Event{Params: []byte("{")}); err == nil {
		t.Error("broken parameters were stored")
	}
	_, err := s.AddEvents(Event{}, Event{RunID: strings.Repeat("x", 256)})
	checkUserError(t, err, "longer than 255 bytes")
	count := 0
	if err := s.Events("", func(Event) bool { count++; return true }); err != nil || count != 2 {
		t.Errorf("%d events, %v", count, err)
	}
}
