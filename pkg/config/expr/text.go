package expr

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func textFunctions() []Function {
	return []Function{
		{Name: "concat", Arguments: "text…", Max: -1, Call: concat,
			Doc: "the texts joined; true is 1, false and null are nothing"},
		{Name: "implode", Arguments: "separator?, list", Min: 1, Max: 2, Call: implode,
			Doc: "the items of the list as texts, joined by the separator"},
		{Name: "sprintf", Arguments: "format, value…", Min: 1, Max: -1, check: checkFormat, Call: sprintf,
			Doc: "the format with its directives (%s, %05d, %.2f, %1$s, …) replaced by the values"},
		{Name: "ifempty", Arguments: "value, otherwise", Min: 2, Max: 2, Call: ifEmpty,
			Doc: "the first value, unless it is empty (null, false, 0, \"\", \"0\" or []): then the second"},
		{Name: "base64_encode", Arguments: "text", Min: 1, Max: 1, Call: base64Encode,
			Doc: "the text in base64 with padding"},
		{Name: "urlencode", Arguments: "text", Min: 1, Max: 1, Only: Placeholder, Call: urlEncode,
			Doc: "the text as it stands in a query string: blanks become +"},
	}
}

func concat(in Input) (value.Value, error) {
	texts, err := in.texts(len(in.Args))
	return value.OfString(strings.Join(texts, "")), err
}

func implode(in Input) (value.Value, error) {
	list, separator := in.Args[len(in.Args)-1], value.Value{}
	if len(in.Args) == 2 {
		// Both orders are in use.
		separator = in.Args[0]
		if separator.Kind() == value.Array {
			list, separator = separator, list
		}
	}
	if list.Kind() != value.Array {
		return value.Value{}, errors.New("no argument is a list")
	}
	if !separator.IsNull() && !separator.IsScalar() {
		return value.Value{}, fmt.Errorf("the separator is %s, expected a text", kindOf(separator))
	}
	texts := make([]string, list.Len())
	for i, item := range list.Items() {
		if !item.IsNull() && !item.IsScalar() {
			return value.Value{}, fmt.Errorf("item %d of the list is %s, expected a text", i+1, kindOf(item))
		}
		texts[i] = textOf(item)
	}
	return value.OfString(strings.Join(texts, textOf(separator))), nil
}

// ifEmpty takes an object for something even when it has no members.
func ifEmpty(in Input) (value.Value, error) {
	if in.Args[0].Empty() && in.Args[0].Kind() != value.Object {
		return in.Args[1], nil
	}
	return in.Args[0], nil
}

func base64Encode(in Input) (value.Value, error) {
	text, err := in.Text(0)
	return value.OfString(base64.StdEncoding.EncodeToString([]byte(text))), err
}

func urlEncode(in Input) (value.Value, error) {
	text, err := in.Text(0)
	return value.OfString(php.URLEncode(text)), err
}
