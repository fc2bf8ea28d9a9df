package har

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

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
