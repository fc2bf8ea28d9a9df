package page

import (
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// follower sends what is new about a job to a browser.
type follower struct {
	site *site
	out  stream
	// after is the last event that the browser has.
	after  uint64
	digest digest
	// head and requests are what was sent last.
	head, requests string
}

// followJob sends the events of a job as they come, and other parts of its page
// when they change. It returns when the job has ended and everything was sent.
func (s *site) followJob(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := s.Store.Job(id); err != nil {
		return err
	}
	f := follower{site: s, out: newStream(w), after: resumeAfter(r)}
	if headOnly(r) {
		return nil
	}
	defer f.out.to.release()
	beats, stop := s.Ticker(beat)
	defer stop()
	for {
		changes := s.Store.Changes()
		// The job is read before its events: once it has ended there will be no
		// more.
		j, err := s.Store.Job(id)
		if err != nil {
			return s.broken(r, err)
		}
		if err := f.catchUp(r, j); err != nil {
			return s.broken(r, err)
		}
		if j.Status.Finished() {
			return s.broken(r, f.finish(j))
		}
		what := s.wait(r, changes, beats)
		for ; what == beaten; what = s.wait(r, changes, beats) {
			if err := f.beat(j); err != nil {
				return s.broken(r, err)
			}
		}
		if what == over {
			return nil
		}
	}
}

// catchUp sends the events that the browser does not have, and the head of the page
// if it has changed.
func (f *follower) catchUp(r *http.Request, j store.Job) error {
	for {
		batch, last, err := f.site.eventsAfter(r.Context(), j.ID, f.digest.after)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		var lines []eventLine
		for _, e := range batch {
			f.digest.add(e)
			if f.digest.after > f.after {
				lines = append(lines, newEventLine(e))
			}
		}
		if len(lines) == 0 {
			continue
		}
		html, err := f.site.fragment("event-lines", lines)
		if err != nil {
			return err
		}
		if err := f.out.send("append", last, html); err != nil {
			return err
		}
	}
	v, err := f.site.viewOf(j)
	if err != nil {
		return err
	}
	// Only a beat sends the elapsed time.
	elapsed := v.Elapsed
	v.Elapsed = 0
	look, err := f.site.fragment("job-head", v)
	if err != nil || look == f.head {
		return err
	}
	f.head = look
	v.Elapsed = elapsed
	return f.replace("job-head", v)
}

// beat sends the elapsed time, and the requests if there are new ones.
func (f *follower) beat(j store.Job) error {
	v, err := f.site.viewOf(j)
	if err != nil {
		return err
	}
	if err := f.replace("job-elapsed", v); err != nil {
		return err
	}
	requests, err := f.site.fragment("job-requests", &f.digest.requests)
	if err != nil || requests == f.requests {
		return err
	}
	f.requests = requests
	return f.out.send("replace", 0, requests)
}

// finish sends what is known at the end only.
func (f *follower) finish(j store.Job) error {
	page, err := f.site.jobPage(j, &f.digest)
	if err != nil {
		return err
	}
	if err := f.replace("job-outcome", page); err != nil {
		return err
	}
	return f.out.send("end", 0, "end")
}

func (f *follower) replace(fragment string, data any) error {
	html, err := f.site.fragment(fragment, data)
	if err != nil {
		return err
	}
	return f.out.send("replace", 0, html)
}
