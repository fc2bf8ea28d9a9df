package httpclient

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// DryRun collects the requests of a client instead of sending them. It is not safe for
// concurrent use.
type DryRun struct {
	// Header and Response are the header and the body of the response to every login.
	Header   http.Header
	Response []byte
	// Outgoing are the requests in the order of sending.
	Outgoing []Outgoing
}

// Outgoing is a request with the exact head and body that would be sent.
type Outgoing struct {
	// Login is true for a request of the authentication.
	Login bool
	// Built is the request before authentication and signature.
	Built  *request.Request
	Method string
	// URL has no user and password, because they are sent as a header.
	URL       string
	Headers   []Line // header lines in the order of sending
	Body      []byte
	Sensitive secret.Sensitive // secret parts, see request.Request
	// Sources are the sources of its parts, see JobInfo.FindSources.
	Sources []request.Source
}

// Line is one header line.
type Line struct{ Name, Text string }

// ErrNotSent ends every request of a job in a dry run.
var ErrNotSent = errors.New("a dry run sends nothing")

// dryRun collects requests instead of sending them. It returns a response only to logins.
type dryRun struct{ *Options }

func (t *dryRun) do(ctx context.Context, x *call) (*Response, error) {
	kept, err := outgoing(ctx, x)
	if err != nil {
		return nil, err
	}
	t.DryRun.Outgoing = append(t.DryRun.Outgoing, kept)
	if !x.forLogin {
		return nil, ErrNotSent
	}
	spool := t.spooler.New()
	if _, err := spool.Write(t.DryRun.Response); err != nil {
		return nil, errors.Join(err, spool.Close())
	}
	sent := *x
	sent.Request = withUser(x.Request)
	return &Response{call: &sent, Status: http.StatusOK, StatusLine: "200 OK", Header: t.DryRun.Header, Body: spool}, nil
}

// outgoing returns the bytes that net/http would send for a request, and their sources.
func outgoing(ctx context.Context, x *call) (Outgoing, error) {
	sent := *x
	sent.Request = withUser(x.Request)
	var wire bytes.Buffer
	if err := sent.http(ctx).Write(&wire); err != nil { // as net/http does for a connection
		return Outgoing{}, err
	}
	kept := Outgoing{Login: x.forLogin, Built: x.Built, Method: x.Method, Sensitive: x.Sensitive}
	head, body, _ := bytes.Cut(wire.Bytes(), []byte("\r\n\r\n"))
	kept.Body = body
	lines := strings.Split(string(head), "\r\n")
	for _, line := range lines[1:] {
		name, text, _ := strings.Cut(line, ": ")
		kept.Headers = append(kept.Headers, Line{name, text})
	}
	// The first line is METHOD TARGET HTTP/1.1.
	kept.URL = x.URL.Scheme + "://" + x.URL.Host + strings.Split(lines[0], " ")[1]
	if find := x.Sender.FindSources; find != nil {
		kept.Sources = find(kept)
	}
	return kept, nil
}
