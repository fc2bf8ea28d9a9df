// Package platform talks to the platform's own interfaces: the storage API
// (configurations, their rows, events) and the job queue API (jobs).
//
// It promises that a call either gives a complete record or an error that says
// what was asked and why it failed, that the token goes to the platform only
// and never into an error text, and that only reads are repeated when they
// fail. It knows what the records look like, not what they mean: which variable
// gets which value is none of its business.
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

// tokenHeader carries the token in both APIs.
const tokenHeader = "X-StorageApi-Token"

// writeTimeout is how long a write may take, its one attempt included.
const writeTimeout = 30 * time.Second

// Options is what a client needs to know.
type Options struct {
	// URL is the address of the storage API without /v2/storage, e.g.
	// https://connection.keboola.com.
	URL string
	// Token is the storage API token.
	Token string
	// QueueURL is the address of the queue API; empty: the storage API is asked.
	QueueURL string
	// Transport sends the requests; nil: the transport of the client library.
	Transport http.RoundTripper
	// Retry says how reads are repeated; nil: up to 5 times within 30 seconds.
	Retry *client.RetryConfig
}

// Client is the platform for one token. It may be used by several goroutines.
type Client struct {
	storage string // address without a slash at the end
	token   string
	reads   client.Client // repeats what fails; nothing but reads may use it
	writes  client.Client // sends once, for a write that failed may have been done

	mu    sync.Mutex
	queue string // address of the queue API, "" until it is known
}

// New makes a client and sends nothing. A faulty address or token is a user
// error.
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
	reads := client.New().WithTransport(tokenGuard{o.Transport})
	if o.Retry != nil {
		reads = reads.WithRetry(*o.Retry)
	}
	return &Client{
		storage: strings.TrimRight(o.URL, "/"),
		token:   o.Token,
		reads:   reads,
		writes:  reads.WithRetry(client.RetryConfig{TotalRequestTimeout: writeTimeout}),
		queue:   strings.TrimRight(o.QueueURL, "/"),
	}, nil
}

func validAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// get begins a read. The base is always absolute and on the request: the client
// library loses the path of a base that is set elsewhere.
func (c *Client) get(base, path string) request.HTTPRequest {
	return request.NewHTTPRequest(c.reads).WithBaseURL(base).WithGet(path)
}

// post begins a write, which is sent at most once.
func (c *Client) post(base, path string) request.HTTPRequest {
	return request.NewHTTPRequest(c.writes).WithBaseURL(base).WithPost(path).AndHeader(tokenHeader, c.token)
}

// put begins a change, which is sent at most once.
func (c *Client) put(base, path string) request.HTTPRequest {
	return request.NewHTTPRequest(c.writes).WithBaseURL(base).WithPut(path).AndHeader(tokenHeader, c.token)
}

// record sends a request and gives the JSON object that was answered.
func (c *Client) record(ctx context.Context, req request.HTTPRequest) (value.Value, error) {
	return c.answer(ctx, req, value.Object)
}

// stored sends a write and gives the record that was answered, which has an id.
func (c *Client) stored(ctx context.Context, req request.HTTPRequest) (value.Value, error) {
	v, err := c.record(ctx, req)
	if err != nil {
		return value.Value{}, err
	}
	if text(v.Field("id")) == "" {
		return value.Value{}, &Error{
			Method: req.Method(), URL: req.URL().String(), Status: http.StatusOK,
			Message: "the answer holds no id",
		}
	}
	return v, nil
}

// answer sends a request that was made for this one call and gives the JSON of
// this kind that was answered. The result and the error are new each time,
// because the library decodes into them and would keep what an earlier answer
// left.
func (c *Client) answer(ctx context.Context, req request.HTTPRequest, kind value.Kind) (value.Value, error) {
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
		// The library's text quotes the answer, which may hold secrets.
		failed.Message = "the answer is incomplete or not valid JSON"
	default:
		v, err := value.Parse(body)
		if err == nil && v.Kind() == kind {
			return v, nil
		}
		failed.Message = "the answer is not a JSON " + kind.String()
	}
	failed.hide(c.token)
	return value.Value{}, failed
}

// text is an id or a name of a record; ids may be numbers.
func text(v value.Value) string {
	if v.Kind() != value.String && v.Kind() != value.Number {
		return ""
	}
	return v.Raw()
}

// checkID keeps to ids that mean the same in every spelling of a path. Anything
// else is a user error.
func checkID(what, id string) error {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-')
	}
	if id == "" || id == "." || id == ".." || strings.ContainsFunc(id, odd) {
		return failure.Userf("%s id %q is not valid: expected letters, digits, '.', '_' and '-'", what, id)
	}
	return nil
}

// networkFailure is why no answer came, without the address that stands beside
// it already, and the error to keep as the cause. Of some timeouts the client
// library leaves nothing but its own text.
func networkFailure(err error) (message string, cause error) {
	inner := errors.Unwrap(err)
	if inner == nil {
		inner = err
	}
	if errors.Is(err, context.DeadlineExceeded) || strings.HasPrefix(inner.Error(), "timeout after ") {
		return "no answer in time", context.DeadlineExceeded
	}
	return inner.Error(), err
}
