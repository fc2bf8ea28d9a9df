package functional

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value/phpjson"
)

// carried is a state as the platform carries it from one run to the next.
func carried(t testing.TB, state string) string {
	t.Helper()
	recoded, err := phpjson.Recode([]byte(state))
	if err != nil {
		t.Fatalf("the platform cannot read the state: %v: %.200s", err, state)
	}
	return string(recoded)
}

// scripted is an API that responds to every request to a path alike, and notes what it is asked.
type scripted struct {
	responses map[string]string // by path
	sent      []string
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.sent = append(s.sent, r.RequestURI+" "+string(body))
	write(w, s.responses[r.URL.Path])
}

// secondRun is what the second of two runs requests, with the state of the first one
// carried over in this way.
func secondRun(t *testing.T, config string, responses map[string]string, carry func(string) string) []string {
	t.Helper()
	api := &scripted{responses: responses}
	w := newWorld(t, api)
	writeFile(t, filepath.Join(w.dir, "config.json"), config)
	for range 2 {
		api.sent = nil
		got := w.run(context.Background())
		got.checkStderr(t)
		if got.exit != failure.ExitOK {
			t.Fatalf("exit %d: %s", got.exit, got.stderr)
		}
		for _, e := range got.events(t) {
			if e["event"] == "state.warning" {
				t.Errorf("warning: %v", e)
			}
		}
		writeFile(t, filepath.Join(w.dir, "in", "state.json"), carry(readTree(t, w.dir)["out/state.json"]))
		w.clock.Advance(time.Hour)
	}
	return api.sent
}

// TestStateOnThePlatform: the second run requests the same, whether PHP has read and
// written the state of the first one or not.
func TestStateOnThePlatform(t *testing.T) {
	for _, row := range []struct {
		name, config string
		responses    map[string]string
		want         []string
	}{
		{"an id of 20 digits", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[
			{"endpoint":"t","params":{"after":{"remembered":"id","default":0}},"remember":{"id":{"max":"id"}}}]}}`,
			map[string]string{"/t": `[{"id":12345678901234567889},{"id":12345678901234567890},{"id":7}]`},
			[]string{"/t?after=12345678901234567890 "}},
		{"a moment with microseconds, and one with more", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[
			{"endpoint":"t","method":"POST","params":{"a":{"remembered":"a"},"b":{"remembered":"b"},"c":{"remembered":"c"}},"remember":{"a":{"max":"a"},"b":{"max":"b"},"c":{"last":"c"}}}]}}`,
			map[string]string{"/t": `[{"a":1735689600.123456,"b":1735689600.12345678901,"c":0.1}]`},
			[]string{`/t {"a":1735689600.123456,"b":"1735689600.12345678901","c":0.1}`}},
		{"values for the ids 0 and 1", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"p","children":[
			{"endpoint":"p/{id}","dataField":".","placeholders":{"id":"id"},"params":{"since":{"remembered":"at"}},"remember":{"at":{"max":"at","per":["id"]}}}]}]}}`,
			map[string]string{"/p": `[{"id":0},{"id":1}]`, "/p/0": `{"at":"2026-01-01"}`, "/p/1": `{"at":"2026-01-02"}`},
			[]string{"/p ", "/p/0?since=2026-01-01 ", "/p/1?since=2026-01-02 "}},
		{"secret values for the ids 0 and 1", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"p","children":[
			{"endpoint":"p/{id}","dataField":".","placeholders":{"id":"id"},"params":{"since":{"remembered":"#at"}},"remember":{"#at":{"last":"at","per":["id"]}}}]}]}}`,
			map[string]string{"/p": `[{"id":0},{"id":1}]`, "/p/0": `{"at":1.5}`, "/p/1": `{"at":12345678901234567890}`},
			[]string{"/p ", "/p/0?since=1.5 ", "/p/1?since=12345678901234567890 "}},
		{"iterations with the ids 0 and 1", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[
			{"endpoint":{"attr":"path"},"dataType":"t","params":{"since":{"remembered":"at"}},"remember":{"at":{"max":"at"}}}]},
			"iterations":[{"id":"0","path":"a"},{"id":"1","path":"b"}]}`,
			map[string]string{"/a": `[{"at":"x"}]`, "/b": `[{"at":"y"}]`},
			[]string{"/a?since=x ", "/b?since=y "}},
		{"names 0 and 1", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[
			{"endpoint":"t","params":{"a":{"remembered":"0"},"b":{"remembered":"1"}},"remember":{"0":{"max":"a"},"1":{"max":"b"}}}]}}`,
			map[string]string{"/t": `[{"a":1,"b":2}]`},
			[]string{"/t?a=1&b=2 "}},
		{"a cursor with objects", `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[
			{"endpoint":"t","method":"POST","params":{"after":{"remembered":"c"}},"remember":{"c":{"last":"c"}}}]}}`,
			map[string]string{"/t": `[{"c":{"0":1.0,"1":{"x":18446744073709551616,"y":{}},"2":null}}]`},
			[]string{`/t {"after":[1,{"x":"18446744073709551616","y":[]},null]}`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for name, carry := range map[string]func(string) string{
				"with PHP":    func(state string) string { return carried(t, state) },
				"without PHP": func(state string) string { return state },
			} {
				if sent := secondRun(t, row.config, row.responses, carry); !slices.Equal(sent, row.want) {
					t.Errorf("%s: sent\n%q, want\n%q", name, sent, row.want)
				}
			}
		})
	}
}

