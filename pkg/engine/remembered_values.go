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

// openMemories makes what each iteration remembers, unless the document has nothing to
// do with it.
func (r *run) openMemories(remembered *state.Remembered) {
	r.memories = map[string]*state.IterationValues{}
	if len(r.plan.reads) == 0 && !r.plan.remembers() {
		return
	}
	for _, it := range r.plan.iterations {
		if r.memories[it.Key] == nil {
			r.memories[it.Key] = remembered.ForIteration(it.Key, namesIn(it.remembers), func(text string) { r.warn(event.StateWarning{Text: text}) })
		}
	}
}

// remembers reports whether a job leaves something for the next run.
func (p *Program) remembers() bool {
	for _, it := range p.iterations {
		if len(it.remembers) > 0 {
			return true
		}
	}
	return false
}

// rememberedByLogins are the names of what logins remember.
func (p *Program) rememberedByLogins() []string {
	var names []string
	for _, it := range p.iterations {
		for _, m := range auth.Remembered(it.auth) {
			names = append(names, m.Name)
		}
	}
	return names
}

// rememberedFor is what earlier runs left for one run of a child job, where some of it
// depends on the placeholders.
func (jr *jobRunner) rememberedFor(in invocation) (expr.Members, bool) {
	var members expr.Members
	for _, m := range jr.it.remembers {
		combination, ok := m.combination(in)
		if !ok || len(m.per) == 0 {
			continue
		}
		if members == nil {
			members = jr.memory.AllBefore()
		}
		members[m.name] = jr.memory.Previous(m.name, combination)
		if jr.run.standIn != nil && jr.memory.Entry(m.name).Stored > 0 { // the values of the placeholders are not known
			members[m.name] = value.OfString(jr.run.standIn(m.name + " of this " + strings.Join(m.per, ", ")))
		}
	}
	return members, members != nil
}

// combination is what the value of a run of a job is known by. Not every job has the
// placeholders.
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

// accumulator is what the items of one run of a job have for a name.
type accumulator struct {
	rememberEntry
	items, found int
	value        value.Value // null for none so far
	key          order.Key   // of the value
}

// newAccumulators are the names of a job that items have values for.
func newAccumulators(all []rememberEntry) []accumulator {
	var names []accumulator
	for _, m := range all {
		if m.path != "" {
			names = append(names, accumulator{rememberEntry: m})
		}
	}
	return names
}

// accumulate looks at an item that was stored.
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
	switch g.pick {
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
		if key := order.Of(v); g.value.IsNull() || g.beats(key, g.key) {
			g.value, g.key = v, key
		}
	}
	if !v.IsNull() {
		g.found++
	}
}

// beats reports whether one value is to take the place of another.
func (m rememberEntry) beats(a, b order.Key) bool {
	if m.pick == least {
		return order.Compare(a, b) < 0
	}
	return order.Compare(a, b) > 0
}

// leaves are the names in a context to which the expressions refer whose values the job
// leaves for the next run.
func (j *job) leaves(c expr.Context) []string {
	var names []string
	for _, m := range j.remembers {
		names = append(names, m.value.References(c)...)
	}
	return names
}

// saveLastResponse keeps what expressions may refer to in the last page.
func (r *jobRun) saveLastResponse(page *response.Page, res *httpclient.Response) (err error) {
	if len(r.job.remembers) > len(r.accumulators) {
		r.last, err = r.responseScope(page, res, "an expression of 'remember'", r.leaves)
	}
	return err
}

