package sandbox

import "time"

// Engine starts the component: Process or Docker.
type Engine interface {
	// LogServer returns where the log server of a run listens (host:port, port 0
	// for any), and the host under which the component reaches it.
	LogServer() (listen, host string)
	// Start starts the component. After an error nothing is running or left behind.
	Start(Launch) (Component, error)
}

// Launch is what an engine needs to start a component.
type Launch struct {
	// Name is unique on this machine.
	Name string
	// Data is the data directory, Temp a directory for temporary files. Both are
	// absolute.
	Data, Temp string
	// Args returns the arguments for the component, which sees its data directory at
	// this path; nil is none.
	Args func(data string) []string
	// Env is the environment, except for what only the engine knows: the data
	// directory and the temporary directory as the component sees them.
	Env map[string]string
	// Stdout and Stderr receive the output in pieces. A piece is valid during the
	// call only. Both may be called at the same time.
	Stdout, Stderr func(piece []byte)
}

// Component is a started component. Wait is called exactly once. Stop and Kill may
// be called while it waits, and have no effect after the end of the component.
type Component interface {
	// Wait waits for the end of the component, of everything it started and of its
	// output, and releases what the engine holds for it.
	Wait() (code int, outOfMemory bool, err error)
	// Stop asks the component to end. It may return when the component has ended or
	// the grace has passed.
	Stop(grace time.Duration) error
	// Kill ends it at once.
	Kill() error
}

// args are the arguments for a component that sees its data directory at this path.
func (l Launch) args(data string) []string {
	if l.Args == nil {
		return nil
	}
	return l.Args(data)
}
