// Package queue runs the jobs of the store: it takes them in the order in which
// they came, one at a time for each configuration, lays out what the component
// is given, follows its run, loads its tables, and writes down how it ended.
//
// It promises that a job which was started ends in a final state, whatever the
// component does: also when the job is killed, when the platform is stopped, and,
// at the next start, when the process was ended without a warning. All events of
// a job are in the store, in their order, before its end is. No secret of a
// configuration or a state is in an event, a message or a result.
//
// It starts nothing itself (that is the Runner's), knows nothing of HTTP, and
// creates no jobs: it meets whoever does in the store only. A fault of the store
// is the end of the queue.
package queue
