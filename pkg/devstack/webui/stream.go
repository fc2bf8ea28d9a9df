package webui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// beat is the interval between signs of life of a stream. Data that change with time are
// sent as often.
const beat = time.Second

// stream sends server-sent events with HTML. Their kinds are replace (elements by their
// id), append (lines of the list of events), and end.
type stream struct {
	site  *site
	r     *http.Request
	to    deadlineWriter
	beats <-chan time.Time
}

var errDisconnected = errors.New("the client has disconnected")

// follow responds with a stream, which send fills.
func (s *site) follow(w http.ResponseWriter, r *http.Request, send func(stream) error) error {
	w.Header().Set("Content-Type", "text/event-stream")
	// A proxy must not buffer the events.
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		// Writes of a body would be discarded, so the stream would never notice that the
		// client has disconnected.
		return nil
	}
	out := stream{site: s, r: r, to: newDeadlineWriter(w)}
	defer out.to.release()
	beats, stop := s.Ticker(beat)
	defer stop()
	out.beats = beats
	if err := send(out); !errors.Is(err, errDisconnected) {
		return s.broken(r, err)
	}
	return nil
}

// send sends one event. The browser resumes after id. If id is 0, the previous id stays
// valid.
func (s stream) send(kind string, id uint64, html string) error {
	var b strings.Builder
	b.WriteString("event: " + kind + "\n")
	if id > 0 {
		b.WriteString("id: " + strconv.FormatUint(id, 10) + "\n")
	}
	// In the protocol, each of these ends a line.
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(html), "\n") {
		b.WriteString("data: " + line + "\n")
	}
	return s.write(b.String() + "\n")
}

// replace sends a fragment unless it equals the fragment that was sent last. If sent is
// nil, it always sends the fragment.
func (s stream) replace(fragment string, data any, sent *string) error {
	html, err := s.site.fragment(fragment, data)
	if err != nil {
		return err
	}
	if sent != nil {
		if html == *sent {
			return nil
		}
		*sent = html
	}
	return s.send("replace", 0, html)
}

// alive sends a comment, which clients ignore.
func (s stream) alive() error { return s.write(": alive\n\n") }

func (s stream) write(text string) error {
	if _, err := s.to.Write([]byte(text)); err != nil {
		return errDisconnected
	}
	if s.to.control.Flush() != nil {
		return errDisconnected
	}
	return nil
}

// followOverview sends the lists of the overview when they have changed, at most once per
// beat.
func (s *site) followOverview(w http.ResponseWriter, r *http.Request) error {
	return s.follow(w, r, func(out stream) error {
		var sent string
		for {
			changes := s.Store.Changes()
			o, err := s.lookAround(r)
			if err != nil {
				return err
			}
			if err := out.replace("overview-live", o, &sent); err != nil {
				return err
			}
			for again := false; !again; {
				if out.wait(nil) == over {
					return nil
				}
				select {
				case <-changes:
					again = true
				default:
				}
				if err := out.alive(); err != nil {
					return err
				}
			}
		}
	})
}

// signal is the reason why a stream stops waiting.
type signal int

const (
	changed signal = iota
	beaten
	over
)

// wait waits for a change, a beat, or the end of the request or the platform. It returns
// the first of them.
func (s stream) wait(changes <-chan struct{}) signal {
	select {
	case <-s.r.Context().Done():
		return over
	case <-s.site.Done:
		return over
	case <-changes:
		return changed
	case <-s.beats:
		return beaten
	}
}

// eventsAfter returns the next events of a job and the id of the last of them. It reads a
// batch, so that no transaction waits for a browser.
func (s *site) eventsAfter(ctx context.Context, job string, last uint64) ([]store.Event, uint64, error) {
	var batch []store.Event
	err := s.Store.EventsOf(job, last, func(e store.Event) bool {
		batch = append(batch, e)
		return len(batch) < batchEvents
	})
	if err == nil {
		err = ctx.Err()
	}
	if len(batch) > 0 {
		if id, err := strconv.ParseUint(batch[len(batch)-1].ID, 10, 64); err == nil {
			last = id
		}
	}
	return batch, last, err
}

// resumeAfter returns the id of the last event that a browser has. The id comes from the
// stream, otherwise from the page.
func resumeAfter(r *http.Request) uint64 {
	for _, text := range []string{r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after")} {
		if id, err := strconv.ParseUint(text, 10, 64); err == nil {
			return id
		}
	}
	return 0
}