// TestRandomStateOnThePlatform is the same for values and ids of any kind.
func TestRandomStateOnThePlatform(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 5))
			responses := map[string]string{}
			var parents []string
			for i := range 1 + random.IntN(4) {
				id := strconv.Itoa(i)
				if random.IntN(5) == 0 {
					id = []string{"a", "00", "-1", "12345678901234567890"}[random.IntN(4)] + id
				}
				parents = append(parents, fmt.Sprintf(`{"id":%q}`, id))
				responses["/p/"+id] = fmt.Sprintf(`[{"v":%s,"n":%s}]`, oddJSON(random, 3), oddNumber(random))
			}
			responses["/p"] = "[" + strings.Join(parents, ",") + "]"
			config := `{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"p","children":[
				{"endpoint":"p/{id}","method":"POST","placeholders":{"id":"id"},"responseFilter":"v",
				"params":{"v":{"remembered":"v"},"n":{"remembered":"n"},"all":{"remembered":"all"}},
				"remember":{"v":{"last":"v","per":["id"]},"n":{"max":"n","per":["id"]},"all":{"max":"n"}}}]}]}}`
			through := secondRun(t, config, responses, func(state string) string { return carried(t, carried(t, state)) })
			direct := secondRun(t, config, responses, func(state string) string { return state })
			if !slices.Equal(through, direct) {
				t.Errorf("with PHP\n%q, without\n%q", through, direct)
			}
		})
	}
}

// oddNumber is a number that some service may send.
func oddNumber(random *rand.Rand) string {
	return []string{
		"0", "-0.0", "1.0", "0.1", "1e15", "1E20", "9007199254740993", "9223372036854775807", "9223372036854775808", "12345678901234567890",
		"100000000000000000000", "1735689600.123456", "1735689600.1234567891", "1e-7", "0.30000000000000004", "1e400", "5e-325", "123456789.10",
	}[random.IntN(18)]
}

func oddJSON(random *rand.Rand, depth int) string {
	switch kind := random.IntN(7); {
	case depth == 0 || kind < 3:
		return []string{oddNumber(random), `"x"`, `""`, `null`, `true`, `{}`, `[]`, `"\ud83d\ude00/é"`}[random.IntN(8)]
	case kind == 3:
		return "[" + oddJSON(random, depth-1) + "," + oddJSON(random, depth-1) + "]"
	default:
		return fmt.Sprintf(`{%q:%s,%q:%s}`, []string{"0", "a", "1"}[random.IntN(3)], oddJSON(random, depth-1), "1", oddJSON(random, depth-1))
	}
}

// TestDeepStateIsNeverWritten: PHP reads 512 levels. The run fails before anything
// appears, and the token that the login has rotated is kept.
func TestDeepStateIsNeverWritten(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 9_990) + "1" + strings.Repeat("}", 9_990)
	for name, job := range map[string]string{
		"remembered":            `"mappings":{"t":{"id":"id"}},"jobs":[{"endpoint":"t","remember":{"seen":{"last":"deep"}}`,
		"of an automatic table": `"jobs":[{"endpoint":"t"`,
	} {
		t.Run(name, func(t *testing.T) {
			api := &rotation{current: "refresh-0"}
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/t" {
					write(w, `[{"id":1,"deep":`+deep+`}]`)
					return
				}
				api.ServeHTTP(w, r)
			}))
			got := w.runs(t, `{"api":{"baseUrl":"http://api.test/","authentication":{"type":"login",
				"loginRequest":{"endpoint":"token","method":"FORM","params":{"refresh_token":{"remembered":"#refresh_token","default":{"attr":"#refresh_token"}}},
					"remember":{"#refresh_token":{"response":"refresh_token"}}},
				"apiRequest":{"headers":{"Authorization":{"response":"access_token"}}}}},
				"config":{"#refresh_token":"refresh-0",`+job+`}]}}`)
			files := readTree(t, w.dir)
			state := files["out/state.json"]
			if got.exit != failure.ExitUser || !strings.Contains(carried(t, state), `"#refresh_token":"refresh-1"`) {
				t.Errorf("exit %d, %s, state %.300s", got.exit, got.stderr, state)
			}
			for file := range files {
				if strings.HasPrefix(file, "out/tables") {
					t.Errorf("%s has appeared", file)
				}
			}
			if name == "remembered" && !strings.Contains(got.stdout, `"pointer":"/config/jobs/0/remember/seen"`) {
				t.Errorf("the error does not say where:\n%s", got.stdout)
			}
		})
	}
}
