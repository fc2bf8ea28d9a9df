package httpclient

import (
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// encodeForm encodes parameters as a form, in their order. A blank becomes +, and all
// characters except letters, digits, - _ . are percent-encoded. Nested values are named
// name[key]. Null and empty lists and objects are left out. secrets are the ranges of
// values that are marked as secrets.
func encodeForm(params value.Value) (text string, secrets []secret.Span) {
	var f form
	for name, v := range params.Entries() {
		f.add(php.URLEncode(name), v)
	}
	return f.text.String(), f.secrets
}

type form struct {
	text    strings.Builder
	secrets []secret.Span
}

func (f *form) add(name string, v value.Value) {
	switch v.Kind() {
	case value.Null:
	case value.Array, value.Object:
		for key, item := range v.Entries() {
			f.add(name+"%5B"+php.URLEncode(key)+"%5D", item)
		}
	default:
		if f.text.Len() > 0 {
			f.text.WriteByte('&')
		}
		f.text.WriteString(name + "=")
		text := v.Text()
		if v.Kind() == value.Bool && !v.True() {
			text = "0"
		}
		from := f.text.Len()
		f.text.WriteString(php.URLEncode(text))
		if v.Secret() {
			f.secrets = append(f.secrets, secret.Span{From: from, To: f.text.Len()})
		}
	}
}

// encodeJSON encodes parameters as a JSON body, like the original extractor: an empty
// object is [], an object with the names 0, 1, 2… is a list, and numbers have no
// superfluous zeros. secrets are the ranges of values that are marked as secrets, without
// the quotes.
func encodeJSON(params value.Value) (text []byte, secrets []secret.Span) {
	if params.Empty() {
		return []byte("[]"), nil
	}
	text = appendJSON(nil, bodyValue(params), &secrets)
	return text, secrets
}

// appendJSON appends the same JSON as value.AppendEscapedJSON and collects the ranges of
// secrets.
func appendJSON(text []byte, v value.Value, secrets *[]secret.Span) []byte {
	if !v.Secret() {
		return v.AppendEscapedJSON(text)
	}
	switch v.Kind() {
	case value.Array:
		for i, item := range v.Items() {
			text = appendJSON(append(text, "[,"[min(i, 1)]), item, secrets)
		}
		return append(text, ']')
	case value.Object:
		for i, m := range v.Members() {
			text = append(value.OfString(m.Name).AppendEscapedJSON(append(text, "{,"[min(i, 1)])), ':')
			text = appendJSON(text, m.Value, secrets)
		}
		return append(text, '}')
	default:
		from, quotes := len(text), 0
		text = v.AppendEscapedJSON(text)
		if v.Kind() == value.String {
			quotes = len(`"`)
		}
		*secrets = append(*secrets, secret.Span{From: from + quotes, To: len(text) - quotes})
		return text
	}
}

func bodyValue(v value.Value) value.Value {
	switch v.Kind() {
	case value.Array, value.Object:
		if v.Len() == 0 {
			return value.OfItems()
		}
	default:
		return v.InJSON()
	}
	var items []value.Value
	var members []value.Member
	list := true
	for name, item := range v.Entries() {
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
