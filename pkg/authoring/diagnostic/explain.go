package diagnostic

import (
	"fmt"
	"io"
	"strings"
)

// Explain writes an entry of the catalogue.
func Explain(w io.Writer, e Entry) error {
	_, err := fmt.Fprintf(w, "%s (%s)\n%s\n\nCause\n%s\n\nExample\n%s\n\nWhat to do\n%s\n",
		e.Code, e.Severity, e.Title, indent(e.Cause), indent(e.Example), indent(e.Fix))
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
	for _, e := range Catalogue() {
		fmt.Fprintf(&b, "%-22s %-17s %s\n", e.Code, e.Severity, e.Title)
	}
	b.WriteString("\nEvents of a run\n")
	for _, e := range Events() {
		fmt.Fprintf(&b, "%-22s %-17s %s\n", e.Kind(), e.Level(), e.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
