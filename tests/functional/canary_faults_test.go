package functional

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// cannedAPI gives the responses of a case to requests that differ from the expected
// ones by their canaries, or to every request the same fault.
type cannedAPI struct {
	all      []exchange
	anyOrder bool
	server   string
	clock    *clock.Clock
	fault    http.HandlerFunc // nil for none
	during   func()           // is called during every request; nil for nothing
	canaries map[string]string

	mu      sync.Mutex
	asked   int
	planted int      // requests that carry a planted canary
	lost    []string // secrets that the case sends, and this run does not
}

// ServeHTTP implements http.Handler.
func (a *cannedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the run has broken it off
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	if a.during != nil {
		a.during()
	}
	e, ok := a.take(r, string(body))
	switch {
	case a.fault != nil:
		a.fault(w, r)
	case !ok:
		http.Error(w, "nothing is left", http.StatusNotFound)
	default:
		a.clock.Advance(time.Duration(e.response.clock) * time.Second)
		e.response.body = strings.ReplaceAll(e.response.body, "@SERVER@", a.server)
		_ = e.response.send(w) // to somebody who may have gone
	}
}

// take chooses the exchange of a request and notes what the request carries.
func (a *cannedAPI) take(r *http.Request, body string) (e exchange, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	carried := fmt.Sprintf("%s\n%s\n%s", r.RequestURI, strings.Join(headerTexts(r.Header), "\n"), body)
	if len(seen(carried)) > 0 {
		a.planted++
	}
	if len(a.all) == 0 {
		return exchange{}, false
	}
	next := 0
	if a.anyOrder {
		path, _, _ := strings.Cut(r.RequestURI, "?")
		next = max(0, slices.IndexFunc(a.all, func(e exchange) bool {
			expected, _, _ := strings.Cut(e.target, "?")
			return e.method == r.Method && expected == path
		}))
	}
	e = a.all[next]
	a.all = slices.Delete(slices.Clone(a.all), next, next+1)
	if a.fault == nil {
		a.compare(e, carried)
	}
	return e, true
}

// compare notes the secrets that the case sends in this request, when their
// canaries are not in it.
func (a *cannedAPI) compare(e exchange, carried string) {
	var values []string
	for _, h := range e.headers {
		values = append(values, h.value)
	}
	expected := fmt.Sprintf("%s\n%s\n%s", e.target, strings.Join(values, "\n"), e.body)
	for secret, canary := range a.canaries {
		if len(secret) > 5 && containsAny(expected, formsOf(secret)) && !containsAny(carried, append(formsOf(canary), canaryMark)) {
			a.lost = append(a.lost, e.place+": "+secret)
		}
	}
}

func containsAny(text string, forms []string) bool {
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}

func headerTexts(h http.Header) []string {
	var all []string
	for _, values := range h {
		all = append(all, values...)
	}
	slices.Sort(all)
	return all
}

// echoOf is everything that a request carries.
func echoOf(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	query := []string{}
	for name, values := range r.URL.Query() {
		query = append(query, name+"="+strings.Join(values, ","))
	}
	return strings.Join(headerTexts(r.Header), " ") + " " + r.RequestURI + " " + strings.Join(query, " ") + " " + string(body)
}

// echoLine is the same in one line.
func echoLine(r *http.Request) string { return strings.Join(strings.Fields(echoOf(r)), " ") }

// rawResponse responds with bytes that need not be HTTP and hold what is made of the request.
func rawResponse(form string, made func(*http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text := fmt.Sprintf(form, made(r))
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		write(conn, text)
	}
}

// location redirects to an address made of the request's.
func location(form string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.RequestURI, "hop=1") { // one is enough
			status(404, echoOf(r))(w, r)
			return
		}
		w.Header()["Location"] = []string{strings.ReplaceAll(form, "@", strings.TrimPrefix(r.RequestURI, "/"))}
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

// canaryFault is a way in which every request goes wrong.
type canaryFault struct {
	name  string
	api   http.HandlerFunc
	sleep func(context.Context, time.Duration) error // nil: that of the clock
}

// canaryFaults are answers that give the secrets of the request back, in every
// place that a message may take them from.
func canaryFaults() []canaryFault { return append(plainFaults(), disguisedFaults()...) }

// echo responds with everything that a request carries.
func echo(code int, form string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { status(code, fmt.Sprintf(form, echoOf(r)))(w, r) }
}

