// Package container runs the component as the platform does: from its image, as
// some user id, with a read-only root file system. Without a Docker engine the
// tests are skipped.
//
// No registry is needed: the image is built from the Dockerfile's final stage
// with a binary built on this machine.
package container

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

const image = "configurable-extractor:test"

// run runs a command and returns what it printed.
func run(t *testing.T, dir, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	stdout, stderr, err := run(t, dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// TestImage and the subtests share one image.
func TestImage(t *testing.T) {
	build(t)
	t.Run("what is in it", whatIsInIt)
	t.Run("any user with a read-only root", anyUserWithAReadOnlyRoot)
	t.Run("failure leaves nothing", failureLeavesNothing)
}

// build builds the image's final stage around a binary of this machine.
func build(t *testing.T) {
	t.Helper()
	if _, _, err := run(t, "", "docker", "info"); err != nil {
		t.Skip("no Docker engine answers")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	must(t, root, "go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=test", "-o", filepath.Join(dir, "extractor"), "./cmd/extractor")
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	_, final, ok := strings.Cut(string(text), "\nFROM scratch\n")
	if !ok || !strings.Contains(final, "COPY --from=builder /out/extractor /extractor") {
		t.Fatal("the Dockerfile has no final stage from scratch that copies the binary")
	}
	final = "FROM scratch\n" + strings.Replace(final, "COPY --from=builder /out/extractor /extractor", "COPY extractor /extractor", 1)
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(final), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "docker", "build", "--build-arg", "VERSION=test", "-t", image, ".")
}

func whatIsInIt(t *testing.T) {
	if got := must(t, "", "docker", "run", "--rm", "--network", "none", image, "version"); got != "configurable-extractor test\n" {
		t.Errorf("version: got %q", got)
	}
	size := strings.TrimSpace(must(t, "", "docker", "image", "inspect", "-f", "{{.Size}}", image))
	var bytes int
	if _, err := fmt.Sscan(size, &bytes); err != nil || bytes > 20<<20 {
		t.Errorf("the image has %s bytes, expected at most 20 MB (%v)", size, err)
	}
	labels := must(t, "", "docker", "image", "inspect", "-f", `{{index .Config.Labels "org.opencontainers.image.version"}}`, image)
	if strings.TrimSpace(labels) != "test" {
		t.Errorf("version label: got %q", labels)
	}
}

// api serves two pages of items on a port of the loopback interface.
func api(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "0" {
			fmt.Fprint(w, `{"items":[{"id":1,"tags":["a"]},{"id":2,"tags":[]}]}`)
			return
		}
		fmt.Fprint(w, `{"items":[]}`)
	})}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// dataDir is a data directory that any user may write to.
func dataDir(t *testing.T, baseURL string) string {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"pagination":{"method":"offset","limit":2}},
		"config":{"outputBucket":"shop","jobs":[{"endpoint":"items","dataField":"items"}]}}}`, baseURL)
	for _, sub := range []string{"", "in", "in/tables", "out", "out/tables"} {
		path := filepath.Join(dir, sub)
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func anyUserWithAReadOnlyRoot(t *testing.T) {
	dir := dataDir(t, api(t))
	for _, parent := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(parent, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "host", "--read-only", "--user", "12345",
		"--cap-drop", "ALL", "--memory", "64m", "-v", dir+":/data", image)
	if err != nil || stderr != "" {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	want := map[string]string{
		"shop.items":               "\"id\",\"tags\"\n\"1\",\"items_",
		"shop.items.manifest":      `{"destination":"in.c-shop.items","incremental":false}`,
		"shop.items_tags":          "\"data\",\"JSON_parentId\"\n\"a\",\"items_",
		"shop.items_tags.manifest": `{"destination":"in.c-shop.items_tags","incremental":false}`,
	}
	entries, err := os.ReadDir(filepath.Join(dir, "out/tables"))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("got %d files, want %d", len(entries), len(want))
	}
	for name, start := range want {
		text, err := os.ReadFile(filepath.Join(dir, "out/tables", name))
		if err != nil || !strings.HasPrefix(string(text), start) {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
}

func failureLeavesNothing(t *testing.T) {
	dir := dataDir(t, "http://127.0.0.1:1")
	config := `{"parameters":{"api":{"baseUrl":"http://127.0.0.1:1","retryConfig":{"maxRetries":0}},"config":{"jobs":[{"endpoint":"x"}]}}}`
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "host", "--read-only", "-v", dir+":/data", "--user", "0", image)
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 1 {
		t.Fatalf("got %v, want exit code 1", err)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "network error 7") {
		t.Errorf("stderr: %q", stderr)
	}
	for _, sub := range []string{"out", "out/tables"} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "tables" {
				t.Errorf("left behind: %s/%s", sub, e.Name())
			}
		}
	}
}

// TestComposeFile checks what can be checked of the compose file without base
// images: that it is one, and that its configuration is sound.
func TestComposeFile(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	compose := []string{"docker", "compose"}
	if _, _, err := run(t, root, "docker", "compose", "version"); err != nil {
		compose = []string{"docker-compose"}
		if _, _, err := run(t, root, "docker-compose", "version"); err != nil {
			t.Skip("no compose command")
		}
	}
	args := append(compose[1:], "-f", "docker/compose.yaml", "config", "--services")
	services := strings.Fields(must(t, root, compose[0], args...))
	slices.Sort(services)
	if !slices.Equal(services, []string{"extractor", "sample-api"}) {
		t.Errorf("services: %v", services)
	}
	text, err := os.ReadFile(filepath.Join(root, "docker/data/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := config.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := config.Compile(doc, config.Options{Strict: true}); problems.Err() != nil {
		t.Error(problems.Err())
	}
}
