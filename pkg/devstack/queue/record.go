package queue

import (
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// record stores a record of the component. The sandbox has masked it.
func (r *run) record(said sandbox.Record) {
	r.result.Incomplete += event.IncompleteIn(said.Message)
	r.emit(store.Event{
		Created:   said.Time,
		Component: r.job.Component,
		RunID:     r.job.ID,
		Type:      said.Type,
		Message:   said.Message,
		Results:   said.Fields,
	})
}

// say adds an event of the platform itself.
func (r *run) say(kind, message, description string) {
	r.emit(store.Event{
		Created:     r.q.o.Now(),
		Component:   r.job.Component,
		RunID:       r.job.ID,
		Type:        kind,
		Message:     r.presentable(message),
		Description: r.presentable(description),
	})
}

// presentable is a text that can be shown: masked, valid UTF-8, and not too long.
func (r *run) presentable(text string) string {
	text = strings.ToValidUTF8(r.secrets.mask.Redact(text), string(utf8.RuneError))
	return sandbox.Shorten(strings.TrimSpace(text))
}
