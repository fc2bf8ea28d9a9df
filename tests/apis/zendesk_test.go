package apis

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// zendesk exports tickets and users in the order of their changes. A cursor is a place in
// this order, which stays valid for the next export. Facts:
// https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/,
// https://developer.zendesk.com/documentation/ticketing/managing-tickets/using-the-incremental-export-api/.
type zendesk struct {
	*world
	streams map[string][]map[string]any // in the order of the changes
	ends    map[string]int              // the length of each stream after the first day
	sent    []time.Time                 // requests of the last minute
}

const (
	zendeskPage  = 100
	zendeskSince = 1577836800 // 2020-01-01
)

func newZendesk(w *world) imitation {
	z := &zendesk{world: w, streams: map[string][]map[string]any{}, ends: map[string]int{}}
	for i := range 1430 {
		z.ticket(i, "open")
	}
	for i := range 2*zendeskPage + 1 {
		z.user(i)
	}
	return z
}

func (z *zendesk) ticket(i int, status string) {
	z.streams["tickets"] = append(z.streams["tickets"], map[string]any{
		"id": 360001000000 + i, "subject": "Ticket " + strconv.Itoa(i), "status": status, "priority": nil,
		"tags":          []any{"web", "t" + strconv.Itoa(i%3)},
		"custom_fields": []any{map[string]any{"id": 27642, "value": strconv.Itoa(i)}, map[string]any{"id": 27648, "value": []any{"a", "b"}}},
	})
}

func (z *zendesk) user(i int) {
	z.streams["users"] = append(z.streams["users"], map[string]any{"id": 90001 + i, "name": "User " + strconv.Itoa(i), "role": "end-user", "active": i != 7})
}

func (z *zendesk) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	z.mu.Lock()
	defer z.mu.Unlock()
	name, isExport := strings.CutPrefix(r.URL.Path, "/api/v2/incremental/")
	name, _ = strings.CutSuffix(name, "/cursor.json")
	user, token, _ := r.BasicAuth()
	from, err := z.from(r)
	switch {
	case r.Host != "your-company.zendesk.com" || r.Method != http.MethodGet || !isExport || z.streams[name] == nil:
		z.refuse(rw, r, http.StatusNotFound, "no such export")
		return
	case user != "you@example.com/token" || token != "your-api-token":
		z.refuse(rw, r, http.StatusUnauthorized, "wrong credentials")
		return
	case err != nil:
		z.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	case z.isBusy():
		z.refuse(rw, r, http.StatusTooManyRequests, "more than 10 requests in a minute")
		return
	}
	z.requests[name]++
	switch {
	case z.requests[name] == 3:
		rw.Header().Set("Retry-After", "93")
		reply(rw, http.StatusTooManyRequests, map[string]any{"error": "TooManyRequests", "description": "Number of allowed incremental export API requests per minute exceeded"})
		return
	case z.requests[name] == 2 && name == "tickets": // an export that grows while it is read
		z.ticket(5000, "new")
	}
	stream := z.streams[name]
	to := min(from+zendeskPage, len(stream))
	after := base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to) + "||"))
	reply(rw, http.StatusOK, map[string]any{
		name: stream[from:to], "end_of_stream": to == len(stream), "before_cursor": nil, "before_url": nil,
		"after_cursor": after, "after_url": address(r.Host, r.URL.Path+"?cursor="+after),
	})
}

// from is where the page begins that a request is for.
func (z *zendesk) from(r *http.Request) (int, error) {
	query := r.URL.Query()
	cursor, start := query.Get("cursor"), query.Get("start_time")
	switch {
	case len(query) != 1:
		return 0, fmt.Errorf("cursor or start_time is expected, not %q", r.URL.RawQuery)
	case start != "":
		since, err := strconv.ParseInt(start, 10, 64)
		if err == nil && since != zendeskSince {
			err = fmt.Errorf("start_time is %d", since)
		}
		return 0, err
	}
	text, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSuffix(string(text), "||"))
}

// isBusy counts a request, and reports whether there are more than 10 in a minute.
func (z *zendesk) isBusy() bool {
	now := z.Now()
	for len(z.sent) > 0 && now.Sub(z.sent[0]) >= time.Minute {
		z.sent = z.sent[1:]
	}
	z.sent = append(z.sent, now)
	return len(z.sent) > 10
}

func (z *zendesk) nextDay() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for name, stream := range z.streams {
		z.ends[name] = len(stream)
	}
	z.ticket(3, "solved")
	z.ticket(4, "deleted")
	z.ticket(5001, "new")
}

func (z *zendesk) expected(int) tables {
	z.mu.Lock()
	defer z.mu.Unlock()
	want := tables{"tickets": nil, "ticket_fields": nil, "users": nil}
	for _, ticket := range z.streams["tickets"][z.ends["tickets"]:] {
		id := fmt.Sprint(ticket["id"])
		want["tickets"] = append(want["tickets"], row{"id": id, "status": ticket["status"].(string), "subject": ticket["subject"].(string)})
		fields := ticket["custom_fields"].([]any)
		want["ticket_fields"] = append(want["ticket_fields"],
			row{"ticket_id": id, "id": "27642", "value": fields[0].(map[string]any)["value"].(string)},
			row{"ticket_id": id, "id": "27648", "value": `["a","b"]`})
	}
	for _, user := range z.streams["users"][z.ends["users"]:] {
		active := map[any]string{true: "1", false: ""}[user["active"]]
		want["users"] = append(want["users"], row{"id": fmt.Sprint(user["id"]), "active": active})
	}
	return want
}
