package har

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/encoding"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Options are the options of a Recorder.
type Options struct {
	// Path is the path of the file. Close replaces an existing file.
	Path string
	// Creator is the name of the program in the file, and Version its version.
	Creator, Version string
	// MaxBody is the maximum number of bytes to record of each response body. 0 means
	// all.
	MaxBody int64
	Secrets *secret.Registry
	Now     func() time.Time
	// Sleep waits, or returns the error of the context if the context ends first.
	Sleep func(context.Context, time.Duration) error
}

// Recorder writes the exchanges of a run to a file. It is safe for concurrent use.
type Recorder struct {
	o     Options
	clock clock

	mu     sync.Mutex
	writer *writer
	closed bool
	err    error // first error of Add or Read
}

// Exchange is one request and its response.
type Exchange struct {
	// Request is the request as it was sent.
	Request *request.Request
	// Response is nil if no response arrived. Then Err is the reason and Code its number.
	// Unsent is true if there was no connection.
	Response *http.Response
	Err      string
	Code     int
	Unsent   bool
	// Unknown is true if a replay had no response.
	Unknown bool
	// Body returns a new reader of the decompressed body. The body has Size bytes.
	Body func() io.Reader
	Size int64
	// Binary is true if the body is not UTF-8.
	Binary bool
	// Charsets are the possible character sets of a binary body.
	Charsets []encoding.Encoding
	// HideTexts hides all texts of the body except messages. It is set for failed logins,
	// because their secrets are not known.
	HideTexts bool
	// File is set if the body becomes a file. Then Body may be nil.
	File *File
	// Origin is the page that the exchange was sent for. It may be nil.
	Origin *Initiator
	// Started and Ended are times of the Recorder's clock.
	Started, Ended time.Time
	Timings        Timings
}

// page is the ID of the only page of a recording.
const page = "run"

// NewRecorder starts a recording. It returns a user error if the file cannot be created.
func NewRecorder(o Options) (*Recorder, error) {
	r := &Recorder{o: o}
	r.clock.forward(o.Now())
	w, err := newWriter(o.Path, o.Creator, o.Version, runPage{Started: r.clock.now().UTC(), ID: page, Title: "extractor run"})
	if err != nil {
		return nil, failure.Userf("cannot record to '%s': %w", o.Path, err)
	}
	r.writer = w
	return r, nil
}

// Now returns the time of the clock of the recording.
func (r *Recorder) Now() time.Time { return r.clock.now() }

// WallClock returns the real time, for Timings.
func (r *Recorder) WallClock() time.Time { return r.o.Now() }

// Tick sets the clock to the real time and returns the time of the clock. It is called
// before each request and at the end of each exchange.
func (r *Recorder) Tick() time.Time { return r.clock.forward(r.o.Now()) }

// Sleep waits and advances the clock. Concurrent waits do not add up.
func (r *Recorder) Sleep(ctx context.Context, d time.Duration) error {
	end := r.clock.now().Add(d)
	err := r.o.Sleep(ctx, d)
	r.clock.forward(end)
	return err
}

// Add writes an exchange. It masks the secrets that are registered when Add is called. An
// error is an application error, and Close returns it, too.
func (r *Recorder) Add(x Exchange) error {
	stored, err := r.bodyOf(x)
	defer stored.close() // on failure at most a file stays open
	e := r.entry(x, stored)
	return r.append("a request", func() error {
		if err != nil {
			return err
		}
		return r.write(e, stored)
	})
}

// Read writes the findings of the run in a response. Errors are as for Add.
func (r *Recorder) Read(found PageFindings) error {
	found = found.redacted(r.o.Secrets.Mask)
	return r.append("what was found in a response", func() error { return r.writer.addFindings(found) })
}

// append writes to the file, unless the run has ended without waiting for a request. It
// keeps the first error for Close.
func (r *Recorder) append(what string, write func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	err := write()
	if err != nil {
		err = failure.Applicationf("cannot record %s: %w", what, err)
		if r.err == nil {
			r.err = err
		}
	}
	return err
}

