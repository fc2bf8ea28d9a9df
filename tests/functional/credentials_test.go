package functional

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/pem"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
)

// authentications are configurations of every authentication. What they add to a
// request is an Authorization header, X-Token, or the parameter key.
var authentications = map[string]string{
	"basic":         `{"type":"basic"}`,
	"query":         `{"type":"query","query":{"key":"cnry-value-1"}}`,
	"url.query":     `{"type":"url.query","query":{"key":"cnry-value-1"}}`,
	"login":         `{"type":"login","loginRequest":{"endpoint":"login"},"apiRequest":{"headers":{"X-Token":{"response":"token"}},"query":{"key":{"response":"token"}}}}`,
	"oauth10":       `{"type":"oauth10"}`,
	"oauth20":       `{"type":"oauth20","format":"json","headers":{"X-Token":{"authorization":"data.access_token"}},"query":{"key":{"authorization":"data.access_token"}}}`,
	"oauth20.login": `{"type":"oauth20.login","loginRequest":{"endpoint":"login"},"apiRequest":{"headers":{"Authorization":{"response":"token"}},"query":{"key":{"response":"token"}}}}`,
	"":              `{}`,   // only configured headers and the signature below
	"headers":       `null`, // only those below
}

func TestEveryAuthenticationIsListed(t *testing.T) {
	t.Parallel()
	listed := slices.DeleteFunc(slices.Sorted(maps.Keys(authentications)), func(name string) bool { return name == "" || name == "headers" })
	var names []string
	for _, s := range auth.AllSchemes() {
		names = append(names, s.Name)
		if s.OldName != "" {
			names = append(names, s.OldName)
		}
	}
	slices.Sort(names)
	if !slices.Equal(listed, names) {
		t.Errorf("tried are %v, there are %v: list what is missing, so that it is seen where its credentials go", listed, names)
	}
}

// departure is how a request comes to leave the origin of the API.
type departure struct {
	first, to string // addresses
	by        string // "redirect", "next page" or "child"
	// with reports whether the credentials go along.
	with bool
	// listed is an entry of `trustedOrigins`, child the endpoint of the child
	// job, {url} when it is empty; {host} is other.test.
	listed, child string
	// user is user name and password of the base address; bare leaves out all
	// parameters of the jobs that are credentials.
	user string
	bare bool
}

var departures = map[string]departure{
	"redirect within":              {first: "http://api.test/t", to: "http://api.test/u", by: "redirect", with: true},
	"redirect to a host":           {first: "http://api.test/t", to: "http://evil.test/u", by: "redirect"},
	"redirect to a subdomain":      {first: "http://api.test/t", to: "http://x.api.test/u", by: "redirect"},
	"redirect to a port":           {first: "http://api.test/t", to: "http://api.test:8080/u", by: "redirect"},
	"redirect to less secure":      {first: "https://example.com/t", to: "http://example.com/u", by: "redirect"},
	"redirect to less, same port":  {first: "https://example.com/t", to: "http://example.com:443/u", by: "redirect"},
	"redirect to more secure":      {first: "http://example.com/t", to: "https://example.com/u", by: "redirect"},
	"redirect to a listed origin":  {first: "http://example.com/t", to: "https://example.com/u", by: "redirect", with: true, listed: "https://example.com"},
	"redirect of a child":          {first: "http://api.test/t", to: "http://api.test/away", by: "child"},
	"redirect of the next page":    {first: "http://api.test/t", to: "http://api.test/away", by: "next page"},
	"redirect away and back again": {first: "http://api.test/t", to: "http://evil.test/back", by: "redirect"},
	"next page within":             {first: "http://api.test/t", to: "http://api.test/u", by: "next page", with: true},
	"next page elsewhere":          {first: "http://api.test/t", to: "http://other.test/u", by: "next page"},
	"next page at a port":          {first: "http://api.test/t", to: "http://api.test:8080/u", by: "next page"},
	"next page less secure":        {first: "https://example.com/t", to: "http://example.com/u", by: "next page"},
	"next page, only the host":     {first: "http://api.test/t", to: "//other.test/u", by: "next page"},
	"next page, leads back":        {first: "http://api.test/t", to: "http://evil.test/back", by: "next page"},
	"next page, listed":            {first: "http://api.test/t", to: "http://other.test/u", by: "next page", with: true, listed: "http://other.test"},
	"next page, other scheme":      {first: "http://api.test/t", to: "http://other.test/u", by: "next page", listed: "https://other.test"},
	"next page below a host":       {first: "http://api.test/t", to: "http://eu.other.test/u", by: "next page", with: true, listed: "http://*.other.test"},
	"next page beside a host":      {first: "http://api.test/t", to: "http://another.test/u", by: "next page", listed: "http://*.other.test"},
	"child within":                 {first: "http://api.test/t", to: "http://api.test/u", by: "child", with: true},
	"child elsewhere":              {first: "http://api.test/t", to: "http://other.test/u", by: "child"},
	"child at a host of the row":   {first: "http://api.test/t", to: "/u", by: "child", child: "http://{host}/u"},
	"child below the host":         {first: "http://api.test/t", to: "/u", by: "child", child: "http://{host}.api.test/u"},
	"child at a host we name":      {first: "http://api.test/t", to: "http://other.test/u", by: "child", with: true, child: "http://other.test/u?from={url}"},
	"child at a port of the row":   {first: "http://api.test/t", to: "8080", by: "child", child: "http://api.test:{url}/u"},
	"child continues the host":     {first: "http://api.test/t", to: ".other.test", by: "child", child: "http://api.test{url}/u"},
	"child, listed":                {first: "http://api.test/t", to: "http://other.test/u", by: "child", with: true, listed: "http://other.test:80/"},
}

