package plan

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// expression says in words what an expression consists of: "function concat of
// attr #token", "" for a plain value.
func expression(v value.Value) string {
	if name := v.Field("function"); v.Kind() == value.Object && !name.IsNull() {
		text := "function " + name.Raw()
		if args := arguments(v.Field("args")); len(args) > 0 {
			text += " of " + strings.Join(args, ", ")
		}
		return text
	}
	if v.Len() == 1 && v.Kind() == value.Object {
		if m := v.Members()[0]; m.Value.Kind() == value.String {
			return m.Name + " " + m.Value.Raw()
		}
	}
	return ""
}

// arguments are the expressions among the arguments of a function, each once.
func arguments(args value.Value) []string {
	var all []string
	add := func(v value.Value) {
		if text := expression(v); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, item := range args.Items() {
		add(item)
	}
	for _, m := range args.Members() {
		add(m.Value)
	}
	return all
}

// source is a source in words.
func (p *Preview) source(s engine.Source) string {
	text := s.From
	if s.Evaluated {
		if how := expression(p.document.Lookup(failure.PointerSplit(s.Pointer))); how != "" {
			text += ", " + how
		}
	}
	return p.mask.text(text)
}
