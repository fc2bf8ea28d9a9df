package report

import (
	"slices"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// firstStep is the initial Activity.Step, in seconds. The step doubles if there are too
// many periods.
const firstStep = 0.01

func (c *Collector) addRequest(end time.Time, e event.RequestAnswered) {
	job := c.job(e.Job, e.JobPointer, e.Iteration)
	failed := e.Status == 0 || e.Status >= 400
	status := "none"
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	for _, t := range c.traffics(job) {
		t.Requests++
		t.Bytes += e.Bytes
		t.Seconds += e.Seconds
		t.Waited += e.Waited
		t.Statuses[status]++
		if e.Login {
			t.Logins++
		}
		if failed {
			t.Failures++
		}
	}
	r := &requestReport{
		Login:   e.Login,
		Method:  e.Method,
		URL:     textfmt.Shorten(e.URL, maxText),
		Attempt: e.Attempt,
		Status:  e.Status,
		Reason:  textfmt.Shorten(e.Reason, maxText),
		Bytes:   e.Bytes,
		Start:   max(0, milliseconds(end.Sub(c.began).Seconds()-e.Seconds)),
		Seconds: e.Seconds,
		Held:    e.Waited,
		path:    e.Path,
		pointer: e.JobPointer,
	}
	if e.Status >= 400 {
		if len(c.failures) == maxFailures {
			c.failures = c.failures[1:]
		}
		c.failures = append(c.failures, r)
	}
	if job >= 0 {
		r.Job = &job
	}
	c.report.Activity.add(r, failed)
	c.report.Slowest = slowest(c.report.Slowest, r)
	if len(c.report.Waterfall.Requests) < maxWaterfall {
		c.report.Waterfall.Requests = append(c.report.Waterfall.Requests, r)
	} else {
		c.report.Waterfall.Omitted++
	}
}

// countIgnored counts the last failure of a job as ignored, because the configuration
// allows its status.
func (c *Collector) countIgnored(pointer string, status int) {
	for i, r := range slices.Backward(c.failures) {
		if r.Status != status || r.pointer != pointer {
			continue
		}
		c.failures = slices.Delete(c.failures, i, i+1)
		r.Ignored = true
		job := -1
		if r.Job != nil {
			job = *r.Job
		}
		for _, t := range c.traffics(job) {
			t.Failures--
			t.Ignored++
		}
		if p := int(r.Start / c.report.Activity.Step); p < len(c.report.Activity.Periods) {
			c.report.Activity.Periods[p].Failures--
		}
		return
	}
}

// countRetry counts a retry. It sets the wait of the failed request if the waterfall has
// the request.
func (c *Collector) countRetry(e event.RequestRetried) {
	job := c.job(e.Job, e.JobPointer, e.Iteration)
	for _, t := range c.traffics(job) {
		t.Retries++
		t.Waited += e.WaitSeconds
	}
	c.setWait(job, e.Method, e.Path, e.WaitSeconds, func(r *requestReport) bool { return r.Attempt == e.Retry })
}

// countPoll counts a wait for a response that was not ready. It sets the wait of the last
// request if the waterfall has the request.
func (c *Collector) countPoll(e event.JobWaiting) {
	job := c.job(e.Job, e.JobPointer, e.Iteration)
	for _, t := range c.traffics(job) {
		t.Polls++
		t.Waited += e.WaitSeconds
	}
	c.setWait(job, e.Method, e.Path, e.WaitSeconds, func(*requestReport) bool { return true })
}

func (c *Collector) setWait(job int, method, path string, seconds float64, matches func(*requestReport) bool) {
	for _, r := range slices.Backward(c.report.Waterfall.Requests) {
		if r.RetryIn == nil && r.path == path && r.Method == method && matches(r) && r.belongsTo(job) {
			r.RetryIn = &seconds
			return
		}
	}
}

func (r *requestReport) belongsTo(job int) bool {
	if r.Job == nil {
		return job < 0
	}
	return *r.Job == job
}

// slowest adds a request to the list if it is among the maxSlowest slowest.
func slowest(list []*requestReport, r *requestReport) []*requestReport {
	i, _ := slices.BinarySearchFunc(list, r, func(a, b *requestReport) int {
		if a.Seconds >= b.Seconds {
			return -1
		}
		return 1
	})
	if i == maxSlowest {
		return list
	}
	list = slices.Insert(list, i, r)
	return list[:min(len(list), maxSlowest)]
}

// add counts a request in its period.
func (a *activity) add(r *requestReport, failed bool) {
	for r.Start/a.Step >= maxPeriods {
		a.double()
	}
	i := int(r.Start / a.Step)
	for len(a.Periods) <= i {
		a.Periods = append(a.Periods, period{})
	}
	p := &a.Periods[i]
	p.Requests++
	p.Bytes += r.Bytes
	if failed {
		p.Failures++
	}
}

// double doubles the step and merges pairs of periods.
func (a *activity) double() {
	a.Step *= 2
	half := make([]period, (len(a.Periods)+1)/2)
	for i, p := range a.Periods {
		h := &half[i/2]
		h.Requests += p.Requests
		h.Failures += p.Failures
		h.Bytes += p.Bytes
	}
	a.Periods = half
}
