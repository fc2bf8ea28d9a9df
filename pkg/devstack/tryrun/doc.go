// Package tryrun runs a configuration from the editor of the web UI, saved or not: on a
// sample of the data, within limits, with a recording and a report. A try is not a job.
// It is in no list of jobs, loads no table and stores no state. Only the remembered
// values of logins are stored: the component itself sends them to the platform.
//
// Each configuration keeps its last tries in a directory, without the configuration and
// its secrets. A try has a recording (HAR), a report and tables. All tries are removed
// when the platform starts again. Recordings and tables are read from the files on
// demand, so memory does not grow with the amount of data that a try fetched.
package tryrun
