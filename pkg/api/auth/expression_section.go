package auth

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// expressionSection is a section of expressions for the headers or parameters that an
// authentication computes.
type expressionSection struct {
	section    config.Section // section of the configuration
	entries    expr.Entries
	references expr.References // references that exist at its site
	headers    bool            // true if the values are headers
}

// compileParams compiles an object or a list of expressions, a call that makes an object,
// or an absent section.
func (s CompileInput) compileParams(section config.Section, place expr.Site) expressionSection {
	return s.compileSection(section, place, expr.Compiler.Params)
}

func (s CompileInput) compileSection(section config.Section, place expr.Site, compile func(expr.Compiler, value.Value, string) expr.Entries) expressionSection {
	if section.Present() && section.Value.IsScalar() {
		section.Problem("expected an object of names and values", "")
		return expressionSection{}
	}
	return expressionSection{section: section, references: s.vocabulary.References.At(place), entries: compile(s.compiler(place), section.Value, section.Pointer)}
}

// compileObject compiles an object of expressions, or an absent section. Each expression
// must return a text or a list of texts.
func (s CompileInput) compileObject(section config.Section, place expr.Site) expressionSection {
	if section.Present() && section.Value.Kind() == value.Array {
		section.Problem("expected an object of names and values", "")
		return expressionSection{}
	}
	checkTexts(section, s.vocabulary.References.At(place))
	return s.compileSection(section, place, expr.Compiler.Entries)
}

func (s CompileInput) compileHeaders(section config.Section, place expr.Site) expressionSection {
	p := s.compileObject(section, place)
	p.headers = true
	for _, m := range p.section.Value.Members() {
		if !httpguts.ValidHeaderFieldName(m.Name) {
			s.Problems().Add(failure.Problem{Code: failure.UnsendableHeader, Pointer: section.Get(m.Name).Pointer, Found: failure.Part(strconv.Quote(m.Name)),
				Expected: "expected the name of a header: letters, digits and -"})
		}
	}
	return p
}

// eval computes the entries, registers the results of expressions and marks them as
// secrets.
func (p expressionSection) eval(scope *expr.Scope, register registerFunc) (value.Value, error) {
	hiding := *scope
	hiding.Conceal = register
	computed, err := p.entries.Eval(&hiding)
	if err != nil {
		return value.Value{}, err
	}
	if computed.Kind() == value.Array {
		items := slices.Clone(computed.Items())
		for i := range items {
			items[i] = p.registerComputed(register, p.section.Value.Items()[i], items[i])
		}
		return value.OfItems(items...), nil
	}
	members := slices.Clone(computed.Members())
	for i, m := range members {
		written := p.section.Value
		if !p.entries.IsCall() {
			written = written.AsObject().Field(m.Name)
		}
		members[i].Value = p.registerComputed(register, written, m.Value)
	}
	return value.OfMembers(members...), nil
}

// texts computes the entries of an object. Each value is a text or a list of texts. If a
// literal is a path in the response of the login, the value at that path replaces it,
// because old configurations name their token in this form.
func (p expressionSection) texts(scope *expr.Scope, register registerFunc) (value.Value, error) {
	computed, err := p.eval(scope, register)
	if err != nil {
		return value.Value{}, err
	}
	var members []value.Member
	for _, m := range computed.Members() {
		if written := p.section.Value.Field(m.Name); written.Kind() == value.String {
			if found, ok := scope.Contexts[expr.Response][written.Raw()]; ok {
				m.Value = registerUsed(register, found)
			}
		}
		if m.Value, err = p.text(m); err != nil {
			return value.Value{}, err
		}
		members = append(members, m)
	}
	return value.OfMembers(members...), nil
}

func (p expressionSection) text(m value.Member) (value.Value, error) {
	items := itemsOf(m.Value)
	if m.Value.Kind() == value.Array && p.headers {
		items = slices.DeleteFunc(slices.Clone(items), value.Value.IsNull) // null adds no line
	}
	if len(items) == 0 || slices.ContainsFunc(items, nested) {
		return value.Value{}, failure.Userf("'%s' must be a text, found an %s", m.Name, m.Value.Kind()).At(p.section.Get(m.Name).Pointer)
	}
	if !p.headers {
		return m.Value, nil
	}
	lines := make([]value.Value, len(items))
	for i, item := range items {
		line := strings.Trim(item.Text(), " \t\r\n")
		if !httpguts.ValidHeaderFieldValue(line) {
			return value.Value{}, failure.Userf("the value of the header '%s' contains a character that is not allowed in a header", m.Name).At(p.section.Get(m.Name).Pointer)
		}
		lines[i] = value.OfString(line)
		if item.Secret() {
			lines[i] = lines[i].AsSecret()
		}
	}
	return value.OfItems(lines...), nil
}

func itemsOf(v value.Value) []value.Value {
	if v.Kind() == value.Array {
		return v.Items()
	}
	return []value.Value{v}
}

// expectedText is the expectation in problems about the value of a header or a query
// parameter.
const expectedText = "expected a text, a list of texts, or an expression"

// checkTexts reports values that can never become the value of a header or a query
// parameter: objects that are not an expression at this site, and lists that are empty or
// contain anything but texts and expressions.
func checkTexts(section config.Section, references expr.References) {
	if section.Value.Kind() != value.Object {
		return
	}
	structure := func(v value.Value) bool {
		_, ok := references.Parse(v, true)
		return nested(v) && !ok
	}
	for _, item := range section.Items() {
		switch v := item.Value; {
		case v.Kind() == value.Array && (v.Len() == 0 || slices.ContainsFunc(v.Items(), structure)):
			item.Problem(expectedText, "")
		case v.Kind() == value.Object:
			if _, ok := references.Parse(v, false); !ok {
				item.Problem(expectedText, "expressions here have the key "+failure.Text(strings.Join(append(slices.Sorted(slices.Values(references.Keys())), "function"), ", ")))
			}
		}
	}
}

func nested(v value.Value) bool { return v.Kind() == value.Object || v.Kind() == value.Array }
