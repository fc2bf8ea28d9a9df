package queue

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestExits(t *testing.T) {
	const lost = "Component terminated. Possibly due to out of memory error"
	for name, tc := range map[string]struct {
		exit      sandbox.Exit
		status    store.Status
		errorType string
		message   string
	}{
		"success":              {sandbox.Exit{}, store.Success, "", "Component processing finished."},
		"user":                 {sandbox.Exit{Code: 1, Message: "no such user"}, store.Error, "user", "no such user"},
		"application":          {sandbox.Exit{Code: 2, Message: "nil"}, store.Error, "application", "Internal Server Error occurred."},
		"the highest":          {sandbox.Exit{Code: 255}, store.Error, "application", "Internal Server Error occurred."},
		"signal":               {sandbox.Exit{Code: 143, Message: "x"}, store.Error, "application", "Internal Server Error occurred."},
		"125":                  {sandbox.Exit{Code: 125, Message: "x"}, store.Error, "user", lost},
		"137":                  {sandbox.Exit{Code: 137, Message: "x"}, store.Error, "user", lost},
		"time-out":             {sandbox.Exit{Code: 137, TimedOut: true}, store.Error, "user", "Running ex:1 container exceeded the timeout of 7 seconds."},
		"out of memory":        {sandbox.Exit{Code: 1, OutOfMemory: true, Message: "x"}, store.Error, "user", "Component out of memory"},
		"out of memory, but 0": {sandbox.Exit{OutOfMemory: true}, store.Error, "user", "Component out of memory"},
		"out of memory, 137":   {sandbox.Exit{Code: 137, OutOfMemory: true}, store.Error, "user", "Component out of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t)
			p.component = func(*play) sandbox.Exit { return tc.exit }
			p.start()
			j := p.run(inline(`{"runtime":{"process_timeout":7}}`))
			id := exception
			if tc.errorType == "" {
				id = ""
			}
			same(t, "status", string(j.Status), string(tc.status))
			same(t, "message", j.Result.Message, tc.message)
			same(t, "error", j.Result.ErrorType+" "+j.Result.ExceptionID, tc.errorType+" "+id)
			same(t, "images", strings.Join(j.Result.Images, " "), "ex:1")
			if !j.Ended.Equal(noon) || !j.Started.Equal(noon) {
				t.Errorf("started %v, ended %v", j.Started, j.Ended)
			}
		})
	}
}

func TestEventsOfAJob(t *testing.T) {
	began := []string{"info: Running component acme.ex (row 1 of 1)", "warn: one", "debug: two"}
	for name, tc := range map[string]struct {
		exit sandbox.Exit
		load error
		mode string
		want []string
	}{
		"success": {want: []string{
			`info: Loading table "users"`, "info: Finished component acme.ex (row 1 of 1)", "info: Output mapping done.",
		}},
		"user error": {exit: sandbox.Exit{Code: 1, Message: "bad"}, want: []string{
			`info: Loading table "users"`, `error: Job "1" ended with user error: "bad"`,
		}},
		"application error": {exit: sandbox.Exit{Code: 2, Message: "bad"}, want: []string{
			`info: Loading table "users"`, "debug: ex:1 container failed: (2) bad", "error: Application error",
		}},
		"a table does not fit": {load: failure.Userf("no columns"), want: []string{
			`info: Loading table "users"`, `error: Job "1" ended with user error: "no columns"`,
		}},
		"a table cannot be read": {load: errors.New("disk"), want: []string{
			`info: Loading table "users"`, "debug: disk", "error: Application error",
		}},
		"two faults": {exit: sandbox.Exit{Code: 1, Message: "bad"}, load: failure.Userf("no columns"), want: []string{
			`info: Loading table "users"`, "warn: Tables of a failed run were not loaded: no columns",
			`error: Job "1" ended with user error: "bad"`,
		}},
		"debug mode": {mode: store.Debug, want: []string{"info: Finished component acme.ex (row 1 of 1)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t)
			p.component = func(run *play) sandbox.Exit {
				run.say(sandbox.Warn, "one")
				run.say(sandbox.Debug, "two")
				return tc.exit
			}
			p.tables.load = func(_ context.Context, l tableload.Options) ([]store.Table, error) {
				l.Table(`Loading table "users"`)
				return []store.Table{{ID: "in.c-a.users"}}, tc.load
			}
			job := inline(`{}`)
			job.Mode = tc.mode
			j := p.run(job)
			sameLines(t, "events", p.events(j.ID), append(began, tc.want...)...)
			same(t, "failed", string(j.Status), map[bool]string{true: "success", false: "error"}[tc.exit.Code == 0 && tc.load == nil])
			tables := "in.c-a.users"
			if tc.mode == store.Debug {
				tables = ""
			}
			same(t, "tables", strings.Join(j.Result.Tables, " "), tables)
		})
	}
}

