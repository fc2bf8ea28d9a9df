package response

import (
	"fmt"
	"iter"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Path is a place in a response: its segments parted by the separator, see
// value.Segments. A text equal to the separator is the whole response. Where the path
// leads nowhere and the whole text is the name of a member of the response, that
// member counts.
type Path struct {
	Text, Separator string
}

// Segments are those of the path, see value.Segments.
func (p Path) Segments() []string { return slices.Collect(value.Segments(p.Text, p.Separator)) }

// Query is what a Scan looks for.
type Query struct {
	// Format is that of the response.
	Format Format
	// MaxBytes is how many bytes may come out when it is unpacked; 0 is no limit.
	MaxBytes int64
	// Data is where the items are; an empty Text asks to find them: the
	// response itself when it is a list, else its only list-valued property.
	Data Path
	// KeyAs is the name under which each member of the data gets its name and becomes
	// an item; "" for data whose names are not data.
	KeyAs string
	// Parallel says that the data is an object of lists, whose first values are an item,
	// the second ones another, and so on.
	Parallel bool
	// Columns name the values of items that are, or contain, lists.
	Columns Columns
	// Fields are places whose values paging rules request.
	Fields []Path
	// Volume requests the volume of the page.
	Volume bool
}

// Page is a response that was scanned: what is in it, and where its items are.
type Page struct {
	// Root is the kind of the whole response.
	Root value.Kind
	// NoBody is set when the response had no body at all.
	NoBody bool
	// Damaged is the character set of the text if some bytes are not of it, otherwise "".
	// Bytes that are not UTF-8 were dropped, others became U+FFFD.
	Damaged string
	// UnknownCharset is the charset of the header Content-Type if some bytes of the text were
	// dropped and the name is not known.
	UnknownCharset string
	// Rows is the number of items. It is 0 when the path of the data leads
	// nowhere, or to something empty.
	Rows int
	// Lists are the names of the list-valued properties of the response, only
	// when the data had to be found in an object.
	Lists []string
	// Found is set when the path of the data leads to something, be it empty or
	// null.
	Found bool
	// FromErrors is set when the data had to be found and are the list `errors`.
	FromErrors bool
	// Indicators are the well-known members beside the data about its
	// pages, in their order; none when the data is an object or a scalar.
	Indicators []Indicator
	// OtherLists are the paths of the first ten lists whose items are objects or
	// lists; "" is the response itself. Only when the query named the data; a list
	// that is the data is one of them.
	OtherLists []string
	// OtherDelimiter is set when a CSV text has one column, whose name holds this usual
	// delimiter. Divided is set when it divides the lines into the same number of fields,
	// and the configuration names no delimiter.
	OtherDelimiter string
	Divided        bool
	// Fingerprint is equal for two responses with the same values, regardless
	// of their white space and escapes. It can be compared with the others of
	// the same Scanner.
	Fingerprint uint64
	// ItemCount is Fingerprint of the items alone: equal for two responses with the same
	// items in the same order, regardless of what is around them. It is 0 without items.
	ItemCount uint64
	// Volume is the number of bytes of the whole response as compact JSON in
	// ASCII, with \/ for a slash; numbers with a fraction or an exponent have 17
	// significant digits, others stay as they were written. It is 0 unless the
	// query requested it. Of other formats than JSON it is that of the list of items.
	Volume int64

	list   bool // the data is a list
	errors value.Value
	// items streams at least so many items as there are rows.
	items  iter.Seq2[value.Packed, error]
	fields FieldValues
	// explain adds to an error about an item; nil adds nothing.
	explain func(error) error
}

// fieldValue is one of the values that paging requests.
type fieldValue struct {
	path     Path
	value    value.Value
	tooLarge bool
}

// maxField is the largest JSON text that is read as the value of a field.
const maxField = 1 << 20

func newPage(q Query) *Page {
	p := &Page{fields: make(FieldValues, len(q.Fields))}
	for i, path := range q.Fields {
		p.fields[i].path = path
	}
	return p
}

// Field is the value at one of the places the query named, null when nothing is
// there. The spool may be closed.
func (p *Page) Field(path Path) (value.Value, error) { return p.FieldFor("a paging rule", path) }

// FieldFor is Field and names in an error what wants the value.
func (p *Page) FieldFor(what failure.Text, path Path) (value.Value, error) {
	for _, f := range p.fields {
		if f.path != path {
			continue
		}
		if f.tooLarge {
			return value.Value{}, failure.Userf("the value at '%s' of the response has more than %d bytes, which is too large for %s", path.Text, maxField, what)
		}
		return f.value, nil
	}
	return value.Value{}, fmt.Errorf("field %q was not requested", path.Text)
}

// FieldForCondition is Field for a condition, which looks into no list and no object: one that is
// too large has no items or members.
func (p *Page) FieldForCondition(path Path) (value.Value, error) {
	v, err := p.fields.Value(path)
	if k := v.Kind(); err == nil && (k == value.Array || k == value.Object) {
		return v, nil
	}
	return p.Field(path)
}

// Errors is the member `errors` of the response when it is a list or an object,
// else null; in the place of one that is too large is a text that says so.
func (p *Page) Errors() value.Value { return p.errors }

// IsList reports whether the data is a list.
func (p *Page) IsList() bool { return p.list }

// Truncate drops all items but the first n, where there are more.
func (p *Page) Truncate(n int) { p.Rows = min(p.Rows, n) }

// WrapItemErrors has each user error about an item say more, such as where the response is from.
func (p *Page) WrapItemErrors(more func(error) error) { p.explain = more }

// Items streams the items in their order. An object or scalar at the place of the
// data is one item. An item is gone when the next one comes, or the loop ends. The
// spool must not be closed meanwhile. Several goroutines may do so at once.
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

// NoPage stands for a response without a body: nothing is in it.
func NoPage(q Query) *Page {
	p := newPage(q)
	p.NoBody = true
	return p
}
