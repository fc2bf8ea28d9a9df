package pagination

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of all methods about the parameters that they set.
var (
	ParamDelimiter = field.Text("paramDelimiter", "Separator of parameter names", "Makes the names of the paging parameters paths in the job's parameters, with this separator. Other parameters on the way are kept.").Example(`"."`)
	ParamsInQuery  = field.Flag("paramsInQuery", "Parameters in the query", "Send the paging parameters in the query, even if the method has a body.").Example(`true`)
)

// parameter is one that paging sets.
type parameter struct {
	name  string   // as it is configured
	value string   // the name of its value, see Value
	path  []string // into the parameters of the job
	// inQuery puts it into the query of a request with a body, not into the body.
	inQuery bool
	// placed: the job has the value in its own request, see Value.
	placed bool
}

// parameterOf reads the setting with the name of a parameter for a value.
func parameterOf(s config.Section, v RequestValue) parameter {
	text := v.Param.Of(s)
	return parameter{name: text, value: v.Name, path: pathOf(s, text), inQuery: ParamsInQuery.Of(s)}
}

// pathOf is the name of a parameter as a path into the parameters of the job.
func pathOf(s config.Section, name string) []string {
	delimiter := ParamDelimiter.In(s).Value.Text() // "0" is one, too
	if delimiter == "" {
		return []string{name}
	}
	return strings.Split(name, delimiter)
}

// placing is the parameter of a job that places the values with these names.
func (p parameter) placing(names []string) parameter {
	p.placed = slices.Contains(names, p.value)
	return p
}

// String is the parameter as texts name it.
func (p parameter) String() string {
	if p.placed {
		return fmt.Sprintf("{%q: %q}", expr.Paging, p.value)
	}
	return p.name
}

// of is what a job has for the parameter itself. It has no parameter for a value that it
// places.
func (p parameter) of(job config.RequestSpec) (v value.Value, ok bool) {
	if p.placed {
		return value.Value{}, false
	}
	v = job.Params
	for _, name := range p.path {
		if v, ok = v.AsObject().Get(name); !ok {
			return value.Value{}, false
		}
	}
	return v, true
}

// set is a request with the parameter set: in the place of one of that name, or else
// at the end. A value that the job places is only noted.
func (p parameter) set(r config.RequestSpec, v value.Value) config.RequestSpec {
	if p.placed {
		r.Paging = r.Paging.AsObject().With(p.value, v)
		return r
	}
	if p.inQuery && r.HasBody() {
		if _, ok := p.of(r); ok {
			r.Params = without(r.Params, p.path)
		}
		r.Query = with(r.Query, p.path, v)
		return r
	}
	r.Params = with(r.Params.AsObject(), p.path, v)
	return r
}

// with is a value with another one at a path, no matter what is in its way.
func with(v value.Value, path []string, at value.Value) value.Value {
	if len(path) == 0 {
		return at
	}
	if i, err := strconv.Atoi(path[0]); err == nil && v.Kind() == value.Array && i >= 0 && i < v.Len() {
		items := slices.Clone(v.Items())
		items[i] = with(items[i], path[1:], at)
		return value.OfItems(items...)
	}
	v = v.AsObject()
	return v.With(path[0], with(v.Field(path[0]), path[1:], at))
}

// without is an object without what is at a path, which leads somewhere.
func without(v value.Value, path []string) value.Value {
	v = v.AsObject()
	if len(path) == 1 {
		return v.Without(path[0])
	}
	return v.With(path[0], without(v.Field(path[0]), path[1:]))
}
