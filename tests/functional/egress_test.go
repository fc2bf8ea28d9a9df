package functional

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// way is how a run can come to an address.
type way struct {
	// parameters of the configuration; in them and in the responses @THERE@ stands
	// for the address, in them @ORIGIN@ for its origin.
	parameters string
	// responses by path, of the API that is asked first. One that begins with
	// http or @THERE@ is a redirect to that place. Lines in front of the body that
	// begin with a # are headers.
	responses map[string]string
}

const oneTable = `"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]}`

// ways are all that lead to an address which no request has gone to before.
func ways() map[string]way {
	login := func(endpoint string) string {
		return `"api":{"baseUrl":"http://api.test/","authentication":{"type":"login","loginRequest":{"endpoint":"` + endpoint + `"},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}},`
	}
	paged := func(method string) string {
		return `"api":{"baseUrl":"http://api.test/","pagination":{"method":"` + method + `"}},`
	}
	const plain = `"api":{"baseUrl":"http://api.test/"},`
	page := map[string]string{"/t": `{"rows":[{"id":1}],"next_page":"@THERE@"}`}
	next := `"api":{"baseUrl":"http://api.test/","pagination":{"method":"response.url","next":{"responseHeader":"X-Next"}}},`
	row := map[string]string{"/t": `[{"id":1,"url":"@THERE@"}]`, "/t/1": `[{"id":1,"url":"@THERE@"}]`}
	const child = `{"endpoint":"{url}","placeholders":{"url":"url"}}`
	return map[string]way{
		"base address":  {`"api":{"baseUrl":"@THERE@"},` + oneTable, nil},
		"endpoint":      {plain + `"config":{"outputBucket":"b","jobs":[{"endpoint":"@THERE@"}]}`, nil},
		"iteration":     {plain + `"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]},"iterations":[{},{"jobs":[{"endpoint":"@THERE@"}]}]`, map[string]string{"/t": `[]`}},
		"next page":     {paged("response.url") + oneTable, page},
		"link":          {paged("link") + oneTable, map[string]string{"/t": "#Link: <@THERE@>; rel=next\n[{\"id\":1}]"}},
		"next header":   {next + oneTable, map[string]string{"/t": "#X-Next: @THERE@\n[{\"id\":1}]"}},
		"zendesk page":  {paged("zendesk.response.url") + oneTable, page},
		"child":         {plain + `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","children":[` + child + `]}]}`, row},
		"computed":      {plain + `"config":{"outputBucket":"b","there":"@THERE@","jobs":[{"endpoint":{"attr":"there"},"dataType":"d"}]}`, nil},
		"parent item":   {plain + `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","children":[{"endpoint":{"parentItem":"url"},"dataType":"d"}]}]}`, row},
		"grandchild":    {plain + `"config":{"outputBucket":"b","jobs":[{"endpoint":"t","children":[{"endpoint":"t/{id}","placeholders":{"id":"id"},"children":[` + child + `]}]}]}`, row},
		"login":         {login("@THERE@") + oneTable, nil},
		"redirect":      {plain + oneTable, map[string]string{"/t": "@THERE@"}},
		"second hop":    {plain + oneTable, map[string]string{"/t": "http://api.test/u", "/u": "@THERE@"}},
		"page redirect": {paged("response.url") + oneTable, map[string]string{"/t": `{"rows":[{"id":1}],"next_page":"/u"}`, "/u": "@THERE@"}},
		// A login goes to a foreign origin only when that is listed.
		"login redirect": {strings.Replace(login("login"), `"authentication"`, `"http":{"trustedOrigins":["@ORIGIN@"]},"authentication"`, 1) + oneTable, map[string]string{"/login": "@THERE@"}},
	}
}

// asked is an API that follows a way, and the requests that went elsewhere.
type asked struct {
	way   way
	there string

	mu        sync.Mutex
	elsewhere []*http.Request
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, known := a.way.responses[r.URL.Path]
	if r.Host != "api.test" || !known {
		a.mu.Lock()
		a.elsewhere = append(a.elsewhere, r.Clone(context.WithoutCancel(r.Context())))
		a.mu.Unlock()
		write(w, `{"token":"token-value-1","rows":[]}`)
		return
	}
	redirect := strings.HasPrefix(text, "http") || strings.HasPrefix(text, "@THERE@")
	text = strings.ReplaceAll(text, "@THERE@", a.there)
	if redirect {
		w.Header().Set("Location", text)
		w.WriteHeader(http.StatusFound)
		return
	}
	for strings.HasPrefix(text, "#") {
		line, rest, _ := strings.Cut(text[1:], "\n")
		name, v, _ := strings.Cut(line, ": ")
		w.Header().Set(name, v)
		text = rest
	}
	write(w, text)
}

