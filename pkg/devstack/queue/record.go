package queue

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// record stores a record of the component. The sandbox has masked the record.
func (r *execution) record(said sandbox.Record) {
	r.result.Incomplete += event.IncompleteIn(said.Message)
	if rest := event.RemainingIn(said.Message); rest != "" {
		r.result.Remaining = append(r.result.Remaining, r.presentable(rest))
	}
	r.addTotals(said)
	r.emit(store.Event{
		Created:   said.Time,
		Component: r.job.Component,
		RunID:     r.job.ID,
		Type:      said.Type,
		Message:   said.Message,
		Results:   said.Fields,
		Logged:    said.Fields != nil,
		Verbose:   r.q.o.Verbose,
	})
}

// addTotals adds the totals of a run.finished or run.cut event to the result. Without a
// log server the message is the event as JSON.
func (r *execution) addTotals(said sandbox.Record) {
	text := string(said.Fields)
	if text == "" {
		text = said.Message
	}
	if !strings.Contains(text, `"run.finished"`) && !strings.Contains(text, `"run.cut"`) {
		return
	}
	v, err := value.Parse([]byte(text))
	if kind := v.Field("event").Raw(); err != nil || kind != event.KindOf(event.RunFinished{}) && kind != event.KindOf(event.RunCut{}) {
		return
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(v.Field(name).Raw()) // text that is not a number counts as 0
		return max(n, 0)
	}
	if r.result.Counted == nil {
		r.result.Counted = &store.Counted{}
	}
	c := r.result.Counted
	c.Rows += number("rows")
	c.Tables += number("tables")
	c.Requests += number("requests")
	c.Bytes += int64(number("bytes"))
}

func (r *execution) emitEvent(kind, message, description string) {
	r.emit(store.Event{
		Created:     r.q.o.Now(),
		Component:   r.job.Component,
		RunID:       r.job.ID,
		Type:        kind,
		Message:     r.presentable(message),
		Description: r.presentable(description),
	})
}

func (r *execution) presentable(text string) string {
	text = strings.ToValidUTF8(r.secrets.mask.Mask(text), string(utf8.RuneError))
	return sandbox.Shorten(strings.TrimSpace(text))
}
