package expr_test

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func ExampleCompiler_Entries() {
	attributes, _ := value.Parse([]byte(`{"account": {"id": 7}, "days": "-7 days"}`))
	params, _ := value.Parse([]byte(`{
		"account": {"attr": "account.id"},
		"since": {"function": "date", "args": ["Y-m-d", {"function": "strtotime", "args": [{"attr": "days"}]}]},
		"sort": "name"
	}`))

	var problems failure.Problems
	members := expr.Flatten(attributes)
	compiler := expr.Compiler{
		Place:    expr.InJobs,
		Known:    map[expr.Context]expr.Members{expr.Attr: members},
		Problems: &problems,
	}
	entries := compiler.Entries(params, "/config/jobs/0/params")
	if err := problems.Err(); err != nil {
		fmt.Println(err)
		return
	}
	v, err := entries.Eval(&expr.Scope{
		Now:      func() time.Time { return time.Date(2017, time.October, 21, 12, 0, 0, 0, time.UTC) },
		Contexts: map[expr.Context]expr.Members{expr.Attr: members},
	})
	fmt.Println(v.JSON(), err)
	// Output: {"account":7,"since":"2017-10-14","sort":"name"} <nil>
}
