package webui

import (
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// follower sends updates of a job's page to a browser.
type follower struct {
	site *site
	r    *http.Request
	out  stream
	// after is the id of the last event that the browser has.
	after uint64
	// events is the part of the event list that the page shows.
	events listing
	// head, lines and requests are the fragments that were sent last.
	head, lines, requests string
}

// followJob streams the events of a job, and other parts of its page when they change. It
// returns when the job has ended and everything was sent.
func (s *site) followJob(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := s.Store.Job(id); err != nil {
		return err
	}
	f := follower{site: s, r: r, out: newStream(w), after: resumeAfter(r), events: eventListing(r.URL.Query())}
	if headOnly(r) {
		return nil
	}
	defer f.out.to.release()
	beats, stop := s.Ticker(beat)
	defer stop()
	for {
		changes := s.Store.Changes()
		// The job is read before its events: once it has ended, no events follow.
		j, err := s.Store.Job(id)
		if err != nil {
			return s.broken(r, err)
		}
		if err := f.catchUp(j); err != nil {
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
		if err := f.out.send("append", last, html); err != nil {
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
	return f.replace("job-head", v)
}

// beat sends the totals of the job, the progress of its jobs and the list of requests. It
// skips lists that have not changed.
func (f *follower) beat(j store.Job) error {
	v, err := f.site.viewOf(f.r.Context(), j)
	if err != nil {
		return err
	}
	if err := f.replace("job-totals", v); err != nil {
		return err
	}
	d, err := f.site.digest(f.r.Context(), j.ID)
	if err != nil {
		return err
	}
	if err := f.update("job-lines", f.site.lines(&d, j), &f.lines); err != nil {
		return err
	}
	requests, err := f.site.requestList(f.r, j.ID, &d)
	if err != nil || !requests.live() {
		return err
	}
	return f.update("job-requests", requests, &f.requests)
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
	if err := f.replace("job-outcome", page); err != nil {
		return err
	}
	if page.Requests.live() {
		if err := f.replace("job-requests", page.Requests); err != nil {
			return err
		}
	}
	return f.out.send("end", 0, "end")
}

// update sends a fragment unless it equals the fragment that was sent last.
func (f *follower) update(fragment string, data any, sent *string) error {
	html, err := f.site.fragment(fragment, data)
	if err != nil {
		return err
	}
	return f.out.update(html, sent)
}

func (f *follower) replace(fragment string, data any) error {
	html, err := f.site.fragment(fragment, data)
	if err != nil {
		return err
	}
	return f.out.send("replace", 0, html)
}
