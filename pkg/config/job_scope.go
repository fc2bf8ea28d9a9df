package config

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// JobScope describes the jobs above a job, and the values that its expressions can refer
// to.
type JobScope struct {
	// Jobs is the number of jobs above it, 0 for a root job.
	Jobs int
	// Placeholders contains the names of its placeholders and of the placeholders of jobs
	// above.
	Placeholders []string
	// Windows is true if the job, or a job above it, has windows.
	Windows bool
	// Batched contains the jobs above that pass their items in batches, counted from the
	// root job. An expression cannot refer to a single item of them.
	Batched []int
	// Paging contains the names of the paging values of the job.
	Paging []string
	// Lists contains the names in Placeholders with the values of a batch.
	Lists []string
}

// withJob returns the scope of a job, given the scope of its parent. The placeholders of
// a root job are ignored.
func (f JobScope) withJob(job Section) JobScope {
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

// InBatch reports whether the items of the job at a level above come in batches. Level 1
// is the parent.
func (f JobScope) InBatch(level int) bool { return slices.Contains(f.Batched, f.Jobs-level) }

// jobScopeOf returns the union of the scopes of the jobs and of all jobs below them:
// placeholders, windows, and the greatest number of jobs above. It leaves out batches and
// paging values.
func jobScopeOf(jobs Section) JobScope {
	var all JobScope
	var add func(s Section, f JobScope)
	add = func(s Section, f JobScope) {
		for _, item := range s.Items() {
			if item.Value.Kind() != value.Object {
				continue
			}
			one := f.withJob(item)
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

// Compiler returns a compiler for expressions at a site of the job.
func (f JobScope) Compiler(site expr.Site, attributes expr.Members, v expr.Vocabulary, problems *failure.Problems) expr.Compiler {
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
		Place: site, Above: f.Jobs, InBatch: f.InBatch, Vocabulary: v, Problems: problems,
		Known: map[expr.Context]expr.Members{expr.Attr: attributes, expr.Time: expr.TimeNames(), expr.Placeholder: placeholders, expr.Window: windows, expr.Paging: paging},
	}
}

// defaultRequest contains the parts of a request that all jobs share. A job can replace each of
// them.
type defaultRequest struct {
	endpoint, method string
	params, headers  expr.Entries
}

// defaults compiles `api.http.defaultOptions` after compiler.defaultOptions has checked
// the headers.
func (e evaluator) defaults(s Section) defaultRequest {
	s.Value = e.options
	compiler := e.compilerFor(expr.InShared, e.all)
	compiler.Exact = true
	return defaultRequest{
		endpoint: s.Value.Field(DefaultEndpoint.Name).Text(),
		method:   s.Value.Field(DefaultMethod.Name).Text(),
		params:   e.params(DefaultParams.In(s), compiler),
		headers:  compiler.Entries(s.Value.Field(DefaultHeaders.Name), DefaultHeaders.In(s).Pointer),
	}
}

// Request evaluates the defaults in the scope of a job. The request of the job overlays
// them.
func (d defaultRequest) Request(scope *expr.Scope) (r RequestSpec, err error) {
	r = RequestSpec{Endpoint: d.endpoint, Method: d.method}
	if r.Params, err = d.params.Eval(scope); err != nil {
		return r, err
	}
	r.Headers, err = d.headers.Eval(scope)
	return r, err
}

// References returns the names in context c that the default options and the headers of
// all requests refer to.
func (it *Iteration) References(c expr.Context) []string {
	names := append(it.Defaults.params.References(c), it.Defaults.headers.References(c)...)
	for _, h := range it.ComputedHeaders {
		names = append(names, h.expression.References(c)...)
	}
	return names
}

// EndpointText returns the computed endpoint as text. It returns a user error at the
// pointer if the value is not a scalar, or blank.
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
