package event

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/secret/secrettest"
)

// sinkRun is everything one sink wrote for some bodies.
type sinkRun struct {
	name   string
	output []byte
}

// throughEverySink emits the bodies through each kind of sink.
func throughEverySink(t *testing.T, secrets *secret.Registry, bodies []Body) []sinkRun {
	t.Helper()
	var lines, terminal, colours bytes.Buffer
	server := newLogServer(t)
	sinks := []struct {
		name string
		sink Sink
		out  func() []byte
	}{
		{"JSON lines", NewJSON(&lines), lines.Bytes},
		{"GELF", server.dial(t), server.received},
		{"console", NewConsole(&terminal, false), terminal.Bytes},
		{"console in colours", NewConsole(&colours, true), colours.Bytes},
	}
	var runs []sinkRun
	for _, s := range sinks {
		log := NewLog(s.sink, secrets, atNoon)
		for _, body := range bodies {
			log.Emit(body)
		}
		if err := log.Close(); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		runs = append(runs, sinkRun{s.name, s.out()})
	}
	return runs
}

// filled is a body of the same kind with that text in every string and 7 in
// every number, as far as sinks show them.
func filled(body Body, text string) Body {
	v := reflect.New(reflect.TypeOf(body)).Elem()
	for i := range v.NumField() {
		if name, _ := tagOf(v.Type().Field(i)); name == "" {
			continue // no sink shows it
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(text)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"first", text}))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Float64:
			f.SetFloat(7)
		default:
			f.SetInt(7)
		}
	}
	return v.Interface().(Body)
}

// TestCanary: no sink shows a secret in any text of any body. Package secret tests the forms
// that a secret may have.
func TestCanary(t *testing.T) {
	var bodies []Body
	for _, body := range Bodies() {
		bodies = append(bodies, filled(body, "see "+secrettest.Canary+" here"))
	}
	for _, run := range throughEverySink(t, secretsOf(secrettest.Canary), bodies) {
		if !bytes.Contains(run.output, []byte("see [hidden] here")) {
			t.Errorf("%s: nothing was masked", run.name)
		}
		for name, text := range secrettest.Spellings(secrettest.Canary) {
			if bytes.Contains(run.output, []byte(text)) {
				t.Errorf("%s shows the secret: %s", run.name, name)
			}
		}
	}
}

func TestEveryBodyThroughEverySink(t *testing.T) {
	var bodies []Body
	for _, body := range Bodies() {
		bodies = append(bodies, body, filled(body, "text with\nsome \x00 \"quotes\""))
	}
	separators := map[string]string{"GELF": "\x00"}
	for _, run := range throughEverySink(t, secretsOf(), bodies) {
		separator := separators[run.name]
		if separator == "" {
			separator = "\n"
		}
		told := bodies
		if run.name != "GELF" {
			told = slices.DeleteFunc(slices.Clone(bodies), func(b Body) bool { return b.Level() == Debug })
		}
		out, ended := strings.CutSuffix(string(run.output), separator)
		records := strings.Split(out, separator)
		if !ended || len(records) != len(told) {
			t.Errorf("%s: %d records for %d bodies, ended: %v", run.name, len(records), len(told), ended)
			continue
		}
		if strings.HasPrefix(run.name, "console") {
			continue
		}
		for i, record := range records {
			checkRecord(t, run.name, record, told[i])
		}
	}
}

// checkRecord checks that a JSON record has each name once and all fields of
// the body.
func checkRecord(t *testing.T, sink, record string, body Body) {
	t.Helper()
	members := map[string]any{}
	if err := json.Unmarshal([]byte(record), &members); err != nil {
		t.Errorf("%s: %s: %v", sink, record, err)
	}
	prefix, own := "", 4
	if sink == "GELF" {
		prefix, own = "_", 6
	}
	if members[prefix+"event"] != KindOf(body) {
		t.Errorf("%s: event of %s is %v", sink, KindOf(body), members[prefix+"event"])
	}
	fields := fieldsOf(body)
	for _, f := range fields {
		if _, ok := members[prefix+f.Name]; !ok {
			t.Errorf("%s: %s lacks the field %s", sink, KindOf(body), f.Name)
		}
	}
	if len(members) != own+len(fields) {
		t.Errorf("%s: %s has %d members, want %d: a name is used twice", sink, KindOf(body), len(members), own+len(fields))
	}
}

// writes counts calls and can fail or write less than it was given.
type writes struct {
	calls [][]byte
	short int
	err   error
}

func (w *writes) Write(p []byte) (int, error) {
	w.calls = append(w.calls, bytes.Clone(p))
	return len(p) - w.short, w.err
}

