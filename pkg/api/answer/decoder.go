package answer

import (
	"hash/maphash"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// decoder reads answers of one format. Each one is a file of this package and a
// line in decoders.
type decoder struct {
	// name is that of the format, in capitals as messages spell it.
	name string
	// decode reads the text of an answer once, from start to end. It adds the items
	// to the store, unless it sets page.items, writes whatever distinguishes two
	// answers to the hash, and sets what it knows of the page. It returns io.EOF for
	// an answer without any text, and a *malformed for one that is not of the format.
	decode func(*decoding) error
}

// decoders are all there are. The first one is for answers whose format is not
// named.
func decoders() []decoder {
	return []decoder{{"JSON", decodeJSON}}
}

type decoding struct {
	spool *Spool
	query Query
	page  *Page
	items *store
	hash  maphash.Hash // its sum becomes the fingerprint
}

// Scanner scans responses. It is safe for concurrent use.
type Scanner struct {
	seed     maphash.Seed
	redact   func(string) string
	decoders []decoder
}

// NewScanner makes a scanner whose errors show the start of a body only after
// redact has masked the secrets in it.
func NewScanner(redact func(string) string) *Scanner {
	return &Scanner{seed: maphash.MakeSeed(), redact: redact, decoders: decoders()}
}

// Scan reads a spool once from start to end. An answer that is not of the format is
// a user error that says why and how the answer begins; an answer without any
// text is io.EOF.
func (sc *Scanner) Scan(spool *Spool, q Query) (*Page, error) {
	format := 0
	if q.Format != "" {
		format = slices.IndexFunc(sc.decoders, func(d decoder) bool { return d.name == q.Format })
	}
	if format < 0 {
		return nil, failure.Applicationf("there is no decoder for answers in the format %q", q.Format)
	}
	d := &decoding{spool: spool, query: q, page: newPage(q), items: spool.newStore()}
	d.hash.SetSeed(sc.seed)
	d.page.items = d.items.all
	if err := sc.decoders[format].decode(d); err != nil {
		return nil, sc.explained(spool, sc.decoders[format].name, err)
	}
	d.page.Fingerprint = d.hash.Sum64()
	return d.page, d.items.complete()
}

// ScanValue puts a value in the place of a body and scans it, as if it had been the
// answer.
func (sc *Scanner) ScanValue(spool *Spool, v value.Value, q Query) (*Page, error) {
	if err := spool.Replace(v.AppendJSON(nil)); err != nil {
		return nil, err
	}
	q.Format = ""
	return sc.Scan(spool, q)
}
