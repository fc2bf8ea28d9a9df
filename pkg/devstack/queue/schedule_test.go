package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// held is a run of the component that ends when the test says so, or when the
// platform ends it.
type held struct {
	*play
	job  string
	exit chan sandbox.Exit
}

// hold makes the component wait for the test.
func (p *platform) hold() <-chan *held {
	started := make(chan *held, 100)
	p.component = func(run *play) sandbox.Exit {
		h := &held{run, run.spec.Env["KBC_RUNID"], make(chan sandbox.Exit)}
		started <- h
		select {
		case exit := <-h.exit:
			return exit
		case <-run.ctx.Done():
			return sandbox.Exit{Code: 143, Message: "interrupted"}
		}
	}
	return started
}

// next is the next run to start.
func (p *platform) next(started <-chan *held) *held {
	p.t.Helper()
	select {
	case h := <-started:
		return h
	case <-time.After(20 * time.Second):
		p.t.Fatal("nothing starts")
		return nil
	}
}

func TestOneJobForEachConfiguration(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`)
	p.configure("8", `{}`)
	started := p.hold()
	first := p.create(store.Job{Config: "7"})
	p.start()
	one := p.next(started)
	second, third := p.create(store.Job{Config: "7", ConfigData: []byte(`{}`)}), p.create(store.Job{Config: "7"})
	p.untilStatus(second, store.Waiting)
	p.untilStatus(third, store.Waiting)

	other := p.create(store.Job{Config: "8"})
	inlines := []string{p.create(inline(`{}`)), p.create(inline(`{}`))}
	running := map[string]bool{}
	for range 3 {
		running[p.next(started).job] = true
	}
	if one.job != first || !running[other] || !running[inlines[0]] || !running[inlines[1]] {
		t.Fatalf("started %s, then %v", one.job, running)
	}

	one.exit <- sandbox.Exit{}
	p.finished(first)
	two := p.next(started)
	same(t, "after the first", two.job, second)
	same(t, "the third", string(p.untilStatus(third, store.Waiting).Status), "waiting")
	two.exit <- sandbox.Exit{Code: 1}
	same(t, "after the second", p.next(started).job, third)
}

// TestManyWaitingJobs: more than are made waiting at a time.
func TestManyWaitingJobs(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`)
	var ids []string
	for range 2*holdsPerCheck + 2 {
		ids = append(ids, p.create(store.Job{Config: "7"}))
	}
	started := p.hold()
	p.start()
	same(t, "runs", p.next(started).job, ids[0])
	for _, id := range ids[1:] {
		p.untilStatus(id, store.Waiting)
	}
}

