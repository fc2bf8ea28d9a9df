package control

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
)

const (
	threeBuckets = `{"parameters":{"config":{"#key":"hush-hush"},"iterations":[{"outputBucket":"a"},{"outputBucket":"b"},{"outputBucket":"c"},{"outputBucket":"d"}]}}`
	onTheirWay   = `,"isFinished":false,"result":[]`
	userError    = `,"isFinished":true,"startTime":"2026-05-04T10:00:00Z","endTime":"2026-05-04T10:01:01.9Z","result":{"message":"bad hush-hush","error":{"type":"user"}}`
	fault        = `,"isFinished":true,"startTime":null,"endTime":"2026-05-04T10:01:01Z","result":{"message":"oh","error":{"type":"application"}}`
)

// splitWorld is a platform that runs the three jobs of threeBuckets: 101 for
// the first iteration, 102 for the second, 103 for the others.
func splitWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.responses(stored, configuration(threeBuckets))
	w.responses(createJob, jobRecord(101, "created", onTheirWay), jobRecord(102, "created", onTheirWay), jobRecord(103, "created", onTheirWay))
	w.runs("101", fine(101))
	w.runs("102", jobRecord(102, "waiting", onTheirWay), jobRecord(102, "processing", onTheirWay), jobRecord(102, "error", userError))
	w.runs("103", jobRecord(103, "processing", onTheirWay), jobRecord(103, "success", `,"isFinished":true,"result":[]`))
	w.transport.RegisterResponder("GET", storage+"/events", func(r *http.Request) (*http.Response, error) {
		run := r.URL.Query().Get("runId")
		w.sent = append(w.sent, "events of "+run)
		response := httpmock.NewStringResponse(200, `[{"id":"2`+run+`","type":"warn","created":"t2","message":"two\nlines `+canary+`"},{"id":"1`+run+`","type":"info","created":"t1","message":"of `+run+`"}]`)
		response.Header.Set("Content-Type", "application/json")
		return response, nil
	})
	return w
}

func (w *world) runs(id string, records ...string) {
	w.responses("GET "+queue+"/jobs/"+id, records...)
}

func (w *world) split() (exit int) {
	w.t.Helper()
	exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: "iterations=3"})
	if err != nil {
		w.t.Fatal(err)
	}
	return exit
}

const (
	begun = `[iteration 1] job 101: created (0s)
[iteration 2] job 102: created (0s)
[iterations 3-4] job 103: created (0s)
`
	lines = `[iteration 1] job 101: t1 info    of 101
[iteration 1] job 101: t2 warn    two lines [hidden]
[iteration 2] job 102: t1 info    of 102
[iteration 2] job 102: t2 warn    two lines [hidden]
[iterations 3-4] job 103: t1 info    of 103
[iterations 3-4] job 103: t2 warn    two lines [hidden]
`
	followed = begun + `[iteration 1] job 101: success (1s)
[iteration 2] job 102: waiting (1s)
[iterations 3-4] job 103: processing (1s)
[iteration 2] job 102: processing (3s)
[iterations 3-4] job 103: success (3s)
[iteration 2] job 102: error (5s)
`
)

// TestSplitFollows: all jobs are started before one is followed, one that has
// ended is not requested again, and the worst result is that of all.
func TestSplitFollows(t *testing.T) {
	w := splitWorld(t)
	if exit := w.split(); exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	w.wrote(lines+`GROUP           JOB  STATE    SECONDS  MESSAGE
iteration 1     101  success  7        done
iteration 2     102  error    61       bad [hidden]
iterations 3-4  103  success  -        -
2 of 3 jobs succeeded: exit code 1
`, followed)
	var sent []string
	for _, line := range w.sent {
		sent = append(sent, strings.SplitN(line, " {", 2)[0])
	}
	w.sent = sent
	w.requests("GET /v2/storage/components/acme.ex/configs/12",
		"POST /jobs", "POST /jobs", "POST /jobs",
		"events of 101", "events of 102", "events of 103",
		"GET /jobs/101", "events of 101", "GET /jobs/102", "events of 102", "GET /jobs/103", "events of 103",
		"GET /jobs/102", "events of 102", "GET /jobs/103", "events of 103",
		"GET /jobs/102", "events of 102",
	)
}

