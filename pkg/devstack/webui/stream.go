package webui

import (
	"context"
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

// headOnly reports whether the request needs only the headers of a stream. Writes of a
// body would be discarded, so the stream would never notice that the client has
// disconnected.
func headOnly(r *http.Request) bool { return r.Method == http.MethodHead }

// stream sends server-sent events with HTML. Their kinds are replace (elements by their
// id), append (lines of the list of events), and end.
type stream struct{ to deadlineWriter }

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	// A proxy must not buffer the events.
	w.Header().Set("X-Accel-Buffering", "no")
	return stream{newDeadlineWriter(w)}
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

// update sends a replace event unless the HTML equals the HTML that was sent last.
func (s stream) update(html string, sent *string) error {
	if html == *sent {
		return nil
	}
	*sent = html
	return s.send("replace", 0, html)
}

// alive sends a comment, which clients ignore.
func (s stream) alive() error { return s.write(": alive\n\n") }

func (s stream) write(text string) error {
	if _, err := s.to.Write([]byte(text)); err != nil {
		return err
	}
	return s.to.Flush()
}

// followOverview sends the lists of the overview when they have changed, at most once per
// beat.
func (s *site) followOverview(w http.ResponseWriter, r *http.Request) error {
	out := newStream(w)
	if headOnly(r) {
		return nil
	}
	defer out.to.release()
	beats, stop := s.Ticker(beat)
	defer stop()
	var sent string
	for {
		changes := s.Store.Changes()
		o, err := s.lookAround(r)
		if err != nil {
			return s.broken(r, err)
		}
		html, err := s.fragment("overview-live", o)
		if err != nil {
			return s.broken(r, err)
		}
		if out.update(html, &sent) != nil {
			return nil // the client has disconnected
		}
		for again := false; !again; {
			if s.wait(r, nil, beats) == over {
				return nil
			}
			select {
			case <-changes:
				again = true
			default:
			}
			if out.alive() != nil {
				return nil
			}
		}
	}
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
func (s *site) wait(r *http.Request, changes <-chan struct{}, beats <-chan time.Time) signal {
	select {
	case <-r.Context().Done():
		return over
	case <-s.Done:
		return over
	case <-changes:
		return changed
	case <-beats:
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
