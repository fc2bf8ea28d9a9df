package queue

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestMain is a component when a sandbox starts this program.
func TestMain(m *testing.M) {
	if os.Getenv("KBC_RUNID") != "" {
		os.Exit(component(os.Getenv("KBC_DATADIR")))
	}
	os.Exit(ramdisk.Tests(m.Run).Run())
}

// component does what its configuration says.
func component(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	doc, err := value.Parse(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	fmt.Println("job", os.Getenv("KBC_RUNID"), "knows", doc.Field("parameters").Field("#p").Raw())
	switch doc.Field("parameters").Field("do").Raw() {
	case "wait":
		signalled := make(chan os.Signal, 1)
		signal.Notify(signalled, syscall.SIGTERM)
		fmt.Println("waiting")
		<-signalled
		fmt.Fprintln(os.Stderr, "asked to end")
		return 1
	case "fail":
		fmt.Fprintln(os.Stderr, "no user pass-word")
		return 1
	case "orphan":
		return leave(dir, map[string]string{"tables/users.manifest": `{}`})
	default:
		return leave(dir, map[string]string{"state.json": `{"n":1}`, "tables/users": "id,name\n1,Ann\n2,Bob\n"})
	}
}

// leave writes files below the output directory.
func leave(dir string, files map[string]string) int {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "out", filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	return 0
}

// processes is a platform whose component is this program.
func processes(t *testing.T) *platform {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no one can be asked to end there")
	}
	program, err := os.Executable()
	must(t, err)
	engine, err := sandbox.NewProcess(program)
	must(t, err)
	folder := t.TempDir()
	s, err := sandbox.New(sandbox.Options{Dir: folder, Engine: engine})
	must(t, err)
	p := newPlatform(t)
	p.configure("7", `{"parameters":{"do":"succeed","#p":"pass-word"}}`)
	p.start(func(o *Options) { o.Runner, o.Load = instrumented{s, t.TempDir()}, nil })
	t.Cleanup(func() {
		left, err := os.ReadDir(folder)
		must(t, err)
		if len(left) > 0 {
			t.Errorf("%d directories are left", len(left))
		}
	})
	return p
}

// instrumented keeps what this program does when it is built to measure itself
// out of the output of the component.
type instrumented struct {
	sandbox  *sandbox.Sandbox
	coverage string
}

func (i instrumented) Run(ctx context.Context, spec sandbox.Spec, log func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error) {
	spec.Env["GOCOVERDIR"] = i.coverage
	spec.Env["GORACE"] = "atexit_sleep_ms=0"
	return i.sandbox.Run(ctx, spec, log)
}

func TestProcessThatSucceeds(t *testing.T) {
	p := processes(t)
	j := p.run(store.Job{Config: "7"})
	same(t, "message", j.Result.Message, "Component processing finished.")
	sameLines(t, "events", p.events(j.ID), "info: Running component acme.ex (row 1 of 1)",
		"info: job "+j.ID+" knows [hidden]", `info: Loading table "users"`, "info: Finished component acme.ex (row 1 of 1)", "info: Output mapping done.")
	same(t, "tables", strings.Join(j.Result.Tables, " "), "in.c-acme-ex-7.users")
	var rows []string
	must(t, p.store.Rows(j.Result.Tables[0], func(cells []string) bool { rows = append(rows, strings.Join(cells, ",")); return true }))
	sameLines(t, "rows", rows, "1,Ann", "2,Bob")
	c, err := p.store.Configuration(extractor, "7")
	must(t, err)
	same(t, "state", string(c.State), `{"component":{"n":1},"storage":{"input":{"tables":[],"files":[]}}}`)
}

func TestProcessThatFails(t *testing.T) {
	p := processes(t)
	j := p.run(inline(`{"parameters":{"do":"fail","#p":"pass-word"}}`))
	same(t, "end", string(j.Status)+": "+j.Result.Message, "error: no user [hidden]")
}

func TestProcessThatLeavesFaultyTables(t *testing.T) {
	p := processes(t)
	j := p.run(inline(`{"parameters":{"do":"orphan"}}`))
	same(t, "end", string(j.Status)+" "+j.Result.ErrorType, "error user")
	if !strings.HasPrefix(j.Result.Message, `Found orphaned table manifest: "users`) {
		t.Errorf("message: %s", j.Result.Message)
	}
}

func TestProcessThatIsKilled(t *testing.T) {
	p := processes(t)
	id := p.create(inline(`{"parameters":{"do":"wait"}}`))
	p.until(id, func(store.Job) bool { return len(p.events(id)) == 3 })
	p.kill(id)
	same(t, "status", string(p.finished(id).Status), "terminated")
}

func TestProcessWhenThePlatformStops(t *testing.T) {
	p := processes(t)
	id := p.create(inline(`{"parameters":{"do":"wait"}}`))
	p.until(id, func(store.Job) bool { return len(p.events(id)) == 3 })
	must(t, p.stop())
	j, err := p.store.Job(id)
	must(t, err)
	same(t, "end", string(j.Status)+": "+j.Result.Message, "error: The platform was stopped while the job was running.")
}
