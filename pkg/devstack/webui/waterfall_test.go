package webui

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// record is events in the order of their times, each some time after the one before.
type record struct {
	at     time.Time
	events []store.Event
}

func (s *record) say(after time.Duration, text string) {
	s.at = s.at.Add(after)
	s.events = append(s.events, store.Event{ID: fmt.Sprint(len(s.events) + 1), Created: s.at, Results: []byte(text)})
}

func TestWaterfall(t *testing.T) {
	s := record{at: noon}
	s.say(time.Second, `{"event": "request.answered", "method": "GET", "path": "/a", "status": "503", "seconds": "1", "bytes": "7", "attempt": "1"}`)
	s.say(0, `{"event": "request.retried", "method": "GET", "path": "/a", "waitSeconds": 60, "reason": "status 503"}`)
	s.say(61*time.Second, `{"event": "request.answered", "method": "GET", "path": "/a", "reason": "connection refused", "seconds": 1, "attempt": 2}`)
	s.say(0, `{"event": "request.retried", "method": "POST", "path": "/a", "waitSeconds": 2}`)
	s.say(time.Hour, `{"event": "job.finished"}`)
	w := newWaterfall(requestsOf(s.events))
	bars := w.Bars
	if len(bars) != 2 {
		t.Fatalf("%d bars", len(bars))
	}
	// One minute without requests takes a quarter of the two seconds with some.
	for i, want := range []bar{
		{X: "0.00%", Width: "40.00%", WaitX: "40.00%", WaitWidth: "20.00%"},
		{X: "60.00%", Width: "40.00%"},
	} {
		got := bars[i]
		got.request, got.Class = request{}, ""
		if got != want {
			t.Errorf("bar %d is %+v, want %+v", i, got, want)
		}
	}
	if bars[0].Class != "refused" || bars[0].Bytes != 7 || bars[0].WaitReason != "status 503" || bars[1].Class != "failed" || bars[1].Reason != "connection refused" || bars[1].Attempt != 2 || bars[1].ID != 3 {
		t.Errorf("bars %+v", bars)
	}
	if pauses := w.Pauses; len(pauses) != 1 || pauses[0] != (pause{X: "40.00%", Width: "20.00%", Middle: "50.00%", Text: "1 min 00 s"}) {
		t.Errorf("pauses %+v", pauses)
	}
	if ticks := w.Ticks; !reflect.DeepEqual(ticks, []tick{{"0.00%", "0"}, {"20.00%", "500 ms"}, {"40.00%", "1.0 s"}, {"60.00%", "61.0 s"}, {"80.00%", "61.5 s"}}) {
		t.Errorf("ticks %+v", ticks)
	}
	if !w.Has["wait"] || !w.Has["pause"] || !w.Has["refused"] || w.Has["ok"] || w.Has["ignored"] {
		t.Error("the legend is wrong")
	}
}

