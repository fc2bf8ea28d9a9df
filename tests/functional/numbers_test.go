package functional

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// spelling is a number as a response writes it, and as requests must have it: in
// parameters, headers and endpoints, in functions, and in JSON bodies.
type spelling struct{ literal, text, function, body string }

// spelt are numbers with the texts that PHP 7.4 and 8.2 make of them where these denote
// the same number, else with their own.
var spelt = []spelling{
	{"0", "0", "0", "0"},
	{"-7", "-7", "-7", "-7"},
	{"1.0", "1", "1", "1"},
	{"-0.50", "-0.5", "-0.5", "-0.5"},
	{"2.50", "2.5", "2.5", "2.5"},
	{"1e3", "1000", "1000", "1000"},
	{"1E-3", "0.001", "0.001", "0.001"},
	{"100000000000000.0", "1.0E+14", "100000000000000", "100000000000000"},
	{"1.5e300", "1.5E+300", "1.5E+300", "1.5e+300"},
	{"0.00001", "1.0E-5", "1.0E-5", "1.0e-5"},
	{"1735689600.1234", "1735689600.1234", "1735689600.1234", "1735689600.1234"},
	// With 14 digits, or as a double, these would be other numbers.
	{"1735689600.123456", "1735689600.123456", "1735689600.123456", "1735689600.123456"},
	{"1735689600.1234560", "1735689600.1234560", "1735689600.123456", "1735689600.123456"},
	{"0.30000000000000004", "0.30000000000000004", "0.30000000000000004", "0.30000000000000004"},
	{"123456789012.345", "123456789012.345", "123456789012.345", "123456789012.345"},
	{"9007199254740993.0", "9007199254740993.0", "9007199254740993.0", "9007199254740993.0"},
	{"1.767225600123456769e18", "1.767225600123456769e18", "1.767225600123456769e18", "1.767225600123456769e18"},
	{"48.12345678901234567890", "48.12345678901234567890", "48.12345678901234567890", "48.12345678901234567890"},
	{"1E400", "1E400", "1E400", "1E400"},
	{"1e-400", "1e-400", "1e-400", "1e-400"},
	{"-1E999999999", "-1E999999999", "-1E999999999", "-1E999999999"},
	// Integers of any size stay as they are written.
	{"9007199254740993", "9007199254740993", "9007199254740993", "9007199254740993"},
	{"18446744073709551616", "18446744073709551616", "18446744073709551616", "18446744073709551616"},
	{"100000000000000000000", "100000000000000000000", "100000000000000000000", "100000000000000000000"},
}

