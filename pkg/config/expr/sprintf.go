package expr

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// checkFormat checks a format that is a literal.
func checkFormat(args list) *ArgumentProblem {
	l, ok := args[0].(literal)
	if !ok || !l.value.IsScalar() {
		return nil
	}
	format, err := php.ParseFormat(textOf(l.value))
	if err != nil {
		return &ArgumentProblem{Expected: "expected a valid format, " + failure.Part(err.Error())}
	}
	if given := len(args) - 1; given < format.Values {
		return &ArgumentProblem{Found: failure.Text(count(given, "value")) + " after it", Expected: "expected as many values as the format has directives, " + failure.Text(count(format.Values, "value"))}
	}
	return nil
}

func sprintf(in Input) (value.Value, error) {
	text, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	format, err := php.ParseFormat(text)
	if err != nil {
		return value.Value{}, err
	}
	if given := len(in.Args) - 1; given < format.Values {
		return value.Value{}, fmt.Errorf("the format needs %s, given are %d", count(format.Values, "value"), given)
	}
	text, err = format.Sprintf(in.formatValue)
	return value.OfString(text), err
}

// formatValue returns argument n as a value for a format.
func (in Input) formatValue(n int) (php.Scalar, error) {
	text, err := in.Text(n)
	s := php.Scalar{Text: text, Literal: text}
	if in.Args[n].Kind() == value.Number {
		s.Literal = in.Args[n].Raw()
	}
	return s, err
}
