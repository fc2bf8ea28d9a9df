package har

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// key is a request as it is compared: a hash of method, masked address and
// masked body.
type key [16]byte

// asked is the text of a request that is compared.
func asked(method, url, body string) string { return method + " " + url + "\n" + body }

func keyOf(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:16])
}

// asked is the request of an entry as it is compared.
func (e *Entry) asked() string {
	body := ""
	if e.Request.Post != nil {
		body = e.Request.Post.Text
	}
	return asked(e.Request.Method, unescapeHidden(e.Request.URL), body)
}

// place is where an entry stands in a file.
type place struct {
	from, to int64
	started  time.Time
	hidden   bool // something in the request is masked
	used     bool
}

// index knows the entries of a file without holding them.
type index struct {
	source  io.ReaderAt
	started time.Time
	entries []place
	byKey   map[key][]int // numbers of entries, the next one first
}

// newIndex reads a file once. Its errors say what is wrong with it.
func newIndex(source io.ReaderAt, size int64) (*index, error) {
	x := &index{source: source, byKey: map[key][]int{}}
	if err := x.read(io.NewSectionReader(source, 0, size)); err != nil {
		return nil, err
	}
	return x, nil
}

// read walks through the document. Only one entry stands in memory at a time.
func (x *index) read(r io.Reader) error {
	d := json.NewDecoder(r)
	found := false
	err := members(d, func(name string) error {
		if name != "log" {
			return skip(d)
		}
		found = true
		return members(d, func(name string) error {
			switch name {
			case "pages":
				var pages []Page
				if err := d.Decode(&pages); err != nil {
					return err
				}
				if len(pages) > 0 {
					x.started = pages[0].Started
				}
				return nil
			case "entries":
				return x.readEntries(d)
			default:
				return skip(d)
			}
		})
	})
	if err == nil && !found {
		err = errors.New("it has no 'log', so it is no HTTP archive")
	}
	if err == nil && x.started.IsZero() && len(x.entries) > 0 {
		x.started = x.entries[0].started
	}
	return err
}

func (x *index) readEntries(d *json.Decoder) error {
	if err := opening(d, '['); err != nil {
		return err
	}
	for d.More() {
		from := d.InputOffset()
		var e Entry
		if err := d.Decode(&e); err != nil {
			return fmt.Errorf("entry %d: %w", len(x.entries)+1, err)
		}
		text := e.asked()
		k := keyOf(text)
		x.byKey[k] = append(x.byKey[k], len(x.entries))
		x.entries = append(x.entries, place{from: from, to: d.InputOffset(), started: e.Started, hidden: strings.Contains(text, secret.Hidden)})
	}
	_, err := d.Token()
	return err
}

// entry reads one entry.
func (x *index) entry(number int) (*Entry, error) {
	p := x.entries[number]
	text := make([]byte, p.to-p.from)
	if _, err := x.source.ReadAt(text, p.from); err != nil {
		return nil, err
	}
	e := &Entry{}
	err := json.Unmarshal([]byte(strings.TrimLeft(string(text), ", \t\r\n")), e)
	return e, err
}

// members walks through an object; the function reads the value of each name.
func members(d *json.Decoder, read func(name string) error) error {
	if err := opening(d, '{'); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		if err := read(token.(string)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func opening(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("expected %s at byte %d, found %v", want, d.InputOffset(), token)
	}
	return nil
}

// skip reads a value that means nothing here.
func skip(d *json.Decoder) error {
	var any json.RawMessage
	return d.Decode(&any)
}
