package event

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/prose"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Live keeps one line for each running job at the bottom of a terminal:
//
//	users: 12 pages, 1200 rows, 400 rows/s, waiting 12 s: status 429 Too Many Requests
//	  users/{id}/orders: 80 pages, 310 rows, 103 rows/s, waiting for an answer 4 s
//
// It is drawn anew at every tick and around every event, so that events stay
// above it as lines of their own. It is no event: nothing of it is kept. All
// methods may be called from many goroutines, and a nil Live shows nothing.
type Live struct {
	o    LiveOptions
	done chan struct{} // closed when the goroutine that draws has ended
	stop chan struct{}

	mu    sync.Mutex
	jobs  []*LiveJob
	drawn int // lines on the terminal
}

// LiveOptions say where the lines are shown.
type LiveOptions struct {
	// Terminal gets the lines and the sequences that move the cursor. That it
	// cannot be written is no error: a run does not end because no one looks.
	Terminal io.Writer
	// Size is the terminal's size in characters. What is wider is cut.
	Size func() (width, height int, err error)
	// Ticks says when to draw.
	Ticks   <-chan time.Time
	Secrets *secret.Registry
	Now     func() time.Time
}

// LiveJob is the line of one job, all its runs together. A nil LiveJob takes
// everything and shows nothing.
type LiveJob struct {
	live        *Live
	key         any
	name        string
	depth       int
	began       time.Time
	pages, rows int
	waits       []*wait
}

// wait is something a job is waiting for: until a moment, or for as long as it
// takes.
type wait struct {
	what  string
	since time.Time
	until time.Time // zero: no one knows
}

// The sequences of the terminal: without wrapping even characters that take two
// places stay on their line.
const (
	upLines  = "\x1b[%dA"
	clearEnd = "\r\x1b[J"
	noWrap   = "\x1b[?7l"
	wrap     = "\x1b[?7h"
)

const (
	// keptFree are the places at the end of a line for the ^C that a terminal
	// shows when someone types it, and for the cursor.
	keptFree = 3
	minWidth = 10
)

// NewLive starts to draw. Close ends it.
func NewLive(o LiveOptions) *Live {
	l := &Live{o: o, done: make(chan struct{}), stop: make(chan struct{})}
	go l.work()
	return l
}

func (l *Live) work() {
	defer close(l.done)
	for {
		select {
		case <-l.stop:
			return
		case <-l.o.Ticks:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		}
	}
}

// Close removes the lines for good.
func (l *Live) Close() {
	if l == nil {
		return
	}
	close(l.stop)
	<-l.done
	l.Forget()
}

// Job is the line of a job, which is made when the key is new. Depth is the
// number of jobs above it.
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
	j := &LiveJob{live: l, key: key, name: name, depth: depth, began: l.o.Now()}
	l.jobs = append(l.jobs, j)
	return j
}

// Forget removes all lines: their jobs have ended.
func (l *Live) Forget() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.jobs = nil
}

// Over puts a sink above the lines: they disappear while an event is written.
func (l *Live) Over(sink Sink) Sink { return above{sink, l} }

type above struct {
	Sink
	live *Live
}

func (a above) Write(e Event) error {
	a.live.mu.Lock()
	defer a.live.mu.Unlock()
	a.live.clear()
	err := a.Sink.Write(e)
	a.live.draw()
	return err
}

// Page counts a page that was stored.
func (j *LiveJob) Page(rows int) {
	if j == nil {
		return
	}
	j.live.mu.Lock()
	defer j.live.mu.Unlock()
	j.pages++
	j.rows += rows
}

// Await shows that the job waits for something, such as "for an answer", until the
// returned function is called.
func (j *LiveJob) Await(what string) (done func()) { return j.wait(what, 0) }

// Pause is Await where it is known how long it takes, for a reason.
func (j *LiveJob) Pause(reason string, d time.Duration) (done func()) {
	return j.wait(reason, max(d, 1))
}

func (j *LiveJob) wait(what string, d time.Duration) (done func()) {
	if j == nil {
		return func() {}
	}
	j.live.mu.Lock()
	defer j.live.mu.Unlock()
	w := &wait{what: what, since: j.live.o.Now()}
	if d > 0 {
		w.until = w.since.Add(d)
	}
	j.waits = append(j.waits, w)
	return func() {
		j.live.mu.Lock()
		defer j.live.mu.Unlock()
		j.waits = slices.DeleteFunc(j.waits, func(other *wait) bool { return other == w })
	}
}

// clear takes the lines from the terminal. The cursor then is where the next
// text belongs. The lock is held, here and below.
func (l *Live) clear() {
	if l.drawn == 0 {
		return
	}
	l.write(l.erase())
	l.drawn = 0
}

// erase leads back to the first of the drawn lines and clears from there.
func (l *Live) erase() string {
	switch l.drawn {
	case 0:
		return ""
	case 1:
		return clearEnd
	default:
		return fmt.Sprintf(upLines, l.drawn-1) + clearEnd
	}
}

// draw writes all lines in the place of those before, in one piece. The cursor
// stays behind the last one.
func (l *Live) draw() {
	lines := l.lines()
	if len(lines) == 0 {
		l.clear()
		return
	}
	l.write(l.erase() + noWrap + strings.Join(lines, "\n") + wrap)
	l.drawn = len(lines)
}

func (l *Live) write(text string) { _, _ = io.WriteString(l.o.Terminal, text) }

// lines are as many as fit on the terminal, each cut to its width. A
// terminal that does not report its size gets none.
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
		lines = append(lines, prose.Fit(Printable(l.o.Secrets.Redact(text)), width-keptFree))
		if i == height-2 {
			break
		}
	}
	return lines
}

func (j *LiveJob) line(now time.Time) string {
	parts := []string{prose.Count(j.pages, "page"), prose.Count(j.rows, "row")}
	if s := now.Sub(j.began).Seconds(); s >= 1 {
		parts = append(parts, fmt.Sprintf("%.0f rows/s", float64(j.rows)/s))
	}
	if text := j.waiting(now); text != "" {
		parts = append(parts, text)
	}
	return strings.Repeat("  ", j.depth) + j.name + ": " + strings.Join(parts, ", ")
}

// waiting says what the job waits for: of several things the one that takes
// longest to come, else the one that has been waited for longest.
func (j *LiveJob) waiting(now time.Time) string {
	var first *wait
	for _, w := range j.waits {
		if first == nil || w.until.After(first.until) {
			first = w
		}
	}
	switch {
	case first == nil:
		return ""
	case !first.until.IsZero():
		return fmt.Sprintf("waiting %s: %s", seconds(first.until.Sub(now)), first.what)
	default:
		return fmt.Sprintf("waiting %s %s", first.what, seconds(now.Sub(first.since)))
	}
}

// seconds are whole ones: what is left rounded up would count to 1 and not to 0,
// what has passed is hardly ever exact.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%.0f s", math.Round(max(0, d.Seconds())))
}
