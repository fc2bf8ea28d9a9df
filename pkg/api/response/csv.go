package response

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// csvFormat is how a CSV text is written.
type csvFormat struct {
	delimiter, quote []byte // each one character; no quote is none
	header           bool   // the first record names the columns
	delimited        bool   // the configuration names the delimiter
	names            []string
	skip             int // lines at the top
}

// maxColumns is how many columns a CSV text may have: as many as a table.
const maxColumns = 100_000

// maxHeader is how many bytes the record may have that names the columns. The names
// are in memory several times.
const maxHeader = 8 << 20

// decodeCSV reads records as objects of texts.
func decodeCSV(d *decodeState) error {
	list := d.newItemList()
	err := d.eachText(func(t *textReader) error {
		if err := t.noOtherFormat(); err != nil {
			return err
		}
		r := &csvReader{csvFormat: d.query.Format.csv, textReader: t, maxRecord: t.home.item}
		err := r.read(list)
		if err == nil {
			r.noteDelimiter(d.page)
		}
		return err
	})
	list.end()
	return largeItem(err)
}

// csvReader reads the records of one text. encoding/csv would refuse text after a
// closing quote, knows no quote but one, and drops carriage returns.
type csvReader struct {
	csvFormat
	*textReader
	columns            [][]byte // packed names
	open               bool     // the first record makes columns of its fields
	maxRecord          int64    // bytes of a record
	suggestedDelimiter byte     // parts the name of the only column, as a delimiter would
	guess              delimiterGuess
	top                []byte // the line with the header, nil if there is none
	// Of the current record:
	begin  int    // its first line
	size   int64  // bytes of its lines
	ending []byte // of its last line
	buf    []byte // contents of the current field, where they are not in the line
}

