package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// headers are those of every request: the ones of `config` over the ones of
// `api`, by exact name, in the order of their first naming. Of two spellings of
// one name the last is sent.
func (e evaluator) headers(api, conf Section) []Header {
	members := value.OfMembers(slices.Concat(api.Value.Members(), conf.Value.Members())...).Members()
	last := make(map[string]string, len(members)) // spelling, by the name in lower case
	for _, m := range members {
		last[strings.ToLower(m.Name)] = m.Name
	}
	var headers []Header
	for _, m := range members {
		s := api.Get(m.Name)
		if _, ok := conf.Value.Get(m.Name); ok {
			s = conf.Get(m.Name)
		}
		if sent := last[strings.ToLower(m.Name)]; sent != m.Name {
			e.warn(failure.NoEffect, s.Pointer, "this header is not sent: "+field.Quoted(sent)+" is another spelling of it, and the last one counts", "remove one of the two")
			continue
		}
		if h, ok := e.header(m.Name, s); ok {
			headers = append(headers, h)
		}
	}
	return headers
}

// header evaluates and checks one header. Lists are literals, like everywhere
// that values are expressions only when they are objects.
func (e evaluator) header(name string, s Section) (Header, bool) {
	if s.Value.Kind() == value.Object && s.Value.Len() > 0 {
		v, ok := e.value(s.Value, s.Pointer)
		if !ok {
			return Header{}, false
		}
		s.Value = v
	}
	if !checkHeader(s, name, s.Value) {
		return Header{}, false
	}
	h := Header{Name: name, Pointer: s.Pointer, Secret: s.Value.Secret()}
	for _, v := range scalars(s.Value) {
		h.Values = append(h.Values, strings.Trim(v.Text(), " \t"))
	}
	return h, true
}

// scalars are the items of a list, or the value itself.
func scalars(v value.Value) []value.Value {
	if v.Kind() == value.Array {
		return v.Items()
	}
	return []value.Value{v}
}

// literalHeaders are the headers of a job or of the default options. Nothing is
// evaluated there: the original takes an object for the list of its values, and
// so do we, with a warning.
func (c *compiler) literalHeaders(s Section) value.Value {
	if s.Value.Kind() != value.Object {
		return value.OfMembers()
	}
	var members []value.Member
	for _, m := range s.Value.Members() {
		header, isObject := s.Get(m.Name), m.Value.Kind() == value.Object
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
			c.warn(failure.UnevaluatedExpression, header.Pointer, "functions are not evaluated here, the values are sent as they are", "move the header to \"api.http.headers\"")
		}
		members = append(members, m)
	}
	return value.OfMembers(members...)
}

// checkHeader reports a name or a value that no header can have. The value is
// what came out of what stands in the document.
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
			Hint:     "\"api.http.requiredHeaders\" asks for it",
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