// goes runs a way to an address; more are further sections of the document.
func (y way) goes(t *testing.T, there, more string, change func(*world)) (outcome, []*http.Request) {
	t.Helper()
	api := &asked{way: y, there: there}
	w := newWorld(t, api)
	if change != nil {
		change(w)
	}
	origin := "http://api.test" // of an address without a host, or of none that can be parsed
	if to, err := url.Parse(there); err == nil && to.Host != "" {
		origin = to.Scheme + "://" + to.Host
	}
	parameters := strings.NewReplacer("@THERE@", there, "@ORIGIN@", origin).Replace(y.parameters)
	document := `{"parameters":{` + parameters + `}` + more + `}`
	got := w.runs(t, document)
	if got.exit != 0 {
		entries, err := os.ReadDir(filepath.Join(w.dir, "out"))
		if err != nil && !os.IsNotExist(err) || len(entries) > 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	}
	return got, api.elsewhere
}

// TestEveryWayLeadsThere: the tests below would prove nothing if a way led
// nowhere.
func TestEveryWayLeadsThere(t *testing.T) {
	t.Parallel()
	for name, y := range ways() {
		got, elsewhere := y.goes(t, "http://evil.test/x", "", nil)
		if got.exit != 0 || len(elsewhere) == 0 || elsewhere[0].Host != "evil.test" {
			t.Errorf("%s: exit code %d, %d requests: %s", name, got.exit, len(elsewhere), got.stderr)
		}
	}
}

func TestAllowedHostsHoldEverywhere(t *testing.T) {
	t.Parallel()
	const allowed = `,"image_parameters":{"allowed_hosts":[{"scheme":"http","host":"api.test"}]}`
	for name, y := range ways() {
		for _, there := range []string{"http://evil.test/x", "https://api.test/x", "http://api.test.evil.test/", "http://api.test@evil.test/", "http://evil.test#@api.test/", "http://evil.test/?x=api.test"} {
			got, elsewhere := y.goes(t, there, allowed, nil)
			if got.exit != 1 || len(elsewhere) > 0 || !strings.Contains(got.stderr, "is not allowed by 'image_parameters.allowed_hosts'") {
				t.Errorf("%s to %s: exit code %d, %d requests: %s", name, there, got.exit, len(elsewhere), got.stderr)
			}
		}
	}
}

// hiddenDots are ways out of a directory that a plain comparison of prefixes does
// not see, as they are in JSON.
var hiddenDots = []string{
	`../admin`, `%2e%2e/admin`, `..%2fadmin`, `%2e%2e%2fadmin`, `..%2F..%2fadmin`, `x/..%2f..%2fadmin`,
	`..%5cadmin`, `%2e%2e%5Cadmin`, `..\\admin`, `%252e%252e/admin`, `..%252fadmin`, `%25252e%25252e%25255cadmin`,
	`..;/admin`, `..;a=b/admin`, `%2e%2e%3b/admin`, `..%20/admin`, `.%09./admin`, `%c0%ae%c0%ae%c0%afadmin`,
}

