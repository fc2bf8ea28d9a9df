package langservice

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const maxItems = 100

// Item is one completion.
type Item struct {
	// Label is the text that the user selects.
	Label string `json:"label"`
	// Kind is key, value, function, reference, attribute, placeholder, variable, name or
	// example.
	Kind string `json:"kind"`
	// Detail is the type or the form in a few words.
	Detail string `json:"detail,omitzero"`
	// Doc is the documentation.
	Doc string `json:"doc,omitzero"`
	// Insert replaces the text from Start to End. Caret is the number of bytes from Start
	// to the cursor after the replacement.
	Insert string `json:"insert"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Caret  int    `json:"caret"`
}

// Complete returns the completions at an offset, best first.
func (d *buffer) Complete(offset int) []Item {
	offset = max(0, min(offset, len(d.text)))
	at := cursorAt(d.root, d.text, offset)
	c := completer{d: d, offset: offset}
	switch {
	case at.after:
	case at.inName:
		c.names(at.around, at.on)
	case at.on == nil && at.around != nil && at.around.kind == object:
		c.names(at.around, nil)
	case at.on == nil && at.around != nil:
		c.value(&node{parent: at.around, start: offset, end: offset})
	case at.on != nil && at.on.kind == text:
		c.inText(at.on)
	case at.on != nil && (at.on.kind == missing || at.on.kind == word):
		c.value(at.on)
	}
	return c.best()
}

type completer struct {
	d      *buffer
	offset int
	prefix string // text before the cursor that completions must match
	items  []Item
}

// best returns at most maxItems items that match the prefix. Items that begin with the
// prefix come first, then items that contain it, both in their order.
func (c *completer) best() []Item {
	prefix := strings.ToLower(c.prefix)
	rank := func(i Item) int {
		label := strings.ToLower(i.Label)
		switch {
		case strings.HasPrefix(label, prefix), strings.HasPrefix(strings.Trim(label, `"#{`), strings.Trim(prefix, `"#{`)):
			return 0
		case strings.Contains(label, prefix):
			return 1
		default:
			return 2
		}
	}
	found := slices.DeleteFunc(c.items, func(i Item) bool { return rank(i) == 2 })
	slices.SortStableFunc(found, func(a, b Item) int { return rank(a) - rank(b) })
	return found[:min(len(found), maxItems)]
}

