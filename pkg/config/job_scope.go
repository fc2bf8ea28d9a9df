package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// JobScope is the position of a job among others: what its expressions can refer to.
type JobScope struct {
	// Jobs is how many jobs are above it, 0 for a root job.
	Jobs int
	// Placeholders are the names of its placeholders and of those above it.
	Placeholders []string
	// Windows is set when it, or a job above it, runs for windows.
	Windows bool
	// Batched are the jobs above, counted from the root job, whose items come in
	// batches: no single one of them is the parent.
	Batched []int
	// Paging are the names of the values of its paging.
	Paging []string
	// Lists are those of Placeholders that have the values of a batch.
	Lists []string
}

// with is the family of this job. A root job has no placeholders.
func (f JobScope) with(job Section) JobScope {
	f.Windows = f.Windows || JobWindows.In(job).Present()
	placeholders, batch := JobPlaceholders.In(job), JobBatch.In(job).Present()
	if f.Jobs == 0 {
		return f
	}
	if batch {
		f.Batched = append(slices.Clip(f.Batched), f.Jobs-1)
	}
	for _, m := range placeholders.Value.Members() {
		f.Placeholders = append(slices.Clip(f.Placeholders), m.Name)
		if batch {
			f.Lists = append(slices.Clip(f.Lists), m.Name)
		}
	}
	return f
}

// InBatch reports whether the items at a level above the job, 1 for those of its
// parent, come in batches.
func (f JobScope) InBatch(level int) bool { return slices.Contains(f.Batched, f.Jobs-level) }

// jobScopeOf is what any of these jobs, or a job below them, can refer to.
func jobScopeOf(jobs Section) JobScope {
	var all JobScope
	var add func(s Section, f JobScope)
	add = func(s Section, f JobScope) {
		for _, item := range s.Items() {
			if item.Value.Kind() != value.Object {
				continue
			}
			one := f.with(item)
			all.Windows = all.Windows || one.Windows
			all.Jobs = max(all.Jobs, one.Jobs)
			all.Placeholders = append(all.Placeholders, one.Placeholders[len(f.Placeholders):]...)
			one.Jobs++
			add(JobChildren.In(item), one)
		}
	}
	add(jobs, JobScope{})
	return all
}

// Compiler compiles the expressions at a place that belongs to the job, with these
// attributes.
func (f JobScope) Compiler(place expr.Site, attributes expr.Members, v expr.Vocabulary, problems *failure.Problems) expr.Compiler {
	placeholders := make(expr.Members, len(f.Placeholders))
	for _, name := range f.Placeholders {
		placeholders[name] = value.Value{}
	}
	paging := make(expr.Members, len(f.Paging))
	for _, name := range f.Paging {
		paging[name] = value.Value{}
	}
	var windows expr.Members
	if f.Windows {
		windows = expr.WindowNames()
	}
	return expr.Compiler{
		Place: place, Above: f.Jobs, InBatch: f.InBatch, Vocabulary: v, Problems: problems,
		Known: map[expr.Context]expr.Members{expr.Attr: attributes, expr.Time: expr.TimeNames(), expr.Placeholder: placeholders, expr.Window: windows, expr.Paging: paging},
	}
}

// Defaults are the parts of a request that every job has unless it says otherwise.
type Defaults struct {
	endpoint, method string
	params, headers  expr.Entries
}

// defaults compiles `api.http.defaultOptions`, whose headers are checked.
func (e evaluator) defaults(s Section) Defaults {
	s.Value = e.options
	compiler := e.compilerFor(expr.InShared, e.all)
	compiler.Exact = true
	return Defaults{
		endpoint: s.Value.Field(DefaultEndpoint.Name).Text(),
		method:   s.Value.Field(DefaultMethod.Name).Text(),
		params:   e.params(DefaultParams.In(s), compiler),
		headers:  compiler.Entries(s.Value.Field(DefaultHeaders.Name), DefaultHeaders.In(s).Pointer),
	}
}

// Request are the defaults in the scope of a job, to lay the job's own request over.
func (d Defaults) Request(scope *expr.Scope) (r RequestSpec, err error) {
	r = RequestSpec{Endpoint: d.endpoint, Method: d.method}
	if r.Params, err = d.params.Eval(scope); err != nil {
		return r, err
	}
	r.Headers, err = d.headers.Eval(scope)
	return r, err
}

// References are the names in a context that what all requests of the iteration have
// refers to.
func (it *Iteration) References(c expr.Context) []string {
	names := append(it.Defaults.params.References(c), it.Defaults.headers.References(c)...)
	for _, h := range it.ComputedHeaders {
		names = append(names, h.expression.References(c)...)
	}
	return names
}

// EndpointText is the endpoint that an expression returned. Any other value than a text is
// a user error at its place.
func EndpointText(v value.Value, pointer string) (string, error) {
	text := v.Text()
	if !v.IsScalar() || strings.TrimSpace(text) == "" {
		return "", failure.Userf("the endpoint is %s, expected a path", describe(v)).At(pointer)
	}
	return text, nil
}

func describe(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "null"
	case value.Array, value.Object:
		return v.Kind().WithArticle()
	default:
		return "empty"
	}
}
