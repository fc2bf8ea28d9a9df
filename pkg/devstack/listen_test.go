package devstack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
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
		unused, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer unused.Close()
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
	if took := time.Since(started); took > shutdownTimeout/2 {
		t.Errorf("the end took %s", took)
	}
}
