package queue

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
)

func TestKill(t *testing.T) {
	t.Run("created, no place", func(t *testing.T) {
		p := newPlatform(t)
		started := p.hold()
		p.start(func(o *Options) { o.Parallel = 1 })
		p.create(inline(`{}`))
		p.next(started)
		id := p.create(inline(`{}`))
		p.kill(id)
		j := p.finished(id)
		same(t, "end", string(j.Status)+": "+j.Result.Message, "cancelled: The job was cancelled before it was started.")
		if !j.Started.IsZero() {
			t.Error("it has started")
		}
	})
	t.Run("waiting", func(t *testing.T) {
		p := newPlatform(t)
		p.configure("7", `{}`)
		started := p.hold()
		p.start()
		p.create(store.Job{Config: "7"})
		first := p.next(started)
		id := p.create(store.Job{Config: "7"})
		p.untilStatus(id, store.Waiting)
		p.kill(id)
		same(t, "status", string(p.finished(id).Status), "cancelled")
		first.exit <- sandbox.Exit{}
		same(t, "first", string(p.finished(first.job).Status), "success")
	})
	t.Run("moved on by who killed it", func(t *testing.T) {
		p := newPlatform(t)
		id := p.create(inline(`{}`))
		_, err := p.store.UpdateJob(id, func(j *store.Job) error { j.Kill = true; return j.To(store.Terminating, noon) })
		must(t, err)
		p.start()
		same(t, "status", string(p.finished(id).Status), "cancelled")
	})
	t.Run("processing", func(t *testing.T) {
		p := newPlatform(t)
		p.configure("7", `{}`)
		started := p.hold()
		p.start()
		id := p.create(store.Job{Config: "7"})
		run := p.next(started)
		run.say(sandbox.Info, "working")
		run.write(t, "out/state.json", `{"a":1}`)
		p.kill(id)
		j := p.finished(id)
		same(t, "end", string(j.Status)+": "+j.Result.Message+j.Result.ErrorType+j.Result.ExceptionID, "terminated: The job was terminated.")
		sameLines(t, "events", p.events(id), "info: Running component acme.ex (row 1 of 1)", "info: working")
		c, err := p.store.Configuration(extractor, "7")
		must(t, err)
		same(t, "state", string(c.State), "{}")
		if len(p.tables.loadings) != 0 {
			t.Error("tables were loaded")
		}
	})
	t.Run("while tables are loaded", func(t *testing.T) {
		p := newPlatform(t)
		loading := make(chan struct{})
		p.tables.load = func(ctx context.Context, _ tableload.Options) ([]store.Table, error) {
			close(loading)
			<-ctx.Done()
			return []store.Table{{ID: "in.c-a.b"}}, ctx.Err()
		}
		p.start()
		id := p.create(inline(`{}`))
		<-loading
		p.kill(id)
		j := p.finished(id)
		same(t, "end", string(j.Status)+" "+strings.Join(j.Result.Tables, ","), "terminated in.c-a.b")
	})
	t.Run("seen only at the end", func(t *testing.T) {
		p := newPlatform(t)
		p.component = func(run *play) sandbox.Exit {
			p.kill(run.spec.Env["KBC_RUNID"])
			return sandbox.Exit{}
		}
		j := p.run(inline(`{}`))
		same(t, "end", string(j.Status), "terminated")
	})
}

// TestKillInTheLastMoment: the component succeeds before the
// queue has seen the kill.
func TestKillInTheLastMoment(t *testing.T) {
	p := newPlatform(t)
	id := p.create(inline(`{}`))
	q, err := New(Options{Store: p.store, Runner: p, Load: p.tables.Load})
	must(t, err)
	_, err = q.take(id)
	must(t, err)
	p.kill(id)
	must(t, q.finish(id, store.Success, store.Result{Message: "well", Tables: []string{"t"}, ExceptionID: "x", ErrorType: "user"}))
	j, err := p.store.Job(id)
	must(t, err)
	same(t, "end", fmt.Sprint(j.Status, *j.Result), fmt.Sprint("terminated", store.Result{Message: "The job was terminated.", Tables: []string{"t"}}))
}

// TestKillIsShown: a job that does not end at once is terminating.
func TestKillIsShown(t *testing.T) {
	p := newPlatform(t)
	ctxEnded, end := make(chan struct{}), make(chan struct{})
	p.component = func(run *play) sandbox.Exit {
		<-run.ctx.Done()
		close(ctxEnded)
		<-end
		return sandbox.Exit{}
	}
	p.start()
	id := p.create(inline(`{}`))
	p.untilStatus(id, store.Processing)
	p.kill(id)
	<-ctxEnded
	p.untilStatus(id, store.Terminating)
	close(end)
	same(t, "end", string(p.finished(id).Status), "terminated")
}
