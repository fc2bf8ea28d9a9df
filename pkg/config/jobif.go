package config

import (
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// JobIf is the setting `if`, which decides whether a job runs.
var JobIf = field.Flag("if", "If", "Whether the job runs: `true`, `false` or an expression. The job does not run if the value is null, false, zero or empty, as in the function `if`. A child job evaluates it for each item of its parent, and the expression may refer to that item. See [Jobs that do not always run](#jobs-that-do-not-always-run).").
	Typed(ifType).Default(true).EmptyMeans(false).Example(`{"remembered": "since"}`, `false`).Also("when", "enabled", "active", "run_if").Evaluated(expr.InWindows)

var ifType = &field.Type{Name: "if", Title: "boolean or expression", Kinds: []string{"boolean", "object", "number", "string"}, Message: "expected true, false or an expression"}

// jobIf decides whether a run of the job takes place. The run is skipped if the value is
// null, false, zero or empty.
type jobIf struct {
	expr.Expr
	// Text is the expression as JSON.
	Text string
}

// compileIf compiles `if` of a job. It returns nil if the job always runs. It reports a
// text, because a text is always true, unless it is 1 or contains a variable with an
// unknown value.
func (c *compiler) compileIf(s Section, e evaluator, above, family JobScope) *jobIf {
	if s.Value.IsNull() || s.Faulty() {
		return nil
	}
	family.Windows = above.Windows // windows are computed after `if`
	compiler := e.compilerFor(expr.InWindows, family)
	compiler.Exact = true
	if s.Value.Kind() == value.Object {
		if _, ok := c.Vocabulary.All().References.At(expr.InWindows).Parse(s.Value, true); !ok {
			s.Problem("expected true, false or an expression", `such as {"attr": "name"} or {"parentItem": "path"}`)
			return nil
		}
	} else if text := s.Value.Raw(); s.Value.Kind() == value.String && text != "1" && !c.isOpen(text) {
		hint := failure.Text(`a condition on the parent's item, such as "type==company", is "recursionFilter"`)
		if text == "true" || text == "false" {
			hint = "leave out the quotes; a variable, which is a text, has to be 1 or 0"
		}
		s.Problem("expected true, false or an expression, because a text is always true", hint)
		return nil
	}
	return &jobIf{compiler.Compile(s.Value, s.Pointer), s.Value.JSON()}
}

// isOpen reports whether a text contains a variable with an unknown value.
func (c *compiler) isOpen(text string) bool { return c.Open != nil && c.Open(text) }
