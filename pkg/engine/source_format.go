package engine

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// SourceFormatter describes in words where values come from.
type SourceFormatter struct {
	// References are the references of the expression language.
	References expr.References
	// Document is the document that the pointers of sources refer to.
	Document value.Value
}

// Source describes the source of a part of a request: "job, function concat of attr
// #token".
func (w SourceFormatter) Source(s request.Source) string {
	text := s.From
	if s.Evaluated {
		if how := w.Expression(w.Document.Lookup(failure.PointerSplit(s.Pointer))); how != "" {
			text += ", " + how
		}
	}
	return text
}

// Expression describes an expression: "function concat of attr #token". It returns "" for
// a plain value.
func (w SourceFormatter) Expression(v value.Value) string {
	form, ok := w.References.Parse(v, false)
	text := ""
	switch {
	case form.Literal:
		return ""
	case !ok:
		return strings.Join(w.arguments(v), ", ")
	case form.Call:
		text = "function " + form.Name.Raw()
		if args := w.arguments(form.Args); len(args) > 0 {
			text += " of " + strings.Join(args, ", ")
		}
	default:
		text = string(form.Reference.Key) + " " + form.Name.Raw()
	}
	if form.HasDefault {
		text += ", or "
		if otherwise := w.Expression(form.Default); otherwise != "" {
			return text + otherwise
		}
		return text + "its default"
	}
	return text
}

// arguments returns distinct descriptions of the expressions in the arguments of a
// function.
func (w SourceFormatter) arguments(args value.Value) []string {
	var all []string
	add := func(v value.Value) {
		if text := w.Expression(v); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, item := range args.Entries() {
		add(item)
	}
	return all
}
