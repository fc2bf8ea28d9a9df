package webui

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// message is one server-sent event; a comment has the kind "".
type message struct{ kind, id, data string }

// parseMessage reads the lines of one message.
func parseMessage(text string) message {
	var m message
	var data []string
	for line := range strings.SplitSeq(text, "\n") {
		switch field, rest, _ := strings.Cut(line, ":"); field {
		case "event":
			m.kind = strings.TrimPrefix(rest, " ")
		case "id":
			m.id = strings.TrimPrefix(rest, " ")
		case "data":
			data = append(data, strings.TrimPrefix(rest, " "))
		}
	}
	m.data = strings.Join(data, "\n")
	return m
}

func messages(text string) (found []message) {
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		found = append(found, parseMessage(part))
	}
	return found
}

// listener is a client that follows a stream.
type listener struct {
	*platform
	response *http.Response
	lines    *bufio.Reader
	leave    func()
}

func (p *platform) listen(path string, header ...string) *listener {
	p.Helper()
	server := httptest.NewServer(p.page)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	p.Cleanup(func() { cancel(); server.Close() })
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+p.session.path+path, nil)
	p.must(err)
	r.Host = "localhost:8088"
	r.AddCookie(p.cookie())
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	p.must(err)
	p.Cleanup(func() { _ = response.Body.Close() })
	return &listener{p, response, bufio.NewReader(response.Body), cancel}
}

// next is the next message, false when the stream has ended.
func (l *listener) next() (message, bool) {
	l.Helper()
	var b strings.Builder
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			return message{}, false
		}
		if line == "\n" {
			return parseMessage(b.String()), true
		}
		b.WriteString(line)
	}
}

// expect is the next message, which must be of a kind and hold the texts.
func (l *listener) expect(kind string, texts ...string) message {
	l.Helper()
	m, ok := l.next()
	if !ok || m.kind != kind {
		l.Fatalf("got %+v, %v, want %q", m, ok, kind)
	}
	for _, text := range texts {
		if !strings.Contains(m.data, text) {
			l.Errorf("%s lacks %q:\n%s", kind, text, m.data)
		}
	}
	return m
}

func (l *listener) ends() {
	l.Helper()
	if m, ok := l.next(); ok {
		l.Errorf("got %+v, want the end", m)
	}
}

// beat lets the ticker of the one stream beat.
func (p *platform) beat() {
	p.Helper()
	select {
	case p.beats <- p.clock.Now():
	case <-time.After(10 * time.Second):
		p.Fatal("no one listens to the ticker")
	}
}

func TestFollowJob(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"})
	j, err := p.store.CreateJob(store.Job{Component: c.Component, Config: c.ID})
	p.must(err)
	first := p.say(j.ID, "info", "before the page")
	p.see(jobURL(j.ID), fmt.Sprintf(`data-stream="/jobs/%s/stream?after=%s"`, j.ID, first.ID))

	l := p.listen(jobURL(j.ID) + "/stream?after=" + first.ID)
	if got := l.response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("type %q", got)
	}
	l.expect("replace", `id="job-head"`, `data-title="Job `+j.ID+`: created"`, "Shop")
	second := p.say(j.ID, "warn", "several\r\nlines\n\ndata: x")
	if m := l.expect("append", `id="event-`+second.ID+`"`, "several\nlines\n\ndata: x"); m.id != second.ID {
		t.Errorf("id %q, want %q", m.id, second.ID)
	}
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
	l.expect("replace", `data-title="Job `+j.ID+`: processing"`)
	p.clock.Advance(3 * time.Second)
	p.beat()
	l.expect("replace", `<dl id="job-totals"`, `<dd>3.00 s</dd>`)
	l.expect("replace", `<div id="job-lines"></div>`)
	l.expect("replace", `id="job-requests"`, "No requests were recorded")
	// Events for debugging are no lines of the log, but requests and progress.
	p.say(j.ID, "debug", "GET /a: 200", "event", "request.answered", "path", "/a", "status", 200, "seconds", 0.25)
	p.say(j.ID, "debug", "Job users is running", "event", "job.live", "job", "users", "jobPointer", "/parameters/config/jobs/0", "seconds", 2, "rows", 1200, "waiting", "status 429", "waitSeconds", 12)
	p.beat()
	l.expect("replace", "3.00 s", "<dd>1,200</dd>")
	l.expect("replace", `<code>users</code>`, "600/s", "waiting 12.0 s: status 429")
	l.expect("replace", `id="job-requests"`, "250 ms")
	p.clock.Advance(time.Second)
	p.beat()
	l.expect("replace", "4.00 s")
	l.expect("replace", "waiting 11.0 s: status 429")

	// What happens together with the end is sent before it.
	last := p.say(j.ID, "error", "broken", "pointer", "/parameters")
	l.expect("append", `id="event-`+last.ID+`"`, "broken")
	p.end(j.ID, store.Error, store.Result{Message: "broken", ErrorType: "user"})
	l.expect("replace", `data-announce="Status of job `+j.ID+`: error."`)
	l.expect("replace", `<div id="job-fault">`, "What to fix", `id="problem-1"`, `<div id="job-lines">`, "not finished", `<div id="job-tables">`, `<div id="job-variables">`)
	l.expect("replace", `id="job-requests"`)
	l.expect("end")
	l.ends()
}