func plainFaults() []canaryFault {
	return append(faultsOfItems(), []canaryFault{
		{"401", echo(401, "%s"), nil},
		{"400 in HTML", echo(400, "<p>%s</p>"), nil},
		{"400 in escaped HTML", func(w http.ResponseWriter, r *http.Request) {
			status(400, "<p>"+html.EscapeString(echoOf(r))+"</p>")(w, r)
		}, nil},
		{"400 as JSON", func(w http.ResponseWriter, r *http.Request) {
			status(400, jsonText(map[string]any{"error": echoOf(r)}))(w, r)
		}, nil},
		{"500", echo(500, "%s"), nil},
		{"broken JSON", echo(200, `[{"id":1},{"id": %s`), nil},
		{"broken JSON text", echo(200, `[{"id":"%s`), nil},
		{"rows", func(w http.ResponseWriter, r *http.Request) {
			// as a child job may put it into its address
			status(200, jsonText([]any{map[string]any{"id": url.QueryEscape(echoOf(r))}}))(w, r)
		}, nil},
		{"names of columns", func(w http.ResponseWriter, r *http.Request) {
			row := map[string]any{"id": 1, echoOf(r): map[string]any{"a": 1}}
			for _, values := range r.URL.Query() {
				row[values[0]] = []any{1}
			}
			for _, text := range headerTexts(r.Header) {
				row[text] = 1
			}
			status(200, jsonText([]any{row}))(w, r)
		}, nil},
		{"names of lists", func(w http.ResponseWriter, r *http.Request) {
			status(200, jsonText(map[string]any{echoOf(r): []any{}, "other": []any{}}))(w, r)
		}, nil},
		{"status line", rawResponse("HTTP/1.1 400 %s\r\nContent-Length: 0\r\n\r\n", echoLine), nil},
		{"no status", rawResponse("HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", echoLine), nil},
		{"no HTTP", rawResponse("%s\r\n\r\n", echoLine), nil},
		{"no header", rawResponse("HTTP/1.1 200 OK\r\n%s\r\n\r\n", echoLine), nil},
		{"length of the body", rawResponse("HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n[]", echoLine), nil},
		{"way of transfer", rawResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n[]", echoLine), nil},
		{"size of a chunk", rawResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n[]", echoLine), nil},
		{"coding of the body", rawResponse("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n%s", echoLine), nil},
		{"type of the body", rawResponse("HTTP/1.1 400 OK\r\nContent-Type: text/%s\r\nRetry-After: %[1]s\r\nSet-Cookie: a=%[1]s\r\nX-Echo: %[1]s\r\nConnection: close\r\n\r\nno", echoLine), nil},
		{"when to retry", rawResponse("HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nConnection: close\r\n\r\nno", echoLine), nil},
		{"trailing bytes", rawResponse("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n%s", echoLine), nil},
		{"closed", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil},
		{"redirect", location("/@&hop=1"), nil},
		{"redirect to no one", location("http://" + hostUnknown + "/@"), nil},
		{"redirect refused", location("http://" + hostRefused + "/@"), nil},
		{"redirect to TLS", location("https://api.test/@"), nil},
		{"redirect to no scheme", location("gopher://api.test/@"), nil},
		{"redirect to no address", location("http://[::1/@"), nil},
		{"redirect to no escape", location("http://api.test/%zz@"), nil},
		{"redirect to no port", location("http://api.test:@/"), nil},
		{"panic", echo(503, "%s"), func(context.Context, time.Duration) error { panic("planted panic about " + platformCanary) }},
	}...)
}

// faultsOfItems give the secrets back where paging and tables meet them.
func faultsOfItems() []canaryFault {
	return []canaryFault{
		{"ids", echo(200, `[{"id":[%q]}]`), nil},
		{"ids with more before", echo(200, `[{"id":["`+strings.Repeat("x", 38)+`",%q]}]`), nil},
		{"columns of two types", func(w http.ResponseWriter, r *http.Request) {
			key := echoOf(r)
			status(200, jsonText([]any{map[string]any{"id": 1, key: 1}, map[string]any{"id": 2, key: map[string]any{"a": 1}}}))(w, r)
		}, nil},
		{"redirect circle", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.RequestURI, http.StatusTemporaryRedirect)
		}, nil},
	}
}

// TestFaultsShowCanaries: what the faults response does show a canary, or a run
// that shows none proves nothing.
func TestFaultsShowCanaries(t *testing.T) {
	for _, f := range canaryFaults() {
		if f.name == "closed" {
			continue
		}
		a := &cannedAPI{fault: f.api, clock: clock.At(defaultStart)}
		w := newWorld(t, a)
		for name, request := range map[string]string{
			"header": "GET /t HTTP/1.1\r\nHost: a\r\nX-Planted: " + canaryText(1) + "\r\nConnection: close\r\n\r\n",
			"query":  "GET /t?key=" + canaryMark + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		} {
			if strings.HasPrefix(f.name, "redirect") && name == "header" {
				continue // an address is made of the address
			}
			conn, err := w.dial(t.Context(), "tcp", "api.test:80")
			if err != nil {
				t.Fatal(err)
			}
			write(conn, request)
			if err := conn.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			response, err := io.ReadAll(conn)
			conn.Close()
			if hits := append(seen(string(response)), seenInBody(bodyOf(response))...); len(hits) == 0 {
				t.Errorf("%s: the response does not hold the %s (%v): %q", f.name, name, err, response)
			}
		}
	}
}

// bodyOf is the body of a response as it was sent; nil if it is not one.
func bodyOf(response []byte) []byte {
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(response)), nil)
	if err != nil {
		return nil
	}
	body, _ := io.ReadAll(res.Body) // as far as it goes
	return body
}