// TestSplitIncomplete: the table and the last line show which jobs lack data.
func TestSplitIncomplete(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		w := splitWorld(t)
		w.JSON = asJSON
		w.transport.RegisterResponder("GET", storage+"/events", func(*http.Request) (*http.Response, error) {
			response := httpmock.NewStringResponse(200, `[{"id":"1","type":"warn","created":"t","message":"Extraction finished, incomplete: 1 row, 1 table, 1 request; 1 warning says that data may be missing"}]`)
			response.Header.Set("Content-Type", "application/json")
			return response, nil
		})
		if exit := w.split(); exit != 1 { // that of the job which failed
			t.Errorf("exit code %d", exit)
		}
		if asJSON {
			if n := strings.Count(w.out.String(), `"error_type":"","incomplete":1}`); n != 2 || strings.Count(w.out.String(), "incomplete") != 2 {
				t.Errorf("%d incomplete jobs:\n%s", n, w.out.String())
			}
			continue
		}
		const want = `GROUP           JOB  STATE                SECONDS  MESSAGE
iteration 1     101  success, incomplete  7        done
iteration 2     102  error                61       bad [hidden]
iterations 3-4  103  success, incomplete  -        -
2 of 3 jobs succeeded, 2 of them incomplete: exit code 1
`
		if !strings.HasSuffix(w.out.String(), want) {
			t.Errorf("got\n%s\nwant at its end\n%s", w.out.String(), want)
		}
	}
}

func TestSplitJSON(t *testing.T) {
	w := splitWorld(t)
	w.JSON = true
	if exit := w.split(); exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	const job = `"component":"acme.ex","config":"","created":"",`
	w.wrote(`{"groups":[`+
		`{"first_iteration":1,"last_iteration":1,"state":"success","seconds":7,"exit_code":0,"error":null,"job":{"id":"101","status":"success","finished":true,`+job+`"started":"2026-05-04T10:00:00+02:00","ended":"2026-05-04T10:00:07+02:00","message":"done","error_type":""}},`+
		`{"first_iteration":2,"last_iteration":2,"state":"error","seconds":61,"exit_code":1,"error":null,"job":{"id":"102","status":"error","finished":true,`+job+`"started":"2026-05-04T10:00:00Z","ended":"2026-05-04T10:01:01.9Z","message":"bad [hidden]","error_type":"user"}},`+
		`{"first_iteration":3,"last_iteration":4,"state":"success","seconds":null,"exit_code":0,"error":null,"job":{"id":"103","status":"success","finished":true,`+job+`"started":"","ended":"","message":"","error_type":""}}`+
		`],"result":{"exit_code":1,"jobs":3,"succeeded":2,"errors":[]}}`+"\n", interleaved(followed, lines))
}

// interleaved is the states of the first round, each followed by the events of
// its job, and the other states.
func interleaved(states, events string) string {
	s, e := strings.SplitAfter(states, "\n"), strings.SplitAfter(events, "\n")
	return s[0] + e[0] + e[1] + s[1] + e[2] + e[3] + s[2] + e[4] + e[5] + strings.Join(s[3:], "")
}

func TestSplitEndsWithTheWorst(t *testing.T) {
	for name, tc := range map[string]struct {
		second, third string
		exit          int
		line          string
	}{
		"all good":        {fine(102), jobRecord(103, "warning", `,"isFinished":true`), 0, "3 of 3 jobs succeeded: exit code 0\n"},
		"fault over user": {jobRecord(102, "error", fault), jobRecord(103, "error", userError), 2, "1 of 3 jobs succeeded: exit code 2\n"},
		"user over good":  {fine(102), jobRecord(103, "cancelled", `,"isFinished":true`), 1, "2 of 3 jobs succeeded: exit code 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := splitWorld(t)
			w.runs("102", tc.second)
			w.runs("103", tc.third)
			if exit := w.split(); exit != tc.exit || !strings.HasSuffix(w.out.String(), "\n"+tc.line) {
				t.Errorf("exit code %d\n%s", exit, w.out.String())
			}
		})
	}
}

