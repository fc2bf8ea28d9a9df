package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestSeveralLists: the message names them, but not thousands.
func TestSeveralLists(t *testing.T) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("l%d", i+1))
	}
	for n, want := range map[int]string{
		2:    "(l1, l2):",
		10:   "(l1, l2, l3, l4, l5, l6, l7, l8, l9, l10):",
		11:   "l9, l10 and 1 more):",
		5000: "l9, l10 and 4990 more):",
	} {
		r := jobRun{job: &job{Job: config.Job{Pointer: "/jobs/0"}}}
		err := r.check(&httpclient.Response{}, &response.Page{Root: value.Object, Rows: n, Lists: names[:n]})
		if failure.PointerOf(err) != "/jobs/0" || !strings.Contains(fmt.Sprint(err), want) || !strings.Contains(fmt.Sprint(err), "set 'dataField'") {
			t.Errorf("%d lists: %v", n, err)
		}
	}
}
