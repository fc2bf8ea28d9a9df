package engine

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/order"
)

// rounds follow the rows of a job run that starts over (`pagination.startOver`), so that
// no row is lost between two rounds: within a round the values that the request contains
// never go back, and each round begins with rows of the round before it.
//
// They belong to the stream, because the first request of a round must be the same with
// any concurrency. They see only the rows of their own run: the values of other jobs and
// runs are not where this run has to continue. Their memory does not grow.
type rounds struct {
	values []roundValue
	number int // number of the current round, counted from 1
	// before is the number of pages before the current round.
	before int
	seed   maphash.Seed
	buffer []byte
	last   uint64 // hash of the key of the last row
	rows   int    // rows of the current round
	// page is the number of rows of the last page, largest of the largest page.
	page, largest int
}

// roundValue is a value that the job remembers and that its request contains.
type roundValue struct {
	accumulator           // over all rounds
	row         order.Key // value in the last row with a value
	shown       value.Value
	known       bool // true after a row of the current round with a value
}

// border is the last row of a round.
type border struct {
	key  uint64 // hash of its key
	page int
	// found is true if the row came again.
	found bool
}

func newRounds(j *job) rounds {
	r := rounds{number: 1}
	if j.scroller.StartsOver == "" {
		return r
	}
	r.seed = maphash.MakeSeed()
	for _, m := range j.roundEntries {
		r.values = append(r.values, roundValue{accumulator: accumulator{rememberEntry: m}})
	}
	return r
}

