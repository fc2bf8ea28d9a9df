// Package sandbox runs the component once, in a data directory of its own, the
// way the platform's runner does: the directory laid out before the start, the
// environment of the run and nothing else, limits on time and memory, the
// component's output taken as events while it comes, and the exit code told
// together with the message a user would be shown.
//
// It promises that nothing outlives a run: no process, goroutine, listener or
// open file is left when Run returns, only the directory, which the caller
// reads and removes. Everything the component has said before its end has been
// given to the caller by then, in the order in which it came. Memory does not
// depend on how much a component prints. No secret of the run is in a record, a
// message, or the arguments of a process.
//
// How the component is started is the Engine's: Process runs a program, Docker
// an image. The package does not know what a job or a configuration is, does
// not decide what an exit code means for a job, and stores nothing.
package sandbox
