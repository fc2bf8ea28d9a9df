package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Status is the status of a job.
type Status string

// The statuses of a job. The last four are final.
const (
	Created     Status = "created"
	Waiting     Status = "waiting"
	Processing  Status = "processing"
	Terminating Status = "terminating"
	Success     Status = "success"
	Error       Status = "error"
	Cancelled   Status = "cancelled"
	Terminated  Status = "terminated"
)

// Finished reports whether the status is final.
func (s Status) Finished() bool {
	return s == Success || s == Error || s == Cancelled || s == Terminated
}

func (s Status) next() []Status {
	switch s {
	case Created:
		return []Status{Processing, Waiting, Terminating, Cancelled}
	case Waiting:
		return []Status{Created, Processing, Terminating, Cancelled}
	case Processing:
		return []Status{Success, Error, Terminating}
	case Terminating:
		return []Status{Terminated, Cancelled}
	default:
		return nil
	}
}

// Modes of a job.
const (
	Run      = "run"
	ForceRun = "forceRun"
	Debug    = "debug"
)

// Job is a job of the queue.
type Job struct {
	// ID is a decimal number, greater than the ids of earlier jobs.
	ID        string
	Status    Status
	Component string
	// Config is the id of the configuration. It is empty if the job has only ConfigData.
	Config string
	// ConfigData is a configuration that runs instead of the stored one. It may be nil.
	ConfigData   json.RawMessage
	ConfigRowIDs []string
	// Mode is Run, ForceRun or Debug.
	Mode string
	Tag  string
	// VariableValuesID is the id of a row of the variables configuration.
	// VariableValuesData is the object in the request. At most one of them is set.
	VariableValuesID   string
	VariableValuesData json.RawMessage
	// Extra contains further members of the job's record, by name, such as backend and
	// parallelism. They have no effect.
	Extra map[string]json.RawMessage
	// Kill is true after the end of the job was requested.
	Kill bool
	// Started and Ended are zero until the job starts or ends.
	Created, Started, Ended time.Time
	// Result is nil until the job ends.
	Result *Result
}

// Result is the result of a finished job.
type Result struct {
	Message       string
	ConfigVersion string
	// ErrorType is "user" or "application". It is empty after a success.
	ErrorType string
	// ExceptionID identifies an error for support. It is empty without an ErrorType.
	ExceptionID string
	// Variables are the values that were set for the job, in order.
	Variables []Variable
	// Tables are the ids of the tables that the job wrote.
	Tables []string
	// Images are the programs or images that ran, one for each row.
	Images []string
	// Incomplete is the number of warnings that data may be missing (event.Finding). The
	// platform's record of a job does not contain it.
	Incomplete int
	// Remaining describes what the next run continues with, see event.RunFinished.
	Remaining []string
	// Counted contains the totals that the component reported. It is nil if the component
	// reported none.
	Counted *Counted
	// Loaded are the tables that the job wrote, with their number of rows after the load.
	Loaded []Loaded
	// Files is the number of files that the job stored.
	Files int
}

// Counted is the totals of the runs of a component, see event.RunFinished.
type Counted struct {
	Rows, Tables, Requests int
	Bytes                  int64
}

// Loaded is a table with its number of rows after a load.
type Loaded struct {
	Table string
	Rows  int
}

type Variable struct{ Name, Value string }

// ValuesData returns the variableValuesData of a job with these values. It returns nil if
// values is nil.
func ValuesData(values []Variable) json.RawMessage {
	if values == nil {
		return nil
	}
	var items []value.Value
	for _, v := range values {
		items = append(items, value.OfMembers(value.Member{Name: "name", Value: value.OfString(v.Name)}, value.Member{Name: "value", Value: value.OfString(v.Value)}))
	}
	return value.OfMembers(value.Member{Name: "values", Value: value.OfItems(items...)}).AppendJSON(nil)
}

// To changes the status of a job at the given time. It returns an error if the transition
// is not allowed.
func (j *Job) To(status Status, now time.Time) error {
	if !slices.Contains(j.Status.next(), status) {
		return fmt.Errorf("job %s cannot go from %s to %s", j.ID, j.Status, status)
	}
	if status == Processing {
		j.Started = now.UTC().Round(0)
	}
	if status.Finished() {
		j.Ended = now.UTC().Round(0)
	}
	j.Status = status
	return nil
}

// CreateJob stores a new job with a new id and the status created.
func (s *Store) CreateJob(j Job) (Job, error) {
	err := s.write(func(tx *bbolt.Tx) error {
		id, err := nextID(tx)
		if err != nil {
			return err
		}
		j.ID, j.Status, j.Created = decimal(id), Created, s.clock()
		return j.put(tx)
	})
	return j, err
}

func (s *Store) Job(id string) (Job, error) { return readID[Job](s, jobs, id) }

// UpdateJob changes a job. If change returns an error, UpdateJob returns it and writes no
// data. It may call change more than once, each time with the stored job.
func (s *Store) UpdateJob(id string, change func(*Job) error) (j Job, err error) {
	err = s.write(func(tx *bbolt.Tx) error {
		n, err := parseID(id)
		if err != nil {
			return err
		}
		if j, err = get[Job](tx, jobs, number(n)); err != nil {
			return err
		}
		if err := change(&j); err != nil {
			return err
		}
		j.ID = id // the key must not change
		return j.put(tx)
	})
	return j, err
}

// Jobs calls keep with all jobs, newest first, until keep returns false.
func (s *Store) Jobs(keep func(Job) bool) error {
	return newest(s, jobs, keep)
}

// Unfinished returns the jobs that have not ended, oldest first.
func (s *Store) Unfinished() (found []Job, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		return tx.Bucket(unfinished).ForEach(func(key, _ []byte) error {
			j, err := get[Job](tx, jobs, key)
			if err != nil {
				return err
			}
			found = append(found, j)
			return nil
		})
	})
	return found, err
}

func (j *Job) put(tx *bbolt.Tx) error {
	n, err := parseID(j.ID)
	if err != nil {
		return err
	}
	if j.Status.Finished() {
		err = tx.Bucket(unfinished).Delete(number(n))
	} else {
		err = tx.Bucket(unfinished).Put(number(n), nil)
	}
	if err != nil {
		return err
	}
	return put(tx, jobs, number(n), j)
}
