package devstack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWritePreviews(t *testing.T) {
	rows := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no tables", nil, ""},
		{
			"aligned, in the order of names, manifests passed over",
			map[string]string{
				"b.users":          "\"id\",\"name\"\n\"1\",\"Chloé Weiß\"\n\"23\",\"\"\n",
				"b.users.manifest": `{"incremental":false}`,
				"b.orders":         "\"id\"\n\"7\"\n",
			},
			`
b.orders: 1 row, 1 column
  id
  --
  7

b.users: 2 rows, 2 columns
  id  name
  --  ----------
  1   Chloé Weiß
  23
`,
		},
		{
			"only the first rows",
			map[string]string{"t": "\"n\"\n\"1\"\n\"2\"\n\"3\"\n\"4\"\n\"5\"\n"},
			`
t: 5 rows, 1 column
  n
  -
  1
  2
  3
  … 2 more rows
`,
		},
		{
			"long cells are shortened, line breaks and tabs are spaces",
			map[string]string{"t": "\"text\",\"x\"\n\"abcdefghijklmnopqrstuvwxyz\",\"a\nb\tc\"\n\"abcdefghijklmnopqrstuvwx\",\"\"\n"},
			`
t: 2 rows, 2 columns
  text                      x
  ------------------------  -----
  abcdefghijklmnopqrstuvw…  a b c
  abcdefghijklmnopqrstuvwx
`,
		},
		{
			"columns that do not fit are named",
			map[string]string{"t": `"` + strings.Join([]string{"one_______________long", "two_______________long", "three_____________long", "four______________long", "five", "six"}, `","`) + "\"\n" +
				`"1","2","3","4","abcdefghijkl","6"` + "\n"},
			`
t: 1 row, 6 columns
  one_______________long  two_______________long  three_____________long  four______________long  five
  ----------------------  ----------------------  ----------------------  ----------------------  ------------
  1                       2                       3                       4                       abcdefghijkl
  … 1 more column: six
`,
		},
		{"header only", map[string]string{"t": "\"a\",\"b\"\n"}, "\nt: 0 rows, 2 columns\n  a  b\n  -  -\n"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range row.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var got strings.Builder
			if err := WritePreviews(&got, dir); err != nil {
				t.Fatal(err)
			}
			if got.String() != row.want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), row.want)
			}
		})
	}
}

func TestWritePreviewsErrors(t *testing.T) {
	if err := WritePreviews(&strings.Builder{}, filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "broken"), []byte("\"a\",\"b\"\n\"1\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WritePreviews(&strings.Builder{}, dir); err == nil || !strings.Contains(err.Error(), "reading table broken: ") {
		t.Errorf("ragged table: %v", err)
	}
}
