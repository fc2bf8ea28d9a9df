package webui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	// A search or a sort reads at most this number of rows and bytes of a table.
	maxSearchedRows  = 1_000_000
	maxSearchedBytes = 256 << 20
	// maxPages is the number of pages that can be reached. maxSortedPages is the number
	// for sorted rows, because the keys of all reachable rows are held in memory.
	maxPages       = 10_000
	maxSortedPages = 10
)

// rowView is the part of a table that its page shows.
type rowView struct {
	ID, Phrase string
	// Sort is the name of a column, or "" for the order of the table.
	Sort    string
	Desc    bool
	Number  int // page number, from 1
	Columns []columnView
	Rows    []shownRow
	// Total is the number of rows in the table, Matching the number of rows that match.
	Total, Matching int
	// Cut is true if the table is too large, so that not all rows were read.
	Cut bool
	// Summary describes in words which rows are shown.
	Summary string
	paging
}

type shownRow struct {
	Number int
	Cells  []cell
}

// rowPosition is the number of a row with its sort key.
type rowPosition struct {
	number int
	key    sortKey
}

// size returns the number of rows on a page. It is small if there are thousands of
// columns.
func (v rowView) size() int {
	return min(previewRows, max(1, pageBytes/(max(len(v.Columns), 1)*(cellBytes+cellRunes))))
}

// rows reads the part of a table that a request selects.
func (s *site) rows(r *http.Request, page tablePage) (rowView, error) {
	q := r.URL.Query()
	v := rowView{ID: page.ID, Columns: page.Columns, Total: page.Table.Rows, Sort: q.Get("sort"), Desc: q.Get("desc") == "1", Phrase: strings.TrimSpace(q.Get("q"))}
	v.Phrase = strings.ToValidUTF8(v.Phrase[:min(len(v.Phrase), maxPhrase)], "")
	by := slices.IndexFunc(page.Columns, func(c columnView) bool { return c.Name == v.Sort })
	most := maxPages
	if by < 0 {
		v.Sort, v.Desc = "", false
	} else {
		most = maxSortedPages
	}
	number, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		number = 1
	}
	v.Number = min(max(number, 1), most)
	skip := (v.Number - 1) * v.size()
	if by < 0 {
		err = s.inOrder(r, &v, skip)
	} else {
		err = s.sorted(r, &v, by, skip)
	}
	if v.Number > 1 {
		v.Earlier = v.address(v.Sort, v.Desc, v.Number-1)
	}
	if v.Matching > skip+len(v.Rows) && v.Number < most {
		v.Later = v.address(v.Sort, v.Desc, v.Number+1)
	}
	for i := range v.Columns {
		c := &v.Columns[i]
		switch {
		case v.Sort != c.Name:
			c.By, c.Order = v.address(c.Name, false, 1), "none"
		case !v.Desc:
			c.By, c.Order = v.address(c.Name, true, 1), "ascending"
		default:
			c.By, c.Order = v.address("", false, 1), "descending"
		}
	}
	v.Summary = v.summary()
	return v, err
}

// matching calls keep with the rows that match the phrase. It stops if keep returns false
// or the limit of rows or bytes is reached.
func (s *site) matching(r *http.Request, v *rowView, keep func(number int, cells []string) bool) error {
	bytes, number := 0, 0
	phrase := strings.ToLower(v.Phrase)
	err := s.Store.Rows(v.ID, func(cells []string) bool {
		if len(cells) != len(v.Columns) {
			return false // the table has just been loaded again
		}
		number++
		for _, text := range cells {
			bytes += len(text)
		}
		if v.Cut = number > maxSearchedRows || bytes > maxSearchedBytes; v.Cut {
			return false
		}
		if phrase != "" && !slices.ContainsFunc(cells, func(text string) bool { return strings.Contains(strings.ToLower(text), phrase) }) {
			return r.Context().Err() == nil
		}
		return keep(number, cells) && r.Context().Err() == nil
	})
	return cmp.Or(err, r.Context().Err())
}

// inOrder reads a page of rows in the order of the table.
func (s *site) inOrder(r *http.Request, v *rowView, skip int) error {
	budget := pageBytes
	if v.Phrase == "" {
		v.Matching = v.Total
		number := 0
		err := s.Store.Rows(v.ID, func(cells []string) bool {
			if number++; number > skip && len(cells) == len(v.Columns) {
				v.Rows = append(v.Rows, v.layOutRow(number, cells, &budget))
			}
			return len(v.Rows) < v.size() && r.Context().Err() == nil
		})
		return cmp.Or(err, r.Context().Err())
	}
	return s.matching(r, v, func(number int, cells []string) bool {
		if v.Matching++; v.Matching > skip && len(v.Rows) < v.size() {
			v.Rows = append(v.Rows, v.layOutRow(number, cells, &budget))
		}
		return true
	})
}

