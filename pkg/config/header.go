package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// headers sets those of every request: the ones of `config` over the ones of
// `api`, by exact name, in the order of their first naming. Of two spellings of
// one name the last is sent.
func (e evaluator) headers(it *Iteration, api, conf Section) {
	members := value.OfMembers(slices.Concat(api.Value.Members(), conf.Value.Members())...).Members()
	last := make(map[string]string, len(members)) // spelling, by the name in lower case
	for _, m := range members {
		last[strings.ToLower(m.Name)] = m.Name
	}
	for _, m := range members {
		s := api.Get(m.Name)
		if _, ok := conf.Value.Get(m.Name); ok {
			s = conf.Get(m.Name)
		}
		if sent := last[strings.ToLower(m.Name)]; sent != m.Name {
			e.warn(failure.NoEffect, s.Pointer, "this header is not sent: "+field.Quoted(sent)+" is another spelling of it, and the last one counts", "remove one of the two")
			continue
		}
		e.header(it, m.Name, s)
	}
}

// header evaluates and checks one header. One that depends on the job is computed
// for each request.
func (e evaluator) header(it *Iteration, name string, s Section) {
	compiler := e.compilerFor(expr.InHeaders, e.all)
	compiler.Exact = s.Value.Kind() != value.Object // the original evaluated objects only
	before := len(*e.problems)
	compiled := compiler.Compile(s.Value, s.Pointer)
	h := Header{Name: name, Pointer: s.Pointer}
	switch {
	case len(*e.problems) > before:
		return
	case compiled.RefersBeyond(expr.Attr):
		if headerName(name) || checkHeader(s, name, s.Value) {
			it.ComputedHeaders = append(it.ComputedHeaders, ComputedHeader{h, compiled})
		}
		return
	}
	v, ok := e.eval(compiled, s.Pointer)
	if _, constant := compiled.Constant(); !ok || v.IsNull() && !constant {
		return
	}
	s.Value = v
	if checkHeader(s, name, v) {
		it.Headers = append(it.Headers, h.with(v))
	}
}

// with is the header with a value that was checked.
func (h Header) with(v value.Value) Header {
	h.Secret = v.Secret()
	for _, line := range scalars(v) {
		h.Values = append(h.Values, strings.Trim(line.Text(), " \t"))
	}
	return h
}

// RequestHeaders are the headers of a request in the scope of its job. Those that are
// null because of what they refer to are left out. An error is a user error.
func (it *Iteration) RequestHeaders(scope *expr.Scope) ([]Header, error) {
	headers := slices.Clip(it.Headers)
	for _, h := range it.ComputedHeaders {
		v, err := h.expression.Eval(scope)
		if err != nil {
			return nil, err
		}
		if v.IsNull() {
			continue
		}
		if expected := wrongLine(scalars(v)); expected != "" {
			return nil, failure.Userf("the header '%s': %s", h.Name, expected).At(h.Pointer)
		}
		headers = append(headers, h.with(v))
	}
	return headers, nil
}

// scalars are the items of a list, or the value itself.
func scalars(v value.Value) []value.Value {
	if v.Kind() == value.Array {
		return v.Items()
	}
	return []value.Value{v}
}

// plainHeaders are the headers of a job or of the default options, those checked that
// are no expressions at this place. The original takes any other object for the list
// of its values, and so do we, with a warning.
func (c *compiler) plainHeaders(s Section, compiler expr.Compiler) value.Value {
	if s.Value.Kind() != value.Object {
		return value.OfMembers()
	}
	compiler.Exact = true
	var members []value.Member
	for _, m := range s.Value.Members() {
		header, isObject := s.Get(m.Name), m.Value.Kind() == value.Object
		if compiler.Any(m.Value) {
			if headerName(m.Name) || checkHeader(header, m.Name, m.Value) {
				members = append(members, m)
			}
			continue
		}
		if isObject {
			var items []value.Value
			for _, inner := range m.Value.Members() {
				items = append(items, inner.Value)
			}
			m.Value = value.OfItems(items...)
		}
		if !checkHeader(header, m.Name, m.Value) {
			continue
		}
		if isObject {
			hint := failure.Text("write a text, a list of texts, or an expression")
			if _, near := c.Vocabulary.NearMiss(compiler.Place, header.Value); near != "" {
				hint = near
			}
			c.warn(failure.UnevaluatedExpression, header.Pointer, "the object is not an expression, so the values in it are sent as they are", hint)
		}
		members = append(members, m)
	}
	return value.OfMembers(members...)
}

// checkHeader reports a name or a value that no header can have. The value is
// the result of the one in the document.
func checkHeader(s Section, name string, v value.Value) bool {
	found, expected := field.DescribeKind(s.Value), failure.Text("")
	switch k := v.Kind(); {
	case !headerName(name):
		found, expected = field.Quoted(name), "expected the name of a header: letters, digits and -"
	case k == value.Object, k == value.Array && v.Len() == 0:
		expected = "expected the text of a header, or a list of texts"
	default:
		expected = wrongLine(scalars(v))
	}
	if expected != "" {
		s.Problems().Add(failure.Problem{Code: failure.UnsendableHeader, Pointer: s.Pointer, Found: found, Expected: expected})
	}
	return expected == ""
}

// wrongLine says what is wrong with the lines of a header, "" when nothing is.
func wrongLine(lines []value.Value) failure.Text {
	for _, v := range lines {
		if k := v.Kind(); k == value.Object || k == value.Array {
			return "expected a list of texts, one for each line of the header"
		}
		if strings.ContainsFunc(strings.Trim(v.Text(), " \t"), control) {
			return "expected the text of a header without line breaks and control characters"
		}
	}
	return ""
}

// control reports whether a character would end or break a header line.
func control(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }

// headerName reports whether a name is a token of HTTP.
func headerName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// requiredHeaders reports the headers that the author of `api` left to the
// author of `config`, who did not give them.
func (c *compiler) requiredHeaders(required Section, conf settings) {
	headers := conf.Get("http").Get("headers")
	for _, item := range required.Items() {
		name := item.Value.Text()
		if name == "" || headers.Get(name).Present() {
			continue
		}
		c.problems.Add(failure.Problem{
			Code:     failure.RequiredHeader,
			Pointer:  c.nearestPlace(headers.Pointer),
			Expected: "expected the header " + field.Quoted(name) + " in \"config.http.headers\"",
			Hint:     "\"api.http.requiredHeaders\" requires it",
		})
	}
}

// nearestPlace is the place itself, or the nearest above it that exists.
func (c *compiler) nearestPlace(pointer string) string {
	for pointer != "" {
		if _, ok := c.given(pointer); ok {
			break
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return pointer
}
