package diagnostic

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// topic is a code with its severity, or a kind of event with its level. sections are
// headings and texts.
type topic struct {
	Name, Title string
	severity    string
	isEvent     bool
	sections    [][2]string
}

// Topics returns what Explain explains: all codes in the order of the catalogue, then all
// kinds of events in the order of the reference.
func Topics() []topic {
	var all []topic
	for _, e := range catalogue() {
		all = append(all, topic{string(e.Code), e.Title, e.Severity, false, [][2]string{{"Cause", e.Cause}, {"Example", e.Example}, {"What to do", e.Fix}}})
	}
	texts := eventTexts()
	for _, body := range event.Bodies() {
		kind := event.KindOf(body)
		var about []string
		if fields := event.FieldNames(body); len(fields) > 0 {
			about = append(about, "Its fields are "+strings.Join(fields, ", ")+".")
		}
		about = append(about, "docs/reference/events.md#"+strings.ReplaceAll(kind, ".", "")+" describes it.")
		if _, ok := body.(event.Finding); ok {
			about = append(about, "It makes the run incomplete: data may be missing. With \"onIncomplete\": \"fail\" in config it fails the run.")
		}
		text := texts[kind]
		all = append(all, topic{kind, text[0], string(body.Level()), true, [][2]string{{"Event", strings.Join(about, " ")}, {"What to do", text[1]}}})
	}
	return all
}

// Explain writes the explanation of a code or of a kind of event. An unknown name is a user
// error.
func Explain(w io.Writer, name string) error {
	all := Topics()
	i := slices.IndexFunc(all, func(t topic) bool { return t.Name == strings.ToLower(name) })
	if i < 0 {
		hint := "'extractor explain' lists all codes and events"
		names := make([]string, len(all))
		for i, t := range all {
			names[i] = t.Name
		}
		if near, ok := failure.Nearest(strings.ToLower(name), names); ok {
			hint = "did you mean " + near + "?"
		}
		return failure.Userf("there is no code and no event '%s'; %s", name, hint)
	}
	t := all[i]
	if t.isEvent {
		t.severity = "event, " + t.severity
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n%s\n", t.Name, t.severity, t.Title)
	for _, section := range t.sections {
		fmt.Fprintf(&b, "\n%s\n%s\n", section[0], indent(section[1]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indent wraps a text at 76 characters and indents it by two blanks.
func indent(text string) string {
	var lines []string
	line := " "
	for word := range strings.FieldsSeq(text) {
		if len([]rune(line))+1+len([]rune(word)) > 78 && line != " " {
			lines = append(lines, line)
			line = " "
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n")
}

// List writes all codes and all kinds of events with severities and titles.
func List(w io.Writer) error {
	var b strings.Builder
	events := false
	for _, t := range Topics() {
		if t.isEvent && !events {
			b.WriteString("\nEvents of a run\n")
		}
		events = t.isEvent
		fmt.Fprintf(&b, "%-22s %-17s %s\n", t.Name, t.severity, t.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
