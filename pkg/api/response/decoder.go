package response

import (
	"hash/maphash"
	"io"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// decoder reads responses of one format. Each one is a file of this package and a
// line in decoders.
type decoder struct {
	// format is its name in a configuration, name the one in messages.
	format, name string
	alsoCalled   []string // words of other tools for the format
	// accept is what the header Accept of a request names.
	accept string
	// whole says that the response has nothing around its items: the only path to them
	// is that of the whole response.
	whole bool
	// settings are those of the section `response` that count with it, besides those
	// that count with every format.
	settings []field.Declaration
	// decode reads the texts of a response once, from start to end. It adds the items
	// to the store, unless it sets page.items, writes what distinguishes two
	// answers to the hash, and sets what it knows of the page: page.ItemCount too, unless
	// the response has nothing around its items. It returns io.EOF for
	// a response without any text, and a *malformed for one that is not of the format.
	decode func(*decodeState) error
}

// decoders are all there are. The first one is for responses whose format is not
// named.
func decoders() []decoder {
	return []decoder{
		{format: "json", name: "JSON", accept: "application/json", decode: decodeJSON, settings: []field.Declaration{EncodingSetting}},
		{format: "jsonl", alsoCalled: []string{"ndjson", "jsonlines", "ldjson"}, name: "JSON lines", accept: "application/x-ndjson, application/jsonl",
			decode: decodeLines, whole: true, settings: []field.Declaration{EncodingSetting}},
		{format: "csv", alsoCalled: []string{"tsv"}, name: "CSV", accept: "text/csv", decode: decodeCSV, whole: true,
			settings: []field.Declaration{EncodingSetting, DelimiterSetting, QuoteSetting, HeaderSetting, SkipSetting}},
		{format: "xml", name: "XML", accept: "application/xml, text/xml", decode: decodeXML},
		{format: "text", alsoCalled: []string{"plain", "txt", "raw"}, name: "text", accept: anything, decode: decodeText, whole: true,
			settings: []field.Declaration{EncodingSetting}},
	}
}

// shape makes of the items that were decoded those that the query wants.
func (d *decodeState) shape() error {
	if err := d.parallel(); err != nil {
		return err
	}
	return d.nameColumns()
}

type decodeState struct {
	spool *Spool
	query Query
	page  *Page
	items *store
	hash  maphash.Hash // its sum becomes the fingerprint
	// itemsHash is the hash of the items, of decoders that come to them one by one.
	itemsHash maphash.Hash
	text      *textReader // the current one, nil before the first
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

// Scan reads a spool once from start to end. A response that is not of the format is
// a user error that says why and how the response begins; a response without any
// text is io.EOF.
func (sc *Scanner) Scan(spool *Spool, q Query) (*Page, error) {
	format := 0
	if q.Format.Name != "" {
		format = slices.IndexFunc(sc.decoders, func(d decoder) bool { return d.format == q.Format.Name })
	}
	if format < 0 {
		return nil, failure.Applicationf("there is no decoder for responses in the format %q", q.Format.Name)
	}
	if len(q.Format.unpack) > 0 && spool.Size() == 0 {
		return nil, io.EOF // nothing is not packed
	}
	if err := spool.decoded(); err != nil {
		return nil, err
	}
	q.Fields = append(slices.Clip(q.Fields), q.Columns.fields()...)
	d := &decodeState{spool: spool, query: q, page: newPage(q), items: spool.newStore()}
	d.hash.SetSeed(sc.seed)
	d.itemsHash.SetSeed(sc.seed)
	d.page.items = d.items.all
	if err := sc.decoders[format].decode(d); err != nil {
		return nil, sc.explained(d, sc.decoders[format].name, err)
	}
	d.page.Fingerprint = d.hash.Sum64()
	switch {
	case d.page.Rows == 0:
		d.page.ItemCount = 0
	case sc.decoders[format].whole:
		d.page.ItemCount = d.page.Fingerprint
	}
	d.items.complete()
	return d.page, nil
}

// Files goes through the files of a response, unpacked as the format of the query says.
// One that has no name is the response itself. Errors are those of Scan.
func (sc *Scanner) Files(spool *Spool, q Query, each func(name string, r io.Reader) error) error {
	if err := spool.decoded(); err != nil {
		return err
	}
	d := &decodeState{spool: spool, query: q}
	return sc.explained(d, "", d.files(each))
}

// ScanValue puts a value in the place of a body and scans it, as if it had been the
// answer in JSON.
func (sc *Scanner) ScanValue(spool *Spool, v value.Value, q Query) (*Page, error) {
	if err := spool.Replace(v.AppendJSON(nil)); err != nil {
		return nil, err
	}
	q.Format = Format{}
	return sc.Scan(spool, q)
}
