package pagination

import (
	"fmt"
	"maps"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// reference is the source of the next page in a response: a path in the body or a header.
type reference struct {
	path    response.Path // path in the body, or an empty Text
	header  string
	pointer string
	// other and literal are the default: another reference, or a value.
	other   *reference
	literal value.Value
}

// Next is the setting of the methods response.url and response.param.
var Next = field.Of("next", "Source of the next page", "Where a response has the URL or the value for the next page: `{\"response\": PATH}` or `{\"responseHeader\": NAME}`. It replaces `urlKey` and `responseParam`, which are short forms of it.", nextType()).
	Example(`{"response": "links.[rel=next].href"}`, `{"responseHeader": "X-Next-Page"}`)

// The settings of Next: references of expressions, without functions.
var (
	nextResponse = field.Text(string(expr.Response), "In the response", "Path in the response.").As(field.Path).Example(`"links.[rel=next].href"`).Also("path", "field")
	NextHeader   = field.Text(string(expr.ResponseHeader), "In a header", "Name of a header of the response, whose first value counts. The text `null` is not a value.").Example(`"X-Next-Page"`).Also("header")
	nextDefault  = field.Of("default", "Otherwise", "Used if there is no value: a literal value, or another reference.", &field.Type{Kinds: []string{"string", "number", "boolean", "object"}, AllowUnknown: true}).Example(`{"responseHeader": "X-Next"}`)
)

const nextForms = `expected {"response": PATH} or {"responseHeader": NAME}`

func nextType() *field.Type {
	t := field.Object("next", "Source of the next page", "A reference to the response of a page.", nextResponse, NextHeader, nextDefault)
	t.Message, t.OnlyUnknownKeys, t.NotEmpty = nextForms, nextForms, []string{"object"}
	return t
}

// nextOf compiles `next` or its short form, a path. Without both it uses the default of
// the short form.
func nextOf(s config.Section, short field.Setting[string], separator string) reference {
	if !Next.In(s).Present() {
		return reference{path: response.Path{Text: short.Of(s), Separator: separator}, pointer: pointerOf(s, short)}
	}
	if short.In(s).Present() {
		s.Problems().Add(failure.Problem{Code: failure.WrongValue, Pointer: Next.In(s).Pointer,
			Expected: failure.Text(fmt.Sprintf("expected the key %q or the key %q, not both", Next.Name, short.Name)),
			Hint:     failure.Text(fmt.Sprintf("remove one of them: %q is the short form of {\"response\": PATH}", short.Name))})
	}
	return compileReference(Next.In(s))
}

func compileReference(s config.Section) reference {
	r := reference{pointer: s.Pointer}
	if s.Value.Kind() != value.Object || s.Faulty() {
		return r // the type check has reported it
	}
	path, header := nextResponse.In(s), NextHeader.In(s)
	if path.Present() == header.Present() {
		s.Problem(nextForms, "")
	}
	r.path, r.header = response.Path{Text: nextResponse.Of(s), Separator: "."}, NextHeader.Of(s)
	checkHeaderName(header)
	switch other := nextDefault.In(s); other.Value.Kind() {
	case value.Null:
	case value.Object:
		compiled := compileReference(other)
		r.other = &compiled
	default:
		r.literal = other.Value
	}
	return r
}

// needs returns the paths in the response that the reference reads.
func (r reference) needs() []response.Path {
	var all []response.Path
	for at := &r; at != nil; at = at.other {
		if at.path.Text != "" {
			all = append(all, at.path)
		}
	}
	return all
}

// value returns the value in a page, or null.
func (r reference) value(p PageInfo) (value.Value, error) {
	v, err := r.ownValue(p)
	switch {
	case err != nil, !v.IsBlank():
		return v, err
	case r.other != nil:
		return r.other.value(p)
	default:
		return r.literal, nil
	}
}

func (r reference) ownValue(p PageInfo) (value.Value, error) {
	if r.header == "" {
		return p.field(r.path, r.pointer)
	}
	return expr.HeaderMembers(p.Header, []string{r.header})[r.header], nil
}

// missing returns the reason to stop after a page without a value for the next page.
func (r reference) missing(p PageInfo) *Stop {
	if r.header != "" {
		rule := fmt.Sprintf("the response has no header '%s'", r.header)
		switch near, ok := failure.Nearest(r.header, slices.Sorted(maps.Keys(p.Header))); {
		case len(p.Header.Values(r.header)) > 0:
			rule = fmt.Sprintf("the header '%s' of the response has no value", r.header)
		case ok:
			rule += fmt.Sprintf(", but it has the header '%s'", near)
		}
		return &Stop{Rule: rule, Pointer: r.pointer, Reason: NoValue, Field: "header " + r.header}
	}
	return &Stop{Rule: fmt.Sprintf("the response has no value at '%s'", r.path.Text), Pointer: r.pointer, Reason: NoValue, Field: r.path.Text}
}

// describe describes the source of the value.
func (r reference) describe() string {
	if r.header != "" {
		return "in the header " + r.header
	}
	return fmt.Sprintf("at %q", r.path.Text)
}
