// Package tryrun runs the text in the editor of the page, saved or not: on a sample
// of the data, within limits, with a recording and a report. A try is not a job. It is
// in no list of jobs, loads no table and stores no state, but for what a login must
// remember.
//
// The last tries of each configuration are kept in a directory, without the
// configuration and its secrets: what was requested and answered (har), the report and the
// tables. They are gone when the platform starts again. Everything is
// read from the files where it is needed, so memory does not depend on how much a
// try has fetched.
package tryrun
