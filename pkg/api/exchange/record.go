package exchange

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
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
	next     http.RoundTripper
	recorder *har.Recorder
}

var _ http.RoundTripper = (*record)(nil)

// RoundTrip implements http.RoundTripper. The answer's body is a
// *answer.Spool.
func (t *record) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	marks := &marks{now: t.recorder.Real}
	x := har.Exchange{Request: req, Sent: sent, Started: t.recorder.Now()}
	began := t.recorder.Real()
	res, err := t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), marks.trace())))
	ended := t.recorder.Real()
	x.Ended = t.recorder.Tick()
	x.Timings = marks.timings(began, ended, x.Ended.Sub(x.Started))
	if err != nil {
		failed, ok := errors.AsType[*networkError](err)
		if !ok || req.Context().Err() != nil {
			return nil, err // not what the API did
		}
		x.Err, x.Code, x.Unsent = failed.what, failed.code, !marks.connected()
		if unkept := t.keep(req.Context(), x); unkept != nil {
			return nil, unkept
		}
		return nil, err
	}
	spool := res.Body.(*answer.Spool)
	x.Response, x.Request, x.Body, x.Size = res, res.Request, spool.Raw, spool.Size()
	if err := t.keep(req.Context(), x); err != nil {
		return nil, errors.Join(err, spool.Close())
	}
	return res, nil
}

// keep writes an exchange, now or with the login that it belongs to.
func (t *record) keep(ctx context.Context, x har.Exchange) error {
	login, ok := ctx.Value(loginKey{}).(*loginRecord)
	if !ok {
		return t.recorder.Add(x)
	}
	return login.keep(x)
}

// bodyOf is the body of a request, which stays unread.
func bodyOf(req *http.Request) ([]byte, error) {
	if req.GetBody == nil {
		return nil, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	return text, errors.Join(err, body.Close())
}

// loginKey is where a request finds the login it belongs to.
type loginKey struct{}

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
// the login failed with, is written without any text: nobody knows which parts of
// it are secrets.
func (l *loginRecord) write(failed error) error {
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

// marks are the moments of one exchange.
type marks struct {
	now func() time.Time

	mu                         sync.Mutex
	connection, written, first time.Time
}

func (m *marks) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { m.set(&m.connection) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { m.set(&m.written) },
		GotFirstResponseByte: func() { m.set(&m.first) },
	}
}

func (m *marks) set(mark *time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*mark = m.now()
}

func (m *marks) connected() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.connection.IsZero()
}

// timings part the time of an exchange as the marks part it. A moment that never
// came is that of the end.
func (m *marks) timings(began, ended time.Time, took time.Duration) har.Timings {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := took
	part := func(from *time.Time, to time.Time) float64 {
		if to.IsZero() {
			to = ended
		}
		d := min(left, max(0, to.Sub(*from).Round(time.Microsecond)))
		left -= d
		*from = to
		return float64(d) / float64(time.Millisecond)
	}
	t := har.Timings{Blocked: part(&began, m.connection), Send: part(&began, m.written), Wait: part(&began, m.first)}
	t.Receive = float64(left) / float64(time.Millisecond)
	return t
}
