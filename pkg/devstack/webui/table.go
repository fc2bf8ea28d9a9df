package webui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
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
	// found is the statistics of the sampled cells.
	found   report.Column
	sampled int
}

// Found describes the shapes of the cells in words. It returns "" if there are no rows.
func (c columnView) Found() string {
	if c.sampled == 0 {
		return ""
	}
	if len(c.found.Shapes) == 0 {
		return "always empty"
	}
	var names []string
	for _, s := range c.found.Shapes {
		names = append(names, s.Shape)
	}
	return strings.Join(names, ", ")
}

// Lengths returns the lengths of the shortest and the longest cell, in characters.
func (c columnView) Lengths() string {
	if len(c.found.Shapes) == 0 {
		return ""
	}
	shortest, longest := c.found.Shapes[0].Shortest, 0
	for _, s := range c.found.Shapes {
		shortest, longest = min(shortest, s.Shortest), max(longest, s.Longest)
	}
	if shortest == longest {
		return number(longest)
	}
	return number(shortest) + "–" + number(longest)
}

// Filled returns the share of cells that are not empty. It returns "" if there are no
// rows.
func (c columnView) Filled() string {
	if c.sampled == 0 {
		return ""
	}
	share := 100 * float64(c.sampled-c.found.Empty) / float64(c.sampled)
	switch {
	case c.found.Empty > 0 && share > 99.9:
		return ">99.9 %"
	case share > 0 && share < 0.1:
		return "<0.1 %"
	case share == float64(int(share)):
		return fmt.Sprintf("%d %%", int(share))
	default:
		return fmt.Sprintf("%.1f %%", share)
	}
}

// FilledWidth returns the share of cells that are not empty as the width of a bar.
func (c columnView) FilledWidth() string {
	return percent(float64(c.sampled-c.found.Empty) / float64(max(c.sampled, 1)))
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
	s.show(w, http.StatusOK, "tables", layout{Title: "Tables", Section: "tables", Body: views})
	return nil
}

func (s *site) table(w http.ResponseWriter, r *http.Request) error {
	t, err := s.Store.Table(r.PathValue("id"))
	if err != nil {
		return err
	}
	page := tablePage{Table: t}
	for _, c := range t.Columns {
		page.Columns = append(page.Columns, columnView{Column: c, Key: slices.Contains(t.PrimaryKey, c.Name)})
		page.Keyed = page.Keyed || len(t.PrimaryKey) > 0
		page.Typed = page.Typed || c.Type != ""
	}
	if err := s.sample(r.Context(), &page); err != nil {
		return err
	}
	if page.Loads, err = s.loadsOf(t.ID); err != nil {
		return err
	}
	if page.View, err = s.rows(r, page); err != nil {
		return err
	}
	s.show(w, http.StatusOK, "table", layout{Title: "Table " + t.ID, Section: "tables", Body: page})
	return nil
}

// sample computes the statistics of the columns from the first rows of a table.
func (s *site) sample(ctx context.Context, page *tablePage) error {
	bytes := 0
	err := s.Store.Rows(page.ID, func(cells []string) bool {
		if len(cells) != len(page.Columns) {
			return false // the table has just been loaded again
		}
		page.Sampled++
		for i, text := range cells {
			page.Columns[i].found.Add(text)
			bytes += len(text)
		}
		return page.Sampled < report.MaxSampleRows && bytes < report.MaxSampleBytes && ctx.Err() == nil
	})
	for i := range page.Columns {
		c := &page.Columns[i]
		c.sampled = page.Sampled
		slices.SortStableFunc(c.found.Shapes, func(a, b report.Shape) int { return b.Count - a.Count })
		c.Figure = len(c.found.Shapes) > 0 && !slices.ContainsFunc(c.found.Shapes, func(s report.Shape) bool { return s.Shape != "integer" && s.Shape != "number" })
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
func (s *site) download(w http.ResponseWriter, r *http.Request) error {
	t, err := s.Store.Table(r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", attachment(t.ID+".csv"))
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

// attachment returns a Content-Disposition header that makes a browser save a file with
// this name.
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
