package engine

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/order"
)

// openIterationValues creates the remembered values of each iteration. It creates none if
// the document neither reads nor remembers values.
func (r *run) openIterationValues(remembered *state.Remembered) {
	r.iterationValues = map[string]*state.IterationValues{}
	if len(r.plan.reads) == 0 && !r.plan.remembers() {
		return
	}
	for _, it := range r.plan.iterations {
		if r.iterationValues[it.Key] == nil {
			r.iterationValues[it.Key] = remembered.ForIteration(it.Key, stateNames(it.remembers), func(text string) { r.warn(event.StateWarning{Text: text}) })
		}
	}
}

// remembers reports whether a job or a login remembers a value for the next run.
func (p *Program) remembers() bool {
	for _, it := range p.iterations {
		if len(it.remembers) > 0 {
			return true
		}
	}
	return false
}

// rememberedByLogins returns the names that logins remember.
func (p *Program) rememberedByLogins() []string {
	var names []string
	for _, it := range p.iterations {
		for _, m := range auth.Remembered(it.auth) {
			names = append(names, m.Name)
		}
	}
	return names
}

// rememberedFor returns the remembered values for a run of a child job. It returns false
// if no value depends on the placeholders of the run.
func (jr *jobRunner) rememberedFor(in invocation) (expr.Members, bool) {
	var members expr.Members
	for _, m := range jr.it.remembers {
		combination, ok := m.combination(in)
		if !ok || len(m.per) == 0 {
			continue
		}
		if members == nil {
			members = jr.iterationValues.AllBefore()
		}
		members[m.name] = jr.iterationValues.Previous(m.name, combination)
		if jr.run.standIn != nil && jr.iterationValues.Entry(m.name).Stored > 0 { // a preview does not know the values of the placeholders
			members[m.name] = value.OfString(jr.run.standIn(m.name + " of this " + strings.Join(m.per, ", ")))
		}
	}
	return members, members != nil
}

// combination returns the key of the remembered value for the placeholders of a run. It
// returns false if the run lacks one of the placeholders.
func (m rememberEntry) combination(in invocation) (text string, ok bool) {
	values := make([]value.Value, 0, len(m.per))
	for _, name := range m.per {
		for _, f := range in.placeholderValues {
			if f.token == name {
				values = append(values, f.value)
				break
			}
		}
	}
	return state.Combination(values), len(values) == len(m.per)
}

// accumulator computes the value of a remembered name from the items of a job run.
type accumulator struct {
	rememberEntry
	items, found int         // all items, and items with a value
	value        value.Value // null if there is no value yet
	key          order.Key   // sort key of value
}

// newAccumulators returns the accumulators for the entries with a path.
func newAccumulators(all []rememberEntry) []accumulator {
	var names []accumulator
	for _, m := range all {
		if m.path != "" {
			names = append(names, accumulator{rememberEntry: m})
		}
	}
	return names
}

// accumulate adds a stored item to the accumulators.
func (r *jobRun) accumulate(row value.Packed) {
	for i := range r.accumulators {
		r.accumulators[i].add(row)
	}
}

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

// rememberReferences returns the names in context c that the `remember` expressions of
// the job refer to.
func (j *job) rememberReferences(c expr.Context) []string {
	var names []string
	for _, m := range j.remembers {
		names = append(names, m.value.References(c)...)
	}
	return names
}

// saveLastResponse keeps the scope of the last page for `remember` expressions.
func (r *jobRun) saveLastResponse(page *response.Page, res *httpclient.Response) (err error) {
	if len(r.job.remembers) > len(r.accumulators) {
		r.last, err = r.responseScope(page, res, "an expression of 'remember'", r.rememberReferences)
	}
	return err
}

// saveRemembered saves the remembered values of a finished run. If a rule skipped a
// response, the run saves no values, because the next run may get the skipped data and
// must start where this run started.
func (r *jobRun) saveRemembered() error {
	if r.skipped {
		return nil
	}
	statistics := r.statistics.get(r.job)
	for i, g := range r.accumulators {
		if statistics.withValue == nil {
			statistics.withValue = make([]int, len(r.accumulators))
		}
		statistics.withValue[i] += g.found
		if i == 0 {
			statistics.items += g.items
		}
		if err := r.saveAccumulated(g); err != nil {
			return err
		}
	}
	for _, m := range r.job.remembers {
		if m.path != "" {
			continue
		}
		v, err := r.afterLastPage(m)
		if err == nil && !v.IsBlank() {
			err = r.saveValue(m, v)
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
func (r *jobRun) saveAccumulated(g accumulator) error {
	combination, _ := g.combination(r.invocation)
	switch {
	case g.items == 0 || g.aggregate == earliest && r.iterationValues.IsSet(g.name, combination):
		return nil
	case g.aggregate == greatest || g.aggregate == least:
		if g.value.IsNull() {
			return nil
		}
		if r.restarted && !r.iterationValues.IsSet(g.name, combination) {
			break
		}
		if now := r.iterationValues.Current(g.name, combination); !now.IsBlank() {
			r.warnIncomparable(g, order.Of(now))
			if !g.replaces(g.key, order.Of(now)) {
				g.value = now
			}
		}
	}
	return r.saveValue(g.rememberEntry, g.value)
}

// warnIncomparable warns if the remembered value and the new values are of different
// kinds. They are compared as texts then, and the remembered value may stay for ever.
func (r *jobRun) warnIncomparable(g accumulator, before order.Key) {
	if !order.Alike(g.key, before) {
		r.run.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.aggregate)),
			Text: "the values have a different form than the remembered value, so they are compared as texts; remove '" + g.name + "' from the state to start again"})
	}
}