// names adds names of members. They replace the name of node on, or begin a new member if
// on is nil.
func (c *completer) names(around, on *node) {
	what := declaredAt(c.d.language, around)
	start, end, before := c.offset, c.offset, ""
	if on != nil {
		start, end = on.nameStart, on.nameEnd
		c.prefix = unquoted(c.d.text[start:max(start, c.offset)], false)
	}
	if gap := c.commaBefore(start); gap >= 0 {
		before, start = ","+c.d.text[gap:start], gap
	}
	add := func(i Item, skeleton string) {
		name := before + value.OfString(i.Label).JSON()
		if on != nil && on.colon > 0 {
			skeleton = ""
		} else {
			name += ": "
		}
		c.add(i, start, end, name, skeleton, on == nil || on.colon == 0)
	}
	has := func(name string) bool { n := around.child(name); return n != nil && n != on }
	if what.kind != nil && isExpression(what.kind) || what.expression {
		for _, i := range c.d.forms(around, what) {
			if !has(i.Label) {
				add(i, i.Insert)
			}
		}
	}
	if what.kind == nil {
		return
	}
	if around.parent != nil && around.name == config.JobPlaceholders.Name {
		for _, name := range c.endpointPlaceholders(around.parent) {
			if !has(name) {
				add(Item{Label: name, Kind: "placeholder", Detail: "{" + name + "} of the endpoint", Doc: "The path of its value in the item of the parent."}, `"|"`)
			}
		}
	}
	fields := what.kind.Members(func(name string) value.Value { return value.OfString(around.child(name).raw(c.d.text)) })
	first := func(f *field.Field) int {
		if what.kind.Needs(f.Name) || around == c.d.root && f.Name == config.Wrapper.Name {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(fields, func(a, b *field.Field) int { return first(a) - first(b) })
	for _, f := range fields {
		if !has(f.Name) {
			add(describeField(f, what.kind), skeleton(f))
		}
	}
}

// add adds an item that replaces a range by the text before and a value. A | in the value
// is the cursor. If comma is true and the quote of the next member follows, the item ends
// with the missing comma.
func (c *completer) add(i Item, start, end int, before, inserted string, comma bool) {
	inserted, after, _ := strings.Cut(inserted, "|")
	i.Caret = len(before) + len(inserted)
	if comma && strings.HasPrefix(strings.TrimLeft(c.d.text[end:], " \t\r\n"), `"`) {
		after += ","
	}
	i.Insert, i.Start, i.End = before+inserted+after, start, end
	c.items = append(c.items, i)
}

// commaBefore returns the end of the value before an offset if a comma is missing between
// them, otherwise -1.
func (c *completer) commaBefore(offset int) int {
	before := strings.TrimRight(c.d.text[:offset], " \t\r\n")
	if before == "" || strings.ContainsAny(before[len(before)-1:], "{[,:") {
		return -1
	}
	return len(before)
}

func describeField(f *field.Field, in *field.Type) Item {
	detail := f.Type.Describes()
	if in != nil && in.Needs(f.Name) {
		detail += ", required"
	}
	if !f.Default.IsNull() {
		detail += ", default " + f.Default.JSON()
	}
	return Item{Label: f.Name, Kind: "key", Detail: detail, Doc: plain(f.Doc)}
}

// skeleton returns the beginning of a value, with | as the cursor.
func skeleton(f *field.Field) string {
	t := f.Type
	switch {
	case t.Allows(value.Bool) && !t.Allows(value.Object) && !f.Default.IsNull() && f.Default.Kind() == value.Bool:
		return value.OfBool(!f.Default.True()).JSON() + "|"
	case t.Allows(value.Array) && !t.Allows(value.String):
		return "[|]"
	case t.Allows(value.Object) && !t.Allows(value.String):
		return "{|}"
	case t.Allows(value.String) && !t.Allows(value.Number) || len(t.Values()) > 0 || t.Describes() == field.TextType.Title || f.Name == config.JobDataType.Name:
		return `"|"`
	default:
		return "|"
	}
}

// value adds completions for a whole value. They replace node n, which is missing or a
// word.
func (c *completer) value(n *node) {
	what := declaredAt(c.d.language, n)
	start := n.start
	if n.kind == missing {
		start = c.offset
	}
	c.prefix = c.d.text[start:max(start, min(c.offset, n.end))]
	before := ""
	if n.colon > 0 && start == n.colon {
		before = " "
	}
	if n.colon == 0 {
		if gap := c.commaBefore(start); gap >= 0 {
			before, start = ","+c.d.text[gap:start], gap
		}
	}
	add := func(i Item, insert string) {
		c.add(i, start, max(n.end, c.offset), before, insert, n.colon > 0)
	}
	for _, name := range c.knownValues(n, what) {
		add(name, value.OfString(name.Label).JSON())
	}
	if what.kind == nil {
		return
	}
	t := what.kind
	if f := what.field; f != nil {
		if !f.Default.IsNull() && len(t.Values()) == 0 {
			add(Item{Label: f.Default.JSON(), Kind: "value", Detail: "the default"}, f.Default.JSON())
		}
		if t.Describes() == field.FlagType.Title {
			add(Item{Label: "true", Kind: "value"}, "true")
			add(Item{Label: "false", Kind: "value"}, "false")
		}
		for _, e := range f.Examples {
			add(Item{Label: e, Kind: "example", Detail: "an example"}, e)
		}
	}
	if what.expression {
		for _, i := range c.d.forms(n, what) {
			label := `{"` + i.Label + `": …}`
			add(Item{Label: label, Kind: i.Kind, Detail: i.Detail, Doc: i.Doc}, `{"`+i.Label+`": `+i.Insert+`}`)
		}
	}
	switch {
	case isExpression(t):
	case t.Allows(value.Array) && !t.Allows(value.String):
		add(Item{Label: "[]", Kind: "value", Detail: t.Describes()}, "[|]")
	case t.Allows(value.Object) && !t.Allows(value.String):
		add(Item{Label: "{}", Kind: "value", Detail: t.Describes()}, "{|}")
	}
	c.items = slices.CompactFunc(c.items, func(a, b Item) bool { return a.Insert == b.Insert })
}