// TestIncompleteJobs: what the runs of all rows say of missing data is summed up,
// and a job that succeeds stays a success.
func TestIncompleteJobs(t *testing.T) {
	for name, tc := range map[string]struct {
		say  []string
		want int
	}{
		"complete":            {[]string{event.MessageOf(event.RunFinished{})}, 0},
		"two runs":            {[]string{event.MessageOf(event.RunFinished{Incomplete: 2})}, 4},
		"lines of JSON":       {[]string{`{"event":"run.finished","message":"` + event.MessageOf(event.RunFinished{Incomplete: 1}) + `"}`}, 2},
		"what an API says of": {[]string{"Job users: " + event.MessageOf(event.RunFinished{Incomplete: 1})}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.configure("7", `{}`, store.Row{ID: "a", Configuration: []byte(`{}`)}, store.Row{ID: "b", Configuration: []byte(`{}`)})
			p.component = func(run *play) sandbox.Exit {
				for _, text := range tc.say {
					run.say(sandbox.Warn, text)
				}
				return sandbox.Exit{}
			}
			if j := p.run(store.Job{Config: "7"}); j.Status != store.Success || j.Result.Incomplete != tc.want {
				t.Errorf("%s with %d findings, want %d", j.Status, j.Result.Incomplete, tc.want)
			}
		})
	}
}

