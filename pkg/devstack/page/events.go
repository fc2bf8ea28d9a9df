package page

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// shownEvents is how many events a page shows: the newest.
	shownEvents = 1000
	// batchEvents is how many events are read and sent at once.
	batchEvents = 200
)

// eventTypes are the types of events in the order of the filter.
func eventTypes() []string { return []string{"info", "success", "warn", "error", "debug"} }

// eventLine is an event as it is shown.
type eventLine struct {
	ID      string
	Created time.Time
	// Type is one of eventTypes, info for any other.
	Type, Message string
}

func newEventLine(e store.Event) eventLine {
	shown := "info"
	if slices.Contains(eventTypes(), e.Type) {
		shown = e.Type
	}
	return eventLine{e.ID, e.Created, shown, e.Message}
}

// digest is the result of one pass over the events of a job. Its size does not
// depend on their number.
type digest struct {
	requests waterfall
	// faults are the problems of the last error that names any.
	faults []note
	// findings are the first warnings that data may be missing.
	findings []finding
	// last is a ring of the newest events. The oldest is at total % shownEvents.
	last  []eventLine
	total int
	// after is the id of the last event, 0 for none.
	after uint64
}

// add adds the next event, from the oldest on.
func (d *digest) add(e store.Event) {
	if id, err := strconv.ParseUint(e.ID, 10, 64); err == nil {
		d.after = id
	}
	details := fields(e.Results)
	d.requests.add(e, details)
	if f, ok := newFinding(e, details); ok && len(d.findings) < shownFindings {
		d.findings = append(d.findings, f)
	}
	if e.Type == "error" {
		if found := notes(e, details); len(found) > 0 {
			d.faults = found
		}
	}
	if len(d.last) < shownEvents {
		d.last = append(d.last, newEventLine(e))
	} else {
		d.last[d.total%shownEvents] = newEventLine(e)
	}
	d.total++
}

// events are the newest events, in their order.
func (d *digest) events() []eventLine {
	if d.total <= len(d.last) {
		return d.last
	}
	oldest := d.total % shownEvents
	return append(append([]eventLine{}, d.last[oldest:]...), d.last[:oldest]...)
}

// earlier is how many events came before these.
func (d *digest) earlier() int { return d.total - len(d.last) }

// fields is an object; the zero value for anything else.
func fields(results json.RawMessage) value.Value {
	v, err := value.Parse(results)
	if err != nil || v.Kind() != value.Object {
		return value.Value{}
	}
	return v
}

// decimal reads a number, or the text of one; 0 for anything else and for numbers
// that are too large to be drawn.
func decimal(v value.Value) float64 {
	const largest = 1e12
	f, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || !(-largest <= f && f <= largest) {
		return 0
	}
	return f
}
