package container

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// composeCommand is the compose command of this machine, nil if there is none.
func composeCommand(t *testing.T) []string {
	t.Helper()
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if _, _, err := run(t, "", command[0], append(command[1:], "version")...); err == nil {
			return append(command, "-f", "docker/compose.yaml")
		}
	}
	t.Skip("no compose command")
	return nil
}

// TestComposeFile checks what can be checked of the compose file without base
// images: that it is one, and that its configuration is sound.
func TestComposeFile(t *testing.T) {
	slowtest.OutsideCI(t, "it starts docker")
	root := projectRoot(t)
	compose := composeCommand(t)
	args := append(compose[1:], "--profile", "run", "config", "--services")
	services := strings.Fields(must(t, root, compose[0], args...))
	slices.Sort(services)
	if !slices.Equal(services, []string{"extractor", "platform", "sample-api"}) {
		t.Errorf("services: %v", services)
	}
	text, err := os.ReadFile(filepath.Join(root, "docker/data/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := config.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := config.Compile(doc, config.Options{Strict: true}); problems.Err() != nil {
		t.Error(problems.Err())
	}
}

// compose runs the composition of the images under a name of its own: a
// configuration is stored and run by who is outside, through the published
// port.
func (i images) compose(t *testing.T) {
	command := composeCommand(t)
	command = append(command, "--project-name", unique("compose"))
	environment := append(os.Environ(), "DEVSTACK_IMAGE="+i.devstack, "EXTRACTOR_IMAGE="+i.extractor, "PLATFORM_PORT=0")
	do := func(args ...string) string {
		t.Helper()
		return mustWith(t, projectRoot(t), environment, command[0], append(command[1:len(command):len(command)], args...)...)
	}
	t.Cleanup(func() {
		cmd := exec.Command(command[0], append(command[1:len(command):len(command)], "down", "--volumes", "--timeout", "3")...)
		cmd.Dir, cmd.Env = projectRoot(t), environment
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("down: %v\n%s", err, out)
		}
	})
	do("up", "--detach", "--no-build")
	p := platform{"http://" + strings.TrimSpace(do("port", "platform", "8088")), "local"}
	p.untilUp(t)
	text, err := os.ReadFile(filepath.Join(projectRoot(t), "docker/data/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	id := p.configure(t, text)
	j := p.finished(t, p.start(t, map[string]any{"component": component, "config": id, "mode": "run"}))
	if j.Status != "success" {
		t.Fatalf("job %+v", j)
	}
	if got := p.table(t, "in.c-shop.products"); !strings.HasPrefix(got, `"sku",`) || strings.Count(got, "\n") < 5 {
		t.Errorf("table:\n%s", got)
	}
	// The component's own commands find the platform by its name.
	var printed []struct{ ID string }
	list := do("run", "--rm", "-T", "extractor", "config", "list", "--json")
	if err := json.Unmarshal([]byte(list), &printed); err != nil || len(printed) != 1 || printed[0].ID != id {
		t.Errorf("listed: %q, %v", list, err)
	}
}
