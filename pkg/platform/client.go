// Package platform is a client of the platform's APIs: the storage API
// (configurations, their rows and states, events), the job queue API (jobs) and the
// encryption API.
//
// A call returns either a complete record or an error that says what was requested
// and why it failed. The token is sent to the platform only and is never in an
// error text. A call is repeated when it fails, unless it makes something new: then
// it may have been done. The package reads the records but does not interpret them.
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

// writeTimeout is the time limit of a write, which is sent once.
const writeTimeout = 30 * time.Second

// Options configure a client.
type Options struct {
	// URL is the address of the storage API without /v2/storage, e.g.
	// https://connection.keboola.com.
	URL   string
	Token string
	// QueueURL is the address of the queue API; "" asks the storage API for it.
	QueueURL string
	// Transport sends the requests; nil is the transport of the client library.
	Transport http.RoundTripper
	// Retry says how calls are repeated; nil is up to 5 times within 30 seconds.
	Retry *client.RetryConfig
}

// Client calls the platform with one token. Several goroutines may use it.
type Client struct {
	storage string // address without a slash at the end
	token   string
	repeats client.Client // repeats failed requests; for what can be done twice
	once    client.Client // sends once, because a failed request may have been done

	mu       sync.Mutex
	services map[string]string // addresses of the other APIs that are known, by their names
}

// New makes a client and sends nothing. It returns a user error if an address or
// the token is not valid.
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

// get begins a read. The base is absolute and set for each request: the client
// library loses the path of a base that is set elsewhere.
func (c *Client) get(base, path string) request.HTTPRequest {
	return request.NewHTTPRequest(c.repeats).WithBaseURL(base).WithGet(path).AndHeader(tokenHeader, c.token)
}

// write begins a request that is sent once. The caller adds method and path.
func (c *Client) write(base string) request.HTTPRequest {
	return request.NewHTTPRequest(c.once).WithBaseURL(base).AndHeader(tokenHeader, c.token)
}

// record sends a request and returns the JSON object of the response.
func (c *Client) record(ctx context.Context, req request.HTTPRequest) (value.Value, error) {
	return c.response(ctx, req, value.Object)
}

// stored sends a write and returns the record of the response, which must have an id.
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

// response sends a request and returns the JSON of the response, which must be of this
// kind. A request can be used once. The result and the error must be new for each
// request: the library decodes into them and keeps what is there.
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
		// The library's text quotes the response, which may contain secrets.
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

// text is an id or a name in a record; ids may be numbers.
func text(v value.Value) string {
	if v.Kind() != value.String && v.Kind() != value.Number {
		return ""
	}
	return v.Raw()
}

// ValidID reports whether an id has only letters, digits, '.', '_' and '-', so that
// it means the same in every spelling of a path.
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

// networkFailure returns why there was no response, without the address, and the
// cause. For some time-outs the client library returns only its own text.
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
