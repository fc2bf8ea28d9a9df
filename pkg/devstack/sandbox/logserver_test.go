package sandbox

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

func fixed() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// TestOneBufferForAll: the platform's server mixes what comes over several
// connections, so a component that uses two has to find out here.
func TestOneBufferForAll(t *testing.T) {
	var mu sync.Mutex
	var got []string
	arrived := make(chan struct{}, 10)
	l, err := listen("127.0.0.1:0", func(m message) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, m.text)
		arrived <- struct{}{}
	})
	if err != nil {
		t.Fatal(err)
	}
	message := func(text string) string {
		return fmt.Sprintf(`{"short_message":%q,"timestamp":1,"level":6}`, text) + "\x00"
	}
	var conns []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", "127.0.0.1:"+l.port())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	first := message("first")
	for _, step := range []struct {
		conn int
		text string
		wait bool
	}{{0, message("zero") + first[:20], true}, {1, message("second"), true}, {0, first[20:], true}, {0, message("third"), true}} {
		if _, err := conns[step.conn].Write([]byte(step.text)); err != nil {
			t.Fatal(err)
		}
		<-arrived
	}
	if err := conns[1].Close(); err != nil {
		t.Fatal(err)
	}
	// The other connection stays open: the server does not wait for its end.
	if err := l.close(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Error(err)
	}
	want := fmt.Sprint([]string{"zero", "Invalid message: " + first[:20] + message("second")[:len(message("second"))-1], "Invalid message: " + first[20:len(first)-1], "third"})
	if fmt.Sprint(got) != want {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// translated is a listener that sees every connection come from one address, as
// behind the address translation of a container network.
type translated struct{ net.Listener }

func (l translated) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return elsewhere{conn}, err
}

type elsewhere struct{ net.Conn }

func (elsewhere) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 4000}
}

// TestLogServerBehindTranslation: the server ends and loses nothing, although its
// own connection has another address.
func TestLogServerBehindTranslation(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	l := serveLog(translated{listener}, func(m message) { got = append(got, m.text) })
	for _, text := range []string{"a", "b"} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, `{"timestamp":1,"level":6,"short_message":%q}`+"\x00", text); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.close(time.Now().Add(time.Second)); err != nil {
		t.Error(err)
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("messages %q", got)
	}
}

// TestPasswordInPieces: the server recognizes its password in any pieces, and loses nothing
// that only begins like it.
func TestPasswordInPieces(t *testing.T) {
	got := ""
	l := &logServer{password: "secret", frames: frames{give: func(m message) { got += m.text }}}
	l.changed = sync.NewCond(&l.mu)
	receive := l.receiver()
	for _, piece := range []string{"sec", "", "ond", "\x00"} {
		receive([]byte(piece))
	}
	if got != "Invalid message: second" || l.knocked {
		t.Errorf("got %q, recognized %v", got, l.knocked)
	}
	receive = l.receiver()
	for _, piece := range []string{"s", "ecre", "t"} {
		receive([]byte(piece))
	}
	if !l.knocked {
		t.Error("the password was not recognized")
	}
}
