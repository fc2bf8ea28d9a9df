package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/short"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// many fills a job with 100,000 events, 25,000 of which are requests.
func (p *platform) many() store.Job {
	p.Helper()
	j := p.start(p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"}))
	const batch = 10_000
	for from := 0; from < 100_000; from += batch {
		events := make([]store.Event, 0, batch)
		for i := from; i < from+batch; i++ {
			e := store.Event{RunID: j.ID, Type: "info", Created: p.clock.Now(), Message: fmt.Sprintf("event %d.", i)}
			if i%4 == 0 {
				e.Type, e.Results = "debug", fmt.Appendf(nil, `{"event":"request.answered","method":"GET","url":"https://shop.example/users","path":"/users/%d","query":"limit=10","attempt":"1","status":"200","bytes":"1234","seconds":"0.1","job":"users/{id}","jobPointer":"/parameters/config/jobs/%d"}`, i, i%7)
			}
			events = append(events, e)
		}
		_, err := p.store.AddEvents(events...)
		p.must(err)
	}
	return j
}

// TestManyEvents: the page of a job with 100,000 events and 25,000 requests is as large
// as that of any other, and what is searched is found.
func TestManyEvents(t *testing.T) {
	short.Skip(t, "it stores many events")
	p := newPlatform(t)
	j := p.many()
	body := p.see(jobURL(j.ID), "The newest 100 of 25,000 requests", "event 99999.", "<dd>25,000</dd>")
	if len(body) > 700_000 {
		t.Errorf("%d bytes", len(body))
	}
	if n := strings.Count(body, `<tr id="event-`); n != shownEvents {
		t.Errorf("%d events", n)
	}
	p.say(j.ID, "info", "one more")
	p.see(jobURL(j.ID), "one more") // reads only what is new
	p.see(jobURL(j.ID)+"?rq=/users/96000&eq=event+7700", "/users/96000<", "event 77001.")
}
