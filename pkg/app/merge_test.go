package app

import (
	"slices"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// messages are the messages of events.
type messages []string

func (m *messages) Write(e event.Event) error {
	*m = append(*m, e.Message)
	return nil
}

func (m *messages) Close() error { return nil }

func TestMergeProgress(t *testing.T) {
	var got messages
	now := time.Unix(0, 0)
	r := &run{}
	r.Now = func() time.Time { return now }
	r.Log = event.NewLog(&got, &secret.Registry{}, r.Now)
	progress := mergeProgress(r)
	for _, after := range []time.Duration{0, 9 * time.Second, time.Second, 9 * time.Second, 30 * time.Second} {
		now = now.Add(after)
		progress("b.t", int(now.Unix()))
	}
	want := []string{"Table b.t is being merged: 10 rows read so far", "Table b.t is being merged: 49 rows read so far"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
