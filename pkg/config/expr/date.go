package expr

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func timeFunctions() []Function {
	return []Function{
		{Name: "time", Arguments: "", Min: 0, Max: 0, Call: unixTime,
			Doc: "the number of seconds since 1970"},
		{Name: "date", Arguments: "format, timestamp?, zone?", Min: 1, Max: 3, check: checkZone, Call: date,
			Doc: "a point in time (now when not given) in a time zone such as Europe/Prague (UTC when not given) by a format of single letters: Y-m-d H:i:s; false, with a warning, when the timestamp is no number"},
		{Name: "strtotime", Arguments: "text, base?", Min: 1, Max: 2, Call: stringToTime,
			Doc: "the seconds since 1970 of a date or of a phrase such as \"-7 days\", reckoned from base (now when not given); false when it is not understood"},
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
	return value.OfString(php.DateIn(format, t)), nil
}

var errZone = errors.New("argument 3 is not the name of a time zone such as Europe/Prague")

// checkZone looks at a literal time zone.
func checkZone(args list) *Fault {
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
	return &Fault{Found: "another text", Expected: "expected the name of a time zone such as Europe/Prague", argument: 2}
}

// stringToTime has false for what is not understood, not an error: that is what
// configurations can test for with ifempty.
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
