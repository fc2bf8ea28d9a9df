package event

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// TestRunFinished: if data may be missing, the last event is a warning that says so,
// and its message contains the number.
func TestRunFinished(t *testing.T) {
	tests := map[string]struct {
		incomplete int
		level      Level
		message    string
	}{
		"complete":     {0, Info, "Extraction finished: 270 rows, 2 tables, 1 request"},
		"one finding":  {1, Warn, "Extraction finished, incomplete: 270 rows, 2 tables, 1 request; 1 warning says that data may be missing"},
		"two findings": {2, Warn, "Extraction finished, incomplete: 270 rows, 2 tables, 1 request; 2 warnings say that data may be missing"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := RunFinished{Rows: 270, Tables: 2, Requests: 1, Incomplete: tt.incomplete}
			if got := e.message(); got != tt.message || e.Level() != tt.level {
				t.Errorf("got  %s %q\nwant %s %q", e.Level(), got, tt.level, tt.message)
			}
			if got := IncompleteIn(e.message()); got != tt.incomplete {
				t.Errorf("the message is read as %d", got)
			}
			var lines bytes.Buffer
			log := NewLog(NewJSON(&lines), &secret.Registry{}, atNoon)
			log.Emit(JobFinished{Job: "users"})
			log.Emit(e)
			if got := IncompleteIn(lines.String()); got != tt.incomplete {
				t.Errorf("the lines of JSON are read as %d:\n%s", got, &lines)
			}
		})
	}
}

// TestTheTerminalSaysIncomplete: the last line of a run shows it as a warning.
func TestTheTerminalSaysIncomplete(t *testing.T) {
	var lines bytes.Buffer
	log := NewLog(NewConsole(&lines, true), &secret.Registry{}, atNoon)
	log.Emit(RunFinished{Rows: 15, Tables: 1, Requests: 3, Incomplete: 1})
	const want = "\x1b[2m12:30:45\x1b[0m \x1b[1;33mWARN \x1b[0m Extraction finished, incomplete: 15 rows, 1 table, 3 requests; 1 warning says that data may be missing \x1b[2mseconds=0\x1b[0m \x1b[2mbytes=0\x1b[0m\n"
	if got := lines.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestIncompleteInOtherTexts: a text of an API is not read as the end of a run.
func TestIncompleteInOtherTexts(t *testing.T) {
	const end = "Extraction finished, incomplete: 1 row, 1 table, 1 request; 2 warnings say that data may be missing"
	for _, text := range []string{
		"", "Extraction finished: 1 row, 1 table, 1 request", "Job users: page 1 has no data, but the API reports errors: " + end,
		`{"event":"response.errors","message":"Job users: the API reports errors: ` + end + `"}`,
		`{"event":"response.errors","message":"the API reports errors: {\"message\":\"` + end + `\"}"}`,
		"Extraction finished, incomplete: 1 row; 99999999999999999999 warnings say that data may be missing",
	} {
		if got := IncompleteIn(text); got != 0 {
			t.Errorf("%d is read from %q", got, text)
		}
	}
}

// TestRemainingIn: the rest is read from the message of the last event, also in a line of
// JSON, and from no other text.
func TestRemainingIn(t *testing.T) {
	rest := []string{`job "a": 3 of 5 windows left, the next run continues at 1`, "job b: 1 of 2 windows left for the next run"}
	end := RunFinished{Rows: 1, Incomplete: 1, Failed: []string{"c"}, Remaining: rest}
	want := rest[0] + "; " + rest[1]
	if got := RemainingIn(end.message()); got != want {
		t.Errorf("got %q", got)
	}
	var lines bytes.Buffer
	log := NewLog(NewJSON(&lines), &secret.Registry{}, atNoon)
	log.Emit(JobFinished{Job: "users"})
	log.Emit(end)
	if got := RemainingIn(lines.String()); got != want {
		t.Errorf("got %q from\n%s", got, &lines)
	}
	if got := IncompleteIn(lines.String()); got != 1 {
		t.Errorf("%d findings", got)
	}
	for _, text := range []string{"", "Extraction finished: 1 row", "Job users: the API says: " + end.message(), `{"message":"the API says {\"message\":\"` + "Extraction finished; to be continued: x" + `\"}"}`} {
		if got := RemainingIn(text); got != "" {
			t.Errorf("%q is read from %q", got, text)
		}
	}
}

// TestManyRemaining: the message of the last event stays short.
func TestManyRemaining(t *testing.T) {
	e := RunFinished{Remaining: slices.Repeat([]string{"job a"}, 1000), Failed: slices.Repeat([]string{"b"}, 11)}
	if got := e.message(); !strings.HasSuffix(got, "; job a; and 990 more") || !strings.Contains(got, "; failed: b, b, b, b, b, b, b, b, b, b, and 1 more; ") {
		t.Errorf("%s", got)
	}
}
