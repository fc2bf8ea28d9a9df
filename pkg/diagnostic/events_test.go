package diagnostic

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// TestEveryEventIsExplained: each kind of event has a title and advice, and no other one has.
func TestEveryEventIsExplained(t *testing.T) {
	texts := eventTexts()
	for _, body := range event.Bodies() {
		text := texts[event.KindOf(body)]
		if text[0] == "" || text[1] == "" {
			t.Errorf("%s has no text in events.go", event.KindOf(body))
		}
		if level := body.Level(); text[1] == nothing && (level == event.Warn || level == event.Error) {
			t.Errorf("%s is a warning or an error: what is there to do about it?", event.KindOf(body))
		}
		delete(texts, event.KindOf(body))
	}
	for kind := range texts {
		t.Errorf("there is no event %s", kind)
	}
}

func TestExplainEvent(t *testing.T) {
	var b strings.Builder
	if err := Explain(&b, "paging.stalled"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"paging.stalled (event, warn)\n", "Its fields are job, page, flag, field, pointer,", "events.md#pagingstalled", "incomplete"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
}
