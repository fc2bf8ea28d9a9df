package sandbox

import (
	"encoding/json"
	"time"
)

// Spec describes a run.
type Spec struct {
	// Config is the text of config.json.
	Config []byte
	// State is the text of in/state.json. If it is nil, {} is used.
	State []byte
	// Files are linked into the directory FilesDir of the data directory. The keys are the
	// names of the links and the values the paths of the files. If Args is set, the
	// directory exists even without files.
	Files map[string]string
	// Args returns the arguments of the component. data is the path of the data directory
	// as the component sees it. Args may be nil.
	Args func(data string) []string
	// Env is the environment of the run (KBC_RUNID, KBC_PROJECTID, …). The sandbox sets
	// KBC_DATADIR and KBC_LOGGER_….
	Env map[string]string
	// Timeout is the time after which the component is killed. 0 is no limit.
	Timeout time.Duration
	// Secrets are masked in every record and in the message: unchanged, in base64, and with
	// JSON escapes.
	Secrets []string
}

// The types of records.
const (
	Info  = "info"
	Warn  = "warn"
	Error = "error"
	// Debug is a level that the platform does not show. A record with this type is not an
	// event of a job, but it contains requests for the web UI.
	Debug = "debug"
)

// Record is a message of the component. It is an event of the job unless its type is Debug.
type Record struct {
	// Time is the time of arrival.
	Time time.Time
	// Type is one of Info, Warn, Error and Debug.
	Type string
	// Message has 1 to 4000 characters, no secrets and no surrounding white space.
	Message string
	// Fields is a JSON object with the additional fields of a GELF message, in order and
	// without the underscore. Values are strings, objects or arrays. It may be nil.
	Fields json.RawMessage
}

// Exit is the result of a run.
type Exit struct {
	// Code is the exit code of the component, or 128 plus the number of the signal that
	// ended it.
	Code int
	// Message explains a code other than 0. It is the first of these that is not empty:
	// stderr, stdout, the last GELF message of level warning or worse, a standard text. It
	// has at most 4000 characters.
	Message string
	// TimedOut is true if the component was killed because of the timeout.
	TimedOut bool
	// OutOfMemory is true if the component was killed because of its memory, as far as the
	// engine can detect it. Process cannot.
	OutOfMemory bool
}
