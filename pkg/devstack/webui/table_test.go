package webui

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func TestTables(t *testing.T) {
	p := newPlatform(t)
	p.see("/tables", "There are no tables")
	p.fill()
	p.see("/tables", "<code>in.c-shop</code>", "2 tables", `<a href="/tables/in.c-shop.orders">orders</a>`, "id, name, email, spent, profile", "2.3 kB")
	p.see("/tables/in.c-shop.users", "<title>Table in.c-shop.users · Local platform</title>", "INTEGER · key", "Eva Dvořáková",
		`<td><span class="none">empty</span></td>`, `href="/tables/in.c-shop.users/csv"`, "<details><summary>{&#34;segments&#34;", `<td class="figure">17.01</td>`)
	for _, path := range []string{"/tables/in.c-shop.nothing", "/tables/nothing", "/tables/in.c-shop.nothing/csv"} {
		if w := p.get(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// TestWideTablePreviewIsShort: of a table of thousands of columns there are fewer
// rows, so that the page can still be shown.
func TestWideTablePreviewIsShort(t *testing.T) {
	slowtest.Skip(t, "it loads a large table")
	p := newPlatform(t)
	wide := store.Load{Table: "in.c-wide.t"}
	var row []string
	for i := range 10_000 {
		wide.Columns = append(wide.Columns, store.Column{Name: fmt.Sprintf("c%d", i)})
		row = append(row, strings.Repeat("x", cellRunes))
	}
	p.load(wide, slices.Repeat([][]string{row}, 10)...)
	if body := p.see("/tables/in.c-wide.t", "1–3 of 10 rows"); len(body) > 3*pageBytes {
		t.Errorf("%d bytes", len(body))
	}
}

func TestDownload(t *testing.T) {
	p := newPlatform(t)
	rows := [][]string{{"1", `say "hi", please`}, {"2", ""}, {"3", "two\r\nlines"}, {"4", "=1+1"}, {"5", "žluť <b>"}}
	p.load(store.Load{Table: "in.c-odd.t", Columns: []store.Column{{Name: "id"}, {Name: "text"}}}, rows...)
	w := p.get("/tables/in.c-odd.t/csv")
	want := "\"id\",\"text\"\n\"1\",\"say \"\"hi\"\", please\"\n\"2\",\"\"\n\"3\",\"two\r\nlines\"\n\"4\",\"=1+1\"\n\"5\",\"žluť <b>\"\n"
	if got := w.Body.String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if got := w.Header().Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("type %q", got)
	}
	read, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(want, "\r", ""))).ReadAll()
	p.must(err)
	if len(read) != len(rows)+1 || !reflect.DeepEqual(read[1], rows[0]) {
		t.Errorf("read back %q", read)
	}
}

func TestAttachment(t *testing.T) {
	for name, want := range map[string]string{
		"in.c-shop.users.csv":        "in.c-shop.users.csv",
		"a b.csv":                    "a b.csv",
		`a".csv`:                     `a".csv`,
		"žluť.csv":                   "žluť.csv",
		"../../etc/passwd":           ".._.._etc_passwd",
		"a\r\nSet-Cookie: x=y\x00":   "a__Set-Cookie: x=y_",
		"\xff.csv":                   "\uFFFD.csv",
		"a;filename=evil.exe; b.csv": "a;filename=evil.exe; b.csv",
	} {
		header := guard.Attachment(name)
		kind, parameters, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" || parameters["filename"] != want || strings.ContainsAny(header, "\r\n\x00") {
			t.Errorf("%q: %q is %s %q, %v; want %q", name, header, kind, parameters, err, want)
		}
	}
}

