package pagination

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Method is a method of pagination, a value of `api.pagination.method`. Each method has
// its own file and is listed in AllMethods.
type Method struct {
	Name string
	// AlsoCalled are the names of the method in other tools, in lower case without
	// punctuation.
	AlsoCalled []string
	// Settings are the settings of the method. Methods may share settings. Needed are the
	// required settings.
	Settings, Needed []field.Declaration
	// Values are the values that the method sends to request a page.
	Values []RequestValue
	// Compile compiles the settings. It adds problems to the section and always returns a
	// usable scroller.
	Compile func(config.Section) Scroller
	// Position returns the path of a parameter that every request sets, and a hint for a
	// job that also sets this parameter. The path is nil if no parameter is set. Position
	// is nil for methods without such a parameter.
	Position func(config.Section) (parameter []string, hint failure.Text)
	// IDPath returns the path of the ids that the method reads from rows. It is nil for
	// methods without ids.
	IDPath func(config.Section) config.Section
}

// Methods are the methods that a configuration can use.
type Methods []Method

// AllMethods returns the methods of this program.
//
// To add a method, write its file: its settings, a function that returns a Method, listed
// here, and a Scroller, which sends no requests and reads no clock. link.go is short. If it
// sets a parameter, give the setting the role field.Parameter, compile it with parameterOf,
// list its value in Method.Values and set Traits.Place, as in offset.go. Add a table of
// requests and pages (testSequences) beside the file, settings to everyKind in
// purity_test.go and a case to tests/functional/cases, and run `go test ./pkg/schema
// -update`. newmethod_test.go follows these steps.
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

// multiple is the method with which each job names its scroller.
const multiple = "multiple"

// defaultScroller is the name of the scroller for jobs that do not name a scroller.
const defaultScroller = "default"

// Settings that belong to no method in AllMethods.
var (
	MethodName   = field.Text("method", "Method", "Empty: no pagination. `multiple` lets each job name one of several scrollers.").Example(`"offset"`)
	fallbackName = field.Text("default", "Default scroller", "Method `multiple`: the scroller of jobs that name none.").Example(`"default"`)
	unusedPages  = field.Integer("pages", "Pages, unused", "Has no effect: use `forceStop.pages`.").
			Old(`has no effect; use "forceStop.pages"`).Example(`1`)
	// Named contains the scrollers of the method multiple.
	Named = field.Of("scrollers", "Scrollers", "Method `multiple`, required: pagination settings by name. The scroller `default` serves jobs without `scroller`.",
		nil).Example(`{"default": {"method": "pagenum"}}`)
)

// Type returns the type of `api.pagination` with these methods.
func (all Methods) Type() *field.Type {
	t := &field.Type{Name: "pagination", Title: "Pagination", Kinds: []string{"object"},
		Doc: "How the next page is requested, and when to stop. `method` decides which keys are used. The pagination parameters are sent like the job's own: in the query, or in the body of a POST."}
	method := *MethodName.Field
	method.Type = &field.Type{Kinds: []string{"string"}}
	var variants []field.Variant
	for _, m := range all {
		variants = append(variants, field.Variant{Name: m.Name, Settings: m.Settings, Needed: m.Needed})
		method.Type.Choices = append(method.Type.Choices, field.Choice{Name: m.Name, AlsoCalled: m.AlsoCalled})
	}
	method.Type.Choices = append(method.Type.Choices, field.Choice{Name: multiple},
		field.Choice{Name: "none", AlsoCalled: []string{"no"}, Hint: "remove the key for no pagination"})
	t.Fields = append(t.Fields, &method)
	t.Fields = append(t.Fields, field.Union("Method", variants)...)
	named := *Named.Field
	named.Type = field.MapOf(t)
	t.Fields = append(t.Fields, &named, fallbackName.Field)
	for _, rule := range Stoppers() {
		t.Fields = append(t.Fields, rule.Setting.Field)
	}
	t.Fields = append(t.Fields, StartOver.Field, ParamDelimiter.Field, ParamsInQuery.Field, unusedPages.Field)
	return t
}

// Of returns the method that a section names. It returns false if there is no such
// method.
func (all Methods) Of(s config.Section) (Method, bool) {
	name := MethodName.Of(s)
	i := slices.IndexFunc(all, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return all[i], true
}

// Others returns the settings that only other methods have, with the names of these
// methods.
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

// NamedAt returns the JSON pointer of the setting that names a parameter, or a path that
// begins with the parameter. If the scroller has no such setting, it returns the pointer
// of the scroller.
func (all Methods) NamedAt(s config.Section, parameter string) string {
	m, _ := all.Of(s)
	for _, f := range field.Fields(m.Settings...) {
		if at := s.Get(f.Name); f.Role == field.Parameter && at.Value.Text() != "" && pathOf(s, at.Value.Text())[0] == parameter {
			return at.Pointer
		}
	}
	return s.Pointer
}

// Parameters returns the paths of the parameters that the method sets. It omits the
// parameters of the placed values, see RequestValue.
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
