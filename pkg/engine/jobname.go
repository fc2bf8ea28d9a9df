package engine

import (
	"cmp"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// nameOf returns the name of a job in events, live progress, plans and reports: its
// configured endpoint. If the endpoint is an expression, the name is the data type, or
// without a data type the path of the job: "jobs/0/children/1".
func nameOf(j config.Job) string {
	if j.ComputedEndpoint == nil {
		return j.Endpoint
	}
	_, position, _ := strings.Cut(j.Pointer, "/config/")
	return cmp.Or(j.DataType, position, j.Pointer)
}
