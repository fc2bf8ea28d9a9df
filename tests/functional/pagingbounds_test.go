package functional

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestPagingEnds pages by every method, with settings of every kind, through APIs that
// have a few responses and give one of them at random for each request, the same or
// another when it comes again: pages with rows, empty ones, none, repeated ones, tokens
// that stay or lead in circles. Every run ends after a bounded number of requests:
//
//   - where pages lead to the next one, after at most as many as there are pairs of a
//     request and a response, and one more;
//   - where requests count, after at most 1,001 for each response, and one more.
//
// Every concurrency brings the same.
func TestPagingEnds(t *testing.T) {
	slowtest.SkipRace(t, "it runs generated APIs several times")
	t.Parallel()
	eachSeed(t, 300, func(t *testing.T, seed uint64) { newErraticAPI(seed).check(t) })
}

// eachSeed calls a function with numbers, four at a time. Outside CI it takes every tenth.
func eachSeed(t *testing.T, seeds uint64, check func(t *testing.T, seed uint64)) {
	t.Run("all", func(t *testing.T) {
		for part := range uint64(4) {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				for seed := part; seed < seeds; seed += 4 {
					if slowtest.Turn(int(seed/4), 10) {
						check(t, seed)
					}
				}
			})
		}
	})
}

// pageThrough runs a job of one list with settings of paging.
func pageThrough(t *testing.T, api http.Handler, paging, job string, concurrency, lookahead int) (h harvest) {
	t.Helper()
	inBubble(t, api, func(t *testing.T, w *world) {
		h = reap(t, w, fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d,"lookahead":%d},"pagination":%s},
			"config":{"jobs":[{"endpoint":"t",%s}]}}`, concurrency, lookahead, paging, job))
	})
	h.setting = fmt.Sprintf("concurrency %d, lookahead %d", concurrency, lookahead)
	return h
}

// erraticAPI gives one of a few responses for each request.
type erraticAPI struct {
	seed      uint64
	settings  string
	format    string
	counts    bool // requests do not follow what pages say
	responses []erraticResponse
	fresh     bool
	// turns is how often the response to a request may change when it comes again.
	turns int

	mu    sync.Mutex
	asked map[string]int
	sent  int
}

type erraticResponse struct {
	status int
	items  string // in JSON, or lines of it
	rest   string // members beside the items, each with a comma
	token  string
}

func newErraticAPI(seed uint64) *erraticAPI {
	random := rand.New(rand.NewPCG(seed, 71))
	a := &erraticAPI{seed: seed, fresh: random.IntN(3) > 0, turns: 1 + random.IntN(3), format: "json"}
	settings := pick(random,
		`"method":"offset","limit":2`,
		`"method":"offset","limit":3,"lastPage":"empty"`,
		`"method":"offset"`,
		`"method":"pagenum"`,
		`"method":"pagenum","limit":2,"firstPageParams":false`,
		`"method":"pagenum","limit":3,"lastPage":"empty","total":"total"`,
		`"method":"pagenum","pageParam":"limit","limit":2`, // each request is the same
		`"method":"cursor","idKey":"id","param":"since"`,
		`"method":"cursor","idKey":"id","param":"since","reverse":true,"increment":-1`,
		`"method":"cursor","idKey":"id","param":"since","idType":"text"`,
		`"method":"response.param","responseParam":"next","queryParam":"c","includeParams":true`,
		`"method":"response.param","responseParam":"next","queryParam":"c","scrollRequest":{"endpoint":"s","method":"POST"}`,
		`"method":"response.param","next":{"responseHeader":"X-Next","default":{"response":"next"}},"queryParam":"c"`,
		`"method":"response.url","urlKey":"url"`,
		`"method":"response.url","urlKey":"url","paramIsQuery":true`,
		`"method":"link"`,
		`"method":"zendesk.response.url","urlKey":"url"`)
	a.counts = strings.Contains(settings, `"offset"`) || strings.Contains(settings, `"pagenum"`)
	if a.counts {
		a.turns = 1 // pages in advance come in any order
	}
	if random.IntN(3) == 0 {
		settings += pick(random, `,"nextPageFlag":{"field":"has_more","stopOn":false,"ifNotSet":true}`, `,"stopWhen":"state==done"`, `,"limitStop":{"field":"total"}`)
	}
	if a.settings = "{" + settings + "}"; random.IntN(4) == 0 {
		a.settings = `{"method":"multiple","scrollers":{"default":{` + settings + `}}}`
	}
	if !strings.Contains(settings, `"url"`) && random.IntN(4) == 0 {
		a.format = "jsonl"
	}
	full := random.IntN(3) == 0 // no page but full ones, so that nothing ends a count
	for range 1 + random.IntN(5) {
		a.responses = append(a.responses, a.response(random, full))
	}
	return a
}

func (a *erraticAPI) response(random *rand.Rand, full bool) erraticResponse {
	r := erraticResponse{status: http.StatusOK, token: pick(random, "a", "b", "c", "d")}
	rows := 3
	if !full {
		rows = random.IntN(5)
		switch random.IntN(24) {
		case 0:
			r.status = http.StatusNotFound
		case 1, 2:
			r.status = http.StatusNoContent
		case 3:
			r.token = ""
		}
		r.rest = pick(random, "", "", `"has_more":true,`, `"state":"running",`, `"total":9,`, `"is_last":true,`)
	}
	var items []string
	for range rows {
		items = append(items, fmt.Sprintf(`{"id":%d}`, 1+random.IntN(9)))
	}
	if r.items = "[" + strings.Join(items, ",") + "]"; a.format == "jsonl" {
		r.items = strings.Join(items, "\n")
	} else if !full && random.IntN(12) == 0 {
		r.items = pick(random, "null", `""`, `{"id":5}`)
	}
	return r
}

// check runs the API with every concurrency.
func (a *erraticAPI) check(t *testing.T) {
	t.Helper()
	serial := a.run(t, 1, 0)
	where := fmt.Sprintf("seed %d: %s, fresh %v, %d turns: %+v", a.seed, a.settings, a.fresh, a.turns, a.responses)
	most := len(a.asked)*len(a.responses) + 1
	if a.counts {
		most = 1001*len(a.responses) + 1
	}
	if a.sent > most {
		t.Errorf("%s: %d requests, want at most %d", where, a.sent, most)
	}
	if serial.exit > 1 {
		t.Errorf("%s: exit code %d, %s", where, serial.exit, serial.stderr)
	}
	if a.sent < 100 { // others take their time
		a.run(t, 8, 3).compare(t, serial)
	}
}

func (a *erraticAPI) run(t *testing.T, concurrency, lookahead int) harvest {
	t.Helper()
	a.asked, a.sent = map[string]int{}, 0
	data := "items"
	if a.format == "jsonl" {
		data = "."
	}
	h := pageThrough(t, a, a.settings, fmt.Sprintf(`"dataField":%q,"response":{"format":%q}`, data, a.format), concurrency, lookahead)
	h.setting = fmt.Sprintf("seed %d: %s", a.seed, h.setting)
	return h
}

// ServeHTTP implements http.Handler.
func (a *erraticAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	request := r.Method + r.RequestURI + string(body)
	a.mu.Lock()
	defer a.mu.Unlock()
	h := fnv.New32a()
	fmt.Fprint(h, a.seed, request, a.asked[request]%a.turns)
	a.asked[request]++
	a.sent++
	res := a.responses[h.Sum32()>>3%uint32(len(a.responses))]
	if res.token != "" {
		w.Header().Set("X-Next", res.token)
		w.Header().Set("Link", "<t?c="+res.token+">; rel=next")
	}
	w.WriteHeader(res.status)
	switch {
	case res.status != http.StatusOK:
	case a.format == "jsonl":
		write(w, res.items)
	default:
		text := "{" + res.rest
		if a.fresh {
			text += fmt.Sprintf(`"request_id":%d,`, a.sent)
		}
		if res.token != "" {
			text += fmt.Sprintf(`"next":%q,"url":"t?c=%[1]s",`, res.token)
		}
		write(w, text+`"items":`+res.items+"}")
	}
}

// TestLeadsOnForEver: an API whose empty pages always have the header Link of another page
// ends the job after 100 of them, with a finding.
func TestLeadsOnForEver(t *testing.T) {
	t.Parallel()
	sent := 0
	inBubble(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.Header().Set("Link", fmt.Sprintf("<t?page=%d>; rel=next", sent+1))
		write(w, "[]")
	}), func(t *testing.T, w *world) {
		h := reap(t, w, `{"api":{"baseUrl":"http://api.test/","pagination":{"method":"link"}},"config":{"onIncomplete":"fail","jobs":[{"endpoint":"t"}]}}`)
		if h.exit != 1 || sent != 102 || !strings.Contains(h.stderr, "a header of page 102 announces a next page") || !strings.Contains(h.stderr, "forceStop") {
			t.Errorf("exit code %d after %d requests: %s", h.exit, sent, h.stderr)
		}
	})
}