// read reads all records into a list.
func (r *csvReader) read(list *itemList) error {
	for n := range r.skip {
		_, err := r.nextLine(r.maxRecord)
		if err == io.EOF && n > 0 { // such a text is something else: an error message, for example
			return r.malformed("the text has only %s, but 'response.skip' drops %d", textfmt.Count(n, "line"), r.skip)
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
	if err := r.head(); err != nil {
		return ignoreEOF(err)
	}
	for first := true; ; first = false {
		record, err := r.record()
		if err != nil {
			return ignoreEOF(err)
		}
		if first {
			if err := r.begins(record); err != nil {
				return err
			}
		}
		if r.repeatsHeader(record) {
			continue
		}
		r.guess.compare(record, r.delimiter)
		start := len(list.items.last)
		if list.items.last, err = r.object(list.items.last, record); err != nil {
			return err
		}
		if err := list.add(start, true); err != nil {
			return err
		}
	}
}

// begins looks at the first record of a text without a header: for line ends without a line
// feed, and for another delimiter.
func (r *csvReader) begins(record []byte) error {
	if r.header && len(r.names) == 0 {
		return nil
	}
	if unquoted(record, r.quote, '\r') > 0 {
		return r.carriageReturns()
	}
	if r.open {
		r.guess = guessed(record, r.quote, true)
		r.guess.lines--
	}
	return nil
}

// repeatsHeader reports whether a record is the header once more, with a byte order mark:
// the beginning of another file that was added to the first one.
func (r *csvReader) repeatsHeader(record []byte) bool {
	rest, marked := bytes.CutPrefix(record, []byte(markUTF8))
	return marked && r.top != nil && bytes.Equal(rest, r.top)
}

func (r *csvReader) carriageReturns() error {
	return r.malformed("%s has carriage returns in it, and each line must end with a line feed", r.at(r.begin))
}

// noteDelimiter notes that the text has one column and may have another delimiter.
func (r *csvReader) noteDelimiter(page *Page) {
	if c := r.guess.delimiter(); c != 0 && !r.delimited {
		page.OtherDelimiter, page.Divided = string(c), true
	} else if r.suggestedDelimiter != 0 && !page.Divided {
		page.OtherDelimiter = string(r.suggestedDelimiter)
	}
}

// ignoreEOF is not an error at the end of the text.
func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// record returns the next line that has a character, without its ending: a record, or
// the beginning of one.
func (r *csvReader) record() ([]byte, error) {
	for {
		line, err := r.nextLine(r.maxRecord)
		if err != nil {
			return nil, err
		}
		r.size = int64(len(line))
		if line = r.split(line); len(line) > 0 {
			r.begin = r.line
			return line, nil
		}
	}
}

// split parts a line from its ending.
func (r *csvReader) split(line []byte) []byte {
	end := len(line)
	if end > 0 && line[end-1] == '\n' {
		end--
	}
	if end > 0 && line[end-1] == '\r' {
		end--
	}
	r.ending = line[end:]
	return line[:end]
}

// head settles the columns, unless the first record says how many there are.
func (r *csvReader) head() error {
	r.guess.ended = true
	if n := len(r.names); n > 0 {
		if n > 1 { // a record may have fewer fields, but not the delimiters of all in one
			r.guess = delimiterGuess{quote: r.quote, counts: [4]int{n - 1, n - 1, n - 1, n - 1}}
		}
		return r.name(r.names)
	}
	if r.open = !r.header; r.open {
		return nil
	}
	r.maxRecord = min(r.maxRecord, maxHeader)
	defer func() { r.maxRecord = r.home.item }()
	names, err := r.titles()
	if err == errLargeItem {
		return failure.Userf("the response is too large: the record%s that names the columns has more than %d MiB", r.of(), r.maxRecord>>20)
	}
	if err != nil {
		return err
	}
	return r.name(names)
}

// titles takes the record that names the columns.
func (r *csvReader) titles() (names []string, err error) {
	rest, err := r.record()
	if err != nil {
		return nil, err
	}
	if r.size > r.maxRecord { // a line that is in memory may be a large one
		return nil, errLargeItem
	}
	if bytes.IndexByte(rest, '\r') >= 0 {
		return nil, r.carriageReturns()
	}
	r.top = bytes.Clone(rest)
	for rest != nil {
		var contents []byte
		if contents, rest, err = r.field(rest); err != nil {
			return nil, err
		}
		names = append(names, string(contents))
		if len(names) > maxColumns {
			return nil, r.errTooManyColumns()
		}
	}
	if len(names) == 1 {
		r.suggestedDelimiter = r.otherDelimiter(names[0])
		r.guess = guessed(r.top, r.quote, false)
	}
	return names, nil
}

// otherDelimiter is a usual delimiter that is in the name of the only column, 0 for
// none.
func (r *csvReader) otherDelimiter(name string) byte {
	for _, c := range usualDelimiters {
		if strings.IndexByte(name, c) > 0 {
			return c
		}
	}
	return 0
}

// DelimiterName is a delimiter in a message.
func DelimiterName(delimiter string) string {
	if delimiter == "\t" {
		return "a tab"
	}
	return "a '" + delimiter + "'"
}

func (r *csvReader) errTooManyColumns() error {
	return failure.Userf("the response is too large: %s%s has more than %d fields", r.at(r.begin), r.of(), maxColumns)
}

// name takes the names of the columns.
func (r *csvReader) name(names []string) error {
	for _, name := range distinct(names) {
		r.columns = append(r.columns, value.AppendName(nil, []byte(name)))
	}
	return nil
}

// object appends a record as an object.
func (r *csvReader) object(dst, rest []byte) ([]byte, error) {
	start := len(dst)
	dst = value.OpenObject(dst)
	for i := 0; rest != nil; i++ {
		if i == len(r.columns) {
			if !r.open {
				return dst, r.tooMany(i, rest)
			}
			if i == maxColumns {
				return dst, r.errTooManyColumns()
			}
			r.columns = append(r.columns, value.AppendName(nil, []byte(columnName(i))))
		}
		var contents []byte
		var err error
		if contents, rest, err = r.field(rest); err != nil {
			return dst, err
		}
		dst = value.PackString(append(dst, r.columns[i]...), contents)
	}
	r.open = false
	value.CloseObject(dst, start)
	return dst, nil
}

// tooMany is the error about a record with more fields than columns: so many, and those
// in the rest.
func (r *csvReader) tooMany(fields int, rest []byte) error {
	for ; rest != nil; fields++ {
		var err error
		if _, rest, err = r.field(rest); err != nil {
			return err
		}
	}
	hint := ""
	if r.suggestedDelimiter != 0 {
		hint = fmt.Sprintf("; the name of the only column holds %s: is that the 'delimiter'?", DelimiterName(string(r.suggestedDelimiter)))
	}
	return r.malformed("the record at %s has %s, expected at most %d%s", r.at(r.begin), textfmt.Count(fields, "field"), len(r.columns), hint)
}

// field takes the field at the start of the rest of a record. The rest behind it is nil
// when no other field follows.
func (r *csvReader) field(from []byte) (contents, rest []byte, err error) {
	if r.quotes(from) {
		return r.quoted(from[len(r.quote):])
	}
	contents, rest = r.plain(from)
	return contents, rest, nil
}

// quotes reports whether a quote is next.
func (r *csvReader) quotes(rest []byte) bool {
	return len(r.quote) > 0 && len(rest) > 0 && rest[0] == r.quote[0] && bytes.HasPrefix(rest, r.quote)
}

// plain takes what is in front of the next delimiter.
func (r *csvReader) plain(from []byte) (contents, rest []byte) {
	end := bytes.Index(from, r.delimiter)
	if end < 0 {
		return from, nil
	}
	return from[:end], from[end+len(r.delimiter):]
}

// quoted takes the field whose opening quote was taken. Text after the closing one
// belongs to it.
func (r *csvReader) quoted(rest []byte) (contents, _ []byte, err error) {
	r.buf = r.buf[:0]
	for {
		end := bytes.Index(rest, r.quote)
		if end < 0 {
			if rest, err = r.goOn(rest); err != nil {
				return nil, nil, err
			}
			continue
		}
		contents, rest = rest[:end], rest[end+len(r.quote):]
		if r.quotes(rest) {
			r.buf = append(append(r.buf, contents...), r.quote...)
			rest = rest[len(r.quote):]
			continue
		}
		behind, rest := r.plain(rest)
		if len(r.buf) > 0 || len(behind) > 0 {
			r.buf = append(append(r.buf, contents...), behind...)
			contents = r.buf
		}
		return contents, rest, nil
	}
}

// goOn takes the rest of a line into the field, and returns the next line.
func (r *csvReader) goOn(rest []byte) ([]byte, error) {
	r.buf = append(append(r.buf, rest...), r.ending...)
	line, err := r.nextLine(r.maxRecord)
	if err == io.EOF {
		return nil, r.malformed("the quote of a field never ends, in the record at %s", r.at(r.begin))
	}
	if err != nil {
		return nil, err
	}
	if r.size += int64(len(line)); r.size > r.maxRecord {
		return nil, errLargeItem
	}
	return r.split(line), nil
}
