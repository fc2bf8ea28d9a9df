// Package queue runs the jobs of the store. It takes jobs in their order, one at a time
// for each configuration. For each job it prepares the data directory of the component,
// follows the run, loads the tables, and stores the result.
//
// Every job that was started ends in a final state, regardless of what the component
// does. This also holds if the job is killed, if the platform is stopped and, after the
// next start, if the process was killed. All events of a job are stored in order, before
// the end of the job is stored. No event, message or result contains a secret of a
// configuration or a state.
//
// The Runner starts the component. The package does not use HTTP and creates no jobs:
// other packages put jobs into the store. An error of the store ends the queue.
package queue
