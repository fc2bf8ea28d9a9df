package control

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// mostListed is the largest number of jobs that the platform lists at once.
const mostListed = 500

// mostMessage is how many characters of a message are listed.
const mostMessage = 100

// JobList says which jobs to list.
type JobList struct {
	// Configuration is the id of the configuration whose jobs are listed, "" for all
	// of the component.
	Configuration string
	// Limit is how many jobs are listed at most.
	Limit int
}

// Jobs writes the latest jobs of the component, the newest first.
func (s *Session) Jobs(ctx context.Context, l JobList) error {
	if l.Limit < 1 || l.Limit > mostListed {
		return failure.Userf("--limit expects a number from 1 to %d, found %d", mostListed, l.Limit)
	}
	jobs, err := s.Platform.Jobs(ctx, platform.JobQuery{Component: s.Component, Configuration: l.Configuration, Limit: l.Limit})
	if err != nil {
		return err
	}
	if s.JSON {
		items := make([]value.Value, len(jobs))
		for i, job := range jobs {
			items[i] = summary(job, 0)
		}
		return s.compact(value.OfItems(items...))
	}
	rows := [][]string{{"ID", "STATUS", "CONFIG", "CREATED", "MESSAGE"}}
	for _, job := range jobs {
		rows = append(rows, []string{job.ID, job.Status, job.Configuration, job.Created, textfmt.Shorten(job.Message, mostMessage)})
	}
	return s.table(rows)
}
