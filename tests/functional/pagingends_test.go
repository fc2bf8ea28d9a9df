package functional

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestPagingIsLoud pages by every method through lists of APIs that behave, and of APIs
// with a fault of every kind. An API that behaves brings each row and no warning. Of one
// with a fault rows may be missing, but then the run says so, unless it cannot know
// (pagedAPI.quiet). Every concurrency brings the same.
func TestPagingIsLoud(t *testing.T) {
	slowtest.SkipRace(t, "it runs generated APIs several times")
	t.Parallel()
	var mu sync.Mutex
	kinds := map[string]int{} // of runs that lack rows, by fault
	eachSeed(t, 400, func(t *testing.T, seed uint64) {
		a := newPagedAPI(seed)
		if lacking := a.check(t); lacking {
			mu.Lock()
			kinds[a.fault]++
			mu.Unlock()
		}
	})
	for _, fault := range pagingFaults {
		if slowtest.CI() && kinds[fault] < 3 { // a tenth of the runs may lack a fault
			t.Errorf("rows are missing too seldom with the fault %q: %v", fault, kinds)
		}
	}
}

var pagingFaults = []string{"ignored", "unchanged", "unchanged and empty", "circle", "no body", "not found", "twice", "short"}

// pagedAPI has one list and pages through it by one method.
type pagedAPI struct {
	seed     uint64
	method   string
	settings string
	// rows is the length of the list, size that of its pages.
	rows, size int
	// capped pages have up to size rows, although limit rows are requested.
	limit  int
	capped bool
	// end is what follows the last row: an empty page, one that leads to itself, nothing,
	// the last page again, or a 404.
	end string
	// fault is the fault of the page at the index at, or "". circle is the index that the
	// page leads to.
	fault      string
	at, circle int
	// fresh puts a new id into each response, total the length of the list, and more whether
	// pages follow.
	fresh, total, more bool

	mu    sync.Mutex
	asked map[string]int
	sent  int
}

func newPagedAPI(seed uint64) *pagedAPI {
	random := rand.New(rand.NewPCG(seed, 70))
	a := &pagedAPI{seed: seed, size: 2 + random.IntN(3), fresh: random.IntN(3) > 0, total: random.IntN(3) == 0, more: random.IntN(3) == 0}
	a.limit = a.size
	a.rows = 4*a.size + random.IntN(3*a.size)
	a.method = pick(random, "offset", "offset", "pagenum", "pagenum", "cursor", "text", "param", "header", "url", "link", "zendesk", "scroll")
	var settings string
	switch a.method {
	case "offset", "pagenum":
		settings = fmt.Sprintf(`"method":%q`, a.method)
		a.end = pick(random, "empty", "empty", "again")
		switch random.IntN(4) {
		case 0:
			a.end = "empty" // a first page that is full
		case 1:
			settings += fmt.Sprintf(`,"limit":%d`, a.limit)
		default:
			a.limit, a.capped = a.size+random.IntN(3), true
			if a.end = pick(random, "empty", "missing"); a.size == a.limit {
				a.end = "empty"
			}
			settings += fmt.Sprintf(`,"limit":%d,"lastPage":"empty"`, a.limit)
		}
		if a.method == "offset" && !a.capped {
			a.end = "empty"
		}
		if a.end != "empty" && a.rows%a.size == 0 {
			a.rows++ // the last page is below the limit
		}
	case "cursor", "text":
		settings = `"method":"cursor","idKey":"id","param":"since"`
		if a.method == "text" {
			settings += `,"idType":"text"`
		}
		if a.end = pick(random, "empty", "inclusive"); a.end == "inclusive" {
			a.fresh = false // or one row would come twice without a sign of it
		}
	default:
		settings = map[string]string{
			"param":   `"method":"response.param","responseParam":"next","queryParam":"c","includeParams":true`,
			"scroll":  `"method":"response.param","responseParam":"next","queryParam":"c"`,
			"header":  `"method":"response.param","next":{"responseHeader":"X-Next"},"queryParam":"c"`,
			"url":     `"method":"response.url","urlKey":"url"`,
			"link":    `"method":"link"`,
			"zendesk": `"method":"zendesk.response.url","urlKey":"url"`,
		}[a.method]
		a.end = pick(random, "none", "empty", "unchanged", "self")
		if a.end == "self" && a.rows%a.size == 0 {
			a.rows++
		}
		if a.method == "scroll" {
			a.end = "unchanged"
		}
	}
	a.settings = `{` + settings + `}`
	if random.IntN(4) == 0 {
		a.settings = `{"method":"multiple","scrollers":{"default":` + a.settings + `}}`
	}
	if random.IntN(3) > 0 {
		a.fault = pick(random, pagingFaults...)
		a.at = 1 + random.IntN(2)
		a.circle = random.IntN(a.at)
	}
	if a.counts() && (strings.HasPrefix(a.fault, "unchanged") || a.fault == "circle") || a.method == "scroll" && a.fault != "no body" && a.fault != "not found" {
		a.fault = ""
	}
	if a.fault == "short" && (a.capped || !a.counts() || a.byID()) {
		a.fault = ""
	}
	return a
}

