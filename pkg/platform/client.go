// Package platform is a client of the platform's APIs: the storage API (configurations,
// their rows and states, events), the job queue API (jobs) and the encryption API.
//
// A call returns either a complete record or an error with the request and the reason. The
// token is sent only to the platform and never appears in an error text. Failed calls are
// retried, except those that create or change something: they may have succeeded. The
// package reads records but does not interpret them.
package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/keboola/go-client/pkg/client"
	"github.com/keboola/go-client/pkg/request"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const tokenHeader = "X-StorageApi-Token"

const storagePath = "/v2/storage"

// writeTimeout is the timeout of a write. Writes are not retried.
const writeTimeout = 30 * time.Second

// Options configures a client.
type Options struct {
	// URL is the base URL of the storage API without /v2/storage, for example
	// https://connection.keboola.com.
	URL   string
	Token string
	// QueueURL is the base URL of the queue API. If it is empty, the client reads it from
	// the storage API.
	QueueURL string
	// Transport sends the requests. If it is nil, the transport of the client library is
	// used.
	Transport http.RoundTripper
	// Retry configures retries. If it is nil, calls are retried up to 5 times within 30
	// seconds.
	Retry *client.RetryConfig
}

// Client calls the platform with one token. It is safe for concurrent use.
type Client struct {
	storage string // base URL without a slash at the end
	token   string
	repeats client.Client // retries failed requests; for requests that are safe to repeat
	once    client.Client // sends once, because a failed request may have succeeded

	mu       sync.Mutex
	services map[string]string // known base URLs of the other APIs, by name
}

// New returns a client. It sends no request. It returns a user error if a URL or the token
// is invalid.
func New(o Options) (*Client, error) {
	if !validAddress(o.URL) {
		return nil, failure.Userf("the platform address must be an absolute http or https URL without user, query and fragment")
	}
	if o.QueueURL != "" && !validAddress(o.QueueURL) {
		return nil, failure.Userf("the queue address must be an absolute http or https URL without user, query and fragment")
	}
	if o.Token == "" || strings.ContainsFunc(o.Token, unprintable) {
		return nil, failure.Userf("the platform token must be printable characters without blanks")
	}
	if o.Transport == nil {
		o.Transport = client.DefaultTransport()
	}
	repeats := client.New().WithTransport(tokenGuard{o.Transport})
	if o.Retry != nil {
		repeats = repeats.WithRetry(*o.Retry)
	}
	c := &Client{
		storage:  strings.TrimRight(o.URL, "/"),
		token:    o.Token,
		repeats:  repeats,
		once:     repeats.WithRetry(client.RetryConfig{TotalRequestTimeout: writeTimeout}),
		services: map[string]string{},
	}
	if o.QueueURL != "" {
		c.services[queueService] = strings.TrimRight(o.QueueURL, "/")
	}
	return c, nil
}

func validAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// get returns a read request. The base URL is absolute and set for each request, because
// the client library drops the path of a base URL that is set on the client.
func (c *Client) get(base, path string) request.HTTPRequest {
	return request.NewHTTPRequest(c.repeats).WithBaseURL(base).WithGet(path).AndHeader(tokenHeader, c.token)
}

// write returns a request that is sent once. The caller adds the method and the path.
func (c *Client) write(base string) request.HTTPRequest {
	return request.NewHTTPRequest(c.once).WithBaseURL(base).AndHeader(tokenHeader, c.token)
}

func (c *Client) record(ctx context.Context, req request.HTTPRequest) (value.Value, error) {
	return c.response(ctx, req, value.Object)
}

// stored sends a write and returns the record in the response. The record must have an id.
func (c *Client) stored(ctx context.Context, req request.HTTPRequest) (value.Value, error) {
	v, err := c.record(ctx, req)
	if err != nil {
		return value.Value{}, err
	}
	if text(v.Field("id")) == "" {
		return value.Value{}, &Error{
			Method: req.Method(), URL: req.URL().String(), Status: http.StatusOK,
			Message: "the response holds no id",
		}
	}
	return v, nil
}

// response sends a request and returns the JSON value in the response, which must be of the
// given kind. A request can be sent only once. The result and the error must be new for
// each request, because the library decodes into them without clearing them.
func (c *Client) response(ctx context.Context, req request.HTTPRequest, kind value.Kind) (value.Value, error) {
	var body json.RawMessage
	refused := &refusal{}
	response, _, err := req.WithResult(&body).WithError(refused).Send(ctx)
	failed := &Error{Method: req.Method(), URL: req.URL().String()}
	if response != nil && response.RawResponse() != nil {
		failed.Status = response.RawResponse().StatusCode
	}
	switch {
	case ctx.Err() != nil && err != nil:
		failed.Message, failed.cause = "interrupted", ctx.Err()
	case failed.Status == 0:
		failed.Message, failed.cause = networkFailure(err)
	case failed.Status > 399:
		failed.describe(refused.body)
	case err != nil:
		// The text of the library's error quotes the response, which may contain secrets.
		failed.Message = "the response is incomplete or not valid JSON"
	default:
		v, err := value.Parse(body)
		if err == nil && v.Kind() == kind {
			return v, nil
		}
		failed.Message = "the response is not a JSON " + kind.String()
	}
	failed.hide(c.token)
	return value.Value{}, failed
}

// text returns an id or a name in a record, or "". Ids may be numbers.
func text(v value.Value) string {
	if v.Kind() != value.String && v.Kind() != value.Number {
		return ""
	}
	return v.Raw()
}

// ValidID reports whether an id consists of letters, digits, '.', '_' and '-', and is not
// "." or "..". Such an id needs no escaping in a path.
func ValidID(id string) bool {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-')
	}
	return id != "" && id != "." && id != ".." && !strings.ContainsFunc(id, odd)
}

func checkID(what, id string) error {
	if !ValidID(id) {
		return failure.Userf("%s id %q is not valid: expected letters, digits, '.', '_' and '-'", what, id)
	}
	return nil
}

// networkFailure returns the reason for a missing response, without the URL, and its cause.
// For some timeouts the client library returns only a text of its own, which networkFailure
// recognizes.
func networkFailure(err error) (message string, cause error) {
	inner := errors.Unwrap(err)
	if inner == nil {
		inner = err
	}
	if errors.Is(err, context.DeadlineExceeded) || strings.HasPrefix(inner.Error(), "timeout after ") {
		return "no response in time", context.DeadlineExceeded
	}
	return inner.Error(), err
}
