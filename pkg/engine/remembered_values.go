package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/order"
)

// openIterationValues creates the remembered values of each iteration. It creates none if
// the document neither reads nor remembers values.
func (r *run) openIterationValues(remembered *state.Remembered) {
	r.iterationValues = map[string]*state.IterationValues{}
	remembers := slices.ContainsFunc(r.program.iterations, func(it iteration) bool { return len(it.remembers) > 0 })
	if len(r.program.reads) == 0 && !remembers {
		return
	}
	for _, it := range r.program.iterations {
		if r.iterationValues[it.Key] == nil {
			names := make([]state.Name, len(it.remembers))
			for i, m := range it.remembers {
				names[i] = state.Name{Name: m.name, Per: len(m.per) > 0, Scalar: m.aggregate == greatest || m.aggregate == least}
			}
			r.iterationValues[it.Key] = remembered.ForIteration(it.Key, names, func(text string) { r.ledger.warn(event.StateWarning{Text: text}) })
		}
	}
}

// saveRemembered saves the remembered values of a finished run. If a rule skipped a
// response, the run saves no values, because the next run may get the skipped data and
// must start where this run started.
func (l *ledger) saveRemembered() error {
	if l.skipped {
		return nil
	}
	statistics := l.statistics.get(l.job)
	for i, g := range l.accumulators {
		if statistics.withValue == nil {
			statistics.withValue = make([]int, len(l.accumulators))
		}
		statistics.withValue[i] += g.found
		if i == 0 {
			statistics.items += g.items
		}
		if err := l.saveAccumulated(g); err != nil {
			return err
		}
	}
	for _, m := range l.job.remembers {
		if m.path != "" {
			continue
		}
		v, err := l.afterLastPage(m)
		if err == nil && !v.IsBlank() {
			err = l.saveValue(m, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// saveAccumulated saves the aggregate of a run. A maximum never becomes smaller and a
// minimum never greater than the saved value, unless the job was restarted without the
// remembered values.
func (l *ledger) saveAccumulated(g accumulator) error {
	combination, _ := g.combination(l.placeholderValues)
	switch {
	case g.items == 0 || g.aggregate == earliest && l.iterationValues.IsSet(g.name, combination):
		return nil
	case g.aggregate == greatest || g.aggregate == least:
		if g.value.IsNull() {
			return nil
		}
		if l.restarted && !l.iterationValues.IsSet(g.name, combination) {
			break
		}
		if now := l.iterationValues.Current(g.name, combination); !now.IsBlank() {
			if !order.Alike(g.key, order.Of(now)) { // the remembered value may stay for ever
				l.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.aggregate)),
					Text: "the values have a different form than the remembered value, so they are compared as texts; remove '" + g.name + "' from the state to start again"})
			}
			if !g.replaces(g.key, order.Of(now)) {
				g.value = now
			}
		}
	}
	return l.saveValue(g.rememberEntry, g.value)
}

// saveValue saves a value. Null means that there was no value; the state then keeps the
// previous value.
func (l *ledger) saveValue(m rememberEntry, v value.Value) error {
	if v.Secret() && !state.Secret(m.name) {
		return failure.Userf("the value of '%s' is computed from a secret, which the state would show: rename it to '#%s'", m.name, m.name).At(m.pointer)
	}
	l.evaluator.registerRemembered(m.name, v)
	combination, _ := m.combination(l.placeholderValues)
	if err := l.iterationValues.Set(m.name, combination, v); err != nil {
		return failure.Wrap("job "+l.endpoint, m.pointer, err)
	}
	return nil
}

// afterLastPage evaluates the expression of an entry in the scope of the last page.
func (l *ledger) afterLastPage(m rememberEntry) (v value.Value, err error) {
	scope := l.last
	if l.window != nil {
		bounds := expr.WindowMembers(l.window.StartBound(), l.window.EndBound()) // regardless of the settings for format and end
		if l.window.secret {
			bounds = bounds.AsSecret()
		}
		scope = scope.With(expr.Window, bounds)
	}
	scope = scope.Warning(func(pointer, text string) { l.warn(event.ConfigWarning{Pointer: pointer, Text: text}) })
	err = l.evaluator.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		v, err = m.value.Eval(scope)
		return err
	})
	return v, err
}

// warnForgetting warns if no item of a root job, or of a job below it, has a value to
// remember. The next run would start where this run started.
func (l *jobsLedger) warnForgetting(root *job) {
	for _, j := range withChildren([]*job{root}) {
		s := l.statistics[j]
		for i, g := range newAccumulators(j.remembers) {
			if s != nil && s.items > 0 && s.withValue[i] == 0 {
				l.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.aggregate)), Text: "no item has a value at this path, so nothing is remembered"})
			}
		}
	}
}

// rememberedEvents returns the events about the values that each iteration leaves for the
// next run.
func (r *run) rememberedEvents() []event.StateRemembered {
	var all []event.StateRemembered
	for _, it := range r.program.iterations {
		for _, m := range it.remembers {
			found := r.iterationValues[it.Key].Entry(m.name)
			if found.Set == 0 {
				continue
			}
			e := event.StateRemembered{
				Name: m.name, Value: formatRemembered(m.name, found.Now, r.Secrets.Mask), Before: formatRemembered(m.name, found.Before, r.Secrets.Mask),
				Iteration: it.number, Pointer: m.pointer,
			}
			if found.Per {
				e.Values = found.Set
			}
			all = append(all, e)
		}
	}
	return all
}

// accumulator computes the value of a remembered name from the items of a job run.
type accumulator struct {
	rememberEntry
	items, found int         // all items, and items with a value
	value        value.Value // null if there is no value yet
	key          order.Key   // sort key of value
}

func newAccumulators(all []rememberEntry) []accumulator {
	var names []accumulator
	for _, m := range all {
		if m.path != "" {
			names = append(names, accumulator{rememberEntry: m})
		}
	}
	return names
}

// add adds a stored item.
func (g *accumulator) add(row value.Packed) {
	g.items++
	v, _ := row.At(g.path, ".")
	if v.IsBlank() {
		v = value.Value{}
	}
	switch g.aggregate {
	case latest:
		g.value = v
	case earliest:
		if g.items == 1 {
			g.value = v
		}
	default:
		if !v.IsScalar() {
			return
		}
		if key := order.Of(v); g.value.IsNull() || g.replaces(key, g.key) {
			g.value, g.key = v, key
		}
	}
	if !v.IsNull() {
		g.found++
	}
}

// replaces reports whether a replaces b: whether a is less for min, or greater for max.
func (m rememberEntry) replaces(a, b order.Key) bool {
	if m.aggregate == least {
		return order.Compare(a, b) < 0
	}
	return order.Compare(a, b) > 0
}
