package functional

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// plantAPI responds to the requests of a plant. What it answers depends on the
// request and the seed alone, but for what happens only once: a failure that
// passes, a token that
// ends.
type plantAPI struct {
	plant *plant
	// late lets every response take another while.
	late bool

	mu     sync.Mutex
	sent   []string // of jobs; without attempts that returned 401
	met    map[string]bool
	logins int
	ended  int // tokens
	fresh  int // requests with the token of now
	now    int // requests under way
	most   int
}

func (p *plant) newAPI(late bool) *plantAPI {
	return &plantAPI{plant: p, late: late, met: map[string]bool{}}
}

// ServeHTTP implements http.Handler.
func (a *plantAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.now++
	a.most = max(a.most, a.now)
	a.mu.Unlock()
	if a.late {
		linger(r, rand.N(600*time.Microsecond))
	}
	status, body, headers := a.response(r)
	a.mu.Lock()
	a.now-- // who has the response may send the next request at once
	a.mu.Unlock()
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	write(w, body)
}

func (a *plantAPI) response(r *http.Request) (status int, body string, headers map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.URL.Path == "/login" {
		a.logins++
		return http.StatusOK, fmt.Sprintf(`{"token":%q}`, a.name()), nil
	}
	if r.Header.Get("X-Token") != a.name() {
		return http.StatusUnauthorized, "", nil
	}
	if a.fresh++; a.plant.expires > 0 && a.fresh > a.plant.expires {
		a.ended++
		a.fresh = 0
		return http.StatusUnauthorized, "", nil
	}
	a.sent = append(a.sent, r.RequestURI)
	switch {
	case a.once("unavailable", r.RequestURI, a.plant.retries):
		return http.StatusServiceUnavailable, "", nil
	case a.once("limited", r.RequestURI, a.plant.retries):
		return http.StatusTooManyRequests, "", map[string]string{"Retry-After": "3"}
	case a.meets("refuses", r.RequestURI, a.plant.refuses):
		return http.StatusNotFound, "not here: " + r.RequestURI, nil
	case a.meets("garbles", r.RequestURI, a.plant.garbles):
		return http.StatusOK, `{"items":[{"id":1},` + r.RequestURI, nil
	}
	return http.StatusOK, a.page(r.URL), nil
}

// name is the token of now.
func (a *plantAPI) name() string { return fmt.Sprintf("token-%d-token", a.ended) }

// number is a number that follows from a place and the seed.
func (a *plantAPI) number(what, place string) int {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s %s", a.plant.seed, what, place)
	return int(h.Sum32() >> 1)
}

// meets reports whether a place is among so many of a thousand.
func (a *plantAPI) meets(what, place string, of1000 int) bool {
	return a.number(what, place)/7%1000 < of1000
}

func (a *plantAPI) once(what, place string, of1000 int) bool {
	key := what + place
	if a.met[key] || !a.meets(what, place, of1000) {
		return false
	}
	a.met[key] = true
	return true
}

// page is the part of a list that a request is for.
func (a *plantAPI) page(u *url.URL) string {
	items := a.items(u.Path)
	query := u.Query()
	value := func(name string) int {
		n, _ := strconv.Atoi(query.Get(name)) // none is 0
		return n
	}
	response := map[string]any{}
	from, to := 0, len(items)
	switch {
	case query.Has("page") && query.Has("limit"):
		from = (value("page") - 1) * value("limit")
		to = from + value("limit")
	case query.Has("offset"):
		from = value("offset")
		to = from + value("limit")
	case query.Has("since"):
		from, to = value("since"), value("since")+2
	case query.Has("next"):
		from, to = value("next"), value("next")+2
	}
	if to < len(items) {
		response["next"] = to
	}
	from, to = min(from, len(items)), min(to, len(items))
	inForms(response, items[from:to])
	response["total"] = len(items) + a.number("total", u.Path)%3/2
	if a.meets("reports", u.RequestURI(), a.plant.reports) {
		clear(response)
		response["errors"] = []string{"too much of " + u.RequestURI()}
	}
	text, err := json.Marshal(response)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// inForms adds items to a response: as they are, in batches, and some of their members as
// rows and as parallel lists.
func inForms(response map[string]any, items []map[string]any) {
	half := len(items) / 2
	names := []string{"id", "ids", "type"}
	rows, of := [][]any{}, map[string][]any{}
	for _, name := range names {
		of[name] = []any{}
	}
	for _, item := range items {
		var row []any
		for _, name := range names {
			row = append(row, item[name])
			of[name] = append(of[name], item[name])
		}
		rows = append(rows, row)
	}
	response["items"], response["rows"] = items, rows
	// Items have a member "id" of their own, and one called "deep" beside "at".
	response["fields"] = []any{map[string]any{"key": "tags", "name": "id"}, map[string]any{"key": "at", "name": "deep"}, map[string]any{"key": "type", "name": "kind"}, map[string]any{"key": "z", "name": "kind"}, map[string]any{"key": "none", "name": nil}}
	response["batches"] = []any{map[string]any{"items": items[:half]}, map[string]any{}, map[string]any{"items": items[half:]}}
	response["names"] = []any{map[string]any{"name": "id"}, map[string]any{"name": "ids"}, map[string]any{"name": "type"}}
	response["forms"] = []any{map[string]any{"as": "none"}, map[string]any{"as": map[string]any{"kind": "lists"}, "of": of}}
}

// items are those of an endpoint, of shapes that make columns and tables come
// and go.
func (a *plantAPI) items(path string) []map[string]any {
	n := a.number("rows", path) % 6
	if !strings.Contains(path[1:], "/") {
		n += 3 // a root job
	}
	items := []map[string]any{}
	for i := range n {
		place := fmt.Sprintf("%s#%d", path, i)
		item := map[string]any{"id": i + 1, "ids": []int{i + 1, i + 7}[:1+a.number("ids", place)%2], "type": []string{"x", "y"}[a.number("type", place)%2]}
		switch a.number("shape", place) % 5 {
		case 0:
			item["sub"] = map[string]any{"at": place, "deep": []map[string]any{{"z": i}}}
		case 1:
			item["tags"] = []string{"p", place}
		case 2:
			item[fmt.Sprintf("column%d", a.number("column", place)%4)] = place
		case 3:
			item["sub"] = nil
		}
		items = append(items, item)
	}
	return items
}