func TestJSON(t *testing.T) {
	w := &writes{}
	log := NewLog(NewJSON(w), secretsOf(), atNoon)
	log.Emit(JobFinished{Job: "users", Pages: 3, Rows: 250, Rule: "page <without> data", Repeated: true})
	log.Emit(TableWritten{Table: "users", Rows: 1, Columns: []string{"id", "é"}})
	log.Emit(RequestRetried{Method: "GET", Path: "/a", Retry: 1, Reason: "status 503", WaitSeconds: 0.25})
	want := []string{
		`{"time":"2026-07-01T10:30:45.067Z","level":"info","event":"job.finished",` +
			`"message":"Job users finished: 3 pages, 250 rows, page <without> data",` +
			`"job":"users","pages":3,"rows":250,"rule":"page <without> data","repeated":true}` + "\n",
		`{"time":"2026-07-01T10:30:45.067Z","level":"info","event":"table.written",` +
			`"message":"Table users: 1 row, 2 columns","table":"users","rows":1,"columns":["id","é"]}` + "\n",
		`{"time":"2026-07-01T10:30:45.067Z","level":"info","event":"request.retried",` +
			`"message":"GET /a: status 503, retry 1 in 250ms",` +
			`"method":"GET","path":"/a","retry":1,"reason":"status 503","waitSeconds":0.25}` + "\n",
	}
	if len(w.calls) != len(want) {
		t.Fatalf("%d calls of Write, want one for each line", len(w.calls))
	}
	for i, line := range w.calls {
		if string(line) != want[i] {
			t.Errorf("line = %s\nwant   %s", line, want[i])
		}
	}
}

func TestBrokenWriters(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, tt := range []struct {
		name string
		w    *writes
		want error
	}{
		{"error", &writes{err: broken}, broken},
		{"short write", &writes{short: 1}, io.ErrShortWrite},
	} {
		for name, sink := range map[string]Sink{"JSON lines": NewJSON(tt.w), "console": NewConsole(tt.w, false)} {
			log := NewLog(sink, secretsOf(), atNoon)
			log.Emit(RunStarted{})
			if err := log.Err(); !errors.Is(err, tt.want) {
				t.Errorf("%s, %s: Err = %v, want %v", name, tt.name, err, tt.want)
			}
		}
	}
}

