package control

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The statuses of a part without a known job.
const (
	neverStarted = "never started"
	unknown      = "unknown" // the request failed after it was sent
)

func (p part) state() string {
	if p.follower != nil {
		return p.follower.job.Status
	}
	if failed, ok := errors.AsType[*platform.Error](p.err); ok && failed.MayHaveSucceeded() {
		return unknown
	}
	return neverStarted
}

// splitResult writes the result of all parts: a table and one line, or one JSON document.
func (s *Session) splitResult(parts []part, errs []error, exit int) error {
	succeeded, incomplete := 0, 0
	for _, p := range parts {
		if p.follower != nil && p.follower.job.Finished && p.follower.job.ExitCode() == 0 {
			succeeded++
			if p.follower.result().incomplete > 0 {
				incomplete++
			}
		}
	}
	if s.JSON {
		return s.compact(splitDocument(parts, errs, succeeded, exit))
	}
	rows := [][]string{{"GROUP", "JOB", "STATE", "SECONDS", "MESSAGE"}}
	for _, p := range parts {
		rows = append(rows, p.row())
	}
	if err := s.table(rows); err != nil {
		return err
	}
	result := fmt.Sprintf("%d of %d jobs succeeded", succeeded, len(parts))
	if incomplete > 0 {
		result += fmt.Sprintf(", %d of them incomplete", incomplete)
	}
	return s.line(s.Out, "%s: exit code %d", result, exit)
}

// row returns the row of the part in the table. No cell is empty.
func (p part) row() []string {
	row := []string{p.group.String(), "-", p.state(), "-", "-"}
	switch {
	case p.err != nil:
		row[4] = p.err.Error()
	case p.follower != nil:
		job := p.follower.job
		row[1] = job.ID
		if p.follower.result().incomplete > 0 {
			row[2] += ", incomplete"
		}
		if len(p.follower.result().remaining) > 0 {
			row[2] += ", to be continued"
		}
		if t, ok := duration(job); ok {
			row[3] = strconv.FormatInt(t, 10)
		}
		if job.Message != "" {
			row[4] = job.Message
		}
		if !job.Finished {
			row[4] = "it continues"
		}
	}
	return row
}

// splitDocument returns the result as JSON. Missing values are null.
func splitDocument(parts []part, errs []error, succeeded, exit int) value.Value {
	groups := make([]value.Value, len(parts))
	for i, p := range parts {
		groups[i] = p.summary()
	}
	texts := make([]value.Value, len(errs))
	for i, err := range errs {
		texts[i] = value.OfString(err.Error())
	}
	return value.OfMembers(
		value.Member{Name: "groups", Value: value.OfItems(groups...)},
		value.Member{Name: "result", Value: value.OfMembers(
			value.Member{Name: "exit_code", Value: value.OfInt(int64(exit))},
			value.Member{Name: "jobs", Value: value.OfInt(int64(len(parts)))},
			value.Member{Name: "succeeded", Value: value.OfInt(int64(succeeded))},
			value.Member{Name: "errors", Value: value.OfItems(texts...)},
		)},
	)
}

func (p part) summary() value.Value {
	var job, seconds, exit, failed value.Value
	if p.err != nil {
		failed = value.OfString(p.err.Error())
	}
	if p.follower != nil {
		job = summary(p.follower.job, p.follower.result())
		if t, ok := duration(p.follower.job); ok {
			seconds = value.OfInt(t)
		}
		if p.follower.job.Finished {
			exit = value.OfInt(int64(p.follower.job.ExitCode()))
		}
	}
	return value.OfMembers(
		value.Member{Name: "first_" + p.group.noun, Value: value.OfInt(int64(p.group.from + 1))},
		value.Member{Name: "last_" + p.group.noun, Value: value.OfInt(int64(p.group.to))},
		member("state", p.state()),
		value.Member{Name: "seconds", Value: seconds},
		value.Member{Name: "exit_code", Value: exit},
		value.Member{Name: "error", Value: failed},
		value.Member{Name: "job", Value: job},
	)
}

// duration returns the number of seconds that a job ran, without its time in the queue. It
// returns false if the number is unknown.
func duration(job platform.Job) (seconds int64, ok bool) {
	started, err := time.Parse(time.RFC3339, job.Started)
	if err != nil {
		return 0, false
	}
	ended, err := time.Parse(time.RFC3339, job.Ended)
	if err != nil {
		return 0, false
	}
	return int64(ended.Sub(started).Seconds()), true
}
