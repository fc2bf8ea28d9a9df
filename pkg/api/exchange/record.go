package exchange

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// record keeps every exchange as it went over the wire: after authentication
// and signing, each attempt, hop and login, and those that failed. The answer of
// a login is written when the login has been read and its secrets are known.
type record struct {
	next     Step
	recorder *har.Recorder
}

func (t *record) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	timed := *x
	timed.moments = &moments{now: t.recorder.Real}
	kept := har.Exchange{Request: x.Request, Started: t.recorder.Now()}
	began := t.recorder.Real()
	res, err := t.next.Do(ctx, &timed)
	ended := t.recorder.Real()
	kept.Ended = t.recorder.Tick()
	kept.Timings = timed.moments.timings(began, ended, kept.Ended.Sub(kept.Started))
	if err != nil {
		failed, ok := errors.AsType[*networkError](err)
		if !ok || ctx.Err() != nil {
			return nil, err // not what the API did
		}
		kept.Err, kept.Code, kept.Unsent = failed.what, failed.code, failed.unsent
		return nil, cmp.Or(t.keep(x, kept), err)
	}
	kept.Request = res.Request
	kept.Response = &http.Response{StatusCode: res.Status, Status: res.StatusLine, Header: res.Header, ContentLength: res.Length}
	kept.Body, kept.Size, kept.Binary = res.Body.Raw, res.Body.Size(), res.Body.Unclean()
	if err := t.keep(x, kept); err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}

// keep writes an exchange, now or with the login that it belongs to.
func (t *record) keep(x *Exchange, kept har.Exchange) error {
	if x.logins != nil {
		return x.logins.keep(kept)
	}
	return t.recorder.Add(kept)
}

// loginRecord holds the exchanges of logins until their secrets are known.
type loginRecord struct {
	recorder *har.Recorder
	spooler  *answer.Spooler

	mu        sync.Mutex
	exchanges []har.Exchange
	bodies    []*answer.Spool
}

// keep remembers an exchange with a copy of its body, which the login closes. Of its
// header and status line it remembers only what is no secret, and where a redirect
// leads, which is masked like the request that follows.
func (l *loginRecord) keep(x har.Exchange) error {
	if x.Response != nil {
		x.Response = withoutSecrets(x.Response)
	}
	if x.Body != nil {
		body := l.spooler.New()
		if _, err := io.Copy(body, x.Body()); err != nil {
			return errors.Join(err, body.Close())
		}
		x.Body = body.Raw
		l.mu.Lock()
		l.bodies = append(l.bodies, body)
		l.mu.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exchanges = append(l.exchanges, x)
	return nil
}

// withoutSecrets is an answer to a login with header and status line as they may be
// recorded.
func withoutSecrets(res *http.Response) *http.Response {
	plain := *res
	plain.Header = res.Header.Clone()
	for name, lines := range plain.Header {
		for i := range lines {
			if !auth.PlainHeader(name) && name != "Location" {
				lines[i] = secret.Hidden
			}
		}
	}
	number, reason, _ := strings.Cut(res.Status, " ")
	if reason != http.StatusText(res.StatusCode) {
		plain.Status = number + " " + secret.Hidden
	}
	return &plain
}

// write writes what was kept. An answer that redirects or refuses, and one that
// the login failed with, is written without any text: no one knows which parts of
// it are secrets.
func (l *loginRecord) write(failed error) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for i, x := range l.exchanges {
		x.Opaque = x.Response != nil && (x.Response.StatusCode >= http.StatusMultipleChoices || failed != nil && i == len(l.exchanges)-1)
		err = errors.Join(err, l.recorder.Add(x))
	}
	for _, body := range l.bodies {
		err = errors.Join(err, body.Close())
	}
	return err
}

// moments are those of one exchange at which something became of its connection.
type moments struct {
	now func() time.Time

	mu sync.Mutex
	at [3]time.Time
}

const (
	connectionMade = iota
	requestWritten
	firstByte
)

// set keeps the time of a moment, where someone wants to know it.
func (m *moments) set(moment int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[moment] = m.now()
}

// timings part the time of an exchange as its moments part it. A moment that never
// came is that of the end.
func (m *moments) timings(began, ended time.Time, took time.Duration) har.Timings {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := took
	var parts [len(m.at)]float64
	for i, to := range m.at {
		if to.IsZero() {
			to = ended
		}
		d := min(left, max(0, to.Sub(began).Round(time.Microsecond)))
		left, began = left-d, to
		parts[i] = float64(d) / float64(time.Millisecond)
	}
	return har.Timings{Blocked: parts[connectionMade], Send: parts[requestWritten], Wait: parts[firstByte], Receive: float64(left) / float64(time.Millisecond)}
}
