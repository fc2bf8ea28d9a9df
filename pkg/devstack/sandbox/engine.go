package sandbox

import "time"

// Engine starts the component. Process and Docker are the two there are.
type Engine interface {
	// LogServer tells where the log server of a run listens (host:port, port 0
	// for any that is free), and the host under which the component finds it.
	LogServer() (listen, host string)
	// Start starts the component. An error means that it is not running and
	// that nothing of it is left.
	Start(Launch) (Component, error)
}

// Launch is what an engine needs to start a component.
type Launch struct {
	// Name is a name that no other run of this machine has.
	Name string
	// Data is the data directory, Temp a directory for scratch files. Both are
	// absolute.
	Data, Temp string
	// Env is the whole environment but what only the engine knows: the data
	// directory and the scratch directory as the component sees them.
	Env map[string]string
	// Stdout and Stderr are given the output, piece by piece; the piece is valid
	// during the call only. The two may be called at the same time.
	Stdout, Stderr func(piece []byte)
}

// Component is a component that was started. Wait is called exactly once; Stop
// and Kill may be called while it waits, and do no harm when the component is
// gone already.
type Component interface {
	// Wait waits until the component, everything it started and its output have
	// ended, and releases what the engine held for it.
	Wait() (code int, outOfMemory bool, err error)
	// Stop asks the component to end, and may take until it has done so or until
	// the grace has passed.
	Stop(grace time.Duration) error
	// Kill ends it at once.
	Kill() error
}
