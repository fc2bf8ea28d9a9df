package supply

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// address is where a system call wants to connect or to send to, in two forms:
//
//	{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("192.0.2.1")}
//	{sa_family=AF_INET6, sin6_port=htons(80), …, inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), …}
var address = regexp.MustCompile(`sa_family=AF_INET6?, sin6?_port=htons\((\d+)\)[^"}]*"([^"]*)"`)

// TestNetwork: the extractor talks to the target API and, where a command requests it, to the platform: to no other address, and to no name server where the
// configuration has addresses. The kernel is the witness.
func TestNetwork(t *testing.T) {
	slowtest.OutsideCI(t, "it follows a program by strace")
	if err := exec.Command("strace", "-qq", "-o", os.DevNull, "-e", "trace=connect", "true").Run(); err != nil {
		t.Skip("strace cannot look at a process here: ", err)
	}
	program := filepath.Join(built(t), "extractor")
	elsewhere := responding(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[{"id":1}]`) })
	target := responding(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, elsewhere.URL+"/items", http.StatusFound)
			return
		}
		fmt.Fprint(w, `[{"id":1}]`)
	})
	platform := responding(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[]`)
	})

	for name, test := range map[string]struct {
		endpoint string
		command  []string
		want     []*httptest.Server
	}{
		"a run talks to the target":                        {"items", []string{"run", "--data", "."}, []*httptest.Server{target}},
		"a redirect is noticed, so this test sees it all":  {"moved", []string{"run", "--data", "."}, []*httptest.Server{target, elsewhere}},
		"without a command as the platform runs it":        {"items", nil, []*httptest.Server{target}},
		"a command for the platform talks to the platform": {"items", []string{"config", "list"}, []*httptest.Server{platform}},
		"validate talks to no one":                         {"items", []string{"validate", "config.json"}, nil},
		"plan talks to no one":                             {"items", []string{"plan", "config.json"}, nil},
		"explain talks to no one":                          {"items", []string{"explain", "unknown-key"}, nil},
		"schema talks to no one":                           {"items", []string{"schema"}, nil},
		"init talks to no one":                             {"items", []string{"init", "--recipe", "offset"}, nil},
		"version talks to no one":                          {"items", []string{"version"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"shop","jobs":[{"endpoint":%q}]}}}`, target.URL, test.endpoint)
			if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, server := range test.want {
				want = append(want, server.Listener.Addr().String())
			}
			got := addresses(t, dir, platform.URL, program, test.command...)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("it talks to %q, want %q", got, want)
			}
		})
	}
}

func responding(t *testing.T, response http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(response)
	t.Cleanup(server.Close)
	return server
}

// addresses are all addresses that a command and its children wanted to connect
// or to send to, sorted.
func addresses(t *testing.T, dir, platform, program string, args ...string) []string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.CommandContext(t.Context(), "strace", append([]string{"-f", "-qq", "-o", trace, "-s", "0", "-e", "trace=connect,sendto,sendmsg,sendmmsg", program}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "KBC_DATADIR=" + dir, "KBC_URL=" + platform, "KBC_TOKEN=local", "KBC_COMPONENTID=acme.ex-shop"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	var found []string
	for line := range strings.Lines(string(read(t, trace))) {
		known := address.FindAllStringSubmatch(line, -1)
		for _, m := range known {
			found = append(found, net.JoinHostPort(m[2], m[1]))
		}
		if len(known) < strings.Count(line, "sa_family=") {
			found = append(found, line)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
