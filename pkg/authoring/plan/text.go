package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// page is a text that grows line by line.
type page struct {
	strings.Builder
	p *Preview
}

// line writes the lines of a text with an indent. It trims white space at the end of each
// line.
func (b *page) line(indent int, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.Repeat(" ", indent)+line, " \t\r")
		b.WriteString(line + "\n")
	}
}

// WriteText writes the requests of the first iteration as text.
func (p *Preview) WriteText(w io.Writer) error {
	b := &page{p: p}
	for _, note := range p.notes() {
		b.line(0, note+"\n")
	}
	for i, d := range p.first() {
		if i > 0 {
			b.line(0, "")
		}
		b.job(d)
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
	if p.Iterations > 1 {
		all = append(all, fmt.Sprintf("Iteration 1 of %d; --json shows all of them.", p.Iterations))
	}
	if len(p.Variables) > 0 {
		all = append(all, fmt.Sprintf("These variables have no value here, a platform may bring it: %s. Give them by --var name=value; what is computed from them cannot be right.", strings.Join(p.Variables, ", ")))
	}
	return all
}

// first returns the planned requests of the first iteration.
func (p *Preview) first() []engine.PlannedRequest {
	end := slices.IndexFunc(p.planned, func(d engine.PlannedRequest) bool { return d.Iteration > 0 })
	if end < 0 {
		end = len(p.planned)
	}
	return p.planned[:end]
}

func (b *page) job(d engine.PlannedRequest) {
	at := 4 * d.Level
	b.line(at, b.p.mask.text(d.Job)+"  ("+b.p.mask.text(d.Pointer)+")")
	at += 2
	if d.Calls != "" {
		b.line(at, b.p.mask.text(d.Calls))
	}
	if d.Window != "" {
		b.line(at, b.p.windows(d))
	}
	for _, note := range d.Notes {
		b.line(at, b.p.mask.text(note))
	}
	if d.Login != nil {
		b.line(at, "\nLogin, before it  ("+b.p.mask.text(d.LoginPointer)+")")
		b.request(at+2, d.Login)
		b.sources(at, d.LoginSources)
		b.part(at, "Rules about responses", d.LoginRules)
		b.part(at, "Remembers for the next login", d.LoginRemembers)
	}
	if d.Problem != nil {
		b.line(at, "\nNo request: "+b.p.mask.text(d.Problem.Error()))
	}
	if d.Request != nil {
		b.line(at, "\nFirst request")
		b.request(at+2, d.Request)
		b.sources(at, d.Sources)
		b.part(at, "Paging", d.Paging)
		b.part(at, "Rules about responses", d.Rules)
	}
	if len(d.Read) > 0 {
		b.line(at, "\nRemembered by earlier runs")
		for _, r := range d.Read {
			b.line(at+2, b.p.mask.text(describeRemembered(r)))
		}
	}
	b.part(at, "Remembers for the next run", d.Remembers)
}

// part writes sentences under a title. It writes nothing if there are no sentences.
func (b *page) part(at int, title string, sentences []string) {
	if len(sentences) > 0 {
		b.line(at, "\n"+title)
	}
	for _, sentence := range sentences {
		b.line(at+2, b.p.mask.text(sentence))
	}
}

// describeRemembered formats a remembered value.
func describeRemembered(r engine.RememberedValue) string {
	switch {
	case r.Values > 0:
		return r.Name + ": " + textfmt.Count(r.Values, "value")
	case r.Value == "":
		return r.Name + ": nothing yet"
	default:
		return r.Name + " = " + r.Value
	}
}

// windows describes the windows of a job in a sentence.
func (p *Preview) windows(d engine.PlannedRequest) string {
	if d.Windows == 0 {
		return p.mask.text("Runs for each of its windows; " + d.Window + ".")
	}
	return p.mask.text(fmt.Sprintf("Runs for %s, the first is %s.", textfmt.Count(d.Windows, "window"), d.Window))
}

func (b *page) request(at int, r *httpclient.Outgoing) {
	m := b.p.mask
	b.line(at, r.Method+" "+shown(b.p.address(r)))
	for _, h := range r.Headers {
		b.line(at, m.text(h.Name)+": "+shown(b.p.header(r, h)))
	}
	if len(r.Body) > 0 {
		b.line(at, "\n"+shown(b.p.body(r)))
	}
}

// sources writes the sources of the parts of a request. Parts of one kind with the same
// source share a line.
func (b *page) sources(at int, all []request.Source) {
	type row struct{ parts, from string }
	var rows []row
	for _, s := range all {
		kind, name, _ := strings.Cut(b.p.mask.text(s.Part), " ")
		from := b.p.mask.text(b.p.words.Source(s))
		if s.Pointer != "" {
			from += "  (" + b.p.mask.text(s.Pointer) + ")"
		}
		same := func(r row) bool { return r.from == from && strings.HasPrefix(r.parts, kind+" ") }
		if i := slices.IndexFunc(rows, same); i >= 0 {
			rows[i].parts += ", " + name
			continue
		}
		rows = append(rows, row{strings.TrimSpace(kind + " " + name), from})
	}
	b.line(at, "\nWhere its parts come from")
	for _, r := range rows {
		b.line(at+2, r.parts+": "+r.from)
	}
}