// TestAllowedPathsHoldEverywhere: an entry that allows a path is kept to by every
// way to an address, no matter what servers make of the spelling.
func TestAllowedPathsHoldEverywhere(t *testing.T) {
	slowtest.Skip(t, "it goes every way with every spelling")
	t.Parallel()
	const allowed = `,"image_parameters":{"allowed_hosts":[{"host":"api.test","endpoint":"/t"},{"host":"api.test","endpoint":"/u"},{"host":"api.test","endpoint":"/login"}]}`
	all := ways()
	all["part of a path"] = way{`"api":{"baseUrl":"http://api.test/"},"config":{"outputBucket":"b","jobs":[{"endpoint":"t","children":[{"endpoint":"t/{id}","placeholders":{"id":"id"}}]}]}`, map[string]string{"/t": `[{"id":"@THERE@"}]`}}
	for number, name := range slices.Sorted(maps.Keys(all)) {
		y := all[name]
		prefixes := []string{"http://api.test/t/", "/t/"}
		switch name {
		case "base address":
			prefixes = prefixes[:1]
		case "part of a path":
			prefixes = []string{""}
		}
		for i, prefix := range prefixes {
			for j, hidden := range hiddenDots {
				if !slowtest.Turn(number+i+j, 3) {
					continue
				}
				if name == "base address" && strings.Contains(hidden, `\\`) {
					continue // no valid base address
				}
				got, elsewhere := y.goes(t, prefix+hidden, allowed, nil)
				refused := strings.Contains(got.stderr, "is not allowed by 'image_parameters.allowed_hosts'") ||
					name == "part of a path" && strings.Contains(got.stderr, "the placeholder 'id' makes '..' a segment of the path") // with or without the guard
				if got.exit != 1 || len(elsewhere) > 0 || !refused {
					t.Errorf("%s to %s%s: exit code %d, %d requests: %s", name, prefix, hidden, got.exit, len(elsewhere), got.stderr)
				}
			}
			// What only looks like it is requested.
			for _, harmless := range []string{"group%2fproject", "100%25", "a..b", "...", "x;y=1", "a%20b"} {
				got, elsewhere := y.goes(t, prefix+harmless, allowed, nil)
				if got.exit != 0 || len(elsewhere) == 0 {
					t.Errorf("%s to %s%s: exit code %d, %d requests: %s", name, prefix, harmless, got.exit, len(elsewhere), got.stderr)
				}
			}
		}
	}
}

// resolve knows the names of these tests.
func resolve(_ context.Context, host string) ([]netip.Addr, error) {
	known := map[string]string{"api.test": "93.184.215.14", "evil.test": "10.0.0.5"}
	if ip, ok := known[host]; ok {
		return []netip.Addr{netip.MustParseAddr(ip)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func TestPrivateNetworksAreRefusedEverywhere(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"flag", "environment"} {
		guard := func(w *world) {
			w.options.Lookup = resolve
			if by == "flag" {
				w.options.DenyPrivateNetworks = true
			} else {
				w.env["EXTRACTOR_DENY_PRIVATE_NETWORKS"] = "1"
			}
		}
		for name, y := range ways() {
			for there, host := range map[string]string{
				"http://evil.test/x": "evil.test", "http://169.254.169.254/latest/meta-data/": "169.254.169.254", "http://[::ffff:10.0.0.5]:81/": "::ffff:10.0.0.5", "http://2130706433/": "2130706433",
			} {
				got, elsewhere := y.goes(t, there, "", guard)
				if got.exit != 1 || len(elsewhere) > 0 || !strings.Contains(got.stderr, "the host "+host+" is refused by --deny-private-networks") {
					t.Errorf("%s to %s: exit code %d, %d requests: %s", name, there, got.exit, len(elsewhere), got.stderr)
				}
				if len(got.waits) > 0 {
					t.Errorf("%s to %s: waited %v", name, there, got.waits)
				}
			}
		}
	}
}

func TestGuardThatIsMisspelt(t *testing.T) {
	t.Parallel()
	for text, exit := range map[string]int{"yes": 1, "on": 1, " ": 1, "": 1, "true": 0, "TRUE": 0, "0": 0, "false": 0} {
		got, _ := ways()["endpoint"].goes(t, "http://api.test/x", "", func(w *world) {
			w.options.Lookup = resolve
			w.env["EXTRACTOR_DENY_PRIVATE_NETWORKS"] = text
		})
		if got.exit != exit || exit == 1 && !strings.Contains(got.stderr, fmt.Sprintf("EXTRACTOR_DENY_PRIVATE_NETWORKS is %q, expected true or false", text)) {
			t.Errorf("%q: exit code %d: %s", text, got.exit, got.stderr)
		}
	}
}

// TestSynchronousActionIsGuarded: it sends requests too.
func TestSynchronousActionIsGuarded(t *testing.T) {
	t.Parallel()
	for name, y := range ways() {
		if !slices.Contains([]string{"base address", "endpoint", "login", "redirect"}, name) {
			continue
		}
		got, elsewhere := y.goes(t, "http://evil.test/x", `,"action":"testRequest"`, func(w *world) {
			w.options.Lookup, w.options.DenyPrivateNetworks = resolve, true
		})
		if got.exit != 1 || len(elsewhere) > 0 || !strings.Contains(got.stderr, "evil.test is refused") {
			t.Errorf("%s: exit code %d, %d requests: %s", name, got.exit, len(elsewhere), got.stderr)
		}
	}
}
