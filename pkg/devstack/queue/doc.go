// Package queue runs the jobs of the store: it takes them in their order, one at a
// time for each configuration, prepares the data directory of the component,
// follows its run, loads its tables, and stores how the job ended.
//
// Every job that was started ends in a final state, regardless of what the component does:
// also if the job is killed, the platform is stopped or, at the next start, the
// process was killed. All events of a job are stored, in their order, before its
// end is. No secret of a configuration or a state is in an event, a message or a
// result.
//
// The Runner starts the component. This package knows nothing of HTTP and creates
// no jobs: others put them into the store. An error of the store ends the queue.
package queue
