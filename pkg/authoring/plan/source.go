package plan

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/engine"
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

// lookup is what stands at a JSON pointer of the document.
func lookup(v value.Value, pointer string) value.Value {
	if pointer == "" {
		return value.Value{}
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if v.Kind() == value.Array {
			v, _ = v.At(token, ".")
			continue
		}
		v = v.Field(token)
	}
	return v
}

// source is a source in words.
func (p *Preview) source(s engine.Source) string {
	text := s.From
	if s.Evaluated {
		if how := expression(lookup(p.document, s.Pointer)); how != "" {
			text += ", " + how
		}
	}
	return p.mask.text(text)
}
