package functional

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// hostileNames are names that try to be something else than one plain file of
// out/tables.
var hostileNames = []string{
	"..", ".", "../x", "../../state.json", "a/../../b", "/etc/passwd", "/", "//", "a/b", "./a", `..\x`, `C:\x`, "C:x", "\\\\host\\share",
	"a\x00b", "\x00", "a\nb", "a\r\nb", "\x1b[31mred", "\x7f", " ", "  x  ", ".hidden", "x.", "CON", "nul", "com1.csv", "a:b", "a*b?", "-rf", "~", "$HOME", "`id`", "%2e%2e%2f", "..%2f",
	"x.manifest", ".manifest", "state.json", "\u202egnp.exe", "．．／x", "ﬁle", "č", "\xff\xfe", "𝒳", strings.Repeat("x", 255), strings.Repeat("č", 130), strings.Repeat("../", 100), strings.Repeat("x", 5000),
	"users", "Users", "USERS",
}

// namedBy are the places of a configuration that name a file; @NAME@ stands for
// the name.
var namedBy = map[string]string{
	"dataType":           `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","dataType":@NAME@}]}`,
	"outputBucket":       `"config":{"outputBucket":@NAME@,"jobs":[{"endpoint":"t","dataType":"d"}]}`,
	"id":                 `"config":{"id":@NAME@,"jobs":[{"endpoint":"t","dataType":"d"}]}`,
	"endpoint":           `"config":{"outputBucket":"b","jobs":[{"endpoint":@NAME@}]}`,
	"mapping":            `"config":{"outputBucket":"b","mappings":{@NAME@:{"id":"id"}},"jobs":[{"endpoint":"t","dataType":@NAME@}]}`,
	"destination":        `"config":{"outputBucket":"b","mappings":{"d":{"id":"id","list":{"type":"table","destination":@NAME@,"tableMapping":{"v":"v"}}}},"jobs":[{"endpoint":"t","dataType":"d"}]}`,
	"column":             `"config":{"outputBucket":"b","mappings":{"d":{"id":@NAME@}},"userData":{@NAME@:"1"},"jobs":[{"endpoint":"t","dataType":"d"}]}`,
	"property":           `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","dataType":"d"}]}`,
	"fileExpression":     `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","response":{"format":"file"},"file":{"name":@NAME@}}]}`,
	"fileHeader":         fileJob,
	"fileHeaderExtended": fileJob,
	"fileHeaderPlain":    fileJob,
	"fileAddress":        fileJob,
	"iteration":          `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","dataType":"d"}]},"iterations":[{},{"outputBucket":@NAME@,"jobs":[{"endpoint":"t","dataType":@NAME@}]}]`,
}

const fileJob = `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","response":{"format":"file"}}]}`

// namedByResponse are the places of a response that name a file.
var namedByResponse = []string{"fileExpression", "fileHeader", "fileHeaderExtended", "fileHeaderPlain", "fileAddress"}

// respondAs responds with a file that has a name in a place.
func respondAs(place, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch place {
		case "fileHeader":
			w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		case "fileHeaderPlain":
			w.Header().Set("Content-Disposition", `attachment; filename=`+name)
		case "fileHeaderExtended":
			w.Header().Set("Content-Disposition", `attachment; filename*=UTF-8''`+url.PathEscape(name))
		case "fileAddress":
			if r.URL.Path == "/t" {
				w.Header().Set("Location", "/files/"+url.PathEscape(name))
				w.WriteHeader(http.StatusFound)
			}
		}
		write(w, "contents")
	}
}