// sorted reads a page of rows in the order of a column. It reads the table twice: first
// to find the rows of the page, then to read them. So it holds only sort keys in memory.
func (s *site) sorted(r *http.Request, v *rowView, by, skip int) error {
	var found []rowPosition
	if err := s.matching(r, v, func(number int, cells []string) bool {
		v.Matching++
		found = insert(found, rowPosition{number, newSortKey(cells[by])}, skip+v.size(), v.Desc)
		return true
	}); err != nil {
		return err
	}
	found = found[min(skip, len(found)):]
	at := map[int]int{}
	for i, p := range found {
		at[p.number] = i
	}
	v.Rows = make([]shownRow, len(found))
	budget, number, left := pageBytes, 0, len(found)
	err := s.Store.Rows(v.ID, func(cells []string) bool {
		number++
		if i, wanted := at[number]; wanted && len(cells) == len(v.Columns) {
			v.Rows[i] = v.layOutRow(number, cells, &budget)
			left--
		}
		return left > 0 && r.Context().Err() == nil
	})
	v.Rows = slices.DeleteFunc(v.Rows, func(r shownRow) bool { return r.Number == 0 })
	return cmp.Or(err, r.Context().Err())
}

// insert inserts a position in sort order. It keeps only the first most positions.
func insert(places []rowPosition, p rowPosition, most int, desc bool) []rowPosition {
	at, _ := slices.BinarySearchFunc(places, p, func(a, b rowPosition) int {
		// Rows that are equal keep the order of the table.
		return cmp.Or(a.key.compare(b.key, desc), -1)
	})
	if at == most {
		return places
	}
	return slices.Insert(places[:min(len(places), most-1)], at, p)
}

// keptKey is the number of bytes of a cell that decide about its order.
const keptKey = 256

// sortKey orders cells: numbers by value, then texts, then empty cells.
type sortKey struct {
	class int
	n     float64
	text  string
}

func newSortKey(text string) sortKey {
	if text == "" {
		return sortKey{class: 2}
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == n {
		return sortKey{n: n, text: text[:min(len(text), keptKey)]}
	}
	return sortKey{class: 1, text: strings.Clone(text[:min(len(text), keptKey)])}
}

func (k sortKey) compare(other sortKey, desc bool) int {
	if k.class == 2 || other.class == 2 {
		return cmp.Compare(k.class, other.class)
	}
	order := cmp.Or(cmp.Compare(k.class, other.class), cmp.Compare(k.n, other.n), cmp.Compare(k.text, other.text))
	if desc {
		return -order
	}
	return order
}

// layOutRow returns a row with its cells as shown. It subtracts the size of long texts
// from budget.
func (v *rowView) layOutRow(number int, cells []string, budget *int) shownRow {
	line := shownRow{Number: number, Cells: make([]cell, len(cells))}
	for i, text := range cells {
		c := newCell(text, *budget)
		c.Figure = v.Columns[i].Figure
		*budget -= len(c.Text)
		line.Cells[i] = c
	}
	return line
}

// address returns the URL of the page with another sort order or page number.
func (v rowView) address(sort string, desc bool, number int) string {
	q := url.Values{}
	if v.Phrase != "" {
		q.Set("q", v.Phrase)
	}
	if sort != "" {
		q.Set("sort", sort)
	}
	if desc {
		q.Set("desc", "1")
	}
	if number > 1 {
		q.Set("page", strconv.Itoa(number))
	}
	if len(q) == 0 {
		return tableURL(v.ID)
	}
	return tableURL(v.ID) + "?" + q.Encode()
}

func (v rowView) summary() string {
	if len(v.Rows) == 0 {
		return ""
	}
	first := (v.Number-1)*v.size() + 1
	text := count(v.Matching, "row")
	if v.Matching > len(v.Rows) {
		text = number(first) + "–" + number(first+len(v.Rows)-1) + " of " + text
	}
	if v.Phrase != "" {
		text += map[bool]string{true: " that matches", false: " that match"}[v.Matching == 1]
	}
	if v.Cut {
		text += "; only the first " + count(maxSearchedRows, "row") + " or 256 MB were searched"
	}
	return text
}
