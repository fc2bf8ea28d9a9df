package control

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxListed is the maximum number of jobs in a response of the platform.
const maxListed = 500

// maxMessage is the maximum length of a listed message, in characters.
const maxMessage = 100

// JobList selects the jobs to list.
type JobList struct {
	// Configuration is the id of a configuration. If it is empty, the jobs of all
	// configurations of the component are listed.
	Configuration string
	// Limit is the maximum number of jobs.
	Limit int
}

// Jobs writes the latest jobs of the component, newest first.
func (s *Session) Jobs(ctx context.Context, l JobList) error {
	if l.Limit < 1 || l.Limit > maxListed {
		return failure.Userf("--limit expects a number from 1 to %d, found %d", maxListed, l.Limit)
	}
	jobs, err := s.Platform.Jobs(ctx, platform.JobQuery{Component: s.Component, Configuration: l.Configuration, Limit: l.Limit})
	if err != nil {
		return err
	}
	if s.JSON {
		items := make([]value.Value, len(jobs))
		for i, job := range jobs {
			items[i] = summary(job, outcome{})
		}
		return s.compact(value.OfItems(items...))
	}
	rows := [][]string{{"ID", "STATUS", "CONFIG", "CREATED", "MESSAGE"}}
	for _, job := range jobs {
		rows = append(rows, []string{job.ID, job.Status, job.Configuration, job.Created, textfmt.Shorten(job.Message, maxMessage)})
	}
	return s.table(rows)
}
