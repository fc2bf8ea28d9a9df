package report

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Collector builds a report from the events of a run. It is not safe for concurrent use.
// A log passes one event at a time.
type Collector struct {
	report   Report
	began    time.Time
	redact   func(string) string
	jobs     map[jobKey]int
	warnings map[warningKey]int
	shapes   map[string][]shapes // shapes by table name
	// failures are the last maxFailures requests with an error status. The configuration
	// may allow the status, which later events show.
	failures []*requestReport
}

type jobKey struct {
	pointer   string
	iteration int
}

// warningKey identifies a warning by its message. If the message is about a single page,
// it identifies the warning by its pointer.
type warningKey struct{ source, pointer, message string }

// New returns a collector for a run that began at this time. redact masks secrets in
// texts that do not come from events.
func New(began time.Time, redact func(string) string) *Collector {
	return &Collector{
		report: Report{
			Version:   version,
			Status:    Success,
			Started:   stamp(began),
			Totals:    totals{traffic: traffic{Statuses: map[string]int{}}},
			Jobs:      []*jobReport{},
			Waterfall: waterfall{Requests: []*requestReport{}},
			Activity:  activity{Step: firstStep, Periods: []period{}},
			Slowest:   []*requestReport{},
			Tables:    []*table{},
			Warnings:  []warning{},
		},
		began:    began,
		redact:   redact,
		jobs:     map[jobKey]int{},
		warnings: map[warningKey]int{},
		shapes:   map[string][]shapes{},
	}
}

// Describe sets the name of the configuration and adds the URLs of the APIs that it
// calls.
func (c *Collector) Describe(configuration string, apis ...string) {
	c.report.Configuration = textfmt.Shorten(c.redact(configuration), maxText)
	for _, api := range apis {
		if api = textfmt.Shorten(c.redact(api), maxText); !slices.Contains(c.report.APIs, api) && len(c.report.APIs) < maxAPIs {
			c.report.APIs = append(c.report.APIs, api)
		}
	}
}

// Event adds one event. It is a function for event.Log.Trace.
func (c *Collector) Event(e event.Event) {
	switch body := e.Body.(type) {
	case event.RunStarted:
		c.report.Extractor = body.Version
	case event.RequestAnswered:
		c.addRequest(e.Time, body)
	case event.ResponseIgnored:
		c.countIgnored(body.JobPointer, body.Status)
	case event.ResponseSkipped:
		c.countIgnored(body.JobPointer, body.Status)
	case event.RequestRetried:
		c.countRetry(body)
	case event.WindowStarted:
		c.addWindow(body)
	case event.WindowsLeft:
		if i := c.job(body.Job, body.JobPointer, body.Iteration); i >= 0 && c.report.Jobs[i].Windows != nil {
			c.report.Jobs[i].Windows.Left, c.report.Jobs[i].Windows.Next = body.Left, body.Next
		}
	case event.JobFailed:
		c.job(body.Job, body.JobPointer, body.Iteration)
		// The child jobs of a failed job have failed, too.
		for _, j := range c.report.Jobs {
			if j.Iteration == body.Iteration && strings.HasPrefix(j.Pointer+"/", body.JobPointer+"/") {
				j.Failed = true
			}
		}
	case event.RunFinished:
		c.addRemaining(body.Remaining)
	case event.JobWaiting:
		c.countPoll(body)
	case event.JobFinished:
		c.setJobEnd(body)
	case event.JobUnfinished:
		if i := c.job(body.Job, body.JobPointer, body.Iteration); i >= 0 {
			c.report.Jobs[i].Stored = &stored{Pages: body.Pages, Rows: body.Rows}
		}
	case event.TableWritten:
		c.addTable(body)
	case event.FilesWritten:
		c.report.Totals.Files = body.Files
	case event.StateRead:
		if m := c.remembered(body.Name, body.Iteration); m != nil {
			m.Read, m.ReadValues = body.Value, body.Values
		}
	case event.StateRemembered:
		if m := c.remembered(body.Name, body.Iteration); m != nil {
			m.Left, m.LeftValues, m.Pointer = body.Value, body.Values, body.Pointer
		}
	case event.RunCut:
		c.report.Status = LimitReached
	case event.RunFailed:
		c.setError(body)
	}
	if f, ok := e.Body.(event.Finding); ok {
		c.addFinding(e, f)
	}
	if e.Level == event.Warn {
		c.addWarning(e)
	}
}

// job returns the index of a job in the report and adds the job if it is new. It returns
// -1 if the pointer is empty.
func (c *Collector) job(endpoint, pointer string, iteration int) int {
	if pointer == "" {
		return -1
	}
	key := jobKey{pointer, iteration}
	i, known := c.jobs[key]
	if !known {
		i = len(c.report.Jobs)
		c.jobs[key] = i
		c.report.Jobs = append(c.report.Jobs, &jobReport{Job: endpoint, Pointer: pointer, Iteration: iteration, traffic: traffic{Statuses: map[string]int{}}})
	}
	return i
}

