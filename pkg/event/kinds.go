package event

// Level is how important an event is.
type Level string

// Events that `config.debug` turns on have the level Info. Debug
// events are sent over GELF only, where the platform drops them. Trace events are
// for the report of a run only; no sink gets them. See Log.Trace.
const (
	Trace Level = "trace"
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Body is one kind of event. Its exported fields, under their JSON names, are the
// fields of the event; a test compares them with docs/reference/events.md. Message alone must
// say what happened. Job is the endpoint of a job as configured, JobPointer its
// place in the configuration. Iteration counts from 1 and is 0 if there is only
// one. Pages count from 1.
type Body interface {
	Kind() string
	Level() Level
	Message() string
}

// Bodies returns one empty body of every kind, in the order of docs/reference/events.md,
// which a test compares.
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