// follow follows the rows of a page that will be stored. It returns a user error if the
// rows are not sorted.
func (s *stream) follow(page *response.Page) error {
	if s.scroller.StartsOver == "" {
		return nil
	}
	r := &s.rounds
	r.page, r.largest = page.Rows, max(r.largest, page.Rows)
	for row, err := range s.rows.apply(page.Items()) {
		if err != nil {
			return err
		}
		r.rows++
		r.buffer = s.it.mappings.AppendKey(r.buffer[:0], s.DataType, row)
		r.last = maphash.Bytes(r.seed, r.buffer)
		s.evidence.compareBorder(r.last)
		keep, err := passes(s.rowFilter, row)
		if err != nil {
			return err
		}
		if !keep {
			continue
		}
		for i := range r.values {
			if err := r.values[i].follow(row, s.secrets.Mask); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow adds a row. A row without a value counts as sorted.
func (v *roundValue) follow(row value.Packed, mask func(string) string) error {
	v.add(row)
	found, _ := row.At(v.path, ".")
	if found.IsBlank() || !found.IsScalar() {
		return nil
	}
	key := order.Of(found)
	if v.known && v.replaces(v.row, key) {
		direction := "ascending"
		if v.aggregate == least {
			direction = "descending"
		}
		return failure.Userf("the rows are not sorted: '%s' is %s in one row and %s in a later row. With 'startOver' the API must sort by '%s' (%s), otherwise rows could be lost: send the parameter that sorts the rows, or remember a value that they are sorted by",
			v.path, formatRemembered(v.name, v.shown, mask), formatRemembered(v.name, found, mask), v.path, direction).At(v.pointer)
	}
	v.row, v.shown, v.known = key, found, true
	return nil
}

// nextRound starts over: it returns the first request of the next round and the state
// after it. stop is the reason to start over. Requests that were sent in advance must have
// ended, because they read the request of the job.
//
// If the next round would repeat this round, nextRound returns an error, or the end that
// the response states if the page is not full: then the API has not cut its results.
func (s *stream) nextRound(state pagination.State, stop *pagination.Stop) (config.RequestSpec, pagination.State, *pagination.Stop, error) {
	members, texts, err := s.roundMembers(stop)
	if err != nil && stop.Stated != nil && s.rounds.page < s.rounds.largest {
		return s.base.RequestSpec, nil, stop.Stated, nil
	}
	if err != nil {
		return s.base.RequestSpec, nil, stop, err
	}
	s.scope = s.scope.With(expr.Remembered, members)
	if s.base, err = s.request(s.job, *s.invocation, s.scope); err != nil {
		return s.base.RequestSpec, nil, stop, err
	}
	if s.scroller, err = s.scrollerOf(s.job, s.scope); err != nil {
		return s.base.RequestSpec, nil, stop, err
	}
	r := &s.rounds
	s.pageEvents.add(event.PagingRound{
		Job: s.name, Page: s.pages, Round: r.number + 1, Rows: r.rows, Values: texts,
		Pointer: stop.Pointer, JobPointer: s.Pointer, Iteration: s.iteration,
	})
	s.repetition = repetition{numbered: s.scroller.Numbered, forever: s.scroller.Distinct}
	s.evidence.startOver(r.last, s.pages)
	r.number, r.before, r.rows = r.number+1, s.pages, 0
	for i := range r.values {
		r.values[i].known = false
	}
	request, next := s.scroller.NextRound(s.base.RequestSpec, state, s.now())
	return request, next, nil, nil
}

// roundMembers returns the remembered values for the next round, and texts that show
// the values that the rows have changed. It returns a user error if the next round would repeat
// this round.
func (s *stream) roundMembers(stop *pagination.Stop) (expr.Members, []string, error) {
	sent := s.scope.Contexts[expr.Remembered]
	members := maps.Clone(sent)
	if members == nil {
		members = expr.Members{}
	}
	var texts, stuck []string
	moved := false
	for i := range s.rounds.values {
		v := &s.rounds.values[i]
		if v.value.IsNull() {
			stuck = append(stuck, fmt.Sprintf("no row has a value at '%s'", v.path))
			continue
		}
		text := formatRemembered(v.name, v.value, s.secrets.Mask)
		before := sent[v.name]
		if !before.IsBlank() && order.Compare(v.key, order.Of(before)) == 0 {
			stuck = append(stuck, fmt.Sprintf("'%s' is still %s", v.name, text))
			continue
		}
		moved = true
		members[v.name] = state.AsRemembered(v.name, v.value)
		s.registerRemembered(v.name, v.value)
		texts = append(texts, v.name+" = "+text)
	}
	filtered := ""
	if s.rowFilter.Given() {
		filtered = " (rows that 'rowFilter' drops do not count)"
	}
	switch {
	case len(s.rounds.values) == 0:
		return nil, nil, failure.Userf("%s, but this job cannot start over, so the rest would be lost: %s", stop.Rule, startOverNeeds).At(stop.Pointer)
	case !moved:
		return nil, nil, failure.Userf("%s, but the next round would be the same: %s%s. The API ignores the value, or more rows have the same value than the API returns, or the request rounds it. Remember a value that differs between more rows, such as a time with seconds, or divide the job with 'windows'",
			stop.Rule, strings.Join(stuck, ", "), filtered).At(s.rounds.values[0].pointer)
	}
	return members, texts, nil
}

// startOverNeeds explains what a job needs to start over.
const startOverNeeds = `remember a value of its rows with "max" or "min" in "remember", and send it in "params", "headers" or "endpoint" with {"remembered": "NAME"}`

// roundEntries returns the values that a job remembers by the greatest or least value of
// its rows and that its request contains.
func roundEntries(j *job) []rememberEntry {
	if j.scroller.StartsOver == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(j.remembers), func(m rememberEntry) bool {
		return m.aggregate != greatest && m.aggregate != least || !slices.Contains(j.sentRemembered, m.name)
	})
}

// sentNames returns the names in a context that the request of a job refers to.
func (c compiler) sentNames(j *job, context expr.Context) []string {
	all := slices.Concat(j.Params.References(context), j.Headers.References(context), j.Body.References(context), j.scrollBody.References(context), c.it.References(context))
	if j.ComputedEndpoint != nil {
		all = append(all, j.ComputedEndpoint.References(context)...)
	}
	for _, entries := range j.scrollerExpressions {
		all = append(all, entries.References(context)...)
	}
	return all
}

// describeRounds returns sentences about how a job starts over.
func describeRounds(j *job) []string {
	switch {
	case j.scroller.StartsOver == "":
		return nil
	case len(j.roundEntries) == 0:
		return []string{"This job cannot start over and fails at that number, because its request contains no value that it remembers with \"max\" or \"min\"."}
	}
	var names, paths []string
	for _, m := range j.roundEntries {
		direction := "ascending"
		if m.aggregate == least {
			direction = "descending"
		}
		names = append(names, m.name)
		paths = append(paths, fmt.Sprintf("%q (%s)", m.path, direction))
	}
	return []string{fmt.Sprintf("Each round begins with the value of %s so far. The API must sort the rows by %s, otherwise the run fails.", strings.Join(names, ", "), strings.Join(paths, ", "))}
}
