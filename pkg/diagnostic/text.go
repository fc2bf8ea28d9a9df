package diagnostic

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// paint is a colour of a terminal, or nothing.
type paint bool

func (p paint) in(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The colours: SGR codes.
const (
	red    = "1;31"
	yellow = "1;33"
	faint  = "2"
)

// WriteText writes the findings for people: each with its line and a marker
// under what it is about. file is the name to show.
func (r *Report) WriteText(w io.Writer, file string, colours bool) error {
	p, secrets := paint(colours), r.secrets()
	var b strings.Builder
	for _, f := range r.Findings {
		colour := red
		if f.Severity == Warning {
			colour = yellow
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", file, f.Line, f.Column, p.in(colour, string(f.Severity)), f.Message, f.Code)
		line, marker := r.snippet(f, secrets)
		number := strconv.Itoa(f.Line)
		gap := strings.Repeat(" ", len(number))
		fmt.Fprintf(&b, "%s %s\n", p.in(faint, number+" |"), line)
		fmt.Fprintf(&b, "%s %s\n", p.in(faint, gap+" |"), p.in(colour, marker))
		if f.Pointer != "" {
			fmt.Fprintf(&b, "%s at %s\n", p.in(faint, gap+" ="), f.Pointer)
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "%s hint: %s\n", p.in(faint, gap+" ="), f.Hint)
		}
		b.WriteString("\n")
	}
	b.WriteString(r.summary(file))
	_, err := io.WriteString(w, b.String())
	return err
}

// summary is the last line.
func (r *Report) summary(file string) string {
	if len(r.Findings) == 0 {
		return file + ": no problems\n"
	}
	errors, warnings := 0, 0
	for _, f := range r.Findings {
		if f.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return fmt.Sprintf("%s, %s; 'extractor explain CODE' tells more\n", count(errors, "error"), count(warnings, "warning"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// WriteJSON writes the findings as a list of objects.
func (r *Report) WriteJSON(w io.Writer) error {
	findings := r.Findings
	if findings == nil {
		findings = []Finding{}
	}
	return writeJSON(w, findings)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
