//go:build linux

package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	build "github.com/keboola/configurable-extractor/internal/testbin"
)

// extractor is the program, built once for all tests.
var extractor string

// limits are the environment variables that make of this test binary a program
// that starts another one, which may write files of so many bytes only, or have
// so many files open.
var limits = map[string]int{
	fileLimit: syscall.RLIMIT_FSIZE,
	openLimit: syscall.RLIMIT_NOFILE,
}

const (
	fileLimit = "MACHINE_FILE_LIMIT"
	openLimit = "MACHINE_OPEN_LIMIT"
)

func TestMain(m *testing.M) {
	for name, resource := range limits {
		if limit := os.Getenv(name); limit != "" {
			fmt.Fprintln(os.Stderr, execLimited(resource, limit, os.Args[1:]))
			os.Exit(99)
		}
	}
	os.Exit(build.Run(m.Run, map[string]*string{"extractor": &extractor}))
}

// execLimited becomes another program with a limit. It returns only after an
// error.
func execLimited(resource int, limit string, args []string) error {
	most, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	return syscall.Exec(args[0], args, os.Environ())
}

// firstGeneration of the data; all have as many digits, so that sizes and order
// are always the same.
const firstGeneration = 100000

// api is an API whose data has a generation: a column of each table is named
// after it, and so it is in the tables and in the state.
type api struct {
	url        string
	generation atomic.Int64
	// small and large responses, those of the first generation.
	small, large []byte
	// last gets a value when the last request of a run is answered.
	last chan struct{}
}

// newAPI serves an API one of whose responses has so many rows, with texts of so
// many bytes.
func newAPI(t *testing.T, rows, text int) *api {
	t.Helper()
	slowtest.OutsideCI(t, "it kills programs and fills disks")
	a := &api{small: response(5, 50), large: response(rows, text), last: make(chan struct{}, 1)}
	a.generation.Store(firstGeneration)
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	a.url = server.URL
	return a
}

// response has texts that cannot be compressed much: they must need space.
func response(rows, text int) []byte {
	random, noise := rand.NewChaCha8([32]byte{}), make([]byte, text/2)
	body := []byte{'['}
	for i := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		_, _ = random.Read(noise) // never fails
		body = fmt.Appendf(body, `{"id":%d,"g%d":"%[2]d","text":"%x"}`, i, firstGeneration, noise)
	}
	return append(body, ']')
}

// ServeHTTP implements http.Handler.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := a.small
	if r.URL.Path == "/rows" {
		body = a.large
	}
	if name, isFile := strings.CutPrefix(r.URL.Path, "/files/"); isFile {
		body = fileBody(name)
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%d-%s.txt"`, a.generation.Load(), name))
	}
	body = bytes.ReplaceAll(body, strconv.AppendInt(nil, firstGeneration, 10), strconv.AppendInt(nil, a.generation.Load(), 10))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Generation", strconv.FormatInt(a.generation.Load(), 10))
	_, _ = w.Write(body) // who asked may be dead
	if r.URL.Path == "/last" {
		select {
		case a.last <- struct{}{}:
		default:
		}
	}
}

// config has automatic tables, child jobs, mapped tables and a state that says twice
// of which generation it is: by a column, and by what it remembers.
func (a *api) config() string {
	return fmt.Sprintf(`{"parameters": {"api": {"baseUrl": %q, "retryConfig": {"maxRetries": 0}}, "config": {
		"outputBucket": "b", "driftWarning": true,
		"mappings": {"mapped": {"id": "id", "text": "text"}},
		"jobs": [
			{"endpoint": "users", "children": [{"endpoint": "users/{id}/posts", "dataType": "posts", "placeholders": {"id": "id"}}]},
			{"endpoint": "rows"},
			{"endpoint": "mapped"},
			{"endpoint": "last", "remember": {"generation": {"responseHeader": "X-Generation"}}}]}}}`, a.url)
}

// program is one run of the extractor.
type program struct {
	args  []string
	env   []string
	limit string // of the size of files, in bytes
	open  string // how many files may be open
	uid   uint32 // 0 for our own
}

// result is how it ended.
type result struct {
	exit           int
	stdout, stderr string
	memory         int64 // the most that was resident, in bytes
}

func (p program) command(ctx context.Context, data string) *exec.Cmd {
	args := append([]string{extractor, "run", "--data", data}, p.args...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), p.env...)
	for name, limit := range map[string]string{fileLimit: p.limit, openLimit: p.open} {
		if limit != "" {
			cmd = exec.CommandContext(ctx, os.Args[0], args...)
			cmd.Env = append(append(cmd.Environ(), p.env...), name+"="+limit)
		}
	}
	if p.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: p.uid, Gid: p.uid}}
	}
	return cmd
}

func (p program) run(t *testing.T, data string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := p.command(ctx, data)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), usage.Maxrss << 10}
}

func (r result) mustSucceed(t *testing.T) {
	t.Helper()
	if r.exit != 0 {
		t.Fatalf("exit code %d: %s", r.exit, r.stderr)
	}
}

// mustFail checks the exit code, and that one line says all of this.
func (r result) mustFail(t *testing.T, exit int, says ...string) {
	t.Helper()
	if r.exit != exit {
		t.Errorf("exit code %d, want %d: %s", r.exit, exit, r.stderr)
	}
	if strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("stderr is not one line: %q", r.stderr)
	}
	for _, text := range says {
		if !strings.Contains(r.stderr, text) {
			t.Errorf("the message %q lacks %q", r.stderr, text)
		}
	}
}

// dataDir is a data directory with this configuration, which another user may
// enter.
func dataDir(t *testing.T, config string) string {
	t.Helper()
	slowtest.OutsideCI(t, "it kills programs and fills disks")
	dir := filepath.Join(t.TempDir(), "data")
	must(t, os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755))
	lay(t, dir, map[string]string{"config.json": config, "in/": ""})
	return dir
}

// lay makes files with these contents; a name that ends with a slash is a
// directory.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// files is what is below a directory: contents by name, directories with a slash
// at the end of their names. A directory that is missing holds nothing.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			found[name+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		found[name] = string(text)
		return err
	}))
	return found
}

// mustBe compares files without showing large contents.
func mustBe(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if other, ok := got[name]; !ok {
			t.Errorf("%s: %s is missing", what, name)
		} else if other != text {
			t.Errorf("%s: %s has %d bytes and should have %d: %.80q, not %.80q", what, name, len(other), len(text), other, text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: there is %s, which should not be", what, name)
		}
	}
}

// tables are the files of out/tables; none when it is missing.
func tables(t *testing.T, data string) map[string]string {
	t.Helper()
	return files(t, filepath.Join(data, "out", "tables"))
}

// template are the tables of one healthy run, of which those of every generation
// can be made.
type template map[string]string

func newTemplate(t *testing.T, a *api) template {
	t.Helper()
	dir := dataDir(t, a.config())
	program{}.run(t, dir).mustSucceed(t)
	made := template(tables(t, dir))
	for _, name := range []string{"b.users", "b.posts", "b.rows", "b.mapped", "b.last"} {
		if made[name] == "" || made[name+".manifest"] == "" {
			t.Fatalf("the healthy run made only %v", names(made))
		}
	}
	return made
}

// of are the tables of a generation.
func (m template) of(generation int64) map[string]string {
	made := map[string]string{}
	for name, text := range m {
		made[name] = strings.ReplaceAll(text, strconv.Itoa(firstGeneration), strconv.FormatInt(generation, 10))
	}
	return made
}

func names(files map[string]string) []string {
	var all []string
	for name := range maps.Keys(files) {
		all = append(all, name)
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
