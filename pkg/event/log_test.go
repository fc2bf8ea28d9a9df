package event

import (
	"bytes"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// noon is the time of every event in these tests, not in UTC on purpose.
var noon = time.Date(2026, 7, 1, 12, 30, 45, 67_890_000, time.FixedZone("CEST", 2*60*60))

func atNoon() time.Time { return noon }

func secretsOf(secrets ...string) *secret.Registry {
	var s secret.Registry
	for _, text := range secrets {
		s.Add(text)
	}
	return &s
}

// memory is a sink that keeps events, or fails.
type memory struct {
	events           []Event
	writeErr, closed error
	closes           int
}

func (m *memory) Write(e Event) error {
	m.events = append(m.events, e)
	return m.writeErr
}

func (m *memory) Close() error {
	m.closes++
	return m.closed
}

// odd is a body with everything that bodies may have.
type odd struct {
	info    `kind:"odd"`
	Text    string   `json:"text"`
	Texts   []string `json:"texts"`
	Yes     bool     `json:"yes"`
	Count   int      `json:"count"`
	Bytes   int64    `json:"bytes"`
	Seconds float64  `json:"seconds" console:"-"`
	Absent  string   `json:"absent,omitempty"`
	NoTexts []string `json:"noTexts,omitempty"`
	Hidden  string   `json:"-"`
	private string
}

func (o odd) message() string { return "message " + o.Text + " " + o.private }

func TestEmit(t *testing.T) {
	body := odd{Text: "hunter2", Texts: []string{"a", "hunter2"}, Yes: true, Count: 1, Bytes: 2, Seconds: 0.5, NoTexts: []string{}, Hidden: "h", private: "p"}
	safe := body
	safe.Text, safe.Texts = "[hidden]", []string{"a", "[hidden]"}
	want := Event{
		Time: noon, Kind: "odd", Level: Info, Message: "message [hidden] p", Body: safe,
		Fields: []Field{
			{Name: "text", Value: "[hidden]"}, {Name: "texts", Value: []string{"a", "[hidden]"}}, {Name: "yes", Value: true},
			{Name: "count", Value: 1}, {Name: "bytes", Value: int64(2)}, {Name: "seconds", Value: 0.5},
		},
	}
	sink := &memory{}
	log := NewLog(sink, secretsOf("hunter2"), atNoon)
	log.Emit(body)
	log.Emit(odd{})
	if got := sink.events[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("event = %+v\nwant    %+v", got, want)
	}
	if body.Texts[1] != "hunter2" {
		t.Error("the body was changed")
	}
	if got := sink.events[1].Fields[1].Value; !reflect.DeepEqual(got, []string{}) {
		t.Errorf("a nil list = %#v, want an empty one", got)
	}
}

func TestLogErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	sink := &memory{closed: second}
	log := NewLog(sink, secretsOf(), atNoon)
	log.Emit(RunStarted{})
	if err := log.Err(); err != nil {
		t.Fatalf("Err = %v before any error", err)
	}
	sink.writeErr = first
	log.Emit(RunStarted{})
	sink.writeErr = nil
	log.Emit(RunStarted{})
	if len(sink.events) != 3 {
		t.Errorf("%d events reached the sink, want 3: an error must not stop the rest", len(sink.events))
	}
	if err := log.Err(); err != first {
		t.Errorf("Err = %v, want the first error", err)
	}
	for range 2 {
		if err := log.Close(); err != first {
			t.Errorf("Close = %v, want the first error", err)
		}
	}
	if sink.closes != 1 {
		t.Errorf("the sink was closed %d times", sink.closes)
	}
}

func TestLogClose(t *testing.T) {
	failed := errors.New("failed")
	if err := NewLog(&memory{closed: failed}, secretsOf(), atNoon).Close(); err != failed {
		t.Errorf("Close = %v, want that of the sink", err)
	}
	sink := &memory{}
	log := NewLog(sink, secretsOf(), atNoon)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log.Emit(RunStarted{})
	if len(sink.events) != 0 || log.Err() != errClosed {
		t.Errorf("after Close: %d events, Err = %v", len(sink.events), log.Err())
	}
}

func TestLogConcurrently(t *testing.T) {
	var out bytes.Buffer
	var ticks int64
	log := NewLog(NewJSON(&out), secretsOf("hunter2"), func() time.Time {
		ticks++ // not atomic: the log must read one time after another
		return time.UnixMilli(ticks)
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				log.Emit(StateWarning{Text: "hunter2"})
			}
		})
	}
	wg.Wait()
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != 400 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		at := time.UnixMilli(int64(i + 1)).UTC().Format(TimeLayout)
		want := `{"time":"` + at + `","level":"warn","event":"state.warning",` +
			`"message":"State of the previous run: [hidden]","text":"[hidden]"}`
		if string(line) != want {
			t.Fatalf("line %d = %s\nwant %s", i, line, want)
		}
	}
}

// TestTrace: events of the level trace go to the function and nowhere else, all
// others to both.
func TestTrace(t *testing.T) {
	untold := RequestAnswered{Method: "GET", URL: "http://a.test/?key=hunter2", ReportOnly: true}
	sink := &memory{}
	NewLog(sink, secretsOf(), atNoon).Emit(untold)
	log := NewLog(sink, secretsOf("hunter2"), atNoon)
	var traced []Event
	log.Trace(func(e Event) { traced = append(traced, e) })
	log.Emit(untold)
	log.Emit(StateWarning{Text: "t"})
	if len(sink.events) != 1 || sink.events[0].Kind != "state.warning" || len(traced) != 2 {
		t.Fatalf("the sink got %+v, the function %+v", sink.events, traced)
	}
	if body, ok := traced[0].Body.(RequestAnswered); !ok || body.URL != "http://a.test/?key=[hidden]" || !traced[0].Time.Equal(noon) {
		t.Errorf("traced %+v", traced[0])
	}
}

// TestWarnOnce: equal warnings are emitted once, others each, from any goroutine.
func TestWarnOnce(t *testing.T) {
	sink := &memory{}
	log := NewLog(sink, &secret.Registry{}, atNoon)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			log.WarnOnce(ConfigWarning{Pointer: "/a", Text: "odd"})
			log.WarnOnce(ConfigWarning{Pointer: "/b", Text: "odd"})
			log.WarnOnce(ConfigWarning{Pointer: "/a", Text: "odder"})
		})
	}
	all.Wait()
	if len(sink.events) != 3 {
		t.Errorf("%d events, want 3", len(sink.events))
	}
}
