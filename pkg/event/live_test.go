package event

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// screen is a terminal that shows what is written to it: it knows the line feed,
// the carriage return and the sequences that Live and Console use.
type screen struct {
	width    int
	lines    []string
	row, col int
	noWrap   bool
}

func (s *screen) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		rest := ""
		switch {
		case strings.HasPrefix(text, noWrap):
			s.noWrap, rest = true, text[len(noWrap):]
		case strings.HasPrefix(text, wrap):
			s.noWrap, rest = false, text[len(wrap):]
		case strings.HasPrefix(text, "\x1b[J"):
			s.lines = append(s.lines[:s.row], s.line()[:s.col])
			rest = text[3:]
		case strings.HasPrefix(text, "\x1b["):
			var n int
			if _, err := fmt.Sscanf(text, upLines, &n); err != nil || n > s.row {
				return 0, fmt.Errorf("%q at line %d: %v", text, s.row, err)
			}
			s.row -= n
			rest = text[strings.IndexByte(text, 'A')+1:]
		case text[0] == '\r':
			s.col, rest = 0, text[1:]
		case text[0] == '\n':
			s.row, s.col, rest = s.row+1, 0, text[1:]
		default:
			r := []rune(text)[0]
			rest = text[len(string(r)):]
			s.put(r)
		}
		text = rest
	}
	return len(p), nil
}

func (s *screen) line() string {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, "")
	}
	return s.lines[s.row]
}

func (s *screen) put(r rune) {
	if s.col == s.width && !s.noWrap {
		s.row, s.col = s.row+1, 0
	}
	line := append([]rune(s.line())[:s.col], r)
	s.lines[s.row] = string(line)
	s.col++
}

// shown is the screen without empty lines at its end.
func (s *screen) shown() string { return strings.TrimRight(strings.Join(s.lines, "\n"), "\n") }

// stage is a Live on a screen with a log above it.
func stage(t *testing.T, width, height int, secrets ...string) (*Live, *Log, *screen, *clock.Clock, func()) {
	t.Helper()
	on, c, masked := &screen{width: width}, clock.At(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)), secretsOf(secrets...)
	live := NewLive(LiveOptions{
		Terminal: on, Secrets: masked, Now: c.Now,
		Size: func() (int, int, error) { return width, height, nil },
	})
	tick := func() {
		live.mu.Lock()
		defer live.mu.Unlock()
		live.draw()
	}
	return live, NewLog(live.Over(NewConsole(on, false)), masked, c.Now), on, c, tick
}

func wantScreen(t *testing.T, s *screen, lines ...string) {
	t.Helper()
	if got, want := s.shown(), strings.Join(lines, "\n"); got != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
	}
}

func TestLive(t *testing.T) {
	live, log, on, c, tick := stage(t, 100, 24)
	tick()
	wantScreen(t, on)
	const started, warning = "12:00:00 info  Extraction started: 1 job version=1", "12:00:04 WARN  t: odd"
	log.Emit(RunStarted{Version: "1", Jobs: 1, Iterations: 1})
	users := live.Job("u", "users", 0)
	responded := users.Await("for a response")
	c.Advance(4 * time.Second)
	tick()
	wantScreen(t, on, started, "users: 4 s, 0 pages, 0 rows, waiting for a response 4 s")
	responded()
	users.Page(200)
	log.Emit(MappingWarning{Table: "t", Text: "odd"})
	wantScreen(t, on, started, warning, "users: 4 s, 1 page, 200 rows, 50 rows/s")
	// Of several waits the one that takes longest is shown. A child has one line for
	// all its runs.
	orders := live.Job("o", "users/{id}/orders", 1)
	if live.Job("o", "users/{id}/orders", 1) != orders {
		t.Error("a second line for the same job")
	}
	rested := users.Pause("status 429 Too Many Requests", 12*time.Second)
	users.Pause("api.http.rateLimit", time.Second)
	users.Await("for a response")
	c.Advance(2 * time.Second)
	tick()
	wantScreen(t, on, started, warning,
		"users: 6 s, 1 page, 200 rows, 33 rows/s, waiting 10 s: status 429 Too Many Requests",
		"  users/{id}/orders: 2 s, 0 pages, 0 rows")
	rested()
	log.Emit(MappingWarning{Table: "t", Text: "odder"})
	live.Forget()
	log.Emit(MappingWarning{Table: "t", Text: "oddest"})
	live.Job("next", "next", 0)
	tick()
	live.Close()
	log.Emit(MappingWarning{Table: "t", Text: "last"})
	wantScreen(t, on, started, warning, "12:00:06 WARN  t: odder", "12:00:06 WARN  t: oddest", "12:00:06 WARN  t: last")
}

func TestLiveFitsTheTerminal(t *testing.T) {
	live, log, on, _, tick := stage(t, 21, 4)
	for _, name := range []string{"a", "somewhat longer", "c", "d", "e"} {
		live.Job(name, name, 0)
	}
	tick()
	wantScreen(t, on, "a: 0 pages, 0 rows", "somewhat longer: …", "and 3 more jobs")
	tick()
	log.Emit(RunStarted{Jobs: 1, Iterations: 1})
	wantScreen(t, on, "12:00:00 info  Extrac", "tion started: 1 job", "a: 0 pages, 0 rows", "somewhat longer: …", "and 3 more jobs")
	live.Close()
}

