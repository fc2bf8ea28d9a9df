package sandbox

import (
	"encoding/json"
	"time"
)

// Spec is the input of a run.
type Spec struct {
	// Config is the text of config.json.
	Config []byte
	// State is the text of in/state.json; nil is {}.
	State []byte
	// Files are linked into the directory FilesDir of the data directory: their
	// paths by the names there. If the spec has Args, the directory is there without
	// files too.
	Files map[string]string
	// Args returns arguments for the component, which sees its data directory at this
	// path; nil is none.
	Args func(data string) []string
	// Env is the environment of the run (KBC_RUNID, KBC_PROJECTID, …). The sandbox
	// sets KBC_DATADIR and KBC_LOGGER_….
	Env map[string]string
	// Timeout is how long the component may run before it is killed; 0 is no limit.
	Timeout time.Duration
	// Secrets are masked in every record and in the message: as they are, in
	// base64, and with JSON escapes.
	Secrets []string
}

// The types of records.
const (
	Info  = "info"
	Warn  = "warn"
	Error = "error"
	// Debug is a level that the platform does not show. Such a record is not an event
	// of a job, but it contains requests to look at.
	Debug = "debug"
)

// Record is one message of the component: an event of the job, unless its type is
// Debug.
type Record struct {
	// Time is when it arrived.
	Time time.Time
	// Type is one of Info, Warn, Error and Debug.
	Type string
	// Message has 1 to 4000 characters, no secrets and no white space around it.
	Message string
	// Fields is a JSON object with the additional fields of a GELF message, in
	// their order and without the underscore. Values are strings, objects or
	// arrays. nil is none.
	Fields json.RawMessage
}

// Exit is how a run ended.
type Exit struct {
	// Code is the exit code of the component, 128 plus the number after a signal.
	Code int
	// Message explains a code other than 0: stderr, else stdout, else the last GELF
	// message of level warning or worse, else a standard text. At most 4000
	// characters.
	Message string
	// TimedOut says that the component was killed because it ran too long.
	TimedOut bool
	// OutOfMemory says that it was killed because of its memory, as far as the
	// engine knows; Process does not.
	OutOfMemory bool
}
