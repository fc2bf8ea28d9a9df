package event

import (
	"fmt"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// DataEmpty reports that a page had no data.
type DataEmpty struct {
	warn       `kind:"data.empty"`
	Job        string `json:"job"`
	DataField  string `json:"dataField"`
	Page       int    `json:"page"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
}

func (e DataEmpty) message() string {
	if e.DataField == "" {
		return fmt.Sprintf("No data found in page %d of %s", e.Page, e.Job)
	}
	return fmt.Sprintf("dataField '%s' contains no data! (page %d of %s)", e.DataField, e.Page, e.Job)
}

// WindowStarted reports that a job starts to run for a window.
type WindowStarted struct {
	_          struct{} `kind:"window.started"`
	Job        string   `json:"job"`
	Window     int      `json:"window"`
	Of         int      `json:"of"`
	Start      string   `json:"start,omitempty"`
	End        string   `json:"end,omitempty"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
	// Quiet is true after the first windows of a job.
	Quiet bool `json:"-"`
}

func (e WindowStarted) Level() Level {
	if e.Quiet {
		return Debug
	}
	return Info
}

func (e WindowStarted) message() string {
	s := fmt.Sprintf("Job %s: window %d of %d", e.Job, e.Window, e.Of)
	switch {
	case e.Start != "":
		s += fmt.Sprintf(", %s to %s", e.Start, e.End)
	case e.End != "":
		s += ", everything until " + e.End
	}
	return s
}

// WindowsLeft reports that a job ended before its last window. Left is the number of
// windows that the next run fetches, Next is the value where it continues, or
// empty if that is a secret or not known.
type WindowsLeft struct {
	info       `kind:"windows.left"`
	Job        string `json:"job"`
	Left       int    `json:"left"`
	Of         int    `json:"of"`
	Next       string `json:"next,omitempty"`
	Reason     string `json:"reason"`
	Pointer    string `json:"pointer"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e WindowsLeft) message() string {
	return fmt.Sprintf("Job %s ended before its last window, because %s; %s", e.Job, e.Reason, e.rest())
}

func (e WindowsLeft) rest() string {
	s := fmt.Sprintf("%d of %s left", e.Left, textfmt.Count(e.Of, "window"))
	if e.Next != "" {
		return s + ", the next run continues at " + e.Next
	}
	return s + " for the next run"
}

// Summary returns the message in the words of RunFinished.
func (e WindowsLeft) Summary() string {
	if e.Iteration > 0 {
		return fmt.Sprintf("job %s (iteration %d): %s", e.Job, e.Iteration, e.rest())
	}
	return "job " + e.Job + ": " + e.rest()
}

// PagingRound reports that a job begins again at the first page, because the API ends
// its results after page Page. Rows is the number of rows of the round that ended, Round the
// number of the round that begins. Values are the remembered values of its request.
type PagingRound struct {
	_          struct{} `kind:"paging.round"`
	Job        string   `json:"job"`
	Page       int      `json:"page"`
	Round      int      `json:"round"`
	Rows       int      `json:"rows"`
	Values     []string `json:"values"`
	Pointer    string   `json:"pointer"`
	JobPointer string   `json:"jobPointer,omitempty" console:"-"`
	Iteration  int      `json:"iteration,omitempty" console:"-"`
	// Quiet is true after the first hundred of a job.
	Quiet bool `json:"-"`
}

func (e PagingRound) Level() Level {
	if e.Quiet {
		return Debug
	}
	return Info
}

func (e PagingRound) message() string {
	return fmt.Sprintf("Job %s: starts over after page %d (%s), with %s", e.Job, e.Page, textfmt.Count(e.Rows, "row"), strings.Join(e.Values, ", "))
}

// JobProgress reports that a long job is still running.
type JobProgress struct {
	info     `kind:"job.progress"`
	Job      string  `json:"job"`
	Pages    int     `json:"pages"`
	Rows     int     `json:"rows"`
	Requests int     `json:"requests"`
	Waited   float64 `json:"waited,omitempty"`
}

func (e JobProgress) message() string {
	s := fmt.Sprintf("Job %s is running: %s, %s, %s so far", e.Job, textfmt.Count(e.Pages, "page"), textfmt.Count(e.Rows, "row"), textfmt.Count(e.Requests, "request"))
	if e.Waited > 0 {
		s += fmt.Sprintf(", %s spent waiting", inUnits(e.Waited))
	}
	return s
}

// jobLive is the state of a running job, for a platform that shows live progress. It is
// only emitted with EXTRACTOR_LIVE. Waiting is the reason why the job waits, Waited the
// seconds so far, and WaitSeconds the remaining seconds, 0 if unknown.
type jobLive struct {
	debug       `kind:"job.live"`
	Job         string  `json:"job"`
	Depth       int     `json:"depth,omitempty"`
	Seconds     float64 `json:"seconds"`
	Window      string  `json:"window,omitempty"`
	Pages       int     `json:"pages"`
	Rows        int     `json:"rows"`
	Unstored    bool    `json:"unstored,omitempty"`
	Parents     int     `json:"parents,omitempty"`
	ParentsDone int     `json:"parentsDone,omitempty"`
	Waiting     string  `json:"waiting,omitempty"`
	Waited      float64 `json:"waited,omitempty"`
	WaitSeconds float64 `json:"waitSeconds,omitempty"`
	JobPointer  string  `json:"jobPointer,omitempty" console:"-"`
	Iteration   int     `json:"iteration,omitempty" console:"-"`

	since, until time.Time
}

func (e jobLive) message() string {
	s := fmt.Sprintf("Job %s is running: %s, %s", e.Job, textfmt.Count(e.Pages, "page"), textfmt.Count(e.Rows, "row"))
	if e.Parents > 0 {
		s += fmt.Sprintf(", %d of %s", e.ParentsDone, textfmt.Count(e.Parents, "parent"))
	}
	if e.Waiting != "" {
		s += ", waiting " + e.Waiting
	}
	return s
}

// JobFinished reports the totals of a job and the rule that ended it.
type JobFinished struct {
	info       `kind:"job.finished"`
	Job        string `json:"job"`
	Runs       int    `json:"runs,omitempty"`
	Windows    int    `json:"windows,omitempty"`
	Pages      int    `json:"pages"`
	Rows       int    `json:"rows"`
	LeftOut    int    `json:"leftOut,omitempty"`
	Unstored   bool   `json:"unstored,omitempty"`
	Rule       string `json:"rule"`
	Pointer    string `json:"pointer,omitempty"`
	Repeated   bool   `json:"repeated,omitempty"`
	Skipped    int    `json:"skipped,omitempty"`
	Unwanted   int    `json:"unwanted,omitempty"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e JobFinished) message() string {
	s := fmt.Sprintf("Job %s finished: ", e.Job)
	if e.Runs > 1 {
		s += textfmt.Count(e.Runs, "run") + ", "
	}
	if e.Unwanted > 0 && e.Runs > 0 {
		s += fmt.Sprintf("%d more prevented by 'if', ", e.Unwanted)
	}
	if e.Windows > 0 && e.Windows != e.Runs {
		s += textfmt.Count(e.Windows, "window") + ", "
	}
	s += fmt.Sprintf("%s, %s, ", textfmt.Count(e.Pages, "page"), textfmt.Count(e.Rows, "row"))
	if e.LeftOut > 0 {
		s += fmt.Sprintf("%d of them left out by 'rowFilter', ", e.LeftOut)
	}
	if e.Unstored {
		s += "none stored, "
	}
	return s + e.Rule
}

// JobUnfinished reports the part of a job that was stored when the run failed. A failed run
// writes no tables.
type JobUnfinished struct {
	debug      `kind:"job.unfinished"`
	Job        string `json:"job"`
	Pages      int    `json:"pages"`
	Rows       int    `json:"rows"`
	JobPointer string `json:"jobPointer,omitempty" console:"-"`
	Iteration  int    `json:"iteration,omitempty" console:"-"`
}

func (e JobUnfinished) message() string {
	return fmt.Sprintf("Job %s not finished: %s, %s until then", e.Job, textfmt.Count(e.Pages, "page"), textfmt.Count(e.Rows, "row"))
}
