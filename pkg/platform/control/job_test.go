package control

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

const (
	created    = jobJSONHead + `"created","isFinished":false,"result":[]}`
	processing = jobJSONHead + `"processing","isFinished":false,"result":[]}`
	success    = jobJSONHead + `"success","isFinished":true,"result":{"message":"Component processing finished."}}`
	event1     = `{"id":"1","type":"info","created":"t1","message":"first"}`
	event2     = `{"id":"2","type":"warn","created":"t2","message":"two\nlines ` + canary + `"}`
	event3     = `{"id":"3","type":"success","created":"t3","message":"third"}`
)

func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		json      bool
		variables []string
		sent, out string
	}{
		"no values": {false, nil, `{"component":"acme.ex","config":"12","mode":"run"}`, "job 99: created\n"},
		"JSON": {true, nil, `{"component":"acme.ex","config":"12","mode":"run"}`,
			`{"id":"99","status":"created","finished":false,"component":"acme.ex","config":"12","created":"","started":"","ended":"","message":"","error_type":""}` + "\n"},
		"integers stay integers": {false, []string{"a=42", "b=-7", "c=0", "d=9223372036854775807"},
			`{"component":"acme.ex","config":"12","mode":"run","variableValuesData":{"values":[{"name":"a","value":42},{"name":"b","value":-7},{"name":"c","value":0},{"name":"d","value":9223372036854775807}]}}`, "job 99: created\n"},
		"what only looks like one stays text": {false, []string{"a=007", "b=-0", "c=1.5", "d=9223372036854775808", "e=x=y", "f=1e3", "g=true"},
			`{"component":"acme.ex","config":"12","mode":"run","variableValuesData":{"values":[{"name":"a","value":"007"},{"name":"b","value":"-0"},{"name":"c","value":"1.5"},{"name":"d","value":"9223372036854775808"},{"name":"e","value":"x=y"},{"name":"f","value":"1e3"},{"name":"g","value":"true"}]}}`, "job 99: created\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.responses(createJob, created)
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Variables: tc.variables})
			if err != nil || exit != 0 {
				t.Fatalf("exit code %d, %v", exit, err)
			}
			w.wrote(tc.out, "")
			w.requests("POST /jobs " + tc.sent)
		})
	}
}

func TestRunRefusesValues(t *testing.T) {
	for name, tc := range map[string]struct {
		variables []string
		want      string
	}{
		"no sign":  {[]string{"a"}, "--var expects name=value"},
		"no name":  {[]string{"=1"}, "--var expects name=value"},
		"no value": {[]string{"a="}, `variable "a" needs a value: the platform accepts no empty one`},
		"twice":    {[]string{"a=1", "a=2"}, `variable "a" is given twice`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			_, err := w.Run(context.Background(), Run{Configuration: "12", Variables: tc.variables})
			if err == nil || err.Error() != tc.want || ExitCode(err) != failure.ExitUser {
				t.Errorf("got %v", err)
			}
			w.requests()
		})
	}
}

func TestRunFails(t *testing.T) {
	w := newWorld(t)
	w.responses(createJob, `500 {"error":"bad `+canary+` s3cret-value","code":500,"exceptionId":"e"}`)
	_, err := w.Run(context.Background(), Run{Configuration: "12", Variables: []string{"#p=s3cret-value"}, Wait: true})
	if err == nil || w.Fail(err) != failure.ExitApplication || len(w.sent) != 1 {
		t.Errorf("got %v after %d requests", err, len(w.sent))
	}
	w.wrote("", createJob+": 500 Internal Server Error: bad [hidden] [hidden] (code 500, exceptionId e); the job may run nevertheless: look on the platform before starting it again\n")
}

// TestWait: each event once, oldest first, also the one that arrived late with
// an earlier id; the job's end is the exit code.
func TestWait(t *testing.T) {
	w := newWorld(t)
	w.responses(createJob, created)
	w.responses(job, processing, processing, success)
	w.responses(events, `[]`, `[`+event1+`]`, `[`+event3+`]`, `[`+event3+`,`+event2+`,`+event1+`]`)
	exit, err := w.Run(context.Background(), Run{Configuration: "12", Wait: true})
	if err != nil || exit != 0 {
		t.Fatalf("exit code %d, %v", exit, err)
	}
	w.wrote("t1 info    first\nt3 success third\nt2 warn    two lines [hidden]\njob 99: success: Component processing finished.\n",
		"job 99: created (0s)\njob 99: processing (1s)\njob 99: success (5s)\n")
	w.requests(
		`POST /jobs {"component":"acme.ex","config":"12","mode":"run"}`,
		"GET /v2/storage/events?limit=1000&runId=99",
		"GET /jobs/99", "GET /v2/storage/events?limit=1000&runId=99",
		"GET /jobs/99", "GET /v2/storage/events?limit=1000&runId=99&sinceId=1",
		"GET /jobs/99", "GET /v2/storage/events?limit=1000&runId=99",
	)
	if want := []time.Duration{time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond}; !slices.Equal(w.clock.Slept(), want) {
		t.Errorf("slept %v", w.clock.Slept())
	}
}

