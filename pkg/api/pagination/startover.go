package pagination

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// startOver lets a job begin again at the first page, for an API that ends its results
// after a number of rows or pages. The pages up to there are a round. The engine builds
// the first request of a round and checks that no rows are missing between two rounds.
//
// At the number, the end that a response states is no proof, because the API ends its
// results there. Only an empty page and a page with fewer rows than the page size are.
// Stoppers that the API decides (`nextPageFlag`, `stopWhen`, `limitStop.field`) are inside
// and begin again with each round. Limits of the configuration (`forceStop`,
// `limitStop.count`) are outside and count all rounds.
type startOver struct{ rows, pages limit }

// roundState is the state of a scroller that starts over. rows and pages count the round.
type roundState struct {
	rows, pages int64
	inner       State
}

// Settings of `startOver`.
var (
	StartOver = field.Of("startOver", "Start over", "For an API that ends its results after a number of rows or pages. At that number, the job begins again at the first page, with what it has remembered so far in this run.",
		startOverType()).Example(`{"rows": 10000}`, `{"pages": 300}`)
	startOverRows  = field.Integer("rows", "Rows", "Number of rows, before `rowFilter`. The page that reaches the number is kept whole.").Example(`10000`).Also("count", "limit")
	startOverPages = field.Integer("pages", "Pages", "Number of pages.").Example(`300`)
)

const startOverForms = `expected the key "rows" or the key "pages"`

func startOverType() *field.Type {
	t := field.Object("startOver", "Start over", "The API ends its results after this number, in either `rows` or `pages`. The request of the job must contain a value that the job itself remembers with `max` or `min` (`{\"remember\": {\"since\": {\"max\": \"updated_at\"}}}`), the API must sort by this value, and all tables of the job and of its child jobs need a primary key, because the rows at the border come twice.",
		startOverRows, startOverPages)
	t.OnlyUnknownKeys, t.Message, t.NotEmpty = startOverForms, startOverForms, []string{"object"}
	return t
}

// compileStartOver compiles `startOver`. It returns nil without the setting.
func compileStartOver(s config.Section) *startOver {
	at, ok := object(StartOver.In(s))
	if !ok {
		return nil
	}
	set := 0
	for _, setting := range []field.Setting[int]{startOverRows, startOverPages} {
		number := setting.In(at)
		if number.Value.IsNull() {
			continue
		}
		set++
		if n, known := number.Value.Int(); number.Value.IsNumeric() && (!known || n < 1) {
			number.Problem("expected a whole number, at least 1", "write the number after which the API ends its results")
		}
	}
	switch set {
	case 0:
		missingKey(at, startOverForms)
	case 2:
		missingKey(at, startOverForms+", not both")
	}
	return &startOver{rows: integerLimit(at, startOverRows), pages: integerLimit(at, startOverPages)}
}

// around returns a scroller that starts over.
func (o startOver) around(inner Scroller) Scroller {
	s := inner
	s.First = func(job config.RequestSpec, now time.Time) (config.RequestSpec, State) {
		request, state := inner.First(job, now)
		return request, roundState{inner: state}
	}
	s.NextRound = func(job config.RequestSpec, _ State, now time.Time) (config.RequestSpec, State) {
		return s.First(job, now)
	}
	s.Next = func(job config.RequestSpec, state State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
		round := state.(roundState)
		request, next, stop, err := inner.Next(job, round.inner, p)
		round.inner = next
		round.rows += int64(p.Rows)
		round.pages++
		again := o.reached(round)
		if err != nil || again == nil || p.Rows == 0 || stop != nil && (stop.StartOver || stop.Limit || stop.Short && round.rows != o.rows.number) {
			return request, round, stop, err
		}
		if round.rows != o.rows.number { // otherwise the API may have cut the page
			again.Stated = stop
		}
		return job, round, again, nil
	}
	s.Describe = func(job config.RequestSpec) []string { return append(inner.Describe(job), o.describe()) }
	if inner.Full != nil {
		s.Full = func(job config.RequestSpec, state State, last PageInfo) int {
			return inner.Full(job, state.(roundState).inner, last)
		}
		s.Exists = func(job config.RequestSpec, state State, last PageInfo) bool {
			return inner.Exists(job, state.(roundState).inner, last)
		}
	}
	s.Evaluate = func(values []value.Value) Scroller { return o.around(inner.Evaluate(values)) }
	s.Place = func(names []string) Scroller { return o.around(inner.Place(names)) }
	s.StartsOver = o.limit().pointer
	return s
}

func (o startOver) limit() limit {
	if o.rows.set {
		return o.rows
	}
	return o.pages
}

// reached returns the reason to start over, or nil.
func (o startOver) reached(round roundState) *Stop {
	switch {
	case o.rows.set && round.rows >= o.rows.number:
		return o.stop("the round has %s, and the API ends its results after %d", textfmt.Count(int(round.rows), "row"), o.rows)
	case o.pages.set && round.pages >= o.pages.number:
		return o.stop("the round has %s, and the API ends its results after %d", textfmt.Count(int(round.pages), "page"), o.pages)
	default:
		return nil
	}
}

func (o startOver) stop(rule, reached string, l limit) *Stop {
	return &Stop{Rule: fmt.Sprintf(rule, reached, l.number), Pointer: l.pointer, StartOver: true}
}

func (o startOver) describe() string {
	unit := "row"
	if o.pages.set {
		unit = "page"
	}
	return fmt.Sprintf("After %s, starts over at the first page with what it has remembered so far in this run, unless the last page shows that there are no more rows.", textfmt.Count(int(o.limit().number), unit))
}