func (r *Recorder) write(e Entry, stored body) error {
	limit := &limitedWriter{left: r.o.MaxBody, text: !stored.binary}
	masked := masker{secrets: r.o.Secrets, size: stored.size, found: stored.masked}
	content := func(w io.Writer) error {
		var out io.Writer = quoteWriter{w}
		finish := func() error { return nil }
		if stored.binary {
			encoder := base64.NewEncoder(base64.StdEncoding, w)
			out, finish = encoder, encoder.Close
		}
		masked.w = out
		if r.o.MaxBody > 0 {
			limit.w = out
			masked.w = limit
		}
		var err error
		switch {
		case stored.open == nil:
		case stored.clean:
			_, err = io.Copy(masked.w, stored.open())
		default:
			err = masked.copy(stored.open())
		}
		return errors.Join(err, finish())
	}
	return r.writer.write(e, content, func() map[string]any {
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

// Close completes the file and renames it to its path. If an exchange could not be
// written, Close removes the file instead. A second call only returns the first error
// again.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.err
	}
	r.closed = true
	finish := r.writer.close
	if r.err != nil { // the last entry may not be complete
		finish = r.writer.discard
	}
	if err := finish(); err != nil {
		r.err = errors.Join(r.err, failure.Applicationf("cannot write the recording: %w", err))
	}
	return r.err
}

// entry returns the entry of an exchange, without the body of the response.
func (r *Recorder) entry(x Exchange, stored body) Entry {
	sensitive := x.Request.Sensitive
	address := r.o.Secrets.RedactAddress(x.Request.URL, sensitive).Whole
	e := Entry{
		Page:    page,
		Started: x.Started.UTC(),
		Time:    float64(x.Ended.Sub(x.Started)) / float64(time.Millisecond),
		Timings: x.Timings,
		Error:   r.o.Secrets.Mask(x.Err),
		Code:    x.Code,
		Unsent:  x.Unsent,
		Unknown: x.Unknown,
		Request: Request{
			Method:      x.Request.Method,
			URL:         escapeHidden(address),
			HTTPVersion: httpVersion,
			Cookies:     []Pair{},
			Headers:     r.headers(x.Request.Header, sensitive),
			Query:       queryOf(address),
			HeadersSize: -1,
			BodySize:    int64(len(x.Request.Body)),
			Anonymous:   x.Request.Anonymous,
		},
		Response: Response{HTTPVersion: httpVersion, Cookies: []Pair{}, Headers: []Pair{}, HeadersSize: -1, BodySize: -1, Content: content{Size: x.Size}},
	}
	if x.Origin != nil {
		e.Origin = x.Origin.redacted(r.o.Secrets.Mask)
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
	a.StatusText = r.o.Secrets.Mask(a.StatusText)
	a.Headers = r.headers(x.Response.Header, secret.Sensitive{})
	a.RedirectURL = escapeHidden(r.o.Secrets.Mask(x.Response.Header.Get("Location")))
	a.BodySize = x.Response.ContentLength
	a.Content.MimeType = r.o.Secrets.Mask(x.Response.Header.Get("Content-Type"))
	if stored.binary {
		a.Content.Encoding = "base64"
	}
	if a.Content.File = x.File; x.File != nil && stored.open == nil {
		a.Content.Comment = FileComment
	}
	if stored.omitted != "" {
		a.Content.Omitted, a.Content.Comment = true, "the body is left out: "+stored.omitted
	}
	return e
}

const httpVersion = "HTTP/1.1"

// headers returns masked headers. Credentials, and headers made from secrets, are hidden
// as a whole.
func (r *Recorder) headers(h http.Header, sensitive secret.Sensitive) []Pair {
	pairs := []Pair{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, text := range h[name] {
			switch {
			case text == "null": // expressions read it as a missing header
			case strings.EqualFold(name, "Set-Cookie"):
				text = cookieOf(text)
			case sensitive.Header(name), slices.Contains([]string{"authorization", "proxy-authorization", "cookie"}, strings.ToLower(name)):
				text = secret.Hidden
			}
			pairs = append(pairs, Pair{r.o.Secrets.Mask(name), r.o.Secrets.Mask(text)})
		}
	}
	return pairs
}

// cookieOf returns a cookie without its value. The name stays for replays that read the
// cookie, unless the name is data.
func cookieOf(line string) string {
	if name, _, ok := strings.Cut(line, "="); ok && secret.OrdinaryName(name) {
		return name + "=" + secret.Hidden
	}
	return secret.Hidden
}

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

func validText(body []byte) string { return strings.ToValidUTF8(string(body), "\uFFFD") }
