package httpclient

import (
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// network sends requests below the last step. It makes the connections, with TLS, proxy
// and tunnel.
type network struct {
	trusted *http.Transport
	// untrusted sends requests to origins that must not see the certificate of the client.
	// Without a certificate it is the same transport as trusted.
	untrusted *http.Transport
	via       findProxy // nil if no proxy is used
}

// newNetwork returns a network that uses the proxies of the environment. It fails if the
// address of a proxy is invalid.
func newNetwork(o *Options) (*network, error) {
	via, err := proxy(o)
	if err != nil {
		return nil, err
	}
	n := &network{trusted: newTransport(o, via, o.Settings.certificate), via: via}
	n.untrusted = n.trusted
	if o.Settings.certificate != nil {
		n.untrusted = newTransport(o, via, nil)
	}
	return n, nil
}

func (n *network) roundTrip(req *http.Request, untrusted bool) (*http.Response, error) {
	if n.via != nil {
		req = n.via.prepare(req)
	}
	if untrusted {
		return n.untrusted.RoundTrip(req)
	}
	return n.trusted.RoundTrip(req)
}

func (n *network) close() {
	n.trusted.CloseIdleConnections()
	n.untrusted.CloseIdleConnections()
}

// newTransport returns a transport without cookies and decompression. It uses HTTP/1.1
// only, like the original extractor.
func newTransport(o *Options, via findProxy, certificate *tls.Certificate) *http.Transport {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: o.API.ConnectTimeout}).DialContext
	}
	switch {
	case o.Settings.server != nil:
		dial = o.tunnel.connection
	case o.DenyPrivateNetworks:
		proxies, others := dial, publicOnly(dial, o.Lookup, o.API.ConnectTimeout)
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if ctx.Value(proxiedKey{}) != nil { // the operator chose the proxy
				return proxies(ctx, network, address)
			}
			return others(ctx, network, address)
		}
	}
	return &http.Transport{
		DialContext:            detectEarlyResponses(recoverDial(dial)),
		TLSHandshakeTimeout:    o.API.ConnectTimeout,
		TLSClientConfig:        o.Settings.tlsConfig(certificate),
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHead,

		MaxIdleConnsPerHost: max(2, o.API.Concurrency),
		IdleConnTimeout:     90 * time.Second,
		Proxy:               via,

		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode != http.StatusOK {
				return &networkError{code: codeReceive, what: "the proxy returned status " + res.Status}
			}
			return nil
		},
	}
}

// maxHead is the maximum size, in bytes, of the head of a response, including 1xx
// responses before it.
const maxHead = 1 << 20

// recoverDial converts a panic into an error. net/http connects in its own goroutines,
// where a panic would end the program with an unmasked message.
func recoverDial(dial env.Dial) env.Dial {
	return func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		err = failure.Recover(func() (err error) {
			conn, err = dial(ctx, network, address)
			return err
		})
		return conn, err
	}
}

// These codes of network errors, used in `retryConfig`, are the numbers of curl.
const (
	codeUnknown     = 1
	codeProxy       = 5
	codeResolve     = 6
	codeConnect     = 7
	codeBadResponse = 8
	codePartial     = 18
	codeTimeout     = 28
	codeTLS         = 35
	codeNoResponse  = 52
	codeSend        = 55
	codeReceive     = 56
	codeVerify      = 60
	codeEncoding    = 61
	codeTooLarge    = 63
	codeSOCKS       = 97
)

type networkError struct {
	code   int
	what   string
	cause  error
	unsent bool // true if there was no connection
	// advice describes what to check. pointer is the JSON pointer of the setting to
	// check. Both may be empty.
	advice, pointer string
}

func (e *networkError) Error() string { return fmt.Sprintf("network error %d: %s", e.code, e.what) }

func (e *networkError) Unwrap() error { return e.cause }

// networkErrorOf classifies an error of the network. receiving is true if the error
// happened in the body of the response.
func networkErrorOf(ctx context.Context, err error, receiving bool) error {
	if pathError, ok := errors.AsType[*os.PathError](err); ok {
		return failure.Applicationf("cannot store a response: %w", pathError)
	}
	if reached, ok := errors.AsType[*LimitReached](err); ok {
		return reached
	}
	if refusal, ok := errors.AsType[*failure.Error](err); ok {
		return refusal
	}
	if n, ok := errors.AsType[*networkError](err); ok {
		return n
	}
	code, what := classify(ctx, err, receiving)
	return &networkError{code: code, what: what, cause: err}
}

