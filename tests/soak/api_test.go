package soak

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What the API has: parents on pages, and for each one its orders, for every
// fourth on two pages.
const (
	parentsOnPage = 50
	pagedParents  = 4
	// requestsForPage are those that one page of parents leads to.
	requestsForPage = 1 + parentsOnPage + parentsOnPage/pagedParents
)

// tokenLasts is how many requests a token is good for.
const tokenLasts = 500

// fault is something that happens to an address before it is answered. What
// happens to which depends on the address alone.
type fault string

const (
	none    fault = ""
	limited fault = "429, try again at once"
	busy    fault = "503, try again at once"
	slow    fault = "the response comes in two parts"
	// The extractor waits a second before it repeats these, so they are rare.
	broken fault = "500"
	reset  fault = "the connection is reset"
	cut    fault = "the body is cut"
)

// faults are all of them.
var faults = []fault{limited, busy, slow, broken, reset, cut}

// faultOf is what happens to an address, and how often.
func faultOf(uri string) (fault, int) {
	h := fnv.New64a()
	h.Write([]byte(uri)) // cannot fail
	n := h.Sum64() >> 8
	switch at := n % 12_000; {
	case at < 1:
		return broken, 1
	case at < 2:
		return reset, 1
	case at < 3:
		return cut, 1
	case at < 240:
		return limited, 1 + int(n>>32%3)
	case at < 360:
		return busy, 1
	case at < 390:
		return slow, 1
	}
	return none, 0
}

// flakyAPI is the API.
type flakyAPI struct {
	pages int // of parents

	mu sync.Mutex
	// requests are all that came, logins included.
	requests int
	logins   int
	refused  int           // because of a token that has ended
	uses     int           // of the token of now
	met      map[fault]int // how often each happened
	trouble  map[string]int
	asked    map[string]bool // what no one should request
}

func newFlakyAPI(pages int) *flakyAPI {
	return &flakyAPI{pages: pages, met: map[fault]int{}, trouble: map[string]int{}, asked: map[string]bool{}}
}

// count is how many requests have come.
func (a *flakyAPI) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests
}

// ServeHTTP implements http.Handler.
func (a *flakyAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch what, token := a.receive(r); {
	case token != "":
		send(w, []byte(fmt.Sprintf(`{"token":%q}`, token)))
	case what == refused:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		a.response(w, r, what)
	}
}

// refused is not a fault of an address but of the request's token.
const refused fault = "the token has ended"

// receive counts a request and decides what happens to it; token is the response
// of a login.
func (a *flakyAPI) receive(r *http.Request) (what fault, token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests++
	if r.URL.Path == "/login" {
		a.logins++
		a.uses = 0
		return none, a.token()
	}
	if r.Header.Get("X-Token") != a.token() || a.uses == tokenLasts {
		a.refused++
		return refused, ""
	}
	a.uses++
	what, times := faultOf(r.RequestURI)
	if a.trouble[r.RequestURI] == times {
		delete(a.trouble, r.RequestURI)
		return none, ""
	}
	a.trouble[r.RequestURI]++
	a.met[what]++
	return what, ""
}

// token is the one of now; the lock is held.
func (a *flakyAPI) token() string { return fmt.Sprintf("token-%d-of-the-soak", a.logins) }

// response sends a page, or lets a fault happen to it.
func (a *flakyAPI) response(w http.ResponseWriter, r *http.Request, what fault) {
	switch what {
	case limited:
		w.Header().Set("Retry-After", strconv.FormatInt(time.Now().Add(-time.Minute).Unix(), 10))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case busy:
		w.Header().Set("Retry-After", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case broken:
		http.Error(w, "broken", http.StatusInternalServerError)
		return
	case reset:
		abort(w)
		return
	}
	body, ok := a.page("http://"+r.Host, r.URL.Path, r.FormValue("page"))
	if !ok {
		a.mu.Lock()
		a.asked[r.RequestURI] = true
		a.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	switch what {
	case cut:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		send(w, body[:len(body)/2])
		panic(http.ErrAbortHandler)
	case slow:
		send(w, body[:len(body)/2])
		flush(w)
		time.Sleep(5 * time.Millisecond)
		send(w, body[len(body)/2:])
	default:
		send(w, body)
	}
}

func send(w http.ResponseWriter, body []byte) {
	_, _ = w.Write(body) // a client that has gone shows in the result
}

func flush(w http.ResponseWriter) {
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
}

// abort ends the connection with a reset.
func abort(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// page is the response to a path: a list and the address of the next one.
func (a *flakyAPI) page(base, path, number string) (body []byte, ok bool) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, false
	}
	var rows []map[string]string
	last := a.pages
	if path == "/parents" {
		rows = parents(n)
	} else {
		id, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path, "/parents/"), "/orders"))
		if err != nil {
			return nil, false
		}
		rows, last = orders(id, n), orderPages(id)
	}
	if n < 1 || n > last {
		return nil, false
	}
	body = []byte(`{"items":[`)
	for i, row := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendObject(body, row, n+i)
	}
	body = append(body, ']')
	if n < last {
		body = fmt.Appendf(body, `,"next":"%s%s?page=%d"`, base, path, n+1)
	}
	return append(body, '}'), true
}

// appendObject writes a row with its keys in an order that changes with turn.
func appendObject(dst []byte, row map[string]string, turn int) []byte {
	keys := slices.Sorted(maps.Keys(row))
	dst = append(dst, '{')
	for i := range keys {
		key := keys[(i+turn)%len(keys)]
		text, err := json.Marshal(row[key])
		if err != nil {
			panic(err)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "%q:%s", key, text)
	}
	return append(dst, '}')
}

// parents are the rows of a page, from 1.
func parents(page int) []map[string]string {
	rows := make([]map[string]string, parentsOnPage)
	for i := range rows {
		id := (page-1)*parentsOnPage + i + 1
		rows[i] = map[string]string{
			"id":   strconv.Itoa(id),
			"name": fmt.Sprintf("Parent %d, \"the %dth\"", id, id),
			"note": strings.Repeat("ž", id%40),
		}
	}
	return rows
}

// orderPages is how many pages of orders a parent has.
func orderPages(parent int) int {
	if parent%pagedParents == 0 {
		return 2
	}
	return 1
}

// orders are the rows of a page of a parent's orders.
func orders(parent, page int) []map[string]string {
	rows := make([]map[string]string, 1+(parent+page)%3)
	for i := range rows {
		rows[i] = map[string]string{
			"order":  fmt.Sprintf("%d/%d/%d", parent, page, i),
			"amount": fmt.Sprintf("%d.%02d", parent%977, i),
			"text":   fmt.Sprintf("line one\nof order %d", parent*i),
			"city":   []string{"Praha", "Brno", "Ústí"}[(parent+i)%3],
		}
	}
	return rows
}
