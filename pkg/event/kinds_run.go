package event

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// RunStarted is the first event of a run. Its message shows Iterations if there are several.
type RunStarted struct {
	info       `kind:"run.started"`
	Version    string `json:"version"`
	Jobs       int    `json:"jobs"`
	Iterations int    `json:"iterations" console:"-"`
}

func (e RunStarted) message() string {
	s := fmt.Sprintf("Extraction started: %s", textfmt.Count(e.Jobs, "job"))
	if e.Iterations > 1 {
		s += fmt.Sprintf(" in %d iterations", e.Iterations)
	}
	return s
}

// VariablesReplaced lists the names of the {{variables}} that were replaced, without their
// values.
type VariablesReplaced struct {
	info   `kind:"variables.replaced"`
	Names  []string `json:"names"`
	Source string   `json:"source"`
}

func (e VariablesReplaced) message() string {
	return "Replaced values for variables: " + strings.Join(e.Names, ", ")
}

// ConfigWarning reports a problem of the configuration that does not stop the run.
type ConfigWarning struct {
	warn    `kind:"config.warning"`
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
}

func (e ConfigWarning) message() string {
	if e.Pointer == "" { // about the whole document or the command line
		return "Configuration: " + e.Text
	}
	return "Configuration: " + e.Pointer + ": " + e.Text
}

// LogUnreached reports why the events go to standard output instead of the log server of
// the platform.
type LogUnreached struct {
	warn `kind:"log.unreached"`
	Text string `json:"text"`
}

func (e LogUnreached) message() string {
	return "The events go to standard output and not to the log server: " + e.Text
}

// StateWarning reports why in/state.json could not be used.
type StateWarning struct {
	warn `kind:"state.warning"`
	Text string `json:"text"`
}

func (e StateWarning) message() string { return "State of the previous run: " + e.Text }

// StateReused reports that a run outside the platform starts from out/state.json.
type StateReused struct {
	info    `kind:"state.reused"`
	Path    string `json:"path"`
	Started string `json:"started,omitempty"`
}

func (e StateReused) message() string {
	run := "the last successful run"
	if e.Started != "" {
		run = "the run of " + e.Started
	}
	return fmt.Sprintf("Continuing after %s: its state is read from %s; --full starts without it", run, e.Path)
}

// StateRead reports the value that earlier runs stored under a name, at the start of an
// iteration. Values is the number of values if the name has one for each combination of
// placeholders.
type StateRead struct {
	info      `kind:"state.read"`
	Name      string `json:"name"`
	Value     string `json:"value,omitempty"`
	Values    int    `json:"values,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
}

func (e StateRead) message() string {
	return fmt.Sprintf("Remembered by an earlier run: %s%s", e.Name, valueOrCount(e.Value, e.Values))
}

// StateRemembered reports the value that a run stores under a name for the next run, and
// the value before.
type StateRemembered struct {
	info      `kind:"state.remembered"`
	Name      string `json:"name"`
	Value     string `json:"value,omitempty"`
	Before    string `json:"before,omitempty"`
	Values    int    `json:"values,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	Pointer   string `json:"pointer"`
}

func (e StateRemembered) message() string {
	text := fmt.Sprintf("Remembered for the next run: %s%s", e.Name, valueOrCount(e.Value, e.Values))
	switch {
	case e.Values > 0:
		return text
	case e.Before == "":
		return text + ", no value before"
	case e.Before == e.Value:
		return text + ", as before"
	default:
		return text + ", previously " + e.Before
	}
}

