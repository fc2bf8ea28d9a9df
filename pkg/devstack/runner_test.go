package devstack

import (
	"os"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestRunners(t *testing.T) {
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	image := sandbox.Docker{Image: "extractor:dev"}
	tests := []struct {
		name    string
		options ServeOptions
		runs    string // its name in words
		problem string
		kind    failure.Kind
	}{
		{name: "a process", options: ServeOptions{Runner: RunnerProcess, Program: []string{os.Args[0], "component"}}, runs: os.Args[0]},
		{name: "this program", options: ServeOptions{Runner: RunnerProcess}, runs: executable},
		{name: "a container", options: ServeOptions{Runner: RunnerDocker, Docker: image}, runs: "extractor:dev"},
		{name: "no image", options: ServeOptions{Runner: RunnerDocker}, problem: "--runner docker needs --image, the image of the component", kind: failure.User},
		{name: "something else", options: ServeOptions{Runner: "podman", Docker: image}, problem: "--runner must be process or docker, found 'podman'", kind: failure.User},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runs, err := tt.options.runner()
			if tt.problem != "" {
				if err == nil || err.Error() != tt.problem || failure.KindOf(err) != tt.kind {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || tt.options.engine == nil || runs != tt.runs {
				t.Errorf("got %v, %s, %v", tt.options.engine, runs, err)
			}
		})
	}
}
