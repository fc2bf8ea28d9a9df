package platformapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const jobs = "/queue/jobs"

// newJob is the record of a new job, with some members replaced.
func newJob(id string, replace ...string) string {
	text := `{"id":"ID","runId":"ID","parentRunId":"","project":{"id":"1","name":"Local project"},"token":{"id":"1","description":"local"},` +
		`"status":"created","desiredStatus":"processing","mode":"run","component":"acme.ex","config":"c","configData":{},"configRowIds":[],"tag":null,` +
		`"createdTime":"2026-03-04T05:06:07+00:00","startTime":null,"endTime":null,"durationSeconds":0,"result":[],"usageData":[],"isFinished":false,` +
		`"url":"http://HOST/queue/jobs/ID","branchId":"1","branchType":"default","variableValuesId":null,"variableValuesData":[],"backend":{},` +
		`"executor":"dind","metrics":{},"behavior":{"onError":null},"parallelism":null,"type":"standard","delay":null,"delayedStartTime":null,` +
		`"orchestrationJobId":null,"orchestrationTaskId":null,"onlyOrchestrationTaskIds":null,"previousJobId":null}`
	text = strings.ReplaceAll(text, "ID\"", id+"\"")
	return strings.NewReplacer(replace...).Replace(text)
}

func TestCreateJob(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	w.must("POST", configs+"/c/rows", `{"rowId":"r1"}`, 201)
	w.must("POST", configs+"/c/rows", `{"rowId":"2","isDisabled":true}`, 201)
	w.createConfig("disabled", `,"isDisabled":true`)
	w.createConfig("trash", "")
	w.must("DELETE", configs+"/trash", "", 204)
	with := func(more string) string { return `{"component":"acme.ex","config":"c"` + more + `}` }
	values := func(list string) string { return with(`,"variableValuesData":{"values":` + list + `}`) }
	for name, tc := range map[string]struct {
		body    string
		replace []string // of the record of a new job; nil: the message is expected
		message string
	}{
		"as the documentation shows it": {
			with(`,"mode":"run","variableValuesData":{"values":[{"name":"outputBucket","value":"b"},{"name":"id","value":1}]}`),
			[]string{`"variableValuesData":[]`, `"variableValuesData":{"values":[{"name":"outputBucket","value":"b"},{"name":"id","value":1}]}`}, "",
		},
		"no mode":                 {with(""), []string{}, ""},
		"null is none":            {with(`,"mode":null,"tag":null,"variableValuesId":null,"variableValuesData":null,"parallelism":null,"configData":null,"configRowIds":null,"branchId":null`), []string{}, ""},
		"null as an unknown key":  {with(`,"x":null`), []string{}, ""},
		"force":                   {`{"component":"acme.ex","config":"disabled","mode":"forceRun"}`, []string{`"config":"c"`, `"config":"disabled"`, `"mode":"run"`, `"mode":"forceRun"`}, ""},
		"debug":                   {with(`,"mode":"debug","tag":"1.2"`), []string{`"mode":"run"`, `"mode":"debug"`, `"tag":null`, `"tag":"1.2"`}, ""},
		"rows, disabled ones too": {with(`,"configRowIds":["r1",2]`), []string{`"configRowIds":[]`, `"configRowIds":["r1","2"]`}, ""},
		"whole configuration": {
			`{"component":"acme.ex","configData":{"z":1.50,"a":"{{x}}"}}`, []string{`"config":"c"`, `"config":null`, `"configData":{}`, `"configData":{"z":1.50,"a":"{{x}}"}`}, "",
		},
		"whole configuration for a name that nothing has": {
			`{"component":"acme.ex","config":"none","configData":{"a":1}}`, []string{`"config":"c"`, `"config":"none"`, `"configData":{}`, `"configData":{"a":1}`}, "",
		},
		"whole configuration instead of a disabled one": {
			`{"component":"acme.ex","config":"disabled","configData":{"a":1}}`, []string{`"config":"c"`, `"config":"disabled"`, `"configData":{}`, `"configData":{"a":1}`}, "",
		},
		"rows of the whole configuration": {
			`{"component":"acme.ex","configData":{"rows":[{"id":"x"}]},"configRowIds":["x"]}`,
			[]string{`"config":"c"`, `"config":null`, `"configData":{}`, `"configData":{"rows":[{"id":"x"}]}`, `"configRowIds":[]`, `"configRowIds":["x"]`}, "",
		},
		"empty whole configuration is none": {with(`,"configData":[]`), []string{}, ""},
		"stored values":                     {with(`,"variableValuesId":"9"`), []string{`"variableValuesId":null`, `"variableValuesId":"9"`}, ""},
		"stored values beside an empty list": {
			with(`,"variableValuesId":"9","variableValuesData":{"values":[]}`),
			[]string{`"variableValuesId":null`, `"variableValuesId":"9"`, `"variableValuesData":[]`, `"variableValuesData":{"values":[]}`}, "",
		},
		"zero and false are values": {
			values(`[{"name":"a","value":0},{"name":"b","value":false},{"value":"0","name":"c"},{"name":"d","value":1.50}]`),
			[]string{`"variableValuesData":[]`, `"variableValuesData":{"values":[{"name":"a","value":0},{"name":"b","value":false},{"value":"0","name":"c"},{"name":"d","value":1.50}]}`}, "",
		},
		"empty list of values as PHP writes it": {with(`,"variableValuesData":[]`), []string{}, ""},
		"branch":                                {with(`,"branchId":1`), []string{}, ""},
		"branch by name":                        {with(`,"branchId":"default"`), []string{}, ""},
		"kept for the record": {
			with(`,"parallelism":5,"backend":{"type":"large","x":1},"behavior":{"onError":"stop"},"delay":10,"type":"container","parentRunId":"1.2","orchestrationJobId":"3","orchestrationTaskId":"4","onlyOrchestrationTaskIds":["5"],"previousJobId":"6","executor":"k8s"`),
			[]string{
				`"parallelism":null`, `"parallelism":5`, `"backend":{}`, `"backend":{"type":"large","x":1}`, `"behavior":{"onError":null}`, `"behavior":{"onError":"stop"}`,
				`"delay":null`, `"delay":10`, `"type":"standard"`, `"type":"container"`, `"parentRunId":""`, `"parentRunId":"1.2"`, `"runId":"`, `"runId":"1.2.`,
				`"orchestrationJobId":null`, `"orchestrationJobId":"3"`, `"orchestrationTaskId":null`, `"orchestrationTaskId":"4"`,
				`"onlyOrchestrationTaskIds":null`, `"onlyOrchestrationTaskIds":["5"]`, `"previousJobId":null`, `"previousJobId":"6"`, `"executor":"dind"`, `"executor":"k8s"`,
			}, "",
		},
		"endless parallelism": {with(`,"parallelism":"infinity","delayedStartTime":"2026-03-04T05:06:07+01:00"`),
			[]string{`"parallelism":null`, `"parallelism":"infinity"`, `"delayedStartTime":null`, `"delayedStartTime":"2026-03-04T05:06:07+01:00"`}, ""},

		"nothing":                 {`{}`, nil, `"component" is required`},
		"no configuration":        {`{"component":"acme.ex"}`, nil, `Provide "config" or "configData"`},
		"empty configuration":     {`{"component":"acme.ex","config":"","configData":[]}`, []string{`"config":"c"`, `"config":null`}, ""},
		"odd component":           {`{"component":["a"],"config":"c"}`, nil, `"component" must be a string, not an array`},
		"component with a NUL":    {`{"component":"a\u0000","config":"c"}`, nil, `"component" must be an id of letters, digits, ".", "_" and "-"`},
		"unknown configuration":   {`{"component":"acme.ex","config":"x"}`, nil, `Cannot resolve job parameters: Configuration "x" of component "acme.ex" not found`},
		"of another component":    {`{"component":"other","config":"c"}`, nil, `Cannot resolve job parameters: Configuration "c" of component "other" not found`},
		"in the trash":            {`{"component":"acme.ex","config":"trash"}`, nil, `Cannot resolve job parameters: Configuration "trash" of component "acme.ex" is in the trash`},
		"in the trash, by force":  {`{"component":"acme.ex","config":"trash","mode":"forceRun","configData":{"a":1}}`, nil, `Cannot resolve job parameters: Configuration "trash" of component "acme.ex" is in the trash`},
		"disabled":                {`{"component":"acme.ex","config":"disabled"}`, nil, `Configuration "disabled" of component "acme.ex" is disabled.`},
		"disabled, debug":         {`{"component":"acme.ex","config":"disabled","mode":"debug"}`, nil, `Configuration "disabled" of component "acme.ex" is disabled.`},
		"unknown mode":            {with(`,"mode":"RUN"`), nil, `Mode must be one of "run", "forceRun" or "debug".`},
		"mode of another type":    {with(`,"mode":true`), nil, `"mode" must be a string, not a boolean`},
		"unknown row":             {with(`,"configRowIds":["r1","r3"]`), nil, `Cannot resolve job parameters: Row "r3" of configuration "c" not found`},
		"odd rows":                {with(`,"configRowIds":"r1"`), nil, `"configRowIds" must be a list of row ids`},
		"odd row":                 {with(`,"configRowIds":[null]`), nil, `"configRowIds" must be a list of row ids`},
		"odd whole configuration": {with(`,"configData":[1]`), nil, `"configData" must be an object, not an array`},
		"both sources":            {with(`,"variableValuesId":"9","variableValuesData":{"values":[{"name":"a","value":"b"}]}`), nil, `Provide either "variableValuesId" or "variableValuesData", but not both.`},
		"values of another type":  {with(`,"variableValuesData":"a"`), nil, `"variableValuesData" must be an object, not a string`},
		"values no list":          {values(`{"a":"b"}`), nil, `"variableValuesData".values must be a list, not an object`},
		"extra key":               {with(`,"variableValuesData":{"values":[],"x":1}`), nil, `Unrecognized option "x" under "variableValuesData". Available option is "values".`},
		"extra key of a value":    {values(`[{"name":"a","value":"b","type":"int"}]`), nil, `Unrecognized option "type" under "variableValuesData".values[0]. Available options are "name", "value".`},
		"value no object":         {values(`["a"]`), nil, `"variableValuesData".values[0] must be an object, not a string`},
		"no name":                 {values(`[{"value":"b"}]`), nil, `Variable name cannot be empty.`},
		"empty name":              {values(`[{"name":"","value":"b"}]`), nil, `Variable name cannot be empty.`},
		"odd name":                {values(`[{"name":["a"],"value":"b"}]`), nil, `"variableValuesData".values[0].name must be a scalar, not an array`},
		"no value":                {values(`[{"name":"a","value":"b"},{"name":"n"}]`), nil, `Value of variable "n" cannot be empty.`},
		"empty value":             {values(`[{"name":"n","value":""}]`), nil, `Value of variable "n" cannot be empty.`},
		"null value":              {values(`[{"name":"n","value":null}]`), nil, `Value of variable "n" cannot be empty.`},
		"odd value":               {values(`[{"name":"n","value":{}}]`), nil, `"variableValuesData".values[0].value must be a scalar, not an object`},
		"another branch":          {with(`,"branchId":2`), nil, `Cannot resolve job parameters: Branch "2" not found`},
		"too parallel":            {with(`,"parallelism":101`), nil, `"parallelism" must be a whole number from 0 to 100 or "infinity"`},
		"odd parallelism":         {with(`,"parallelism":1.5`), nil, `"parallelism" must be a whole number from 0 to 100 or "infinity"`},
		"backend as text":         {with(`,"backend":"small"`), nil, `"backend" must be an object with a "type" of xsmall, small, medium or large`},
		"unknown backend":         {with(`,"backend":{"type":"huge"}`), nil, `"backend" must be an object with a "type" of xsmall, small, medium or large`},
		"odd behavior":            {with(`,"behavior":{"onError":1}`), nil, `"behavior" must be an object with a string "onError"`},
		"both delays":             {with(`,"delay":1,"delayedStartTime":"2026-03-04T05:06:07Z"`), nil, `Provide either "delay" or "delayedStartTime", but not both.`},
		"odd delay":               {with(`,"delay":-1`), nil, `"delay" must be a number of seconds`},
		"odd start":               {with(`,"delayedStartTime":"soon"`), nil, `"delayedStartTime" must be a time like 2006-01-02T15:04:05+00:00`},
		"unknown type":            {with(`,"type":"x"`), nil, `"type" must be "standard", "container", "phaseContainer", "orchestrationContainer" or "retryContainer"`},
		"odd parent":              {with(`,"parentRunId":"a\"b"`), nil, `"parentRunId" must be the run id of a job`},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call("POST", jobs, asJSON, tc.body)
			if tc.replace == nil {
				if want := queueError(tc.message, "400"); got.status != 400 || got.body != want {
					t.Errorf("got  %d %s\nwant 400 %s", got.status, got.body, want)
				}
				return
			}
			id, _, _ := strings.Cut(strings.TrimPrefix(got.body, `{"id":"`), `"`)
			if want := newJob(id, tc.replace...); got.status != 201 || got.body != want {
				t.Fatalf("got  %d %s\nwant 201 %s", got.status, got.body, want)
			}
			if again := w.call("GET", jobs+"/"+id, "", ""); again.status != 200 || again.body != got.body {
				t.Errorf("later %d %s", again.status, again.body)
			}
		})
	}
}