// saveValue saves a value. Null means that there was no value; the state then keeps the
// previous value.
func (r *jobRun) saveValue(m rememberEntry, v value.Value) error {
	if v.Secret() && !state.Secret(m.name) {
		return failure.Userf("the value of '%s' is computed from a secret, which the state would show: rename it to '#%s'", m.name, m.name).At(m.pointer)
	}
	if text := v.Raw(); state.Secret(m.name) && expr.Conceals(text) { // masking a shorter secret would hide words of messages
		r.run.Secrets.Add(text)
	}
	combination, _ := m.combination(r.invocation)
	if err := r.iterationValues.Set(m.name, combination, v); err != nil {
		return failure.Wrap("job "+r.endpoint, m.pointer, err)
	}
	return nil
}

// afterLastPage evaluates the expression of an entry in the scope of the last page.
func (r *jobRun) afterLastPage(m rememberEntry) (v value.Value, err error) {
	scope := r.scope
	if r.last != nil {
		scope = r.last
	}
	if r.window != nil {
		scope = scope.With(expr.Window, r.window.bounds())
	}
	scope = scope.Warning(func(pointer, text string) { r.run.warn(event.ConfigWarning{Pointer: pointer, Text: text}) })
	err = r.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		v, err = m.value.Eval(scope)
		return err
	})
	return v, err
}

// warnForgetting warns if no item of a job, or of a job below it, has a value to
// remember. The next run would start where this run started.
func (jr *jobRunner) warnForgetting(j *job) {
	statistics := jr.statistics[j]
	for i, g := range newAccumulators(j.remembers) {
		if statistics != nil && statistics.items > 0 && statistics.withValue[i] == 0 {
			jr.run.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.aggregate)), Text: "no item has a value at this path, so nothing is remembered"})
		}
	}
	for _, child := range j.children {
		jr.warnForgetting(child)
	}
}

// reportRemembered reports the remembered values that an iteration reads.
func (jr *jobRunner) reportRemembered() {
	for _, r := range jr.rememberedValues(jr.run.plan.reads) {
		if r.Value != "" || r.Values > 0 {
			jr.run.Log.Emit(event.StateRead{Name: r.Name, Value: r.Value, Values: r.Values, Iteration: jr.number})
		}
	}
}

// RememberedValue is the value that earlier runs left under a name. A name with a value
// for each combination of placeholders has Values, the number of values, instead of
// Value. Before the first run both are empty.
type RememberedValue struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`
	Values int    `json:"values,omitempty"`
}

// rememberedValues returns the values that earlier runs left under names.
func (jr *jobRunner) rememberedValues(names []string) []RememberedValue {
	all := make([]RememberedValue, len(names))
	for i, name := range names {
		found := jr.iterationValues.Entry(name)
		all[i] = RememberedValue{Name: name, Value: jr.run.formatRemembered(name, found.Before)}
		if found.Per {
			all[i].Values = found.Stored
		}
	}
	return all
}

// rememberedEvents returns the events about the values that each iteration leaves for the
// next run.
func (r *run) rememberedEvents() []event.StateRemembered {
	var all []event.StateRemembered
	for i, it := range r.plan.iterations {
		for _, m := range it.remembers {
			found := r.iterationValues[it.Key].Entry(m.name)
			if found.Set == 0 {
				continue
			}
			e := event.StateRemembered{Name: m.name, Value: r.formatRemembered(m.name, found.Now), Before: r.formatRemembered(m.name, found.Before), Iteration: r.plan.number(i), Pointer: m.pointer}
			if found.Per {
				e.Values = found.Set
			}
			all = append(all, e)
		}
	}
	return all
}

// formatRemembered formats a remembered value for people. It hides the value of a secret
// name.
func (r *run) formatRemembered(name string, v value.Value) string {
	switch {
	case v.IsNull():
		return ""
	case state.Secret(name):
		return secret.Hidden
	case v.Kind() == value.String:
		return textfmt.Shorten(r.Secrets.Mask(v.Raw()), maxShown)
	default:
		return textfmt.Shorten(r.Secrets.Mask(v.JSON()), maxShown)
	}
}

// maxShown is the maximum length, in characters, of a value that is shown.
const maxShown = 500