// TestLiveLine: what a line has after some calls, with two seconds since its start.
func TestLiveLine(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*LiveJob)
		want   string
	}{
		"masked": {func(j *LiveJob) { j.Pause("s3cret-key", 3*time.Second) }, `t?key=[hidden]\x1b[2J: 2 s, 0 pages, 0 rows, waiting 1 s: [hidden]`},
		"window": {func(j *LiveJob) { j.Window(3, 12); j.Page(5) }, `t?key=[hidden]\x1b[2J: 2 s, window 3 of 12, 1 page, 5 rows, 3 rows/s`},
		// Of a job whose items are only parents there are no rows to count.
		"unstored": {(*LiveJob).Unstored, `t?key=[hidden]\x1b[2J: 2 s, 0 pages`},
	} {
		t.Run(name, func(t *testing.T) {
			live, _, on, c, tick := stage(t, 80, 24, "s3cret-key")
			defer live.Close()
			tc.change(live.Job(1, "t?key=s3cret-key\x1b[2J", 0))
			tc.change(nil) // no terminal
			c.Advance(2 * time.Second)
			tick()
			wantScreen(t, on, tc.want)
		})
	}
}

// TestLiveTimes: a time below a second is not shown, and a wait counts down to 1 s.
func TestLiveTimes(t *testing.T) {
	for _, tc := range []struct {
		after time.Duration
		want  string
	}{
		{0, "a: 0 pages, 0 rows, waiting for a response|b: 0 pages, 0 rows, waiting 2 s: slow"},
		{999 * time.Millisecond, "a: 0 pages, 0 rows, waiting for a response|b: 0 pages, 0 rows, waiting 2 s: slow"},
		{1500 * time.Millisecond, "a: 1 s, 0 pages, 0 rows, waiting for a response 1 s|b: 1 s, 0 pages, 0 rows, waiting 1 s: slow"},
		{2 * time.Second, "a: 2 s, 0 pages, 0 rows, waiting for a response 2 s|b: 2 s, 0 pages, 0 rows, waiting: slow"},
		{62 * time.Second, "a: 1 min 2 s, 0 pages, 0 rows, waiting for a response 1 min 2 s|b: 1 min 2 s, 0 pages, 0 rows, waiting: slow"},
		{2*time.Hour + 3*time.Minute, "a: 2 h 3 min, 0 pages, 0 rows, waiting for a response 2 h 3 min|b: 2 h 3 min, 0 pages, 0 rows, waiting: slow"},
	} {
		live, _, on, c, tick := stage(t, 100, 24)
		live.Job(1, "a", 0).Await("for a response")
		live.Job(2, "b", 0).Pause("slow", 2*time.Second)
		c.Advance(tc.after)
		tick()
		wantScreen(t, on, strings.Split(tc.want, "|")...)
		live.Close()
	}
}

// TestLiveParents: an item is done when all of its runs have ended and no other begins.
func TestLiveParents(t *testing.T) {
	live, _, on, _, tick := stage(t, 100, 24)
	defer live.Close()
	child := live.Job(1, "users/{id}", 1)
	want := func(parents string) {
		t.Helper()
		tick()
		wantScreen(t, on, "  users/{id}: "+parents+"0 pages, 0 rows")
	}
	want("")
	child.Expect(3)
	want("0 of 3 parents, ")
	one := child.Parents(1)
	one.Begin()
	one.Begin()
	one.End()
	one.End()
	want("0 of 3 parents, ")
	one.End()
	want("1 of 3 parents, ")
	child.Done(1)
	child.Expect(10)
	batch := child.Parents(11)
	batch.Begin()
	batch.End()
	batch.End()
	want("13 of 13 parents, ")
	none := (*Live)(nil).Job(1, "x", 0) // no terminal
	none.Expect(1)
	none.Done(1)
	none.Parents(1).Begin()
	none.Parents(1).End()
}

// TestLiveWithoutSize: at a tick the size is read, and a terminal without a
// size gets no lines.
func TestLiveWithoutSize(t *testing.T) {
	var out bytes.Buffer
	asked := make(chan struct{})
	ticks := make(chan time.Time)
	live := NewLive(LiveOptions{
		Terminal: &out, Ticks: ticks, Secrets: secretsOf(), Now: atNoon,
		Size: func() (int, int, error) {
			asked <- struct{}{}
			return 0, 0, errors.New("not a terminal")
		},
	})
	live.Job(1, "users", 0)
	ticks <- atNoon()
	<-asked
	live.Close()
	if out.Len() > 0 {
		t.Errorf("wrote %q", &out)
	}
}

// TestNoLive: without a terminal nothing is shown and nothing is made.
func TestNoLive(t *testing.T) {
	var live *Live
	job := live.Job(1, "users", 0)
	if allocated := testing.AllocsPerRun(10, func() {
		job.Await("for a response")()
		job.Pause("status 500", time.Second)()
		job.Page(5)
	}); allocated > 0 {
		t.Errorf("%v allocations", allocated)
	}
	live.Forget()
	live.Close()
}

// A line is masked before it is cut to the width of the terminal, at every width.
func TestLiveShowsNoSecret(t *testing.T) {
	const secret = "s3cr3t/of a?line&s3cr3t"
	for width := minWidth; width < 120; width++ {
		var shown bytes.Buffer
		live := NewLive(LiveOptions{
			Terminal: &shown,
			Size:     func() (int, int, error) { return width, 10, nil },
			Secrets:  secretsOf(secret, "s3cr3t"),
			Now:      time.Now,
		})
		job := live.Job(1, "users/"+secret, 0)
		child := live.Job(2, "users/"+url.PathEscape(secret)+"/x", 1)
		job.Await("for " + secret)
		child.Pause("status 503 "+secret, time.Minute)
		live.mu.Lock()
		live.draw()
		live.mu.Unlock()
		live.Close()
		if text := shown.String(); strings.Contains(text, "s3cr") || !strings.Contains(text, "users") {
			t.Errorf("at a width of %d: %q", width, text)
		}
	}
}
