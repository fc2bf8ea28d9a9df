// Package sandbox runs the component once, in a data directory of its own, like the runner
// of the platform. It prepares the directory and the environment, limits time and memory,
// converts output to events as it arrives, and returns the exit code and the message for
// the user.
//
// When Run returns, no process, goroutine, listener or open file of the run is left. Only
// the directory remains; the caller reads and removes it. By then the caller has received
// everything that the component wrote before its end, in the same order. Memory use does
// not depend on the amount of output. No record, message or process argument contains a
// secret of the run.
//
// An Engine starts the component: Process runs a program, Docker runs an image. The package
// does not deal with jobs or configurations, does not decide the result of a job, and
// stores no data.
package sandbox
