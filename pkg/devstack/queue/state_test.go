package queue

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestState(t *testing.T) {
	const old = `{"component":{"since":1.0},"storage":{"input":{"tables":[],"files":[]}}}`
	kept := func(component string) string {
		return `{"component":` + component + `,"storage":{"input":{"tables":[],"files":[]}}}`
	}
	for name, tc := range map[string]struct {
		left   string // out/state.json, "-" for none
		mode   string
		code   int
		load   error
		status store.Status
		want   string
	}{
		"kept":             {left: `{"since":2}`, status: store.Success, want: kept(`{"since":2}`)},
		"forced":           {left: `{"since":2}`, mode: store.ForceRun, status: store.Success, want: kept(`{"since":2}`)},
		"through PHP":      {left: `{"a":{},"b":{"0":1.0,"1":12345678901234567890},"a":2,"c":"é/"}`, status: store.Success, want: kept(`{"a":2,"b":[1,1.2345678901234567e+19],"c":"é/"}`)},
		"too deep for PHP": {left: strings.Repeat(`{"a":`, 512) + `1` + strings.Repeat(`}`, 512), status: store.Error, want: old},
		"no double":        {left: `{"a":1e400}`, status: store.Error, want: old},
		"not UTF-8":        {left: "{\"a\":\"\xff\"}", status: store.Error, want: old},
		"from PHP":         {left: `[]`, status: store.Success, want: kept(`[]`)},
		"none is empty":    {left: "-", status: store.Success, want: kept(`{}`)},
		"debug":            {left: `{"since":2}`, mode: store.Debug, status: store.Success, want: old},
		"failed component": {left: `{"since":2}`, code: 1, status: store.Error, want: old},
		"failed output":    {left: `{"since":2}`, load: failure.Userf("x"), status: store.Error, want: old},
		"empty file":       {left: ``, status: store.Error, want: old},
		"no JSON":          {left: `{`, status: store.Error, want: old},
		"no object":        {left: `1`, status: store.Error, want: old},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t)
			p.configure("7", `{}`)
			_, err := p.store.SetState(extractor, "7", "", []byte(old))
			must(t, err)
			p.component = func(run *play) sandbox.Exit {
				same(t, "delivered", string(run.spec.State), `{"since":1}`)
				if tc.left != "-" {
					run.write(t, "out/state.json", tc.left)
				}
				return sandbox.Exit{Code: tc.code}
			}
			p.tables.load = func(context.Context, tableload.Options) ([]store.Table, error) { return nil, tc.load }
			j := p.run(store.Job{Config: "7", Mode: tc.mode})
			same(t, "status", string(j.Status), string(tc.status))
			c, err := p.store.Configuration(extractor, "7")
			must(t, err)
			same(t, "state", string(c.State), tc.want)
			if c.Version != 1 {
				t.Errorf("version %d: a state is not a new version", c.Version)
			}
		})
	}
}

func TestInvalidStateIsAnApplicationError(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`)
	p.component = func(run *play) sandbox.Exit {
		run.write(t, "out/state.json", "")
		return sandbox.Exit{}
	}
	j := p.run(store.Job{Config: "7"})
	same(t, "error", j.Result.ErrorType, "application")
	if len(p.tables.loadings) != 0 {
		t.Error("tables were loaded")
	}
}

// TestStateAfterAllRows: what a row left is stored only when all have succeeded.
func TestStateAfterAllRows(t *testing.T) {
	for name, tc := range map[string]struct {
		second int
		want   string
	}{
		"all succeed":         {0, `{"component":{"row":"a"},"storage":{"input":{"tables":[],"files":[]}}}`},
		"the second does not": {1, `{"component":"old a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.configure("7", `{}`, store.Row{ID: "a", State: []byte(`{"component":"old a"}`)}, store.Row{ID: "b"})
			p.component = func(run *play) sandbox.Exit {
				row := run.spec.Env["KBC_CONFIGROWID"]
				run.write(t, "out/state.json", `{"row":"`+row+`"}`)
				return sandbox.Exit{Code: map[string]int{"a": 0, "b": tc.second}[row]}
			}
			p.run(store.Job{Config: "7"})
			c, err := p.store.Configuration(extractor, "7")
			must(t, err)
			same(t, "state of the first row", string(c.Rows[0].State), tc.want)
			same(t, "state of the configuration", string(c.State), "{}")
		})
	}
}

func TestStateOfADeletedRow(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`, store.Row{ID: "a"})
	p.component = func(*play) sandbox.Exit {
		_, err := p.store.UpdateConfiguration(extractor, "7", func(c *store.Configuration) error { c.Rows = nil; return nil })
		must(t, err)
		return sandbox.Exit{}
	}
	j := p.run(store.Job{Config: "7"})
	same(t, "status", string(j.Status), "success")
}

// TestHostileState: only a file is read, and no endless one.
func TestHostileState(t *testing.T) {
	for name, tc := range map[string]struct {
		leave func(t *testing.T, path string)
		want  string
	}{
		"a link to this machine": {func(t *testing.T, path string) {
			outside := filepath.Join(t.TempDir(), "state.json")
			must(t, os.WriteFile(outside, []byte(`{"secret":1}`), 0o600))
			must(t, os.Symlink(outside, path))
		}, "path escapes from parent"},
		"a device":    {func(t *testing.T, path string) { must(t, os.Symlink("/dev/zero", path)) }, "path escapes from parent"},
		"a directory": {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, "out/state.json is not a file"},
		"huge": {func(t *testing.T, path string) {
			must(t, os.WriteFile(path, nil, 0o600))
			must(t, os.Truncate(path, maxDocument+1))
		}, "out/state.json has 16777217 bytes, at most 16777216 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
			tc.leave(t, filepath.Join(dir, "out", "state.json"))
			state, err := newState(dir)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %s, %v, want %s", state.JSON(), err, tc.want)
			}
		})
	}
}
