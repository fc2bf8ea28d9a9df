package devstack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestServeEnds: a connection that was opened in advance does not hold up the
// end, a request under way is answered.
func TestServeEnds(t *testing.T) {
	listener, err := listen(t.Context(), "server", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() {
		served <- serve(ctx, "server", listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done()
			fmt.Fprint(w, "answered")
		}))
	}()
	for range 3 {
		dial(t, listener.Addr(), "")
	}
	// The connections are accepted one after the other, so the others are by now.
	started := time.Now()
	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != "answered" {
		t.Errorf("answered %q, %v", text, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if took := time.Since(started); took > shutdownTimeout*3/4 {
		t.Errorf("the end took %s", took)
	}
}

func dial(t *testing.T, address net.Addr, say string) {
	t.Helper()
	connection, err := net.Dial("tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := connection.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := io.WriteString(connection, say); err != nil {
		t.Fatal(err)
	}
}

// TestServeEndsWithoutSlowClients: the server waits a short time for the rest of a
// request, and returns no error without it.
func TestServeEndsWithoutSlowClients(t *testing.T) {
	slowtest.Skip(t, "it waits for a second")
	t.Parallel()
	listener, err := listen(t.Context(), "server", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	read := make(chan error, 1)
	served := make(chan error, 1)
	go func() {
		served <- serve(ctx, "server", listener, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			stop()
			_, err := io.ReadAll(r.Body)
			read <- err
		}))
	}()
	dial(t, listener.Addr(), "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf")
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := <-read; err == nil {
		t.Error("half a body was taken for a whole one")
	}
}
