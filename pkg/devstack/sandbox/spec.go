package sandbox

import (
	"encoding/json"
	"time"
)

// Spec is what one run is given.
type Spec struct {
	// Config is the text of config.json, written as it is.
	Config []byte
	// State is the text of in/state.json; nil is {}.
	State []byte
	// Env is the environment of the run (KBC_RUNID, KBC_PROJECTID, …). KBC_DATADIR
	// and KBC_LOGGER_… are set by the sandbox.
	Env map[string]string
	// Timeout is how long the component may run; after it, it is killed without
	// a warning. 0 is without end.
	Timeout time.Duration
	// Secrets are masked in every record and in the message: as they are, in
	// base64, and as they are spelled inside JSON.
	Secrets []string
}

// The types of records.
const (
	Info  = "info"
	Warn  = "warn"
	Error = "error"
	// Debug is the level that the platform shows to nobody. Such a record is no
	// event of a job; it is given for those who want to see requests.
	Debug = "debug"
)

// Record is one thing the component said: an event of the job, unless its type
// is Debug.
type Record struct {
	// Time is when it arrived.
	Time time.Time
	// Type is one of Info, Warn, Error and Debug.
	Type string
	// Message has no secrets, 1 to 4000 characters, and no white space around it.
	Message string
	// Fields is a JSON object with the additional fields of a GELF message, in
	// their order, without the underscore of their names; every value that is no
	// object or array is a string. nil when there are none.
	Fields json.RawMessage
}

// Exit tells how a run ended.
type Exit struct {
	// Code is the exit code of the component; 128 and the number of the signal
	// when one ended it.
	Code int
	// Message is what a failed component had to say, for a code other than 0:
	// its stderr, else its stdout, else its last GELF message of level warning
	// or worse, else a sentence that there is none. At most 4000 characters.
	Message string
	// TimedOut tells that the component was killed for running too long.
	TimedOut bool
	// OutOfMemory tells that it was killed for using too much memory, as far as
	// the engine knows: Process never does.
	OutOfMemory bool
	// Seconds is how long the component ran.
	Seconds float64
}