// TestWaitForAnIncompleteJob: the last line says so beside the state, also when
// the platform keeps a run's lines of JSON; the exit code stays.
func TestWaitForAnIncompleteJob(t *testing.T) {
	const said = "Extraction finished, incomplete: 1 row, 1 table, 1 request; 2 warnings say that data may be missing"
	for name, tc := range map[string]struct {
		message string
		json    bool
		last    string
		exit    int
		want    string
	}{
		"a message": {said, false, success, 0,
			"job 99: success, incomplete (2 warnings say that data may be missing): Component processing finished.\n"},
		"a line of JSON": {`{\"event\":\"run.finished\",\"message\":\"` + said + `\",\"incomplete\":2}`, false, success, 0,
			"job 99: success, incomplete (2 warnings say that data may be missing): Component processing finished.\n"},
		"for programs": {said, true, success, 0,
			`"message":"Component processing finished.","error_type":"","incomplete":2}` + "\n"},
		"to be continued": {"Extraction finished: 1 row, 1 table, 1 request; to be continued: job orders: 3 of 5 windows left", false, success, 0,
			"job 99: success, to be continued (job orders: 3 of 5 windows left): Component processing finished.\n"},
		"to be continued, for programs": {`{\"event\":\"run.finished\",\"message\":\"` + said + `; to be continued: job \\\"a\\\": 3 of 5 windows left\"}`, true, success, 0,
			`"incomplete":2,"remaining":["job \"a\": 3 of 5 windows left"]}` + "\n"},
		"complete":               {"Extraction finished: 1 row, 1 table, 1 request", false, success, 0, "\njob 99: success: Component processing finished.\n"},
		"another row has failed": {said, false, jobJSONHead + `"error","isFinished":true,"result":{"message":"no","error":{"type":"user"}}}`, 1, "\njob 99: error: no\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.responses(createJob, created)
			w.responses(job, processing, tc.last)
			// What is seen twice counts once.
			w.responses(events, `[{"id":"1","type":"warn","created":"t1","message":"`+tc.message+`"}]`)
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Wait: true})
			if err != nil || exit != tc.exit || !strings.HasSuffix(w.out.String(), tc.want) {
				t.Errorf("exit code %d, %v\ngot\n%s\nwant at its end\n%s", exit, err, w.out.String(), tc.want)
			}
		})
	}
}

func TestWaitEndsWithTheResult(t *testing.T) {
	for name, tc := range map[string]struct {
		last string
		exit int
		line string
	}{
		"user error":        {`"error","isFinished":true,"result":{"message":"no","error":{"type":"user"}}}`, 1, "job 99: error: no\n"},
		"application error": {`"error","isFinished":true,"result":{"message":"oh","error":{"type":"application"}}}`, 2, "job 99: error: oh\n"},
		"terminated":        {`"terminated","isFinished":true,"result":[]}`, 1, "job 99: terminated\n"},
		"cancelled":         {`"cancelled","isFinished":true,"result":[]}`, 1, "job 99: cancelled\n"},
		"warning":           {`"warning","isFinished":true,"result":[]}`, 0, "job 99: warning\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses(createJob, created)
			w.responses(job, jobJSONHead+tc.last)
			w.responses(events, `[]`)
			exit, err := w.Run(context.Background(), Run{Configuration: "12", Wait: true})
			if err != nil || exit != tc.exit || w.out.String() != tc.line {
				t.Errorf("exit code %d, %v, %q", exit, err, w.out.String())
			}
		})
	}
}

