// Package sandbox runs the component once, in a data directory of its own, as the
// platform's runner does: it prepares the directory and the environment, limits
// time and memory, turns output into events as it comes, and returns the exit code
// and the message for the user.
//
// Nothing outlives a run: when Run returns, no process, goroutine, listener or open
// file is left, only the directory, which the caller reads and removes. By then the
// caller has received everything that the component wrote before its end, in the
// same order. Memory does not depend on how much a component prints. No secret of
// the run is in a record, a message, or the arguments of a process.
//
// An Engine starts the component: Process runs a program, Docker an image. The
// package knows nothing of jobs and configurations, does not decide what an exit
// code means for a job, and stores nothing.
package sandbox
