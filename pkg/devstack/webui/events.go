package webui

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// shownEvents is the number of events on a page.
	shownEvents = 300
	// batchEvents is the number of events that are read and sent at once.
	batchEvents = 200
	// debugType is the type of events that are hidden unless they are chosen.
	debugType = "debug"
)

// eventTypes returns the types of events in the order of the filter.
func eventTypes() []string { return []string{"info", "success", "warn", "error", debugType} }

type eventLine struct {
	ID      string
	Created time.Time
	// Type is one of eventTypes. Any other type becomes info.
	Type, Message string
}

func newEventLine(e store.Event, kind string) eventLine {
	return eventLine{e.ID, e.Created, shownType(e, kind), e.Message}
}

// shownType returns the type that a list shows for an event. Events that the page also
// shows as requests or progress are listed as debug events.
func shownType(e store.Event, kind string) string {
	switch {
	case kind == "request.sent" || kind == "request.answered" || kind == "job.live" || kind == "job.progress":
		return debugType
	case slices.Contains(eventTypes(), e.Type):
		return e.Type
	default:
		return "info"
	}
}

// recentIDs holds the ids of the newest events of a kind. It keeps at most 2*most ids.
type recentIDs struct {
	ids  []uint64
	most int
	// total is the number of all events, including forgotten ones.
	total int
}

func (r *recentIDs) add(id uint64) {
	r.total++
	if len(r.ids) >= 2*r.most { // moving all ids on each event would be slow
		r.ids = slices.Delete(r.ids, 0, len(r.ids)-r.most)
	}
	r.ids = append(r.ids, id)
}

func (r recentIDs) newest() []uint64 { return r.ids[max(len(r.ids)-r.most, 0):] }

// digest is the result of one pass over the events of a job. Its size does not depend on
// their number.
type digest struct {
	progress progress
	// requests are the newest events about requests. shown are the newest events that are
	// not for debugging.
	requests, shown recentIDs
	// sent is the number of requests, bytes the size of their responses.
	sent  int
	bytes int64
	// types counts the events of each type.
	types map[string]int
	// faults are the problems of the last error event that has problems.
	faults []note
	// findings are the first warnings that data may be missing.
	findings []finding
	// tables is the number of tables that the component has written.
	tables int
	// after is the id of the last event that was read, or 0.
	after uint64
}

func newDigest() *digest {
	return &digest{requests: recentIDs{most: 3 * shownRequests}, shown: recentIDs{most: shownEvents}, types: map[string]int{}}
}

// add adds the next event. Events must come in order, oldest first.
func (d *digest) add(e store.Event) {
	d.after = eventID(e)
	details := fields(e.Results)
	kind := details.Field("event").Raw()
	d.progress.add(e, details)
	if isRequest(kind) {
		d.requests.add(d.after)
	}
	if kind == "request.answered" {
		d.sent++
		d.bytes += int64(max(decimal(details.Field("bytes")), 0))
	}
	if kind == "table.written" {
		d.tables++
	}
	if f, ok := newFinding(e, details); ok && len(d.findings) < shownFindings {
		d.findings = append(d.findings, f)
	}
	if e.Type == "error" {
		if found := notes(e, details); len(found) > 0 {
			d.faults = found
		}
	}
	shown := shownType(e, kind)
	d.types[shown]++
	if shown != debugType {
		d.shown.add(d.after)
	}
}

// rows returns the number of rows on the pages of all jobs, without jobs that do not
// store them.
func (d *digest) rows() int {
	rows := 0
	for _, l := range d.progress.Lines {
		if !l.Unstored {
			rows += l.Rows
		}
	}
	return rows
}

// fields parses a JSON object. It returns the zero value for any other text.
func fields(results json.RawMessage) value.Value {
	v, err := value.Parse(results)
	if err != nil || v.Kind() != value.Object {
		return value.Value{}
	}
	return v
}

// decimal returns a number, or the number in a text. It returns 0 for any other value and
// for numbers too large to be drawn.
func decimal(v value.Value) float64 {
	const largest = 1e12
	f, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || !(-largest <= f && f <= largest) {
		return 0
	}
	return f
}