func TestWaitGrowsToFiveSeconds(t *testing.T) {
	w := newWorld(t)
	w.responses(createJob, created)
	w.responses(job, processing)
	w.responses(events, `[]`)
	_, err := w.Run(context.Background(), Run{Configuration: "12", Wait: true, Timeout: 20 * time.Second})
	if err == nil || w.Fail(err) != failure.ExitUser {
		t.Fatalf("got %v", err)
	}
	const want = "stopped following after 20s; job 99 continues: `extractor job kill 99` ends it\n"
	w.wrote("", "job 99: created (0s)\njob 99: processing (1s)\n"+want)
	var total time.Duration
	for _, d := range w.clock.Slept() {
		total += d
	}
	if slices.Max(w.clock.Slept()) != 5*time.Second || total != 20*time.Second {
		t.Errorf("slept %v", w.clock.Slept())
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := newWorld(t)
	w.responses(createJob, created)
	w.responses(events, `[]`)
	w.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	_, err := w.Run(ctx, Run{Configuration: "12", Wait: true})
	if !errors.Is(err, context.Canceled) || w.Fail(err) != failure.ExitUser {
		t.Errorf("got %v", err)
	}
	w.wrote("", "job 99: created (0s)\nstopped following: context canceled; job 99 continues: `extractor job kill 99` ends it\n")
}

func TestInterruptedBeforeTheJobIsKnown(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := newWorld(t)
	w.responses(createJob, created)
	_, err := w.Run(ctx, Run{Configuration: "12"})
	if err == nil || w.Fail(err) != failure.ExitUser {
		t.Errorf("got %v", err)
	}
	w.wrote("", createJob+": interrupted; the job may run nevertheless: look on the platform before starting it again\n")
}

// FuzzValues: the digits that are sent are those that were given, for any text.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"42", "-7", "007", "-0", "+1", "1.5", "9223372036854775808", " 1", "=", "\x00"} {
		f.Add(text)
	}
	s := &Session{Secrets: &secret.Registry{}}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := s.values([]string{"a=" + text})
		if text == "" {
			if err == nil {
				t.Error("an empty value was accepted")
			}
			return
		}
		if err != nil || len(values) != 1 || values[0].Name != "a" || values[0].Value.Raw() != text {
			t.Errorf("%q became %+v, %v", text, values, err)
		}
	})
}

func TestFollowingFails(t *testing.T) {
	for name, tc := range map[string]struct {
		job, events string
		exit        int
	}{
		"the job is refused":     {`404 {"error":"gone"}`, `[]`, failure.ExitUser},
		"the events are refused": {processing, `404 {"error":"gone"}`, failure.ExitUser},
		"a fault":                {`500 {}`, `[]`, failure.ExitApplication},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses(createJob, created)
			w.responses(job, tc.job)
			w.responses(events, tc.events)
			_, err := w.Run(context.Background(), Run{Configuration: "12", Wait: true})
			if err == nil || ExitCode(err) != tc.exit || !strings.HasSuffix(err.Error(), "; job 99 continues: `extractor job kill 99` ends it") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestStatusEventsKill(t *testing.T) {
	const kill = "POST " + queue + "/jobs/99/kill"
	type call = func(*Session, context.Context, string) error
	for name, tc := range map[string]struct {
		do                call
		json              bool
		request, response string
		out, fail         string
	}{
		"status":         {(*Session).Status, false, job, processing, "job 99: processing\n", ""},
		"status, ended":  {(*Session).Status, false, job, success, "job 99: success: Component processing finished.\n", ""},
		"status of none": {(*Session).Status, false, job, `404 {"error":"Job \"99\" not found","code":404,"exceptionId":"e"}`, "", job + `: 404 Not Found: Job "99" not found (code 404, exceptionId e)` + "\n"},
		"events":         {(*Session).Events, false, events, `[` + event2 + `,` + event1 + `]`, "t1 info    first\nt2 warn    two lines [hidden]\n", ""},
		"events as JSON": {(*Session).Events, true, events, `[` + event3 + `,` + event1 + `]`, event1 + "\n" + event3 + "\n", ""},
		"no events":      {(*Session).Events, false, events, `[]`, "", ""},
		"kill":           {(*Session).Kill, false, kill, jobJSONHead + `"processing","desiredStatus":"terminating"}`, "job 99: processing, ending\n", ""},
		"kill fails":     {(*Session).Kill, false, kill, `500 {}`, "", kill + ": 500 Internal Server Error; the job may be ending: look with `extractor job status 99`\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.responses(tc.request, tc.response)
			if err := tc.do(w.Session, context.Background(), "99"); err != nil {
				w.Fail(err)
			}
			w.wrote(tc.out, tc.fail)
			if n := len(w.sent); n != 1 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}
