package event

import "reflect"

// Level is the severity of an event.
type Level string

// The levels of events. Events that `config.debug` enables have the level Info. Debug
// events are sent over GELF only; the platform drops them. Trace events are only for the
// report of a run and never reach a sink. See Log.Trace.
const (
	Trace Level = "trace"
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Body is the body of one kind of event: a struct that embeds debug, info, warn, failed,
// finding or completeFinding with the tag `kind`, and then has the fields of the event. A body
// with a level of its own has the tag at a blank field. The types of the fields are string,
// []string, bool, int, int64 and float64. They have two tags:
//
//   - json: the name, with omitempty for optional fields, or "-" for values that are not part
//     of the event;
//   - console: "-" if a terminal never shows the field, because it is for programs. Other
//     fields are shown there unless they are empty or the message shows them.
//
// The message must be understandable without the fields. In all bodies, Job is the endpoint
// of a job as configured and JobPointer is the JSON pointer of the job. Iteration counts from
// 1 and is 0 if the run has only one. Pages count from 1.
type Body interface {
	Level() Level
	message() string
}

type (
	debug  struct{}
	info   struct{}
	warn   struct{}
	failed struct{}
)

func (debug) Level() Level  { return Debug }
func (info) Level() Level   { return Info }
func (warn) Level() Level   { return Warn }
func (failed) Level() Level { return Error }

// KindOf returns the name of the kind of a body.
func KindOf(body Body) string { return reflect.TypeOf(body).Field(0).Tag.Get("kind") }

// MessageOf returns the message of a body. It may contain secrets.
func MessageOf(body Body) string { return body.message() }

// Finding is an event that reports that data may be missing from the tables, although no
// request failed. A run counts its findings. With `config.onIncomplete: fail` the first
// finding ends the run. Most findings are emitted once for each job; findings about tables
// are emitted once for each column or table. All findings have the fields Job, JobPointer and
// Iteration.
type Finding interface {
	Body
	rowsComplete() bool
}

// finding is embedded by findings after which the remembered values of the job are not
// updated, see StateHeld.
type finding struct{ warn }

// completeFinding is embedded by findings about keys, columns or characters: requesting the
// same rows again would not help.
type completeFinding struct{ warn }

func (finding) rowsComplete() bool         { return false }
func (completeFinding) rowsComplete() bool { return true }

// RowsComplete reports whether no rows are missing according to a finding.
func RowsComplete(f Finding) bool { return f.rowsComplete() }

// SettingOf returns the JSON pointer of the setting to check after a finding: its field
// Pointer, or the job.
func SettingOf(f Finding) string {
	if pointer := reflect.ValueOf(f).FieldByName("Pointer"); pointer.IsValid() {
		return pointer.String()
	}
	_, pointer, _ := JobOf(f)
	return pointer
}

// JobOf returns the job of a finding.
func JobOf(f Finding) (endpoint, pointer string, iteration int) {
	v := reflect.ValueOf(f)
	return v.FieldByName("Job").String(), v.FieldByName("JobPointer").String(), int(v.FieldByName("Iteration").Int())
}

// Bodies returns an empty body of every kind, in the order of docs/reference/events.md.
//
// To add an event, write its body in the file kinds_*.go of its subject and list it here.
// Describe it in docs/reference/events.md, and in pkg/diagnostic/events.go with
// advice for the user. Tests compare these with the list. Expect the event in a case in
// tests/functional/cases.
func Bodies() []Body {
	return []Body{
		LogUnreached{}, RunStarted{}, VariablesReplaced{}, ConfigWarning{}, StateWarning{}, StateReused{}, StateRead{},
		LoginDone{}, LoginRepeated{}, StateUnsaved{}, RequestSent{}, RequestAnswered{}, RequestRetried{}, JobWaiting{}, CredentialsWithheld{}, ResponseIgnored{}, ResponseSkipped{}, JobRestarted{},
		WindowStarted{}, WindowsLeft{}, PagingRound{}, DataEmpty{}, MappingWarning{}, JobProgress{}, jobLive{}, JobFinished{}, JobUnfinished{},
		JobFailed{}, ResponseErrors{}, PagingStalled{}, PagingUnread{}, PagingGap{}, PagingRepeated{}, DataMissing{}, JobShort{}, ResponseCleaned{}, ResponseDelimiter{},
		ItemsTruncated{}, ColumnMissing{}, KeyEmpty{}, CellsMismatched{}, WarningsOmitted{},
		TableRetyped{}, TableWritten{}, FilesWritten{}, FilesReplayed{}, TableDrifted{}, StateRemembered{}, StateHeld{}, TableMerging{}, TableMerged{},
		RunFinished{}, RunCut{}, RunFailed{},
	}
}