func TestFollowJobResumes(t *testing.T) {
	p := newPlatform(t)
	j, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop"})
	p.must(err)
	var ids []string
	var added []store.Event
	for i := range 2*batchEvents + 50 {
		added = append(added, store.Event{RunID: j.ID, Type: "info", Message: fmt.Sprintf("number %d.", i)})
	}
	stored, err := p.store.AddEvents(added...)
	p.must(err)
	for _, e := range stored {
		ids = append(ids, e.ID)
	}
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Cancelled, p.clock.Now()) })
	for _, c := range []struct {
		name, query string
		header      []string
		first       int
	}{
		{"from the beginning", "", nil, 0},
		{"from the page", "?after=" + ids[9], nil, 10},
		{"the header wins", "?after=" + ids[9], []string{"Last-Event-ID", ids[299]}, 300},
		{"a header of nonsense", "?after=" + ids[9], []string{"Last-Event-ID", "-1"}, 10},
		{"a query of nonsense", "?after=x", nil, 0},
		{"everything was seen", "?after=" + ids[len(ids)-1], nil, len(ids)},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := p.listen(jobURL(j.ID)+"/stream"+c.query, c.header...)
			next, last := c.first, ""
			for m, ok := l.next(); ok; m, ok = l.next() {
				last = m.kind
				if m.kind != "append" {
					continue
				}
				for ; next < len(ids) && strings.Contains(m.data, fmt.Sprintf("number %d.<", next)); next++ {
					continue
				}
				if m.id != ids[next-1] {
					t.Fatalf("id %s after number %d", m.id, next-1)
				}
				if c.first > 0 && strings.Contains(m.data, fmt.Sprintf("number %d.<", c.first-1)) {
					t.Error("an event comes again")
				}
			}
			if next != len(ids) || last != "end" {
				t.Errorf("%d events of %d, then %q", next, len(ids), last)
			}
		})
	}
}

func TestFollowOverview(t *testing.T) {
	p := newPlatform(t)
	l := p.listen("/stream")
	l.expect("replace", `<div id="overview" data-title="Overview" data-announce="No job is running.">`, "Get started")
	p.beat()
	l.expect("") // alive
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"})
	j, err := p.store.CreateJob(store.Job{Component: c.Component, Config: c.ID})
	p.must(err)
	p.beat()
	l.expect("")
	l.expect("replace", `data-title="1 job running"`, `<tr id="job-`+j.ID+`">`, "created")
	// What does not show is not sent.
	p.say(j.ID, "info", "something")
	p.beat()
	l.expect("")
	p.change(j.ID, func(j *store.Job) error { return j.To(store.Cancelled, p.clock.Now()) })
	p.beat()
	l.expect("")
	l.expect("replace", `data-title="Overview"`, "cancelled")
	close(p.done)
	l.ends()
}

func TestStreamsEndWithThePlatform(t *testing.T) {
	p := newPlatform(t)
	j, err := p.store.CreateJob(store.Job{Component: "acme.ex-shop"})
	p.must(err)
	l := p.listen(jobURL(j.ID) + "/stream")
	l.expect("replace")
	close(p.done)
	l.ends()
}
