package langservice

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type declaration struct {
	field *field.Field // nil for items, and for members without a declaration
	kind  *field.Type  // nil allows any value
	// expression is true if the value may be an expression.
	expression bool
	// attribute is true if the value is an attribute of `config`.
	attribute bool
	// places are the sites where the expression may be, see field.Field.
	places []field.Site
}

func declaredAt(l *schema.Language, n *node) declaration {
	at := declaration{kind: l.Tree.Root()}
	for _, step := range n.path() {
		at = at.child(step)
	}
	return at
}

// child returns the declaration of a member or an item. Without sites of its own, it
// inherits the sites of d.
func (d declaration) child(step *node) declaration {
	below := d.declaredChild(step)
	if below.places == nil {
		below.places = d.places
	}
	return below
}

func (d declaration) declaredChild(step *node) declaration {
	parent := step.parent
	switch {
	case d.kind == nil || isExpression(d.kind):
		return declaration{kind: d.kind, expression: d.expression}
	case parent.kind == array:
		return declarationOf(nil, d.kind.Item())
	case isSingleItem(d.kind, parent):
		d = declarationOf(d.field, d.kind.Others)
	}
	f, inner := d.kind.Inside(step.name)
	switch {
	case f != nil || inner != nil:
		return declarationOf(f, inner)
	case d.expression:
		return declaration{kind: config.ExpressionType, expression: true}
	case d.kind.AllowReferenced || d.kind.Base != nil && d.kind.Base.AllowReferenced:
		return declaration{kind: config.ExpressionType, expression: true, attribute: true, places: []field.Site{expr.InAttributes}}
	default:
		return declaration{}
	}
}

func declarationOf(f *field.Field, t *field.Type) declaration {
	d := declaration{field: f, kind: t, expression: t != nil && (isExpression(t) || strings.HasSuffix(t.Describes(), "or expression"))}
	if f != nil {
		d.places = f.Places
	}
	return d
}

func isExpression(t *field.Type) bool { return t.Name == config.ExpressionType.Name }

// isSingleItem reports whether an object is a single item instead of an object of items.
// It considers only members with a text.
func isSingleItem(t *field.Type, n *node) bool {
	if t.IsSingleItem == nil || n.kind != object {
		return false
	}
	var members []value.Member
	for _, c := range n.children {
		if c.kind == text && c.closed {
			members = append(members, value.Member{Name: c.name, Value: value.OfString("…")})
		}
	}
	return t.IsSingleItem(value.OfMembers(members...))
}