// randomNumbers are literals of numbers of all sizes, each another number.
func randomNumbers(random *rand.Rand, n int) []string {
	seen := map[string]bool{}
	for len(seen) < n {
		text := strconv.FormatInt(random.Int64()>>random.IntN(63), 10)
		if random.IntN(6) == 0 {
			text += strconv.FormatInt(random.Int64()>>random.IntN(63), 10)
		}
		if random.IntN(4) > 0 {
			text += fmt.Sprintf(".%0*d", 1+random.IntN(12), random.Int64()>>random.IntN(63))
		}
		if random.IntN(4) == 0 {
			text += []string{"e", "E"}[random.IntN(2)] + []string{"", "+", "-"}[random.IntN(3)] + strconv.Itoa(random.IntN([]int{20, 330}[random.IntN(2)]))
		}
		seen[[]string{"", "-"}[random.IntN(2)]+text] = true
	}
	var all []string
	values := map[string]bool{}
	for _, literal := range slices.Sorted(maps.Keys(seen)) {
		if value := rat(literal).RatString(); !values[value] {
			values[value] = true
			all = append(all, literal)
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// rat is a number, exactly. Its exponent must be small.
func rat(text string) *big.Rat {
	n, ok := new(big.Rat).SetString(text)
	if !ok || strings.Contains(text, "/") {
		panic("not a number: " + text)
	}
	return n
}

// respell makes the spellings of numbers with PHP. ok is false where there is none.
func respell(t *testing.T, literals []string) (all []spelling, ok bool) {
	t.Helper()
	program, err := exec.LookPath("php")
	if err != nil {
		return nil, false
	}
	const script = `while (($l = fgets(STDIN)) !== false) { $v = json_decode(trim($l)); ini_set('precision', 14); $a = (string)$v; ini_set('precision', -1);
		echo $a, "\t", (string)$v, "\t", is_finite($v) ? json_encode($v) : 'INF', "\n"; }`
	php := exec.Command(program, "-n", "-d", "serialize_precision=-1", "-r", script)
	php.Stdin = strings.NewReader(strings.Join(literals, "\n") + "\n")
	out, err := php.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		literal, texts := literals[i], strings.Split(line, "\t")
		for j, text := range texts {
			if n, ok := new(big.Rat).SetString(text); !ok || n.Cmp(rat(literal)) != 0 || !strings.ContainsAny(literal, ".eE") {
				texts[j] = literal
			}
		}
		all = append(all, spelling{literal, texts[0], texts[1], texts[2]})
	}
	return all, true
}

// numbersAPI is an API of one list of numbers. It notes what requests for an item have,
// by the first segments of their addresses: the way that the number took, and the id.
type numbersAPI struct {
	numbers []string
	mu      sync.Mutex
	got     map[string]string
}

func (a *numbersAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	way, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.Header().Set("Content-Type", "application/json")
	body, _ := io.ReadAll(r.Body)
	response := `[{"ok":true}]`
	switch way {
	case "login":
		response = `{"token":` + a.numbers[0] + `}`
	case "numbers":
		var items []string
		for i, n := range a.numbers {
			items = append(items, fmt.Sprintf(`{"id":%d,"n":%s,"deep":{"list":[%s]}}`, i, n, n))
		}
		response = "[" + strings.Join(items, ",") + "]"
		a.note("login", "0", r.Header.Get("X-Login"))
		a.note("loginquery", "0", r.URL.Query().Get("login"))
	case "header":
		a.note(way, rest, r.Header.Get("X-N"))
	case "body":
		a.note(way, rest, strings.TrimSuffix(strings.TrimPrefix(string(body), `{"n":`), "}"))
	case "form":
		a.note(way, rest, formValue(string(body)))
	case "endpoint", "computed":
		id, number, _ := strings.Cut(rest, "/")
		a.note(way, id, number)
	case "batch":
		for i, text := range strings.Split(rest, ",") {
			a.note("batch", text, r.URL.Query().Get(fmt.Sprintf("n[%d]", i)))
		}
	default:
		a.note(way, rest, r.URL.Query().Get("n"))
	}
	_, _ = io.WriteString(w, response)
}

func formValue(body string) string {
	r, err := http.NewRequest(http.MethodGet, "http://a/?"+body, nil)
	if err != nil {
		return err.Error()
	}
	return r.URL.Query().Get("n")
}

func (a *numbersAPI) note(way, id, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got[way+" "+id] = text
}

const numbersConfig = `{"api": {"baseUrl": "http://api.test/", "http": {"concurrency": %d}, "authentication": {"type": "login", "loginRequest": {"endpoint": "login"},
	"apiRequest": {"headers": {"X-Login": "token"}, "query": {"login": {"response": "token"}}}}}, "config": {"jobs": [{"endpoint": "numbers", "dataType": "numbers", "children": [
	{"endpoint": "item/{id}", "placeholders": {"id": "id"}, "params": {"n": {"parentItem": "n"}}},
	{"endpoint": "deep/{id}", "placeholders": {"id": "id"}, "params": {"n": {"parentItem": "deep.list.0"}}},
	{"endpoint": "placeholder/{id}", "placeholders": {"id": "id", "n": "n"}, "params": {"n": {"placeholder": "n"}}, "dataType": "parents"},
	{"endpoint": "header/{id}", "placeholders": {"id": "id"}, "headers": {"X-N": {"parentItem": "n"}}},
	{"endpoint": "body/{id}", "placeholders": {"id": "id"}, "method": "POST", "params": {"n": {"parentItem": "n"}}},
	{"endpoint": "form/{id}", "placeholders": {"id": "id"}, "method": "FORM", "params": {"n": {"parentItem": "n"}}},
	{"endpoint": "endpoint/{id}/{n}", "placeholders": {"id": "id", "n": "n"}},
	{"endpoint": {"function": "concat", "args": ["computed/", {"parentItem": "id"}, "/", {"parentItem": "n"}]}, "placeholders": {"id": "id"}, "dataType": "computed"},
	{"endpoint": "function/{id}", "placeholders": {"id": "id"}, "params": {"n": {"function": "sprintf", "args": ["%%s", {"parentItem": "n"}]}}},
	{"endpoint": "json/{id}", "placeholders": {"id": "id"}, "params": {"n": {"function": "json_encode", "args": [{"parentItem": "n"}]}}},
	{"endpoint": "batch/{n}", "placeholders": {"n": "n"}, "batch": 3, "params": {"n": {"placeholder": "n"}}}]}]}}`

// fetch lets a configuration fetch numbers, and returns what the requests had and the
// tables.
func (a *numbersAPI) fetch(t *testing.T, concurrency int) (got map[string]string, tables map[string]string) {
	t.Helper()
	a.got = map[string]string{}
	w := newWorld(t, a)
	if o := w.runs(t, fmt.Sprintf(numbersConfig, concurrency)); o.exit != 0 {
		t.Fatal(o.stderr)
	}
	return a.got, readTree(t, w.dir)
}

// TestNumbersArrive: a number of a response is the same number wherever it goes, in the
// spelling of PHP where that denotes the same number.
func TestNumbersArrive(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 4))
	literals := randomNumbers(random, 300)
	all, ok := respell(t, literals)
	if !ok {
		t.Run("spelling of random numbers", func(t *testing.T) { t.Skip("there is no php") })
		for _, literal := range literals {
			all = append(all, spelling{literal: literal})
		}
	}
	for _, concurrency := range []int{1, 4} {
		for name, numbers := range map[string][]spelling{"table": spelt, "random": all} {
			t.Run(fmt.Sprintf("%s, concurrency %d", name, concurrency), func(t *testing.T) {
				t.Parallel()
				numbersArrive(t, numbers, concurrency)
			})
		}
	}
}