// TestRemaining: the result has the windows that each row has left for the next run.
func TestRemaining(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`, store.Row{ID: "a", Configuration: []byte(`{}`)}, store.Row{ID: "b", Configuration: []byte(`{}`)})
	texts := []string{
		event.MessageOf(event.RunFinished{Remaining: []string{"job a: 3 of 5 windows left"}}),
		`{"event":"run.finished","message":"` + event.MessageOf(event.RunFinished{Incomplete: 1, Remaining: []string{`job \"b\"`}}) + `"}`,
		"Job users: " + event.MessageOf(event.RunFinished{Remaining: []string{"of an API"}}),
	}
	p.component = func(run *play) sandbox.Exit {
		for _, text := range texts {
			run.say(sandbox.Info, text)
		}
		texts = nil
		return sandbox.Exit{}
	}
	if j := p.run(store.Job{Config: "7"}); !slices.Equal(j.Result.Remaining, []string{"job a: 3 of 5 windows left", `job "b"`}) {
		t.Errorf("%q", j.Result.Remaining)
	}
}

// TestCounted: what the runs of all rows fetched is summed up, from events and from lines
// of JSON, and not from what an API says.
func TestCounted(t *testing.T) {
	const finished = `{"event":"run.finished","rows":"42","tables":"2","requests":9,"bytes":"1000"}`
	for name, tc := range map[string]struct {
		text   string
		fields string
		want   *store.Counted
	}{
		"event":          {"Extraction finished", finished, &store.Counted{Rows: 84, Tables: 4, Requests: 18, Bytes: 2000}},
		"line of JSON":   {finished, "", &store.Counted{Rows: 84, Tables: 4, Requests: 18, Bytes: 2000}},
		"cut":            {"cut", `{"event":"run.cut","rows":1}`, &store.Counted{Rows: 2}},
		"not numbers":    {"odd", `{"event":"run.finished","rows":"-5","requests":[1],"bytes":1e99}`, &store.Counted{}},
		"another event":  {"odd", `{"event":"other","text":"\"run.finished\"","rows":5}`, nil},
		"what it quotes": {`"run.finished" {"rows":5}`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.configure("7", `{}`, store.Row{ID: "a", Configuration: []byte(`{}`)}, store.Row{ID: "b", Configuration: []byte(`{}`)})
			p.component = func(run *play) sandbox.Exit {
				run.log(sandbox.Record{Time: noon, Type: sandbox.Info, Message: tc.text, Fields: []byte(tc.fields)})
				return sandbox.Exit{}
			}
			if j := p.run(store.Job{Config: "7"}); !reflect.DeepEqual(j.Result.Counted, tc.want) {
				t.Errorf("got %+v, want %+v", j.Result.Counted, tc.want)
			}
		})
	}
}

func TestOptionsOfTheOutput(t *testing.T) {
	for name, tc := range map[string]struct {
		code int
		want bool
	}{"success": {0, false}, "failure": {1, true}} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.configure("7", `{"storage":{"output":{"default_bucket":"in.c-x"}}}`)
			var dir string
			p.component = func(run *play) sandbox.Exit { dir = run.dir; return sandbox.Exit{Code: tc.code} }
			p.start(func(o *Options) { o.DataTypeSupport = tableload.Hints })
			j := p.run(store.Job{Config: "7"})
			l := p.tables.loadings[0]
			same(t, "loading", strings.Join([]string{l.Dir, l.Component, l.Config, l.Job, l.Storage.JSON(), l.DataTypes}, " "),
				dir+" acme.ex 7 "+j.ID+` {"output":{"default_bucket":"in.c-x"}} hints`)
			if l.Failed != tc.want || len(p.tables.loadings) != 1 {
				t.Errorf("failed %t, want %t; %d loads", l.Failed, tc.want, len(p.tables.loadings))
			}
		})
	}
}

func TestRunnerThatFails(t *testing.T) {
	p := newPlatform(t)
	p.start(func(o *Options) { o.Runner = broken{} })
	j := p.run(inline(`{"parameters":{"#p":"pass-word"}}`))
	same(t, "status", string(j.Status)+" "+j.Result.ErrorType+" "+j.Result.Message, "error application Internal Server Error occurred.")
	sameLines(t, "events", p.events(j.ID),
		"info: Running component acme.ex (row 1 of 1)", "debug: no docker for [hidden]", "error: Application error")
}

type broken struct{}

func (broken) Run(context.Context, sandbox.Spec, func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error) {
	return sandbox.Data{}, sandbox.Exit{}, errors.New("no docker for pass-word")
}

func TestMasking(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{"parameters":{"config":{"#a":{"deep":["first-secret",12345]},"shown":"plain"}}}`)
	_, err := p.store.SetState(extractor, "7", "", []byte(`{"component":{"#s":"state-secret"}}`))
	must(t, err)
	var given []string
	p.component = func(run *play) sandbox.Exit {
		given = run.spec.Secrets
		run.write(t, "out/state.json", `{"#n":"new-secret"}`)
		return sandbox.Exit{}
	}
	p.tables.load = func(_ context.Context, l tableload.Options) ([]store.Table, error) {
		l.Table(`Loading table "plain new-secret"`)
		l.Warn("the-token Zmlyc3Qtc2VjcmV0")
		return nil, failure.Userf("first-secret 12345 state-secret new-secret")
	}
	j := p.run(store.Job{Config: "7", VariableValuesData: []byte(`{"values":[{"name":"v","value":"state-secret"}]}`)})
	sameLines(t, "secrets", given, "the-token", "first-secret", "12345", "state-secret")
	const hidden = "[hidden] [hidden] [hidden] [hidden]"
	same(t, "message", j.Result.Message, hidden)
	same(t, "variable", j.Result.Variables[0].Value, "[hidden]")
	sameLines(t, "events", p.events(j.ID)[1:],
		`info: Loading table "plain [hidden]"`, "warn: [hidden] [hidden]", `error: Job "`+j.ID+`" ended with user error: "`+hidden+`"`)
}

func TestLongMessages(t *testing.T) {
	p := newPlatform(t)
	p.component = func(*play) sandbox.Exit {
		return sandbox.Exit{Code: 1, Message: strings.Repeat("é", 3000) + strings.Repeat("ü", 3000) + "\xff"}
	}
	j := p.run(inline(`{}`))
	same(t, "message", j.Result.Message, strings.Repeat("é", 1997)+" ... "+strings.Repeat("ü", 1996)+"\uFFFD")
}
