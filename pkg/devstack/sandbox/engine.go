package sandbox

import "time"

// Engine starts the component. Its implementations are Process and Docker.
type Engine interface {
	// LogServer returns the address of the log server of a run (host:port, port 0 for any
	// free port), and the host that the component uses for it.
	LogServer() (listen, host string)
	// Start starts the component. After an error no process or container is left.
	Start(Launch) (Component, error)
}

// Launch describes a component to start.
type Launch struct {
	// Name is unique on this machine.
	Name string
	// Data is the data directory and Temp a directory for temporary files. Both are
	// absolute.
	Data, Temp string
	// Args returns the arguments of the component. data is the path of the data directory
	// as the component sees it. Args may be nil.
	Args func(data string) []string
	// Env is the environment without the variables that only the engine knows: the data
	// directory and the temporary directory as the component sees them.
	Env map[string]string
	// Stdout and Stderr receive the output in pieces. A piece is valid until the function
	// returns. Both may be called concurrently.
	Stdout, Stderr func(piece []byte)
}

// Component is a started component. Wait must be called exactly once. Stop and Kill may be
// called during Wait, and have no effect after the end of the component.
type Component interface {
	// Wait waits for the end of the component, of all processes it started and of its
	// output, and releases the resources of the engine.
	Wait() (code int, outOfMemory bool, err error)
	// Stop requests the end of the component. It may return when the component has ended or
	// the grace period has passed.
	Stop(grace time.Duration) error
	// Kill kills the component.
	Kill() error
}

func (l Launch) args(data string) []string {
	if l.Args == nil {
		return nil
	}
	return l.Args(data)
}
