package engine

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// pendingPage is a requested page. Its request waits for its permit, is under way, or has
// its response.
type pendingPage struct {
	permit *permit
	needed chan struct{} // closed when the job needs the page
	// done is closed after res or err is set.
	done chan struct{}
	res  *httpclient.Response
	err  error
}

// requestPage requests the page after the pages that were requested already. The request
// is sent as soon as it has a permit.
func (s *jobStream) requestPage(ctx context.Context, request config.RequestSpec) {
	permit := s.first
	if s.first = nil; permit == nil {
		permit = s.admission.request(ctx, s.at.child(s.r.stream.pages+len(s.pending)+1))
	}
	p := &pendingPage{permit: permit, needed: make(chan struct{}), done: make(chan struct{})}
	s.pending = append(s.pending, p)
	r, err := s.r.stream.prepare(permit.at, request)
	r.needed, r.yieldSlot = p.needed, permit.yieldSlot
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
			p.res, err = s.r.stream.send(permit.ctx, r)
			return err
		})
	})
}

// requestAhead requests pages of a stream before the job needs them: the pages that exist
// according to the last page, and `api.http.lookahead` more pages, which may not exist.
// state is the scroller state after the first pending request.
//
// It requests no page in these cases:
//
//   - The job has children. A page is stored after the children of the page before it, so a
//     waiting page would hold a permit that a child needs.
//   - Exchanges are recorded or replayed. A recording contains only the requests that a run
//     needs.
//   - The run takes a sample, which must not cause extra requests.
func (s *jobStream) requestAhead(ctx context.Context, state pagination.State, last pagination.PageInfo) {
	if len(s.job.children) > 0 || s.run.Recorder != nil || s.run.Player != nil || s.run.Sample > 0 {
		return
	}
	n, guesses := 1, 0
	for request, exists := range pagination.Ahead(s.r.stream.scroller, s.r.stream.base, state, last) {
		n++
		if !exists {
			guesses++
		}
		if n > s.admission.limit || guesses > s.run.program.doc.API.Lookahead {
			return
		}
		if n > len(s.pending) {
			s.requestPage(ctx, request)
		}
	}
}

// dropPending cancels the requests for pages that the job does not need.
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
