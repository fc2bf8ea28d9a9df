package supply

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestInstall: `go install …/cmd/extractor@latest` works, as the README shows it, and
// the program reports the version of the module. The proxy is a directory with this
// module as it would be published, and with its dependencies from the module cache.
func TestInstall(t *testing.T) {
	slowtest.OutsideCI(t, "it builds the program from sources in another place")
	t.Parallel()
	proxy, cache, bin := t.TempDir(), t.TempDir(), t.TempDir()
	publish(t, proxy, "v1.2.3")

	cmd := exec.CommandContext(t.Context(), "go", "install", "-trimpath", "-modcacherw", ours+"/cmd/extractor@latest")
	cmd.Dir = bin // outside of the module
	downloaded := filepath.Join(strings.TrimSpace(goEnv(t, "GOMODCACHE")), "cache", "download")
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+cache, "GOPROXY=file://"+proxy+",file://"+downloaded,
		"GOSUMDB=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "extractor"), "version").CombinedOutput()
	if want := "configurable-extractor 1.2.3\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

// publish puts this module into the directory of a proxy: every file of the repository
// but those of the modules in it.
func publish(t *testing.T, proxy, version string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(ours), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("list", []byte(version+"\n"))
	write(version+".info", []byte(`{"Version":"`+version+`","Time":"2026-11-22T00:00:00Z"}`))
	write(version+".mod", read(t, root+"/go.mod"))

	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := zip.NewWriter(archive)
	names := published(t)
	if !slices.Contains(names, "LICENSE") || slices.Contains(names, "tests/faults/go.mod") {
		t.Fatalf("these are not the files of the module: %q", names)
	}
	for _, name := range names {
		file, err := files.Create(ours + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(read(t, filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
}

// published are the files that git knows and that belong to this module, without those
// that have just been removed and without links, which are not published.
func published(t *testing.T) (names []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("this is no clone: ", err)
	}
	known := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var modules []string
	for _, name := range known {
		if dir, ok := strings.CutSuffix(name, "/go.mod"); ok {
			modules = append(modules, dir+"/")
		}
	}
	for _, name := range known {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil || info.Mode()&fs.ModeType != 0 {
			continue
		}
		if !slices.ContainsFunc(modules, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
			names = append(names, name)
		}
	}
	return names
}
