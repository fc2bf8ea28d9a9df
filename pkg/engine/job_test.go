package engine

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
)

func TestNameOf(t *testing.T) {
	computed := &expr.Expr{}
	for _, tt := range []struct {
		name string
		job  config.Job
		want string
	}{
		{"an endpoint", config.Job{Endpoint: "users/{id}", DataType: "details", Pointer: "/parameters/config/jobs/0"}, "users/{id}"},
		{"a computed endpoint", config.Job{Endpoint: `{"parentItem":"url"}`, ComputedEndpoint: computed, DataType: "files", Pointer: "/parameters/config/jobs/0/children/1"}, "files"},
		{"without a data type", config.Job{Endpoint: `{"parentItem":"url"}`, ComputedEndpoint: computed, Pointer: "/parameters/config/jobs/0/children/1"}, "jobs/0/children/1"},
		{"at the top level", config.Job{Endpoint: `{"attr":"path"}`, ComputedEndpoint: computed, Pointer: "/config/jobs/2"}, "jobs/2"},
		{"elsewhere", config.Job{Endpoint: `{"attr":"path"}`, ComputedEndpoint: computed, Pointer: "/jobs/2"}, "/jobs/2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := nameOf(tt.job); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