// counts reports whether requests do not follow what pages say.
func (a *pagedAPI) counts() bool { return a.method == "offset" || a.method == "pagenum" || a.byID() }

func (a *pagedAPI) byID() bool { return a.method == "cursor" || a.method == "text" }

// quiet reports whether nothing shows that rows are missing; docs/understand/faults.md
// names these ends.
func (a *pagedAPI) quiet() bool {
	switch a.fault {
	case "no body", "short": // an ordinary end, unless a total says more
		return !a.total
	case "unchanged and empty":
		return !a.total && !a.more
	case "not found":
		return !a.total && a.capped && a.size < a.limit
	case "twice": // two pages in a row may have equal rows
		return a.fresh || !a.counts()
	default:
		return false
	}
}

// check runs the API with every concurrency. lacking reports whether rows were missing.
func (a *pagedAPI) check(t *testing.T) (lacking bool) {
	t.Helper()
	serial := a.run(t, 1, 0)
	findings := serial.findings()
	where := fmt.Sprintf("seed %d: %s, %s, %d rows in pages of %d of %d, end %q, fault %q at %d (%d), fresh %v, total %v, more %v",
		a.seed, a.method, a.settings, a.rows, a.size, a.limit, a.end, a.fault, a.at, a.circle, a.fresh, a.total, a.more)
	if most := 4*a.rows + 10; a.sent > most {
		t.Errorf("%s: %d requests, want at most %d", where, a.sent, most)
	}
	ids := serial.ids()
	switch missing := a.rows - len(ids); {
	case a.fault == "" && (serial.exit != 0 || findings > 0 || missing > 0):
		t.Errorf("%s: exit code %d, %d findings, %d rows missing\n%s%v", where, serial.exit, findings, missing, serial.stderr, serial.events)
	case missing > 0 && serial.exit == 0 && findings == 0 && !a.quiet():
		t.Errorf("%s: %d rows are missing, and nothing says so\n%v", where, missing, serial.events)
	case missing > 0:
		lacking = true
	}
	for _, ahead := range []int{0, 3} {
		a.run(t, 8, ahead).compare(t, serial)
	}
	return lacking
}

// findings returns the number of warnings that data may be missing.
func (h harvest) findings() int {
	n := 0
	for _, kind := range []string{"paging.repeated", "paging.stalled", "paging.unread", "job.short"} {
		n += countKind(h.events, kind)
	}
	return n
}

// ids are the different ids in the table.
func (h harvest) ids() []string {
	lines := strings.Fields(h.files["out/tables/t"])
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines[1:])
	return slices.Compact(lines[1:])
}

func (a *pagedAPI) run(t *testing.T, concurrency, lookahead int) harvest {
	t.Helper()
	a.asked, a.sent = map[string]int{}, 0
	h := pageThrough(t, a, a.settings, `"dataField":"items"`, concurrency, lookahead)
	h.setting = fmt.Sprintf("seed %d: %s", a.seed, h.setting)
	return h
}

// ServeHTTP implements http.Handler.
func (a *pagedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	times := a.asked[r.RequestURI]
	a.asked[r.RequestURI]++
	a.sent++
	a.page(r, times).write(a, w, fmt.Sprint(r.RequestURI, times))
}