// TestSpelling compares the table above with PHP, and the one of the reference with it.
func TestSpelling(t *testing.T) {
	t.Run("PHP", func(t *testing.T) {
		var literals []string
		for _, n := range spelt {
			literals = append(literals, n.literal)
		}
		literals = slices.DeleteFunc(literals, func(literal string) bool { return strings.HasSuffix(literal, "E999999999") })
		all, ok := respell(t, literals)
		if !ok {
			t.Skip("there is no php")
		}
		for _, n := range all {
			if !slices.Contains(spelt, n) {
				t.Errorf("PHP spells %+v", n)
			}
		}
	})
	t.Run("reference", func(t *testing.T) {
		page := readTree(t, filepath.Join("..", "..", "docs", "reference"))["expressions.md"]
		rows := regexp.MustCompile("(?m)^\\|[^`|]*\\| `(.*)` \\| `(.*)` \\| `(.*)` \\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(page, -1)
		if len(rows) < 5 {
			t.Fatalf("%d rows", len(rows))
		}
		for _, row := range rows {
			if !slices.Contains(spelt, spelling{row[1], row[2], row[3], row[4]}) || row[5] != row[1] {
				t.Errorf("the page says %s", row[0])
			}
		}
	})
}

func numbersArrive(t *testing.T, numbers []spelling, concurrency int) {
	api := &numbersAPI{}
	for _, n := range numbers {
		api.numbers = append(api.numbers, n.literal)
	}
	got, tables := api.fetch(t, concurrency)
	check := func(way string, i int, literal, want string) {
		t.Helper()
		text := got[way+" "+strconv.Itoa(i)]
		if want == "" && rat(literal).Cmp(rat(text)) != 0 || want != "" && text != want {
			t.Errorf("%s by %s: got %q, want %q", literal, way, text, want)
		}
	}
	for i, n := range numbers {
		for _, way := range []string{"item", "deep", "placeholder", "header", "form", "endpoint"} {
			check(way, i, n.literal, n.text)
		}
		for _, way := range []string{"computed", "function"} {
			check(way, i, n.literal, n.function)
		}
		check("body", i, n.literal, n.body)
		check("json", i, n.literal, n.literal)
		if n.text == "" {
			continue
		}
		if text := got["batch "+n.text]; text != n.text {
			t.Errorf("%s in a batch: got %q", n.literal, text)
		}
	}
	check("login", 0, numbers[0].literal, numbers[0].text)
	check("loginquery", 0, numbers[0].literal, numbers[0].text)
	for table, column := range map[string]int{"out/tables/numbers": 1, "out/tables/parents": 2} {
		rows, err := csv.NewReader(strings.NewReader(tables[table])).ReadAll()
		if err != nil || len(rows) != len(numbers)+1 {
			t.Fatalf("%s: %d rows, %v", table, len(rows), err)
		}
		for i, row := range rows[1:] {
			if row[column] != api.numbers[i] {
				t.Errorf("%s: got the cell %s, want %s", table, row[column], api.numbers[i])
			}
		}
	}
}

// cursorAPI has items with numbers and returns those after, or before, the one that a
// request names.
type cursorAPI struct {
	items   []string // ascending
	reverse bool
	plus    *big.Rat // is added by the configuration
	t       *testing.T
}

func (a *cursorAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := r.Header.Get("X-After")
	if query := r.URL.Query().Get("after"); query != "" {
		text = query
	}
	if body, _ := io.ReadAll(r.Body); len(body) > 2 {
		text = string(bytes.Trim(bytes.TrimPrefix(body, []byte(`{"after":`)), `"}`))
	}
	items := slices.Clone(a.items)
	if a.reverse {
		slices.Reverse(items)
	}
	if text != "" {
		after := new(big.Rat).Sub(rat(text), a.plus)
		items = slices.DeleteFunc(items, func(item string) bool {
			order := rat(item).Cmp(after)
			return a.reverse && order >= 0 || !a.reverse && order <= 0
		})
	}
	items = items[:min(3, len(items))]
	next := "null"
	var rows []string
	for _, item := range items {
		rows = append(rows, `{"n":`+item+`}`)
		next = item
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"rows":[%s],"next":%s}`, strings.Join(rows, ","), next)
}

// TestNumbersPage: paging by any numbers brings every item once.
func TestNumbersPage(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 5))
	near := []string{"1735689600.123456", "1735689600.1234561", "1735689600.12345612", "9007199254740992", "9007199254740993.0", "9007199254740993.5", "1767225600123456768", "1767225600123456769", "1.767225600123456770e18", "0.1", "0.1000000000000000055", "1e-300"}
	items := near
	for _, n := range randomNumbers(random, 40) {
		if rat(n).Cmp(rat("1e300")) < 0 {
			items = append(items, n)
		}
	}
	slices.SortFunc(items, func(a, b string) int { return rat(a).Cmp(rat(b)) })
	items = slices.CompactFunc(items, func(a, b string) bool { return rat(a).Cmp(rat(b)) == 0 })
	for _, way := range []struct{ name, pagination, job string }{
		{"response.param", `{"method":"response.param","responseParam":"next","queryParam":"after"}`, ``},
		{"response.param in a body", `{"method":"response.param","responseParam":"next","queryParam":"after","includeParams":true}`, `,"method":"POST"`},
		{"placed in a header", `{"method":"response.param","responseParam":"next","includeParams":true}`, `,"headers":{"X-After":{"paging":"next"}}`},
		{"cursor", `{"method":"cursor","idKey":"n","param":"after"}`, ``},
		{"cursor in a body", `{"method":"cursor","idKey":"n","param":"after"}`, `,"method":"POST"`},
		{"cursor backwards", `{"method":"cursor","idKey":"n","param":"after","reverse":true}`, ``},
		{"cursor with an increment", `{"method":"cursor","idKey":"n","param":"after","increment":7}`, ``},
		{"cursor backwards with an increment", `{"method":"cursor","idKey":"n","param":"after","reverse":true,"increment":-1}`, ``},
		{"cursor of texts", `{"method":"cursor","idKey":"n","param":"after","idType":"text"}`, ``},
		{"placed cursor", `{"method":"cursor","idKey":"n"}`, `,"params":{"after":{"paging":"cursor"}}`},
	} {
		for _, concurrency := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, concurrency %d", way.name, concurrency), func(t *testing.T) {
				t.Parallel()
				api := &cursorAPI{items: items, reverse: strings.Contains(way.pagination, `"reverse"`), plus: new(big.Rat), t: t}
				switch {
				case strings.Contains(way.pagination, `"increment":7`):
					api.plus.SetInt64(7)
				case strings.Contains(way.pagination, `"increment":-1`):
					api.plus.SetInt64(-1)
				}
				w := newWorld(t, api)
				if o := w.runs(t, fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d},"pagination":%s},
					"config":{"jobs":[{"endpoint":"t","dataField":"rows","dataType":"t"%s}]}}`, concurrency, way.pagination, way.job)); o.exit != 0 {
					t.Fatal(o.stderr)
				}
				rows := strings.Split(strings.TrimSpace(strings.ReplaceAll(readTree(t, w.dir)["out/tables/t"], `"`, "")), "\n")[1:]
				if api.reverse {
					slices.Reverse(rows)
				}
				if !slices.Equal(rows, items) {
					t.Errorf("got %d rows\n%s\nwant %d\n%s", len(rows), strings.Join(rows, "\n"), len(items), strings.Join(items, "\n"))
				}
			})
		}
	}
}

