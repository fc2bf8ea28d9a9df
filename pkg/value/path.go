package value

import (
	"iter"
	"strings"
)

// Segments yields the segments of a path: names of members, decimal indexes of items,
// "-1" for the last item of a list, and "[path=value]" for the first item with a scalar
// of this text at the path in brackets. Dots separate the names of that path. The value
// ends at the next "]" and may contain separators. On an object, all segments are names.
//
// A path that is equal to the separator has no segments. Without a separator the path is
// one segment.
func Segments(path, separator string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if path == separator {
			return
		}
		for more := true; more; {
			var segment string
			if segment, path, more = cutSegment(path, separator); !yield(segment) {
				return
			}
		}
	}
}

// cutSegment splits the first segment from the rest of the path. more is false if it is
// the last segment.
func cutSegment(path, separator string) (segment, rest string, more bool) {
	if separator == "" {
		return path, "", false
	}
	if end := strings.IndexByte(path, ']'); end > 0 {
		if _, ok := ParseSelector(path[:end+1]); ok {
			if end == len(path)-1 {
				return path, "", false
			}
			if rest, ok := strings.CutPrefix(path[end+1:], separator); ok {
				return path[:end+1], rest, true
			}
		}
	}
	return strings.Cut(path, separator)
}

// LastItem is the segment for the last item of a list.
const LastItem = "-1"

// Selector is a segment of the form "[path=value]".
type Selector struct{ Path, Text string }

// SelectorSeparator separates the names in the path of a selector, regardless of the
// separator of the path around the selector.
const SelectorSeparator = "."

// ParseSelector parses a segment. ok is false if the segment is not a selector.
func ParseSelector(segment string) (s Selector, ok bool) {
	inner, ok := strings.CutPrefix(segment, "[")
	if !ok {
		return Selector{}, false
	}
	if inner, ok = strings.CutSuffix(inner, "]"); !ok {
		return Selector{}, false
	}
	s.Path, s.Text, ok = strings.Cut(inner, "=")
	return s, ok && s.Path != ""
}

// MeansItem reports whether a segment stands for an item if the value is a list.
func MeansItem(segment string) bool {
	_, numbered := index(segment)
	_, selected := ParseSelector(segment)
	return numbered || selected || segment == LastItem
}

// MatchesValue reports whether an item with the given value at the path of the selector
// matches. The selector may have numbers and booleans as in JSON, or as in a URL.
func (s Selector) MatchesValue(at Value) bool {
	return at.IsScalar() && (at.Raw() == s.Text || at.Text() == s.Text)
}

// MatchesItem reports whether the selector matches an item.
func (s Selector) MatchesItem(item Packed) bool {
	at, ok := item.find(s.Path, SelectorSeparator)
	return ok && at.isScalar() && s.MatchesValue(at.Value())
}

// At returns the value at a path, see Segments. If the path is equal to the separator, it
// returns v. A member that is null counts as found, an item that is null does not. If the
// path leads nowhere, and v has a member with the whole path as its name, At returns that
// member.
func (v Value) At(path, separator string) (Value, bool) {
	at := v
	for segment := range Segments(path, separator) {
		var ok bool
		if at, ok = at.step(segment); !ok {
			return v.Get(path)
		}
	}
	return at, true
}

func (v Value) step(segment string) (Value, bool) {
	switch v.kind {
	case Object:
		return v.Get(segment)
	case Array:
		return v.item(segment)
	default:
		return Value{}, false
	}
}

// item returns the item of a list for a segment.
func (v Value) item(segment string) (item Value, ok bool) {
	items := v.Items()
	at, ok := index(segment)
	if segment == LastItem {
		at, ok = len(items)-1, len(items) > 0
	}
	if ok {
		if at >= len(items) {
			return Value{}, false
		}
		return items[at], !items[at].IsNull()
	}
	if s, ok := ParseSelector(segment); ok {
		for _, item := range items {
			if at, ok := item.At(s.Path, SelectorSeparator); ok && s.MatchesValue(at) {
				return item, true
			}
		}
	}
	return Value{}, false
}

// At returns the value at a path, see Value.At. It unpacks only that value.
func (p Packed) At(path, separator string) (Value, bool) {
	at, ok := p.find(path, separator)
	if !ok {
		return Value{}, false
	}
	return at.Value(), true
}

func (p Packed) find(path, separator string) (at Packed, ok bool) {
	at = p
	for segment := range Segments(path, separator) {
		if at, ok = at.step(segment); !ok {
			return p.Member(path)
		}
	}
	return at, true
}

// Walk returns the value at a path of segments. Unlike At, it does not try the whole path
// as a name.
func (p Packed) Walk(segments []string) (_ Packed, ok bool) {
	for _, segment := range segments {
		if p, ok = p.step(segment); !ok {
			return nil, false
		}
	}
	return p, true
}

func (p Packed) step(segment string) (Packed, bool) {
	switch p.Kind() {
	case Object:
		return p.Member(segment)
	case Array:
		return p.item(segment)
	default:
		return nil, false
	}
}

// Member returns the value of the member with the given name. It returns false if there
// is no such member.
func (p Packed) Member(called string) (Packed, bool) {
	if p.Kind() != Object {
		return nil, false
	}
	for parts := p.Parts(); parts.More(); {
		name, v := parts.Name(), parts.Value()
		if string(name) == called {
			return v, true
		}
	}
	return nil, false
}

func (p Packed) item(segment string) (Packed, bool) {
	at, numbered := index(segment)
	selector, selected := ParseSelector(segment)
	last := Packed(nil)
	for parts := p.Parts(); parts.More(); at-- {
		item := parts.Value()
		switch {
		case numbered && at == 0:
			return item, item.Kind() != Null
		case selected:
			if selector.MatchesItem(item) {
				return item, true
			}
		}
		last = item
	}
	if segment == LastItem {
		return last, last.Kind() != Null
	}
	return nil, false
}

func (p Packed) isScalar() bool {
	k := p.Kind()
	return k == Bool || k == Number || k == String
}
