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

// CreateJob runs a stored configuration with these values; without any, the
// request names none. It is sent once; see Error.Unsettled.
func (c *Client) CreateJob(ctx context.Context, component, configuration string, values []Variable) (Job, error) {
	if _, err := configurationPath(component, configuration); err != nil {
		return Job{}, err
	}
	queue, err := c.QueueURL(ctx)
	if err != nil {
		return Job{}, err
	}
	body := value.OfMembers(
		value.Member{Name: "component", Value: value.OfString(component)},
		value.Member{Name: "config", Value: value.OfString(configuration)},
		value.Member{Name: "mode", Value: value.OfString("run")},
	)
	if len(values) > 0 {
		pairs := make([]value.Value, 0, len(values))
		for _, v := range values {
			pairs = append(pairs, value.OfMembers(
				value.Member{Name: "name", Value: value.OfString(v.Name)},
				value.Member{Name: "value", Value: v.Value},
			))
		}
		body = body.With("variableValuesData",
			value.OfMembers(value.Member{Name: "values", Value: value.OfItems(pairs...)}))
	}
	record, err := c.created(ctx, c.post(queue, "jobs").WithJSONBody(body))
	if err != nil {
		return Job{}, err
	}
	return jobOf(record), nil
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
	record, err := c.created(ctx, c.post(queue, "jobs/"+id+"/kill"))
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