// saveRemembered keeps what a run of a job that came to its end leaves for the next run. If a
// rule has skipped a response, what it would have had may come another time, so the next
// run begins where this one did.
func (r *jobRun) saveRemembered() error {
	if r.skipped {
		return nil
	}
	statistics := r.statistics.of(r.job)
	for i, g := range r.accumulators {
		if statistics.valued == nil {
			statistics.valued = make([]int, len(r.accumulators))
		}
		statistics.valued[i] += g.found
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

// saveAccumulated keeps what items had. A greatest or least value never goes back, unless the job has
// begun again without what was remembered.
func (r *jobRun) saveAccumulated(g accumulator) error {
	combination, _ := g.combination(r.invocation)
	switch {
	case g.items == 0 || g.pick == earliest && r.memory.IsSet(g.name, combination):
		return nil
	case g.pick == greatest || g.pick == least:
		if g.value.IsNull() {
			return nil
		}
		if r.restarted && !r.memory.IsSet(g.name, combination) {
			break
		}
		if now := r.memory.Current(g.name, combination); !now.IsBlank() {
			r.compared(g, order.Of(now))
			if !g.beats(g.key, order.Of(now)) {
				g.value = now
			}
		}
	}
	return r.saveValue(g.rememberEntry, g.value)
}

// compared warns when what was remembered is not of the kind of the values now: compared
// as texts, it may stay for ever.
func (r *jobRun) compared(g accumulator, before order.Key) {
	if !order.Alike(g.key, before) {
		r.run.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.pick)),
			Text: "the values there have another form than what was remembered, so they are compared as texts; remove '" + g.name + "' from the state to begin again"})
	}
}

// saveValue keeps a value. Null says that there was none, and what was remembered before
// stays.
func (r *jobRun) saveValue(m rememberEntry, v value.Value) error {
	if v.Secret() && !state.Secret(m.name) {
		return failure.Userf("the value of '%s' is made of a secret, which the state would show: write it '#%s'", m.name, m.name).At(m.pointer)
	}
	if text := v.Raw(); state.Secret(m.name) && expr.Conceals(text) { // a shorter one would mask words of this program
		r.run.Secrets.Add(text)
	}
	combination, _ := m.combination(r.invocation)
	if err := r.memory.Set(m.name, combination, v); err != nil {
		return failure.Wrap("job "+r.endpoint, m.pointer, err)
	}
	return nil
}

// afterLastPage is the value of an expression after the last page.
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

// warnForgetting warns when no item of a job, or of one below it, has a value to
// remember: the next run would begin where this one did.
func (jr *jobRunner) warnForgetting(j *job) {
	statistics := jr.statistics[j]
	for i, g := range newAccumulators(j.remembers) {
		if statistics != nil && statistics.items > 0 && statistics.valued[i] == 0 {
			jr.run.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.pick)), Text: "no item has a value there, so nothing is remembered"})
		}
	}
	for _, child := range j.children {
		jr.warnForgetting(child)
	}
}

// reportRemembered reports what an iteration takes from earlier runs.
func (jr *jobRunner) reportRemembered() {
	for _, r := range jr.rememberedValues(jr.run.plan.reads) {
		if r.Value != "" || r.Values > 0 {
			jr.run.Log.Emit(event.StateRead{Name: r.Name, Value: r.Value, Values: r.Values, Iteration: jr.number})
		}
	}
}

// RememberedValue is what earlier runs left under a name: a value, or so many values of a name
// with one for each combination of placeholders. Neither is there before the first run.
type RememberedValue struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`
	Values int    `json:"values,omitempty"`
}

// rememberedValues are what earlier runs left under these names.
func (jr *jobRunner) rememberedValues(names []string) []RememberedValue {
	all := make([]RememberedValue, len(names))
	for i, name := range names {
		found := jr.memory.Entry(name)
		all[i] = RememberedValue{Name: name, Value: jr.run.shown(name, found.Before)}
		if found.Per {
			all[i].Values = found.Stored
		}
	}
	return all
}

// rememberedEvents are the events about what each iteration leaves for the next run.
func (r *run) rememberedEvents() []event.StateRemembered {
	var all []event.StateRemembered
	for i, it := range r.plan.iterations {
		for _, m := range it.remembers {
			found := r.memories[it.Key].Entry(m.name)
			if found.Set == 0 {
				continue
			}
			e := event.StateRemembered{Name: m.name, Value: r.shown(m.name, found.Now), Before: r.shown(m.name, found.Before), Iteration: r.plan.number(i), Pointer: m.pointer}
			if found.Per {
				e.Values = found.Set
			}
			all = append(all, e)
		}
	}
	return all
}

// shown is a remembered value for people. A secret is not.
func (r *run) shown(name string, v value.Value) string {
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

// maxShown is how many characters of a value are shown.
const maxShown = 500
