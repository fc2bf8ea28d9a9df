package webui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// shownRuns is the maximum number of jobs in a history.
const shownRuns = 24

// history holds the last finished jobs of a configuration.
type history struct {
	runs []pastRun // newest first
}

type pastRun struct {
	job  store.Job
	took time.Duration
	// rows is the number of rows in all tables, or -1 if unknown.
	rows int
}

// add adds the next older job. It skips jobs that have not ended.
func (h *history) add(j store.Job) {
	if len(h.runs) == shownRuns || !j.Status.Finished() {
		return
	}
	r := pastRun{job: j, rows: -1}
	if !j.Started.IsZero() {
		r.took = j.Ended.Sub(j.Started)
	}
	if j.Result != nil && j.Result.Counted != nil {
		r.rows = j.Result.Counted.Rows
	}
	h.runs = append(h.runs, r)
}

// Measures of the chart, in pixels. Durations are drawn above the line, rows below it.
const (
	chartStep, chartBar       = 7, 5
	durationHeight, rowHeight = 20.0, 12.0
	chartLine                 = durationHeight + 1
)

// runBar is one job in a chart.
type runBar struct {
	X                 int
	Y, Height         string
	RowsY, RowsHeight string
	Tone, Title       string
	HasRows           bool
}

// Any reports whether there is something to draw.
func (h history) Any() bool { return len(h.runs) > 0 }

// Width and Height return the size of the chart, and Line the position of its line.
func (h history) Width() int     { return chartStep*shownRuns - (chartStep - chartBar) }
func (h history) Height() string { return pixels(durationHeight + rowHeight + 3) }
func (h history) Line() string   { return pixels(chartLine) }

// Bars returns a bar for each job, oldest first. The newest job is at the right end.
func (h history) Bars() []runBar {
	var longest time.Duration
	most := 0
	for _, r := range h.runs {
		longest, most = max(longest, r.took), max(most, r.rows)
	}
	bars := make([]runBar, 0, len(h.runs))
	for i, r := range slices.Backward(h.runs) {
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
		bars = append(bars, b)
	}
	return bars
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

// Summary describes the chart in words.
func (h history) Summary() string {
	good, failed := 0, 0
	for _, r := range h.runs {
		switch r.job.Status {
		case store.Success:
			good++
		case store.Error:
			failed++
		}
	}
	text := fmt.Sprintf("The last %s: %d succeeded, %d failed", count(len(h.runs), "job"), good, failed)
	if len(h.runs) > 0 {
		text += "; the newest took " + seconds(h.runs[0].took)
		if h.runs[0].rows >= 0 {
			text += " and fetched " + count(h.runs[0].rows, "row")
		}
	}
	return text + "."
}

func pixels(n float64) string { return fmt.Sprintf("%.1f", n) }