// origins serves http and https, and remembers the requests after the first one
// and the logins.
type origins struct {
	to string
	by string

	mu    sync.Mutex
	first []*http.Request
	after []*http.Request
}

func (o *origins) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	away := func(to string) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	switch r.URL.Path {
	case "/login":
		write(w, `{"token":"cnry-token-1"}`)
	case "/t":
		o.first = append(o.first, r.Clone(context.WithoutCancel(r.Context())))
		if o.by == "redirect" {
			away(o.to)
			return
		}
		write(w, `{"rows":[{"id":1,"host":"other.test","url":`+jsonText(o.to)+`}],"next_page":`+jsonText(o.to)+`}`)
	case "/away":
		away("http://evil.test/u")
	case "/back":
		o.after = append(o.after, r.Clone(context.WithoutCancel(r.Context())))
		away("http://api.test/u")
	default:
		o.after = append(o.after, r.Clone(context.WithoutCancel(r.Context())))
		write(w, `{"rows":[]}`)
	}
}

// proofs are what of a request proves who sent it.
func proofs(r *http.Request) []string {
	var found []string
	for _, name := range []string{"Authorization", "Cookie", "X-Token", "X-Amz-Date", "X-Made", "X-Short"} {
		if len(r.Header.Values(name)) > 0 {
			found = append(found, name)
		}
	}
	for _, name := range append([]string{"key"}, ownParameters...) {
		if r.URL.Query().Has(name) {
			found = append(found, name)
		}
	}
	return found
}

// ownParameters are the credentials among the parameters of the jobs.
var ownParameters = []string{"secret", "made", "short", "deep[token]"}

// What is made of a secret: in the headers of a configuration, and beside its
// parameter secret. X-Time is made of nothing that is one.
const (
	basicMade   = `{"function":"concat","args":["Basic ",{"function":"base64_encode","args":[{"function":"concat","args":["u:",{"attr":"#password"}]}]}]}`
	shortMade   = `{"function":"sprintf","args":["p%d",{"attr":"login.#pin"}]}`
	madeHeaders = `"X-Made":` + basicMade + `,"X-Short":` + shortMade + `,"X-Time":{"function":"date","args":["Y",0]}`
	madeParams  = `"made":` + basicMade + `,"short":` + shortMade + `,"deep":{"token":{"function":"md5","args":[{"attr":"#password"}]},"page":"p7"}`
)

// checkShown searches what is made of a secret in what was said. What looks alike
// but is not a secret must be seen.
func checkShown(t *testing.T, said map[string]string) {
	t.Helper()
	hides(t, said, "cnry-password-1", "dTpjbnJ5LXBhc3N3b3JkLTE", "aba5fdc3f3e7324977d8f956d48eebe7", "short=p7", "X-Short: p7", `"X-Short": "p7`, `"name":"X-Short","value":"p7`)
	for name, open := range map[string]string{"events": "deep%5Bpage%5D=p7", "run.har": "deep%5Bpage%5D=p7", "plan": "deep%5Bpage%5D=p7", "plan --curl": "X-Time: 1970"} {
		if !strings.Contains(said[name], open) {
			t.Errorf("%s does not show %s, which is not a secret: %s", name, open, said[name])
		}
	}
}

