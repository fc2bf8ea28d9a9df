package response

import (
	"hash/maphash"
	"io"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// decoder reads responses of one format.
type decoder struct {
	// format is the name in the configuration, name the name in messages.
	format, name string
	alsoCalled   []string // names of the format in other tools
	// accept is the value for the header Accept of requests.
	accept string
	// whole is set if every record of a response is an item, so that the only path of the
	// data is the whole response.
	whole bool
	// unread is set if the contents of a response are data that is not unpacked.
	unread bool
	// settings are the settings of the section `response` for this format, in addition to
	// the settings for all formats.
	settings []field.Declaration
	// decode reads the texts of a response once, from start to end:
	//
	//   - It adds the items to decodeState.items, or sets Page.items to a function that
	//     reads them again.
	//   - It writes to decodeState.hash everything that distinguishes two responses. Scan
	//     computes Page.Fingerprint from it.
	//   - It sets the other fields of the page. If whole is set, Scan sets ItemsFingerprint.
	//
	// It returns io.EOF if the response has no text, and a formatError if the response is
	// not in the format.
	decode func(*decodeState) error
}

// decoders returns the decoders of all formats, the default format first.
//
// To add a format, write its decode function in a file of its own and list the decoder
// here. Compression, character set and size limits are handled before it. plain.go is
// short, and decoder_test.go adds a small format. Add rows to formats_test.go, a fuzz target
// to formats_fuzz_test.go, cases named format-NAME to tests/functional/cases and a section
// to docs/how-to/formats.md, and run `go test ./pkg/schema -update`.
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
		{format: fileFormat, alsoCalled: []string{"binary", "bytes", "download", "blob"}, name: "file", accept: anything, decode: decodeFile, whole: true, unread: true},
	}
}

// shape applies Query.Parallel and Query.Columns to the items.
func (d *decodeState) shape() error {
	if err := d.parallel(); err != nil {
		return err
	}
	return d.nameColumns()
}

// decodeState is the state of decoding one response.
type decodeState struct {
	spool *Spool
	query Query
	page  *Page
	items *store
	hash  maphash.Hash // becomes Page.Fingerprint
	// itemsHash is the hash of the items, for decoders that read items one by one.
	itemsHash maphash.Hash
	text      *textReader // current text, nil before the first
	texts     int         // number of texts that join has added
	buf       []byte      // memory for the regular form of an item or a scalar
}

// hashItem adds an item to the fingerprint. regular is set if the item is in regular form:
// equal items have equal bytes then.
func (d *decodeState) hashItem(item value.Packed, regular bool) {
	if !regular {
		d.buf = item.Regular(slices.Grow(d.buf[:0], len(item)))
		item = d.buf
	}
	d.hash.Write(item)
}

// Scanner scans responses. It is safe for concurrent use.
type Scanner struct {
	seed     maphash.Seed
	redact   func(string) string
	decoders []decoder
}

// NewScanner returns a Scanner. Its errors show the start of a body only after redact has
// masked the secrets.
func NewScanner(redact func(string) string) *Scanner {
	return &Scanner{seed: maphash.MakeSeed(), redact: redact, decoders: decoders()}
}

// Scan reads a spool once from start to end. If the response is not in the format, Scan
// returns a user error with the reason and the start of the response. If the response has
// no text, Scan returns io.EOF.
func (sc *Scanner) Scan(spool *Spool, q Query) (*Page, error) {
	format := 0
	if q.Format.Name != "" {
		format = slices.IndexFunc(sc.decoders, func(d decoder) bool { return d.format == q.Format.Name })
	}
	if format < 0 {
		return nil, failure.Applicationf("there is no decoder for responses in the format %q", q.Format.Name)
	}
	if len(q.Format.unpack) > 0 && spool.Size() == 0 {
		return nil, io.EOF // an empty body is not compressed
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
		d.page.ItemsFingerprint = 0
	case sc.decoders[format].whole:
		d.page.ItemsFingerprint = d.page.Fingerprint
	}
	d.items.complete()
	return d.page, nil
}

// Files calls each for the files of a response, unpacked according to the format of the
// query. name is "" if the file has no name, such as the response itself. Files returns
// the same errors as Scan.
func (sc *Scanner) Files(spool *Spool, q Query, each func(name string, r io.Reader) error) error {
	if err := spool.decoded(); err != nil {
		return err
	}
	d := &decodeState{spool: spool, query: q}
	return sc.explained(d, "", d.files(each))
}

// ScanValue replaces the contents of the spool by a value and scans it as a response in
// JSON.
func (sc *Scanner) ScanValue(spool *Spool, v value.Value, q Query) (*Page, error) {
	if err := spool.Replace(v.AppendJSON(nil)); err != nil {
		return nil, err
	}
	q.Format = Format{}
	return sc.Scan(spool, q)
}
