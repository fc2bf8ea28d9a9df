package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
)

// rowsThatRan are the rows in which the component ran.
type rowsThatRan struct {
	mu   sync.Mutex
	rows []string
}

func (r *rowsThatRan) note(run *play) sandbox.Exit {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows = append(r.rows, run.spec.Env["KBC_CONFIGROWID"])
	return sandbox.Exit{}
}

func TestRows(t *testing.T) {
	rows := []store.Row{{ID: "a"}, {ID: "b", IsDisabled: true}, {ID: "c"}}
	const skipping = "info: Skipping disabled configuration: 7, version: 1, row: "
	for name, tc := range map[string]struct {
		rows    []store.Row
		ids     []string
		want    string
		message string
		events  []string
	}{
		"those enabled": {rows: rows, want: "a c", events: []string{skipping + "b"}},
		"those named":   {rows: rows, ids: []string{"c", "b"}, want: "b c"},
		"none enabled": {
			rows: rows[1:2], want: "", message: "No configurations executed.", events: []string{skipping + "b"},
		},
		"unknown": {
			rows: rows, ids: []string{"x", "a", "y"}, want: "", message: `Rows "x", "y" were not found in configuration "7".`,
		},
		"no rows at all": {ids: []string{"x"}, message: `Rows "x" were not found in configuration "7".`},
	} {
		t.Run(name, func(t *testing.T) {
			p, ran := newPlatform(t), rowsThatRan{}
			p.configure("7", `{}`, tc.rows...)
			p.component = ran.note
			j := p.run(store.Job{Config: "7", ConfigRowIDs: tc.ids})
			same(t, "rows", strings.Join(ran.rows, " "), tc.want)
			events := p.events(j.ID)
			sameLines(t, "events", events[:len(tc.events)], tc.events...)
			if tc.message != "" {
				same(t, "message", j.Result.Message, tc.message)
				return
			}
			same(t, "images", fmt.Sprint(len(j.Result.Images)), "2")
			same(t, "first", events[len(tc.events)], "info: Running component acme.ex (row 1 of 2)")
			same(t, "last", events[len(events)-1], "info: Output mapping done.")
		})
	}
}

// TestRowAfterAFailure: rows after one that fails do not run.
func TestRowAfterAFailure(t *testing.T) {
	p, ran := newPlatform(t), rowsThatRan{}
	p.configure("7", `{}`, store.Row{ID: "a"}, store.Row{ID: "b"})
	p.component = func(run *play) sandbox.Exit { ran.note(run); return sandbox.Exit{Code: 1, Message: "bad"} }
	j := p.run(store.Job{Config: "7"})
	same(t, "ran", strings.Join(ran.rows, " ")+" "+j.Result.Message, "a bad")
}

