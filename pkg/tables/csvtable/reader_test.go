package csvtable

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func readAll(r *Reader) (all [][]string, err error) {
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, slices.Clone(cells))
	}
}

func TestReader(t *testing.T) {
	const small = 1 << 16 // in the place of maxRow
	for _, row := range []struct {
		name, text string
		delimiter  byte
		enclosure  string
		want       string // of the records, or the error
	}{
		{"plain", "a,b\n1,2\n", ',', `"`, `[["a" "b"] ["1" "2"]]`},
		{"no line end at the end", "a,b\n1,2", ',', `"`, `[["a" "b"] ["1" "2"]]`},
		{"CR LF", "a,b\r\n\"1\",2\r\n", ',', `"`, `[["a" "b"] ["1" "2"]]`},
		{"line ends inside stay", "\"a\r\nb\nc\rd\"\n", ',', `"`, `[["a\r\nb\nc\rd"]]`},
		{"doubled enclosures", `"a""b","""",""` + "\n", ',', `"`, `[["a\"b" "\"" ""]]`},
		{"empty cells", ",\n,", ',', `"`, `[["" ""] ["" ""]]`},
		{"an empty line", "a\n\nb\n", ',', `"`, `[["a"] [""] ["b"]]`},
		{"an empty enclosed cell at the end", `a,""`, ',', `"`, `[["a" ""]]`},
		{"nothing", "", ',', `"`, `[]`},
		{"a byte order mark", "\uFEFF\"a\"\n", ',', `"`, `[["a"]]`},
		{"blanks stay", " a , b \n", ',', `"`, `[[" a " " b "]]`},
		{"another delimiter and enclosure", "'a;''b';\"c\n", ';', `'`, `[["a;'b" "\"c"]]`},
		{"no enclosure", "\"a\t\"b\n", '\t', ``, `[["\"a" "\"b"]]`},
		{"never closed", "a\n\"b\nc\n", ',', `"`, `line 2 opens an enclosure that is never closed`},
		{"more after an enclosure", "a\n\"b\"c\n", ',', `"`, `line 2 continues after a closing enclosure`},
		{"an enclosure inside", "a\"b\n", ',', `"`, `line 1 has an enclosure inside`},
		{"a carriage return alone", "a\rb\n", ',', `"`, `line 1 has a carriage return without a line feed`},
		{"a carriage return at the end", "\"a\"\r", ',', `"`, `line 1 has a carriage return without a line feed`},
		{"not UTF-8", "a\nb,\xff\n", ',', `"`, `is not valid UTF-8`},
		{"a huge cell", strings.Repeat("x", small+1), ',', `"`, `line 1 has cells of more than 128 MiB together`},
		{"a huge enclosed cell", `"` + strings.Repeat("x", small+2), ',', `"`, `line 1 opens an enclosure that is never closed`},
		{"a huge record", strings.Repeat("x,", small+1), ',', `"`, `line 1 has cells of more than 128 MiB together`},
		{"many cells", strings.Repeat(",", maxCells), ',', `"`, `line 1 has more than 2097152 cells`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.name == "many cells" {
				slowtest.SkipRace(t, "its text is large")
			}
			r := NewReader(strings.NewReader(row.text), row.delimiter, row.enclosure)
			r.maxRecord = small
			got, err := readAll(r)
			text := fmt.Sprintf("%q", got)
			if err != nil {
				if text = err.Error(); failure.KindOf(err) != failure.User {
					t.Errorf("not a user error: %v", err)
				}
			}
			if text != row.want && (err == nil || !strings.Contains(text, row.want)) {
				t.Errorf("got  %.200s\nwant %s", text, row.want)
			}
		})
	}
}

func TestReaderBroken(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "a", "a,", "\"a", "\"a\"", "a\r"} {
		in := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if _, err := readAll(NewReader(in, ',', `"`)); !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzReader compares with the standard library's reader, where both take a
// text, and reads back what that library's writer wrote.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\"a\"\"b\",\r\n", "\"\n\"", "a\"", "\r", "\uFEFFa", ",,\n\n,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readAll(NewReader(strings.NewReader(text), ',', `"`))
		if err != nil {
			if failure.KindOf(err) != failure.User {
				t.Fatal(err)
			}
			return
		}
		var written bytes.Buffer
		w := csv.NewWriter(&written)
		if err := w.WriteAll(got); err != nil {
			t.Fatal(err)
		}
		again, err := readAll(NewReader(&written, ',', `"`))
		// A mark that was data once is at the start of the file now.
		if err != nil || !strings.Contains(text, "\uFEFF") && fmt.Sprintf("%q", again) != fmt.Sprintf("%q", got) {
			t.Errorf("%q, read again %q, %v", got, again, err)
		}
		if strings.ContainsAny(text, "\r\uFEFF") || slices.ContainsFunc(got, func(r []string) bool { return len(r) == 1 && r[0] == "" }) {
			return // the standard library changes line ends and passes over empty lines
		}
		standard := csv.NewReader(strings.NewReader(text))
		standard.FieldsPerRecord = -1
		want, err := standard.ReadAll()
		if err != nil || fmt.Sprintf("%q", want) != fmt.Sprintf("%q", got) {
			t.Errorf("got %q, the standard library %q, %v", got, want, err)
		}
	})
}

// TestReaderPlaces: each record is found again by the place that the reader gave it.
func TestReaderPlaces(t *testing.T) {
	const text = "\uFEFFa,b\r\n\"1\n2\",x\n\n\"\"\"\",\"\""
	r := NewReader(strings.NewReader(text), ',', `"`)
	other := NewReader(strings.NewReader(""), ',', `"`)
	var found []string
	for begin := r.Offset(); ; begin = r.Offset() {
		cells, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		other.Reset(strings.NewReader(text[begin:r.Offset()]))
		again, err := other.Read()
		if err != nil || !slices.Equal(again, cells) {
			t.Errorf("%q, %v at the place of %q", again, err, cells)
		}
		found = append(found, fmt.Sprintf("%d-%d line %d %q", begin, r.Offset(), r.Line(), cells))
	}
	want := []string{`3-8 line 1 ["a" "b"]`, `8-16 line 2 ["1\n2" "x"]`, `16-17 line 4 [""]`, `17-24 line 5 ["\"" ""]`}
	if !slices.Equal(found, want) {
		t.Errorf("got  %q\nwant %q", found, want)
	}
}
