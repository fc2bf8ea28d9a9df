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
	// Sampled is how many rows the types and the fill of the columns are from.
	Sampled int
	// Keyed and Typed say that at least one column is part of the key, or has a type
	// that the component declared.
	Keyed, Typed bool
	Loads        loads
	View         rowView
}

// columnView is a column. Key says that it is part of the primary key, Figure that
// it contains numbers.
type columnView struct {
	store.Column
	Key, Figure bool
	// found is what is in the rows that were looked at.
	found   report.Column
	sampled int
}

// Found is what the cells look like, in words; "" without rows.
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

// Lengths are the shortest and the longest of its cells, in characters.
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

// Filled is the share of cells that are not empty; "" without rows.
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

// FilledWidth is the same for a bar.
func (c columnView) FilledWidth() string {
	return percent(float64(c.sampled-c.found.Empty) / float64(max(c.sampled, 1)))
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

// sample looks at the first rows of a table for what its columns have.
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
