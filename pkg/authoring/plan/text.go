package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	api "github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// page is a text that grows line by line.
type page struct{ strings.Builder }

// line writes the lines of a text with an indent. It trims white space at the end of each
// line.
func (b *page) line(indent int, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.Repeat(" ", indent)+line, " \t\r")
		b.WriteString(line + "\n")
	}
}

// part writes lines under a title. Without lines it omits the title.
func (b *page) part(indent int, title string, lines []string) {
	if len(lines) > 0 {
		b.line(indent, "\n"+title)
	}
	for _, line := range lines {
		b.line(indent+2, line)
	}
}

// WriteText writes the requests of the first iteration as text.
func (p *Preview) WriteText(w io.Writer) error {
	b := &page{}
	for _, note := range p.notes() {
		b.line(0, note+"\n")
	}
	for i, r := range p.first() {
		if i > 0 {
			b.line(0, "")
		}
		b.job(r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// notes returns sentences about all requests.
func (p *Preview) notes() []string {
	var all []string
	if len(p.planned) == 0 {
		all = append(all, "Nothing would be sent.")
	}
	if p.iterations > 1 {
		all = append(all, fmt.Sprintf("Iteration 1 of %d; --json shows all of them.", p.iterations))
	}
	if len(p.variables) > 0 {
		all = append(all, fmt.Sprintf("These variables have no value here, a platform may bring it: %s. Give them by --var name=value; what is computed from them cannot be right.", strings.Join(p.variables, ", ")))
	}
	return all
}

// first returns the requests of the first iteration.
func (p *Preview) first() []*request {
	if end := slices.IndexFunc(p.planned, func(r *request) bool { return r.Iteration > 1 }); end >= 0 {
		return p.planned[:end]
	}
	return p.planned
}

func (b *page) job(r *request) {
	at := 4 * r.level
	b.line(at, r.Job+"  ("+r.Pointer+")")
	at += 2
	if r.Calls != "" {
		b.line(at, r.Calls)
	}
	if r.Windows > 0 {
		b.line(at, fmt.Sprintf("Runs for %s, the first is %s.", textfmt.Count(r.Windows, "window"), r.Window))
	} else if r.Window != "" {
		b.line(at, "Runs for each of its windows; "+r.Window+".")
	}
	for _, note := range r.Notes {
		b.line(at, note)
	}
	if r.login != nil {
		b.request(at, "Login, before it  ("+r.login.Pointer+")", r.login)
		b.part(at, "Remembers for the next login", r.login.Remembers)
	}
	if r.problem == "" {
		b.request(at, "First request", r)
	} else {
		b.line(at, "\nNo request: "+r.problem)
	}
	var read []string
	for _, one := range r.Read {
		switch {
		case one.Values > 0:
			read = append(read, one.Name+": "+textfmt.Count(one.Values, "value"))
		case one.Value == "":
			read = append(read, one.Name+": nothing yet")
		default:
			read = append(read, one.Name+" = "+one.Value)
		}
	}
	b.part(at, "Remembered by earlier runs", read)
	b.part(at, "Remembers for the next run", r.Remembers)
}

func (b *page) request(at int, title string, r *request) {
	b.line(at, "\n"+title)
	b.line(at+2, r.Method+" "+r.URL.String())
	for _, h := range r.Headers {
		b.line(at+2, h.name+": "+h.text.String())
	}
	if len(r.Body) > 0 {
		b.line(at+2, "\n"+r.Body.String())
	}
	b.part(at, "Where its parts come from", sourceLines(r.Sources))
	b.part(at, "Paging", r.Paging)
	b.part(at, "Rules about responses", r.Rules)
}

// sourceLines returns the sources of the parts of a request. Parts of one kind with the
// same source share a line.
func sourceLines(all []api.Source) []string {
	var keys, lines []string // a key is the kind and the source of a line
	for _, s := range all {
		kind, name, _ := strings.Cut(s.Part, " ")
		if s.Pointer != "" {
			s.From += "  (" + s.Pointer + ")"
		}
		key := kind + ": " + s.From
		if i := slices.Index(keys, key); i >= 0 && name != "" {
			lines[i] = strings.TrimSuffix(lines[i], ": "+s.From) + ", " + name + ": " + s.From
			continue
		}
		keys, lines = append(keys, key), append(lines, s.Part+": "+s.From)
	}
	return lines
}
