package expr

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Placeholder refers to the placeholders of a child job, or to the argument of a
// placeholder's function. ParentItem refers to items of the jobs above.
const (
	Placeholder Context = "placeholder"
	ParentItem  Context = "parentItem"
)

func parentReferences() []Reference {
	where := []Site{InHeaders, InJobs, InShared, InScrollBody, InUserData, InFile, InWindows, InDataType, InRemember}
	return []Reference{
		{Key: Placeholder, Argument: "NAME", Examples: []Example{{`{"placeholder": "id"}`, `42`}}, Where: where, Optional: true, Check: checkPlaceholder,
			Doc: "The value of a placeholder of the child job, or of a job above it. It keeps its type: a number stays a number in a JSON body. Null in a root job."},
		{Key: Placeholder, Argument: `"value"`, Examples: []Example{{`{"placeholder": "value"}`, `42`}}, Where: []Site{InPlaceholders},
			Doc: "The value that the placeholder's function is applied to."},
		{Key: ParentItem, Argument: "PATH", Examples: []Example{{`{"parentItem": "owner.id"}`, `5`}, {`{"parentItem": "not.there"}`, `null`}}, Where: where, Optional: true, Check: checkParentItem,
			Doc: "The value at the path in the parent's item; `2:PATH` reads the item of the parent's parent. It adds no column. A child job that uses it needs no `placeholders`."},
	}
}

func checkPlaceholder(c Compiler, name string) *ArgumentProblem {
	if _, ok := c.Known[Placeholder][name]; ok {
		return nil
	}
	names := slices.Sorted(maps.Keys(c.Known[Placeholder]))
	f := &ArgumentProblem{Found: failure.Text(quoted(name)), Expected: "expected the name of a placeholder of this job or of a job above it"}
	switch near, ok := failure.Nearest(name, names); {
	case ok:
		f.Hint = "did you mean " + failure.Part(quote(near)) + "?"
	case len(names) > 0:
		f.Hint = "there are " + failure.Part(quotedList(names))
	case c.Above == 0:
		f.Hint = "a root job has no parent; " + literalHint
	default:
		f.Hint = "there are none; {\"parentItem\": \"PATH\"} needs none; " + literalHint
	}
	return f
}

const literalHint = failure.Text(`if the object is data, write {"literal": {…}}`)

func checkParentItem(c Compiler, name string) *ArgumentProblem {
	level, path := SplitLevel(name)
	f := &ArgumentProblem{Found: failure.Text(quoted(name)), Expected: "expected a path in the item of a job above this one"}
	switch {
	case c.Above == 0:
		f.Hint = "a root job has no parent; " + literalHint
	case path == "":
		f.Hint = "write {\"parentItem\": \"PATH\"}"
	case level < 1 || level > c.Above:
		f.Expected = failure.Text(fmt.Sprintf("expected a level between 1 (the parent) and %d in front of the path", c.Above))
		f.Hint = failure.Text("there " + map[bool]string{true: "is ", false: "are "}[c.Above == 1] + textfmt.Count(c.Above, "job") + " above this one")
	case c.InBatch != nil && c.InBatch(level):
		f.Expected = "expected the item of a job whose items are not requested in batches"
		f.Hint = "\"batch\" puts several items into one request; {\"placeholder\": \"NAME\"} is the list of their values"
	default:
		return nil
	}
	return f
}

// SplitLevel splits the name of a ParentItem reference ("2:owner.id") into its level and
// the path. The parent has level 1, which is the default. If the text before the colon is
// not a number, it is a part of the path.
func SplitLevel(name string) (level int, path string) {
	before, after, ok := strings.Cut(name, ":")
	if n, err := strconv.Atoi(before); ok && err == nil {
		return n, after
	}
	return 1, name
}

func quoted(name string) failure.Text { return failure.Part(quote(name)) }

func quotedList(names []string) string {
	const most = 10
	texts := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		texts = append(texts, quote(name))
	}
	if len(names) > most {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}
