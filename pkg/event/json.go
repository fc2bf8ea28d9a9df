package event

import (
	"bytes"
	"io"

	"github.com/rs/zerolog"
)

// lineLimit is the size, in bytes, at which the platform splits output. All lines are
// shorter.
const lineLimit = 60_000

// TimeLayout is RFC 3339 with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z07:00"

type jsonLines struct{ w io.Writer }

// NewJSON returns a sink that writes each event as one JSON object on a line of its own: time
// (UTC), level, event and message, followed by the fields of the body. Each line is written
// with its line feed in one call of Write, because the platform turns each chunk that it
// reads into an event. Close does not close w.
func NewJSON(w io.Writer) Sink { return jsonLines{w} }

func (s jsonLines) Write(e Event) error {
	if e.Level == Debug {
		return nil // the platform would turn it into an event
	}
	return writeWhole(s.w, fit(e, lineLimit, jsonLine))
}

func (jsonLines) Close() error { return nil }

func jsonLine(e Event) []byte {
	var b bytes.Buffer
	logger := zerolog.New(&b)
	line := logger.Log().
		Str("time", e.Time.UTC().Format(TimeLayout)).
		Str("level", string(e.Level)).
		Str("event", e.Kind).
		Str("message", e.Message)
	for _, f := range e.Fields {
		line = line.Fields([]any{f.Name, f.Value})
	}
	line.Send()
	return b.Bytes()
}

// writeWhole writes p in one call. A short write is an error.
func writeWhole(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}
