package webui

import (
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

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
			kinds[body.Kind()] = true
		}
	}
	return kinds
}()

// newFinding returns the finding that an event reports. ok is false for other events.
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

// incomplete reports whether a job succeeded although data may be missing from its
// tables.
func incomplete(j store.Job) bool {
	return j.Status == store.Success && j.Result != nil && j.Result.Incomplete > 0
}
