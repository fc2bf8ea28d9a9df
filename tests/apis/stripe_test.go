package apis

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// stripe lists objects newest first, from the one after the id in starting_after. Facts:
// https://docs.stripe.com/api/pagination, https://docs.stripe.com/rate-limits.
type stripe struct {
	*world
	lists map[string][]stripeObject // newest first
}

type stripeObject struct {
	id      string
	created int64
	fields  map[string]any
}

func newStripe(w *world) imitation {
	s := &stripe{world: w, lists: map[string][]stripeObject{}}
	for i := range 250 {
		s.add("customers", i, map[string]any{"email": "c" + strconv.Itoa(i) + "@example.com", "balance": -i, "delinquent": i%2 == 0})
	}
	for i := range 130 {
		s.add("charges", i, map[string]any{"customer": "customers_" + strconv.Itoa(i), "amount": 100 * i, "currency": "eur", "status": "succeeded"})
		s.add("invoices", i, s.invoice(i))
	}
	return s
}

func (s *stripe) invoice(i int) map[string]any {
	lines := []any{map[string]any{"id": "il_" + strconv.Itoa(i), "description": nil, "amount": i, "quantity": 1}}
	return map[string]any{"total": i, "currency": "eur", "status": "paid", "lines": map[string]any{"object": "list", "data": lines, "has_more": false}}
}

// add adds an object that was created i minutes after the start of the year.
func (s *stripe) add(list string, i int, fields map[string]any) {
	created := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Unix()
	s.lists[list] = slices.Insert(s.lists[list], 0, stripeObject{list + "_" + strconv.Itoa(i), created, fields})
}

func (s *stripe) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.URL.Path[len("/v1/"):]
	list, known := s.lists[name]
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	switch {
	case r.Host != "api.stripe.com" || !known:
		s.refuse(rw, r, http.StatusNotFound, "no such list")
		return
	case r.Header.Get("Authorization") != "Bearer your-secret-key":
		s.refuse(rw, r, http.StatusUnauthorized, "wrong key")
		return
	case err != nil || limit < 1 || limit > 100:
		s.refuse(rw, r, http.StatusBadRequest, "limit must be from 1 to 100")
		return
	}
	s.requests[name]++
	if s.requests[name] == 2 { // too many requests, without Retry-After
		reply(rw, http.StatusTooManyRequests, map[string]any{"error": map[string]any{"code": "rate_limit"}})
		return
	}
	if s.requests[name] == 3 && name == "customers" { // a list that grows while it is read
		s.add(name, 300, map[string]any{"email": "late@example.com"})
	}
	from := 0
	if after := query.Get("starting_after"); after != "" {
		from = slices.IndexFunc(list, func(o stripeObject) bool { return o.id == after }) + 1
		if from == 0 {
			s.refuse(rw, r, http.StatusBadRequest, "no such id: "+after)
			return
		}
	}
	since, _ := strconv.ParseInt(query.Get("created[gte]"), 10, 64)
	rest := slices.DeleteFunc(slices.Clone(list[from:]), func(o stripeObject) bool { return o.created < since })
	data := []any{}
	for _, o := range rest[:min(limit, len(rest))] {
		item := map[string]any{"id": o.id, "object": name, "created": o.created}
		for key, v := range o.fields {
			item[key] = v
		}
		data = append(data, item)
	}
	reply(rw, http.StatusOK, map[string]any{"object": "list", "url": r.URL.Path, "has_more": len(rest) > limit, "data": data})
}

func (s *stripe) nextDay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add("charges", 500, map[string]any{"amount": 7, "currency": "usd", "status": "failed"})
	s.add("invoices", 500, s.invoice(500))
}

func (s *stripe) expected(day int) tables {
	want := tables{}
	for name, list := range s.lists {
		for i, o := range list {
			number := o.id[len(name)+1:]
			late := name == "customers" && number == "300"
			switch {
			case day == 1 && late:
				continue // it came after the first page
			case day == 2 && i > 1:
				continue // the newest of the first day and what is newer
			}
			want[name] = append(want[name], row{"id": o.id, "created": strconv.FormatInt(o.created, 10)})
			if name == "invoices" {
				want["invoice_lines"] = append(want["invoice_lines"], row{"id": "il_" + number, "invoice_id": o.id, "amount": number})
			}
		}
	}
	return want
}
