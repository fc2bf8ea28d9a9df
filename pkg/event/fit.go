package event

import "unicode/utf8"

// trimmed ends a text that was cut. The platform uses the same text.
const trimmed = " [trimmed]"

// fit encodes an event in less than limit bytes. If the event is too long, fit cuts its
// longest texts to equal sizes until it fits.
func fit(e Event, limit int, encode func(Event) []byte) []byte {
	out := encode(e)
	for size := limit / 2; len(out) >= limit && size > 0; size /= 2 {
		out = encode(shorten(e, size))
	}
	return out
}

// shorten returns a copy of the event with texts of at most size bytes each. For a list the
// limit applies to the total of its items.
func shorten(e Event, size int) Event {
	fields := make([]Field, len(e.Fields))
	for i, f := range e.Fields {
		switch v := f.Value.(type) {
		case string:
			f.Value = cut(v, size)
		case []string:
			f.Value = cutList(v, size)
		}
		fields[i] = f
	}
	e.Message, e.Fields = cut(e.Message, size), fields
	return e
}

func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size] + trimmed
}

func cutList(list []string, size int) []string {
	const quotesAndComma = 3
	for i, item := range list {
		if size -= len(item) + quotesAndComma; size < 0 {
			return append(list[:i:i], trimmed[1:])
		}
	}
	return list
}
