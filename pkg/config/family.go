package config

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Family is where a job stands among others: what its expressions can refer to.
type Family struct {
	// Jobs is how many jobs stand above it, 0 for a root job.
	Jobs int
	// Placeholders are the names of its placeholders and of those above it.
	Placeholders []string
}

// with is the family of a job with these placeholders. A root job has none.
func (f Family) with(placeholders Section) Family {
	if f.Jobs == 0 {
		return f
	}
	names := f.Placeholders[:len(f.Placeholders):len(f.Placeholders)]
	for _, m := range placeholders.Value.Members() {
		names = append(names, m.Name)
	}
	f.Placeholders = names
	return f
}

// runs reports whether a child job is ever called.
func (f Family) runs(refersToParent bool) bool { return len(f.Placeholders) > 0 || refersToParent }

// familyOf is what any of these jobs, or a job below them, can refer to.
func familyOf(jobs Section) Family {
	var all Family
	var add func(s Section, f Family)
	add = func(s Section, f Family) {
		for _, item := range s.Items() {
			if item.Value.Kind() != value.Object {
				continue
			}
			one := f.with(JobPlaceholders.In(item))
			all.Jobs = max(all.Jobs, one.Jobs)
			all.Placeholders = append(all.Placeholders, one.Placeholders[len(f.Placeholders):]...)
			one.Jobs++
			add(children.In(item), one)
		}
	}
	add(jobs, Family{})
	return all
}

// Compiler compiles the expressions at a place that belongs to the job, with these
// attributes.
func (f Family) Compiler(place expr.Place, attributes expr.Members, v expr.Vocabulary, problems *failure.Problems) expr.Compiler {
	placeholders := make(expr.Members, len(f.Placeholders))
	for _, name := range f.Placeholders {
		placeholders[name] = value.Value{}
	}
	return expr.Compiler{
		Place: place, Above: f.Jobs, Vocabulary: v, Problems: problems,
		Known: map[expr.Context]expr.Members{expr.Attr: attributes, expr.Time: expr.TimeNames(), expr.Placeholder: placeholders},
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
func (d Defaults) Request(scope *expr.Scope) (r Request, err error) {
	r = Request{Endpoint: d.endpoint, Method: d.method}
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

// EndpointText is the endpoint that an expression gave. Another value than a text is
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
