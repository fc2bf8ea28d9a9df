// Package shop serves the API of a small web shop, for trying configurations. It has a
// login, users by offset, orders by cursor, stock that is sometimes refused, and
// tickets that change.
//
// The data is the same on every machine and in every run, because it is not random. The
// only clock is Options.Now, and only tickets and the expiry of tokens depend on it.
package shop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// User and Password are the only credentials. They are public: the data is made up, and
// the index shows them.
const (
	User     = "demo"
	Password = "let-me-in"
)

const (
	tokenLife        = 5 * time.Minute
	defaultBusyEvery = 3

	usersPageSize    = 10
	usersMaxPageSize = 100
	ordersPageSize   = 4
)

// Options configures a shop. The zero value uses the defaults.
type Options struct {
	// Now is the clock for the expiry of tokens and for tickets. Nil means time.Now.
	Now func() time.Time
	// BusyEvery refuses every n-th request to /stock with status 429 and a Retry-After of
	// one second. 0 means 3. 1 refuses every request.
	BusyEvery int
}

// New returns the handler of the shop. All data except tickets is always the same:
//
//	GET  /products               […], the price list
//	POST /login                  {"user", "password"} → {"token", "token_type", "expires_in"}
//	GET  /users?limit=&offset=   {"items": […], "limit", "offset", "total"}
//	GET  /orders?after=          {"orders": […]}, at most 4 with an id above `after`
//	GET  /stock?warehouse=       […]
//	GET  /tickets?since=&until=  […], changed at `since` or later and before `until`
//	GET  /                       the endpoints and the credentials
//
// Users, orders and stock require the header "Authorization: Bearer TOKEN", or user and
// password by HTTP basic authentication. Without credentials, or with an unknown or
// expired token, the response has status 401. Every response is JSON, even for an unknown
// path (404). The handler is safe for concurrent use.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &shop{
		tokens:    tokens{now: o.Now, expiry: map[string]time.Time{}},
		now:       o.Now,
		opened:    o.Now().UTC().Truncate(time.Second),
		busyEvery: cmp.Or(o.BusyEvery, defaultBusyEvery),
		products:  allProducts(),
		users:     allUsers(),
		orders:    allOrders(),
		stock:     allStock(),
	}
	return routes{
		"/":         {method: http.MethodGet, serve: s.index},
		"/products": {method: http.MethodGet, serve: s.listProducts},
		"/login":    {method: http.MethodPost, serve: s.login},
		"/users":    {method: http.MethodGet, serve: s.tokens.guard(s.listUsers)},
		"/orders":   {method: http.MethodGet, serve: s.tokens.guard(s.listOrders)},
		"/stock":    {method: http.MethodGet, serve: s.tokens.guard(s.listStock)},
		"/tickets":  {method: http.MethodGet, serve: s.listTickets},
	}
}

type shop struct {
	tokens    tokens
	now       func() time.Time
	opened    time.Time
	busyEvery int
	products  []product
	users     []user
	orders    []order
	stock     []stockItem

	mu            sync.Mutex
	stockRequests int
}

func (s *shop) index(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"name":      "Sample web shop",
		"login":     map[string]string{"user": User, "password": Password},
		"endpoints": []string{"GET /products", "POST /login", "GET /users?limit=&offset=", "GET /orders?after=", "GET /stock?warehouse=", "GET /tickets?since=&until="},
	})
}

func (s *shop) listProducts(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.products)
}

func (s *shop) listUsers(w http.ResponseWriter, r *http.Request) {
	limit, ok := queryNumber(w, r, "limit", usersPageSize)
	if !ok {
		return
	}
	offset, ok := queryNumber(w, r, "offset", 0)
	if !ok {
		return
	}
	if limit < 1 || limit > usersMaxPageSize {
		writeError(w, http.StatusBadRequest, "limit must be from 1 to "+strconv.Itoa(usersMaxPageSize))
		return
	}
	from := min(offset, len(s.users))
	writeJSON(w, http.StatusOK, usersPage{
		Items:  s.users[from:min(from+limit, len(s.users))],
		Limit:  limit,
		Offset: offset,
		Total:  len(s.users),
	})
}

func (s *shop) listOrders(w http.ResponseWriter, r *http.Request) {
	after, ok := queryNumber(w, r, "after", 0)
	if !ok {
		return
	}
	page := ordersPage{Orders: []order{}}
	for _, order := range s.orders {
		if order.ID > after && len(page.Orders) < ordersPageSize {
			page.Orders = append(page.Orders, order)
		}
	}
	writeJSON(w, http.StatusOK, page)
}

func (s *shop) listStock(w http.ResponseWriter, r *http.Request) {
	if s.busy() {
		w.Header().Set("Retry-After", "1")
		writeError(w, http.StatusTooManyRequests, "the warehouse is busy, try again in a second")
		return
	}
	warehouse := r.URL.Query().Get("warehouse")
	items := []stockItem{}
	for _, item := range s.stock {
		if warehouse == "" || item.Warehouse == warehouse {
			items = append(items, item)
		}
	}
	writeJSON(w, http.StatusOK, items)
}

// busy counts a request to /stock and reports whether to refuse it.
func (s *shop) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stockRequests++
	return s.stockRequests%s.busyEvery == 0
}

// queryNumber returns a query parameter that is a number of 0 or more, or fallback if the
// parameter is missing or empty. For any other value it writes an error response and
// returns false.
func queryNumber(w http.ResponseWriter, r *http.Request, name string, fallback int) (n int, ok bool) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, true
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		writeError(w, http.StatusBadRequest, name+" must be a whole number of 0 or more")
		return 0, false
	}
	return n, true
}

// routes maps the paths of the shop to their handlers. http.ServeMux is not used because
// it responds in plain text to an unknown path or a wrong method.
type routes map[string]route

type route struct {
	method string
	serve  http.HandlerFunc
}

// ServeHTTP implements http.Handler.
func (t routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := t[r.URL.Path]
	switch {
	case !ok:
		writeError(w, http.StatusNotFound, "there is nothing at "+r.URL.Path)
	case r.Method != found.method:
		w.Header().Set("Allow", found.method)
		writeError(w, http.StatusMethodNotAllowed, r.URL.Path+" wants "+found.method)
	default:
		found.serve(w, r)
	}
}

func writeError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]string{"error": text})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error means that the client has disconnected.
	_, _ = w.Write(text.Bytes())
}
