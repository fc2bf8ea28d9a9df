package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// headers compiles the headers of every request: `config.http.headers` overlays
// `api.http.headers` by exact name. They are in the order in which their names first
// occur. If names differ only in case, the last header is sent.
func (e evaluator) headers(it *Iteration, api, conf Section) {
	members := value.OfMembers(slices.Concat(api.Value.Members(), conf.Value.Members())...).Members()
	last := make(map[string]string, len(members)) // last spelling by lower-case name
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

// header evaluates and checks one header. If the value depends on the job, each request
// evaluates it.
func (e evaluator) header(it *Iteration, name string, s Section) {
	compiler := e.compilerFor(expr.InHeaders, e.all)
	compiler.Exact = s.Value.Kind() != value.Object // the original extractor evaluates only objects
	before := len(*e.problems)
	compiled := compiler.Compile(s.Value, s.Pointer)
	h := Header{Name: name, Pointer: s.Pointer}
	switch {
	case len(*e.problems) > before:
		return
	case compiled.RefersBeyond(expr.Attr):
		if isHeaderName(name) || checkHeader(s, name, s.Value) {
			it.ComputedHeaders = append(it.ComputedHeaders, computedHeader{h, compiled})
		}
		return
	}
	v, ok := e.eval(compiled, s.Pointer)
	if _, constant := compiled.Constant(); !ok || v.IsNull() && !constant {
		return
	}
	s.Value = v
	if checkHeader(s, name, v) {
		it.Headers = append(it.Headers, h.withValue(v))
	}
}

// withValue returns the header with a checked value.
func (h Header) withValue(v value.Value) Header {
	h.Secret = v.Secret()
	for _, line := range scalars(v) {
		h.Values = append(h.Values, strings.Trim(line.Text(), " \t"))
	}
	return h
}

// RequestHeaders evaluates the headers of a request in the scope of its job. It leaves
// out computed headers with the value null. An error is a user error.
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
		if expected := lineProblem(scalars(v)); expected != "" {
			return nil, failure.Userf("the header '%s': %s", h.Name, expected).At(h.Pointer)
		}
		headers = append(headers, h.withValue(v))
	}
	return headers, nil
}

// scalars returns the items of a list, or the value itself.
func scalars(v value.Value) []value.Value {
	if v.Kind() == value.Array {
		return v.Items()
	}
	return []value.Value{v}
}

// plainHeaders returns the headers of a job or of the default options. It checks the
// headers that are not expressions at this site. Like the original extractor it reads any
// other object as the list of its values, with a warning.
func (c *compiler) plainHeaders(s Section, compiler expr.Compiler) value.Value {
	if s.Value.Kind() != value.Object {
		return value.OfMembers()
	}
	compiler.Exact = true
	var members []value.Member
	for _, m := range s.Value.Members() {
		header, isObject := s.Get(m.Name), m.Value.Kind() == value.Object
		if compiler.Any(m.Value) {
			if isHeaderName(m.Name) || checkHeader(header, m.Name, m.Value) {
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

// checkHeader reports a name or a value that HTTP does not allow. s is the header in the
// document, v its evaluated value.
func checkHeader(s Section, name string, v value.Value) bool {
	found, expected := field.DescribeKind(s.Value), failure.Text("")
	switch k := v.Kind(); {
	case !isHeaderName(name):
		found, expected = field.Quoted(name), "expected the name of a header: letters, digits and -"
	case k == value.Object, k == value.Array && v.Len() == 0:
		expected = "expected the text of a header, or a list of texts"
	default:
		expected = lineProblem(scalars(v))
	}
	if expected != "" {
		s.Problems().Add(failure.Problem{Code: failure.UnsendableHeader, Pointer: s.Pointer, Found: found, Expected: expected})
	}
	return expected == ""
}

// lineProblem describes the first problem in the lines of a header. It returns "" if all
// lines are valid.
func lineProblem(lines []value.Value) failure.Text {
	for _, v := range lines {
		if k := v.Kind(); k == value.Object || k == value.Array {
			return "expected a list of texts, one for each line of the header"
		}
		if strings.ContainsFunc(strings.Trim(v.Text(), " \t"), isControl) {
			return "expected the text of a header without line breaks and control characters"
		}
	}
	return ""
}

// isControl reports whether a character would end or break a header line.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }

// isHeaderName reports whether a name is a token, see RFC 9110, section 5.6.2.
func isHeaderName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// requiredHeaders reports headers that `api.http.requiredHeaders` names and `config` does
// not set.
func (c *compiler) requiredHeaders(required Section, conf settings) {
	headers := conf.Get("http").Get("headers")
	for _, item := range required.Items() {
		name := item.Value.Text()
		if name == "" || headers.Get(name).Present() {
			continue
		}
		c.problems.Add(failure.Problem{
			Code:     failure.RequiredHeader,
			Pointer:  c.nearestPointer(headers.Pointer),
			Expected: "expected the header " + field.Quoted(name) + " in \"config.http.headers\"",
			Hint:     "\"api.http.requiredHeaders\" requires it",
		})
	}
}

// nearestPointer returns the pointer of the value, or of the nearest ancestor that
// exists.
func (c *compiler) nearestPointer(pointer string) string {
	for pointer != "" {
		if _, ok := c.valueAt(pointer); ok {
			break
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return pointer
}
