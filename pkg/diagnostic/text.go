package diagnostic

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// paint is true if the output has colours.
type paint bool

func (p paint) in(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The colours, as SGR codes.
const (
	red    = "1;31"
	yellow = "1;33"
	faint  = "2"
)

// WriteText writes the findings as text, each with its line and a marker.
func WriteText(w io.Writer, reports []*Report, colours bool) error {
	var b strings.Builder
	for _, r := range reports {
		if len(r.Findings) == 0 {
			fmt.Fprintf(&b, "%s: no problems\n", textfmt.Printable(r.File))
			continue
		}
		r.writeFindings(&b, paint(colours))
	}
	text, last := b.String(), summary(reports)
	if last == "" && strings.HasSuffix(text, "\n\n") { // without an empty line at the end
		text = text[:len(text)-1]
	}
	_, err := io.WriteString(w, text+last)
	return err
}

func (r *Report) writeFindings(b *strings.Builder, p paint) {
	secrets := r.secrets()
	for _, f := range r.Findings {
		colour := red
		if f.Severity == Warning {
			colour = yellow
		}
		fmt.Fprintf(b, "%s:%d:%d: %s: %s", textfmt.Printable(r.File), f.Line, f.Column, p.in(colour, string(f.Severity)), textfmt.Printable(f.Message))
		if f.Code != "" {
			fmt.Fprintf(b, " [%s]", f.Code)
		}
		b.WriteString("\n")
		line, marker := r.snippet(f, secrets)
		number := strconv.Itoa(f.Line)
		gap := strings.Repeat(" ", len(number))
		fmt.Fprintf(b, "%s %s\n", p.in(faint, number+" |"), line)
		fmt.Fprintf(b, "%s %s\n", p.in(faint, gap+" |"), p.in(colour, marker))
		if f.Pointer != "" {
			fmt.Fprintf(b, "%s at %s\n", p.in(faint, gap+" ="), textfmt.Printable(f.Pointer))
		}
		if f.Hint != "" {
			fmt.Fprintf(b, "%s hint: %s\n", p.in(faint, gap+" ="), textfmt.Printable(f.Hint))
		}
		b.WriteString("\n")
	}
}

// summary returns the last line, or "" if no finding has a code.
func summary(reports []*Report) string {
	errors, warnings, files := 0, 0, 0
	for _, r := range reports {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code != "" }) {
			files++
		}
		for _, f := range r.Findings {
			if f.Severity == Error {
				errors++
			} else {
				warnings++
			}
		}
	}
	if files == 0 {
		return ""
	}
	where := ""
	if len(reports) > 1 {
		where = fmt.Sprintf(" in %d of %d files", files, len(reports))
	}
	return fmt.Sprintf("%s, %s%s; 'extractor explain CODE' explains a code\n", textfmt.Count(errors, "error"), textfmt.Count(warnings, "warning"), where)
}

// WriteJSON writes the findings of all reports as one JSON array.
func WriteJSON(w io.Writer, reports []*Report) error {
	findings := []Finding{}
	for _, r := range reports {
		findings = append(findings, r.Findings...)
	}
	return textfmt.WriteJSON(w, findings)
}