// leave runs a departure.
func (d departure) leave(t *testing.T, authentication, headers, more string) (*origins, outcome) {
	t.Helper()
	api := &origins{to: d.to, by: d.by}
	w := newWorld(t, api)
	secure := httptest.NewUnstartedServer(api)
	secure.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
	secure.StartTLS()
	t.Cleanup(func() {
		secure.CloseClientConnections()
		secure.Close()
	})
	w.options.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "example.com:443" && !strings.HasSuffix(d.to, ":443/u") || address == "example.com:443" && len(api.first) == 0 {
			return (&net.Dialer{}).DialContext(ctx, "tcp", secure.Listener.Addr().String())
		}
		return w.dial(ctx, network, address)
	}
	authority := jsonText(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	params := `,"params":{"secret":{"attr":"#password"},` + madeParams + `,"open":"sesame"}`
	if d.bare {
		params = ""
	}
	job := map[string]string{
		"redirect":  `{"endpoint":"t"` + params + `}`,
		"next page": `{"endpoint":"t","scroller":"pages"` + params + `}`,
		"child":     `{"endpoint":"t","dataField":"rows"` + params + `,"children":[{"endpoint":` + jsonText(cmp.Or(d.child, "{url}")) + `,"dataField":"rows"` + params + `,"placeholders":{"url":"url","host":"host"}}]}`,
	}[d.by]
	var listed []string
	if d.listed != "" {
		listed = []string{jsonText(d.listed)}
	}
	document := `{"parameters":{"api":{"baseUrl":` + jsonText(strings.Replace(strings.TrimSuffix(d.first, "t"), "://", "://"+d.user, 1)) + `,"caCertificate":` + authority + `,"authentication":` + authentication + `,
		"http":{"headers":{` + headers + `},"trustedOrigins":[` + strings.Join(listed, "") + `]},
		"pagination":{"method":"multiple","scrollers":{"pages":{"method":"response.url","includeParams":true}}}},
		"config":{"debug":true,"outputBucket":"b","username":"ann","#password":"cnry-password-1","login":{"#pin":7},"jobs":[` + job + `]}` + more + `},
		"authorization":{"oauth_api":{"credentials":{"#data":"{\"access_token\":\"cnry-token-1\",\"oauth_token\":\"cnry-token-2\",\"oauth_token_secret\":\"cnry-secret-1\"}","appKey":"app","#appSecret":"cnry-secret-2"}}}}`
	got, said := w.showing(t, document)
	if got.exit != 0 {
		t.Fatalf("exit code %d: %s", got.exit, got.stderr)
	}
	if !d.bare {
		checkShown(t, said)
	}
	return api, got
}

// TestCredentialsStayOnTheirOrigin: a response takes no credentials to another
// origin, be it by a redirect, by the address of the next page or by a row.
func TestCredentialsStayOnTheirOrigin(t *testing.T) {
	slowtest.Skip(t, "it goes every way with every credential")
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(departures)) {
		for j, kind := range slices.Sorted(maps.Keys(authentications)) {
			if !slowtest.Turn(i+j, 4) {
				continue
			}
			d, authentication := departures[name], authentications[kind]
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				headers, more := madeHeaders, ""
				switch kind {
				case "headers":
					headers += `,"authorization":"Bearer cnry-1","cookie":"session=cnry-2","X-Token":{"attr":"#password"}`
				case "":
					more = `,"aws":{"signature":{"credentials":{"accessKeyId":"AKID","#secretKey":"cnry-secret-3","serviceName":"s","regionName":"r"}}}`
				}
				api, got := d.leave(t, authentication, headers, more)
				d.check(t, api)
				d.checkReported(t, got)
			})
		}
	}
}

func (d departure) check(t *testing.T, api *origins) {
	t.Helper()
	if len(api.first) != 1 || len(api.after) == 0 {
		t.Fatalf("%d first requests, %d others", len(api.first), len(api.after))
	}
	all := proofs(api.first[0])
	if len(all) == 0 {
		t.Fatal("the first request has no credentials")
	}
	for _, r := range api.after {
		got := proofs(r)
		if d.by == "redirect" && d.with {
			all = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(ownParameters, name) }) // a redirect has its own parameters
		}
		if d.with && !slices.Equal(got, all) || !d.with && len(got) > 0 {
			t.Errorf("%s %s has %v, the first request %v", r.Host, r.URL.Path, got, all)
		}
	}
}

// checkReported checks that the run says when credentials were withheld, once.
func (d departure) checkReported(t *testing.T, got outcome) {
	t.Helper()
	if count := strings.Count(got.stdout, `"event":"credentials.withheld"`); (count == 1) == d.with || count > 1 {
		t.Errorf("reported %d times: %s", count, got.stdout)
	}
}

// TestOneCredentialIsReported: no matter what is the only thing withheld, the run says
// so.
func TestOneCredentialIsReported(t *testing.T) {
	slowtest.Skip(t, "it goes every way with every credential")
	t.Parallel()
	const made = `"X-Short":` + shortMade
	for name, d := range departures {
		for what, headers := range map[string]string{"Authorization": `"Authorization":"Bearer x"`, "a header": made, "user": ""} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				d := d
				d.bare = true
				if what == "user" {
					d.user = "ann:cnry-password-1@"
				}
				api, got := d.leave(t, `null`, headers, "")
				first := proofs(api.first[0])
				if len(first) != 1 {
					t.Errorf("the first request has %v", first)
				}
				for _, r := range api.after {
					if found := proofs(r); !d.with && len(found) > 0 {
						t.Errorf("%s %s has %v", r.Host, r.URL.Path, found)
					}
				}
				d.checkReported(t, got)
			})
		}
	}
}
