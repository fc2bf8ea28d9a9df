package expr

import (
	"errors"
	"time"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func timeFunctions() []Function {
	return []Function{
		{Name: "time", Arguments: "", Min: 0, Max: 0, Call: unixTime,
			Doc:      "The number of seconds since 1970.",
			Examples: []Example{{``, `1709631000`}}},
		{Name: "date", Arguments: "format, timestamp?, zone?", Min: 1, Max: 3, check: checkZone, Call: date,
			Doc:      "A point in time (by default now) in a time zone such as `Europe/Prague` (by default UTC), by a format of single letters such as `Y-m-d H:i:s`. `false`, with a warning, if the timestamp is not a number.",
			Examples: []Example{{`"Y-m-d"`, `"2024-03-05"`}, {`"c", {"time": "previousStart"}, "Europe/Prague"`, `"2024-03-04T10:30:00+01:00"`}, {`"d.m.Y H:i", 0`, `"01.01.1970 00:00"`}}},
		{Name: "strtotime", Arguments: "text, base?", Min: 1, Max: 2, Call: stringToTime,
			Doc:      "The seconds since 1970 of a date or of a phrase such as `-7 days`, counted from `base` (by default now). `false` if the text cannot be read.",
			Examples: []Example{{`"2024-01-31 10:00"`, `1706695200`}, {`"-7 days midnight"`, `1708992000`}, {`"first day of this month", 1709631000`, `1709285400`}}},
	}
}

func unixTime(in Input) (value.Value, error) {
	return value.OfInt(in.now().Unix()), nil
}

func date(in Input) (value.Value, error) {
	format, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	t, known, err := in.timestamp(1)
	switch {
	case err != nil:
		return value.Value{}, err
	case !known:
		return value.OfBool(false), nil
	}
	if len(in.Args) > 2 {
		zone, err := in.Text(2)
		if err != nil {
			return value.Value{}, err
		}
		at, ok := php.Zone(zone)
		if !ok {
			return value.Value{}, errZone
		}
		t = t.In(at)
	}
	return value.OfString(php.DateIn(format, time.Unix(t.Unix(), 0).In(t.Location()))), nil // PHP has whole seconds
}

var errZone = errors.New("argument 3 is not the name of a time zone such as Europe/Prague")

// checkZone checks a time zone that is a literal.
func checkZone(args list) *ArgumentProblem {
	if len(args) < 3 {
		return nil
	}
	l, ok := args[2].(literal)
	if !ok || !l.value.IsScalar() && !l.value.IsNull() {
		return nil
	}
	if _, ok := php.Zone(textOf(l.value)); ok {
		return nil
	}
	return &ArgumentProblem{Found: "another text", Expected: "expected the name of a time zone such as Europe/Prague", argument: 2}
}

// stringToTime returns false for a text that it cannot read, and not an error, so that
// configurations can test the result with ifempty.
func stringToTime(in Input) (value.Value, error) {
	text, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	base, known, err := in.timestamp(1)
	if err != nil {
		return value.Value{}, err
	}
	t, ok := php.StrToTime(text, base)
	if !known || !ok {
		return value.OfBool(false), nil
	}
	return value.OfInt(t.Unix()), nil
}
