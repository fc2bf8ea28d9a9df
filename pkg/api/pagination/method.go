package pagination

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Method is a method of paging, one of those that `api.pagination.method` names.
// Each has its file and its line in AllMethods.
type Method struct {
	Name string
	// AlsoCalled are words of other tools for it, in lower case without signs.
	AlsoCalled []string
	// Settings are those that count with it; methods may share some. Needed are
	// those that must be there.
	Settings, Needed []field.Declaration
	// Values are those with which it requests a page.
	Values []RequestValue
	// Compile reads the settings. Problems go to the section; the scroller is usable
	// all the same.
	Compile func(config.Section) Scroller
	// Position is the path of the parameter that is set in every request, none for
	// none, and what to do about a job that has it too. nil is a method that sets none.
	Position func(config.Section) (parameter []string, hint failure.Text)
	// IDPath is the path of the ids that it reads from rows; nil reads none.
	IDPath func(config.Section) config.Section
}

// Methods are the methods that a configuration may use.
type Methods []Method

// AllMethods are the methods of this program.
func AllMethods() Methods {
	return Methods{
		offsetMethod(),
		pageNumberMethod(),
		responseURLMethod(),
		responseParamMethod(),
		linkMethod(),
		cursorMethod(),
		zendeskMethod(),
	}
}

// multiple is the method that lets each job name its scroller.
const multiple = "multiple"

// namelessServed is the name of the scroller that serves jobs without one.
const namelessServed = "default"

// The settings that belong to no method of the list.
var (
	MethodName   = field.Text("method", "Method", "Empty: no paging. `multiple` lets each job name one of several scrollers.").Example(`"offset"`)
	fallbackName = field.Text("default", "Default scroller", "Method `multiple`: the scroller of jobs that name none.").Example(`"default"`)
	unusedPages  = field.Integer("pages", "Pages, unused", "Has no effect: use `forceStop.pages`.").
			Old(`has no effect; use "forceStop.pages"`).Example(`1`)
	// Named is the setting with the scrollers of the method multiple.
	Named = field.Of("scrollers", "Scrollers", "Method `multiple`, required: name to paging settings. The one named `default` serves jobs without `scroller`.",
		nil).Example(`{"default": {"method": "pagenum"}}`)
)

// Type is the type of `api.pagination` with these methods.
func (all Methods) Type() *field.Type {
	t := &field.Type{Name: "pagination", Title: "Paging", Kinds: []string{"object"},
		Doc: "How the next page is requested, and when to stop. `method` decides which keys are used. The paging parameters are sent like the job's own: in the query, or in the body of a POST."}
	method := *MethodName.Field
	method.Type = &field.Type{Kinds: []string{"string"}}
	var variants []field.Variant
	for _, m := range all {
		variants = append(variants, field.Variant{Name: m.Name, Settings: m.Settings, Needed: m.Needed})
		method.Type.Choices = append(method.Type.Choices, field.Choice{Name: m.Name, AlsoCalled: m.AlsoCalled})
	}
	method.Type.Choices = append(method.Type.Choices, field.Choice{Name: multiple},
		field.Choice{Name: "none", AlsoCalled: []string{"no"}, Hint: "remove the key for no paging"})
	t.Fields = append(t.Fields, &method)
	t.Fields = append(t.Fields, field.Union("Method", variants)...)
	named := *Named.Field
	named.Type = field.MapOf(t)
	t.Fields = append(t.Fields, &named, fallbackName.Field)
	for _, rule := range Stoppers() {
		t.Fields = append(t.Fields, rule.Setting.Field)
	}
	t.Fields = append(t.Fields, ParamDelimiter.Field, ParamsInQuery.Field, unusedPages.Field)
	return t
}

// Of is the method that a section names, if there is one of that name.
func (all Methods) Of(s config.Section) (Method, bool) {
	name := MethodName.Of(s)
	i := slices.IndexFunc(all, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return all[i], true
}

// Others are the settings of the other methods that this one has not, each with the
// names of the methods that have it.
func (all Methods) Others(m Method) map[string][]string {
	others := map[string][]string{}
	for _, other := range all {
		for _, f := range field.Fields(other.Settings...) {
			others[f.Name] = append(others[f.Name], other.Name)
		}
	}
	for _, f := range field.Fields(m.Settings...) {
		delete(others, f.Name)
	}
	return others
}

// NamedAt is the place of the setting of a scroller that says how a parameter, or one
// below it, is called, or that of the scroller if it does not say so itself.
func (all Methods) NamedAt(s config.Section, parameter string) string {
	m, _ := all.Of(s)
	for _, f := range field.Fields(m.Settings...) {
		if at := s.Get(f.Name); f.Role == field.Parameter && at.Value.Text() != "" && pathOf(s, at.Value.Text())[0] == parameter {
			return at.Pointer
		}
	}
	return s.Pointer
}

// Parameters are the paths of the parameters that the method sets, into those of a job
// that places the values with these names itself.
func (m Method) Parameters(s config.Section, placed ...string) [][]string {
	var all [][]string
	for _, f := range field.Fields(m.Settings...) {
		if f.Role != field.Parameter || slices.ContainsFunc(m.Values, func(v RequestValue) bool {
			return v.Param.Name == f.Name && slices.Contains(placed, v.Name)
		}) {
			continue
		}
		name := s.Get(f.Name).Value.Text()
		if name == "" {
			name = f.Default.Text()
		}
		all = append(all, pathOf(s, name))
	}
	return all
}

// Multiple reports whether a section lets each job name its scroller.
func Multiple(s config.Section) bool { return MethodName.In(s).Value.Text() == multiple }
