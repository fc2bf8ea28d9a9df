package response

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/blocks"
)

// linesOf decodes a format that only tests know: each line is an item, and paths are
// the numbers of lines. It is all that a format takes.
func linesOf(d *decodeState) error {
	text, err := d.spool.text(0)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(text)
	var packed value.Packed
	for ; lines.Scan(); d.page.Rows++ {
		line := lines.Bytes()
		if len(line) == 0 {
			return &formatError{reason: fmt.Sprintf("line %d is empty", d.page.Rows+1)}
		}
		packed = value.PackString(packed[:0], line)
		d.items.last = append(d.items.last, packed...)
		if err := d.items.spill(); err != nil {
			return err
		}
		d.hash.Write(packed)
		for i, path := range d.query.Fields {
			if path.Text == fmt.Sprint(d.page.Rows) {
				d.page.fields[i].value = packed.Value()
			}
		}
	}
	if d.page.Rows == 0 {
		return io.EOF
	}
	d.page.Root, d.page.Found, d.page.list = value.Array, true, true
	return lines.Err()
}

func lineScanner() *Scanner {
	sc := newScanner()
	sc.decoders = append(sc.decoders, decoder{format: "lines", name: "LINES", decode: linesOf})
	return sc
}

// TestAnotherFormat goes through all that the engine calls, with a decoder that
// nothing else knows of.
func TestAnotherFormat(t *testing.T) {
	sc, query := lineScanner(), Query{Format: Format{Name: "lines"}, Fields: []Path{dot("1"), dot("7")}}
	for _, where := range []int{4, MemoryLimit} {
		page, err := sc.Scan(spoolOf(t, "one\ntwo\nthree\n", where), query)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := items(t, page); got != `"one" "two" "three"` {
				t.Errorf("items %s", got)
			}
		}
		if page.Rows != 3 || !page.Found || !page.IsList() || page.Root != value.Array || !page.Errors().IsNull() || page.NoBody {
			t.Errorf("%+v", page)
		}
		for path, want := range map[string]string{"1": `"two"`, "7": "null"} {
			if v, err := page.Field(dot(path)); err != nil || v.JSON() != want {
				t.Errorf("line %s: %s, %v", path, v.JSON(), err)
			}
		}
		other, err := sc.Scan(spoolOf(t, "one\ntwo\nthree", where), query)
		if err != nil || other.Fingerprint != page.Fingerprint {
			t.Errorf("the same lines have another fingerprint, %v", err)
		}
		if other, err = sc.Scan(spoolOf(t, "one\ntwothree", where), query); err != nil || other.Fingerprint == page.Fingerprint {
			t.Errorf("other lines have the same fingerprint, %v", err)
		}
		page.Truncate(1)
		if got := items(t, page); got != `"one"` {
			t.Errorf("items %s after truncating", got)
		}
	}
}

func TestErrorsOfFormats(t *testing.T) {
	sc, query := lineScanner(), Query{Format: Format{Name: "lines"}}
	const want = "the response is not valid LINES: line 2 is empty; it begins with: a [hidden]"
	if _, err := sc.Scan(spoolOf(t, "a\n\ns3cret", 4), query); err == nil || failure.KindOf(err) != failure.User || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := sc.Scan(spoolOf(t, "", 4), query); err != io.EOF {
		t.Errorf("nothing at all: %v", err)
	}
	if _, err := sc.Scan(spoolOf(t, "a", 4), Query{Format: Format{Name: "runes"}}); err == nil || failure.KindOf(err) != failure.Application {
		t.Errorf("an unknown format: %v", err)
	}
	// What is in the place of a response is not of its format.
	page, err := sc.ScanValue(spoolOf(t, "a\n\n", 4), value.OfItems(value.OfString("x")), query)
	if err != nil || items(t, page) != `"x"` {
		t.Errorf("a value in the place of the response: %v", err)
	}
}

// TestManyItems stay in little memory, no matter which decoder adds them.
func TestManyItems(t *testing.T) {
	var text strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	spool := spoolOf(t, text.String(), 1000)
	page, err := lineScanner().Scan(spool, Query{Format: Format{Name: "lines"}})
	if err != nil || page.Rows != 50_000 || spool.items.size == 0 || len(spool.items.last) > blocks.Size {
		t.Fatalf("%v, %d rows, %d bytes in the file, %d in memory", err, page.Rows, spool.items.size, len(spool.items.last))
	}
	i := 0
	for item, err := range page.Items() {
		if want := fmt.Sprintf("line %d", i); err != nil || string(item.Raw()) != want {
			t.Fatalf("got %s, %v, want %s", item.Raw(), err, want)
		}
		i++
	}
}

// TestItemsThatCannotBeKept: what is wrong with the disk is not the response's fault.
func TestItemsThatCannotBeKept(t *testing.T) {
	spool := spoolOf(t, `["`+strings.Repeat("x", 2*blocks.Size)+`"]`, MemoryLimit)
	spool.home.dir, spool.home.limit = filepath.Join(t.TempDir(), "gone"), 8
	_, err := newScanner().Scan(spool, Query{})
	if failure.KindOf(err) != failure.Application || !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "keeping the items of a response: ") {
		t.Errorf("got %v", err)
	}
}
