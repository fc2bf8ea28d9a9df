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

// Settings for the parameters of all methods.
var (
	ParamDelimiter = field.Text("paramDelimiter", "Separator of parameter names", "Makes the names of the pagination parameters paths in the job's parameters, with this separator. Other parameters on these paths are kept.").Example(`"."`)
	ParamsInQuery  = field.Flag("paramsInQuery", "Parameters in the query", "Send the pagination parameters in the query, even if the method has a body.").Example(`true`)
)

// parameter is a request parameter that pagination sets.
type parameter struct {
	name  string   // configured name
	value string   // name of its value, see RequestValue
	path  []string // path in the parameters of the job
	// inQuery is true if the parameter belongs to the query even if the request has a
	// body.
	inQuery bool
	// placed is true if the value is placed by expressions of the job, see RequestValue.
	placed bool
}

// parameterOf compiles the parameter for a value.
func parameterOf(s config.Section, v RequestValue) parameter {
	text := v.Param.Of(s)
	return parameter{name: text, value: v.Name, path: pathOf(s, text), inQuery: ParamsInQuery.Of(s)}
}

// pathOf returns the name of a parameter as a path in the parameters of the job.
func pathOf(s config.Section, name string) []string {
	delimiter := ParamDelimiter.In(s).Value.Text() // Text, because "0" is a valid delimiter
	if delimiter == "" {
		return []string{name}
	}
	return strings.Split(name, delimiter)
}

// withPlacedValues returns the parameter for a job with placed values.
func (p parameter) withPlacedValues(names []string) parameter {
	p.placed = slices.Contains(names, p.value)
	return p
}

// String describes the parameter for texts.
func (p parameter) String() string {
	if p.placed {
		return fmt.Sprintf("{%q: %q}", expr.Paging, p.value)
	}
	return p.name
}

// phrase describes the parameter for Traits.Parameter.
func (p parameter) phrase() string {
	if p.placed {
		return p.String()
	}
	return "the parameter '" + p.name + "'"
}

// ownValue returns the parameter of the job itself. It returns false if the value is
// placed.
func (p parameter) ownValue(job config.RequestSpec) (v value.Value, ok bool) {
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

// set returns a request with the parameter. It replaces a parameter of the same name, or
// appends one. It stores a placed value in RequestSpec.Paging instead.
func (p parameter) set(r config.RequestSpec, v value.Value) config.RequestSpec {
	if p.placed {
		r.Paging = r.Paging.AsObject().With(p.value, v)
		return r
	}
	if p.inQuery && r.HasBody() {
		if _, ok := p.ownValue(r); ok {
			r.Params = without(r.Params, p.path)
		}
		r.Query = with(r.Query, p.path, v)
		return r
	}
	r.Params = with(r.Params.AsObject(), p.path, v)
	return r
}

// with returns v with the value at a path replaced. It replaces values on the path that
// are not objects or lists.
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

// without removes the value at a path from an object. The path must exist.
func without(v value.Value, path []string) value.Value {
	v = v.AsObject()
	if len(path) == 1 {
		return v.Without(path[0])
	}
	return v.With(path[0], without(v.Field(path[0]), path[1:]))
}
