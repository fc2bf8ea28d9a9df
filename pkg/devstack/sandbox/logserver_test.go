package sandbox

import (
	"fmt"
	"net"
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