func TestLongEvents(t *testing.T) {
	many := make([]string, 50_000)
	for i := range many {
		many[i] = "column"
	}
	tests := []struct {
		name string
		body Body
	}{
		{"long texts", RunFailed{Error: strings.Repeat("é", 300_000), Pointer: "/parameters"}},
		{"texts that grow when escaped", RunFailed{Error: strings.Repeat("\x01", 150_000)}},
		{"a long list", TableWritten{Table: "users", Columns: many}},
		{"a list of long texts", VariablesReplaced{Names: []string{strings.Repeat("a", 500_000), "b"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, run := range throughEverySink(t, secretsOf(), []Body{tt.body}) {
				limit := map[string]int{"JSON lines": 60_000, "GELF": 200_000}[run.name]
				if limit == 0 {
					continue
				}
				if len(run.output) >= limit || len(run.output) < limit/8 {
					t.Errorf("%s: %d bytes, want less than %d and not much less", run.name, len(run.output), limit)
				}
				if !strings.Contains(string(run.output), "[trimmed]") || strings.Contains(string(run.output), `\ufffd`) {
					t.Errorf("%s: not marked, or cut inside a character", run.name)
				}
				if !json.Valid(bytes.TrimRight(run.output, "\n\x00")) {
					t.Errorf("%s: no JSON", run.name)
				}
			}
		})
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		size       int
		want       string
	}{
		{"fits", "abc", 3, "abc"},
		{"too long", "abcd", 3, "abc [trimmed]"},
		{"at a character", "abé", 3, "ab [trimmed]"},
		{"to nothing", "é", 1, " [trimmed]"},
	} {
		if got := cut(tt.text, tt.size); got != tt.want {
			t.Errorf("%s: cut = %q, want %q", tt.name, got, tt.want)
		}
	}
	list := []string{"abc", "def", "ghi"}
	if got := cutList(list, 12); !reflect.DeepEqual(got, []string{"abc", "def", "[trimmed]"}) || list[2] != "ghi" {
		t.Errorf("cutList = %q, list = %q", got, list)
	}
}

func TestConsole(t *testing.T) {
	tests := []struct {
		name    string
		colours bool
		body    Body
		want    string
	}{
		{"fields that the message shows are left out", false,
			JobFinished{Job: "users", Pages: 3, Rows: 250, Rule: "page without data"},
			"12:30:45 info  Job users finished: 3 pages, 250 rows, page without data\n"},
		{"other fields", false, RunStarted{Version: "1.2.3", Jobs: 2, Iterations: 1},
			"12:30:45 info  Extraction started: 2 jobs version=1.2.3\n"},
		{"part of a word does not count", false, RunStarted{Version: "start", Jobs: 20, Iterations: 2},
			"12:30:45 info  Extraction started: 20 jobs in 2 iterations version=start\n"},
		{"an equal number in the message does not count", false, RunFinished{Seconds: 2, Requests: 3, Bytes: 5, Rows: 5, Tables: 2},
			"12:30:45 info  Extraction finished: 5 rows, 2 tables, 3 requests seconds=2 bytes=5\n"},
		{"a number that the message has only for one limit", false, RunCut{Budget: "sample", Limit: 10, Reached: 10, Seconds: 1, Bytes: 4, Rows: 10, Tables: 1, Requests: 1},
			"12:30:45 WARN  Extraction cut: --sample took the first 10 items of every run of a job; 10 rows, 1 table, 1 request; the state was not written reached=10 seconds=1 bytes=4\n"},
		{"a number that the message has only with a total", false, PagingUnread{Job: "users", Page: 1, Place: "the body", Fetched: 1, Total: 2, Hint: "h"},
			"12:30:45 WARN  Job users: the body of the response says that there are 2 rows, but 1 were fetched; h page=1\n"},
		{"a number that the message has only if it is larger", false, JobFinished{Job: "users", Runs: 1, Windows: 1, Pages: 1, Rows: 2, Rule: "r"},
			"12:30:45 info  Job users finished: 1 page, 2 rows, r runs=1 windows=1\n"},
		{"an equal text in the message does not count", false, RequestRetried{Method: "GET", Path: "/users", Retry: 1, Reason: "timeout", Job: "users"},
			"12:30:45 info  GET /users: timeout, retry 1 in 0s waitSeconds=0 job=users\n"},
		{"an equal list in the message does not count", false, LoginDone{Endpoint: "oauth/token", Remembered: []string{"token"}},
			"12:30:45 info  Logged in by oauth/token remembered=token\n"},
		{"a pointer in the message counts", false, RunFailed{Error: "no user (at /parameters/api)", ErrorKind: "user", Pointer: "/parameters/api"},
			"12:30:45 ERROR no user (at /parameters/api) kind=user\n"},
		{"a list in the message", false, VariablesReplaced{Names: []string{"a", "b"}, Source: "job 12"},
			"12:30:45 info  Replaced values for variables: a, b source=\"job 12\"\n"},
		{"list", false, TableWritten{Table: "users", Rows: 5, Columns: []string{"id", "name"}},
			"12:30:45 info  Table users: 5 rows, 2 columns columns=id,name\n"},
		{"warning", false, DataEmpty{Job: "users", DataField: "items", Page: 2},
			"12:30:45 WARN  dataField 'items' contains no data! (page 2 of users)\n"},
		{"warning in colours", true, DataEmpty{Job: "users", Page: 2},
			"\x1b[2m12:30:45\x1b[0m \x1b[1;33mWARN \x1b[0m No data found in page 2 of users\n"},
		{"error in colours", true, RunFailed{Error: "broken", ErrorKind: "user"},
			"\x1b[2m12:30:45\x1b[0m \x1b[1;31mERROR\x1b[0m broken \x1b[2mkind=user\x1b[0m\n"},
		{"fields for programs are left out", false, RunFailed{Error: "broken", ErrorKind: "user", Problems: `[{"pointer":"/a"}]`},
			"12:30:45 ERROR broken kind=user\n"},
		{"nothing may steer the terminal", false, RunFailed{Error: "a\x1b[2Jb\r\nc\u202ed \xff", ErrorKind: "x\ny", Pointer: "\x1b c"},
			"12:30:45 ERROR a\\x1b[2Jb\\r\\nc\\u202ed \uFFFD kind=x\\ny pointer=\"\\x1b c\"\n"},
		{"long value", false, RequestSent{Method: "GET", Path: "/", URL: strings.Repeat("é", 101), Attempt: 1},
			"12:30:45 info  GET / url=" + strings.Repeat("é", 99) + "… attempt=1\n"},
		{"nothing to say", false, MappingWarning{Table: "t"}, "12:30:45 WARN  t: \n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			NewLog(NewConsole(&out, tt.colours), secretsOf(), atNoon).Emit(tt.body)
			if out.String() != tt.want {
				t.Errorf("line = %q\nwant   %q", out.String(), tt.want)
			}
		})
	}
}

// logServer is a GELF server: it accepts one connection and keeps what it got.
type logServer struct {
	listener net.Listener
	done     chan []byte
}

func newLogServer(t *testing.T) *logServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	s := &logServer{listener, make(chan []byte, 1)}
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			s.done <- nil
			return
		}
		defer conn.Close()
		all, _ := io.ReadAll(conn)
		s.done <- all
	}()
	return s
}

func (s *logServer) dial(t *testing.T) Sink {
	t.Helper()
	sink, err := DialGELF(context.Background(), new(net.Dialer).DialContext, s.listener.Addr().String(), "f00ba4")
	if err != nil {
		t.Fatal(err)
	}
	return sink
}

// received waits for the end of the connection.
func (s *logServer) received() []byte { return <-s.done }