// tryName runs a configuration with a name in one place, and checks that only plain files of out/tables and the state came of it.
func tryName(t *testing.T, place, name string) {
	t.Helper()
	text := jsonText(name)
	response := `[{"id":1,"list":[{"v":1}]}]`
	if place == "property" { // its list is a table of its own
		response = `[{"id":1,` + text + `:{` + text + `:[{"v":1}]}}]`
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, response) })
	if slices.Contains(namedByResponse, place) {
		handler = respondAs(place, name)
	}
	w := newWorld(t, handler)
	around := w.dir
	w.dir = filepath.Join(around, "one", "data")
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	got := w.runs(t, strings.ReplaceAll(`{"parameters":{"api":{"baseUrl":"http://api.test/"},`+namedBy[place]+`}}`, "@NAME@", text))
	if got.exit != 0 && got.exit != 1 {
		t.Errorf("%s %q: exit code %d: %s", place, name, got.exit, got.stderr)
	}
	for _, line := range strings.Split(strings.TrimSuffix(got.stderr, "\n"), "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%s %q: stderr holds a control character: %q", place, name, line)
		}
	}
	err := filepath.WalkDir(around, func(path string, d fs.DirEntry, err error) error {
		rest, inside := strings.CutPrefix(path, w.dir+string(filepath.Separator)+"out"+string(filepath.Separator))
		known := []string{around, filepath.Dir(w.dir), w.dir, filepath.Join(w.dir, "config.json"), filepath.Join(w.dir, "out")}
		switch {
		case err != nil:
			return err
		case slices.Contains(known, path):
		case !inside || got.exit != 0:
			t.Errorf("%s %q: %q was written", place, name, path)
		case rest == "state.json", (rest == "tables" || rest == "files") && d.IsDir():
		case filepath.Dir(rest) != "tables" && filepath.Dir(rest) != "files" || !d.Type().IsRegular():
			t.Errorf("%s %q: %q was written", place, name, rest)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestNamesStayInTheOutputDirectory(t *testing.T) {
	slowtest.Skip(t, "it tries every name at every place")
	t.Parallel()
	for place := range namedBy {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			for _, name := range hostileNames {
				tryName(t, place, name)
			}
		})
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range hostileNames {
		f.Add("dataType", name)
	}
	for place := range namedBy {
		f.Add(place, "../x")
	}
	f.Fuzz(func(t *testing.T, place, name string) {
		if _, ok := namedBy[place]; ok {
			tryName(t, place, name)
		}
	})
}

// sentBytes keeps what is sent on every connection.
type sentBytes struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (s *sentBytes) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.Write(b)
}

// copying is a connection that copies what it sends.
type copying struct {
	net.Conn
	to io.Writer
}

func (c copying) Write(b []byte) (int, error) { return io.MultiWriter(c.to, c.Conn).Write(b) }

// TestHeadersCannotBeInjected: line breaks from every source are refused or
// encoded; the bytes that are sent show it.
func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	const evil = `a\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1\r\nHost: evil.test`
	login := func(use string) string {
		return `"authentication":{"type":"login","loginRequest":{"endpoint":"login"},"apiRequest":` + use + `},`
	}
	tests := []struct {
		name     string
		api      string // beside baseUrl
		config   string
		response string
		refused  string // the pointer; "" when it is sent, encoded
	}{
		{"header", `"http":{"headers":{"X-A":"` + evil + `"}},`, "", "", "/parameters/api/http/headers/X-A"},
		{"name of a header", `"http":{"headers":{"` + evil + `":"1"}},`, "", "", "/parameters/api/http/headers/a"},
		{"header of config", "", `"http":{"headers":{"X-A":"` + evil + `"}},`, "", "/parameters/config/http/headers/X-A"},
		{"variable", `"http":{"headers":{"X-A":"{{evil}}"}},`, "", "", "/parameters/api/http/headers/X-A"},
		{"variable in a name", `"http":{"headers":{"X{{evil}}":"1"}},`, "", "", "/parameters/api/http/headers/X"},
		{"function", `"http":{"headers":{"X-A":{"function":"concat","args":["a",{"attr":"evil"}]}}},`, `"evil":"` + evil + `",`, "", "/parameters/api/http/headers/X-A"},
		{"default header", `"http":{"defaultOptions":{"headers":{"X-A":"` + evil + `"}}},`, "", "", "/parameters/api/http/defaultOptions/headers/X-A"},
		{"list of lines", `"http":{"headers":{"X-A":["a","` + evil + `"]}},`, "", "", "/parameters/api/http/headers/X-A"},
		{"answer of a login", login(`{"headers":{"X-A":{"response":"token"}}}`), "", `{"token":"` + evil + `"}`, "/parameters/api/authentication/apiRequest/headers/X-A"},
		{"name in the response of a login", login(`{"headers":{"X-A":"token"}}`), "", `{"token":"` + evil + `"}`, "/parameters/api/authentication/apiRequest/headers/X-A"},
		{"query of a login", login(`{"query":{"a":{"response":"token"}}}`), "", `{"token":"` + evil + `"}`, ""},
		{"password", `"authentication":{"type":"basic"},`, `"username":"` + evil + `","#password":"` + evil + `",`, "", ""},
		{"header of a login", `"authentication":{"type":"login","loginRequest":{"endpoint":"login","headers":{"X-A":{"attr":"evil"}}},"apiRequest":{}},`, `"evil":"` + evil + `",`, "", "/parameters/api/authentication/loginRequest/headers/X-A"},
		{"method", `"http":{"defaultOptions":{"method":"GET /evil HTTP/1.1\r\nX-Evil: 1"}},`, "", "", "/parameters/api/http/defaultOptions/method"},
		{"user agent", `"http":{"headers":{"User-Agent":"` + evil + `"}},`, "", "", "/parameters/api/http/headers/User-Agent"},
		{"host", `"http":{"headers":{"Host":"` + evil + `"}},`, "", "", "/parameters/api/http/headers/Host"},
		{"next page", `"pagination":{"method":"response.url"},`, "", `{"rows":[{"id":1}],"next_page":"/x?a=` + evil + `"}`, ""},
		{"query of the next page", `"pagination":{"method":"response.url","paramIsQuery":true},`, "", `{"rows":[{"id":1}],"next_page":"` + evil + `"}`, ""},
		{"parameter of the next page", `"pagination":{"method":"response.param","responseParam":"next","queryParam":"p"},`, "", `{"rows":[{"id":1}],"next":"` + evil + `"}`, ""},
		{"child", "", `"children":1,`, `{"rows":[{"id":"` + evil + `"}]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.response == "" {
				tt.response = `{"rows":[]}`
			}
			job := `{"endpoint":"t"}`
			if tt.config == `"children":1,` {
				tt.config, job = "", `{"endpoint":"t","dataField":"rows","children":[{"endpoint":"c/{id}?{id}","dataField":"rows","placeholders":{"id":"id"}}]}`
			}
			var sent sentBytes
			w := newWorld(t, http.HandlerFunc(status(http.StatusOK, tt.response)))
			w.options.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := w.dial(ctx, network, address)
				return copying{conn, &sent}, err
			}
			w.options.Variables = []string{"evil=a\r\nX-Evil: 1"}
			got := w.runs(t, `{"parameters":{"api":{`+tt.api+`"baseUrl":"http://api.test/"},"config":{`+tt.config+`"outputBucket":"b","jobs":[`+job+`]}}}`)
			if tt.refused == "" && got.exit != 0 || tt.refused != "" && (got.exit != 1 || !strings.Contains(got.stderr, "at "+tt.refused) && !strings.Contains(got.stderr, tt.refused)) {
				t.Errorf("exit code %d, want the pointer %q: %s", got.exit, tt.refused, got.stderr)
			}
			got.checkStderr(t)
			if text := sent.bytes.String(); strings.Contains(text, "\nX-Evil") || strings.Contains(text, "\nGET /evil") || tt.refused == "" && text == "" {
				t.Errorf("sent:\n%s", text)
			}
		})
	}
}

// heap is how many bytes the objects of the process take, garbage included. Unlike
// runtime.ReadMemStats this does not stop the world.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// watchHeap returns by how many bytes the heap grew at most while a function ran.
// The collector runs often meanwhile: on a busy machine it may be late, and what is
// requested is what was needed, not what was lyingaround.
func watchHeap(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	runtime.GC()
	before := heap()
	most := before
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, heap())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	f()
	close(done)
	watching.Wait()
	return most - before
}

// TestHostileResponsesInLittleMemory sends large responses. It is not parallel, for it
// looks at the memory of the process.
func TestHostileResponsesInLittleMemory(t *testing.T) {
	slowtest.OutsideCI(t, "its responses are large")
	slowtest.SkipRace(t, "its responses are large")
	const size = 64 << 20
	fill := func(w io.Writer, text string) {
		for sent := 0; sent < size; sent += len(text) {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
	long := strings.Repeat("x", 1<<20)
	tests := map[string]struct {
		response func(io.Writer)
		exit     int
		stderr   string
	}{
		"long texts": {func(w io.Writer) { write(w, `[{"a":"`); fill(w, long+`"},{"a":"`); write(w, `"}]`) }, 0, ""},
		"no UTF-8":   {func(w io.Writer) { write(w, `[{"a":"`); fill(w, long+"\xff\xfe"+`"},{"a":"`); write(w, `"}]`) }, 0, ""},
		"texts beside the data": {func(w io.Writer) {
			write(w, `{"rows":[{"a":1}],"x":["`)
			fill(w, long+`","`)
			write(w, `"]}`)
		}, 0, ""},
		"never JSON": {func(w io.Writer) { fill(w, strings.Repeat("<p>", 1<<15)) }, 1, "is not valid JSON"},
		"deep":       {func(w io.Writer) { fill(w, strings.Repeat(`[{"a":`, 1<<13)) }, 1, "nested more than 10000 levels deep"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				buffered := bufio.NewWriter(w)
				tt.response(buffered)
				_ = buffered.Flush()
			}))
			field := "."
			if name == "texts beside the data" {
				field = "rows"
			}
			writeFile(t, filepath.Join(w.dir, "config.json"), `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[{"endpoint":"t","dataField":"`+field+`"}]}}}`)
			var got outcome
			most := watchHeap(func() { got = w.run(t.Context()) })
			if most > size/2 { // on a busy machine even this collector may be late once
				most = watchHeap(func() { got = w.run(t.Context()) })
			}
			if got.exit != tt.exit || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("exit code %d, want %d: %.300s", got.exit, tt.exit, got.stderr)
			}
			got.checkStderr(t)
			if most > size/2 {
				t.Errorf("%d MB of memory for a response of %d MB", most>>20, size>>20)
			}
		})
	}
}

