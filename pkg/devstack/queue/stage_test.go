package queue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func TestDebugKeepsTheDataDirectory(t *testing.T) {
	p, folder := newPlatform(t), t.TempDir()
	p.configure("7", `{"parameters":{"#p":"pass-word","a":[1,{"#q":2}]}}`, store.Row{ID: "../r", State: []byte(`{"component":{"#s":{"x":1}}}`)})
	p.component = func(run *play) sandbox.Exit {
		run.write(t, "out/tables/users", "id\n1\n")
		run.write(t, "out/state.json", "{")
		return sandbox.Exit{}
	}
	p.start(func(o *Options) { o.DebugDir = folder })
	j := p.run(store.Job{Config: "7", Mode: store.Debug})
	same(t, "end", string(j.Status)+": "+j.Result.Message, "success: Component processing finished.")

	stage := filepath.Join(folder, j.ID, "row-..%2Fr", "stage_output")
	for name, want := range map[string]string{
		"config.json":      `{"parameters":{"#p":"[hidden]","a":[1,{"#q":"[hidden]"}]},"storage":{},"image_parameters":{},"authorization":{},"action":"run"}`,
		"in/state.json":    `{"#s":"[hidden]"}`,
		"out/tables/users": "id\n1\n",
	} {
		text, err := os.ReadFile(filepath.Join(stage, filepath.FromSlash(name)))
		must(t, err)
		got := string(text)
		if strings.HasSuffix(name, ".json") {
			got = testvalue.Parse(t, got).JSON()
		}
		same(t, name, got, want)
	}
	if _, err := os.Stat(filepath.Join(stage, "out", "state.json")); !os.IsNotExist(err) {
		t.Errorf("a state that is not JSON was kept: %v", err)
	}
	if events := p.events(j.ID); !strings.HasPrefix(events[1], "info: The data directory of this run is kept in ") {
		t.Errorf("events: %q", events)
	}
}

// TestLinksOfTheComponent: a component must not make the platform read or write
// elsewhere.
func TestLinksOfTheComponent(t *testing.T) {
	for _, mode := range []string{store.Run, store.Debug} {
		t.Run(mode, func(t *testing.T) {
			p, outside := newPlatform(t), filepath.Join(t.TempDir(), "mine.json")
			must(t, os.WriteFile(outside, []byte(`{"#a":"b"}`), 0o600))
			p.configure("7", `{}`)
			p.component = func(run *play) sandbox.Exit {
				run.write(t, "out/x", "")
				must(t, os.Symlink(outside, filepath.Join(run.dir, "out", "state.json")))
				return sandbox.Exit{}
			}
			p.start(func(o *Options) { o.DebugDir = t.TempDir() })
			j := p.run(store.Job{Config: "7", Mode: mode})
			same(t, "end", string(j.Status)+" "+j.Result.ErrorType, "error application")
			text, err := os.ReadFile(outside)
			must(t, err)
			same(t, "the file outside", string(text), `{"#a":"b"}`)
			c, err := p.store.Configuration(extractor, "7")
			must(t, err)
			same(t, "state", string(c.State), "{}")
		})
	}
}
