package shop

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// The helpdesk gets a ticket every minute and solves it two minutes later. It has three
// tickets when the shop opens. So responses change while someone watches, but are known
// for every moment.
const (
	ticketEvery  = time.Minute
	solvedAfter  = 2 * time.Minute
	firstTickets = 3
	maxTickets   = 100_000
)

type ticket struct {
	ID      int       `json:"id"`
	Subject string    `json:"subject"`
	Status  string    `json:"status"`
	Updated time.Time `json:"updated_at"`
}

// ticketsAt returns the tickets that exist at time now, the least recently changed first.
func ticketsAt(opened, now time.Time) []ticket {
	count := firstTickets + int(min(max(now.Sub(opened)/ticketEvery, 0), maxTickets))
	tickets := make([]ticket, count)
	for i := range tickets {
		at := opened.Add(time.Duration(i+1-firstTickets) * ticketEvery)
		tickets[i] = ticket{ID: i + 1, Subject: fmt.Sprintf("Where is order %d?", 1001+i), Status: "open", Updated: at}
		if solved := at.Add(solvedAfter); !solved.After(now) {
			tickets[i].Status, tickets[i].Updated = "solved", solved
		}
	}
	slices.SortStableFunc(tickets, func(a, b ticket) int { return cmp.Compare(a.Updated.Unix(), b.Updated.Unix()) })
	return tickets
}

func (s *shop) listTickets(w http.ResponseWriter, r *http.Request) {
	since, ok := queryTime(w, r, "since", 0)
	if !ok {
		return
	}
	until, ok := queryTime(w, r, "until", 1<<62)
	if !ok {
		return
	}
	tickets := slices.DeleteFunc(ticketsAt(s.opened, s.now().UTC().Truncate(time.Second)), func(t ticket) bool {
		return t.Updated.Unix() < since || t.Updated.Unix() >= until
	})
	writeJSON(w, http.StatusOK, tickets)
}

// queryTime returns a query parameter that is a Unix time or a date with a time zone, in
// Unix seconds. It returns fallback if the parameter is missing or empty. For any other
// value it writes an error response and returns false.
func queryTime(w http.ResponseWriter, r *http.Request, name string, fallback int64) (seconds int64, ok bool) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		writeError(w, http.StatusBadRequest, name+" must be a Unix time or a date such as 2026-05-04T10:00:00Z")
		return 0, false
	}
	return at.Unix(), true
}
