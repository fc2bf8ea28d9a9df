package event

// Level is how important an event is.
type Level string

// The levels in use. Events that a person asks for with `config.debug` are
// Info. Debug events are sent over GELF only, where the platform drops them. Trace
// events are for the report of a run only: no sink gets them, see Log.Trace.
const (
	Trace Level = "trace"
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Body is one kind of event. Its exported fields, under their JSON names, are
// the fields of the event, which docs/events.md explains: a test compares them.
// Message alone must say to a person what happened. Job is always the endpoint of
// a job as configured, JobPointer its place in the configuration, and Iteration
// counts from 1 and is 0 when there is only one; pages count from 1, too.
type Body interface {
	Kind() string
	Level() Level
	Message() string
}

// Bodies is one empty body of every kind, in the order of the reference
// (docs/events.md), which a test compares with it.
func Bodies() []Body {
	return []Body{
		RunStarted{}, VariablesReplaced{}, ConfigWarning{}, StateWarning{},
		LoginDone{}, RequestSent{}, RequestAnswered{}, RequestRetried{}, CredentialsWithheld{}, ResponseIgnored{}, ResponseCleaned{},
		DataEmpty{}, MappingWarning{}, JobProgress{}, JobFinished{}, JobUnfinished{},
		ResponseErrors{}, PagingStalled{}, PagingUnread{}, PagingRepeated{}, DataMissing{}, JobShort{}, WarningsOmitted{},
		TableWritten{}, TableDrifted{},
		RunFinished{}, RunCut{}, RunFailed{},
	}
}
