package plan

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// expression says in words what an expression consists of: "function concat of
// attr #token", "" for a plain value.
func (p *Preview) expression(v value.Value) string {
	form, ok := p.references.Parse(v, false)
	text := ""
	switch {
	case form.Literal:
		return ""
	case !ok:
		return strings.Join(p.arguments(v), ", ")
	case form.Call:
		text = "function " + form.Name.Raw()
		if args := p.arguments(form.Args); len(args) > 0 {
			text += " of " + strings.Join(args, ", ")
		}
	default:
		text = string(form.Reference.Key) + " " + form.Name.Raw()
	}
	if form.HasDefault {
		text += ", or "
		if otherwise := p.expression(form.Default); otherwise != "" {
			return text + otherwise
		}
		return text + "its default"
	}
	return text
}

// arguments are the expressions among the arguments of a function, each once.
func (p *Preview) arguments(args value.Value) []string {
	var all []string
	add := func(v value.Value) {
		if text := p.expression(v); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, item := range args.Entries() {
		add(item)
	}
	return all
}

// source is a source in words.
func (p *Preview) source(s request.Source) string {
	text := s.From
	if s.Evaluated {
		if how := p.expression(p.document.Lookup(failure.PointerSplit(s.Pointer))); how != "" {
			text += ", " + how
		}
	}
	return p.mask.text(text)
}