// TestTheOldestIsFirst: with one place only, jobs start in the order in which
// they came.
func TestTheOldestIsFirst(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`)
	p.configure("8", `{}`)
	var order []string
	for _, config := range []string{"7", "7", "8", "", "7", "8"} {
		job := store.Job{Config: config}
		if config == "" {
			job = inline(`{}`)
		}
		order = append(order, p.create(job))
	}
	started := p.hold()
	p.start(func(o *Options) { o.Parallel = 1 })
	for _, id := range order {
		run := p.next(started)
		same(t, "next", run.job, id)
		run.exit <- sandbox.Exit{}
	}
	p.finished(order[len(order)-1])
}

func TestParallelLimit(t *testing.T) {
	p := newPlatform(t)
	var ids []string
	for range 5 {
		ids = append(ids, p.create(inline(`{}`)))
	}
	started := p.hold()
	p.start(func(o *Options) { o.Parallel = 3 })
	var running []*held
	for range 3 {
		running = append(running, p.next(started))
	}
	// A change makes the queue look again; when the kill has been seen, it has.
	killed := p.create(inline(`{}`))
	p.kill(killed)
	p.untilStatus(killed, store.Cancelled)
	select {
	case h := <-started:
		t.Fatalf("job %s is the fourth to run", h.job)
	default:
	}
	running[1].exit <- sandbox.Exit{}
	same(t, "the fourth", p.next(started).job, ids[3])
}

func TestStop(t *testing.T) {
	p := newPlatform(t)
	p.configure("7", `{}`)
	started := p.hold()
	p.start()
	id := p.create(store.Job{Config: "7"})
	p.next(started)
	waiting := p.create(store.Job{Config: "7"})
	p.untilStatus(waiting, store.Waiting)
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	const message = "The platform was stopped while the job was running."
	j, err := p.store.Job(id)
	must(t, err)
	same(t, "end", fmt.Sprint(j.Status, " ", j.Result.ErrorType, " ", j.Result.Message, " ", j.Result.ExceptionID),
		"error application "+message+" "+exception)
	sameLines(t, "events", p.events(id),
		"info: Running component acme.ex (row 1 of 1)",
		fmt.Sprintf(`error: Job "%s" ended with application error: "%s"`, id, message))

	// The next queue runs what had not begun.
	p.component = func(*play) sandbox.Exit { return sandbox.Exit{} }
	p.start()
	same(t, "the one that waited", string(p.finished(waiting).Status), "success")
}

// TestLeftovers are jobs that a process was at work on when it was killed.
func TestLeftovers(t *testing.T) {
	to := func(statuses ...store.Status) func(*store.Job) error {
		return func(j *store.Job) error {
			for _, s := range statuses {
				if err := j.To(s, noon); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for name, tc := range map[string]struct {
		before func(*store.Job) error
		kill   bool
		want   string
	}{
		"created":                 {to(), false, "success: Component processing finished."},
		"waiting":                 {to(store.Waiting), false, "success: Component processing finished."},
		"processing":              {to(store.Processing), false, "error: The platform was stopped while the job was running."},
		"processing, killed":      {to(store.Processing), true, "terminated: The job was terminated."},
		"terminating":             {to(store.Processing, store.Terminating), true, "terminated: The job was terminated."},
		"terminating, not begun":  {to(store.Terminating), true, "cancelled: The job was cancelled before it was started."},
		"waiting, killed":         {to(store.Waiting), true, "cancelled: The job was cancelled before it was started."},
		"terminating, no request": {to(store.Processing, store.Terminating), false, "terminated: The job was terminated."},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			id := p.create(inline(`{}`))
			_, err := p.store.UpdateJob(id, func(j *store.Job) error { j.Kill = tc.kill; return tc.before(j) })
			must(t, err)
			p.start()
			j := p.finished(id)
			same(t, "end", string(j.Status)+": "+j.Result.Message, tc.want)
			same(t, "exception", j.Result.ExceptionID, map[bool]string{true: exception}[j.Status == store.Error])
		})
	}
}

func TestFaultOfTheStore(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return noon })
	must(t, err)
	_, err = s.CreateJob(store.Job{Component: extractor, ConfigData: json.RawMessage(`{}`), Mode: store.Run})
	must(t, err)
	p := &platform{t: t, store: s, tables: &tables{}}
	p.component = func(run *play) sandbox.Exit {
		must(t, s.Close())
		run.say(sandbox.Info, "no one will read this")
		<-run.ctx.Done()
		return sandbox.Exit{}
	}
	q, err := New(Options{Store: s, Runner: p, Load: p.tables.Load, After: at})
	must(t, err)
	err = q.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "database not open") {
		t.Fatalf("got %v", err)
	}
}

func TestOptions(t *testing.T) {
	p := newPlatform(t)
	if _, err := New(Options{Store: p.store, Runner: p, Load: p.tables.Load, DataTypeSupport: "some"}); err == nil ||
		err.Error() != "the support of data types is none, hints or authoritative, found 'some'" {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{Store: p.store}); err == nil {
		t.Error("no runner is not a fault")
	}
	q, err := New(Options{Store: p.store, Runner: p, Load: p.tables.Load})
	must(t, err)
	if q.o.Parallel != 32 || q.o.ProcessTimeout != time.Hour || q.o.DataTypeSupport != "none" {
		t.Errorf("got %+v", q.o)
	}
}
