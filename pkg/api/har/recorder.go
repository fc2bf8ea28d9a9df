package har

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Options are what a Recorder works with.
type Options struct {
	// Path of the file; what is there is replaced when the recording is complete.
	Path string
	// Creator and its Version are named in the file.
	Creator, Version string
	// MaxBody is how many bytes of the body of an answer are kept; 0 is all.
	MaxBody int64
	Secrets *secret.Registry
	Now     func() time.Time
	// Sleep waits, or returns the error of the context when it ends first.
	Sleep func(context.Context, time.Duration) error
}

// Recorder writes the exchanges of a run into a file. All methods may be called
// from many goroutines.
type Recorder struct {
	o     Options
	clock clock

	mu     sync.Mutex
	writer *writer
	closed bool
	err    error // the first one
}

// Exchange is what a Recorder keeps.
type Exchange struct {
	// Request is the one that was sent.
	Request *request.Request
	// Response is nil when none arrived, and Err is why then, Code its number.
	// Unsent is set when there was no connection.
	Response *http.Response
	Err      string
	Code     int
	Unsent   bool
	// Body of the answer, decompressed, of Size bytes. It reads from the start
	// each time it is called.
	Body func() io.Reader
	Size int64
	// Binary is set when it is not UTF-8 throughout.
	Binary bool
	// Opaque hides all texts of the body but messages: it came from a login that
	// failed, so that it is not known which of them are secrets.
	Opaque bool
	// Started and Ended are times of the Recorder's clock.
	Started, Ended time.Time
	Timings        Timings
}

// page is the one page of a recording.
const page = "run"

// NewRecorder starts a recording. That the file cannot be made is a user error.
func NewRecorder(o Options) (*Recorder, error) {
	r := &Recorder{o: o}
	r.clock.forward(o.Now())
	w, err := newWriter(o.Path, o.Creator, o.Version, Page{Started: r.clock.now().UTC(), ID: page, Title: "extractor run"})
	if err != nil {
		return nil, failure.Userf("cannot record to '%s': %w", o.Path, err)
	}
	r.writer = w
	return r, nil
}

// Now is the time of the run that is recorded.
func (r *Recorder) Now() time.Time { return r.clock.now() }

// Real is the real time, which Timings are measured in.
func (r *Recorder) Real() time.Time { return r.o.Now() }

// Tick brings the clock to the real time and gives its time. It is called when
// a request is about to be made, and when an exchange has ended.
func (r *Recorder) Tick() time.Time { return r.clock.forward(r.o.Now()) }

// Sleep waits. Waits side by side count once.
func (r *Recorder) Sleep(ctx context.Context, d time.Duration) error {
	end := r.clock.now().Add(d)
	err := r.o.Sleep(ctx, d)
	r.clock.forward(end)
	return err
}

// Add writes an exchange with all secrets masked that are known now. An error
// is an application error; it is that of Close, too.
func (r *Recorder) Add(x Exchange) error {
	e := r.entry(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil // a request that no one waits for any more
	}
	err := r.write(e, x)
	if err != nil {
		err = failure.Applicationf("cannot record a request: %w", err)
		if r.err == nil {
			r.err = err
		}
	}
	return err
}

func (r *Recorder) write(e Entry, x Exchange) error {
	limit := &limited{left: r.o.MaxBody, text: !x.Binary}
	masked := masker{secrets: r.o.Secrets, size: x.Size}
	body := func(w io.Writer) error {
		out := encoder(w, !x.Binary)
		masked.w = out
		if r.o.MaxBody > 0 {
			limit.w = out
			masked.w = limit
		}
		if x.Body != nil {
			content := x.Body()
			if x.Opaque {
				hidden, err := hideAll(content, x.Response.StatusCode)
				if err != nil {
					return err
				}
				content, masked.found, masked.size = bytes.NewReader(hidden), true, int64(len(hidden))
			}
			if err := masked.copy(content); err != nil {
				return err
			}
		}
		return out.Close()
	}
	return r.writer.write(e, body, func() map[string]any {
		more := map[string]any{}
		if limit.cut {
			more["_capped"] = true
		}
		if masked.found {
			more["comment"] = "secrets in it are masked"
		}
		return more
	})
}

// Close completes the file. A second call does nothing but return the first
// error again.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.err
	}
	r.closed = true
	if err := r.writer.close(); err != nil && r.err == nil {
		r.err = failure.Applicationf("cannot write the recording: %w", err)
	}
	return r.err
}

// entry is an exchange in the words of the format, without the body of its answer.
func (r *Recorder) entry(x Exchange) Entry {
	sensitive := x.Request.Sensitive
	address := r.o.Secrets.RedactAddress(x.Request.URL, sensitive).Whole
	e := Entry{
		Page:    page,
		Started: x.Started.UTC(),
		Time:    milliseconds(x.Ended.Sub(x.Started)),
		Timings: x.Timings,
		Error:   r.o.Secrets.Redact(x.Err),
		Code:    x.Code,
		Unsent:  x.Unsent,
		Request: Request{
			Method:      x.Request.Method,
			URL:         escapeHidden(address),
			HTTPVersion: httpVersion,
			Cookies:     []Pair{},
			Headers:     r.headers(x.Request.Header, sensitive),
			Query:       queryOf(address),
			HeadersSize: -1,
			BodySize:    int64(len(x.Request.Body)),
		},
		Response: Response{HTTPVersion: httpVersion, Cookies: []Pair{}, Headers: []Pair{}, HeadersSize: -1, BodySize: -1, Content: Content{Size: x.Size}},
	}
	if len(x.Request.Body) > 0 {
		e.Request.Post = &PostData{MimeType: x.Request.Header.Get("Content-Type"), Text: r.o.Secrets.RedactWith(validText(x.Request.Body), sensitive.Body())}
	}
	if x.Response == nil {
		return e
	}
	a := &e.Response
	a.Status = x.Response.StatusCode
	_, a.StatusText, _ = strings.Cut(x.Response.Status, " ")
	a.StatusText = r.o.Secrets.Redact(a.StatusText)
	a.Headers = r.headers(x.Response.Header, secret.Sensitive{})
	a.RedirectURL = escapeHidden(r.o.Secrets.Redact(x.Response.Header.Get("Location")))
	a.BodySize = x.Response.ContentLength
	a.Content.MimeType = r.o.Secrets.Redact(x.Response.Header.Get("Content-Type"))
	if x.Binary {
		a.Content.Encoding = "base64"
	}
	return e
}

const httpVersion = "HTTP/1.1"

// headers are masked. What proves who we are, or was made of secrets, is hidden as a
// whole.
func (r *Recorder) headers(h http.Header, sensitive secret.Sensitive) []Pair {
	pairs := []Pair{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, text := range h[name] {
			if sensitive.Header(name) || slices.Contains([]string{"authorization", "proxy-authorization", "cookie", "set-cookie"}, strings.ToLower(name)) {
				text = secret.Hidden
			}
			pairs = append(pairs, Pair{r.o.Secrets.Redact(name), r.o.Secrets.Redact(text)})
		}
	}
	return pairs
}

// queryOf are the parameters of an address, decoded where they can be.
func queryOf(address string) []Pair {
	pairs := []Pair{}
	_, query, _ := strings.Cut(address, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, text, _ := strings.Cut(pair, "=")
		pairs = append(pairs, Pair{unescaped(name), unescaped(text)})
	}
	return pairs
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return strings.ToValidUTF8(plain, "\uFFFD")
	}
	return text
}

// validText is a body as a text that JSON can hold.
func validText(body []byte) string { return strings.ToValidUTF8(string(body), "\uFFFD") }