// sinceAPI returns the items from the number on that a request names.
type sinceAPI struct {
	items []string
	since string // of the last request
}

func (a *sinceAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.since = r.URL.Query().Get("since")
	items := slices.DeleteFunc(slices.Clone(a.items), func(item string) bool { return a.since != "" && rat(item).Cmp(rat(a.since)) <= 0 })
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `[{"n":`+strings.Join(items, `},{"n":`)+`}]`)
}

// TestNumbersAreRemembered: the greatest and the least number, in any form, are
// found and sent exactly by the next run, and none of the items after it is missing.
func TestNumbersAreRemembered(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 27))
			all := randomNumbers(random, 30)
			base := []string{"1735689600.123456", "9007199254740993.0", "1767225600123456769", "12345678901234567890.5"}[seed%4]
			all = append(all, base, base+strings.Repeat("1", 1+random.IntN(20)), "-"+base)
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			half := all[:len(all)/2]
			order := func(a, b string) int { return rat(a).Cmp(rat(b)) }
			api := &sinceAPI{items: half}
			w := newWorld(t, api)
			if o := w.runs(t, `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"t","dataType":"t",
				"params":{"since":{"remembered":"since"}},"remember":{"since":{"max":"n"},"least":{"min":"n"}}}]}}`); o.exit != 0 {
				t.Fatal(o.stderr)
			}
			state := readTree(t, w.dir)["out/state.json"]
			writeFile(t, filepath.Join(w.dir, "in", "state.json"), state)
			api.items = append(slices.Clone(all), "1e331")
			if o := w.run(context.Background()); o.exit != 0 {
				t.Fatal(o.stderr)
			}
			if want := slices.MaxFunc(half, order); rat(api.since).Cmp(rat(want)) != 0 {
				t.Errorf("sent %s, want %s", api.since, want)
			}
			var kept struct {
				Remembered struct{ Since, Least json.RawMessage }
			}
			decoder := json.NewDecoder(strings.NewReader(readTree(t, w.dir)["out/state.json"]))
			if err := decoder.Decode(&kept); err != nil {
				t.Fatal(err)
			}
			since, least := strings.Trim(string(kept.Remembered.Since), `"`), strings.Trim(string(kept.Remembered.Least), `"`)
			after := slices.DeleteFunc(slices.Clone(api.items), func(item string) bool { return order(item, slices.MaxFunc(half, order)) <= 0 })
			if order(since, "1e331") != 0 || order(least, slices.MinFunc(append(after, half...), order)) != 0 {
				t.Errorf("remembered %s and %s", since, least)
			}
		})
	}
}