// TestWaitIsDrawn: a job that waits now has nothing after the wait.
func TestWaitIsDrawn(t *testing.T) {
	s := record{at: noon}
	s.say(time.Second, `{"event": "request.answered", "method": "GET", "path": "/a", "status": "429", "seconds": "1"}`)
	s.say(0, `{"event": "request.retried", "method": "GET", "path": "/a", "waitSeconds": 60}`)
	w := newWaterfall(requestsOf(s.events))
	got := w.Bars[0]
	got.request, got.Class = request{}, ""
	if want := (bar{X: "0.00%", Width: "80.00%", WaitX: "80.00%", WaitWidth: "20.00%"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if pauses := w.Pauses; len(pauses) != 1 || pauses[0].Text != "1 min 00 s" {
		t.Errorf("pauses %+v", pauses)
	}
}

// TestIgnoredStatus: a status that the configuration allows is no failure.
func TestIgnoredStatus(t *testing.T) {
	s := record{at: noon}
	const response = `{"event": "request.answered", "method": "GET", "path": "/%s", "status": 404, "seconds": 1, "job": "users", "jobPointer": "/j/%d"}`
	s.say(time.Second, fmt.Sprintf(response, "a", 0))
	s.say(0, `{"event": "response.ignored", "status": 404, "jobPointer": "/j/0"}`)
	s.say(time.Second, fmt.Sprintf(response, "b", 0))
	s.say(0, `{"event": "response.ignored", "status": 404, "jobPointer": "/j/1"}`)
	requests := requestsOf(s.events)
	if requests[0].class() != "ignored" || requests[1].class() != "refused" {
		t.Errorf("%s, %s", requests[0].class(), requests[1].class())
	}
	d := newDigest()
	for _, e := range s.events {
		d.add(e)
	}
	if l := d.progress.Lines; len(l) != 1 || l[0].Failures != 1 || l[0].Requests != 2 {
		t.Errorf("lines %+v", l)
	}
}

func TestAxis(t *testing.T) {
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	for _, c := range []struct {
		name  string
		spans []span
		of    map[time.Duration]string
	}{
		{"one that took no time", []span{{at(0), at(0)}}, map[time.Duration]string{0: "0.00%"}},
		{"side by side", []span{{at(0), at(4 * time.Second)}, {at(time.Second), at(2 * time.Second)}}, map[time.Duration]string{time.Second: "25.00%", 4 * time.Second: "100.00%"}},
		{"a short pause stays", []span{{at(0), at(2 * time.Second)}, {at(3 * time.Second), at(5 * time.Second)}}, map[time.Duration]string{2 * time.Second: "40.00%", 3 * time.Second: "60.00%"}},
		{"in any order", []span{{at(3 * time.Second), at(5 * time.Second)}, {at(0), at(2 * time.Second)}}, map[time.Duration]string{0: "0.00%", 5 * time.Second: "100.00%"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAxis(c.spans, time.Time{})
			for d, want := range c.of {
				if got := percent(a.position(at(d))); got != want {
					t.Errorf("%s is at %s, want %s", d, got, want)
				}
			}
			if len(a.pauses()) > 0 {
				t.Errorf("pauses %+v", a.pauses())
			}
		})
	}
	// A limit of the rate: many pauses together take as much as the requests.
	var spans []span
	for i := range 100 {
		from := at(time.Duration(i) * time.Second)
		spans = append(spans, span{from, from.Add(50 * time.Millisecond)})
	}
	a := newAxis(spans, time.Time{})
	if got := a.total; got < 9*time.Second || got > 10*time.Second {
		t.Errorf("drawn as %s", got)
	}
	if n := len(a.ticks()); n == 0 || n > 20 {
		t.Errorf("%d ticks", n)
	}
}

func TestWaterfallOfOddEvents(t *testing.T) {
	for _, seconds := range []string{`-5`, `"NaN"`, `"Inf"`, `1e300`, `"x"`, `null`, `[]`, `99999999999`} {
		e := store.Event{ID: "1", Created: noon, Results: []byte(`{"event": "request.answered", "status": 1e400, "seconds": ` + seconds + `}`)}
		if bars := newWaterfall(requestsOf([]store.Event{e})).Bars; len(bars) != 1 || bars[0].X != "0.00%" || bars[0].Took != 0 || bars[0].Status != 0 {
			t.Errorf("%s: %+v", seconds, bars)
		}
	}
}

func TestProgress(t *testing.T) {
	s := record{at: noon}
	s.say(time.Second, `{"event": "request.answered", "job": "users", "jobPointer": "/j/0", "status": "200", "seconds": "1"}`)
	s.say(time.Second, `{"event": "job.live", "job": "users", "jobPointer": "/j/0", "seconds": "2", "pages": "1", "rows": "100"}`)
	s.say(0, `{"event": "job.live", "job": "users/{id}/orders", "jobPointer": "/j/0/children/0", "depth": 1, "seconds": 1, "parents": 8, "parentsDone": 2, "waiting": "for a response", "waited": 0.5}`)
	s.say(0, `{"event": "request.retried", "job": "users", "jobPointer": "/j/0", "reason": "status 429", "waitSeconds": "10"}`)
	s.say(0, `{"event": "job.live", "jobPointer": 7, "pages": "many", "rows": -5, "parents": 1e300}`)
	d := newDigest()
	for _, e := range s.events {
		d.add(e)
	}
	lines := d.progress.views(s.at.Add(4*time.Second), true)
	if len(lines) != 3 {
		t.Fatalf("%d lines: %+v", len(lines), lines)
	}
	if l := lines[0]; l.Rows != 100 || l.Requests != 1 || l.Took != 6*time.Second || l.Rate != 17 || l.Waiting != "status 429" || l.Left != 6*time.Second {
		t.Errorf("users: %+v", l)
	}
	if l := lines[1]; l.Depth != 1 || l.Share != "25.00%" || l.Waiting != "for a response" || l.Waited != 4500*time.Millisecond || l.Left != 0 {
		t.Errorf("orders: %+v", l)
	}
	if l := lines[2]; l.Rows != 0 || l.Parents != 0 || l.Share != "" {
		t.Errorf("odd: %+v", l)
	}
	s.say(time.Second, `{"event": "job.finished", "job": "users", "jobPointer": "/j/0", "pages": 2, "rows": 150, "rule": "the page is empty"}`)
	d.add(s.events[len(s.events)-1])
	if l := d.progress.views(s.at.Add(time.Hour), true)[0]; l.Running || l.Waiting != "" || l.Took != 3*time.Second || l.Rule != "the page is empty" || d.rows() != 150 {
		t.Errorf("at its end: %+v, %d rows", l, d.rows())
	}
	for i := range 2 * shownLines {
		s.say(0, fmt.Sprintf(`{"event": "job.live", "jobPointer": "/many/%d"}`, i))
		d.add(s.events[len(s.events)-1])
	}
	if len(d.progress.Lines) != shownLines || !d.progress.More {
		t.Errorf("%d lines", len(d.progress.Lines))
	}
}