// listPage is a page of a list: the rows between two indices, and the token that it leads
// to, "" for none.
type listPage struct {
	status   int
	from, to int
	empty    bool // the page has no rows, although the list does
	next     string
}

// page returns the response to a request. times is the number of equal requests before it.
func (a *pagedAPI) page(r *http.Request, times int) listPage {
	start, index := a.start(r, times)
	if a.fault == "ignored" && index >= a.at {
		start, index = 0, 0
	}
	faulty := a.fault != "" && index == a.at
	switch {
	case faulty && a.fault == "no body":
		return listPage{status: http.StatusNoContent}
	case faulty && a.fault == "not found":
		return listPage{status: http.StatusNotFound}
	}
	p := listPage{status: http.StatusOK, from: min(start, a.rows), to: min(start+a.sizeAt(start), a.rows)}
	p.next = a.after(p.to)
	own := a.token(start)
	switch {
	case faulty && a.fault == "twice":
		p.from, p.to = p.from-a.size, p.from
	case faulty && a.fault == "short":
		p.to--
	case faulty && a.fault == "circle":
		p.next = a.token(a.circle * a.size)
	case faulty && strings.HasPrefix(a.fault, "unchanged"):
		p.next, p.empty = own, a.fault != "unchanged"
	case start >= a.rows && a.end == "missing":
		p.status = http.StatusNotFound
	case start >= a.rows && a.end == "again":
		p.from = (a.rows - 1) / a.size * a.size
	case start >= a.rows && a.end == "unchanged":
		p.next = own
	case start >= a.rows:
		p.next = ""
	}
	return p
}

// start returns the index of the first row that a request is for, and the index of the page.
func (a *pagedAPI) start(r *http.Request, times int) (start, index int) {
	value := func(name string) int {
		n, _ := strconv.Atoi(r.URL.Query().Get(name))
		return n
	}
	switch a.method {
	case "offset":
		start = value("offset")
	case "pagenum":
		start = (value("page") - 1) * a.size
	case "cursor", "text":
		if start = value("since"); a.end == "inclusive" && start > 0 {
			start--
		}
	case "scroll":
		if r.URL.RawQuery != "" {
			start = (times + 1) * a.size
		}
	default:
		start, _ = strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("c"), "p"))
	}
	index = start / a.size
	if a.byID() && a.end == "inclusive" {
		index = (start + a.size - 2) / (a.size - 1)
	}
	return start, index
}

// sizeAt is the size of the page at an index: an API that caps its pages may have smaller
// ones in between.
func (a *pagedAPI) sizeAt(start int) int {
	if a.capped && a.method == "offset" && a.fault == "" {
		return 1 + int(a.seed+uint64(start))%a.size
	}
	return a.size
}

// token leads to the page that begins at an index.
func (a *pagedAPI) token(start int) string {
	if a.method == "scroll" {
		return "s"
	}
	return fmt.Sprint("p", start)
}

// after is the token for what follows a row.
func (a *pagedAPI) after(to int) string {
	switch {
	case to < a.rows || a.end == "empty" || a.end == "unchanged":
		return a.token(to)
	case a.end == "self":
		return a.token((a.rows - 1) / a.size * a.size)
	default:
		return ""
	}
}

func (p listPage) write(a *pagedAPI, w http.ResponseWriter, id string) {
	items := []map[string]any{}
	for i := p.from; i < p.to && !p.empty; i++ {
		items = append(items, map[string]any{"id": i + 1})
	}
	body := map[string]any{"items": items}
	if a.fresh {
		body["request_id"] = id
	}
	if a.total {
		body["total"] = a.rows
	}
	if a.more {
		body["has_more"] = p.to < a.rows
	}
	if p.next != "" {
		switch a.method {
		case "url", "zendesk":
			body["url"] = "t?c=" + p.next
		case "link":
			w.Header().Set("Link", "<t?c="+p.next+">; rel=next")
		case "header":
			w.Header().Set("X-Next", p.next)
		case "param", "scroll":
			body["next"] = p.next
		}
	}
	w.WriteHeader(p.status)
	if p.status == http.StatusOK {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		write(w, string(text))
	}
}
