package engine

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// inquiry is a page that was asked for: its request waits at the gate, is under
// way, or has its answer.
type inquiry struct {
	slot    *slot
	request config.Request
	needed  chan struct{} // closed when the job comes to the page
	// answer or err are set when done is closed.
	done   chan struct{}
	answer *exchange.Answer
	err    error
}

// ask sends a request as soon as its slot lets it.
func (f *fan) ask(r *jobRun, s *slot, request config.Request) *inquiry {
	q := &inquiry{slot: s, request: request, needed: make(chan struct{}), done: make(chan struct{})}
	f.workers.Go(func() {
		defer close(q.done)
		if q.err = s.enter(); q.err != nil {
			return
		}
		defer s.landed()
		q.err = failure.Guarded(func() (err error) {
			q.answer, err = r.send(s.ctx, request, q.needed)
			return err
		})
	})
	return q
}

// askNext asks for the page of a branch behind those that were asked for.
func (f *fan) askNext(ctx context.Context, b *branch, request config.Request) {
	s := f.gate.want(ctx, b.at.below(b.run.pages+len(b.asked)+1))
	b.asked = append(b.asked, f.ask(b.run, s, request))
}

// askAhead asks for pages of a branch that nobody needs yet: those of which the
// last page tells that they hold rows, and `api.http.lookahead` more on the
// chance that they are there. The state is that of the first page asked for.
//
// A page of a job with children has its turn only after the children of the page
// before it. Waiting it would take the place of one of these. And a recording is
// to hold what a run needs, no more, or its replay would miss something; a sample
// is to send no more, either.
func (f *fan) askAhead(ctx context.Context, b *branch, state paging.State, last paging.Page) {
	if len(b.job.children) > 0 || f.run.Recorder != nil || f.run.Player != nil || f.run.Sample > 0 {
		return
	}
	n, guesses := 1, 0
	for request, told := range paging.Ahead(b.run.scroller, b.run.base, state, last) {
		n++
		if !told {
			guesses++
		}
		if n > f.concurrency || guesses > f.lookahead {
			return
		}
		if n > len(b.asked) {
			f.askNext(ctx, b, request)
		}
	}
}

// drop forgets pages that were asked for and that the job does not come to,
// whatever has become of them.
func drop(asked []*inquiry) {
	for _, q := range asked {
		q.slot.cancel()
	}
	for _, q := range asked {
		<-q.done
		if q.answer != nil {
			q.answer.Body.Close()
		}
		q.slot.leave()
	}
}
