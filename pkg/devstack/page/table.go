package page

import (
	"bufio"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/tables/table"
)

const (
	previewRows = 100
	// cellRunes is how much of a long cell is shown at once. pageBytes limits the
	// rest of these cells in a page, and about as much what is shown at once;
	// cellBytes is the size of a cell without its text.
	cellRunes = 80
	cellBytes = 40
	pageBytes = 4 << 20
)

type bucketView struct {
	store.Bucket
	Tables []store.Table
}

type tablePage struct {
	store.Table
	Columns []columnView
	Rows    [][]cell
	// Total is how many rows the table has.
	Total int
}

// columnView is a column. Key says that it is part of the primary key, Figure that
// it contains numbers.
type columnView struct {
	store.Column
	Key, Figure bool
}

// cell is a cell as it is shown. Short is its beginning, Text the whole text if
// that is longer. Cut says that Text is not complete either.
type cell struct {
	Short, Text        string
	Cut, Empty, Figure bool
}

func (s *site) tables(w http.ResponseWriter, _ *http.Request) error {
	buckets, err := s.Store.Buckets()
	if err != nil {
		return err
	}
	var views []bucketView
	for _, b := range buckets {
		tables, err := s.Store.Tables(b.ID)
		if err != nil {
			return err
		}
		views = append(views, bucketView{b, tables})
	}
	s.show(w, http.StatusOK, "tables", layout{Title: "Tables", Section: "tables", Body: views})
	return nil
}

func (s *site) table(w http.ResponseWriter, r *http.Request) error {
	t, err := s.Store.Table(r.PathValue("id"))
	if err != nil {
		return err
	}
	page := tablePage{Table: t, Total: t.Rows}
	for _, c := range t.Columns {
		page.Columns = append(page.Columns, columnView{c, slices.Contains(t.PrimaryKey, c.Name), slices.Contains([]string{"INTEGER", "NUMERIC", "FLOAT"}, c.Type)})
	}
	budget, shown := pageBytes, pageBytes
	if err := s.Store.Rows(t.ID, func(cells []string) bool {
		row := make([]cell, len(cells))
		for i, text := range cells {
			row[i] = newCell(text, budget)
			row[i].Figure = page.Columns[i].Figure
			budget -= len(row[i].Text)
			shown -= len(row[i].Short) + cellBytes
		}
		page.Rows = append(page.Rows, row)
		// A table with thousands of columns shows fewer rows, but at least one.
		return len(page.Rows) < previewRows && shown > 0
	}); err != nil {
		return err
	}
	s.show(w, http.StatusOK, "table", layout{Title: "Table " + t.ID, Section: "tables", Body: page})
	return nil
}

// newCell keeps at most budget bytes of a long text.
func newCell(text string, budget int) cell {
	c := cell{Short: text, Empty: text == ""}
	if utf8.RuneCountInString(text) <= cellRunes {
		return c
	}
	c.Short, c.Text = string([]rune(text[:min(len(text), utf8.UTFMax*cellRunes)])[:cellRunes]), text
	if len(text) > budget {
		c.Text, c.Cut = strings.ToValidUTF8(text[:budget], ""), true
	}
	return c
}

// download streams a table as CSV with a header, every cell in quotes.
func (s *site) download(w http.ResponseWriter, r *http.Request) error {
	t, err := s.Store.Table(r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", attachment(t.ID+".csv"))
	to := newPatient(w)
	defer to.release()
	out := bufio.NewWriterSize(to, 64<<10)
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	line := table.AppendRecord(nil, names)
	_, failed := out.Write(line)
	if err := s.Store.Rows(t.ID, func(cells []string) bool {
		line = table.AppendRecord(line[:0], cells)
		_, failed = out.Write(line)
		return failed == nil && r.Context().Err() == nil
	}); err != nil {
		return s.broken(r, err)
	}
	if failed == nil {
		failed = out.Flush()
	}
	return s.broken(r, failed)
}

// attachment is a header that makes a browser save a file of this name.
func attachment(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if header := mime.FormatMediaType("attachment", map[string]string{"filename": name}); header != "" {
		return header
	}
	return "attachment"
}
