package webui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// manyEvents is more than a page shows, and more than the digest of a job reads at once.
const manyEvents = 60 * batchEvents

// many fills a job with events, a quarter of which are requests.
func (p *platform) many() store.Job {
	p.Helper()
	j := p.start(p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"}))
	events := make([]store.Event, 0, manyEvents)
	for i := range manyEvents {
		e := store.Event{RunID: j.ID, Type: "info", Created: p.clock.Now(), Message: fmt.Sprintf("event %d.", i)}
		if i%4 == 0 {
			e.Type, e.Results = "debug", fmt.Appendf(nil, `{"event":"request.answered","method":"GET","url":"https://shop.example/users","path":"/users/%d","query":"limit=10","attempt":"1","status":"200","bytes":"1234","seconds":"0.1","job":"users/{id}","jobPointer":"/parameters/config/jobs/%d"}`, i, i%7)
		}
		events = append(events, e)
	}
	_, err := p.store.AddEvents(events...)
	p.must(err)
	return j
}

// TestManyEvents: the page of a job with thousands of events and requests is as large as
// that of any other, and what is searched is found.
func TestManyEvents(t *testing.T) {
	slowtest.Skip(t, "its job has thousands of events")
	p := newPlatform(t)
	j := p.many()
	body := p.see(jobURL(j.ID), "The newest 100 of 3,000 requests", "event 11999.", "<dd>3,000</dd>")
	if len(body) > 700_000 {
		t.Errorf("%d bytes", len(body))
	}
	if n := strings.Count(body, `<tr id="event-`); n != shownEvents {
		t.Errorf("%d events", n)
	}
	p.say(j.ID, "info", "one more")
	p.see(jobURL(j.ID), "one more") // reads only what is new
	if found, err := (&site{Options: Options{Store: p.store}}).eventsWith([]uint64{1, 1 << 40, 2}); err != nil || len(found) != 2 {
		t.Errorf("with an event that is gone: %+v, %v", found, err)
	}
	p.see(jobURL(j.ID)+"?rq=/users/9600&eq=event+770", "/users/9600<", "event 7701.")
}
