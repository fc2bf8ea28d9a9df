package control

import (
	"context"
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Status writes the status of a job.
func (s *Session) Status(ctx context.Context, id string) error {
	job, err := s.Platform.Job(ctx, id)
	if err != nil {
		return err
	}
	return s.writeJob(job, outcome{})
}

// Events writes the events of a job so far, oldest first: as lines of text, or as one JSON
// object on each line.
func (s *Session) Events(ctx context.Context, id string) error {
	events, err := s.Platform.Events(ctx, id, "")
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.event(e); err != nil {
			return err
		}
	}
	return nil
}

// Kill requests the end of a job and writes its status. The job ends a little later.
func (s *Session) Kill(ctx context.Context, id string) error {
	job, err := s.Platform.KillJob(ctx, id)
	if err != nil {
		return adviseIfUncertain(err, "the job may be ending: look with `extractor job status "+id+"`")
	}
	return s.writeJob(job, outcome{})
}

func (s *Session) event(e platform.Event) error {
	if s.JSON {
		return s.compact(e.Record)
	}
	return s.line(s.Out, "%s", eventLine(e))
}

func eventLine(e platform.Event) string {
	return fmt.Sprintf("%s %-7s %s", e.Created, e.Type, e.Message)
}

// writeJob writes the status of a job, with the result if there is one. The outcome is zero
// if the job was not followed.
func (s *Session) writeJob(job platform.Job, o outcome) error {
	if s.JSON {
		return s.compact(summary(job, o))
	}
	text := "job " + job.ID + ": " + job.Status
	if job.DesiredStatus == "terminating" && !job.Finished && job.Status != "terminating" {
		text += ", ending"
	}
	if o.incomplete > 0 {
		text += ", incomplete (" + event.MayBeMissing(o.incomplete) + ")"
	}
	if len(o.remaining) > 0 {
		text += ", to be continued (" + strings.Join(o.remaining, "; ") + ")"
	}
	if job.Message != "" {
		text += ": " + job.Message
	}
	return s.line(s.Out, "%s", text)
}

// summary returns a job as a JSON object. Unknown values are "". The members
// incomplete and remaining are omitted if they are empty.
func summary(job platform.Job, o outcome) value.Value {
	members := []value.Member{
		member("id", job.ID),
		member("status", job.Status),
		value.Member{Name: "finished", Value: value.OfBool(job.Finished)},
		member("component", job.Component),
		member("config", job.Configuration),
		member("created", job.Created),
		member("started", job.Started),
		member("ended", job.Ended),
		member("message", job.Message),
		member("error_type", job.ErrorType),
	}
	if o.incomplete > 0 {
		members = append(members, value.Member{Name: "incomplete", Value: value.OfInt(int64(o.incomplete))})
	}
	if len(o.remaining) > 0 {
		members = append(members, value.Member{Name: "remaining", Value: value.OfStrings(o.remaining)})
	}
	return value.OfMembers(members...)
}
