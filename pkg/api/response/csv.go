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

// csvFormat has the settings of CSV.
type csvFormat struct {
	delimiter, quote []byte // each is one character; quote is empty if fields are not quoted
	header           bool   // first record names the columns
	delimited        bool   // delimiter is configured
	names            []string
	skip             int // number of lines to drop at the top
}

// maxColumns is the maximum number of columns of a CSV text, the same as of a table.
const maxColumns = 100_000

// maxHeader is the maximum size, in bytes, of the record that names the columns. The
// names are in memory several times.
const maxHeader = 8 << 20

// decodeCSV decodes records to objects with texts.
func decodeCSV(d *decodeState) error {
	list := d.newItemList()
	err := d.eachText(func(t *textReader) error {
		if err := t.noOtherFormat(); err != nil {
			return err
		}
		r := &csvReader{csvFormat: d.query.Format.csv, textReader: t, maxRecord: t.home.item}
		err := r.read(list)
		switch c := r.guess.delimiter(); {
		case err != nil:
		case c != 0 && !r.delimited: // the text has one column, but seems to have another delimiter
			d.page.OtherDelimiter, d.page.Divided = string(c), true
		case r.suggestedDelimiter != 0 && !d.page.Divided:
			d.page.OtherDelimiter = string(r.suggestedDelimiter)
		}
		return err
	})
	list.end()
	return largeItem(err)
}

// csvReader reads the records of one text. encoding/csv is not suitable: it rejects text
// after a closing quote, supports a single quote character, and drops carriage returns.
type csvReader struct {
	csvFormat
	*textReader
	columns            [][]byte // packed names
	open               bool     // first record determines the number of columns
	maxRecord          int64    // maximum size of a record, in bytes
	suggestedDelimiter byte     // usual delimiter in the name of the only column, otherwise 0
	guess              delimiterGuess
	top                []byte // line with the header, nil if there is none
	// State of the current record:
	begin  int    // number of its first line
	size   int64  // size of its lines, in bytes
	ending []byte // line ending of its last line
	buf    []byte // contents of the current field if they differ from the line
}