// TestLargeValuesTogether: what a run holds of many items together is limited, however
// large the values are.
func TestLargeValuesTogether(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	t.Parallel()
	for _, row := range []struct{ name, job, want string }{
		{"batch", `{"endpoint":"t","children":[{"endpoint":"c?{id}","placeholders":{"id":"id"},"batch":{"size":10000,"across":true}}]}`,
			"the values of a batch have more than 8 MiB: make 'batch' smaller (at /parameters/config/jobs/0/children/0/batch)"},
		{"remembered", `{"endpoint":"t","store":false,"children":[{"endpoint":"small","placeholders":{"n":"n"},"remember":{"x":{"last":"id","per":["n"]},"y":{"last":"a","per":["n"]}}},
			{"endpoint":"{n}","placeholders":{"n":"n"},"store":false,"remember":{"z":{"last":"id","per":["n"]}}}]}`,
			"the values to remember have more than 16 MiB, with that of 'z'"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/small" {
					write(w, `[{"id":1,"a":[2]}]`)
					return
				}
				write(w, `[`)
				for i := range 20 {
					if i > 0 {
						write(w, `,`)
					}
					write(w, fmt.Sprintf(`{"n":%d,"id":"%s"}`, i, strings.Repeat("x", 1<<20)))
				}
				write(w, `]`)
			}))
			got := w.runs(t, `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[`+row.job+`]}}}`)
			got.checkStderr(t)
			if got.exit != 1 || !strings.Contains(got.stderr, row.want) {
				t.Errorf("exit code %d: %.500s", got.exit, got.stderr)
			}
		})
	}
}

