package queue

import (
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// Of a message that is too long the platform shows both ends.
const (
	messageRunes = 4000
	endRunes     = 1997
)

// record keeps what the component said, one record after another. The sandbox
// has masked it.
func (r *run) record(said sandbox.Record) {
	r.result.Incomplete += event.IncompleteIn(said.Message)
	r.events.add(store.Event{
		Created:   said.Time,
		Component: r.job.Component,
		RunID:     r.job.ID,
		Type:      said.Type,
		Message:   said.Message,
		Results:   said.Fields,
	})
}

// say keeps what the platform itself has to tell about the job.
func (r *run) say(kind, message, description string) {
	r.events.add(store.Event{
		Created:     r.q.o.Now(),
		Component:   r.job.Component,
		RunID:       r.job.ID,
		Type:        kind,
		Message:     r.presentable(message),
		Description: r.presentable(description),
	})
}

// presentable is a text that can be shown: masked, valid, and not too long.
func (r *run) presentable(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(r.secrets.mask.Redact(text), string(utf8.RuneError)))
	if utf8.RuneCountInString(text) <= messageRunes {
		return text
	}
	runes := []rune(text)
	return string(runes[:endRunes]) + " ... " + string(runes[len(runes)-endRunes:])
}
