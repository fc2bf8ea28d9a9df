package container

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// demoInContainers runs the compose commands of docs/learn/demo.md, with these images,
// a name of this test and a free port.
func (i images) demoInContainers(t *testing.T) {
	compose := composeCommand(t)
	text, err := os.ReadFile(filepath.Join(projectRoot(t), "docs/learn/demo.md"))
	if err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), "COMPOSE_PROJECT_NAME="+unique("demo"),
		"DEVSTACK_IMAGE="+i.devstack, "EXTRACTOR_IMAGE="+i.extractor, "PLATFORM_PORT=0")
	do := func(args ...string) {
		t.Helper()
		mustWith(t, projectRoot(t), environment, compose[0], append(compose[1:len(compose):len(compose)], args...)...)
	}
	commands := 0
	for line := range strings.Lines(string(text)) {
		args, is := strings.CutPrefix(line, "docker compose -f docker/compose.yaml ")
		if !is {
			continue
		}
		if commands == 0 {
			t.Cleanup(func() { // what the last command does, if one before it fails
				cmd := exec.Command(compose[0], append(compose[1:len(compose):len(compose)], "down", "--volumes", "--timeout", "3")...)
				cmd.Dir, cmd.Env = projectRoot(t), environment
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("down: %v\n%s", err, out)
				}
			})
		}
		commands++
		do(strings.Fields(args)...)
	}
	if commands != 4 {
		t.Errorf("docs/learn/demo.md has %d compose commands, want 4", commands)
	}
}