// TestGigabyteOfText: one text of a response is larger than what memory should
// hold, and ends the run with a message. Most of its bytes only go to the disk.
func TestGigabyteOfText(t *testing.T) {
	slowtest.OutsideCI(t, "its response is large")
	slowtest.SkipRace(t, "its responses are large")
	const size = 1 << 30
	long := strings.Repeat("x", 1<<20)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		write(w, `[{"a":1},{"a":"`)
		for sent := 0; sent < size; sent += len(long) {
			if _, err := io.WriteString(w, long); err != nil {
				return
			}
		}
		write(w, `"}]`)
	}))
	writeFile(t, filepath.Join(w.dir, "config.json"), `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`)
	var got outcome
	most := watchHeap(func() { got = w.run(t.Context()) })
	if got.exit != 1 || !strings.Contains(got.stderr, "the response is too large: one value of it has more than 128 MiB") {
		t.Errorf("exit code %d: %.300s", got.exit, got.stderr)
	}
	got.checkStderr(t)
	checkTables(t, w.dir, false)
	if most > size/2 {
		t.Errorf("%d MB of memory for a text of %d MB", most>>20, size>>20)
	}
}

// manyKeys responds with an object whose names are data.
func manyKeys(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		buffered := bufio.NewWriter(w)
		write(buffered, `[{"id":1,"by_id":{"k":0`)
		for i := range n {
			fmt.Fprintf(buffered, `,"k%d":%d`, i, i)
		}
		write(buffered, `}}]`)
		_ = buffered.Flush()
	}
}