// traffics returns the sums that include the requests of a job.
func (c *Collector) traffics(job int) []*traffic {
	all := []*traffic{&c.report.Totals.traffic}
	if job >= 0 {
		all = append(all, &c.report.Jobs[job].traffic)
	}
	return all
}

func (c *Collector) addWindow(e event.WindowStarted) {
	i := c.job(e.Job, e.JobPointer, e.Iteration)
	if i < 0 {
		return
	}
	w := c.report.Jobs[i].Windows
	if w == nil {
		w = &windows{First: e.Start}
		c.report.Jobs[i].Windows = w
	}
	w.Begun++
	w.Last = e.End
}

// maxRemaining is the maximum number of jobs with windows left in the report.
const maxRemaining = 100

func (c *Collector) addRemaining(texts []string) {
	for _, text := range texts[:min(len(texts), maxRemaining)] {
		c.report.Remaining = append(c.report.Remaining, textfmt.Shorten(text, maxText))
	}
}

func (c *Collector) setJobEnd(e event.JobFinished) {
	i := c.job(e.Job, e.JobPointer, e.Iteration)
	if i < 0 {
		return
	}
	c.report.Jobs[i].Ended = &jobEnd{Runs: e.Runs, Pages: e.Pages, Rows: e.Rows, LeftOut: e.LeftOut, Unstored: e.Unstored, Rule: e.Rule, Pointer: e.Pointer, Repeated: e.Repeated, Skipped: e.Skipped, Unwanted: e.Unwanted}
}

// addFinding adds a finding. Each job has at most one finding of a kind.
func (c *Collector) addFinding(e event.Event, f event.Finding) {
	i := c.job(event.JobOf(f))
	if i < 0 {
		return
	}
	c.report.Jobs[i].Incomplete++
	c.report.Incomplete = append(c.report.Incomplete, finding{Kind: e.Kind, Text: textfmt.Shorten(e.Message, maxText), Job: i, Pointer: event.SettingOf(f)})
}

// remembered returns the entry of a remembered name and adds it if it is new. It returns
// nil if the report already has maxMemory entries.
func (c *Collector) remembered(name string, iteration int) *rememberedReport {
	for _, m := range c.report.Memory {
		if m.Name == name && m.Iteration == iteration {
			return m
		}
	}
	if len(c.report.Memory) == maxMemory {
		return nil
	}
	m := &rememberedReport{Name: name, Iteration: iteration}
	c.report.Memory = append(c.report.Memory, m)
	return m
}

func (c *Collector) setError(e event.RunFailed) {
	c.report.Error = &runError{Message: e.Error, Kind: e.ErrorKind, Pointer: e.Pointer}
	// Masking may have broken the JSON. The message has the same facts.
	var problems []Problem
	if json.Unmarshal([]byte(e.Problems), &problems) == nil {
		c.report.Error.Problems = problems
	}
}

func (c *Collector) addWarning(e event.Event) {
	w := warning{Source: e.Kind, Message: e.Message}
	key := warningKey{source: e.Kind, message: e.Message}
	switch body := e.Body.(type) {
	case event.RunFinished:
		return // the event counts findings, which are all in the report
	case event.ConfigWarning:
		w.Pointer, w.Message = body.Pointer, body.Text
	case event.RunCut:
		w.Pointer = body.Pointer
	case event.Finding:
		w.Pointer = event.SettingOf(body)
	case event.WarningsOmitted:
		w.Pointer = body.JobPointer
	case event.ResponseIgnored:
		w.Pointer = body.JobPointer
		key = warningKey{source: e.Kind, pointer: body.JobPointer, message: strconv.Itoa(body.Status)}
	case event.ResponseSkipped:
		w.Pointer = body.Pointer
		key = warningKey{source: e.Kind, pointer: body.Pointer, message: body.JobPointer}
	case event.JobRestarted:
		w.Pointer = body.Pointer
		key = warningKey{source: e.Kind, pointer: body.Pointer, message: body.JobPointer}
	case event.DataEmpty:
		w.Pointer = body.JobPointer
		key = warningKey{source: e.Kind, pointer: body.JobPointer}
	}
	c.warn(key, w)
}

func (c *Collector) warn(key warningKey, w warning) {
	if i, known := c.warnings[key]; known {
		c.report.Warnings[i].Count++
		return
	}
	if len(c.report.Warnings) >= maxWarnings {
		c.report.WarningsOmitted++
		return
	}
	w.Message = textfmt.Shorten(w.Message, maxText)
	w.Count = 1
	c.warnings[key] = len(c.report.Warnings)
	c.report.Warnings = append(c.report.Warnings, w)
}

// Check adds the problems that a check of the configuration found, as warnings.
func (c *Collector) Check(found failure.Problems) {
	for _, p := range found {
		code, pointer := string(p.Code), c.redact(p.Pointer)
		message := p.Expected
		if p.Found != "" {
			message += ", found " + p.Found
		}
		if p.Hint != "" {
			message += "; " + p.Hint
		}
		text := message.Mask(c.redact).String()
		c.warn(warningKey{code, pointer, text}, warning{Source: "check", Code: code, Pointer: pointer, Message: text})
	}
}

func stamp(t time.Time) string { return t.UTC().Format(event.TimeLayout) }
