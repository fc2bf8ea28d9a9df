package langservice

import (
	"regexp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
)

type hover struct {
	// Title is a name, Detail its type in a few words, and Doc its documentation.
	Title  string `json:"title"`
	Detail string `json:"detail,omitzero"`
	Doc    string `json:"doc,omitzero"`
	// Examples are JSON texts.
	Examples []string `json:"examples,omitzero"`
	// Start and End are the range of the name or the value.
	Start int `json:"start"`
	End   int `json:"end"`
}

// Hover returns the documentation of the name or the value at an offset. ok is false if
// there is no documentation.
func (d *buffer) Hover(offset int) (h hover, ok bool) {
	offset = max(0, min(offset, len(d.text)))
	at := cursorAt(d.root, d.text, offset)
	n := at.on
	switch {
	case n == nil:
		return hover{}, false
	case !at.inName && (n.kind == text || n.kind == word):
		if h, ok := d.hoverText(n); ok {
			h.Start, h.End = n.start, n.end
			return h, true
		}
	}
	if n.name == "" {
		return hover{}, false
	}
	h = hover{Title: n.name, Start: n.nameStart, End: n.nameEnd}
	if !at.inName {
		h.Start, h.End = n.start, n.end
	}
	what := declaredAt(d.language, n)
	around := declaredAt(d.language, at.around)
	switch {
	case what.field != nil:
		i := describeField(what.field, around.kind)
		h.Detail, h.Doc, h.Examples = i.Detail, i.Doc, what.field.Examples
		if what.field.Deprecated != "" {
			h.Detail += ", deprecated"
			h.Doc = plain(what.field.Deprecated.String()) + ". " + h.Doc
		}
	case what.attribute:
		h.Detail, h.Doc = "attribute", `A key of your own: {"`+string(expr.Attr)+`": "`+n.name+`"} is its value.`
	case around.expression:
		forms := d.forms(at.around, around)
		i := slices.IndexFunc(forms, func(i Item) bool { return i.Label == n.name })
		if i < 0 {
			return hover{}, false
		}
		h.Detail, h.Doc = forms[i].Detail, forms[i].Doc
	default:
		return hover{}, false
	}
	return h, true
}

// hoverText returns the documentation of a function if the node is its name.
func (d *buffer) hoverText(n *node) (hover, bool) {
	if n.name != functionKey {
		return hover{}, false
	}
	name := n.raw(d.text)
	all := d.language.Vocabulary.Functions
	i := slices.IndexFunc(all, func(f expr.Function) bool { return f.Name == name })
	if i < 0 {
		return hover{}, false
	}
	h := hover{Title: all[i].Name, Detail: all[i].Signature(), Doc: plain(all[i].Doc)}
	for _, e := range all[i].Examples {
		h.Examples = append(h.Examples, name+"("+e.Expression+") is "+e.Value)
	}
	return h, true
}

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// plain removes links and bold type from Markdown. Names stay in backticks.
func plain(doc string) string {
	return strings.ReplaceAll(link.ReplaceAllString(doc, "$1"), "**", "")
}
