package event

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
)

func TestGELF(t *testing.T) {
	server := newLogServer(t)
	log := NewLog(server.dial(t), secretsOf("hunter2"), atNoon)
	log.Emit(RequestSent{Method: "GET", URL: "http://h/a?k=hunter2", Path: "/a", Query: "k=hunter2", Attempt: 1})
	log.Emit(JobFinished{Job: "users", Pages: 3, Rows: 250, Rule: "same <page>", Repeated: true})
	log.Emit(TableWritten{Table: "users", Rows: 1, Columns: []string{"id", `a"b`}})
	log.Emit(RunFailed{ErrorKind: "user"})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	const head = `{"version":"1.1","host":"f00ba4","short_message":"`
	want := []string{
		head + `GET /a?k=[hidden]","timestamp":1782901845.067,"level":6,"_event":"request.sent",` +
			`"_method":"GET","_url":"http://h/a?k=[hidden]","_path":"/a","_query":"k=[hidden]","_attempt":1}`,
		head + `Job users finished: 3 pages, 250 rows, same <page>","timestamp":1782901845.067,"level":6,"_event":"job.finished",` +
			`"_job":"users","_pages":3,"_rows":250,"_rule":"same <page>","_repeated":"true"}`,
		head + `Table users: 1 row, 2 columns","timestamp":1782901845.067,"level":6,"_event":"table.written",` +
			`"_table":"users","_rows":1,"_columns":"[\"id\",\"a\\\"b\"]"}`,
		head + `run.failed","timestamp":1782901845.067,"level":3,"_event":"run.failed",` +
			`"_error":"","_kind":"user"}`,
		"",
	}
	got := strings.Split(string(server.received()), "\x00")
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message = %s\nwant      %s", got[i], want[i])
		}
	}
}

func TestGELFNames(t *testing.T) {
	for _, body := range Bodies() {
		for _, f := range fieldsOf(filled(body, "x")) {
			if f.Name == "id" {
				t.Errorf("%s: GELF has its own use for _id", KindOf(body))
			}
		}
	}
}

func TestDialGELFFails(t *testing.T) {
	refused := errors.New("refused")
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, refused }
	_, err := DialGELF(context.Background(), dial, "logs:12202", "h")
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "logs:12202") {
		t.Errorf("DialGELF = %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := DialGELF(ctx, new(net.Dialer).DialContext, "127.0.0.1:9", "h"); !errors.Is(err, context.Canceled) {
		t.Errorf("DialGELF with a cancelled context = %v", err)
	}
}

func TestGELFLostConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	sink, err := DialGELF(t.Context(), new(net.Dialer).DialContext, listener.Addr().String(), "h")
	if err != nil {
		t.Fatal(err)
	}
	log := NewLog(sink, secretsOf(), atNoon)
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	log.Emit(RunStarted{})
	conn.(*net.TCPConn).SetLinger(0) // the peer gets a reset at once
	conn.Close()
	for i := 0; log.Err() == nil && i < 10_000; i++ {
		log.Emit(RunStarted{})
	}
	lost := log.Err()
	if lost == nil || !strings.HasPrefix(lost.Error(), "lost the connection to the log server: ") {
		t.Fatalf("Err = %v", lost)
	}
	if err := sink.Write(Event{}); err != lost {
		t.Errorf("Write on a lost connection = %v", err)
	}
	if err := log.Close(); err != lost {
		t.Errorf("Close = %v, want the first error", err)
	}
}

func TestGELFServerThatDoesNotRead(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	sink, err := DialGELF(t.Context(), func(context.Context, string, string) (net.Conn, error) { return here, nil }, "", "h")
	if err != nil {
		t.Fatal(err)
	}
	sink.(*gelf).timeout = 1 // nanosecond
	if err := sink.Write(Event{Kind: "x"}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write = %v, want a deadline", err)
	}
	here.Close()
}