// TestSplitCreationFails: nothing more is started then and nothing is tried
// again, and the jobs that run are followed to their ends.
func TestSplitCreationFails(t *testing.T) {
	const end = "iterations 3-4  -    never started  -        -\n1 of 3 jobs succeeded: exit code "
	for name, tc := range map[string]struct {
		response, message, state string
		exit                     int
	}{
		"refused": {`404 {"error":"no hush-hush"}`, createJob + ": 404 Not Found: no [hidden]", "never started", 1},
		"a fault": {`500 {}`, createJob + ": 500 Internal Server Error; the job may run nevertheless: look on the platform before starting it again", "unknown      ", 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := splitWorld(t)
			w.responses(createJob, jobRecord(101, "created", onTheirWay), tc.response)
			if exit := w.split(); exit != tc.exit || len(w.created()) != 2 {
				t.Errorf("exit code %d after %d requests for jobs", exit, len(w.created()))
			}
			first := strings.SplitAfter(lines, "\n")
			w.wrote(first[0]+first[1]+
				"GROUP           JOB  STATE          SECONDS  MESSAGE\n"+
				"iteration 1     101  success        7        done\n"+
				"iteration 2     -    "+tc.state+"  -        "+tc.message+"\n"+
				end+string(rune('0'+tc.exit))+"\n",
				"iteration 2: "+tc.message+"\n[iteration 1] job 101: created (0s)\n[iteration 1] job 101: success (1s)\n")
		})
	}
}

func TestSplitFirstCreationFails(t *testing.T) {
	w := splitWorld(t)
	w.JSON = true
	w.responses(createJob, `404 {"error":"no"}`)
	if exit := w.split(); exit != 1 || len(w.created()) != 1 {
		t.Errorf("exit code %d after %d requests for jobs", exit, len(w.created()))
	}
	const message = createJob + ": 404 Not Found: no"
	w.wrote(`{"groups":[`+
		`{"first_iteration":1,"last_iteration":1,"state":"never started","seconds":null,"exit_code":null,"error":"`+message+`","job":null},`+
		`{"first_iteration":2,"last_iteration":2,"state":"never started","seconds":null,"exit_code":null,"error":null,"job":null},`+
		`{"first_iteration":3,"last_iteration":4,"state":"never started","seconds":null,"exit_code":null,"error":null,"job":null}`+
		`],"result":{"exit_code":1,"jobs":3,"succeeded":0,"errors":["iteration 1: `+message+`"]}}`+"\n", "iteration 1: "+message+"\n")
}

func TestSplitTimeout(t *testing.T) {
	w := splitWorld(t)
	w.runs("102", jobRecord(102, "processing", onTheirWay))
	w.runs("103", jobRecord(103, "processing", onTheirWay))
	exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: "iterations=3", Timeout: 3 * time.Second})
	if err != nil || exit != 1 {
		t.Errorf("exit code %d, %v", exit, err)
	}
	w.wrote(lines+`GROUP           JOB  STATE       SECONDS  MESSAGE
iteration 1     101  success     7        done
iteration 2     102  processing  -        it continues
iterations 3-4  103  processing  -        it continues
1 of 3 jobs succeeded: exit code 1
`, begun+`[iteration 1] job 101: success (1s)
[iteration 2] job 102: processing (1s)
[iterations 3-4] job 103: processing (1s)
stopped following after 3s; jobs 102, 103 continue: `+"`extractor job kill ID` ends one\n")
	for _, line := range w.sent {
		if strings.Contains(line, "/kill") {
			t.Errorf("sent %s", line)
		}
	}
}

// cancelOnClose is a response body that cancels its context when it is closed.
type cancelOnClose struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b cancelOnClose) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

