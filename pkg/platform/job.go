package platform

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Job is a job of the queue, as far as anybody here asks.
type Job struct {
	ID string
	// Status is created, waiting, processing, terminating, or final: success,
	// warning, error, terminated, cancelled.
	Status string
	// DesiredStatus is terminating once the job was told to end.
	DesiredStatus string
	// Finished tells that the status is final.
	Finished bool
	// Component and Configuration are what the job runs.
	Component, Configuration string
	// Created, Started and Ended are RFC 3339 times as they were written; ""
	// before.
	Created, Started, Ended string
	// Message is the result in words; "" before the end.
	Message string
	// ErrorType is "user" or "application" after status error; "" otherwise, and
	// when the platform does not say.
	ErrorType string
	// VariableValuesID is the row that holds the values of this run; "" when
	// none is named.
	VariableValuesID string
	// VariableValuesData is the record's inline values as they stand there:
	// {"values": […]}, [] or null.
	VariableValuesData value.Value
}

// Variable is one value given to a job: a string or a number.
type Variable struct {
	Name  string
	Value value.Value
}

// Job reads the record of a job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	if err := checkID("job", id); err != nil {
		return Job{}, err
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return Job{}, err
	}
	v, err := c.record(ctx, c.get(queue, "jobs/"+id).AndHeader(tokenHeader, c.token))
	if err != nil {
		return Job{}, err
	}
	return jobOf(v), nil
}

// NewJob says what a job is to run: a stored configuration, or one that comes
// with the request.
type NewJob struct {
	Component string
	// Configuration is the id of the stored configuration. With ConfigData it may
	// be "": then the platform knows no configuration to wait for, to name a
	// bucket after, or to keep a state with.
	Configuration string
	// ConfigData is a whole configuration, run in the place of the stored one;
	// null for none.
	ConfigData value.Value
	// Values are those of the variables; without any, the request names none.
	Values []Variable
}

// CreateJob starts a job. It is sent once; see Error.Unsettled.
func (c *Client) CreateJob(ctx context.Context, j NewJob) (Job, error) {
	if err := j.check(); err != nil {
		return Job{}, err
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return Job{}, err
	}
	record, err := c.stored(ctx, c.post(queue, "jobs").WithJSONBody(j.body()))
	if err != nil {
		return Job{}, err
	}
	return jobOf(record), nil
}

func (j NewJob) check() error {
	if err := checkID("component", j.Component); err != nil {
		return err
	}
	if j.Configuration == "" && j.ConfigData.Kind() == value.Object {
		return nil
	}
	return checkID("configuration", j.Configuration)
}

func (j NewJob) body() value.Value {
	members := []value.Member{{Name: "component", Value: value.OfString(j.Component)}}
	if j.Configuration != "" {
		members = append(members, value.Member{Name: "config", Value: value.OfString(j.Configuration)})
	}
	members = append(members, value.Member{Name: "mode", Value: value.OfString("run")})
	if !j.ConfigData.IsNull() {
		members = append(members, value.Member{Name: "configData", Value: j.ConfigData})
	}
	body := value.OfMembers(members...)
	if len(j.Values) == 0 {
		return body
	}
	pairs := make([]value.Value, 0, len(j.Values))
	for _, v := range j.Values {
		pairs = append(pairs, value.OfMembers(
			value.Member{Name: "name", Value: value.OfString(v.Name)},
			value.Member{Name: "value", Value: v.Value},
		))
	}
	return body.With("variableValuesData",
		value.OfMembers(value.Member{Name: "values", Value: value.OfItems(pairs...)}))
}

// KillJob tells a job to end, which takes the job a while. It is sent once; to
// send it again does no harm.
func (c *Client) KillJob(ctx context.Context, id string) (Job, error) {
	if err := checkID("job", id); err != nil {
		return Job{}, err
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return Job{}, err
	}
	record, err := c.stored(ctx, c.post(queue, "jobs/"+id+"/kill"))
	if err != nil {
		return Job{}, err
	}
	return jobOf(record), nil
}

func jobOf(record value.Value) Job {
	result := record.Field("result")
	return Job{
		ID:                 text(record.Field("id")),
		Status:             text(record.Field("status")),
		DesiredStatus:      text(record.Field("desiredStatus")),
		Finished:           record.Field("isFinished").True(),
		Component:          text(record.Field("component")),
		Configuration:      text(record.Field("config")),
		Created:            text(record.Field("createdTime")),
		Started:            text(record.Field("startTime")),
		Ended:              text(record.Field("endTime")),
		Message:            text(result.Field("message")),
		ErrorType:          text(result.Field("error").Field("type")),
		VariableValuesID:   text(record.Field("variableValuesId")),
		VariableValuesData: record.Field("variableValuesData"),
	}
}

// ExitCode is the exit code that the end of a job asks for: that of its
// component, as far as the platform tells. A job that was ended from outside
// counts as the user's doing; a status that nobody knows as a fault.
func (j Job) ExitCode() int {
	switch j.Status {
	case "success", "warning":
		return failure.ExitOK
	case "terminated", "cancelled":
		return failure.ExitUser
	case "error":
		if j.ErrorType != "application" {
			return failure.ExitUser
		}
	}
	return failure.ExitApplication
}
