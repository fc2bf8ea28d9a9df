package devstack

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// cells is a table: the header and the rows.
type cells [][]string

func (c cells) table() store.Table {
	t := store.Table{ID: "t", Rows: len(c) - 1}
	for _, name := range c[0] {
		t.Columns = append(t.Columns, store.Column{Name: name})
	}
	return t
}

func (c cells) Rows(_ string, keep func([]string) bool) error {
	for _, row := range c[1:] {
		if !keep(row) {
			return nil
		}
	}
	return nil
}

func TestWritePreview(t *testing.T) {
	rows := []struct {
		name  string
		table cells
		want  string
	}{
		{"aligned", cells{{"id", "name"}, {"1", "Chloé Weiß"}, {"23", ""}}, `
t: 2 rows, 2 columns
  id  name
  --  ----------
  1   Chloé Weiß
  23
`},
		{"only the first rows", cells{{"n"}, {"1"}, {"2"}, {"3"}, {"4"}, {"5"}}, `
t: 5 rows, 1 column
  n
  -
  1
  2
  3
  … 2 more rows
`},
		{"long cells are shortened, line breaks and tabs are spaces",
			cells{{"text", "x"}, {"abcdefghijklmnopqrstuvwxyz", "a\nb\tc"}, {"abcdefghijklmnopqrstuvwx", ""}}, `
t: 2 rows, 2 columns
  text                      x
  ------------------------  -----
  abcdefghijklmnopqrstuvw…  a b c
  abcdefghijklmnopqrstuvwx
`},
		{"columns that do not fit are named",
			cells{{"one_______________long", "two_______________long", "three_____________long", "four______________long", "five", "six"}, {"1", "2", "3", "4", "abcdefghijkl", "6"}}, `
t: 1 row, 6 columns
  one_______________long  two_______________long  three_____________long  four______________long  five
  ----------------------  ----------------------  ----------------------  ----------------------  ------------
  1                       2                       3                       4                       abcdefghijkl
  … 1 more column: six
`},
		{"header only", cells{{"a", "b"}}, "\nt: 0 rows, 2 columns\n  a  b\n  -  -\n"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got strings.Builder
			if err := writePreview(&got, row.table.table(), row.table.Rows); err != nil {
				t.Fatal(err)
			}
			if got.String() != row.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), row.want)
			}
		})
	}
}

// TestPreviewOfUnreadableRows: an error of the rows is not an empty preview.
func TestPreviewOfUnreadableRows(t *testing.T) {
	broken := errors.New("cannot read")
	err := writePreview(io.Discard, store.Table{ID: "in.c-b.t"}, func(string, func([]string) bool) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