// broken aborts a response that has begun, so that it does not look complete. It returns
// nil if there was no error.
func (s *site) broken(r *http.Request, err error) error {
	if err == nil && r.Context().Err() == nil {
		return nil
	}
	if r.Context().Err() == nil {
		s.Report(fmt.Errorf("page %s: %w", r.URL.Path, err))
	}
	panic(http.ErrAbortHandler)
}

// writeTimeout is the maximum time for a write to a browser. A browser that accepts no
// data for longer loses its connection: while rows are sent, their file stays on disk even
// if the table is loaded again.
const writeTimeout = 15 * time.Second

// deadlineWriter moves the deadline of a response with each write, so that the response
// may last as long as the client reads.
type deadlineWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newDeadlineWriter(w http.ResponseWriter) deadlineWriter {
	return deadlineWriter{w, http.NewResponseController(w)}
}

// Write sets a new deadline and writes.
func (p deadlineWriter) Write(text []byte) (int, error) {
	if err := p.deadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return p.w.Write(text)
}

// release removes the deadline from the connection, which may serve other requests.
func (p deadlineWriter) release() { _ = p.deadline(time.Time{}) }

// deadline sets the deadline. The response recorders of tests do not support deadlines.
func (p deadlineWriter) deadline(at time.Time) error {
	if err := p.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

type follower struct {
	stream
	// after is the id of the last event that the browser has.
	after uint64
	// events is the part of the event list that the page shows.
	events listing
	// head, lines and requests are the fragments that were sent last.
	head, lines, requests string
}

// followJob streams the events of a job, and other parts of its page when they change. It
// returns when the job has ended and everything was sent.
func (s *site) followJob(w http.ResponseWriter, r *http.Request, j store.Job) error {
	return s.follow(w, r, func(out stream) error {
		f := follower{stream: out, after: resumeAfter(r), events: eventListing(r.URL.Query())}
		for {
			changes := s.Store.Changes()
			// The job is read before its events: once it has ended, no events follow.
			j, err := s.Store.Job(j.ID)
			if err != nil {
				return err
			}
			if err := f.catchUp(j); err != nil {
				return err
			}
			if j.Status.Finished() {
				return f.finish(j)
			}
			what := f.wait(changes)
			for ; what == beaten; what = f.wait(changes) {
				if err := f.beat(j); err != nil {
					return err
				}
			}
			if what == over {
				return nil
			}
		}
	})
}

// catchUp sends the events that the browser does not have, and the head of the page if it
// has changed.
func (f *follower) catchUp(j store.Job) error {
	for {
		batch, last, err := f.site.eventsAfter(f.r.Context(), j.ID, f.after)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		f.after = last
		var lines []eventLine
		for _, e := range batch {
			if line := newEventLine(e, kindOf(e)); !f.events.paged && wantsEvent(f.events, line) {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		html, err := f.site.fragment("event-lines", lines)
		if err != nil {
			return err
		}
		if err := f.send("append", last, html); err != nil {
			return err
		}
	}
	v, err := f.site.viewOf(f.r.Context(), j)
	if err != nil {
		return err
	}
	// Elapsed and Counted change all the time. Only beat sends them.
	look := v
	look.Elapsed, look.Counted = 0, nil
	html, err := f.site.fragment("job-head", look)
	if err != nil || html == f.head {
		return err
	}
	f.head = html
	return f.replace("job-head", v, nil)
}

// beat sends the totals of the job, the progress of its jobs and the list of requests. It
// skips lists that have not changed.
func (f *follower) beat(j store.Job) error {
	v, err := f.site.viewOf(f.r.Context(), j)
	if err != nil {
		return err
	}
	if err := f.replace("job-totals", v, nil); err != nil {
		return err
	}
	d, err := f.site.digest(f.r.Context(), j.ID)
	if err != nil {
		return err
	}
	if err := f.replace("job-lines", f.site.lines(&d, j), &f.lines); err != nil {
		return err
	}
	requests, err := f.site.requestList(f.r, j.ID, &d)
	if err != nil || !requests.live() {
		return err
	}
	return f.replace("job-requests", requests, &f.requests)
}

// finish sends the parts of the page that are known only at the end.
func (f *follower) finish(j store.Job) error {
	d, err := f.site.digest(f.r.Context(), j.ID)
	if err != nil {
		return err
	}
	page, err := f.site.jobPage(f.r, j, &d)
	if err != nil {
		return err
	}
	if err := f.replace("job-outcome", page, nil); err != nil {
		return err
	}
	if page.Requests.live() {
		if err := f.replace("job-requests", page.Requests, nil); err != nil {
			return err
		}
	}
	return f.send("end", 0, "end")
}
