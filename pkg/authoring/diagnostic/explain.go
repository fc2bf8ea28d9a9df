package diagnostic

import (
	"fmt"
	"io"
	"strings"
)

// Explain writes what a code means: cause, example, cure.
func Explain(w io.Writer, e Entry) error {
	_, err := fmt.Fprintf(w, "%s (%s)\n%s\n\nCause\n%s\n\nExample\n%s\n\nCure\n%s\n",
		e.Code, e.Severity, e.Title, indent(e.Cause), indent(e.Example), indent(e.Cure))
	return err
}

// indent wraps a text at 76 characters, two blanks in front of each line.
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

// List writes all codes with their titles.
func List(w io.Writer) error {
	var b strings.Builder
	for _, e := range Catalogue() {
		fmt.Fprintf(&b, "%-22s %-17s %s\n", e.Code, e.Severity, e.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown is the page docs/diagnostics.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

What ` + "`extractor validate`" + ` may find in a configuration. ` + "`extractor explain CODE`" + ` tells the same on the command line. Errors stop a run before anything is sent; warnings do not.

This page is generated: ` + "`go test ./pkg/authoring/diagnostic -run TestPage -update`" + `.

| code | severity | meaning |
|---|---|---|
`)
	for _, e := range Catalogue() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", e.Code, e.Code, e.Severity, e.Title)
	}
	for _, e := range Catalogue() {
		fmt.Fprintf(&b, "\n## `%s`\n\n%s: %s.\n\n%s\n\n```\n%s\n```\n\n%s\n", e.Code, upper(e.Severity), lowerFirst(e.Title), e.Cause, e.Example, e.Cure)
	}
	return b.String()
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// lowerFirst is a title within a sentence.
func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