// TestSplitInterrupted: in the middle of the creations and of the following;
// a fault that was seen before counts more.
func TestSplitInterrupted(t *testing.T) {
	for name, tc := range map[string]struct {
		first     string
		creations int
		exit      int
		stderr    string
	}{
		"following": {jobRecord(101, "created", onTheirWay), 3, 1,
			begun + "stopped following: context canceled; jobs 101, 102, 103 continue: `extractor job kill ID` ends one\n"},
		"after a fault": {jobRecord(101, "error", fault), 3, 2,
			strings.Replace(begun, "created", "error", 1) + "stopped following: context canceled; jobs 102, 103 continue: `extractor job kill ID` ends one\n"},
		"starting": {jobRecord(101, "created", onTheirWay), 1, 1,
			"iteration 2: no job was started: context canceled\n[iteration 1] job 101: created (0s)\nstopped following: context canceled; job 101 continues: `extractor job kill 101` ends it\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			w := splitWorld(t)
			records := []string{tc.first, jobRecord(102, "created", onTheirWay), jobRecord(103, "created", onTheirWay)}
			w.transport.RegisterResponder("POST", queue+"/jobs", func(*http.Request) (*http.Response, error) {
				n := len(w.created())
				w.sent = append(w.sent, "POST /jobs {}")
				response := httpmock.NewStringResponse(201, records[n])
				response.Header.Set("Content-Type", "application/json")
				if n+1 == tc.creations && tc.creations < len(records) {
					// httpmock lets a cancellation race with the responder, so it comes when the body was read.
					response.Body = cancelOnClose{response.Body, cancel}
				}
				return response, nil
			})
			w.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
			exit, err := w.Run(ctx, Run{Configuration: "12", Split: "iterations=3"})
			if err != nil || exit != tc.exit || len(w.created()) != tc.creations {
				t.Errorf("exit code %d, %v after %d requests for jobs", exit, err, len(w.created()))
			}
			if w.progress.String() != tc.stderr {
				t.Errorf("progress:\n%s\nwant:\n%s", w.progress.String(), tc.stderr)
			}
		})
	}
}

// TestSplitFollowingFails: one job that cannot be read ends the following of
// all, as it does for a single job.
func TestSplitFollowingFails(t *testing.T) {
	w := splitWorld(t)
	w.runs("102", `500 {}`)
	if exit := w.split(); exit != 2 {
		t.Errorf("exit code %d", exit)
	}
	if want := "500 Internal Server Error; jobs 102, 103 continue: `extractor job kill ID` ends one\n"; !strings.HasSuffix(w.progress.String(), want) {
		t.Errorf("progress: %s", w.progress.String())
	}
	if !strings.Contains(w.out.String(), "iteration 2     102  created  -        it continues\n") {
		t.Errorf("out: %s", w.out.String())
	}
}

// TestSplitDocumentIsJSON: also with texts that are not.
func TestSplitDocumentIsJSON(t *testing.T) {
	w := splitWorld(t)
	w.JSON = true
	w.runs("101", jobRecord(101, "error", `,"isFinished":true,"result":{"message":"a \"quoted\"\nhush-hush"}`))
	w.split()
	var result struct {
		Groups []struct{ Job struct{ Message string } }
	}
	if err := json.Unmarshal(w.out.Bytes(), &result); err != nil || result.Groups[0].Job.Message != "a \"quoted\"\n[hidden]" {
		t.Errorf("%v: %s", err, w.out.String())
	}
}

// TestSplitFailsTwice: the error of a creation decides the exit code, not the error
// of following after it. Both are reported.
func TestSplitFailsTwice(t *testing.T) {
	w := splitWorld(t)
	w.JSON = true
	w.responses(createJob, jobRecord(101, "created", onTheirWay), `500 {}`)
	w.runs("101", jobRecord(101, "processing", onTheirWay))
	exit, err := w.Run(context.Background(), Run{Configuration: "12", Split: "iterations", Timeout: time.Second})
	if err != nil || exit != 2 {
		t.Errorf("exit code %d, %v", exit, err)
	}
	want := `],"result":{"exit_code":2,"jobs":4,"succeeded":0,"errors":["iteration 2: ` + createJob +
		`: 500 Internal Server Error; the job may run nevertheless: look on the platform before starting it again",` +
		"\"stopped following after 1s; job 101 continues: `extractor job kill 101` ends it\"]}}\n"
	if !strings.HasSuffix(w.out.String(), want) {
		t.Errorf("out: %s", w.out.String())
	}
}
