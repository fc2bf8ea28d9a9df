package response

import (
	"encoding/xml"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// value appends the packed value of an element. The tag was read already. Elements with
// the same name become a list.
func (x *xmlDocument) value(dst []byte, tag *xmlTag) ([]byte, error) {
	start, depth := len(dst), len(x.open)-1
	x.item, x.repeated = start, false
	dst, err := x.ungrouped(dst, tag)
	if err == nil && x.repeated {
		dst = x.grouper.Group(dst, start, depth)
	}
	return dst, err
}

// ungrouped appends the value of an element with a member for each child element, even if
// the names are equal.
func (x *xmlDocument) ungrouped(dst []byte, tag *xmlTag) ([]byte, error) {
	start, mark := len(dst), len(x.texts)
	members, elements := 0, 0
	run := mark
	dst = value.OpenObject(dst)
	for _, a := range tag.attributes {
		dst = append(dst, attributeName(a)...)
		dst = value.PackString(dst, a.Value)
		members++
	}
	for {
		token, err := x.next()
		if err != nil {
			return dst, err
		}
		switch token := token.(type) {
		case *xmlTag:
			run = x.endText(run)
			elements++
			if dst, err = x.ungrouped(value.AppendName(dst, token.name), token); err != nil {
				return dst, err
			}
			if int64(len(dst)-x.item) > x.source.home.item {
				return dst, largeItem(errLargeItem)
			}
		case xml.CharData:
			if err := x.text(token); err != nil {
				return dst, err
			}
		case xml.EndElement:
			x.endText(run)
			text := x.texts[mark:]
			x.texts = x.texts[:mark]
			if members+elements == 0 {
				return value.PackString(dst[:start], text), nil
			}
			if len(text) > 0 {
				dst = value.PackString(value.AppendName(dst, "#text"), text)
			}
			value.ClosePacked(dst, start)
			if elements > 1 && !x.repeated {
				x.repeated = x.grouper.Repeats(dst[start:], len(x.open))
			}
			return dst, nil
		}
	}
}

// attributeName returns the packed name of the member for an attribute.
func attributeName(a xml.Attr) []byte { return value.AppendName(nil, "@"+xmlName(a.Name)) }

// text appends to the text of the current element.
func (x *xmlDocument) text(part xml.CharData) error {
	if x.texts = append(x.texts, part...); int64(len(x.texts)) > x.source.home.item {
		return largeItem(errLargeItem)
	}
	return nil
}

// endText ends a text that began at run, and drops it if it is only white space. It
// returns the start of the next text.
func (x *xmlDocument) endText(run int) int {
	if whiteSpace(x.texts[run:]) == len(x.texts)-run {
		x.texts = x.texts[:run]
	}
	return len(x.texts)
}

// skim reads an element for the survey only. structured reports whether the element has
// more than a text.
func (x *xmlDocument) skim(tag *xmlTag) (structured bool, err error) {
	x.survey.enter([]byte(tag.name))
	defer x.survey.leave()
	var beside siblings
	structured = len(tag.attributes) > 0
	seen, off := false, false
	mark := len(x.texts)
	for {
		token, err := x.next()
		if err != nil {
			return structured, err
		}
		switch token := token.(type) {
		case *xmlTag:
			if !seen {
				if off = !x.survey.wants('{'); off {
					x.survey.off++
				}
			}
			structured, seen = true, true
			name := token.name
			inner, err := x.skim(token)
			if err != nil {
				return true, err
			}
			beside.see(&x.survey, name, inner)
		case xml.CharData:
			if len(x.texts)-mark <= surveyValue {
				x.texts = append(x.texts, token[:min(len(token), surveyValue+1)]...)
			}
		case xml.EndElement:
			if off {
				x.survey.off--
			}
			if !structured {
				x.survey.indicate(x.texts[mark:], textOf)
			}
			x.texts = x.texts[:mark]
			return structured, nil
		}
	}
}

func textOf(contents []byte) value.Value { return value.OfString(string(contents)) }

// siblings detects lists: consecutive elements with the same name.
type siblings struct {
	last   string
	listed bool
}

// see adds the next element.
func (s *siblings) see(survey *indicatorScan, name string, structured bool) {
	if name == s.last && structured && !s.listed {
		s.listed = true
		survey.enter([]byte(name))
		survey.list(value.Object)
		survey.leave()
	}
	s.listed = s.listed && name == s.last
	s.last = name
}

// surveyPacked passes a packed value to the survey.
func (x *xmlDocument) surveyPacked(v value.Packed) {
	s := &x.survey
	switch v.Kind() {
	case value.Object:
		for parts := v.Parts(); parts.More(); {
			s.enter(parts.Name())
			x.surveyPacked(parts.Value())
			s.leave()
		}
	case value.Array:
		first := v.Parts()
		s.list(first.Value().Kind())
	case value.String:
		s.indicate(v.Raw(), textOf)
	}
}
