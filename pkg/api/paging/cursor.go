package paging

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// cursor pages by an id: the nextrequest is for what comes after the largest
// id so far (the smallest with reverse), plus an increment. A page without rows
// is the last one.
type cursor struct {
	idKey        answer.Path
	param        parameter
	increment    int64
	reverse      bool
	idKeyPointer string
}

// cursorState is the largest or smallest id of the pages so far, nil before the
// first one.
type cursorState struct {
	id *big.Int
}

// The settings of the method cursor.
var (
	IDKey = field.Text("idKey", "Path of the id", "Path in each item to the number whose highest value becomes the cursor or, with `idType` `text`, to the id; `.` is the item itself.").
		As(field.Path).Example(`"id"`)
	CursorParam = field.Text("param", "Parameter", "Parameter that carries the cursor; required unless the job places it with `{\"paging\": \"cursor\"}`.").As(field.Parameter).Example(`"since_id"`)
	Increment   = field.Integer("increment", "Increment", "Added to the cursor; may be negative.").Default(0).Example(`-1`)
	Reverse     = field.Flag("reverse", "Reverse", "Use the lowest value instead of the highest; with `idType` `text`, the id of the first item instead of the last.").Example(`true`)
	IDType      = field.Text("idType", "Type of the ids", "`number`: the highest number becomes the cursor. `text`: the id of the last item becomes the cursor, unchanged.").
			Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("number", TextIDs)}).Default("number").Example(`"text"`)
)

// TextIDs is the value of IDType for ids that may be texts.
const TextIDs = "text"

func cursorMethod() Method {
	return Method{
		Name:     "cursor",
		Settings: []field.Declared{IDKey, CursorParam, IDType, Increment, Reverse},
		Needed:   []field.Declared{IDKey},
		Values:   []Value{{cursorValue, CursorParam}},
		Compile:  compileCursor,
		IDPath:   func(s config.Section) config.Section { return IDKey.In(s) },
	}
}

func compileCursor(s config.Section) Scroller {
	c := cursor{
		idKey:        answer.Path{Text: IDKey.Of(s), Separator: "."},
		param:        parameterOf(s, Value{cursorValue, CursorParam}),
		increment:    int64(Increment.Of(s)),
		reverse:      Reverse.Of(s),
		idKeyPointer: IDKey.In(s).Pointer,
	}
	if IDType.Of(s) != TextIDs {
		return c
	}
	if c.increment != 0 {
		Increment.In(s).Problem("expected no increment: ids of the type \"text\" are sent as they stand", "remove it")
	}
	return textCursor{c}
}

func (c cursor) Needs() Needs { return Needs{ItemID: c.idKey} }

func (c cursor) First(job config.Request, _ time.Time) (config.Request, State) {
	return job, cursorState{}
}

func (c cursor) Next(job config.Request, state State, p Page) (config.Request, State, *Stop, error) {
	s := state.(cursorState)
	if p.Rows == 0 {
		return job, nil, &Stop{Rule: "the page is empty", Pointer: c.idKeyPointer}, nil
	}
	if p.IDs.Wrong != "" {
		return job, nil, nil, failure.Userf("the cursor value at '%s' of an item is not a number: %s", c.idKey.Text, p.IDs.Wrong).At(c.idKeyPointer)
	}
	switch {
	case c.reverse && (s.id == nil || p.IDs.Min.Cmp(s.id) < 0):
		s.id = p.IDs.Min
	case !c.reverse && (s.id == nil || p.IDs.Max.Cmp(s.id) > 0):
		s.id = p.IDs.Max
	}
	next := new(big.Int).Add(s.id, big.NewInt(c.increment))
	return c.param.set(job, ofInteger(next)), s, nil, nil
}

// IDs are the smallest and largest id of the items of a page, and those of the first
// and the last item. Ids have any number of digits: those of some APIs need 64 bits
// without a sign, or more.
type IDs struct {
	First, Last value.Value
	Min, Max    *big.Int
	// Wrong shows the first id that is not a number, "" when all are.
	Wrong string
	any   bool // id was added
}

// Add takes the id of one more item; a fraction is cut off.
func (ids *IDs) Add(id value.Value) {
	if !ids.any {
		ids.First, ids.any = id, true
	}
	ids.Last = id
	i, ok := id.Integer()
	if !ok {
		if ids.Wrong == "" {
			ids.Wrong = excerpt(id)
		}
		return
	}
	if ids.Min == nil || i.Cmp(ids.Min) < 0 {
		ids.Min = i
	}
	if ids.Max == nil || i.Cmp(ids.Max) > 0 {
		ids.Max = i
	}
}

// excerpt is a value as an error shows it: whole or not at all, since half of a
// secret could not be masked.
func excerpt(v value.Value) string {
	const most = 60
	if text := v.JSON(); len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s of more than %d characters", v.Kind().WithArticle(), most)
}

func (c cursor) Describe(config.Request) []string {
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

// endsByRepeating implements repeating: an API that gives the rows from the cursor
// on, the cursor's own included, gives its last row for ever. A page as large as any
// may hold back more.
func (cursor) endsByRepeating(r Repeat) bool { return r.Rows < r.Largest }

func (c cursor) parameter() parameter { return c.param }

func (c cursor) placing(names []string) Scroller {
	c.param = c.param.placing(names)
	return c
}
