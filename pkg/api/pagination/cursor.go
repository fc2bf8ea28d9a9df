package pagination

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// cursor pages by an id. The next request sends the largest id so far (the smallest with
// reverse) plus an increment. A page without rows is the last page.
type cursor struct {
	idKey            response.Path
	param            parameter
	increment        int64
	reverse          bool
	idKeyPointer     string
	incrementPointer string
}

// cursorState is the largest or smallest id of the pages so far, or nil before the first
// page.
type cursorState struct {
	id *idNumber
}

// The settings of the method cursor.
var (
	IDKey = field.Text("idKey", "Path of the id", "Path in each item to the number whose highest value becomes the cursor, with its fraction, or, with `idType` `text`, to the id; `.` is the item itself.").
		As(field.Path).Example(`"id"`)
	CursorParam = field.Text("param", "Parameter", "Parameter that carries the cursor; required unless the job places it with `{\"paging\": \"cursor\"}`.").As(field.Parameter).Example(`"since_id"`)
	Increment   = field.Integer("increment", "Increment", "Added to the cursor, exactly; may be negative.").Default(0).Example(`-1`)
	Reverse     = field.Flag("reverse", "Reverse", "Use the lowest value instead of the highest; with `idType` `text`, the id of the first item instead of the last.").Example(`true`)
	IDType      = field.Text("idType", "Type of the ids", "`number`: the highest number becomes the cursor. `text`: the id of the last item becomes the cursor, unchanged.").
			Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("number", TextIDs)}).Default("number").Example(`"text"`)
)

// TextIDs is the value of IDType for ids that may be texts.
const TextIDs = "text"

func cursorMethod() Method {
	return Method{
		Name:     "cursor",
		Settings: []field.Declaration{IDKey, CursorParam, IDType, Increment, Reverse},
		Needed:   []field.Declaration{IDKey},
		Values:   []RequestValue{{cursorValue, CursorParam}},
		Compile:  compileCursor,
		IDPath:   func(s config.Section) config.Section { return IDKey.In(s) },
	}
}

func compileCursor(s config.Section) Scroller {
	c := cursor{
		idKey:            response.Path{Text: IDKey.Of(s), Separator: "."},
		param:            parameterOf(s, RequestValue{cursorValue, CursorParam}),
		increment:        int64(Increment.Of(s)),
		reverse:          Reverse.Of(s),
		idKeyPointer:     IDKey.In(s).Pointer,
		incrementPointer: Increment.In(s).Pointer,
	}
	if IDType.Of(s) != TextIDs {
		return c.scroller()
	}
	if c.increment != 0 {
		Increment.In(s).Problem("expected no increment: ids of the type \"text\" are sent unchanged", "remove it")
	}
	return textCursor{c}.scroller()
}

// scroller is numbered, but requests may repeat, because a page without a larger id leads
// to the same request.
func (c cursor) scroller() Scroller {
	return Scroller{
		Needs:    Requirements{ItemID: c.idKey},
		First:    func(job config.RequestSpec, _ time.Time) (config.RequestSpec, State) { return job, cursorState{} },
		Next:     c.next,
		Describe: c.describe,
		Traits: Traits{Numbered: true, Parameter: c.param.phrase(), Place: func(names []string) Scroller {
			c.param = c.param.withPlacedValues(names)
			return c.scroller()
		}},
	}
}

func (c cursor) next(job config.RequestSpec, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	s := state.(cursorState)
	if p.Rows == 0 {
		return job, nil, &Stop{Rule: "the page is empty", Pointer: c.idKeyPointer}, nil
	}
	if p.IDs.Wrong != "" {
		return job, nil, nil, failure.Userf("the cursor value at '%s' of an item is not a number: %s", c.idKey.Text, p.IDs.Wrong).At(c.idKeyPointer)
	}
	switch {
	case c.reverse && (s.id == nil || p.IDs.Min.number.Compare(s.id.number) < 0):
		s.id = &p.IDs.Min
	case !c.reverse && (s.id == nil || p.IDs.Max.number.Compare(s.id.number) > 0):
		s.id = &p.IDs.Max
	}
	next, ok := s.id.increased(c.increment)
	if !ok {
		return job, nil, nil, failure.Userf("the sum of the cursor value %s and the increment %d has more than %d digits", excerpt(s.id.value), c.increment, value.MaxWhole).At(c.incrementPointer)
	}
	return c.param.set(job, next), s, nil, nil
}

// idNumber is a number of any size, or a text with such a number. It may have a fraction: some
// APIs page by a time with microseconds.
type idNumber struct {
	value  value.Value
	number decimal.Number
}

// increased returns the id plus increment, as it is sent. As in the original extractor, a
// whole number has no exponent. A number with a fraction is sent as the response wrote
// it. ok is false if the sum has too many digits.
func (id idNumber) increased(increment int64) (sum value.Value, ok bool) {
	if increment != 0 {
		text, ok := id.number.Plus(increment, value.MaxWhole)
		return value.OfNumber(text), ok
	}
	if text, ok := id.number.Whole(value.MaxWhole); ok && id.number.IsWhole() {
		return value.OfNumber(text), true
	}
	if id.value.Kind() == value.Number {
		return id.value, true
	}
	return value.OfNumber(decimal.Literal(strings.Trim(id.value.Raw(), value.Blanks))), true
}

// IDs are the ids of the first and last item of a page, and the smallest and largest id.
type IDs struct {
	First, Last value.Value
	Min, Max    idNumber
	// Wrong is an excerpt of the first id that is not a number, or "".
	Wrong string
	any   bool // true if an id was added
	found bool // true if Min and Max are set
}

// Add adds the id of an item.
func (ids *IDs) Add(id value.Value) {
	if !ids.any {
		ids.First, ids.any = id, true
	}
	ids.Last = id
	number, ok := id.Decimal()
	if !ok {
		if ids.Wrong == "" {
			ids.Wrong = excerpt(id)
		}
		return
	}
	if !ids.found || number.Compare(ids.Min.number) < 0 {
		ids.Min = idNumber{id, number}
	}
	if !ids.found || number.Compare(ids.Max.number) > 0 {
		ids.Max = idNumber{id, number}
	}
	ids.found = true
}

// excerpt returns the JSON text of a value for an error. It describes a long value
// instead of cutting it, because half of a secret could not be masked.
func excerpt(v value.Value) string {
	const most = 60
	if text := v.JSON(); len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s of more than %d characters", v.Kind().WithArticle(), most)
}

func (c cursor) describe(config.RequestSpec) []string {
	which, more := "largest", ""
	if c.reverse {
		which = "smallest"
	}
	switch {
	case c.increment > 0:
		more = fmt.Sprintf(" plus %d", c.increment)
	case c.increment < 0:
		more = " minus " + strconv.FormatInt(c.increment, 10)[1:]
	}
	return []string{fmt.Sprintf("Each request after the first has %s = the %s %q of all rows so far%s, until a page is empty.", c.param, which, c.idKey.Text, more)}
}
