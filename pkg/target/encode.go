package target

import (
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// encodeForm is parameters in form encoding, in their order: blanks as +,
// everything but letters, digits, - _ . percent-encoded, nested values as
// name[key], null and empty lists and objects left out.
func encodeForm(params value.Value) string {
	var b strings.Builder
	for name, v := range entries(params) {
		writePair(&b, formEscape(name), v)
	}
	return b.String()
}

// entries yields the members of an object, or the items of a list under their
// indexes.
func entries(v value.Value) func(func(string, value.Value) bool) {
	return func(yield func(string, value.Value) bool) {
		for _, m := range v.Members() {
			if !yield(m.Name, m.Value) {
				return
			}
		}
		for i, item := range v.Items() {
			if !yield(strconv.Itoa(i), item) {
				return
			}
		}
	}
}

func writePair(b *strings.Builder, name string, v value.Value) {
	switch v.Kind() {
	case value.Null:
	case value.Array, value.Object:
		for key, item := range entries(v) {
			writePair(b, name+"%5B"+formEscape(key)+"%5D", item)
		}
	default:
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(name)
		b.WriteByte('=')
		text := v.Text()
		if v.Kind() == value.Bool && !v.True() {
			text = "0"
		}
		b.WriteString(formEscape(text))
	}
}

func formEscape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			writeEscaped(&b, c)
		}
	}
	return b.String()
}

// dropUnnamed removes the parameters whose name the original takes for empty:
// a query never carries them.
func dropUnnamed(params value.Value) value.Value {
	return params.Without("", "0")
}

// encodeJSON is parameters as a JSON body in the original's spelling: an empty
// object is [], an object with the names 0, 1, 2… is a list, numbers are the
// shortest decimals of their value.
func encodeJSON(params value.Value) []byte {
	if params.Empty() {
		return []byte("[]")
	}
	return bodyValue(params).AppendEscapedJSON(nil)
}

func bodyValue(v value.Value) value.Value {
	switch v.Kind() {
	case value.Array, value.Object:
		if v.Len() == 0 {
			return value.OfItems()
		}
	case value.Number:
		if f, ok := v.Float(); ok && !v.IsInteger() {
			return value.OfNumber(strings.ToLower(value.FormatDouble(f, 0)))
		}
		return v
	default:
		return v
	}
	var items []value.Value
	var members []value.Member
	list := true
	for name, item := range entries(v) {
		list = list && name == strconv.Itoa(len(items))
		item = bodyValue(item)
		items = append(items, item)
		members = append(members, value.Member{Name: name, Value: item})
	}
	if list {
		return value.OfItems(items...)
	}
	return value.OfMembers(members...)
}
