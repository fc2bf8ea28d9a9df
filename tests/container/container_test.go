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
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/tests/image"
)

// run runs a command and returns what it printed.
func run(t *testing.T, dir, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return runWith(t, dir, os.Environ(), name, args...)
}

func runWith(t *testing.T, dir string, env []string, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(slices.Clip(env), "CGO_ENABLED=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	return mustWith(t, dir, os.Environ(), name, args...)
}

func mustWith(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	stdout, stderr, err := runWith(t, dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// images are what the tests run: the images of the two Dockerfiles, the program
// that is in the second one, and the list of modules that is in the first one.
type images struct{ extractor, devstack, program, sbom string }

// TestImages builds the images once for all that run them.
func TestImages(t *testing.T) {
	needEngine(t)
	i := buildImages(t)
	for name, test := range map[string]func(*testing.T){
		"what is in it":                   i.whatIsInIt,
		"list of modules":                 i.listOfModules,
		"no data directory":               i.noDataDirectory,
		"an API on this machine":          i.apiOnThisMachine,
		"no way out":                      i.noWayOut,
		"any user with a read-only root":  i.anyUserWithAReadOnlyRoot,
		"failure leaves nothing":          i.failureLeavesNothing,
		"large response in little memory": i.largeResponses,
		"stopped component":               i.stoppedComponent,
		"platform beside containers":      i.platformBesideContainers,
		"compose":                         i.compose,
		"demo in containers":              i.demoInContainers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func needEngine(t *testing.T) {
	t.Helper()
	slowtest.OutsideCI(t, "it builds images")
	if _, _, err := run(t, "", "docker", "info"); err != nil {
		t.Skip("no Docker engine answers")
	}
}

func projectRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// buildImages builds both images. Their names are those of this process, for
// several may test with one engine.
func buildImages(t *testing.T) images {
	t.Helper()
	i := images{
		extractor: fmt.Sprintf("configurable-extractor:test-%d", os.Getpid()),
		devstack:  fmt.Sprintf("configurable-extractor-devstack:test-%d", os.Getpid()),
	}
	i.sbom = filepath.Join(build(t, i.extractor, "Dockerfile"), "extractor.cdx.json")
	i.program = filepath.Join(build(t, i.devstack, "docker/devstack.Dockerfile"), "devstack")
	return i
}

// build builds an image without its base image: the commands of the builder run on
// this machine. It returns the directory of what they made.
func build(t *testing.T, name, dockerfile string) (out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out = t.TempDir()
	final, err := image.Build(ctx, projectRoot(t), dockerfile, out, "VERSION=test")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "Dockerfile"), []byte(final), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, out, "docker", "build", "--build-arg", "VERSION=test", "-t", name, ".")
	cleanUp(t, "docker", "rmi", "--force", name)
	return out
}

// cleanUp runs a command when the test has ended.
func cleanUp(t *testing.T, name string, args ...string) {
	t.Cleanup(func() {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	})
}

func (i images) whatIsInIt(t *testing.T) {
	if got := must(t, "", "docker", "run", "--rm", "--network", "none", i.extractor, "version"); got != "configurable-extractor test\n" {
		t.Errorf("version: got %q", got)
	}
	size := strings.TrimSpace(must(t, "", "docker", "image", "inspect", "-f", "{{.Size}}", i.extractor))
	var bytes int
	if _, err := fmt.Sscan(size, &bytes); err != nil || bytes > 20<<20 {
		t.Errorf("the image has %s bytes, expected at most 20 MB (%v)", size, err)
	}
	labels := must(t, "", "docker", "image", "inspect", "-f", `{{index .Config.Labels "org.opencontainers.image.version"}}`, i.extractor)
	if strings.TrimSpace(labels) != "test" {
		t.Errorf("version label: got %q", labels)
	}
}

// noDataDirectory: a container without a mounted directory says how to mount one, by the
// command that docs/how-to/install.md shows.
func (i images) noDataDirectory(t *testing.T) {
	_, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "none", i.extractor)
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 2 {
		t.Fatalf("got %v, want exit code 2\n%s", err, stderr)
	}
	_, command, found := strings.Cut(stderr, "docker run ")
	command, _, _ = strings.Cut(command, "\n")
	if !found {
		t.Fatalf("stderr: %q", stderr)
	}
	guide, err := os.ReadFile(filepath.Join(projectRoot(t), "docs/how-to/install.md"))
	if err != nil || !strings.Contains(string(guide), "\ndocker run "+command) {
		t.Errorf("docs/how-to/install.md does not have the command 'docker run %s', %v", strings.TrimSpace(command), err)
	}
}

// apiOnThisMachine: the name host.docker.internal, with the option that Linux needs,
// leads to a server on this machine, without the network of this machine.
func (i images) apiOnThisMachine(t *testing.T) {
	address, err := url.Parse(api(t, "0.0.0.0").URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":"http://host.docker.internal:%s","pagination":{"method":"offset","limit":2}},
		"config":{"outputBucket":"shop","jobs":[{"endpoint":"items","dataField":"items"}]}}}`, address.Port()))
	if stdout, stderr, err := run(t, "", "docker", "run", "--rm", "--add-host", "host.docker.internal:host-gateway", "--read-only", "-v", dir+":/data", i.extractor); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/tables/shop.items")); err != nil {
		t.Error(err)
	}
}

// listOfModules: the label says where in the image the list is that was made of
// the program in it.
func (i images) listOfModules(t *testing.T) {
	path := strings.TrimSpace(must(t, "", "docker", "image", "inspect", "-f", `{{index .Config.Labels "com.keboola.sbom"}}`, i.extractor))
	container := strings.TrimSpace(must(t, "", "docker", "create", i.extractor))
	cleanUp(t, "docker", "rm", "--force", "--volumes", container)
	file := filepath.Join(t.TempDir(), "sbom")
	must(t, "", "docker", "cp", container+":"+path, file)
	got, err := os.ReadFile(file)
	want, wantErr := os.ReadFile(i.sbom)
	if err := errors.Join(err, wantErr); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %v\n%s", path, err, got)
	}
}

// dataDir is a data directory that any user may write to.
func dataDir(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"", "in", "in/tables", "out", "out/tables"} {
		path := filepath.Join(dir, sub)
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777); err != nil { // regardless of the umask
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (i images) anyUserWithAReadOnlyRoot(t *testing.T) {
	dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"pagination":{"method":"offset","limit":2}},
		"config":{"outputBucket":"shop","jobs":[{"endpoint":"items","dataField":"items"}]}}}`, api(t, "127.0.0.1").URL))
	stdout, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "host", "--read-only", "--user", "12345",
		"--cap-drop", "ALL", "--memory", "64m", "-v", dir+":/data", i.extractor)
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

func (i images) failureLeavesNothing(t *testing.T) {
	dir := dataDir(t, `{"parameters":{"api":{"baseUrl":"http://127.0.0.1:1","retryConfig":{"maxRetries":0}},"config":{"jobs":[{"endpoint":"x"}]}}}`)
	_, stderr, err := run(t, "", "docker", "run", "--rm", "--network", "host", "--read-only", "-v", dir+":/data", "--user", "0", i.extractor)
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 1 {
		t.Fatalf("got %v, want exit code 1", err)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "network error 7") {
		t.Errorf("stderr: %q", stderr)
	}
	nothingIn(t, dir)
}

// nothingIn wants nothing in out/ but an empty directory for tables.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
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
