package engine

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// pendingPage is a page that was requested: its request waits for its permit, is
// under way, or has its response.
type pendingPage struct {
	permit *permit
	needed chan struct{} // closed when the job comes to the page
	// res or err are set when done is closed.
	done chan struct{}
	res  *httpclient.Response
	err  error
}

// requestPage requests the page of a stream after those that were requested. The
// request is sent as soon as it has a permit.
func (s *jobStream) requestPage(ctx context.Context, request config.RequestSpec) {
	permit := s.first
	if s.first = nil; permit == nil {
		permit = s.admission.request(ctx, s.at.child(s.r.pages+len(s.pending)+1))
	}
	p := &pendingPage{permit: permit, needed: make(chan struct{}), done: make(chan struct{})}
	s.pending = append(s.pending, p)
	out, err := s.r.prepare(request)
	s.workers.Go(func() {
		defer close(p.done)
		if p.err = permit.wait(); p.err != nil {
			return
		}
		defer permit.endRequest()
		if p.err = err; err != nil {
			return
		}
		p.err = failure.Recover(func() (err error) {
			p.res, err = s.r.send(permit.ctx, permit.at, request, out, p.needed, permit.yieldSlot)
			return err
		})
	})
}

// requestAhead requests pages of a stream before the job comes to them: those that
// exist according to the last page, and `api.http.lookahead` more, which may not
// exist. The state is that of the first page that was requested.
//
// It requests nothing for a job with children, because a page comes only after
// the children of the page before it: while its response waits, it takes the place
// of a child. Nor does it while exchanges are recorded or replayed, because a
// recording holds what a run needs and no more, or with a sample, which is not to
// send more requests either.
func (s *jobStream) requestAhead(ctx context.Context, state pagination.State, last pagination.PageInfo) {
	if len(s.job.children) > 0 || s.r.run.Recorder != nil || s.r.run.Player != nil || s.r.run.Sample > 0 {
		return
	}
	n, guesses := 1, 0
	for request, exists := range pagination.Ahead(s.r.scroller, s.r.base, state, last) {
		n++
		if !exists {
			guesses++
		}
		if n > s.admission.limit || guesses > s.r.run.plan.doc.API.Lookahead {
			return
		}
		if n > len(s.pending) {
			s.requestPage(ctx, request)
		}
	}
}

// dropPending drops the pages that were requested and that the job does not come
// to.
func (s *jobStream) dropPending() {
	for _, p := range s.pending {
		p.permit.cancel()
	}
	for _, p := range s.pending {
		<-p.done
		if p.res != nil {
			p.res.Body.Close()
		}
		p.permit.release()
	}
}
