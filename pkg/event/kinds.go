package event

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

// Body is the body of one kind of event. Its exported fields, with their JSON names, are
// the fields of the event. A test compares them with docs/reference/events.md. Message must
// be understandable without the fields. In all bodies, Job is the endpoint of a job as
// configured and JobPointer is the JSON pointer of the job. Iteration counts from 1 and is
// 0 if the run has only one. Pages count from 1.
type Body interface {
	Kind() string
	Level() Level
	Message() string
}

// Bodies returns an empty body of every kind, in the order of docs/reference/events.md.
//
// To add an event, write its body in the file kinds_*.go of its subject and list it here.
// Describe it in docs/reference/events.md, and in pkg/authoring/diagnostic/events.go with
// advice for the user. Tests compare these with the list. Expect the event in a case in
// tests/functional/cases.
func Bodies() []Body {
	return []Body{
		LogUnreached{}, RunStarted{}, VariablesReplaced{}, ConfigWarning{}, StateWarning{}, StateReused{}, StateRead{},
		LoginDone{}, StateUnsaved{}, RequestSent{}, RequestAnswered{}, RequestRetried{}, JobWaiting{}, CredentialsWithheld{}, ResponseIgnored{}, ResponseSkipped{}, JobRestarted{},
		WindowStarted{}, DataEmpty{}, MappingWarning{}, JobProgress{}, JobLive{}, JobFinished{}, JobUnfinished{},
		ResponseErrors{}, PagingStalled{}, PagingUnread{}, PagingRepeated{}, DataMissing{}, JobShort{}, ResponseCleaned{}, ResponseDelimiter{},
		ItemsTruncated{}, ColumnMissing{}, KeyEmpty{}, WarningsOmitted{},
		TableWritten{}, TableDrifted{}, StateRemembered{}, StateHeld{}, TableMerging{}, TableMerged{},
		RunFinished{}, RunCut{}, RunFailed{},
	}
}
