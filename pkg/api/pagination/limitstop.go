package pagination

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// limitStop ends a job at a number of rows. The number is a setting, or each page
// contains the number. The page that reaches the number is stored as a whole.
type limitStop struct {
	limit limit
	field response.Path // path of the number, with an empty Text if the setting has it
}

// Settings of `limitStop`.
var (
	LimitStop = field.Of("limitStop", "Stop by rows", "Stops after a number of rows. The page that reaches the limit is kept whole. Exactly one of the keys is needed.",
		limitStopType())
	LimitStopCount = field.Integer("count", "Count", "Number of rows.").Example(`500`)
	LimitStopField = field.Text("field", "Field", "Path to the number of rows in the response.").As(field.Path).Example(`"meta.total"`)
)

func limitStopType() *field.Type {
	t := field.Object("limitStop", "Stop by rows", "Counts the rows of the job.", LimitStopCount, LimitStopField)
	t.OnlyUnknownKeys = `expected the key "count" or the key "field"` // otherwise pagination would continue without a limit
	return t
}

func compileLimitStop(s config.Section) stopper {
	count, path := LimitStopCount.In(s), LimitStopField.In(s)
	switch {
	case count.Present() && path.Present():
		missingKey(s, `expected the key "count" or the key "field", not both`)
	case !count.Present() && !path.Present():
		missingKey(s, `expected the key "count" or the key "field"`)
	}
	l := limitStop{limit: integerLimit(s, LimitStopCount), field: response.Path{Text: LimitStopField.Of(s), Separator: "."}}
	if path.Present() {
		l.limit.pointer = path.Pointer
	}
	return l
}

func (l limitStop) needs() Requirements {
	if l.field.Text == "" {
		return Requirements{}
	}
	return Requirements{Fields: []response.Path{l.field}}
}

// start returns the state before the first page: 0 rows.
func (limitStop) start(time.Time) State { return 0 }

func (l limitStop) after(state State, p PageInfo) (State, *Stop, error) {
	rows, known := state.(int)+p.Rows, true
	if l.field.Text != "" {
		v, err := p.field(l.field, l.limit.pointer)
		if err != nil {
			return nil, nil, err
		}
		l.limit.number, known = rowsIn(v)
	}
	if int64(rows) >= l.limit.number {
		stop := l.limit.stop("the number of rows (%d) has reached the limit of %d", int64(rows))
		if !known {
			stop.Reason = Exhausted
		}
		return nil, stop, nil
	}
	return rows, nil, nil
}

// rowsIn rounds a number up to whole rows. It returns 0 if v is not a number.
func rowsIn(v value.Value) (rows int64, known bool) {
	n, ok := v.Decimal()
	if !ok {
		return 0, false
	}
	if rows, ok = n.Ceil(1); !ok {
		rows, _ = v.Nearest()
	}
	return rows, true
}

func (l limitStop) describe() string {
	if l.field.Text != "" {
		return fmt.Sprintf("Stops after the page that brings the number of rows to its total at %q.", l.field.Text)
	}
	return fmt.Sprintf("Stops after the page that brings the number of rows to %d or more.", l.limit.number)
}

func (l limitStop) traits() ruleTraits {
	t := ruleTraits{counts: true}
	if l.field.Text != "" {
		t.totals = []Total{{Path: l.field}}
	}
	return t
}
