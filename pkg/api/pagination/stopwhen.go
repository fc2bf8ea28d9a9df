package pagination

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// stopWhen ends a job if a condition holds for the root of a response.
type stopWhen struct{ condition.Condition }

// stopWhenSetting is the setting `stopWhen`.
var stopWhenSetting = field.Of("stopWhen", "Stop by a condition", "Stops when the condition holds for the root of the response; the page is kept. It is written as in `recursionFilter`, and `true` and `false` are words for booleans here, and `header(NAME)` is a header of the response. `nextPageFlag` is the short form for one field.",
	field.TextType).As(field.Condition).Example(`"status==done"`, `"paging.more==false"`, `"header(X-More)==false"`)

func compileStopWhen(s config.Section) stopper {
	w := stopWhen{condition.CompileResponse(s)}
	var needs Requirements
	for _, path := range w.Paths() {
		needs.Fields = append(needs.Fields, conditionPath(path))
	}
	return stopper{ofRound: true, needs: needs, announces: w.announces, after: w.after,
		describe: fmt.Sprintf("Stops after a page that satisfies %q.", w.Text)}
}

func conditionPath(path string) response.Path { return response.Path{Text: path, Separator: "."} }

func (w stopWhen) after(s State, p PageInfo) (State, *Stop, error) {
	holds, err := w.HoldsIn(p.Header, func(path string) (value.Value, error) { return p.compared(conditionPath(path), w.Pointer) })
	if err != nil || !holds {
		return s, nil, err
	}
	return nil, &Stop{Rule: fmt.Sprintf("the response satisfies the condition '%s'", w.Text), Pointer: w.Pointer, Reason: Deliberate}, nil
}

// announces returns the first path of the condition that has a value, or the first such
// header. The condition does not hold, otherwise the rule would have ended the job.
func (w stopWhen) announces(p PageInfo) string {
	for _, path := range w.Paths() {
		if v, err := p.compared(conditionPath(path), w.Pointer); err == nil && !v.IsNull() {
			return path
		}
	}
	for _, name := range w.Headers() {
		if strings.TrimSpace(condition.HeaderText(p.Header, name)) != "" {
			return "header " + name
		}
	}
	return ""
}