func TestParentOfTheHeader(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	got := w.callWith("POST", jobs, `{"component":"acme.ex","config":"c"}`,
		http.Header{"X-Storageapi-Token": {token}, "Content-Type": {asJSON}, "X-Kbc-Runid": {"12.34"}})
	if want := newJob("1", `"parentRunId":""`, `"parentRunId":"12.34"`, `"runId":"1"`, `"runId":"12.34.1"`); got.body != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
}

// moved takes a job to a state, as the program that runs it does.
func (w *world) moved(id string, result *store.Result, states ...store.Status) {
	w.t.Helper()
	for _, state := range states {
		w.clock.Add(1)
		_, err := w.store.UpdateJob(id, func(j *store.Job) error {
			j.Result = result
			return j.To(state, time.Unix(w.clock.Load(), 0))
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestJobRecordOverItsLife(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	loaded, err := w.store.Load(context.Background(), store.Load{
		Table: "in.c-b.users", Columns: []store.Column{{Name: "id"}, {Name: "name"}}, Next: rowsOf([]string{"1", "a"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.must("POST", jobs, `{"component":"acme.ex","config":"c"}`, 201)
	w.moved("1", nil, store.Waiting, store.Created, store.Processing)
	w.clock.Add(5)
	running := newJob("1", `"status":"created"`, `"status":"processing"`, `"startTime":null`, `"startTime":"2026-03-04T05:06:10+00:00"`, `"durationSeconds":0`, `"durationSeconds":5`)
	if got := w.call("GET", jobs+"/1", "", ""); got.body != running {
		t.Errorf("running\ngot  %s\nwant %s", got.body, running)
	}
	w.moved("1", &store.Result{
		Message: "Component processing finished.", ConfigVersion: "3", Variables: []store.Variable{{Name: "id", Value: "1"}},
		Tables: []string{loaded.ID, "in.c-b.gone"}, Images: []string{"extractor"},
		Incomplete: 2, // for the page: the platform has no such member
	}, store.Success)
	done := strings.NewReplacer(`"status":"processing"`, `"status":"success"`, `"durationSeconds":5`, `"durationSeconds":6`, `"endTime":null`, `"endTime":"2026-03-04T05:06:16+00:00"`,
		`"isFinished":false`, `"isFinished":true`, `"result":[]`,
		`"result":{"message":"Component processing finished.","configVersion":"3","images":[[{"id":"extractor","digests":[]}]],"input":{"tables":[]},`+
			`"output":{"tables":[{"id":"in.c-b.users","name":"users","displayName":"users","columns":[{"name":"id"},{"name":"name"}]},`+
			`{"id":"in.c-b.gone","name":"gone","displayName":"gone","columns":[]}]},"variables":[{"name":"id","value":"1"}]}`).Replace(running)
	if got := w.call("GET", jobs+"/1", "", ""); got.body != done {
		t.Errorf("done\ngot  %s\nwant %s", got.body, done)
	}
	w.must("POST", jobs, `{"component":"acme.ex","config":"c"}`, 201)
	w.moved("2", &store.Result{Message: "no", ErrorType: "user", ExceptionID: "e"}, store.Processing, store.Error)
	const failed = `"result":{"message":"no","configVersion":null,"images":[],"input":{"tables":[]},"output":{"tables":[]},"variables":[],"error":{"type":"user","exceptionId":"e"}}`
	if got := w.call("GET", jobs+"/2", "", ""); !strings.Contains(got.body, failed) {
		t.Errorf("failed: %s", got.body)
	}
	for _, id := range []string{"99", "x", "01", "-1"} {
		if got := w.call("GET", jobs+"/"+id, "", ""); got.status != 404 || got.body != queueError(`Job "`+id+`" not found`, "404") {
			t.Errorf("%s: %d %s", id, got.status, got.body)
		}
	}
}

func TestKill(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	for name, tc := range map[string]struct {
		states []store.Status
		status int
		want   string // in the response
		kill   bool
	}{
		"created": {nil, 200, `"status":"cancelled","desiredStatus":"terminating"`, true},
		"waiting": {[]store.Status{store.Waiting}, 200, `"isFinished":true`, true},
		"waiting has a result": {[]store.Status{store.Waiting}, 200,
			`"result":{"message":"The job was cancelled before it started.","configVersion":null,`, true},
		"processing":  {[]store.Status{store.Processing}, 200, `"status":"processing","desiredStatus":"terminating"`, true},
		"terminating": {[]store.Status{store.Processing, store.Terminating}, 400, `"context":{"stringCode":"statusTargetEqualsCurrent"}`, false},
		"success":     {[]store.Status{store.Processing, store.Success}, 400, `"code":400,`, false},
		"terminated":  {[]store.Status{store.Processing, store.Terminating, store.Terminated}, 400, `"context":{"stringCode":"statusTerminal"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.must("POST", jobs, `{"component":"acme.ex","config":"c"}`, 201)["id"].(string)
			w.moved(id, nil, tc.states...)
			got := w.call("POST", jobs+"/"+id+"/kill", "", "")
			if got.status != tc.status || !strings.Contains(got.body, tc.want) {
				t.Errorf("got %d %s", got.status, got.body)
			}
			if job, err := w.store.Job(id); err != nil || job.Kill != tc.kill {
				t.Errorf("stored %+v, %v", job, err)
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		id := w.must("POST", jobs, `{"component":"acme.ex","config":"c"}`, 201)["id"].(string)
		w.moved(id, nil, store.Processing)
		for range 2 {
			if got := w.call("POST", jobs+"/"+id+"/kill", asJSON, "{}"); got.status != 200 {
				t.Errorf("got %d %s", got.status, got.body)
			}
		}
	})
	if got := w.call("POST", jobs+"/x/kill", "", ""); got.status != 404 || got.body != queueError(`Job "x" not found`, "404") {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
