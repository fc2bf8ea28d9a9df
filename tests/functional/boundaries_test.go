package functional

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestBoundaries shows that tables and state depend on the rows alone: for rows
// of many shapes they are the same whether the rows come on one page, on pages
// of any size, or from several jobs of one data type.
func TestBoundaries(t *testing.T) {
	slowtest.Skip(t, "it runs generated tables in pages of all sizes")
	for seed := range uint64(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			rows := someRows(r)
			want := rows.run(t, rows.paged(len(rows)+1))
			for _, limit := range []int{1, 2, 3, 1 + r.IntN(len(rows))} {
				t.Run(fmt.Sprintf("pages of %d", limit), func(t *testing.T) {
					compareFiles(t, rows.run(t, rows.paged(limit)), want)
				})
			}
			for _, parts := range []int{2, 5} {
				t.Run(fmt.Sprintf("%d jobs", parts), func(t *testing.T) {
					compareFiles(t, rows.run(t, rows.split(r, parts)), want)
				})
			}
		})
	}
}

// someJSON are JSON texts of rows.
type someJSON []string

// layout is a way to get the rows: a configuration and the API that goes with
// it.
type layout struct {
	config string
	api    http.HandlerFunc
}

// userColumns collide with some of the names below.
const userColumns = `"userData": {"u": 1, "tag": "T", "data": null}`

// paged is one job that gets the rows in pages.
func (rows someJSON) paged(limit int) layout {
	config := fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/", "pagination": {"method": "offset", "limit": %d}},
		"config": {"outputBucket": "b", %s, "jobs": [{"endpoint": "t"}]}}`, limit, userColumns)
	return layout{config, func(w http.ResponseWriter, r *http.Request) {
		offset, err := strconv.Atoi(r.URL.Query().Get("offset"))
		if err != nil || offset > len(rows) {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		rows[offset:min(offset+limit, len(rows))].send(w)
	}}
}

// split is so many jobs that get one part of the rows each; a part may be
// empty.
func (rows someJSON) split(r *rand.Rand, parts int) layout {
	bounds := []int{0, len(rows)}
	jobs := make([]string, parts)
	for i := range jobs {
		jobs[i] = fmt.Sprintf(`{"endpoint": "%d", "dataType": "t"}`, i)
		if i > 0 {
			bounds = append(bounds, r.IntN(len(rows)+1))
		}
	}
	slices.Sort(bounds)
	config := fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/"}, "config": {"outputBucket": "b", %s, "jobs": [%s]}}`, userColumns, strings.Join(jobs, ", "))
	return layout{config, func(w http.ResponseWriter, r *http.Request) {
		part, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || part >= parts {
			http.Error(w, "no such part", http.StatusNotFound)
			return
		}
		rows[bounds[part]:bounds[part+1]].send(w)
	}}
}

func (rows someJSON) send(w http.ResponseWriter) {
	// A client that is gone has its own error.
	_, _ = fmt.Fprintf(w, "[%s]", strings.Join(rows, ","))
}

// run returns everything that a run leaves below out.
func (rows someJSON) run(t *testing.T, l layout) map[string]string {
	t.Helper()
	w := newWorld(t, l.api)
	if got := w.runs(t, l.config); got.exit != 0 {
		t.Fatalf("exit %d: %sthe rows:\n%s", got.exit, got.stderr, strings.Join(rows, "\n"))
	}
	files := readTree(t, w.dir)
	delete(files, "config.json")
	return files
}

// someRows are objects of one random shape, each with an id of its own, so that
// no two pages are alike.
func someRows(r *rand.Rand) someJSON {
	s := someShape(r, 3)
	rows := make(someJSON, 5+r.IntN(15))
	for i := range rows {
		rows[i] = object(slices.Insert(s.some(r), 0, fmt.Sprintf(`"id": %d`, i)))
	}
	return rows
}

// shape is what the values of one property have in common, so that they fit
// into one table: scalars or objects, single, in lists, or both.
type shape struct {
	members []member // of objects; none: scalars
	single  bool
	list    bool
}

type member struct {
	name  string
	shape shape
}

// someNames are names of properties, many of which make the same column.
var someNames = []string{
	"a", "b", "a b", "a.b", "a_b", "A", "a_u0", "o", "tag", "tag_u0", "u", "data", "userData", "JSON_parentId", "ě", "", "0",
	strings.Repeat("long_name.", 9), strings.Repeat("x", 70),
}

// someShape is a shape of objects of at most so many levels.
func someShape(r *rand.Rand, depth int) shape {
	var s shape
	for _, i := range r.Perm(len(someNames))[:2+r.IntN(4)] {
		var below shape
		if depth > 1 && r.IntN(2) == 0 {
			below = someShape(r, depth-1)
		}
		below.list = r.IntN(2) == 0
		below.single = !below.list || r.IntN(2) == 0
		s.members = append(s.members, member{someNames[i], below})
	}
	return s
}

// value is a value of the shape; null fits everywhere.
func (s shape) value(r *rand.Rand) string {
	if r.IntN(6) == 0 {
		return "null"
	}
	if !s.list || s.single && r.IntN(2) == 0 {
		return s.one(r)
	}
	items := make([]string, r.IntN(4))
	for i := range items {
		if items[i] = s.one(r); r.IntN(8) == 0 {
			items[i] = "null"
		}
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (s shape) one(r *rand.Rand) string {
	if len(s.members) > 0 {
		return object(s.some(r))
	}
	scalars := []string{"0", "-7", "1.50", "1e3", "12345678901234567890", "true", "false", `""`, `"a"`, `"é, \"q\"\n"`}
	return scalars[r.IntN(len(scalars))]
}

// some are members of an object, in any order; some are missing.
func (s shape) some(r *rand.Rand) []string {
	var members []string
	for _, i := range r.Perm(len(s.members)) {
		if r.IntN(5) > 0 {
			members = append(members, strconv.Quote(s.members[i].name)+": "+s.members[i].shape.value(r))
		}
	}
	return members
}

func object(members []string) string { return "{" + strings.Join(members, ", ") + "}" }
