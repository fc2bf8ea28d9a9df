package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// typedLoad makes a load of columns "name TYPE(length) !" (the key's name with a star, ! for
// columns that are not nullable) and of rows.
func typedLoad(incremental bool, columns string, rows ...string) Load {
	l := Load{Table: "in.c-b.t", Incremental: incremental, Typed: true}
	for _, text := range strings.Split(columns, "; ") {
		parts := strings.Fields(text)
		name, isKey := strings.CutSuffix(parts[0], "*")
		base, length, _ := strings.Cut(strings.TrimSuffix(parts[1], ")"), "(")
		l.Columns = append(l.Columns, Column{Name: name, Type: base, Length: length, Nullable: len(parts) == 2})
		if isKey {
			l.PrimaryKey = append(l.PrimaryKey, name)
		}
	}
	var cells [][]string
	for _, row := range rows {
		cells = append(cells, strings.Split(row, ","))
	}
	l.Next = rowsOf(cells...)
	return l
}

func typedText(t *testing.T, s *Store) string {
	t.Helper()
	table := must[Table](t)(s.Table("in.c-b.t"))
	var columns []string
	for _, c := range table.Columns {
		text := c.Name
		if slices.Contains(table.PrimaryKey, c.Name) {
			text += "*"
		}
		text += " " + c.Type
		if c.Length != "" {
			text += "(" + c.Length + ")"
		}
		if !c.Nullable {
			text += " !"
		}
		columns = append(columns, text)
	}
	text := fmt.Sprint(table.Typed, ": ", strings.Join(columns, "; "))
	if err := s.Rows(table.ID, func(cells []string) bool { text += "|" + strings.Join(cells, ","); return true }); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTypedTables(t *testing.T) {
	for _, row := range []struct {
		name       string
		first      []Load
		last       Load
		want, fail string
	}{
		{"a new table", nil, typedLoad(false, "id* INTEGER; n NUMERIC(12,2)", "1,2"), "true: id* INTEGER !; n NUMERIC(12,2)|1,2", ""},
		{"a number without decimals is an integer", nil, typedLoad(false, "n NUMERIC(38,0)"), "true: n INTEGER", ""},
		{"an impossible length", nil, typedLoad(false, "n NUMERIC(5,6)"), "", `'5,6' is not valid length for NUMERIC`},
		{"a length of a date", nil, typedLoad(false, "n DATE(5)"), "", `'5' is not valid length for DATE`},
		{"a full load keeps the columns", []Load{typedLoad(false, "a STRING; b INTEGER", "x,1")}, typedLoad(false, "b INTEGER; a STRING", "2,y"), "true: a STRING; b INTEGER|y,2", ""},
		{"a new column", []Load{typedLoad(false, "a STRING", "x")}, typedLoad(true, "new DATE; a STRING", "2026-01-01,y"), "true: a STRING; new DATE|x,|y,2026-01-01", ""},
		{"a new column in a full load", []Load{typedLoad(false, "a STRING", "x")}, typedLoad(false, "new DATE; a STRING", "2026-01-01,y"), "true: a STRING; new DATE|y,2026-01-01", ""},
		{"a new column that is required", []Load{typedLoad(false, "a STRING", "x")}, typedLoad(false, "a STRING; new DATE !"), "", `the column "new" is not nullable, so it cannot be added to a table with rows`},
		{"a new column that is required, without rows", []Load{typedLoad(false, "a STRING")}, typedLoad(false, "a STRING; new DATE !"), "true: a STRING; new DATE !", ""},
		{"a missing column", []Load{typedLoad(false, "a STRING; b DATE", "x,")}, typedLoad(false, "a STRING"), "", `the table has 2 columns, the schema has 1: "b" missing in the schema`},
		{"a renamed column", []Load{typedLoad(false, "a STRING; b DATE", "x,")}, typedLoad(false, "a STRING; c DATE"), "", `the table does not have the columns "c" of the schema`},
		{"a missing and two new columns", []Load{typedLoad(false, "a STRING; b DATE", "x,")}, typedLoad(false, "a STRING; c DATE; d DATE"), "", `columns of the table are missing in the file: "b"`},
		{"other types", []Load{typedLoad(false, "a STRING; b DATE", "x,")}, typedLoad(false, "a INTEGER; b TIMESTAMP"), "", `column "a" has the type STRING in the table and INTEGER in the schema; column "b" has the type DATE in the table and TIMESTAMP in the schema`},
		{"a greater length", []Load{typedLoad(false, "a STRING(5); n NUMERIC(5,2)")}, typedLoad(false, "a STRING(9); n NUMERIC(6,2)"), "true: a STRING(9); n NUMERIC(6,2)", ""},
		{"no length", []Load{typedLoad(false, "a STRING(5); n NUMERIC(5,2)")}, typedLoad(false, "a STRING; n NUMERIC"), "true: a STRING(5); n NUMERIC(5,2)", ""},
		{"the length of the backend", []Load{typedLoad(false, "n NUMERIC")}, typedLoad(false, "n NUMERIC(38,9)"), "true: n NUMERIC(38,9)", ""},
		{"fewer characters", []Load{typedLoad(false, "a STRING(5)")}, typedLoad(false, "a STRING(4)"), "", `the length of column "a" cannot change from 5 to 4`},
		{"fewer digits", []Load{typedLoad(false, "n NUMERIC(5,2)")}, typedLoad(false, "n NUMERIC(4,2)"), "", `the length of column "n" cannot change from 5,2 to 4,2`},
		{"more decimals", []Load{typedLoad(false, "n NUMERIC(5,2)")}, typedLoad(false, "n NUMERIC(6,3)"), "", `cannot change from 5,2 to 6,3`},
		{"nullable", []Load{typedLoad(false, "a STRING !", "x")}, typedLoad(true, "a STRING", ""), "true: a STRING|x|", ""},
		{"a nullable key", []Load{typedLoad(false, "a* STRING", "x")}, typedLoad(true, "a* STRING", ""), "", `column "a" of the primary key cannot become nullable`},
		{"required", []Load{typedLoad(false, "a STRING", "x")}, typedLoad(false, "a STRING !", "y"), "true: a STRING !|y", ""},
		{"required, with empty cells", []Load{typedLoad(false, "a STRING", "x", "")}, typedLoad(false, "a STRING !", "y"), "", `column "a" cannot become required, because it has empty values`},
		{"another key", []Load{typedLoad(false, "a* STRING !; b STRING !", "x,y")}, typedLoad(true, "a STRING !; b* STRING !", "y,z"), "", "the primary key of an incremental load"},
		{"an existing table stays untyped", []Load{fromText(false, "a\nx")}, typedLoad(true, "a INTEGER", "y"), "false: a INTEGER|x|y", ""},
		{"a load without types", []Load{typedLoad(false, "a INTEGER", "1")}, fromText(false, "a\nx"), "false: a !|x", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := openAt(t, t.TempDir()+"/store")
			for _, l := range row.first {
				must[Table](t)(s.Load(t.Context(), l))
			}
			before := ""
			if row.first != nil {
				before = typedText(t, s)
			}
			_, err := s.Load(t.Context(), row.last)
			switch {
			case row.fail == "" && err != nil:
				t.Fatal(err)
			case row.fail == "":
				if got := typedText(t, s); strings.ReplaceAll(got, "  ", " ") != row.want {
					t.Errorf("got  %s\nwant %s", got, row.want)
				}
			case err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), row.fail):
				t.Errorf("got  %v\nwant %s", err, row.fail)
			case row.first != nil && typedText(t, s) != before:
				t.Errorf("a refused load changed the table to %s", typedText(t, s))
			}
		})
	}
}