// StateHeld reports that Names keep the values of earlier runs, or of earlier windows,
// because rows of a job may be missing. Finding is the kind of the finding. Start is true
// if the start of the previous run is kept too. A job emits it once.
type StateHeld struct {
	info       `kind:"state.held"`
	Job        string   `json:"job"`
	Finding    string   `json:"finding"`
	Names      []string `json:"names"`
	Start      bool     `json:"previousStart,omitempty"`
	Pointer    string   `json:"pointer"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
}

func (e StateHeld) message() string {
	var held []string
	for _, name := range e.Names {
		held = append(held, "'"+name+"'")
	}
	if e.Start {
		held = append(held, "previousStart")
	}
	verb := "does"
	if len(held) > 1 {
		verb = "do"
	}
	return fmt.Sprintf("Job %s: rows may be missing (%s), so %s %s not advance past them, and the next run requests them again", e.Job, e.Finding, strings.Join(held, ", "), verb)
}

func valueOrCount(value string, count int) string {
	if count > 0 {
		return ": " + textfmt.Count(count, "value")
	}
	return " = " + value
}

// RunFinished is the last event of a successful run.
type RunFinished struct {
	_          struct{} `kind:"run.finished"`
	Seconds    float64  `json:"seconds"`
	Requests   int      `json:"requests"`
	Bytes      int64    `json:"bytes"`
	Rows       int      `json:"rows"`
	Tables     int      `json:"tables"`
	Files      int      `json:"files,omitempty"`
	Incomplete int      `json:"incomplete,omitempty"`
	// Failed are the jobs that failed and wrote no tables. Remaining describes the
	// windows that are left for the next run.
	Failed    []string `json:"failed,omitempty"`
	Remaining []string `json:"remaining,omitempty"`
}

func (e RunFinished) Level() Level {
	if e.Incomplete > 0 {
		return Warn
	}
	return Info
}

// message returns the totals of the run. IncompleteIn parses this text.
func (e RunFinished) message() string {
	size := sizeOfRun(e.Rows, e.Tables, e.Files, e.Requests)
	s := "Extraction finished: " + size
	if e.Incomplete > 0 {
		s = fmt.Sprintf("%s%s; %s", finishedIncomplete, size, MayBeMissing(e.Incomplete))
	}
	if len(e.Failed) > 0 {
		s += "; failed: " + strings.Join(shown(e.Failed), ", ")
	}
	if len(e.Remaining) > 0 {
		s += remainingMark + strings.Join(shown(e.Remaining), "; ")
	}
	return s
}

// remainingMark is in front of RunFinished.Remaining in the message.
const remainingMark = "; to be continued: "

// mostShown is the maximum number of jobs in the message of a RunFinished.
const mostShown = 10

// shown returns the first items of a list, and the number of the others.
func shown(all []string) []string {
	if len(all) <= mostShown {
		return all
	}
	return append(slices.Clone(all[:mostShown]), fmt.Sprintf("and %d more", len(all)-mostShown))
}

// finishedIncomplete is the prefix of the message if Incomplete is not 0.
const finishedIncomplete = "Extraction finished, incomplete: "

// MayBeMissing returns RunFinished.Incomplete as a phrase.
func MayBeMissing(incomplete int) string {
	if incomplete == 1 {
		return "1 warning says that data may be missing"
	}
	return fmt.Sprintf("%d warnings say that data may be missing", incomplete)
}

// finishedMessage matches the message of a RunFinished, or the line of JSON that contains
// it, and captures the number. In a JSON text, quotes in data are escaped with a backslash.
var finishedMessage = regexp.MustCompile(`(?:^|"message":")` + finishedIncomplete + `[^"]*; ([0-9]+) warnings? says? that data may be missing`)

// IncompleteIn returns RunFinished.Incomplete from the message of a platform event, or 0
// for other messages. A platform may drop the fields of an event, and without a log server
// its messages are lines of JSON.
func IncompleteIn(message string) int {
	match := finishedMessage.FindStringSubmatch(message)
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return 0 // more digits than the number of any run
	}
	return n
}

// finishedText matches the message of a RunFinished in the line of JSON that contains it.
var finishedText = regexp.MustCompile(`"message":("Extraction finished(?:[^"\\]|\\.)*")`)

// RemainingIn returns RunFinished.Remaining from the message of a platform event, or "" for
// other messages, see IncompleteIn.
func RemainingIn(message string) string {
	if match := finishedText.FindStringSubmatch(message); match != nil {
		if err := json.Unmarshal([]byte(match[1]), &message); err != nil {
			return ""
		}
	}
	if !strings.HasPrefix(message, "Extraction finished") {
		return ""
	}
	_, rest, _ := strings.Cut(message, remainingMark)
	return rest
}

// RunCut is the last event of a run that reached a limit of a flag. Its tables are valid
// files with the data up to that point.
type RunCut struct {
	warn     `kind:"run.cut"`
	Budget   string  `json:"budget"`
	Limit    float64 `json:"limit"`
	Reached  float64 `json:"reached"`
	Job      string  `json:"job"`
	Pointer  string  `json:"pointer"`
	Seconds  float64 `json:"seconds"`
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"`
	Rows     int     `json:"rows"`
	Tables   int     `json:"tables"`
	Files    int     `json:"files,omitempty"`
}

func (e RunCut) message() string {
	why := fmt.Sprintf("--%s was reached at job %s", e.Budget, e.Job)
	if e.Budget == "sample" {
		why = fmt.Sprintf("--sample took the first %g items of every run of a job", e.Limit)
	}
	return fmt.Sprintf("Extraction cut: %s; %s; the state was not written", why, sizeOfRun(e.Rows, e.Tables, e.Files, e.Requests))
}

func sizeOfRun(rows, tables, files, requests int) string {
	written := textfmt.Count(tables, "table")
	if files > 0 {
		written += ", " + textfmt.Count(files, "file")
	}
	return fmt.Sprintf("%s, %s, %s", textfmt.Count(rows, "row"), written, textfmt.Count(requests, "request"))
}

// RunFailed is the last event of a failed run.
type RunFailed struct {
	failed    `kind:"run.failed"`
	Error     string `json:"error"`
	ErrorKind string `json:"kind"`
	Pointer   string `json:"pointer,omitempty"`
	Problems  string `json:"problems,omitempty" console:"-"`
}

func (e RunFailed) message() string { return e.Error }
