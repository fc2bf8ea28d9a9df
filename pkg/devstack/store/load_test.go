package store

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// rowsOf gives rows through one slice, as a reader may.
func rowsOf(rows ...[]string) func() ([]string, error) {
	var buffer []string
	return func() ([]string, error) {
		if len(rows) == 0 {
			return nil, io.EOF
		}
		buffer = append(buffer[:0], rows[0]...)
		rows = rows[1:]
		return buffer, nil
	}
}

// fromText makes a load of lines: columns (the key's with a star), then rows.
func fromText(incremental bool, text string) Load {
	lines := strings.Split(text, "\n")
	l := Load{Table: "in.c-b.t", Incremental: incremental}
	for _, name := range strings.Split(lines[0], ",") {
		name, isKey := strings.CutSuffix(name, "*")
		if isKey {
			l.PrimaryKey = append(l.PrimaryKey, name)
		}
		l.Columns = append(l.Columns, Column{Name: name})
	}
	var rows [][]string
	for _, line := range lines[1:] {
		rows = append(rows, strings.Split(line, ","))
	}
	l.Next = rowsOf(rows...)
	return l
}

// textOf is a table in the form of fromText.
func textOf(t *testing.T, s *Store, id string) string {
	t.Helper()
	table := must[Table](t)(s.Table(id))
	var names []string
	for _, c := range table.Columns {
		if slices.Contains(table.PrimaryKey, c.Name) {
			c.Name += "*"
		}
		names = append(names, c.Name)
	}
	lines, size := []string{strings.Join(names, ",")}, 0
	err := s.Rows(id, func(cells []string) bool {
		size += len(strings.Join(cells, ""))
		lines = append(lines, strings.Join(cells, ","))
		return true
	})
	if err != nil || table.Rows != len(lines)-1 || table.Bytes != int64(size) {
		t.Errorf("%d rows of %d, %d bytes of %d, %v", table.Rows, len(lines)-1, table.Bytes, size, err)
	}
	return strings.Join(lines, "\n")
}

// checkNothingLeft checks that the only rows on disk are the rows of this many tables.
func checkNothingLeft(t *testing.T, s *Store, tables int) {
	t.Helper()
	for _, pattern := range []string{"*", "*/*"} {
		if found, err := filepath.Glob(filepath.Join(s.rowsDir, pattern)); err != nil || len(found) != tables {
			t.Errorf("%q are left, %v", found, err)
		}
	}
}

