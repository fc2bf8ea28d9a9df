package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// api is the API of one run: it answers like any API would, but for the
// requests that a fault hits.
type api struct {
	world *world

	mu     sync.Mutex
	sent   []request // what arrived, in this order
	hits   int       // how many requests the fault has hit
	tokens int       // that a login returned
	used   int       // requests with the last token
}

// request is a request that arrived.
type request struct {
	*http.Request
	text  string // of its body
	bytes int    // of the body of its response
}

// reply is a response as it should be.
type reply struct {
	status int
	packed bool
	body   []byte
}

// ServeHTTP implements http.Handler.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // cut off by the fault
	}
	req := request{Request: r, text: string(text)}
	n, hit := a.arrived(req)
	if hit {
		a.world.fault.hit(&strike{ResponseWriter: w, r: req, n: n, world: a.world})
		return
	}
	whole := a.response(req)
	a.mu.Lock()
	a.sent[n-1].bytes = len(whole.body)
	a.mu.Unlock()
	if a.world.fault.connect != nil {
		w.Header().Set("Connection", "close") // one connection for each request
	}
	whole.write(w)
}

// arrived notes a request. When the fault hits it, n is the number of the hit,
// else that of the request.
func (a *api) arrived(r request) (n int, hit bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, r)
	f := a.world.fault
	if f.hit == nil || !a.world.place.is(r) || a.hits >= a.world.times {
		return len(a.sent), false
	}
	a.hits++
	return a.hits, true
}

// write sends the response.
func (p reply) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	if p.packed {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(p.status)
	// A client that is gone has its own error.
	_, _ = w.Write(p.body)
}

// wire is the response as it looks on the wire, with a body of any announced
// length.
func (p reply) wire(length int) string {
	encoding := ""
	if p.packed {
		encoding = "Content-Encoding: gzip\r\n"
	}
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		p.status, http.StatusText(p.status), encoding, length, p.body)
}

// response is the response to a request.
func (a *api) response(r request) reply {
	if r.URL.Path == "/login" {
		return a.logIn()
	}
	if !a.proved(r) {
		return reply{status: http.StatusUnauthorized, body: []byte(`{"error": "who are you?"}`)}
	}
	return a.content(r)
}

// content is what the API has at an address, for who may see it.
func (a *api) content(r request) reply {
	body, ok := lookUp(r)
	if !ok {
		return reply{status: http.StatusNotFound, body: []byte(`{"error": "no such thing"}`)}
	}
	if a.world.scenario.packed {
		return reply{http.StatusOK, true, compressed(body)}
	}
	return reply{status: http.StatusOK, body: body}
}

// logIn responds to a login with a new token, which is good for a few requests and
// a quarter of an hour.
func (a *api) logIn() reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens++
	a.used = 0
	return reply{status: http.StatusOK, body: fmt.Appendf(nil, `{"token": "token-value-%d", "seconds": 900}`, a.tokens)}
}

// proved reports whether a request may be answered.
func (a *api) proved(r request) bool {
	switch a.world.scenario.login {
	case "X-Token":
		a.mu.Lock()
		defer a.mu.Unlock()
		a.used++
		return a.used <= 3 && r.Header.Get("X-Token") == fmt.Sprintf("token-value-%d", a.tokens)
	case "Authorization":
		_, password, _ := r.BasicAuth()
		return password == "password-value"
	default:
		return true
	}
}

// lookUp is what the API has at an address.
func lookUp(r request) ([]byte, bool) {
	path, query := r.URL.Path, r.URL.Query()
	offset, _ := strconv.Atoi(query.Get("offset"))
	var page struct{ Offset int }
	switch {
	case path == "/items":
		return rows("item", offset, 24), true
	case path == "/search":
		err := json.Unmarshal([]byte(r.text), &page)
		return rows("item", page.Offset, 24), err == nil
	case path == "/feed":
		n, _ := strconv.Atoi(query.Get("page"))
		n = max(n, 1)
		next := "null"
		if n < 3 {
			next = strconv.Itoa(n + 1)
		}
		return fmt.Appendf(nil, `{"rows": %s, "next": %s}`, rows("item", 10*(n-1), 24), next), true
	case path == "/since":
		first, _ := strconv.Atoi(query.Get("since"))
		return fmt.Appendf(nil, `{"rows": %s}`, rows("item", max(first-1, 0), 24)), true
	case path == "/keyed":
		return []byte(`{"users": {"7": {"name": "ann"}, "8": {"name": "bob"}}}`), true
	case path == "/lists":
		return []byte(`{"rows": [[7, "ann"], [8]], "names": ["id", "name"]}`), true
	case path == "/parallel":
		return []byte(`{"rows": {"id": [7, 8], "name": ["ann", "bob"]}}`), true
	case path == "/users":
		return rows("user", offset, 3), true
	case strings.HasPrefix(path, "/users/"):
		return rows("order of "+strings.Split(path, "/")[2], offset, 14), true
	default:
		return nil, false
	}
}

// rows are up to ten of so many rows, from an offset on: half a kilobyte each,
// some of it beyond ASCII.
func rows(name string, offset, all int) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for id := offset + 1; id <= min(offset+10, all); id++ {
		if id > offset+1 {
			b.WriteString(",\n ")
		}
		fmt.Fprintf(&b, `{"id": %d, "name": "žluťoučký %s %d", "tags": ["a", "b%d"], "address": {"city": "Brno", "zip": null}, "price": %d.50, "note": "%s"}`,
			id, name, id, id, id, strings.Repeat("half a kilobyte ", 30))
	}
	b.WriteByte(']')
	return b.Bytes()
}

func compressed(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}
