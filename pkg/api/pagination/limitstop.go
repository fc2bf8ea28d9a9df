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
	limitStopCount = field.Integer("count", "Count", "Number of rows.").Example(`500`)
	LimitStopField = field.Text("field", "Field", "Path to the number of rows in the response.").As(field.Path).Example(`"meta.total"`)
)

func limitStopType() *field.Type {
	t := field.Object("limitStop", "Stop by rows", "Counts the rows of the job.", limitStopCount, LimitStopField)
	t.OnlyUnknownKeys = `expected the key "count" or the key "field"` // otherwise pagination would continue without a limit
	return t
}

func compileLimitStop(s config.Section) stopper {
	count, path := limitStopCount.In(s), LimitStopField.In(s)
	switch {
	case count.Present() && path.Present():
		missingKey(s, `expected the key "count" or the key "field", not both`)
	case !count.Present() && !path.Present():
		missingKey(s, `expected the key "count" or the key "field"`)
	}
	l := limitStop{limit: integerLimit(s, limitStopCount), field: response.Path{Text: LimitStopField.Of(s), Separator: "."}}
	rule := stopper{counts: true, start: func(time.Time) State { return 0 }}
	if l.field.Text == "" {
		rule.describe = fmt.Sprintf("Stops after the page that brings the number of rows to %d or more.", l.limit.number)
	} else {
		l.limit.pointer = path.Pointer
		rule.ofRound, rule.needs.Fields, rule.totals = true, []response.Path{l.field}, []Total{{Path: l.field}}
		rule.describe = fmt.Sprintf("Stops after the page that brings the number of rows to its total at %q.", l.field.Text)
	}
	rule.after = l.after
	return rule
}

// after counts the rows. Its state is the number of rows before the page.
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