func TestEffectiveConfiguration(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{"parameters":{"z":1.50,"list":[1,2],"name":"{{v}} ä/"},"runtime":{"tag":"1"}}`,
		store.Row{ID: "a", Configuration: []byte(`{"parameters":{"list":[9],"row":true}}`), State: []byte(`{"component":{"r":1}}`)})
	var got sandbox.Spec
	p.component = func(run *play) sandbox.Exit { got = run.spec; return sandbox.Exit{} }
	p.run(store.Job{Config: "7"})
	same(t, "config.json", string(got.Config), `{
    "parameters": {
        "z": 1.5,
        "list": [
            9,
            2
        ],
        "name": "{{v}} \u00e4\/",
        "row": true
    },
    "storage": {},
    "image_parameters": {},
    "authorization": {},
    "action": "run"
}`)
	same(t, "state", string(got.State), `{"r":1}`)
	same(t, "time-out", got.Timeout.String(), "1h0m0s")
}

func TestEnvironment(t *testing.T) {
	const parameters = `{"parameters":{"a":1}}`
	standard := map[string]string{
		"KBC_RUNID": "2", "KBC_PROJECTID": "1", "KBC_STACKID": "platform.test", "KBC_COMPONENTID": "acme.ex",
		"KBC_CONFIGID": "7", "KBC_CONFIGVERSION": "1", "KBC_BRANCHID": "1", "KBC_COMPONENT_RUN_MODE": "run",
		"KBC_STAGING_FILE_PROVIDER": "aws", "KBC_PROJECT_FEATURE_GATES": "", "KBC_TOKEN": "the-token", "KBC_URL": "http://platform.test",
		"EXTRACTOR_LIVE": "true",
	}
	for name, tc := range map[string]struct {
		job    store.Job
		row    bool
		types  string
		change map[string]string
	}{
		"stored":        {job: store.Job{Config: "7"}},
		"forced":        {job: store.Job{Config: "7", Mode: store.ForceRun}},
		"debug":         {job: store.Job{Config: "7", Mode: store.Debug}, change: map[string]string{"KBC_COMPONENT_RUN_MODE": "debug"}},
		"row":           {job: store.Job{Config: "7"}, row: true, change: map[string]string{"KBC_CONFIGROWID": "r"}},
		"no data types": {job: store.Job{Config: "7"}, types: tableload.NoTypes},
		"data types": {job: store.Job{Config: "7"}, types: tableload.Authoritative, change: map[string]string{
			"KBC_DATA_TYPE_SUPPORT": "authoritative", "KBC_PROJECT_FEATURE_GATES": "new-native-types",
		}},
		"inline, named": {
			job:    store.Job{Config: "7", ConfigData: []byte(parameters)},
			change: map[string]string{"KBC_CONFIGVERSION": ""},
		},
		"inline": {job: inline(parameters), change: map[string]string{
			// printf '{"a":1}' | sha1sum
			"KBC_CONFIGVERSION": "", "KBC_CONFIGID": "9f89c740ceb46d7418c924a78ac57941d5e96520",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			var rows []store.Row
			if tc.row {
				rows = []store.Row{{ID: "r"}}
			}
			p.configure("7", `{}`, rows...)
			_, err := p.store.NewID() // so that ids of jobs are not those of the project
			must(t, err)
			var got map[string]string
			p.component = func(run *play) sandbox.Exit { got = run.spec.Env; return sandbox.Exit{} }
			p.start(func(o *Options) { o.DataTypeSupport = tc.types })
			j := p.run(tc.job)
			want := maps.Clone(standard)
			maps.Copy(want, tc.change)
			want["KBC_RUNID"] = j.ID
			sameLines(t, "environment", assignments(got), assignments(want)...)
			same(t, "version of the result", j.Result.ConfigVersion, want["KBC_CONFIGVERSION"])
		})
	}
}

func assignments(env map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	return lines
}

// TestNotRun are jobs that end before the component starts.
func TestNotRun(t *testing.T) {
	p := newPlatform(t)
	p.configure("off", `{}`)
	p.configure("gone", `{}`)
	p.configure("typo", `{"paramters":{}}`)
	p.configure("twice", `{"processors":{"after":[1]}}`, store.Row{ID: "a", Configuration: []byte(`{"processors":{"before":[1]}}`)})
	p.configure("long", `{}`, store.Row{ID: "a"}, store.Row{ID: "b", Configuration: []byte(`{"runtime":{"process_timeout":-1}}`)})
	_, err := p.store.UpdateConfiguration(extractor, "off", func(c *store.Configuration) error { c.IsDisabled = true; return nil })
	must(t, err)
	must(t, p.store.DeleteConfiguration(extractor, "gone"))
	ran := rowsThatRan{}
	p.component = ran.note
	p.start()
	for name, tc := range map[string]struct {
		job  store.Job
		want string
	}{
		"disabled":        {store.Job{Config: "off"}, `Configuration "off" of component "acme.ex" is disabled.`},
		"disabled, debug": {store.Job{Config: "off", Mode: store.Debug}, `Configuration "off" of component "acme.ex" is disabled.`},
		"in the trash":    {store.Job{Config: "gone"}, `Cannot resolve job parameters: Configuration "gone" not found`},
		"unknown":         {store.Job{Config: "none"}, `Cannot resolve job parameters: Configuration "none" not found`},
		"unknown key":     {store.Job{Config: "typo"}, `Unrecognized option "paramters" under "container". Available options are`},
		"time-out":        {store.Job{Config: "long"}, `Invalid value for path "container.runtime.process_timeout"`},
		"processors in both": {
			store.Job{Config: "twice"}, "Processors may be set either in configuration or in configuration row, but not in both places.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := p.run(tc.job)
			if j.Status != store.Error || j.Result.ErrorType != "user" || !strings.HasPrefix(j.Result.Message, tc.want) {
				t.Errorf("%s, %s error: %s\nwant %s", j.Status, j.Result.ErrorType, j.Result.Message, tc.want)
			}
			events := p.events(j.ID)
			same(t, "event", events[len(events)-1], fmt.Sprintf(`error: Job "%s" ended with user error: "%s"`, j.ID, j.Result.Message))
		})
	}
	if len(ran.rows) != 0 {
		t.Error("the component ran")
	}
	same(t, "forced", string(p.run(store.Job{Config: "off", Mode: store.ForceRun}).Status), "success")
	same(t, "inline for a disabled one", string(p.run(store.Job{Config: "off", ConfigData: []byte(`{}`)}).Status), "success")
	same(t, "inline for an unknown one", string(p.run(store.Job{Config: "none", ConfigData: []byte(`{}`)}).Status), "success")
}

func TestProcessorsAreNotRun(t *testing.T) {
	p := newPlatform(t)
	j := p.run(inline(`{"processors":{"after":[{"definition":{"component":"keboola.processor-x"}}]}}`))
	same(t, "first event", p.events(j.ID)[0], "warn: Processors are left out: none is run here.")
}
