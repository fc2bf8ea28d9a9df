package webui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/report"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

const (
	previewRows = 100
	// cellRunes is the number of characters of a long cell that are shown at once.
	// cellBytes is the size of a cell without its text. pageBytes limits the hidden rest
	// of long cells on a page, and roughly also the size of the visible cells.
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
	// Sampled is the number of rows that the statistics of the columns cover.
	Sampled int
	// Keyed is true if the table has a primary key. Typed is true if at least one column
	// has a type that the component declared.
	Keyed, Typed bool
	Loads        loads
	View         rowView
}

// columnView is a column. Key is true if it is part of the primary key. Figure is true if
// it contains numbers.
type columnView struct {
	store.Column
	Key, Figure bool
	// Found describes the shapes of the cells in words. Lengths are the lengths of the
	// shortest and the longest cell, in characters. Filled is the share of cells that are
	// not empty, FilledWidth this share as the width of a bar. They are "" if there are no
	// rows.
	Found, Lengths, Filled, FilledWidth string
	// By is the URL that sorts by the column. It switches from ascending to descending to
	// the order of the table. Order is the sort order by the column: ascending, descending
	// or none.
	By, Order string
}

// Declared returns the declared type, e.g. "NUMERIC(12,2) NOT NULL", or "".
func (c columnView) Declared() string {
	return csvtable.ColumnType{Base: c.Type, Length: c.Length, Nullable: c.Nullable}.String()
}

// describe sets the statistics of the sampled cells.
func (c *columnView) describe(found report.Column, sampled int) {
	if sampled == 0 {
		return
	}
	c.Found = "always empty"
	if len(found.Shapes) > 0 {
		slices.SortStableFunc(found.Shapes, func(a, b report.Shape) int { return b.Count - a.Count })
		var names []string
		shortest, longest := found.Shapes[0].Shortest, 0
		c.Figure = true
		for _, s := range found.Shapes {
			names = append(names, s.Shape)
			shortest, longest = min(shortest, s.Shortest), max(longest, s.Longest)
			c.Figure = c.Figure && (s.Shape == "integer" || s.Shape == "number")
		}
		c.Found, c.Lengths = strings.Join(names, ", "), number(shortest)
		if shortest != longest {
			c.Lengths += "–" + number(longest)
		}
	}
	filled := float64(sampled-found.Empty) / float64(sampled)
	c.FilledWidth = percent(filled)
	switch share := 100 * filled; {
	case found.Empty > 0 && share > 99.9:
		c.Filled = ">99.9 %"
	case share > 0 && share < 0.1:
		c.Filled = "<0.1 %"
	case share == float64(int(share)):
		c.Filled = fmt.Sprintf("%d %%", int(share))
	default:
		c.Filled = fmt.Sprintf("%.1f %%", share)
	}
}

// cell is a cell of a page. Short is its beginning. Text is the whole text if it is
// longer than Short. Cut is true if Text is cut, too.
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
	return s.show(w, http.StatusOK, "tables", layout{Title: "Tables", Section: "tables", Body: views})
}

func (s *site) table(w http.ResponseWriter, r *http.Request, t store.Table) error {
	page := tablePage{Table: t}
	for _, c := range t.Columns {
		page.Columns = append(page.Columns, columnView{Column: c, Key: slices.Contains(t.PrimaryKey, c.Name)})
		page.Keyed = page.Keyed || len(t.PrimaryKey) > 0
		page.Typed = page.Typed || c.Type != ""
	}
	if err := s.sample(r.Context(), &page); err != nil {
		return err
	}
	var err error
	if page.Loads, err = s.loadsOf(t.ID); err != nil {
		return err
	}
	if page.View, err = s.rows(r, page); err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "table", layout{Title: "Table " + t.ID, Section: "tables", Body: page})
}

// sample computes the statistics of the columns from the first rows of a table.
func (s *site) sample(ctx context.Context, page *tablePage) error {
	bytes, found := 0, make([]report.Column, len(page.Columns))
	err := s.Store.Rows(page.ID, func(cells []string) bool {
		if len(cells) != len(page.Columns) {
			return false // the table has just been loaded again
		}
		page.Sampled++
		for i, text := range cells {
			found[i].Add(text)
			bytes += len(text)
		}
		return page.Sampled < report.MaxSampleRows && bytes < report.MaxSampleBytes && ctx.Err() == nil
	})
	for i := range page.Columns {
		page.Columns[i].describe(found[i], page.Sampled)
	}
	return errors.Join(err, ctx.Err())
}

// newCell returns a cell. It keeps at most budget bytes of a long text.
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

// download streams a table as CSV with a header and with every cell in quotes.
func (s *site) download(w http.ResponseWriter, r *http.Request, t store.Table) error {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", guard.Attachment(t.ID+".csv"))
	to := newDeadlineWriter(w)
	defer to.release()
	out := bufio.NewWriterSize(to, 64<<10)
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	line := csvtable.AppendRecord(nil, names)
	_, failed := out.Write(line)
	if err := s.Store.Rows(t.ID, func(cells []string) bool {
		line = csvtable.AppendRecord(line[:0], cells)
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