func TestNewCell(t *testing.T) {
	long, wide := strings.Repeat("x", 1000), strings.Repeat("ž", 100)
	for _, c := range []struct {
		name, text string
		budget     int
		want       cell
	}{
		{"empty", "", 10, cell{Empty: true}},
		{"blank", " ", 10, cell{Short: " "}},
		{"just short", long[:cellRunes], 10, cell{Short: long[:cellRunes]}},
		{"long", long, 1000, cell{Short: long[:cellRunes], Text: long}},
		{"longer than there is room", long, 500, cell{Short: long[:cellRunes], Text: long[:500], Cut: true}},
		{"no room", long, 0, cell{Short: long[:cellRunes], Cut: true}},
		{"cut between bytes of a letter", wide, 171, cell{Short: wide[:2*cellRunes], Text: wide[:170], Cut: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := newCell(c.text, c.budget); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTableSearchAndOrder(t *testing.T) {
	p := newPlatform(t)
	rows := [][]string{{"10", "b", ""}, {"9", "a", ""}, {"", "c", ""}, {"x", "B", ""}, {"-1.5", "", ""}}
	p.load(store.Load{Table: "in.c-s.t", Columns: []store.Column{{Name: "n"}, {Name: "text"}, {Name: "none"}}}, rows...)
	first := regexp.MustCompile(`<th scope="row" class="figure">(\d+)</th>`)
	for _, c := range []struct{ query, order, text string }{
		{"", "1 2 3 4 5", "5 rows<"},
		{"?sort=n", "5 2 1 4 3", `aria-sort="ascending"`},
		{"?sort=n&desc=1", "4 1 2 5 3", `aria-sort="descending"`},
		{"?sort=nothing", "1 2 3 4 5", `aria-sort="none"`},
		{"?sort=none", "1 2 3 4 5", ""},
		{"?q=B", "1 4", "2 rows that match"},
		{"?q=b&sort=n&desc=1", "4 1", `href="/tables/in.c-s.t?q=b"`},
		{"?q=zzz", "", "No rows match"},
		{"?page=2", "", "There are no rows on this page"},
	} {
		body := p.see("/tables/in.c-s.t"+c.query, c.text)
		var got []string
		for _, match := range first.FindAllStringSubmatch(body, -1) {
			got = append(got, match[1])
		}
		if strings.Join(got, " ") != c.order {
			t.Errorf("%s: rows %v, want %s", c.query, got, c.order)
		}
	}
	p.see("/tables/in.c-s.t", `data-label="In the data">integer, text, number</td>`, "80 %", "always empty", "0 %")
	lacks(t, p.see("/tables/in.c-s.t"), "no type", "Declared type", "Primary key</th>", "Empty allowed")
	p.load(store.Load{Table: "in.c-s.typed", Typed: true, PrimaryKey: []string{"n"}, Columns: []store.Column{{Name: "n", Type: "INTEGER", Nullable: true}, {Name: "price", Type: "NUMERIC", Length: "12,2", Nullable: true}}}, []string{"1", "9.50"})
	p.see("/tables/in.c-s.typed", `data-label="Declared type">INTEGER NOT NULL</td>`, `data-label="Declared type">NUMERIC(12,2)</td>`)
	p.load(store.Load{Table: "in.c-s.empty", Columns: []store.Column{{Name: "n"}}})
	lacks(t, p.see("/tables/in.c-s.empty", "The table has no rows"), "In the data", "Filled")
}

// TestTablePages: every row can be reached, in the order of the table and in another one.
func TestTablePages(t *testing.T) {
	p := newPlatform(t)
	var rows [][]string
	for i := range 350 {
		rows = append(rows, []string{fmt.Sprintf("cell %d.", 350-i)})
	}
	p.load(store.Load{Table: "in.c-long.t", Columns: []store.Column{{Name: "a"}}}, rows...)
	lacks(t, p.see("/tables/in.c-long.t", "1–100 of 350 rows", "cell 251."), "cell 250.")
	for _, query := range []string{"", "?sort=a", "?q=cell"} {
		seen, path := map[string]bool{}, "/tables/in.c-long.t"+query
		for path != "" {
			body := p.see(path)
			for _, match := range regexp.MustCompile(`>cell (\d+)\.<`).FindAllStringSubmatch(body, -1) {
				seen[match[1]] = true
			}
			path = link(body, "table-rows", "Later")
		}
		if len(seen) != 350 {
			t.Errorf("%q: %d rows", query, len(seen))
		}
	}
}

// TestSortedRowsEndWithTheirRequest: neither pass over the table outlasts the request.
func TestSortedRowsEndWithTheirRequest(t *testing.T) {
	p := newPlatform(t)
	p.load(store.Load{Table: "in.c-s.t", Columns: []store.Column{{Name: "n"}}}, []string{"2"}, []string{"1"}, []string{"3"})
	view := rowView{ID: "in.c-s.t", Columns: []columnView{{Column: store.Column{Name: "n"}}}}
	for checks := range 7 { // the second pass begins after four checks
		ctx := &endingContext{Context: t.Context(), checks: checks}
		v := view
		err := (&site{Options: Options{Store: p.store}}).sorted(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody), &v, 0, 0)
		if !errors.Is(err, context.Canceled) || ctx.more > 2 {
			t.Errorf("%d: %v, %d checks after the end", checks, err, ctx.more)
		}
	}
}

// endingContext is canceled after a number of calls of Err. It counts the calls after
// that.
type endingContext struct {
	context.Context
	checks, more int
}

func (c *endingContext) Err() error {
	if c.checks--; c.checks >= 0 {
		return nil
	}
	c.more++
	return context.Canceled
}

func TestLoadsOfATable(t *testing.T) {
	p := newPlatform(t)
	s := p.fill()
	p.see("/tables/in.c-shop.users", "Rows after the last 2 loads: now 34, as many as before", `<a href="/jobs/`+s.second.ID+`"`)
	p.end(p.start(s.orders).ID, store.Success, store.Result{Loaded: []store.Loaded{{Table: "in.c-shop.users", Rows: 1034}}})
	p.see("/tables/in.c-shop.users", "now 1,034, 1,000 more than before")
	lacks(t, p.see("/tables"), "loads")
}
