package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

func textFunctions() []Function {
	return []Function{
		{Name: "concat", Arguments: "text…", Max: -1, Call: concat, parts: concatParts,
			Doc:      "The texts joined together; true is `1`, false and null are nothing.",
			Examples: []Example{{`"user-", {"placeholder": "id"}`, `"user-42"`}, {`"a", 1, true, null`, `"a11"`}}},
		{Name: "implode", Arguments: "separator?, list", Min: 1, Max: 2, Call: implode, parts: implodeParts,
			Doc:      "The items of the list as texts, joined by the separator.",
			Examples: []Example{{`",", ["a", 1, null, "b"]`, `"a,1,,b"`}}},
		{Name: "sprintf", Arguments: "format, value…", Min: 1, Max: -1, check: checkFormat, Call: sprintf, parts: sprintfParts,
			Doc:      "The format with its directives (`%s`, `%05d`, `%.2f`, `%1$s`, …) replaced by the values.",
			Examples: []Example{{`"%s-%05d", "id", 42`, `"id-00042"`}, {`"%2$s %1$s", "a", "b"`, `"b a"`}, {`"%.2f", "3.14159"`, `"3.14"`}}},
		{Name: "lower", Arguments: "text", Min: 1, Max: 1, Call: textFunction(strings.ToLower), parts: changedParts(strings.ToLower),
			Doc:      "The text in lower case.",
			Examples: []Example{{`"ÄB c"`, `"äb c"`}}},
		{Name: "upper", Arguments: "text", Min: 1, Max: 1, Call: textFunction(strings.ToUpper), parts: changedParts(strings.ToUpper),
			Doc:      "The text in upper case.",
			Examples: []Example{{`"äb c"`, `"ÄB C"`}}},
		{Name: "trim", Arguments: "text", Min: 1, Max: 1, Call: textFunction(strings.TrimSpace),
			Doc:      "The text without white space at its ends.",
			Examples: []Example{{`"  a b "`, `"a b"`}}},
		{Name: "replace", Arguments: "text, from, to", Min: 3, Max: 3, Call: replace, parts: replaceParts,
			Doc:      "The text with every occurrence of `from` replaced by `to`.",
			Examples: []Example{{`"a.b.c", ".", "-"`, `"a-b-c"`}}},
		{Name: "substr", Arguments: "text, start, length?", Min: 2, Max: 3, Call: substring,
			Doc:      "A part of the text, counted in characters: from `start` (0 is the first character, -1 the last), of this length or up to the end.",
			Examples: []Example{{`"europe", 0, 2`, `"eu"`}, {`"europe", -2`, `"pe"`}}},
		{Name: "number", Arguments: "text", Min: 1, Max: 1, Optional: true, Call: number,
			Doc:      "The number that the text contains, with all its digits; null for null and for the empty text. Any other text is an error.",
			Examples: []Example{{`"007.50"`, `7.50`}, {`""`, `null`}}},
	}
}

func concat(in Input) (value.Value, error) {
	texts, err := in.texts(len(in.Args))
	return value.OfString(strings.Join(texts, "")), err
}

func implode(in Input) (value.Value, error) {
	list, separator := in.Args[len(in.Args)-1], value.Value{}
	if len(in.Args) == 2 {
		// Configurations use both orders.
		separator = in.Args[0]
		if separator.Kind() == value.Array {
			list, separator = separator, list
		}
	}
	if list.Kind() != value.Array {
		return value.Value{}, errors.New("no argument is a list")
	}
	if !separator.IsNull() && !separator.IsScalar() {
		return value.Value{}, fmt.Errorf("the separator is %s, expected a text", separator.Kind().WithArticle())
	}
	texts := make([]string, list.Len())
	for i, item := range list.Items() {
		if !item.IsNull() && !item.IsScalar() {
			return value.Value{}, fmt.Errorf("item %d of the list is %s, expected a text", i+1, item.Kind().WithArticle())
		}
		texts[i] = textOf(item)
	}
	between := textOf(separator)
	if product(len(between), len(texts)) > maxValueSize {
		return value.Value{}, errLarge
	}
	return value.OfString(strings.Join(texts, between)), nil
}

// textFunction returns a function of one text.
func textFunction(change func(string) string) func(in Input) (value.Value, error) {
	return func(in Input) (value.Value, error) {
		text, err := in.Text(0)
		return value.OfString(change(text)), err
	}
}

func replace(in Input) (value.Value, error) {
	texts, err := in.texts(3)
	switch {
	case err != nil:
		return value.Value{}, err
	case texts[1] == "": // an empty text is never replaced
		return value.OfString(texts[0]), nil
	case product(len(texts[2]), strings.Count(texts[0], texts[1])) > maxValueSize:
		return value.Value{}, errLarge
	}
	return value.OfString(strings.ReplaceAll(texts[0], texts[1], texts[2])), nil
}

func substring(in Input) (value.Value, error) {
	text, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	start, err := in.integer(1)
	if err != nil {
		return value.Value{}, err
	}
	count := utf8.RuneCountInString(text) // invalid UTF-8 counts byte by byte
	if start < 0 {
		start = max(0, start+count)
	}
	length := count
	if len(in.Args) > 2 && !in.Args[2].IsNull() {
		if length, err = in.integer(2); err != nil {
			return value.Value{}, err
		}
	}
	if length < 0 {
		return value.Value{}, errors.New("argument 3 is below 0, expected a number of characters")
	}
	from := min(start, count)
	text = text[offset(text, from):]
	return value.OfString(text[:offset(text, min(length, count-from))]), nil
}

// offset returns the offset, in bytes, of a character in a text.
func offset(text string, character int) int {
	at := 0
	for range character {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// number converts a text to a number. It ignores blanks around the number.
func number(in Input) (value.Value, error) {
	v := in.Args[0]
	if v.IsNull() || v.Kind() == value.Number {
		return v, nil
	}
	text, err := in.Text(0)
	if text = strings.TrimSpace(text); err != nil || text == "" {
		return value.Value{}, err
	}
	if v.Kind() == value.String && value.OfString(text).IsNumeric() {
		return value.OfNumber(decimal.Literal(text)), nil
	}
	return value.Value{}, errors.New("argument 1 is not a number")
}
