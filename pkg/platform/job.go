package platform

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Job is a job of the queue.
type Job struct {
	ID string
	// Status is created, waiting, processing or terminating, or one of the final statuses:
	// success, warning, error, terminated, cancelled.
	Status string
	// DesiredStatus is terminating after the end of the job was requested.
	DesiredStatus string
	// Finished is true if the status is final.
	Finished bool
	// Component and Configuration are the ids of the component and the configuration.
	Component, Configuration string
	// Created, Started and Ended are RFC 3339 times in the format of the platform. They are
	// empty until the job is created, starts or ends.
	Created, Started, Ended string
	// Message is the message of the result. It is empty until the job ends.
	Message string
	// ErrorType is "user" or "application" if the status is error and the platform reports
	// the type. Otherwise it is empty.
	ErrorType string
	// VariableValuesID is the id of the row with the values of variables. It may be empty.
	VariableValuesID string
	// VariableValuesData contains the inline values of variables: {"values": […]}, [] or
	// null.
	VariableValuesData value.Value
}

// Variable is a value of a variable for a job: a string or a number.
type Variable struct {
	Name  string
	Value value.Value
}

// Job returns a job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	queue, err := c.queueOf(ctx, id)
	if err != nil {
		return Job{}, err
	}
	v, err := c.record(ctx, c.get(queue, "jobs/"+id))
	return jobOf(v), err
}

// queueOf returns the base URL of the queue API. It returns an error if the job id is
// invalid.
func (c *Client) queueOf(ctx context.Context, job string) (string, error) {
	if err := checkID("job", job); err != nil {
		return "", err
	}
	return c.QueueURL(ctx)
}

// NewJob describes a job to create: of a stored configuration, or of a configuration in the
// request.
type NewJob struct {
	Component string
	// Configuration is the id of the stored configuration. With ConfigData it may be empty:
	// then the job does not wait for other jobs, has no default bucket and stores no state.
	Configuration string
	// ConfigData is a configuration that runs instead of the stored one. It may be null.
	ConfigData value.Value
	// Values are the values of variables. If there are none, the request omits them.
	Values []Variable
}

// CreateJob starts a job. The request is not retried; see Error.MayHaveSucceeded.
func (c *Client) CreateJob(ctx context.Context, j NewJob) (Job, error) {
	if err := j.check(); err != nil {
		return Job{}, err
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return Job{}, err
	}
	v, err := c.stored(ctx, c.write(queue).WithPost("jobs").WithJSONBody(j.body()))
	return jobOf(v), err
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

// KillJob requests the end of a job. It returns before the job ends. The request is not
// retried, but KillJob may be called again.
func (c *Client) KillJob(ctx context.Context, id string) (Job, error) {
	queue, err := c.queueOf(ctx, id)
	if err != nil {
		return Job{}, err
	}
	v, err := c.stored(ctx, c.write(queue).WithPost("jobs/"+id+"/kill"))
	return jobOf(v), err
}

// jobOf returns the job in a record. A null record is an empty job.
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

// ExitCode returns the exit code for the result of a job: the exit code of its component,
// as far as the platform reports it. A terminated or cancelled job is a user error. An
// unknown status is an application error.
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
