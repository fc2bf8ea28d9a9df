package expr

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Part is a part of a text that an expression makes.
type Part struct {
	Text string
	// Value is true if a reference or a function returned the text. Other parts are
	// literals of the configuration.
	Value bool
	// Encoded is true if a function percent-encoded the value.
	Encoded bool
	// Placeholder is the name of the placeholder with this value, or "".
	Placeholder string

	item int // index in a list
}

// Parts evaluates the expression like Eval, and splits the text. It follows functions
// that join texts (concat, implode, sprintf, replace), change each letter (lower, upper),
// or choose a text (if, ifempty). The result of any other function is a single part.
func (e Expr) Parts(s *Scope) (value.Value, []Part, error) {
	if e.node == nil {
		return value.Value{}, nil, nil
	}
	return partsOf(e.node, s)
}

// EvalUnencoded returns the value of Eval, and the value before percent-encoding if the
// outermost function encodes. Otherwise both values are the same.
func (e Expr) EvalUnencoded(s *Scope) (v, before value.Value, err error) {
	c, ok := e.encoding()
	if !ok {
		v, err = e.Eval(s)
		return v, v, err
	}
	args, err := c.args.evalItems(s)
	if err != nil {
		return value.Value{}, value.Value{}, err
	}
	v, err = c.evalWith(s, args)
	if f, ok := e.node.(fallback); ok && err == nil && v.IsBlank() {
		v, err = f.otherwiseOf(v, s)
		return v, v, err
	}
	return v, args[0], err
}

// Encodes reports whether the outermost function percent-encodes its argument.
func (e Expr) Encodes() bool {
	_, ok := e.encoding()
	return ok
}

// encoding returns the outermost call if its function percent-encodes.
func (e Expr) encoding() (call, bool) {
	n := e.node
	if f, ok := n.(fallback); ok {
		n = f.node
	}
	c, ok := n.(call)
	return c, ok && c.function.Encodes
}

func partsOf(n node, s *Scope) (value.Value, []Part, error) {
	switch n := n.(type) {
	case fallback:
		v, parts, err := partsOf(n.node, s)
		if err != nil || !v.IsBlank() {
			return v, parts, err
		}
		otherwise, parts, err := partsOf(n.otherwise, s)
		if v.Secret() {
			otherwise = otherwise.AsSecret()
		}
		return otherwise, parts, err
	case call:
		return n.evalParts(s)
	case list:
		return n.evalParts(s)
	default:
		v, err := n.eval(s)
		one := Part{}
		if n, ok := n.(reference); ok {
			one.Value = true
			if n.Key == Placeholder {
				one.Placeholder = n.name
			}
		}
		return v, one.with(v), err
	}
}

// with returns the parts of a value: one part for a text, a part for each item of a list.
func (p Part) with(v value.Value) []Part {
	if v.Kind() != value.Array {
		p.Text = textOf(v)
		return []Part{p}
	}
	var parts []Part
	for i, item := range v.Items() {
		p.Text, p.item = textOf(item), i
		parts = append(parts, p)
	}
	return parts
}

// evalParts evaluates the list and returns the parts of all items in order.
func (n list) evalParts(s *Scope) (value.Value, []Part, error) {
	items, parts, err := n.evalItemParts(s)
	var all []Part
	for i, item := range parts {
		for _, p := range item {
			p.item = i
			all = append(all, p)
		}
	}
	return value.OfItems(items...), all, err
}

func (n list) evalItemParts(s *Scope) (items []value.Value, parts [][]Part, err error) {
	items, parts = make([]value.Value, len(n)), make([][]Part, len(n))
	for i, item := range n {
		if items[i], parts[i], err = partsOf(item, s); err != nil {
			return nil, nil, err
		}
	}
	return items, parts, nil
}

func (n call) evalParts(s *Scope) (value.Value, []Part, error) {
	if n.function.Choose != nil {
		first, err := n.args[0].eval(s)
		if err != nil {
			return value.Value{}, nil, err
		}
		v, parts, err := partsOf(n.args[n.function.Choose(first)], s)
		if first.Secret() {
			v = v.AsSecret()
		}
		return v, parts, err
	}
	args, parts, err := n.args.evalItemParts(s)
	if err != nil {
		return value.Value{}, nil, err
	}
	v, err := n.evalWith(s, args)
	if err != nil {
		return value.Value{}, nil, err
	}
	if n.function.parts != nil {
		if joined := n.function.parts(s.input(args), parts); len(joined) > 0 {
			return v, joined, nil
		}
	}
	return v, Part{Value: true, Encoded: n.function.Encodes}.with(v), nil
}

func concatParts(_ Input, args [][]Part) []Part { return slices.Concat(args...) }

// changedParts returns a function that changes the text of each part.
func changedParts(change func(string) string) func(Input, [][]Part) []Part {
	return func(_ Input, args [][]Part) []Part {
		parts := slices.Clone(args[0])
		for i := range parts {
			parts[i].Text = change(parts[i].Text)
		}
		return parts
	}
}

func ifEmptyParts(in Input, args [][]Part) []Part {
	if isEmpty(in.Args[0]) {
		return args[1]
	}
	return args[0]
}

func implodeParts(in Input, args [][]Part) []Part {
	items, separator := args[len(args)-1], []Part(nil)
	if len(args) == 2 {
		separator = args[0]
		if in.Args[0].Kind() == value.Array {
			items, separator = args[0], args[1]
		}
	}
	var parts []Part
	for i, p := range items {
		if i > 0 && p.item != items[i-1].item {
			parts = append(parts, separator...)
		}
		parts = append(parts, p)
	}
	return parts
}

// sprintfParts splits the result of sprintf. It returns nil if the format is not a
// literal.
func sprintfParts(in Input, args [][]Part) []Part {
	if len(args[0]) != 1 || args[0][0].Value {
		return nil
	}
	format, err := php.ParseFormat(args[0][0].Text)
	if err != nil {
		return nil
	}
	var parts []Part
	err = format.Each(in.formatValue, func(text string, argument int) {
		part := Part{Text: text}
		if argument > 0 {
			given := args[argument]
			if joined(given) == text {
				parts = append(parts, given...)
				return
			}
			part.Value = true
		}
		parts = append(parts, part)
	})
	if err != nil {
		return nil
	}
	return parts
}

// replaceParts splits the result of replace. It returns nil if the text or the replaced
// text is not a literal.
func replaceParts(_ Input, args [][]Part) []Part {
	text, from := args[0], args[1]
	if len(text) != 1 || text[0].Value || len(from) != 1 || from[0].Value || from[0].Text == "" {
		return nil
	}
	var parts []Part
	for i, between := range strings.Split(text[0].Text, from[0].Text) {
		if i > 0 {
			parts = append(parts, args[2]...)
		}
		parts = append(parts, Part{Text: between})
	}
	return parts
}

func joined(parts []Part) string {
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.Text)
	}
	return text.String()
}
