package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"golang.org/x/net/http/httpproxy"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// newNetwork makes the innermost step: connections, TLS and proxy. HTTP/1.1
// only, as the original; no cookies; bodies are not decompressed here.
func newNetwork(o Options) (*http.Transport, error) {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: o.API.ConnectTimeout}).DialContext
	}
	return &http.Transport{
		DialContext:         dial,
		TLSHandshakeTimeout: o.API.ConnectTimeout,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 2,
		Proxy:               proxy(o.Getenv),
	}, nil
}

// proxy reads the usual environment variables; the upper-case HTTP_PROXY is not
// among them, since a CGI server would fill it from a request header.
func proxy(getenv func(string) string) func(*http.Request) (*url.URL, error) {
	either := func(names ...string) string {
		for _, name := range names {
			if v := getenv(name); v != "" {
				return v
			}
		}
		return ""
	}
	settings := httpproxy.Config{
		HTTPProxy:  either("http_proxy", "all_proxy", "ALL_PROXY"),
		HTTPSProxy: either("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
		NoProxy:    either("no_proxy", "NO_PROXY"),
	}
	find := settings.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return find(r.URL) }
}

// The numbers by which `retryConfig` names network errors: those of curl.
const (
	codeResolve   = 6
	codeConnect   = 7
	codePartial   = 18
	codeTimeout   = 28
	codeTLS       = 35
	codeNoAnswer  = 52
	codeSend      = 55
	codeReceive   = 56
	codeVerify    = 60
	codeEncoding  = 61
	codeBadAnswer = 8
	codeUnknown   = 1
)

// networkError is a failure to exchange a request for a complete answer.
type networkError struct {
	code  int
	what  string
	cause error
}

func (e *networkError) Error() string { return fmt.Sprintf("network error %d: %s", e.code, e.what) }

func (e *networkError) Unwrap() error { return e.cause }

func asNetworkError(err error) (*networkError, bool) {
	return errors.AsType[*networkError](err)
}

// networkErrorOf classifies what the network reported; receiving tells that the
// head of the answer had arrived already.
func networkErrorOf(ctx context.Context, err error, receiving bool) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return failure.Applicationf("cannot store a response: %w", pathError)
	}
	code, what := classify(ctx, err, receiving)
	return &networkError{code: code, what: what, cause: err}
}

func classify(ctx context.Context, err error, receiving bool) (int, string) {
	if errors.Is(context.Cause(ctx), errRequestTimeout) {
		return codeTimeout, "the answer did not arrive within 'api.http.requestTimeout'"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return codeTimeout, "no connection within 'api.http.connectTimeout'"
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return codeResolve, "the host " + dns.Name + " is not known"
	}
	if code, what := classifyTLS(err); code != 0 {
		return code, what
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect") {
		return codeConnect, "no connection: " + reason(op.Err)
	}
	return classifyBroken(err, receiving)
}

// classifyTLS knows the errors of making a secure connection.
func classifyTLS(err error) (int, string) {
	if verify, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return codeVerify, "the server's certificate is not trusted: " + verify.Err.Error()
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return codeVerify, "the server's certificate is not trusted: " + err.Error()
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return codeTLS, "the server does not speak TLS"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok || strings.Contains(err.Error(), "tls:") {
		return codeTLS, "no secure connection: " + reason(err)
	}
	return 0, ""
}

// classifyBroken knows the ways in which a connection ends too early.
func classifyBroken(err error, receiving bool) (int, string) {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return codeSend, "the connection broke while sending"
	case errors.Is(err, syscall.ECONNRESET):
		return codeReceive, "the server reset the connection"
	case receiving && errors.Is(err, io.ErrUnexpectedEOF):
		return codePartial, "the connection ended in the middle of the answer"
	case receiving:
		return codeEncoding, "the body of the answer cannot be read: " + reason(err)
	case errors.Is(err, io.EOF), strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "server closed idle connection"):
		return codeNoAnswer, "the server closed the connection without an answer"
	case strings.Contains(err.Error(), "malformed"):
		return codeBadAnswer, "the answer is not HTTP: " + reason(err)
	default:
		return codeUnknown, reason(err)
	}
}

// reason is the innermost text of an error: without addresses, which the
// message names already.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// describe turns an error of the chain into a user error that names the
// request. Errors that are failures already stay as they are.
func describe(ctx context.Context, req *http.Request, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*failure.Error](err); ok {
		return err
	}
	if n, ok := asNetworkError(err); ok {
		e := failure.Userf("%s %s failed: %s", req.Method, req.URL.Redacted(), n.Error())
		e.Cause = n
		return e
	}
	return err
}
