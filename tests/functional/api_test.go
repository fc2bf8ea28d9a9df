package functional

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// script is an API that expects exchanges in their order, every one of them and
// nothing else.
type script struct {
	t     *testing.T
	clock *clock.Clock
	all   []exchange
	// anyOrder lets the exchanges come in any order; a failing run may then request less or more.
	anyOrder, failing bool
	// server is the address of this API: it takes the place of @SERVER@ in an
	// answer.
	server string

	mu   sync.Mutex
	next int
	sent []string // "METHOD target" of what arrived
}

// ServeHTTP implements http.Handler.
func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("the body of %s %s cannot be read: %v", r.Method, r.RequestURI, err)
	}
	s.mu.Lock()
	s.sent = append(s.sent, r.Method+" "+r.RequestURI)
	if s.anyOrder && !s.bringForward(r, string(body)) && s.failing {
		s.mu.Unlock()
		http.Error(w, "one after another this would not be requested", http.StatusNotFound)
		return
	}
	if s.next == len(s.all) {
		s.mu.Unlock()
		s.t.Errorf("one request too many: %s %s", r.Method, r.RequestURI)
		http.Error(w, "no further request is expected", http.StatusNotFound)
		return
	}
	e := s.all[s.next]
	s.next++
	s.mu.Unlock()
	if differences := e.compare(r, string(body)); len(differences) > 0 {
		s.t.Errorf("%s:\n\t%s", e.place, strings.Join(differences, "\n\t"))
		http.Error(w, "another request is expected", http.StatusNotFound)
		return
	}
	s.clock.Advance(time.Duration(e.response.clock) * time.Second)
	e.response.body = strings.ReplaceAll(e.response.body, "@SERVER@", s.server)
	if err := e.response.send(w); err != nil {
		s.t.Errorf("%s: the response cannot be sent: %v", e.place, err)
	}
}

// bringForward makes the exchange of a request the next one, if there is one; the
// lock is held.
func (s *script) bringForward(r *http.Request, body string) bool {
	left := s.all[s.next:]
	i := slices.IndexFunc(left, func(e exchange) bool { return len(e.compare(r, body)) == 0 })
	if i > 0 {
		e := left[i]
		s.all = slices.Insert(slices.Delete(slices.Clone(s.all), s.next+i, s.next+i+1), s.next, e)
	}
	return i >= 0
}

// finish reports requests that never arrived.
func (s *script) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing && s.anyOrder {
		return
	}
	for _, e := range s.all[s.next:] {
		s.t.Errorf("%s: never arrived: %s %s", e.place, e.method, e.target)
	}
}

// compare says what is wrong with a request, line by line.
func (e exchange) compare(r *http.Request, body string) []string {
	var wrong []string
	differ := func(what, got, want string) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s: got  %s", what, got), fmt.Sprintf("%s: want %s", what, want))
		}
	}
	differ("request", r.Method+" "+r.RequestURI, e.method+" "+e.target)
	differ("body", body, e.body)
	expected := map[string][]string{}
	for _, h := range e.headers {
		name := http.CanonicalHeaderKey(h.name)
		expected[name] = append(expected[name], h.value)
	}
	for name, values := range expected {
		differ("header "+name, fmt.Sprintf("%q", headerValues(r, name)), fmt.Sprintf("%q", values))
	}
	for _, name := range e.absent {
		differ("header "+name, fmt.Sprintf("%q", headerValues(r, name)), "[]")
	}
	slices.Sort(wrong)
	return wrong
}

// headerValues are all lines of a header.
func headerValues(r *http.Request, name string) []string {
	if strings.EqualFold(name, "Host") {
		return []string{r.Host}
	}
	return r.Header.Values(name)
}

// send sends the response, or as much of it as the case wants.
func (a response) send(w http.ResponseWriter) error {
	body, err := a.packed()
	if err != nil {
		return err
	}
	if a.gzip {
		body = compressed(body)
		w.Header().Set("Content-Encoding", "gzip")
	}
	if a.close || a.cut >= 0 {
		return a.breakOff(w, body)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", "Fri, 02 Jan 2026 03:04:05 GMT") // two runs of a case cache the same
	for _, h := range a.headers {
		w.Header().Del(h.name)
	}
	for _, h := range a.headers {
		w.Header().Add(h.name, h.value)
	}
	w.WriteHeader(a.status)
	if a.status == http.StatusNoContent || a.status == http.StatusNotModified {
		return nil
	}
	_, err = w.Write(body)
	return err
}

// breakOff closes the connection before the response, or in the middle of it.
func (a response) breakOff(w http.ResponseWriter, body []byte) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	if a.close {
		return conn.Close()
	}
	return sendCut(conn, a.status, body, a.cut)
}

// sendCut announces the whole body and sends only its beginning.
func sendCut(conn net.Conn, status int, body []byte, cut int) error {
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		status, http.StatusText(status), len(body), body[:cut])
	if closing := conn.Close(); err == nil {
		err = closing
	}
	return err
}

func compressed(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}
