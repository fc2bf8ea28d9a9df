package event

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Live shows one line for each running job at the bottom of a terminal:
//
//	users: 3 s, window 3 of 12, 12 pages, 1200 rows, 400 rows/s, waiting 12 s: status 429 Too Many Requests
//	  users/{id}/orders: 3 s, 79 of 1200 parents, 80 pages, 310 rows, 103 rows/s, waiting for a response 2 s
//
// It draws the lines at every tick and after every event, so that events appear above the
// lines. The lines are not events and are not stored. NewReportedLive returns a Live that
// reports events instead of drawing lines. Live is safe for concurrent use. A nil Live has
// no effect.
type Live struct {
	o    LiveOptions
	done chan struct{} // closed when the drawing goroutine has ended
	stop chan struct{}

	mu    sync.Mutex
	jobs  []*LiveJob
	drawn int // number of lines on the terminal
}

// LiveOptions configures a Live.
type LiveOptions struct {
	// Terminal receives the lines and control sequences. Its errors are ignored: the run
	// does not depend on it.
	Terminal io.Writer
	// Size returns the size of the terminal in characters. Longer lines are cut.
	Size func() (width, height int, err error)
	// Ticks triggers drawing.
	Ticks   <-chan time.Time
	Secrets *secret.Registry
	Now     func() time.Time
}

// LiveJob is the line of a job with all its runs. A nil LiveJob has no effect.
type LiveJob struct {
	live  *Live
	key   any
	began time.Time
	// state has no fields about waits and no fields that change with time alone. Parents is
	// the number of parent items that are known to need runs. ParentsDone is the number of
	// parent items with all runs ended. Both are 0 for a job without a parent.
	state jobLive
	waits []*wait

	reported   jobLive // last reported state
	reportedAt time.Time
}

// wait is a reason why a job waits.
type wait struct {
	what  string
	since time.Time
	until time.Time // end of the wait, zero if unknown
}

// Control sequences. noWrap keeps double-width characters on their line.
const (
	upLines  = "\x1b[%dA"
	clearEnd = "\r\x1b[J"
	noWrap   = "\x1b[?7l"
	wrap     = "\x1b[?7h"
)

const (
	// keptFree is the number of free columns at the end of a line: for the cursor, and for
	// the ^C that terminals print.
	keptFree = 3
	minWidth = 10
)

// NewLive starts drawing. Close stops it.
func NewLive(o LiveOptions) *Live {
	return newLive(o, func(l *Live) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.draw()
	})
}

// newLive returns a Live that calls show at every tick.
func newLive(o LiveOptions, show func(*Live)) *Live {
	l := &Live{o: o, done: make(chan struct{}), stop: make(chan struct{})}
	go func() {
		defer close(l.done)
		for {
			select {
			case <-l.stop:
				return
			case <-l.o.Ticks:
				show(l)
			}
		}
	}()
	return l
}

// Close removes the lines and stops drawing.
func (l *Live) Close() {
	if l == nil {
		return
	}
	close(l.stop)
	<-l.done
	l.Forget()
}

// Job returns the line of the job with this key. It adds a line for a new key. depth is the
// number of parent jobs.
func (l *Live) Job(key any, name string, depth int) *LiveJob {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range l.jobs {
		if j.key == key {
			return j
		}
	}
	j := &LiveJob{live: l, key: key, began: l.o.Now(), state: jobLive{Job: name, Depth: depth}}
	l.jobs = append(l.jobs, j)
	return j
}

// Forget removes all lines after their jobs have ended.
func (l *Live) Forget() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.jobs = nil
}

// Over wraps a sink: the lines are removed while the sink writes an event.
func (l *Live) Over(sink Sink) Sink { return overlaySink{sink, l} }

type overlaySink struct {
	Sink
	live *Live
}

func (a overlaySink) Write(e Event) error {
	a.live.mu.Lock()
	defer a.live.mu.Unlock()
	a.live.clear()
	err := a.Sink.Write(e)
	a.live.draw()
	return err
}

// update changes a job that is not nil.
func (j *LiveJob) update(change func()) {
	if j == nil {
		return
	}
	j.live.mu.Lock()
	defer j.live.mu.Unlock()
	change()
}

// At sets the JSON pointer of the job and its iteration. The iteration is 0 if the run has
// only one.
func (j *LiveJob) At(pointer string, iteration int) *LiveJob {
	j.update(func() { j.state.JobPointer, j.state.Iteration = pointer, iteration })
	return j
}

// Page counts a stored page.
func (j *LiveJob) Page(rows int) {
	j.update(func() {
		j.state.Pages++
		j.state.Rows += rows
	})
}

// Window shows the current window of the job.
func (j *LiveJob) Window(number, of int) {
	j.update(func() { j.state.Window = fmt.Sprintf("window %d of %d", number, of) })
}

// Unstored removes the number of rows from the line, because no row of the job is in a
// table.
func (j *LiveJob) Unstored() { j.update(func() { j.state.Unstored = true }) }

// Expect adds to the number of items that the child job will run for.
func (j *LiveJob) Expect(items int) { j.update(func() { j.state.Parents += items }) }

// Done counts items that need no run of the child job.
func (j *LiveJob) Done(items int) { j.update(func() { j.state.ParentsDone += items }) }

