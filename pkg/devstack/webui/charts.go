package webui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const shownRuns = 24

// pastRuns holds the last finished jobs of a configuration, newest first.
type pastRuns []pastRun

type pastRun struct {
	job  store.Job
	took time.Duration
	// rows is the number of rows in all tables, or -1 if unknown.
	rows int
}

// add adds the next older job. It skips jobs that have not ended.
func (p *pastRuns) add(j store.Job) {
	if len(*p) == shownRuns || !j.Status.Finished() {
		return
	}
	r := pastRun{job: j, rows: -1}
	if !j.Started.IsZero() {
		r.took = j.Ended.Sub(j.Started)
	}
	if j.Result != nil && j.Result.Counted != nil {
		r.rows = j.Result.Counted.Rows
	}
	*p = append(*p, r)
}

// Measures of the chart, in pixels. Durations are drawn above the line, rows below it.
const (
	chartStep, chartBar       = 7, 5
	durationHeight, rowHeight = 20.0, 12.0
	chartLine                 = durationHeight + 1
)

type runBar struct {
	X                 int
	Y, Height         string
	RowsY, RowsHeight string
	Tone, Title       string
	HasRows           bool
}

// history draws the last finished jobs of a configuration.
type history struct {
	// Bars has a bar for each job, oldest first. The newest job is at the right end.
	Bars  []runBar
	Width int
	// Line is the position of the line between durations and rows.
	Height, Line string
	// Summary describes the chart in words.
	Summary string
}

func newHistory(runs pastRuns) history {
	h := history{
		Width: chartStep*shownRuns - (chartStep - chartBar), Height: pixels(durationHeight + rowHeight + 3),
		Line: pixels(chartLine),
	}
	var longest time.Duration
	most, good, failed := 0, 0, 0
	for _, r := range runs {
		longest, most = max(longest, r.took), max(most, r.rows)
		switch r.job.Status {
		case store.Success:
			good++
		case store.Error:
			failed++
		}
	}
	for i, r := range slices.Backward(runs) {
		b := runBar{X: chartStep * (shownRuns - 1 - i), Tone: tone(r.job.Status), Title: r.title()}
		if incomplete(r.job) {
			b.Tone = "incomplete"
		}
		height := 3.0
		if longest > 0 {
			height = max(3, durationHeight*float64(r.took)/float64(longest))
		}
		b.Y, b.Height = pixels(durationHeight-height), pixels(height)
		if r.rows > 0 {
			b.HasRows = true
			b.RowsY, b.RowsHeight = pixels(chartLine+1), pixels(max(1.5, rowHeight*float64(r.rows)/float64(most)))
		}
		h.Bars = append(h.Bars, b)
	}
	h.Summary = fmt.Sprintf("The last %s: %d succeeded, %d failed", count(len(runs), "job"), good, failed)
	if len(runs) > 0 {
		h.Summary += "; the newest took " + seconds(runs[0].took)
		if runs[0].rows >= 0 {
			h.Summary += " and fetched " + count(runs[0].rows, "row")
		}
	}
	h.Summary += "."
	return h
}

func (r pastRun) title() string {
	parts := []string{fmt.Sprintf("Job %s: %s", r.job.ID, r.job.Status), seconds(r.took)}
	if incomplete(r.job) {
		parts[0] += ", incomplete"
	}
	if r.rows >= 0 {
		parts = append(parts, count(r.rows, "row"))
	}
	return strings.Join(parts, ", ")
}

func pixels(n float64) string { return fmt.Sprintf("%.1f", n) }

// loads draws the number of rows after the last loads of a table.
type loads struct {
	// Bars has a bar for each load, oldest first.
	Bars   []loadBar
	Width  int
	Height string
	// Summary describes the chart in words.
	Summary string
}

type loadBar struct {
	X         int
	Y, Height string
	Job, Rows string
}

const loadStep, loadWidth, loadHeight = 12, 9, 44.0

// loadsOf returns the last loads of a table.
func (s *site) loadsOf(table string) (loads, error) {
	var jobs []string
	var rows []int // newest first
	seen := 0
	err := s.Store.Jobs(func(j store.Job) bool {
		if j.Result != nil {
			for _, l := range j.Result.Loaded {
				if l.Table == table {
					jobs, rows = append(jobs, j.ID), append(rows, l.Rows)
				}
			}
		}
		seen++
		return seen < searchedJobs && len(rows) < shownRuns
	})
	if len(rows) == 0 {
		return loads{}, err
	}
	c := loads{
		Width: loadStep*len(rows) - (loadStep - loadWidth), Height: pixels(loadHeight),
		Summary: fmt.Sprintf("Rows after the last %s: now %s", count(len(rows), "load"), number(rows[0])),
	}
	most := max(1, slices.Max(rows))
	for i, n := range slices.Backward(rows) {
		height := max(1, loadHeight*float64(n)/float64(most))
		c.Bars = append(c.Bars, loadBar{loadStep * (len(rows) - 1 - i), pixels(loadHeight - height), pixels(height), jobs[i], count(n, "row")})
	}
	if len(rows) > 1 {
		switch change := rows[0] - rows[1]; {
		case change == 0:
			c.Summary += ", as many as before"
		case change < 0:
			c.Summary += ", " + number(-change) + " fewer than before"
		default:
			c.Summary += ", " + number(change) + " more than before"
		}
	}
	return c, err
}
