package functional

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"
)

var errTrailing = errors.New("something follows the JSON value")

// exchange is one request that must arrive, and its response.
type exchange struct {
	place string // file and number, for messages

	method, target string // target is path and query as they are on the wire
	headers        []header
	absent         []string // headers that must not be there
	body           string

	response response
}

type header struct{ name, value string }

// response is what the API says.
type response struct {
	status  int
	headers []header
	body    string

	// close: the connection is closed without a response.
	close bool
	// cut is after how many bytes of the body the connection is closed, or -1.
	cut int
	// gzip: the body is compressed.
	gzip bool
	// pack are the wrappers of the body as a file, the outermost first; charset is its
	// character set, "" for UTF-8.
	pack    []string
	charset string
	repeat  int // how often what was packed comes
	// clock is by how many seconds the clock of the run is put forward before
	// the response.
	clock int
}

// readExchanges reads all files of a directory, in the order of their names. A
// directory that does not exist has no exchanges.
func readExchanges(files fs.FS, dir string) ([]exchange, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []exchange
	for _, entry := range entries {
		text, err := fs.ReadFile(files, path.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		some, err := parseExchanges(entry.Name(), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// parseExchanges reads exchanges parted by lines of ===.
func parseExchanges(name, text string) ([]exchange, error) {
	var all []exchange
	for i, part := range splitAtLine(text, "===") {
		place := fmt.Sprintf("%s, exchange %d", name, i+1)
		e, times, err := parseExchange(part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		e.place = place
		for range times {
			all = append(all, e)
		}
	}
	return all, nil
}

func parseExchange(text string) (e exchange, times int, err error) {
	halves := splitAtLine(text, "---")
	if len(halves) != 2 {
		return e, 0, fmt.Errorf("expected a request and a response parted by one line ---, found %d parts", len(halves))
	}
	first, headers, body, err := parseMessage(halves[0])
	if err != nil {
		return e, 0, fmt.Errorf("request: %w", err)
	}
	var ok bool
	e.method, e.target, ok = strings.Cut(first, " ")
	if !ok || strings.Contains(e.target, " ") || !strings.HasPrefix(e.target, "/") {
		return e, 0, fmt.Errorf("expected METHOD /path?query, found %q", first)
	}
	e.body = body
	for _, h := range headers {
		if name, isAbsent := strings.CutPrefix(h.name, "!"); isAbsent {
			e.absent = append(e.absent, name)
			continue
		}
		e.headers = append(e.headers, h)
	}
	first, e.response.headers, e.response.body, err = parseMessage(halves[1])
	if err == nil {
		times, err = e.response.parseFirst(first)
	}
	if err != nil {
		return e, 0, fmt.Errorf("answer: %w", err)
	}
	return e, times, nil
}

// parseFirst reads the first line of a response: a status or CLOSE, then
// directives.
func (a *response) parseFirst(line string) (times int, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return 0, errors.New("the first line is empty")
	}
	times, a.cut, a.repeat = 1, -1, 1
	if words[0] == "CLOSE" {
		a.close = true
	} else if a.status, err = strconv.Atoi(words[0]); err != nil || a.status < 200 || a.status > 599 {
		return 0, fmt.Errorf("expected a status or CLOSE, found %q", words[0])
	}
	for _, word := range words[1:] {
		name, text, _ := strings.Cut(word, "=")
		if name == "gzip" && text == "" {
			a.gzip = true
			continue
		}
		if name == "pack" && text != "" {
			a.pack = strings.Split(text, ",")
			continue
		}
		if name == "charset" && text != "" {
			a.charset = text
			continue
		}
		number, ok := map[string]*int{"times": &times, "cut": &a.cut, "clock": &a.clock, "repeat": &a.repeat}[name]
		if !ok {
			return 0, fmt.Errorf("unknown directive %q", word)
		}
		if *number, err = strconv.Atoi(text); err != nil || *number < 0 {
			return 0, fmt.Errorf("expected a number in %q", word)
		}
	}
	if a.cut > len(a.body) {
		return 0, fmt.Errorf("the body has %d bytes and cannot be cut after %d", len(a.body), a.cut)
	}
	return times, nil
}

// parseMessage reads a first line, header lines, and after an empty line a
// body. Lines that start with # before the first one are comments. The last
// line feed is not part of the body.
func parseMessage(text string) (first string, headers []header, body string, err error) {
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
	}
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSuffix(head, "\n"), "\n")
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok && !strings.HasPrefix(line, "!") || name == "" {
			return "", nil, "", fmt.Errorf("expected a header, found %q", line)
		}
		headers = append(headers, header{name, strings.TrimSpace(value)})
	}
	return lines[0], headers, strings.TrimSuffix(body, "\n"), nil
}

// splitAtLine splits a text at the lines that consist of the separator.
func splitAtLine(text, separator string) []string {
	parts := strings.Split("\n"+text, "\n"+separator+"\n")
	parts[0] = strings.TrimPrefix(parts[0], "\n")
	return parts
}

func TestParseExchanges(t *testing.T) {
	got, err := parseExchanges("f", `# what it is about
POST /a?b=c%20d
X-A: 1
!X-B

{"k":1}
---
200 clock=5 gzip
X-C: 2

[1,

2]
===
GET /
---
CLOSE times=2
`)
	if err != nil {
		t.Fatal(err)
	}
	post := exchange{
		place: "f, exchange 1", method: "POST", target: "/a?b=c%20d", headers: []header{{"X-A", "1"}}, absent: []string{"X-B"}, body: `{"k":1}`,
		response: response{status: 200, headers: []header{{"X-C", "2"}}, body: "[1,\n\n2]", cut: -1, repeat: 1, gzip: true, clock: 5},
	}
	get := exchange{place: "f, exchange 2", method: "GET", target: "/", response: response{close: true, cut: -1, repeat: 1}}
	want := fmt.Sprintf("%+v", []exchange{post, get, get})
	if text := fmt.Sprintf("%+v", got); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestParseExchangesRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no response":       "GET /a\n",
		"two responses":     "GET /a\n---\n200\n---\n200\n",
		"no target":         "GET\n---\n200\n",
		"a full address":    "GET http://api.test/a\n---\n200\n",
		"a blank in target": "GET /a b\n---\n200\n",
		"no header":         "GET /a\nX-A\n---\n200\n",
		"no status":         "GET /a\n---\nOK\n",
		"informational":     "GET /a\n---\n100\n",
		"unknown directive": "GET /a\n---\n200 slow=1\n",
		"no number":         "GET /a\n---\n200 times=x\n",
		"cut after":         "GET /a\n---\n200 cut=3\n\n[]\n",
		"empty":             "",
	} {
		if all, err := parseExchanges("f", text); err == nil {
			t.Errorf("%s: no error but %+v", name, all)
		}
	}
}

func FuzzParseExchanges(f *testing.F) {
	f.Add("GET /a?b\nX: 1\n!Y\n\nbody\n---\n200 times=2 cut=1\nA: b\n\nxx\n===\nGET /\n---\nCLOSE\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseExchanges("f", text)
		for _, e := range all {
			if e.method == "" && e.target == "" || e.response.cut > len(e.response.body) || !e.response.close && e.response.status < 200 {
				t.Errorf("accepted %+v (error %v)", e, err)
			}
		}
	})
}
