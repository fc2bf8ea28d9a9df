package response

import (
	"iter"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Path is a path into a response. Separator is between the segments, see value.Segments.
// If Text is equal to Separator, the path is the whole response. If the path leads
// nowhere, and the response has a member with the whole text as its name, the path leads
// to that member.
type Path struct {
	Text, Separator string
}

// Segments returns the segments of the path, see value.Segments.
func (p Path) Segments() []string { return slices.Collect(value.Segments(p.Text, p.Separator)) }

// Query describes what a scan collects.
type Query struct {
	// Format is the format of the response.
	Format Format
	// MaxBytes is the maximum number of unpacked bytes. 0 is no limit.
	MaxBytes int64
	// Data is the path of the items. If Text is empty, the data is the response itself if
	// it is a list, otherwise its only list-valued member.
	Data Path
	// KeyAs is set if the data is an object with items as members, and the names of the
	// members are data. Each item gets its name under the key KeyAs.
	KeyAs string
	// Parallel is set if the data is an object of lists. The first values of the lists
	// are an item, the second values another, and so on.
	Parallel bool
	// Columns name the values of items that are lists, or contain lists.
	Columns Columns
	// Fields are the paths of values that pagination needs.
	Fields []Path
	// Volume is set if Page.Volume is needed.
	Volume bool
	// File describes a response in the format file, from its headers.
	File FileFacts
}

// Page is the result of scanning a response.
type Page struct {
	// Root is the kind of the whole response.
	Root value.Kind
	// NoBody is set if the response has no body.
	NoBody bool
	// Damaged is the character set of the text if some bytes are invalid in it, otherwise
	// "". Bytes that are not UTF-8 were dropped. In other character sets they became
	// U+FFFD.
	Damaged string
	// UnknownCharset is the charset of the header Content-Type if its name is unknown and
	// some bytes of the text were dropped.
	UnknownCharset string
	// File is set if the response is a file. Its only item describes the file.
	File bool
	// Rows is the number of items. It is 0 if the path of the data leads nowhere, or to
	// an empty value.
	Rows int
	// Lists are the names of the list-valued members of the response. It is set only if
	// the data had to be found in an object.
	Lists []string
	// Found is set if the path of the data leads to a value, even if it is empty or null.
	Found bool
	// FromErrors is set if the data had to be found and is the list `errors`.
	FromErrors bool
	// Indicators are the well-known members beside the data about its pages, in their
	// order. It is empty if the data is an object or a scalar.
	Indicators []Indicator
	// OtherLists are the paths of the first ten lists with objects or lists as items. ""
	// is the response itself. A list that is the data is included. It is set only if the
	// query has a path of the data.
	OtherLists []string
	// OtherDelimiter is set if a CSV text has a single column with this usual delimiter
	// in its name. Divided is set if the delimiter divides the lines into the same number
	// of fields, and the delimiter is not configured.
	OtherDelimiter string
	Divided        bool
	// Fingerprint is equal for two responses with the same values, regardless of white
	// space and escapes. Fingerprints of different Scanners cannot be compared.
	Fingerprint uint64
	// ItemsFingerprint is the fingerprint of the items alone: it is equal for
	// two responses with the same items in the same order, regardless of the rest. It is
	// 0 if there are no items.
	ItemsFingerprint uint64
	// Volume is the size, in bytes, of the whole response as compact JSON in ASCII, with
	// \/ for a slash. Numbers with a fraction or an exponent have 17 significant digits,
	// other numbers are unchanged. In the format file it is the size of the body, in other
	// formats the size of the list of items. It is 0 if the query does not request it.
	Volume int64

	list   bool // data is a list
	errors value.Value
	// items streams at least Rows items.
	items  iter.Seq2[value.Packed, error]
	fields FieldValues
	// explain adds information to an error about an item. It may be nil.
	explain func(error) error
}

// fieldValue is the value of a field of the query.
type fieldValue struct {
	path     Path
	value    value.Value
	tooLarge bool
}

// maxField is the maximum size, in bytes, of the JSON text of a field's value.
const maxField = 1 << 20

func newPage(q Query) *Page {
	p := &Page{fields: make(FieldValues, len(q.Fields))}
	for i, path := range q.Fields {
		p.fields[i].path = path
	}
	return p
}

// Field returns the value of a field of the query, or null if the path leads nowhere. The
// spool may be closed.
func (p *Page) Field(path Path) (value.Value, error) { return p.FieldFor("a paging rule", path) }

// FieldFor returns the same as Field. Its error names what needs the value.
func (p *Page) FieldFor(what failure.Text, path Path) (value.Value, error) {
	return p.fields.value(path, what, false)
}

// FieldForCondition returns the value of a field for a condition, which does not look
// into lists and objects. Lists and objects that are too large have no items and members.
func (p *Page) FieldForCondition(path Path) (value.Value, error) {
	return p.fields.value(path, "a paging rule", true)
}

// Errors returns the member `errors` of the response if it is a list or an object,
// otherwise null. If the member is too large, Errors returns a text about its size.
func (p *Page) Errors() value.Value { return p.errors }

// IsList reports whether the data is a list.
func (p *Page) IsList() bool { return p.list }

// Truncate drops all items after the first n.
func (p *Page) Truncate(n int) { p.Rows = min(p.Rows, n) }

// WrapItemErrors sets a function that adds information to user errors about items, such
// as the source of the response.
func (p *Page) WrapItemErrors(more func(error) error) { p.explain = more }

// Items streams the items in their order. If the data is an object or a scalar, it is the
// only item. An item is valid until the next iteration. The spool must not be closed
// during the loop. Several goroutines may iterate at the same time.
func (p *Page) Items() iter.Seq2[value.Packed, error] {
	return func(yield func(value.Packed, error) bool) {
		if p.Rows == 0 {
			return
		}
		left := p.Rows
		for item, err := range p.items {
			left--
			if err != nil && p.explain != nil && failure.KindOf(err) == failure.User {
				err = p.explain(err)
			}
			if !yield(item, err) || err != nil || left == 0 {
				return
			}
		}
	}
}

// NoPage returns the page of a response without a body.
func NoPage(q Query) *Page {
	p := newPage(q)
	p.NoBody = true
	return p
}
