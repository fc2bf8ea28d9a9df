package pagination

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// This file adds a method as the comment of AllMethods describes. pkg/schema/feature_test.go
// shows that the rest of the program then knows a method.

// halving requests the items above a bound, and halves the bound until it is 0.
type halving struct {
	param parameter
	first int
}

// The settings of the method halving, and the name of its value.
var (
	boundParam = field.Text("boundParam", "Bound parameter", "Parameter that carries the bound.").As(field.Parameter).Example(`"above"`)
	firstBound = field.Integer("firstBound", "First bound", "Bound of the first request.").Default(2).Example(`8`)
)

const boundValue = "bound"

func halvingMethod() Method {
	return Method{
		Name:       "halving",
		AlsoCalled: []string{"bisection"},
		Settings:   []field.Declaration{boundParam, firstBound},
		Values:     []RequestValue{{boundValue, boundParam}},
		Compile: func(s config.Section) Scroller {
			h := halving{param: parameterOf(s, RequestValue{boundValue, boundParam}), first: firstBound.Of(s)}
			if h.first < 1 {
				firstBound.In(s).Problem("expected a bound, at least 1", "")
			}
			return h.scroller()
		},
	}
}

func (h halving) scroller() Scroller {
	return Scroller{
		First: func(job config.RequestSpec, _ time.Time) (config.RequestSpec, State) {
			return h.request(job, h.first), h.first
		},
		Next:     h.next,
		Describe: func(config.RequestSpec) []string { return []string{"Halves " + h.param.String() + " until it is 0."} },
		Traits: Traits{Parameter: h.param.phrase(), Place: func(names []string) Scroller {
			h.param = h.param.withPlacedValues(names)
			return h.scroller()
		}},
	}
}

func (h halving) next(job config.RequestSpec, state State, _ PageInfo) (config.RequestSpec, State, *Stop, error) {
	bound := state.(int)
	if bound == 0 {
		return job, nil, &Stop{Rule: "the bound is 0"}, nil
	}
	return h.request(job, bound/2), bound / 2, nil, nil
}

func (h halving) request(job config.RequestSpec, bound int) config.RequestSpec {
	return h.param.set(job, value.OfInt(int64(bound)))
}

// compileHalving compiles settings with the methods of this program and the method halving.
// It returns the problems as lines of text.
func compileHalving(t *testing.T, settings string) (config.Section, Methods, Scroller, string) {
	t.Helper()
	methods := append(AllMethods(), halvingMethod())
	var problems failure.Problems
	s := field.NewSection(testvalue.Parse(t, settings), "/api/pagination", &problems)
	all := Compile(s, methods)
	CheckParameters(s, methods, func(string) []string { return nil })
	one, err := all.For("")
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return s, methods, one, strings.Join(lines, "\n")
}

// TestNewMethod walks through the guide: a method that exists only in this file compiles,
// pages, stops, and has all features that follow from its declaration.
func TestNewMethod(t *testing.T) {
	pages := []string{rows(3), rows(2), rows(1)}
	for _, tt := range []struct {
		name, settings, job string
		sent                []string
		rule                string
	}{
		{"defaults", `{"method":"halving","boundParam":"above"}`, "", []string{`t {"above":2}`, `t {"above":1}`, `t {"above":0}`}, "the bound is 0"},
		{"among the job's own parameters", `{"method":"halving","boundParam":"above"}`, `{"endpoint":"t","params":{"above":9,"x":1}}`,
			[]string{`t {"above":2,"x":1}`, `t {"above":1,"x":1}`, `t {"above":0,"x":1}`}, "the bound is 0"},
		{"a nested name", `{"method":"halving","boundParam":"page.above","paramDelimiter":"."}`, "",
			[]string{`t {"page":{"above":2}}`, `t {"page":{"above":1}}`, `t {"page":{"above":0}}`}, "the bound is 0"},
		{"in the query of a POST", `{"method":"halving","boundParam":"above","paramsInQuery":true}`, `{"endpoint":"t","method":"POST","params":{"x":1}}`,
			[]string{`POST t {"x":1} query {"above":2}`, `POST t {"x":1} query {"above":1}`, `POST t {"x":1} query {"above":0}`}, "the bound is 0"},
		{"a stopper", `{"method":"halving","boundParam":"above","firstBound":64,"forceStop":{"pages":3}}`, "",
			[]string{`t {"above":64}`, `t {"above":32}`, `t {"above":16}`}, "the limit of 3"},
		{"one of several scrollers", `{"method":"multiple","scrollers":{"default":{"method":"halving","boundParam":"above"}}}`, "",
			[]string{`t {"above":2}`, `t {"above":1}`, `t {"above":0}`}, "the bound is 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, s, problems := compileHalving(t, tt.settings)
			if problems != "" {
				t.Fatal(problems)
			}
			sent, stop, err := walk(t, s, request(t, tt.job), 0, pages...)
			if err != nil || stop == nil || !strings.Contains(stop.Rule, tt.rule) {
				t.Errorf("stopped with %v, %v, want %q", stop, err, tt.rule)
			}
			if !slices.Equal(sent, tt.sent) {
				t.Errorf("sent %q, want %q", sent, tt.sent)
			}
		})
	}
}

// TestNewMethodDeclared: the declaration supplies the type of the section, the checks, and
// the values that jobs can place.
func TestNewMethodDeclared(t *testing.T) {
	for settings, want := range map[string]string{
		`{"method":"halving"}`: `/api/pagination: expected the key "boundParam", which the method halving needs`,
		`{"method":"halving","boundParam":"above","firstBound":-1}`: `/api/pagination/firstBound: expected a bound, at least 1, found -1`,
	} {
		if _, _, _, problems := compileHalving(t, settings); problems != want {
			t.Errorf("%s:\ngot  %s\nwant %s", settings, problems, want)
		}
	}
	s, methods, one, _ := compileHalving(t, `{"method":"halving","boundParam":"above"}`)
	if got := methods.Values(s, ""); !slices.Equal(got, []string{boundValue}) {
		t.Errorf("values: %q", got)
	}
	if got := methods.NamedAt(s, "above"); got != "/api/pagination/boundParam" {
		t.Errorf("the parameter is named at %s", got)
	}
	placed := one.Place([]string{boundValue})
	first, _ := placed.First(config.RequestSpec{}, start)
	if got := first.Paging.JSON(); got != `{"bound":2}` {
		t.Errorf("placed values: %s", got)
	}
}
