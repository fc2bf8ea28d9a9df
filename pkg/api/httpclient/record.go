package httpclient

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/encoding"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// record writes every exchange to the recording as it was sent: each attempt, hop and
// login, including failed ones. A login is written after its response has been read, when
// its secrets are known.
type record struct {
	next     step
	recorder *har.Recorder
	// rules apply to the responses of all jobs.
	rules rule.List
}

func (t *record) do(ctx context.Context, x *call) (*Response, error) {
	timed := *x
	timed.moments = &phaseTimes{now: t.recorder.WallClock}
	kept := har.Exchange{Request: x.Request, Origin: x.origin(ctx), Started: t.recorder.Now()}
	began := t.recorder.WallClock()
	res, err := t.next.do(ctx, &timed)
	ended := t.recorder.WallClock()
	kept.Ended = t.recorder.Tick()
	kept.Timings = timed.moments.timings(began, ended, kept.Ended.Sub(kept.Started))
	if err != nil {
		if unknown, ok := errors.AsType[*har.UnrecordedError](err); ok {
			kept.Err, kept.Unsent, kept.Unknown = unknown.Error(), true, true
			return nil, errors.Join(err, t.keep(x, kept))
		}
		failed, ok := errors.AsType[*networkError](err)
		if !ok || ctx.Err() != nil {
			return nil, err // not an error of the API
		}
		kept.Err, kept.Code, kept.Unsent = failed.what, failed.code, failed.unsent
		return nil, cmp.Or(t.keep(x, kept), err)
	}
	kept.Request = res.Request
	kept.Response = &http.Response{StatusCode: res.Status, Status: res.StatusLine, Header: res.Header, ContentLength: res.Length}
	kept.Body, kept.Size, kept.Binary = res.Body.Raw, res.Body.Size(), res.Body.HasInvalidUTF8()
	if kept.Charsets, err = x.charsets(res); err == nil {
		err = t.asFile(x, res, &kept)
	}
	if err == nil {
		err = t.keep(x, kept)
	}
	if err != nil {
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}

// asFile replaces the body of a response that becomes a file by its size and hash. The body
// stays, too, if a rule may look into it.
func (t *record) asFile(x *call, res *Response, kept *har.Exchange) error {
	if !x.Sender.File || x.forLogin || res.Status < 200 || res.Status > 299 || res.Body.Coding() != "" {
		return nil
	}
	digest, err := res.Body.Digest()
	if err != nil {
		return err
	}
	kept.File = &har.File{Size: digest.Size, SHA256: digest.SHA256}
	if !x.Sender.Rules.ReadBody(res.Status) && !t.rules.ReadBody(res.Status) {
		kept.Body, kept.Binary = nil, false
	}
	return nil
}

func (x *call) charsets(res *Response) ([]encoding.Encoding, error) {
	if !res.Body.HasInvalidUTF8() {
		return nil, nil
	}
	const first = 1 << 10
	head, err := res.Body.Head(first)
	all := response.Declared(res.Header.Get("Content-Type"), head)
	if x.Sender.Charset != nil {
		all = append(all, x.Sender.Charset)
	}
	return all, err
}

// origin returns the page that an exchange was sent for, with the sources of the request.
// It returns nil if the sender has no PagePath.
func (x *call) origin(ctx context.Context) *har.Initiator {
	if x.Sender.PagePath == nil {
		return nil
	}
	o := &har.Initiator{Job: x.Sender.Job, Pointer: x.Sender.Pointer, At: x.Sender.PagePath, Login: x.forLogin, Attempt: x.Attempt}
	built, sent := x.Built.URL, x.URL
	if built.Scheme != sent.Scheme || built.Host != sent.Host || built.EscapedPath() != sent.EscapedPath() {
		o.Redirected = true
		return o
	}
	if out, err := outgoing(ctx, x); err == nil { // the step send reports the error
		builtIn := func(s request.Source) bool { return s.Pointer == "" && strings.HasPrefix(s.Part, "header ") }
		o.Sources = slices.DeleteFunc(out.Sources, builtIn)
	}
	return o
}

// keep records an exchange. An exchange of a login is recorded later, when its secrets
// are known.
func (t *record) keep(x *call, kept har.Exchange) error {
	if x.logins != nil {
		return x.logins.keep(kept)
	}
	return t.recorder.Add(kept)
}

// loginRecord holds the exchanges of logins until their secrets are known.
type loginRecord struct {
	recorder *har.Recorder
	spooler  *response.Spooler

	mu        sync.Mutex
	exchanges []har.Exchange
	bodies    []*response.Spool
	known     []int // indices of exchanges with registered secrets
}

// keep stores an exchange with a copy of its body, because the login closes the body. It
// hides the reason of the status and the values of headers, except plain headers, cookies
// and Location. The recorder hides cookies and masks Location like the next request.
func (l *loginRecord) keep(x har.Exchange) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.Response != nil {
		x.Response = withoutSecrets(x.Response)
	}
	if x.Body != nil {
		body := l.spooler.New()
		if _, err := io.Copy(body, x.Body()); err != nil {
			return errors.Join(err, body.Close())
		}
		x.Body = body.Raw
		l.bodies = append(l.bodies, body)
	}
	l.exchanges = append(l.exchanges, x)
	return nil
}

// markSecretsKnown marks the secrets in the last exchange as registered. l may be nil.
func (l *loginRecord) markSecretsKnown() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = append(l.known, len(l.exchanges)-1)
}

// withoutSecrets returns a copy of the response to a login with the headers and the
// status line that may be recorded.
func withoutSecrets(res *http.Response) *http.Response {
	plain := *res
	plain.Header = res.Header.Clone()
	for name, lines := range plain.Header {
		for i := range lines {
			// The recorder hides cookies. Expressions read null as a missing header.
			if !auth.PlainHeader(name) && name != "Location" && name != "Set-Cookie" && lines[i] != "null" {
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

// write records the stored exchanges. It hides all texts of a response with a status from
// 300, and of the last response of a failed login, because their secrets are not known.
// It does not hide them if a rule has decided about the response.
func (l *loginRecord) write(failed error) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for i, x := range l.exchanges {
		x.HideTexts = !slices.Contains(l.known, i) && x.Response != nil && (x.Response.StatusCode >= http.StatusMultipleChoices || failed != nil && i == len(l.exchanges)-1)
		err = errors.Join(err, l.recorder.Add(x))
	}
	for _, body := range l.bodies {
		err = errors.Join(err, body.Close())
	}
	return err
}

// phaseTimes holds the times of the phases of one exchange.
type phaseTimes struct {
	now func() time.Time

	mu sync.Mutex
	at [3]time.Time
}

const (
	connectionMade = iota
	requestWritten
	firstByte
)

// set stores the current time for a moment. m may be nil.
func (m *phaseTimes) set(moment int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[moment] = m.now()
}

// timings splits the duration of an exchange at its moments. A moment without a time
// counts as the end of the exchange.
func (m *phaseTimes) timings(began, ended time.Time, took time.Duration) har.Timings {
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