func TestLoad(t *testing.T) {
	for _, row := range []struct {
		name  string
		loads []Load
		want  string
	}{
		{"a full load", []Load{fromText(false, "a,b\n1,x\n,\n1,x")}, "a,b\n1,x\n,\n1,x"},
		{"no rows", []Load{fromText(false, "a,b")}, "a,b"},
		{"a full load replaces", []Load{fromText(false, "a*,b\n1,x"), fromText(false, "c\n2")}, "c\n2"},
		{"the last of duplicates, in the place of the first", []Load{fromText(false, "a*,b\n1,x\n2,y\n1,longer")}, "a*,b\n1,longer\n2,y"},
		{"a key of two columns", []Load{fromText(false, "a*,b*,c\n1,23,x\n12,3,y\n1,23,z")}, "a*,b*,c\n1,23,z\n12,3,y"},
		{"the first load is incremental", []Load{fromText(true, "a\n1")}, "a\n1"},
		{"appended without a key", []Load{fromText(false, "a\n1"), fromText(true, "a\n1\n2")}, "a\n1\n1\n2"},
		{"appended again", []Load{fromText(true, "a,b\n1,x"), fromText(true, "a,b\n2,y\n1,x"), fromText(true, "a,b\n,")}, "a,b\n1,x\n2,y\n1,x\n,"},
		{"columns in another order without a key", []Load{fromText(true, "a,b\n1,x"), fromText(true, "b,a\ny,2")}, "a,b\n1,x\n2,y"},
		{"new columns without a key", []Load{fromText(true, "a\n1"), fromText(true, "a,b\n2,y")}, "a,b\n1,\n2,y"},
		{"merged by the key", []Load{fromText(false, "a*,b\n1,x\n2,y\n3,z"), fromText(true, "a*,b\n4,n\n2,new\n4,m\n2,newer")}, "a*,b\n1,x\n2,newer\n3,z\n4,m"},
		{"merged again", []Load{fromText(true, "a*,b\n1,x"), fromText(true, "a*,b\n2,y"), fromText(true, "a*,b\n1,z\n3,q")}, "a*,b\n1,z\n2,y\n3,q"},
		{"columns in another order", []Load{fromText(false, "a*,b\n1,x"), fromText(true, "b,a*\ny,1\nz,2")}, "a*,b\n1,y\n2,z"},
		{"new columns", []Load{fromText(false, "a*,b\n1,x\n2,y"), fromText(true, "c,a*,b\nC,2,z\nD,3,q")}, "a*,b,c\n1,x,\n2,z,C\n3,q,D"},
		{"the key in another order", []Load{fromText(false, "a*,b*,c\n1,2,x"), fromText(true, "b*,a*,c\n2,1,y")}, "a*,b*,c\n1,2,y"},
		{"a long key", []Load{fromText(false, "a*,b\n"+strings.Repeat("k", 40000)+",x\n"+strings.Repeat("k", 40000)+",y")}, "a*,b\n" + strings.Repeat("k", 40000) + ",y"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store")
			s, err := Open(path, clock)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range row.loads {
				must[Table](t)(s.Load(t.Context(), l))
			}
			if got := textOf(t, s, "in.c-b.t"); got != row.want {
				t.Errorf("got\n%.200s\nwant\n%.200s", got, row.want)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openAt(t, path)
			if got := textOf(t, s, "in.c-b.t"); got != row.want {
				t.Errorf("opened again\n%.200s", got)
			}
			checkNothingLeft(t, s, 1)
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		name   string
		change func(*Load)
		want   string
	}{
		{"a missing column", func(l *Load) { *l = fromText(true, "a*,c\n1,2") }, `table "in.c-b.t": columns of the table are missing in an incremental load: "b"`},
		{"another key", func(l *Load) { *l = fromText(true, "a*,b*\n1,2") }, `the primary key of an incremental load is ["a" "b"], that of the table is ["a"]`},
		{"no key", func(l *Load) { *l = fromText(true, "a,b\n1,2") }, `the primary key of an incremental load is none`},
		{"a reserved column", func(l *Load) { *l = fromText(false, "a,_TimeStamp\n1,2") }, `the column name "_TimeStamp" is reserved`},
		{"a column twice", func(l *Load) { *l = fromText(false, "a,b,a\n1,2,3") }, `column "a" is there twice`},
		{"a column without a name", func(l *Load) { *l = fromText(false, "a,\n1,2") }, `column 2 has no name`},
		{"no columns", func(l *Load) { l.Columns, l.PrimaryKey = nil, nil }, `the table has no columns`},
		{"a key of no column", func(l *Load) { l.PrimaryKey = []string{"x"} }, `column "x" of the primary key is none of the columns`},
		{"a column twice in the key", func(l *Load) { l.PrimaryKey = []string{"a", "a"} }, `the primary key has column "a" twice`},
		{"a short row", func(l *Load) { *l = fromText(false, "a,b\n1,2\n3") }, `row 2 has 1 cells, not one for each of the 2 columns`},
		{"no bucket", func(l *Load) { l.Table = "t" }, `table "t": the id of a table is`},
		{"another stage", func(l *Load) { l.Table = "sys.c-b.t" }, `bucket "sys.c-b": the id of a bucket is in.c-NAME or out.c-NAME`},
		{"a bucket without c-", func(l *Load) { l.Table = "in.b.t" }, `bucket "in.b"`},
		{"a bucket without a name", func(l *Load) { l.Table = "in.c-.t" }, `bucket "in.c-"`},
		{"too many dots", func(l *Load) { l.Table = "in.c-b.t.u" }, `bucket "in.c-b.t"`},
		{"a name with blanks", func(l *Load) { l.Table = "in.c-b.t u" }, `table "in.c-b.t u": the id of a table is`},
		{"an error of the source", func(l *Load) {
			l.Next = func() ([]string, error) { return nil, broken }
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := open(t)
			must[Table](t)(s.Load(t.Context(), fromText(false, "a*,b\nold,row")))
			l := fromText(false, "a*,b\n1,2")
			row.change(&l)
			_, err := s.Load(t.Context(), l)
			if row.want == "" {
				if !errors.Is(err, broken) {
					t.Errorf("got %v", err)
				}
			} else {
				checkUserError(t, err, row.want)
			}
			if got := textOf(t, s, "in.c-b.t"); got != "a*,b\nold,row" {
				t.Errorf("the table is now\n%s", got)
			}
			checkNothingLeft(t, s, 1)
		})
	}
}

// TestWidthIsLimited: the description of a table is held in memory.
func TestWidthIsLimited(t *testing.T) {
	slowtest.SkipRace(t, "it loads a large table")
	wide := func(from, to int) Load {
		l := Load{Table: "in.c-b.t", Incremental: true, Next: rowsOf()}
		for i := range to {
			if i >= from || i == 0 {
				l.Columns = append(l.Columns, Column{Name: fmt.Sprintf("c%d", i)})
			}
		}
		return l
	}
	long := Load{Table: "in.c-b.t", Columns: []Column{{Name: strings.Repeat("x", maxID+1)}}}
	for name, tc := range map[string]struct {
		load Load
		want string
	}{
		"the widest":  {wide(0, maxColumns), ""},
		"too wide":    {wide(0, maxColumns+1), `table "in.c-b.t": it would have 10001 columns, at most 10000 are possible`},
		"a long name": {long, `table "in.c-b.t": column 1 has a name of 256 bytes, at most 255 are possible`},
	} {
		err := tc.load.Check()
		if got := fmt.Sprint(err); (err != nil || tc.want != "") && got != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := open(t)
	must[Table](t)(s.Load(t.Context(), wide(0, maxColumns-1)))
	more := wide(0, maxColumns-1)
	more.Columns = append(more.Columns, Column{Name: "a"}, Column{Name: "b"})
	if _, err := s.Load(t.Context(), more); err == nil || !strings.Contains(err.Error(), "it would have 10001 columns") {
		t.Errorf("added: %v", err)
	}
}
