package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestSizeOfComputedValues: an expression that makes much out of little is refused before
// it fills the memory.
func TestSizeOfComputedValues(t *testing.T) {
	nested := func(function, inner string, depth int) string {
		for range depth {
			inner = fmt.Sprintf(`{"function":%q,"args":[%s]}`, function, inner)
		}
		return inner
	}
	const text = `{"parentItem":"text"}`
	for name, expression := range map[string]string{
		"replace":          `{"function":"replace","args":[` + text + `,"a",` + text + `]}`,
		"implode":          `{"function":"implode","args":[` + text + `,{"parentItem":"list"}]}`,
		"sprintf":          `{"function":"sprintf","args":[{"parentItem":"format"},` + text + `]}`,
		"width":            `{"function":"sprintf","args":[{"parentItem":"wide"},"a"]}`,
		"base64 in itself": nested("base64_encode", text, 40),
		"JSON in itself":   nested("json_encode", `"\""`, 60),
		"concat":           `{"function":"concat","args":[` + strings.Repeat(text+",", 20) + text + `]}`,
		"a list":           `{"function":"ifempty","args":[[` + strings.Repeat(text+",", 20) + text + `],1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var problems failure.Problems
			compiled := Compiler{Place: InJobs, Exact: true, Above: 1, Problems: &problems}.Compile(testvalue.Parse(t, expression), "/x")
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			got, err := compiled.Eval(&Scope{Contexts: map[Context]Members{ParentItem: {
				"text":   value.OfString(strings.Repeat("a", 1<<20)),
				"list":   value.OfItems(make([]value.Value, 1<<16)...),
				"format": value.OfString(strings.Repeat("%1$s", 1<<16)),
				"wide":   value.OfString(strings.Repeat("%1$65000s", 1<<16)),
			}}})
			if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "the value has more than 16 MiB") {
				t.Errorf("got %d bytes, %v", len(got.JSON()), err)
			}
		})
	}
}