func (r *csvReader) read(list *itemList) error {
	for n := range r.skip {
		_, err := r.nextLine(r.maxRecord)
		if err == io.EOF && n > 0 { // probably not CSV, but an error message, for example
			return r.malformed("the text has only %s, but 'response.skip' drops %d", textfmt.Count(n, "line"), r.skip)
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
	if err := r.readHeader(); err != nil {
		return ignoreEOF(err)
	}
	for first := true; ; first = false {
		record, err := r.record()
		if err != nil {
			return ignoreEOF(err)
		}
		if first {
			if err := r.checkFirstRecord(record); err != nil {
				return err
			}
		}
		if rest, marked := bytes.CutPrefix(record, []byte(markUTF8)); marked && r.top != nil && bytes.Equal(rest, r.top) {
			continue // the header of another file that was appended to the text
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

// checkFirstRecord checks the first record of a text without a header. It rejects
// carriage returns as line ends, and begins to look for another delimiter.
func (r *csvReader) checkFirstRecord(record []byte) error {
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

func (r *csvReader) carriageReturns() error {
	return r.malformed("line %d has carriage returns in it, and each line must end with a line feed", r.begin)
}

// record returns the next line that is not empty, without its ending. The line is a
// record or, if a quoted field has line feeds, the beginning of a record.
func (r *csvReader) record() ([]byte, error) {
	for {
		line, err := r.nextLine(r.maxRecord)
		if err != nil {
			return nil, err
		}
		r.size = int64(len(line))
		if line = r.trimLineEnd(line); len(line) > 0 {
			r.begin = r.line
			return line, nil
		}
	}
}

// trimLineEnd returns the line without its ending, and sets ending.
func (r *csvReader) trimLineEnd(line []byte) []byte {
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

// readHeader sets the columns, unless the first record determines their number.
func (r *csvReader) readHeader() error {
	r.guess.ended = true
	if n := len(r.names); n > 0 {
		if n > 1 { // a record may have too few fields, but not all other delimiters in one field
			r.guess = delimiterGuess{quote: r.quote, counts: [4]int{n - 1, n - 1, n - 1, n - 1}}
		}
		r.setColumns(r.names)
		return nil
	}
	if r.open = !r.header; r.open {
		return nil
	}
	r.maxRecord = min(r.maxRecord, maxHeader)
	defer func() { r.maxRecord = r.home.item }()
	names, err := r.headerNames()
	if err == errLargeItem {
		return failure.Userf("the response is too large: the record%s that names the columns has more than %d MiB", r.ofFile(), r.maxRecord>>20)
	}
	if err != nil {
		return err
	}
	r.setColumns(names)
	return nil
}

// headerNames reads the record that names the columns.
func (r *csvReader) headerNames() (names []string, err error) {
	rest, err := r.record()
	if err != nil {
		return nil, err
	}
	if r.size > r.maxRecord { // nextLine returns longer lines that are in memory
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
		for _, c := range usualDelimiters {
			if r.suggestedDelimiter == 0 && strings.IndexByte(names[0], c) > 0 {
				r.suggestedDelimiter = c
			}
		}
		r.guess = guessed(r.top, r.quote, false)
	}
	return names, nil
}

// DelimiterName returns the words for a delimiter in messages.
func DelimiterName(delimiter string) string {
	if delimiter == "\t" {
		return "a tab"
	}
	return "a '" + delimiter + "'"
}

func (r *csvReader) errTooManyColumns() error {
	return failure.Userf("the response is too large: line %d%s has more than %d fields", r.begin, r.ofFile(), maxColumns)
}

func (r *csvReader) setColumns(names []string) {
	for _, name := range distinct(names) {
		r.columns = append(r.columns, value.AppendName(nil, name))
	}
}

// object appends a record as a packed object.
func (r *csvReader) object(dst, rest []byte) ([]byte, error) {
	start := len(dst)
	dst = value.OpenObject(dst)
	for i := 0; rest != nil; i++ {
		if i == len(r.columns) {
			if !r.open {
				return dst, r.tooManyFieldsError(i, rest)
			}
			if i == maxColumns {
				return dst, r.errTooManyColumns()
			}
			r.columns = append(r.columns, value.AppendName(nil, columnName(i)))
		}
		var contents []byte
		var err error
		if contents, rest, err = r.field(rest); err != nil {
			return dst, err
		}
		dst = value.PackString(append(dst, r.columns[i]...), contents)
	}
	r.open = false
	value.ClosePacked(dst, start)
	return dst, nil
}

// tooManyFieldsError returns the error for a record with more fields than columns. fields
// is the number of fields before rest.
func (r *csvReader) tooManyFieldsError(fields int, rest []byte) error {
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
	return r.malformed("the record at line %d has %s, expected at most %d%s", r.begin, textfmt.Count(fields, "field"), len(r.columns), hint)
}

// field returns the first field and the rest of the record after the delimiter. The rest
// is nil after the last field.
func (r *csvReader) field(from []byte) (contents, rest []byte, err error) {
	if r.quotes(from) {
		return r.quoted(from[len(r.quote):])
	}
	contents, rest = r.plain(from)
	return contents, rest, nil
}

func (r *csvReader) quotes(rest []byte) bool {
	return len(r.quote) > 0 && len(rest) > 0 && rest[0] == r.quote[0] && bytes.HasPrefix(rest, r.quote)
}

// plain returns the text up to the next delimiter.
func (r *csvReader) plain(from []byte) (contents, rest []byte) {
	end := bytes.Index(from, r.delimiter)
	if end < 0 {
		return from, nil
	}
	return from[:end], from[end+len(r.delimiter):]
}

// quoted reads a field after its opening quote. Text between the closing quote and the
// delimiter belongs to the field.
func (r *csvReader) quoted(rest []byte) (contents, _ []byte, err error) {
	r.buf = r.buf[:0]
	for {
		end := bytes.Index(rest, r.quote)
		if end < 0 {
			if rest, err = r.continueQuoted(rest); err != nil {
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

// continueQuoted adds the rest of the line to the field, and returns the next line.
func (r *csvReader) continueQuoted(rest []byte) ([]byte, error) {
	r.buf = append(append(r.buf, rest...), r.ending...)
	line, err := r.nextLine(r.maxRecord)
	if err == io.EOF {
		return nil, r.malformed("the quote of a field never ends, in the record at line %d", r.begin)
	}
	if err != nil {
		return nil, err
	}
	if r.size += int64(len(line)); r.size > r.maxRecord {
		return nil, errLargeItem
	}
	return r.trimLineEnd(line), nil
}
