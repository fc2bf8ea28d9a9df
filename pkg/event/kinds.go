package event

type Level string

// The levels in use. What `config.debug` asks a person to see is info; Debug is
// for programs that look closer: it goes over GELF only, where the platform drops
// it. Trace is what only the report of a run wants to know: no sink gets it, see
// Log.Trace.
const (
	Trace Level = "trace"
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Body is one kind of event. Its exported fields, under their JSON names, are
// the fields of the event; Message alone must tell a person what happened.
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