// LiveParents counts the runs of a child job for some items of its parent. A nil
// LiveParents has no effect.
type LiveParents struct {
	job   *LiveJob
	count int // number of items
	runs  int // runs that have not ended, plus one until no other run can begin
}

// Parents returns a counter for items that the child job starts to run for. The items are
// done after one call of End for each Begin, and one more call of End when no further run
// can begin.
func (j *LiveJob) Parents(items int) *LiveParents {
	if j == nil {
		return nil
	}
	return &LiveParents{job: j, count: items, runs: 1}
}

// Begin counts a run that begins.
func (p *LiveParents) Begin() {
	if p != nil {
		p.job.update(func() { p.runs++ })
	}
}

// End counts a run that has ended.
func (p *LiveParents) End() {
	if p == nil {
		return
	}
	p.job.update(func() {
		if p.runs--; p.runs == 0 {
			p.job.state.ParentsDone += p.count
		}
	})
}

// Await shows that the job waits, for example "for a response", until done is called.
func (j *LiveJob) Await(what string) (done func()) { return j.wait(what, 0) }

// Pause is like Await for a wait of known length.
func (j *LiveJob) Pause(reason string, d time.Duration) (done func()) {
	return j.wait(reason, max(d, 1))
}

func (j *LiveJob) wait(what string, d time.Duration) (done func()) {
	if j == nil {
		return func() {}
	}
	w := &wait{what: what}
	j.update(func() {
		w.since = j.live.o.Now()
		if d > 0 {
			w.until = w.since.Add(d)
		}
		j.waits = append(j.waits, w)
	})
	return func() {
		j.update(func() {
			j.waits = slices.DeleteFunc(j.waits, func(other *wait) bool { return other == w })
		})
	}
}

// clear removes the lines from the terminal. The next output starts at the first of them.
// The caller holds the lock, as for the methods below.
func (l *Live) clear() { l.replace(nil) }

// draw replaces the lines. The cursor stays at the end of the last line.
func (l *Live) draw() { l.replace(l.lines()) }

// replace moves to the first drawn line, clears the rest, and draws other lines, in one
// write.
func (l *Live) replace(lines []string) {
	text := ""
	if l.drawn > 1 {
		text = fmt.Sprintf(upLines, l.drawn-1)
	}
	if l.drawn > 0 {
		text += clearEnd
	}
	if len(lines) > 0 {
		text += noWrap + strings.Join(lines, "\n") + wrap
	}
	if text != "" {
		_, _ = io.WriteString(l.o.Terminal, text)
	}
	l.drawn = len(lines)
}

// lines returns the lines that fit on the terminal, cut to its width. It returns nil if the
// size of the terminal is unknown or too small.
func (l *Live) lines() []string {
	width, height, err := l.o.Size()
	if err != nil || width < minWidth || height < 2 {
		return nil
	}
	now := l.o.Now()
	var lines []string
	for i, j := range l.jobs {
		text := j.line(now)
		if i == height-2 && i < len(l.jobs)-1 {
			text = fmt.Sprintf("and %d more jobs", len(l.jobs)-i)
		}
		lines = append(lines, textfmt.Fit(textfmt.Printable(l.o.Secrets.Mask(text)), width-keptFree))
		if i == height-2 {
			break
		}
	}
	return lines
}

func (j *LiveJob) line(now time.Time) string {
	var parts []string
	running := now.Sub(j.began)
	if running >= time.Second {
		parts = append(parts, duration(running))
	}
	if j.state.Window != "" {
		parts = append(parts, j.state.Window)
	}
	if j.state.Parents > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s", j.state.ParentsDone, textfmt.Count(j.state.Parents, "parent")))
	}
	parts = append(parts, textfmt.Count(j.state.Pages, "page"))
	if !j.state.Unstored {
		parts = append(parts, textfmt.Count(j.state.Rows, "row"))
		if perSecond := float64(j.state.Rows) / running.Seconds(); running >= time.Second && perSecond >= 0.5 {
			parts = append(parts, textfmt.Count(int(math.Round(perSecond)), "row")+"/s")
		}
	}
	if text := j.waiting(now); text != "" {
		parts = append(parts, text)
	}
	return strings.Repeat("  ", j.state.Depth) + j.state.Job + ": " + strings.Join(parts, ", ")
}

// waiting returns the reason and the time of the job's wait, or "".
func (j *LiveJob) waiting(now time.Time) string {
	first := j.longest()
	if first == nil {
		return ""
	}
	waited, left := now.Sub(first.since), first.until.Sub(now)
	switch {
	case first.until.IsZero() && waited < time.Second:
		return "waiting " + first.what
	case first.until.IsZero():
		return "waiting " + first.what + " " + duration(waited)
	case left <= 0:
		return "waiting: " + first.what
	default: // counts down to 1 s
		return "waiting " + duration(left+time.Second-1) + ": " + first.what
	}
}

// longest returns the wait that ends last. If no end is known, it returns the wait that
// began first. It returns nil if the job does not wait.
func (j *LiveJob) longest() (first *wait) {
	for _, w := range j.waits {
		if first == nil || w.until.After(first.until) {
			first = w
		}
	}
	return first
}

// duration formats a duration in its two largest units, rounded down. Below a minute it
// shows only seconds.
func duration(d time.Duration) string {
	switch seconds := int(d / time.Second); {
	case seconds < 60:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	default:
		return fmt.Sprintf("%d h %d min", seconds/3600, seconds/60%60)
	}
}
