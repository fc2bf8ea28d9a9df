package httpclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// send sends one request and receives the whole response within the timeout. A body that
// breaks off or exceeds the limit is an error.
type send struct {
	*Options
	network *network
}

func (t *send) do(ctx context.Context, x *call) (*Response, error) {
	if x.forLogin && t.KeepLogins {
		grace, done := withLoginGrace(ctx)
		defer done()
		ctx = grace
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.API.RequestTimeout, errRequestTimeout)
	defer cancel()
	sent := *x
	sent.Request = withUser(x.Request)
	w := &requestTrace{x: &sent}
	defer x.Sender.Live.Await("for a response")()
	res, err := t.network.roundTrip(sent.http(httptrace.WithClientTrace(ctx, w.trace())), x.withoutCredentials())
	if w.early.Load() {
		if err == nil {
			err = res.Body.Close()
		}
		return nil, &networkError{code: codeReceive, what: unsolicitedText, cause: err}
	}
	if err != nil {
		err = networkErrorOf(ctx, err, false)
		if n, ok := err.(*networkError); ok {
			n.unsent = !w.connected
		}
		return nil, err
	}
	t.contacts.add(x.URL)
	if res.StatusCode < http.StatusOK { // protocols are switched; net/http skips other 1xx responses
		what := "the response is " + strings.TrimSpace(res.Status) + ", which was not requested"
		return nil, &networkError{code: codeBadResponse, what: what, cause: res.Body.Close()}
	}
	spool := t.spooler.New()
	err = t.receive(res, spool)
	if err == nil {
		// The last byte may arrive just after the context has ended.
		err = ctx.Err()
	}
	if err != nil {
		if closing := spool.Close(); closing != nil {
			err = closing
		}
		return nil, networkErrorOf(ctx, err, true)
	}
	t.Stats.Bytes.Add(spool.Size())
	spool.Arrived(unknownCoding(res.Header), res.Header.Get("Content-Type"))
	return &Response{call: &sent, Status: res.StatusCode, StatusLine: res.Status, Header: res.Header, Length: res.ContentLength, Body: spool}, nil
}

// loginGrace is the time that a login may still take after the run has ended, with
// KeepLogins.
const loginGrace = 8 * time.Second

// withLoginGrace returns a context that ends loginGrace after ctx.
func withLoginGrace(ctx context.Context) (grace context.Context, done func()) {
	grace, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(loginGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-grace.Done():
		}
	})
	return grace, func() {
		stop()
		cancel(nil)
	}
}

// withUser adds the header Authorization for the user and password of the URL. A header
// that is already set stays.
func withUser(r *request.Request) *request.Request {
	u := r.URL.User
	if u == nil || r.Header.Get("Authorization") != "" {
		return r
	}
	password, _ := u.Password()
	r = r.Clone()
	r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.Username()+":"+password)))
	return r
}

func (x *call) http(ctx context.Context) *http.Request {
	req := (&http.Request{
		Method: x.Method, URL: x.URL, Host: x.Host, Header: x.Header, ContentLength: int64(len(x.Body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	switch {
	case x.Body == nil:
		// Without a body net/http would repeat the request by itself if a reused
		// connection turns out to be closed. The configuration decides about retries.
		req.Body = emptyBody{}
		// Without this net/http probes the body for a first byte, and announces chunks if
		// that takes too long.
		req.TransferEncoding = []string{"identity"}
	case len(x.Body) == 0:
		req.Body = http.NoBody
		req.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
	default:
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.Body)), nil }
		req.Body = io.NopCloser(bytes.NewReader(x.Body))
	}
	return req
}

// requestTrace follows a request through net/http.
type requestTrace struct {
	x         *call
	connected bool
	conn      *earlyResponseConn
	// early is true if the response came before the request, see earlyResponseConn.
	early atomic.Bool
}

func (w *requestTrace) trace() *httptrace.ClientTrace {
	trace := &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) { // in the goroutine of the request
			w.connected = true
			w.x.moments.set(connectionMade)
			if w.x.connected != nil {
				w.x.connected()
			}
			w.conn = earlyResponseConnOf(got.Conn)
			w.conn.next()
		},
		GotFirstResponseByte: func() {
			w.x.moments.set(firstByte)
			if w.conn.early() {
				w.early.Store(true)
				_ = w.conn.Close() // the connection cannot be reused
			}
		},
	}
	if w.x.moments != nil {
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { w.x.moments.set(requestWritten) }
	}
	return trace
}

// registerUser registers the credentials in a URL of the configuration or of a proxy as
// secrets: the header made from them, the password, and a user name longer than the
// password. Many APIs take their key as the user name and "x" or an empty text as the
// password. It registers no password or user name shorter than secretBytes, which would
// mask harmless words.
func registerUser(u *url.Userinfo, secrets *secret.Registry) {
	if u == nil {
		return
	}
	name := u.Username()
	password, _ := u.Password()
	secrets.Add(base64.StdEncoding.EncodeToString([]byte(name + ":" + password)))
	if len(password) >= secretBytes {
		secrets.Add(password)
	}
	if len(name) >= secretBytes && len(name) > len(password) {
		secrets.Add(name)
	}
}

func (t *send) receive(res *http.Response, spool *response.Spool) error {
	body, err := decompress(res)
	if err == nil {
		body = t.runLimits.reader(body)
		_, err = io.CopyN(spool, body, t.API.MaxResponseBytes)
	}
	if err == nil { // the body has the maximum size, and must end here
		if n, ended := io.ReadFull(body, make([]byte, 1)); n > 0 {
			err = &networkError{code: codeTooLarge, what: fmt.Sprintf("the body of the response has more than %d bytes, the limit of 'api.http.maxResponseBytes'", t.API.MaxResponseBytes)}
		} else {
			err = ended
		}
	}
	if err == io.EOF {
		err = nil
	}
	if closing := res.Body.Close(); err == nil {
		err = closing
	}
	return err
}

// emptyBody is an empty body. Unlike http.NoBody it keeps net/http from sending the
// request twice.
type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }

func (emptyBody) Close() error { return nil }

// WriteTo saves net/http a copy buffer.
func (emptyBody) WriteTo(io.Writer) (int64, error) { return 0, nil }

var errRequestTimeout = errors.New("the response did not arrive in time")
