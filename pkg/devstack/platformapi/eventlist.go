package platformapi

import (
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

type eventList struct {
	run, component, configuration string
	// query is nil if the request has no query.
	query eventMatcher
	// since and max are exclusive bounds of the event id.
	since, max    uint64
	limit, offset int
	oldestFirst   bool
}

func (s *server) listEvents(r *http.Request) (response, error) {
	list, err := eventListOf(r)
	if err != nil {
		return response{}, err
	}
	events, err := s.find(list)
	return ok(each(events, func(e store.Event) eventRecord { return eventOf(r, e) }), err)
}

func eventListOf(r *http.Request) (eventList, error) {
	q := queryOf(r)
	list := eventList{
		run: q.text("runId"), component: q.text("component"), configuration: q.text("configurationId"),
		limit:       q.number("limit", 100, 1, 10_000),
		offset:      q.number("offset", 0, 0, math.MaxInt32),
		oldestFirst: q.choice("sortOrder", "desc", "asc") == "asc",
		max:         math.MaxUint64,
	}
	list.since, _ = q.eventID("sinceId")
	if below, given := q.eventID("maxId"); given {
		list.max = below
	}
	if text := q.text("q"); text != "" && q.err == nil {
		list.query, q.err = parseEventQuery(text)
	}
	if list.run != "" && !validID(list.run) {
		q.fail(`"runId" must be an id of letters, digits, ".", "_" and "-"`)
	}
	return list, q.err
}

// find returns the selected events in the order of the list. It reads every event only if
// the list covers all runs, oldest first.
func (s *server) find(list eventList) (found []store.Event, err error) {
	skip, limit, forward := list.offset, list.limit, list.oldestFirst && list.run != ""
	backward := list.oldestFirst && !forward
	if backward {
		skip, limit = 0, math.MaxInt
	}
	keep := func(e store.Event) bool {
		id, wanted := list.matches(e)
		switch {
		case forward && id >= list.max || !forward && id <= list.since:
			return false
		case !wanted:
		case skip > 0:
			skip--
		default:
			found = append(found, e)
		}
		return len(found) < limit
	}
	if forward {
		err = s.Store.EventsOf(list.run, list.since, keep)
	} else {
		err = s.Store.Events(list.run, keep)
	}
	if backward {
		slices.Reverse(found)
		found = found[min(list.offset, len(found)):]
		found = found[:min(list.limit, len(found))]
	}
	return found, err
}

// matches reports whether the list selects an event, regardless of limit and offset. It
// also returns the id of the event as a number.
func (l eventList) matches(e store.Event) (id uint64, wanted bool) {
	id, err := strconv.ParseUint(e.ID, 10, 64)
	return id, err == nil && e.Type != hidden && id > l.since && id < l.max &&
		(l.component == "" || e.Component == l.component) &&
		(l.configuration == "" || e.ConfigurationID == l.configuration) &&
		(l.query == nil || l.query(e))
}