func classify(ctx context.Context, err error, receiving bool) (int, string) {
	if errors.Is(context.Cause(ctx), errRequestTimeout) {
		return codeTimeout, "the response did not arrive within 'api.http.requestTimeout'"
	}
	// The system has its own timeouts, for connecting and for open connections.
	if errors.Is(err, syscall.ETIMEDOUT) {
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op != "read" && op.Op != "write" {
			return codeTimeout, "no connection: " + reason(err)
		}
		return codeReceive, "the connection was lost: the server has sent no data for too long"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return codeTimeout, "no connection within 'api.http.connectTimeout'"
	}
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		// net/http closes the connection of a cancelled request, even if the response has
		// just arrived and the connection has the next request already.
		return codeReceive, "the connection was closed when the request before it was cancelled"
	}
	if code, what := classifyTLS(err); code != 0 {
		return code, what
	}
	if code, what := classifyConnect(err); code != 0 {
		return code, what
	}
	return classifyBroken(err, receiving)
}

func classifyTLS(err error) (int, string) {
	if verify, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return codeVerify, "the server's certificate is not trusted: " + distrust(verify.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return codeTLS, "the server does not speak TLS"
	}
	if strings.Contains(err.Error(), "tls: ") {
		return codeTLS, "no secure connection: " + strings.TrimPrefix(reason(err), "tls: ")
	}
	return 0, ""
}

func distrust(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "it was signed by an unknown authority; 'api.caCertificate' can name it"
	}
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case !ok || invalid.Reason != x509.Expired:
		return strings.TrimPrefix(err.Error(), "x509: ")
	case strings.Contains(invalid.Detail, "is before"):
		return "it is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.RFC3339)
	default:
		return "it expired at " + invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
	}
}

// classifyConnect classifies errors of connecting to the server or to a proxy.
func classifyConnect(err error) (int, string) {
	op, isOp := errors.AsType[*net.OpError](err)
	viaProxy := isOp && op.Op == "proxyconnect"
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE): // also in a DNS lookup
		return codeConnect, "no connection: " + reason(err)
	case isDNS && viaProxy:
		return codeProxy, "the proxy's host " + dns.Name + " is not known"
	case isDNS:
		return codeResolve, "the host " + dns.Name + " is not known"
	case viaProxy:
		return codeConnect, "no connection to the proxy: " + reason(op.Err)
	case isOp && op.Op == "socks connect":
		return codeSOCKS, "the proxy made no connection: " + reason(op.Err)
	case isOp && op.Op == "dial":
		return codeConnect, "no connection: " + reason(op.Err)
	}
	return 0, ""
}

// classifyBroken classifies errors of connections that end too early.
func classifyBroken(err error, receiving bool) (int, string) {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return codeSend, "the connection broke while sending"
	case errors.Is(err, syscall.ECONNRESET):
		return codeReceive, "the server reset the connection"
	case receiving && errors.Is(err, io.ErrUnexpectedEOF):
		return codePartial, "the connection ended in the middle of the response"
	case receiving && !compression(err):
		return codeReceive, "the body of the response cannot be read: " + reason(err)
	case receiving:
		return codeEncoding, "the body of the response cannot be decompressed: " + reason(err)
	case strings.Contains(err.Error(), "readLoopPeekFailLocked"): // text in the error of net/http
		return codeReceive, unsolicitedText
	case errors.Is(err, io.EOF), strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "server closed idle connection"):
		return codeNoResponse, "the server closed the connection without a response"
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return codeBadResponse, fmt.Sprintf("the head of the response has more than %d bytes", maxHead)
	case strings.Contains(err.Error(), "HTTP/1.x transport connection broken"):
		return codeBadResponse, "the response is not valid HTTP"
	default:
		return codeUnknown, reason(err)
	}
}

// unsolicitedText is the error of a reused connection on which bytes arrived that belong
// to no request.
const unsolicitedText = "the server sent data before a request"

func compression(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	if _, coding := errors.AsType[codingError](err); coding {
		return true
	}
	known := []error{errTrailingBytes, gzip.ErrHeader, gzip.ErrChecksum, zlib.ErrHeader, zlib.ErrChecksum, zlib.ErrDictionary}
	return corrupt || slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
}

// reason returns the text of the innermost error. It lacks URLs, which the message
// already has.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// describe converts a network error into a user error that names the request. If the
// context has ended, it returns the error of the context, or the *LimitReached that
// caused it.
func describe(ctx context.Context, req *request.Request, err error) error {
	if ctx.Err() != nil {
		if reached, ok := errors.AsType[*LimitReached](context.Cause(ctx)); ok {
			return reached
		}
		return ctx.Err()
	}
	if _, ok := errors.AsType[*failure.Error](err); ok {
		return err
	}
	if n, ok := errors.AsType[*networkError](err); ok {
		e := failure.Userf("%s %s failed: %s", req.Method, req.Address(), n.Error())
		if n.advice != "" {
			e.Message += "; " + n.advice
		}
		e.Cause = n
		return e.At(n.pointer)
	}
	return err
}