// TestMillionKeysAsText: as the message of TestManyKeys advises.
func TestMillionKeysAsText(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	t.Parallel()
	const keys = 1_000_000
	for name, settings := range map[string]string{
		"responseFilter": `"jobs":[{"endpoint":"t","dataType":"d","responseFilter":"by_id"}]`,
		"mappings":       `"mappings":{"d":{"id":"id","by_id":{"mapping":{"destination":"by_id"},"forceType":true}}},"jobs":[{"endpoint":"t","dataType":"d"}]`,
	} {
		w := newWorld(t, manyKeys(keys))
		got := w.runs(t, `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b",`+settings+`}}}`)
		table := readTree(t, filepath.Join(w.dir, "out"))["tables/b.d"]
		if got.exit != 0 || strings.Count(table, "\n") != 2 || !strings.HasSuffix(table, `""k999999"":999999}"`+"\n") || strings.Count(table, `"":`) != keys+1 {
			t.Errorf("%s: exit code %d: %.300s\na table of %d bytes: %.80q", name, got.exit, got.stderr, len(table), table)
		}
	}
}

// TestManyKeys: an object whose names are data.
func TestManyKeys(t *testing.T) {
	slowtest.Skip(t, "its response is large")
	t.Parallel()
	w := newWorld(t, manyKeys(150_000))
	got := w.runs(t, `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[{"endpoint":"t","dataType":"d"}]}}}`)
	if got.exit != 1 || !strings.Contains(got.stderr, "the rows of 'd' have more than 100000 different properties, the last one below 'd.[].by_id'") {
		t.Errorf("exit code %d: %.300s", got.exit, got.stderr)
	}
	if left, err := os.ReadDir(filepath.Join(w.dir, "out")); err != nil && !os.IsNotExist(err) || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// FuzzResponse: no matter what an API answers, a run ends with whole tables or a message,
// never by a fault of ours.
func FuzzResponse(f *testing.F) {
	for _, response := range []string{
		`[{"id":1}]`, `{"rows":[{"id":1,"list":[1,{"a":null}]}],"next_page":"?p=2"}`, `{"rows":[{"id":"../x"}],"next_page":"http://other.test/"}`, `[[1],[2]]`, `null`, ``, `{"a":{"b":[{}]}}`,
		`[{"":1," ":{"":[]}}]`, `[{"a":1},{"a":[1]},{"a":{}}]`, "\xef\xbb\xbf[]", `[{"a":"\ud800"}]`, "[{\"a\":\"\xff\"}]", `[{"a":1e999,"a":-0}]`, `[{"_timestamp":1,"JSON_parentId":[{}]}]`, strings.Repeat(`{"a":`, 50), `<html>`, `{"rows":[{"id":[1,2,{"x":1}]}]}`,
	} {
		for mode := range uint8(4) {
			f.Add([]byte(response), mode, uint16(200))
		}
	}
	f.Add([]byte(`{"error":"x"}`), uint8(0), uint16(404))
	f.Add([]byte(``), uint8(1), uint16(204))
	f.Fuzz(func(t *testing.T, response []byte, mode uint8, code uint16) {
		if code < 200 || code > 599 {
			code = 200
		}
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", string(response[:min(20, len(response))]))
			w.WriteHeader(int(code))
			_, _ = w.Write(response)
		}))
		w.options.Limits.Requests = 12
		api, job := ``, `{"endpoint":"t"}`
		switch mode % 4 {
		case 1:
			api = `,"pagination":{"method":"response.url"},"http":{"ignoreErrors":[404]}`
		case 2:
			job = `{"endpoint":"t","dataField":"rows","children":[{"endpoint":"c/{id}","placeholders":{"id":"id"}}]}`
		case 3:
			api = `,"pagination":{"method":"cursor","idKey":"id","param":"since"}`
			job = `{"endpoint":"t","dataType":"d","responseFilter":"a"}`
		}
		mappings := ""
		if mode&4 != 0 {
			mappings = `"mappings":{"t":{"id":"id","list":{"type":"table","destination":"l","tableMapping":{".":"v"}}},"d":{"id":"id"}},`
		}
		got := w.runs(t, `{"parameters":{"api":{"baseUrl":"http://api.test/"`+api+`},"config":{`+mappings+`"outputBucket":"b","jobs":[`+job+`]}}}`)
		if got.exit != 0 && got.exit != 1 && got.exit != 3 {
			t.Errorf("exit code %d: %s", got.exit, got.stderr)
		}
		got.checkStderr(t)
		got.checkLastEvent(t)
		checkTables(t, w.dir, got.exit != 1)
	})
}

// checkTables checks that every table is whole and has its manifest, and that
// there is none when there must not be any.
func checkTables(t *testing.T, dir string, written bool) {
	t.Helper()
	files := readTree(t, filepath.Join(dir, "out"))
	if !written && len(files) > 0 {
		t.Errorf("a failed run has left %d files", len(files))
	}
	for name := range files {
		rest, isTable := strings.CutPrefix(name, "tables/")
		if !isTable || rest == "" || strings.HasSuffix(rest, ".manifest") {
			continue
		}
		if _, ok := files[name+".manifest"]; !ok {
			t.Errorf("%s has no manifest", rest)
		}
		checkRecords(t, filepath.Join(dir, "out", "tables", rest))
	}
}

// checkRecords checks that a table can be read to its end.
func checkRecords(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, columns := csvtable.NewReader(file, ',', `"`), 0
	for {
		cells, err := records.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if columns == 0 {
			columns = len(cells)
		}
		if len(cells) != columns {
			t.Errorf("%s: a record of %d cells, the header has %d", path, len(cells), columns)
		}
	}
	if columns == 0 {
		t.Errorf("%s has no header", path)
	}
}
