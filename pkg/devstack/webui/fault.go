package webui

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type note struct {
	// Number counts the problems of a job from 1.
	Number  int
	Pointer string
	// Found, Expected and Hint may be empty.
	Found, Expected, Hint string
	// Key is the key that is missing in the object at Pointer, or "".
	Key string
	// Line is the line of the value, or 0 if unknown.
	Line int
	// Missing is true if the pointer does not exist. Line is the line of the nearest
	// value that contains the pointer then.
	Missing bool
}

// notes returns the problems of an error event. If the event has no list of problems, it
// returns one note for the pointer of the event.
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

// missingKey returns the key that is missing according to a problem, or "".
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

// fault describes why a job failed, with notes in its configuration.
type fault struct {
	Message string
	// Kind is user or application.
	Kind, ExceptionID string
	Notes             []note
	// Component and Config identify the configuration that can be edited. They are "" if
	// there is none.
	Component, Config string
	// Sources are the documents with notes.
	Sources []source
	// Outdated is true if the configuration has changed since the job ran. The page shows
	// the current configuration.
	Outdated bool
}

type source struct {
	Title string
	// Stored is true for the document of the configuration itself.
	Stored   bool
	Document document
	// Marks are the notes in the document, from top to bottom. First is the JSON pointer of
	// the first note.
	Marks []note
	First string
}

// newFault adds each note to the document that contains the longest part of its pointer.
// If documents are equal in this, the first one gets the note.
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
		found[i].Line = sources[best].Document.addNote(found[i].Pointer, found[i])
	}
	for _, s := range sources {
		for _, l := range s.Document.Lines {
			s.Marks = append(s.Marks, l.Notes...)
		}
		if len(s.Marks) > 0 {
			s.First = s.Marks[0].Pointer
			f.Sources = append(f.Sources, s)
		}
	}
	return f
}

// shownFindings is the maximum number of findings on the page of a job. It lists the
// first findings.
const shownFindings = 100

type finding struct {
	Message string
	// Pointer is the setting that caused the finding, or the job if the event names no
	// setting.
	Pointer string
}

var findingKinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, body := range event.Bodies() {
		if _, ok := body.(event.Finding); ok {
			kinds[event.KindOf(body)] = true
		}
	}
	return kinds
}()

func newFinding(e store.Event, details value.Value) (f finding, ok bool) {
	if !findingKinds[details.Field("event").Raw()] {
		return finding{}, false
	}
	pointer := details.Field("pointer").Raw()
	if pointer == "" {
		pointer = details.Field("jobPointer").Raw()
	}
	return finding{e.Message, pointer}, true
}

// remaining returns what the next run of a job that succeeded continues with.
func remaining(j store.Job) []string {
	if j.Status != store.Success || j.Result == nil {
		return nil
	}
	return j.Result.Remaining
}

// incomplete reports whether a job succeeded although data may be missing from its
// tables.
func incomplete(j store.Job) bool {
	return j.Status == store.Success && j.Result != nil && j.Result.Incomplete > 0
}
