package event

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// consoleValue is the maximum length of a value on the terminal, in characters.
const consoleValue = 100

// The colours of the terminal.
const (
	plain  = "\x1b[0m"
	faint  = "\x1b[2m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
)

// Console is a sink for people at a terminal.
type Console struct {
	w       io.Writer
	colours bool
}

// NewConsole returns a sink that writes each event as one line for people at a terminal:
//
//	15:04:05 info  Job users finished: 3 pages, 250 rows, page without data
//	15:04:05 WARN  No data found in page 4 of users
//
// The fields follow as key=value, without fields that are empty, intended for programs, or
// shown by the message. Control characters are shown as Go escapes. The time is in the
// time zone of the event. Debug events are not written. Close does not close w.
func NewConsole(w io.Writer, colours bool) *Console { return &Console{w, colours} }

func (c *Console) Write(e Event) error {
	if e.Level == Debug {
		return nil
	}
	var b strings.Builder
	b.WriteString(c.paint(faint, e.Time.Format("15:04:05")))
	b.WriteByte(' ')
	b.WriteString(c.level(e.Level))
	b.WriteByte(' ')
	b.WriteString(textfmt.Printable(e.Message))
	for _, f := range terminalFields(e.Body) {
		text, isList := f.Value.([]string)
		if !isList {
			text = []string{fmt.Sprint(f.Value)}
		}
		b.WriteByte(' ')
		b.WriteString(c.paint(faint, f.Name+"="+quoted(strings.Join(text, ","))))
	}
	b.WriteByte('\n')
	return writeWhole(c.w, []byte(b.String()))
}

func (c *Console) Close() error { return nil }

func (c *Console) level(l Level) string {
	switch l {
	case Error:
		return c.paint(red, "ERROR")
	case Warn:
		return c.paint(yellow, "WARN ")
	default:
		return "info "
	}
}

func (c *Console) paint(colour, text string) string {
	if !c.colours {
		return text
	}
	return colour + text + plain
}

func quoted(s string) string {
	s = textfmt.Fit(s, consoleValue)
	if strings.ContainsAny(s, " \"") {
		return strconv.Quote(s)
	}
	return textfmt.Printable(s)
}
