package webui

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

type eventList struct {
	listing
	paging
	Job string
	// Live is true if new events are appended to the list.
	Live  bool
	Lines []eventLine
	Types []typeCount
	// Total is the number of all events, including debug events.
	Total int
	// Others are the query parameters of the list of requests.
	Others url.Values
}

type typeCount struct {
	Type   string
	Count  int
	Chosen bool
}

// requestList is the part of a job's requests that its page shows.
type requestList struct {
	listing
	paging
	waterfall
	Job string
	// Filtered is true if the list is restricted by a phrase or by kinds.
	Filtered bool
	// Total is the number of all requests. Others are the query parameters of the list of
	// events.
	Total  int
	Others url.Values
}

// slowRequest is the minimum duration, in nanoseconds, of a slow request.
const slowRequest = 1e9

// standardTypes returns the types of events that are shown unless others are chosen.
func standardTypes() []string {
	return slices.DeleteFunc(eventTypes(), func(t string) bool { return t == debugType })
}

func eventListing(query url.Values) listing {
	l := newListing(query, "e", eventTypes())
	if slices.Equal(l.Kinds, standardTypes()) {
		l.Kinds = nil
	}
	return l
}

func requestListing(query url.Values) listing {
	return newListing(query, "r", []string{"failed", "slow"})
}

func wantsEvent(l listing, line eventLine) bool {
	types := l.Kinds
	if len(types) == 0 {
		types = standardTypes()
	}
	return slices.Contains(types, line.Type) && contains(line.Message, l.Phrase)
}

// contains ignores case.
func contains(text, phrase string) bool {
	return phrase == "" || strings.Contains(strings.ToLower(text), strings.ToLower(phrase))
}

// eventList reads the events that a page shows.
func (s *site) eventList(r *http.Request, job string, d *digest) (eventList, error) {
	l := eventListing(r.URL.Query())
	list := eventList{listing: l, Job: job, Live: !l.paged, Others: requestListing(r.URL.Query()).query()}
	for _, t := range eventTypes() {
		list.Types = append(list.Types, typeCount{t, d.types[t], slices.Contains(l.Kinds, t) || len(l.Kinds) == 0 && t != debugType})
		list.Total += d.types[t]
	}
	if !l.filtered() && !l.paged {
		events, err := s.eventsWith(d.shown.newest())
		if err != nil {
			return list, err
		}
		list.fill(found{events: events, earlier: d.shown.total > len(events)})
		return list, nil
	}
	f, err := s.search(r, job, l, shownEvents, mayContain(l.Phrase), func(e store.Event) (keep, counts bool) {
		if !contains(e.Message, l.Phrase) {
			return false, false // the fields may be large, so they are not parsed here
		}
		wanted := wantsEvent(l, newEventLine(e, kindOf(e)))
		return wanted, wanted
	})
	list.fill(f)
	return list, err
}

func (l *eventList) fill(f found) {
	for _, e := range f.events {
		l.Lines = append(l.Lines, newEventLine(e, kindOf(e)))
	}
	var first, last uint64
	if n := len(f.events); n > 0 {
		first, last = eventID(f.events[0]), eventID(f.events[n-1])
	}
	l.paging = l.links(jobURL(l.Job), l.Others, first, last, f.earlier, f.later, "job-events")
}

// kindOf returns the kind of an event of the component, or "" for other events.
func kindOf(e store.Event) string {
	if !bytes.Contains(e.Results, []byte(`"event"`)) {
		return ""
	}
	return fields(e.Results).Field("event").Raw()
}

// requestList reads the requests that a page shows.
func (s *site) requestList(r *http.Request, job string, d *digest) (requestList, error) {
	l := requestListing(r.URL.Query())
	list := requestList{listing: l, Job: job, Filtered: l.filtered(), Total: d.sent, Others: eventListing(r.URL.Query()).query()}
	if !l.filtered() && !l.paged {
		events, err := s.eventsWith(d.requests.newest())
		if err != nil {
			return list, err
		}
		requests := requestsOf(events)
		list.fill(requests[max(len(requests)-shownRequests, 0):], d.sent > shownRequests, false)
		return list, nil
	}
	phrase := strings.ToLower(l.Phrase)
	var may func([]byte) bool
	if l.filtered() {
		may = func(text []byte) bool {
			return bytes.Contains(text, []byte(`"request.answered"`)) || bytes.Contains(text, []byte(`"response.`))
		}
	}
	f, err := s.search(r, job, l, shownRequests, may, func(e store.Event) (keep, counts bool) {
		if !bytes.Contains(e.Results, []byte(`"event"`)) {
			return false, false
		}
		details := fields(e.Results)
		kind := details.Field("event").Raw()
		if kind != "request.answered" {
			// The request before a wait may not be in the list.
			return isRequest(kind) && (!l.filtered() || strings.HasPrefix(kind, "response.")), false
		}
		q := newRequest(e, details)
		wanted := q.matches(phrase) && (len(l.Kinds) == 0 || slices.Contains(l.Kinds, "failed") && (q.Status == 0 || q.Status >= 400) || slices.Contains(l.Kinds, "slow") && q.Took >= slowRequest)
		return wanted, wanted
	})
	if err != nil {
		return list, err
	}
	list.fill(requestsOf(f.events), f.earlier, f.later)
	return list, nil
}

func (l *requestList) fill(requests []request, earlier, later bool) {
	l.waterfall = newWaterfall(requests)
	var first, last uint64
	if n := len(requests); n > 0 {
		first, last = requests[0].ID, requests[n-1].ID
	}
	l.paging = l.links(jobURL(l.Job), l.Others, first, last, earlier, later, "job-requests")
}

// live reports whether a running job updates the list.
func (l requestList) live() bool { return !l.paged && !l.filtered() }
