package event

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// Console writes one line per event for people at a terminal:
//
//	15:04:05 info  Job users finished: 3 pages, 250 rows, page without data
//	15:04:05 WARN  No data found in page 4 of users
//
// Fields follow as key=value, except for empty ones, those for programs and those
// that are in the message. Control characters are shown as Go escapes. The time is
// in the zone of the event's clock. Debug events are not written.
type Console struct {
	w       io.Writer
	colours bool
}

var _ Sink = (*Console)(nil)

// NewConsole makes a sink for a terminal, which it does not close.
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
	for _, f := range e.Fields {
		message := e.Message
		if f.NotInMessage {
			message = ""
		}
		if text := consoleText(f.Value, message); text != "" && !f.MachineOnly {
			b.WriteByte(' ')
			b.WriteString(c.paint(faint, f.Name+"="+text))
		}
	}
	b.WriteByte('\n')
	return writeWhole(c.w, []byte(b.String()))
}

// Close implements Sink. Nothing is pending.
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

// consoleText is a value as text, "" if it is in the message.
func consoleText(v any, message string) string {
	items, ok := v.([]string)
	if !ok {
		items = []string{fmt.Sprint(v)}
	}
	if !slices.ContainsFunc(items, func(item string) bool { return !shows(message, item) }) {
		return ""
	}
	return quoted(strings.Join(items, ","))
}

// shows reports whether a value is in the message as whole words.
func shows(message, value string) bool {
	if value == "" {
		return true
	}
	for from := 0; ; {
		at := strings.Index(message[from:], value)
		if at < 0 {
			return false
		}
		at += from
		if alone(message, at, at+len(value)) {
			return true
		}
		from = at + 1
	}
}

// alone reports whether there is no letter or digit on either side of a part of a
// text.
func alone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !alphanumeric(before) && !alphanumeric(after)
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func quoted(s string) string {
	s = textfmt.Fit(s, consoleValue)
	if strings.ContainsAny(s, " \"") {
		return strconv.Quote(s)
	}
	return textfmt.Printable(s)
}
