package engine

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/order"
)

// openMemories makes what each iteration remembers, unless the document has nothing to
// do with it.
func (r *run) openMemories(remembered *state.Remembered) {
	r.memories = map[string]*state.Memory{}
	if len(r.plan.reads) == 0 && !r.plan.remembers() {
		return
	}
	for _, it := range r.plan.iterations {
		if r.memories[it.Key] == nil {
			r.memories[it.Key] = remembered.Of(it.Key, namesIn(it.remembers), func(text string) { r.warn(event.StateWarning{Text: text}) })
		}
	}
}

// remembers reports whether a job leaves something for the next run.
func (p *Plan) remembers() bool {
	for _, it := range p.iterations {
		if len(it.remembers) > 0 {
			return true
		}
	}
	return false
}

// rememberedByLogins are the names of what logins remember.
func (p *Plan) rememberedByLogins() []string {
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
		members[m.name] = jr.memory.Before(m.name, combination)
		if jr.run.standIn != nil && jr.memory.Entry(m.name).Stored > 0 { // the values of the placeholders are not known
			members[m.name] = value.OfString(jr.run.standIn(m.name + " of this " + strings.Join(m.per, ", ")))
		}
	}
	return members, members != nil
}

// combination is what the value of a run of a job is known by. Not every job has the
// placeholders.
func (m remembering) combination(in invocation) (text string, ok bool) {
	values := make([]value.Value, 0, len(m.per))
	for _, name := range m.per {
		for _, f := range in.filled {
			if f.token == name {
				values = append(values, f.value)
				break
			}
		}
	}
	return state.Combination(values), len(values) == len(m.per)
}

// gathered is what the items of one run of a job have for a name.
type gathered struct {
	remembering
	items, valued int
	value         value.Value // null for none so far
	key           order.Key   // of the value
}

// gathering are the names of a job that items have values for.
func gathering(all []remembering) []gathered {
	var names []gathered
	for _, m := range all {
		if m.path != "" {
			names = append(names, gathered{remembering: m})
		}
	}
	return names
}

// observe looks at an item that was stored.
func (r *jobRun) observe(row value.Packed) {
	for i := range r.gathered {
		r.gathered[i].add(row)
	}
}

func (g *gathered) add(row value.Packed) {
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
		g.valued++
	}
}

// beats reports whether one value is to take the place of another.
func (m remembering) beats(a, b order.Key) bool {
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

// keepAnswer keeps what expressions may refer to in the last page.
func (r *jobRun) keepAnswer(page *answer.Page, res *exchange.Answer) (err error) {
	if len(r.job.remembers) > len(r.gathered) {
		r.last, err = r.answerScope(page, res, "an expression of 'remember'", r.leaves)
	}
	return err
}

// remember keeps what a run of a job that came to its end leaves for the next run. If a
// rule has skipped an answer, what it would have had may come another time, so the next
// run begins where this one did.
func (r *jobRun) remember() error {
	if r.skipped {
		return nil
	}
	statistics := r.statistics.of(r.job)
	for i, g := range r.gathered {
		if statistics.valued == nil {
			statistics.valued = make([]int, len(r.gathered))
		}
		statistics.valued[i] += g.valued
		if i == 0 {
			statistics.items += g.items
		}
		if err := r.keep(g); err != nil {
			return err
		}
	}
	for _, m := range r.job.remembers {
		if m.path != "" {
			continue
		}
		v, err := r.afterLastPage(m)
		if err == nil && !v.IsBlank() {
			err = r.set(m, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep keeps what items had. A greatest or least value never goes back, unless the job has
// begun again without what was remembered.
func (r *jobRun) keep(g gathered) error {
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
		if now := r.memory.Now(g.name, combination); !now.IsBlank() {
			r.compared(g, order.Of(now))
			if !g.beats(g.key, order.Of(now)) {
				g.value = now
			}
		}
	}
	return r.set(g.remembering, g.value)
}

// compared warns when what was remembered is not of the kind of the values now: compared
// as texts, it may stay for ever.
func (r *jobRun) compared(g gathered, before order.Key) {
	if !order.Alike(g.key, before) {
		r.run.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.pick)),
			Text: "the values there have another form than what was remembered, so they are compared as texts; remove '" + g.name + "' from the state to begin again"})
	}
}

// set keeps a value. Null says that there was none, and what was remembered before
// stays.
func (r *jobRun) set(m remembering, v value.Value) error {
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
func (r *jobRun) afterLastPage(m remembering) (v value.Value, err error) {
	scope := r.scope
	if r.last != nil {
		scope = r.last
	}
	if r.window != nil {
		scope = scope.With(expr.Window, r.window.bounds())
	}
	scope = scope.Warning(func(pointer, text string) { r.run.warn(event.ConfigWarning{Pointer: pointer, Text: text}) })
	err = r.concealing(scope, func(scope *expr.Scope) (err error) {
		v, err = m.value.Eval(scope)
		return err
	})
	return v, err
}

// warnForgetting warns when no item of a job, or of one below it, has a value to
// remember: the next run would begin where this one did.
func (jr *jobRunner) warnForgetting(j *job) {
	statistics := jr.statistics[j]
	for i, g := range gathering(j.remembers) {
		if statistics != nil && statistics.items > 0 && statistics.valued[i] == 0 {
			jr.run.warn(event.ConfigWarning{Pointer: failure.PointerJoin(g.pointer, string(g.pick)), Text: "no item has a value there, so nothing is remembered"})
		}
	}
	for _, child := range j.children {
		jr.warnForgetting(child)
	}
}

// read reports what an iteration takes from earlier runs.
func (jr *jobRunner) read() {
	for _, r := range jr.readings(jr.run.plan.reads) {
		if r.Value != "" || r.Values > 0 {
			jr.run.Log.Emit(event.StateRead{Name: r.Name, Value: r.Value, Values: r.Values, Iteration: jr.number})
		}
	}
}

// Reading is what earlier runs left under a name: a value, or so many values of a name
// with one for each combination of placeholders. Neither is there before the first run.
type Reading struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`
	Values int    `json:"values,omitempty"`
}

// readings are what earlier runs left under these names.
func (jr *jobRunner) readings(names []string) []Reading {
	all := make([]Reading, len(names))
	for i, name := range names {
		found := jr.memory.Entry(name)
		all[i] = Reading{Name: name, Value: jr.run.shown(name, found.Before)}
		if found.Per {
			all[i].Values = found.Stored
		}
	}
	return all
}

// kept are the events about what each iteration leaves for the next run.
func (r *run) kept() []event.StateRemembered {
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
		return prose.Shorten(r.Secrets.Redact(v.Raw()), maxShown)
	default:
		return prose.Shorten(r.Secrets.Redact(v.JSON()), maxShown)
	}
}

// maxShown is how many characters of a value are shown.
const maxShown = 500
