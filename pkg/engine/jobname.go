package engine

import (
	"cmp"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// nameOf is what events, live lines, plans and reports call a job: its endpoint as it is
// configured. A job whose endpoint is an expression is called by its data type, or else
// by its position: "jobs/0/children/1".
func nameOf(j config.Job) string {
	if j.ComputedEndpoint == nil {
		return j.Endpoint
	}
	_, position, _ := strings.Cut(j.Pointer, "/config/")
	return cmp.Or(j.DataType, position, j.Pointer)
}
