package webui

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type note struct {
	// Number counts the problems of a job from 1.
	Number  int
	Pointer string
	// Found, Expected and Hint may be empty.
	Found, Expected, Hint string
	// Key is the key that is missing in the object at Pointer, "" for none.
	Key string
	// Line is its line, 0 if unknown.
	Line int
	// Missing says that the pointer does not exist, so that the line is that of the
	// nearest value that contains it.
	Missing bool
}

// notes are the problems of an error event: those of its list, else that of its
// pointer.
func notes(e store.Event, details value.Value) []note {
	list := details.Field("problems")
	if list.Kind() == value.String {
		// The log turns lists into text.
		if parsed, err := value.Parse([]byte(list.Raw())); err == nil {
			list = parsed
		}
	}
	var found []note
	for _, item := range list.Items() {
		found = append(found, note{
			Number:   len(found) + 1,
			Pointer:  item.Field("pointer").Raw(),
			Found:    item.Field("found").Raw(),
			Expected: item.Field("expected").Raw(),
			Hint:     item.Field("hint").Raw(),
			Key:      missingKey(item),
		})
	}
	if pointer := details.Field("pointer").Raw(); len(found) == 0 && pointer != "" {
		message := strings.TrimSuffix(e.Message, " (at "+pointer+")")
		found = []note{{Number: 1, Pointer: pointer, Expected: message}}
	}
	return found
}

// missingKey is the key that a problem says is missing.
func missingKey(problem value.Value) string {
	if problem.Field("code").Raw() != string(failure.MissingKey) {
		return ""
	}
	_, rest, _ := strings.Cut(problem.Field("expected").Raw(), `the key "`)
	key, _, found := strings.Cut(rest, `"`)
	if !found {
		return ""
	}
	return key
}

// fault is why a job failed, shown in its configuration.
type fault struct {
	Message string
	// Kind is user or application.
	Kind, ExceptionID string
	Notes             []note
	// Component and Config are those of the configuration that can be edited; "" for
	// none.
	Component, Config string
	// Sources are the documents with notes.
	Sources []source
	// Outdated says that the configuration has changed since. The current one is
	// shown.
	Outdated bool
}

// source is a document that configured a job.
type source struct {
	Title string
	// Stored says that it is the configuration itself.
	Stored   bool
	Document document
	marked   bool
}

// newFault adds each note to the document that contains most of its pointer; of
// several to the first.
func newFault(j store.Job, found []note, sources []source) *fault {
	f := &fault{Notes: found}
	if j.Result != nil {
		f.Message, f.Kind, f.ExceptionID = j.Result.Message, j.Result.ErrorType, j.Result.ExceptionID
	}
	if len(sources) == 0 {
		return f
	}
	for i := range found {
		best, depth := 0, -1
		for k := range sources {
			if held := len(sources[k].Document.nearest(found[i].Pointer)); held > depth {
				best, depth = k, held
			}
		}
		found[i].Line = sources[best].Document.mark(found[i].Pointer, found[i])
		sources[best].marked = true
	}
	for _, s := range sources {
		if s.marked {
			f.Sources = append(f.Sources, s)
		}
	}
	return f
}

// Marks are the notes in a document, from its top.
func (s source) Marks() []note {
	var found []note
	for _, l := range s.Document.Lines {
		found = append(found, l.Notes...)
	}
	return found
}

// First is the JSON pointer of the first note in a document.
func (s source) First() string {
	for _, n := range s.Marks() {
		return n.Pointer
	}
	return ""
}
