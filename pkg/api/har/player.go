package har

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Player returns the responses of a recording to the requests of a run. It is safe for
// concurrent use.
//
// A request gets the first unused response of an equal request. The order of different
// requests does not matter. Requests are equal if their method, URL and body are equal
// with secrets masked, and if both have credentials or neither has. A masked part of a
// recorded request matches any text, because a secret of the recorded run need not be
// registered in this run.
type Player struct {
	path    string
	file    *os.File
	secrets *secret.Registry
	clock   clock

	mu    sync.Mutex
	index *index
	next  int // index of the first unused entry
}

// NewPlayer opens a recording. It returns a user error if the recording cannot be read.
func NewPlayer(path string, secrets *secret.Registry) (*Player, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, failure.Userf("cannot replay '%s': %w", path, err)
	}
	x, err := newIndex(file)
	if err != nil {
		return nil, failure.Userf("cannot replay '%s': %w", path, errors.Join(err, file.Close()))
	}
	// In the recorded responses the mask stands for secrets, so it is masked here, too.
	// It is registered with its brackets, because data may contain the word alone.
	secrets.AddPart(secret.Hidden)
	p := &Player{path: path, file: file, secrets: secrets, index: x}
	p.clock.forward(x.started)
	return p, nil
}

// Close closes the file.
func (p *Player) Close() error { return p.file.Close() }

// Now returns the recorded time.
func (p *Player) Now() time.Time { return p.clock.now() }

// BeginRequest sets the clock to the start of the first unused entry and returns the time
// of the clock. It is called before each request.
func (p *Player) BeginRequest() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == len(p.index.entries) {
		return p.clock.now()
	}
	return p.clock.forward(p.index.entries[p.next].started)
}

// Sleep advances the clock and does not wait.
func (p *Player) Sleep(ctx context.Context, d time.Duration) error {
	p.clock.forward(p.clock.now().Add(d))
	return ctx.Err()
}

// Response returns the entry recorded for a request and sets the clock to the start of
// the exchange. It returns a user error if the request was not recorded, or not so often.
func (p *Player) Response(r *request.Request) (*Entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	address := p.secrets.RedactAddress(r.URL, r.Sensitive).Whole
	text := requestText(r.Method, unescapeHidden(address), p.secrets.RedactWith(validText(r.Body), r.Sensitive.Body()), r.Anonymous)
	number, e, err := p.find(text)
	if err != nil {
		return nil, failure.Userf("cannot replay '%s': %w", p.path, err)
	}
	if e == nil {
		return nil, p.unknown(text)
	}
	p.index.entries[number].used = true
	for p.next < len(p.index.entries) && p.index.entries[p.next].used {
		p.next++
	}
	if e.Response.Content.Capped {
		return nil, failure.Userf("cannot replay the response to %s: the recording holds only the beginning of its body; record it without --record-max-body", firstLine(text))
	}
	if content := e.Response.Content; content.Omitted {
		return nil, failure.Userf("cannot replay the response to %s: %s", firstLine(text), cmp.Or(content.Comment, "the recording does not hold its body"))
	}
	p.clock.forward(e.Started)
	return e, nil
}

// EndExchange sets the clock to the end of an exchange.
func (p *Player) EndExchange(e *Entry) {
	p.clock.forward(e.Started.Add(time.Duration(e.Time * float64(time.Millisecond)).Round(resolution)))
}

func (p *Player) find(text string) (int, *Entry, error) {
	k := keyOf(text)
	for queue := p.index.byKey[k]; len(queue) > 0; queue = p.index.byKey[k] {
		p.index.byKey[k] = queue[1:]
		if number := queue[0]; !p.index.entries[number].used {
			e, err := p.index.entry(number)
			return number, e, err
		}
	}
	for number := p.next; number < len(p.index.entries); number++ {
		if at := p.index.entries[number]; at.used || !at.hidden {
			continue
		}
		e, err := p.index.entry(number)
		if err != nil || matchesMasked(e.requestText(), text) {
			return number, e, err
		}
	}
	return 0, nil, nil
}

// matchesMasked reports whether a text matches a masked text. A mask matches any text.
func matchesMasked(masked, text string) bool {
	parts := strings.Split(masked, secret.Hidden)
	last := len(parts) - 1
	if !strings.HasPrefix(text, parts[0]) || last == 0 {
		return masked == text
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1:last] {
		_, behind, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = behind
	}
	return strings.HasSuffix(text, parts[last])
}

// Finish returns a user error if a recorded request was not sent. The error names the
// first such request.
func (p *Player) Finish() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := 0
	for _, e := range p.index.entries {
		if !e.used {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	e, err := p.index.entry(p.next)
	if err != nil {
		return failure.Userf("cannot replay '%s': %w", p.path, err)
	}
	verb := "were"
	if left == 1 {
		verb = "was"
	}
	return failure.Userf("the recording holds %s that %s not sent, the first: %s", textfmt.Count(left, "request"), verb, firstLine(e.requestText()))
}

// Body returns the body of the recorded response.
func (e *Entry) Body() ([]byte, error) {
	text := e.Response.Content.Text
	switch e.Response.Content.Encoding {
	case "":
		return []byte(text), nil
	case "base64":
		body, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, failure.Userf("the recorded body of %s is not valid base64", firstLine(e.requestText()))
		}
		return body, nil
	default:
		return nil, failure.Userf("the recorded body of %s has the encoding '%s', expected none or base64", firstLine(e.requestText()), e.Response.Content.Encoding)
	}
}

// Headers returns the headers of the recorded response.
func (e *Entry) Headers() http.Header {
	h := http.Header{}
	for _, pair := range e.Response.Headers {
		h.Add(pair.Name, pair.Value)
	}
	return h
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// key is a hash of the method, the masked URL, the masked body and the field Anonymous of
// a request.
type key [16]byte

func requestText(method, url, body string, anonymous bool) string {
	if anonymous {
		url += " (without credentials)" // a URL has no blank
	}
	return method + " " + url + "\n" + body
}

func keyOf(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:16])
}

func (e *Entry) requestText() string {
	body := ""
	if e.Request.Post != nil {
		body = e.Request.Post.Text
	}
	return requestText(e.Request.Method, unescapeHidden(e.Request.URL), body, e.Request.Anonymous)
}

type entryRange struct {
	from, to int64
	started  time.Time
	hidden   bool // true if a part of the request is masked
	used     bool
}

// index holds the offsets of the entries of a file.
type index struct {
	source  io.ReaderAt
	started time.Time
	entries []entryRange
	byKey   map[key][]int // indices of entries, next entry first
}

// newIndex reads a file once and returns its index.
func newIndex(source io.ReaderAt) (*index, error) {
	x := &index{source: source, byKey: map[key][]int{}}
	err := walk(io.NewSectionReader(source, 0, math.MaxInt64), &x.started, func(e *Entry, from, to int64) error {
		text := e.requestText()
		k := keyOf(text)
		x.byKey[k] = append(x.byKey[k], len(x.entries))
		x.entries = append(x.entries, entryRange{from: from, to: to, started: e.Started, hidden: strings.Contains(text, secret.Hidden)})
		return nil
	})
	if x.started.IsZero() && len(x.entries) > 0 {
		x.started = x.entries[0].started
	}
	return x, err
}

func (x *index) entry(number int) (*Entry, error) {
	p := x.entries[number]
	text := make([]byte, p.to-p.from)
	if _, err := x.source.ReadAt(text, p.from); err != nil {
		return nil, err
	}
	e := &Entry{}
	err := json.Unmarshal(bytes.TrimLeft(text, ", \t\r\n"), e)
	return e, err
}
