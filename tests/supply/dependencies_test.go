package supply

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
)

const (
	page = root + "/docs/understand/dependencies.md"
	ours = "github.com/keboola/configurable-extractor"
)

// permissive are the licences that a module may have.
var permissive = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// weak are modules with a licence that requests the source of their own files
// only, MPL-2.0. The page says why they are here.
var weak = []string{"github.com/hashicorp/errwrap", "github.com/hashicorp/go-multierror"}

// row is a row of the table of direct dependencies: the module, who needs it, its
// licences; then, written by people, what for and why not our own code.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|([^|]*)\\|([^|]*)\\| (.*\\S.*) \\| (.*\\S.*) \\|$")

// generated is the table of the modules that come along.
var generated = regexp.MustCompile(`(?s)(<!-- generated -->\n).*(<!-- end -->\n)`)

// TestDependencies: every module has its reason and a licence that lets everybody
// use it and pass it on.
func TestDependencies(t *testing.T) {
	slowtest.Skip(t, "it looks at the sources of all modules")
	m := allModules(t)
	if len(m.dirs) < 20 {
		t.Fatalf("only %d modules: is this the list?", len(m.dirs))
	}
	t.Run("page", m.page)
	t.Run("licences", m.allLicences)
}

// page: it has a row for each direct dependency, and lists what else is linked
// into the extractor.
func (m modules) page(t *testing.T) {
	text := string(read(t, page))
	want := row.ReplaceAllStringFunc(text, func(line string) string {
		cells := row.FindStringSubmatch(line)
		name := cells[1]
		return "| `" + name + "` | " + strings.Join(m.neededBy[name], ", ") + " | " + m.licence(t, name) + " | " + cells[4] + " | " + cells[5] + " |"
	})
	want = generated.ReplaceAllString(want, "${1}"+m.comeAlong(t)+"${2}")
	golden.File(t, page, want)

	var rows []string
	for _, cells := range row.FindAllStringSubmatch(text, -1) {
		rows = append(rows, cells[1])
	}
	slices.Sort(rows)
	if direct := slices.Sorted(maps.Keys(m.direct)); len(rows) < 10 || !slices.Equal(rows, direct) {
		t.Errorf("%s has rows for\n%q\nbut the direct dependencies are\n%q", page, rows, direct)
	}
}

// allLicences: those of all modules of which something is built.
func (m modules) allLicences(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(m.dirs)) {
		for _, licence := range m.licences(t, name) {
			if !slices.Contains(permissive, licence) && !(licence == "MPL-2.0" && slices.Contains(weak, name)) {
				t.Errorf("%s has the licence %s, expected one of %q", name, licence, permissive)
			}
		}
	}
}

// modules are those of which packages are built: for the programs, for the tests,
// and the tools.
type modules struct {
	dirs     map[string]string              // module → its directory in the module cache
	neededBy map[string][]string            // module → who needs it: programs; tests or tool where no program does
	direct   map[string]bool                // the direct ones, of the modules in tests too
	linked   map[string]map[string]struct{} // module in the extractor → modules that import it
}

func allModules(t *testing.T) modules {
	t.Helper()
	m := modules{dirs: map[string]string{}, neededBy: map[string][]string{}, direct: map[string]bool{}, linked: map[string]map[string]struct{}{}}
	for _, program := range []string{"extractor", "devstack", "sbom"} {
		m.readPackages(t, program, "./cmd/"+program)
	}
	m.readPackages(t, "tests", "-test", "./...")
	m.readPackages(t, "tool", "tool")
	m.readDirect(t)
	return m
}

// goMod is what `go mod edit -json` says.
type goMod struct {
	Require []struct {
		Path     string
		Indirect bool
	}
	Tool []struct{ Path string }
}

// readDirect reads every go.mod. Tools are direct, though go.mod calls their
// modules indirect.
func (m modules) readDirect(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		dir := filepath.Dir(path)
		var mod goMod
		if err := json.Unmarshal([]byte(goCommand(t, dir, "mod", "edit", "-json")), &mod); err != nil {
			return err
		}
		for _, require := range mod.Require {
			isTool := slices.ContainsFunc(mod.Tool, func(tool struct{ Path string }) bool {
				return strings.HasPrefix(tool.Path+"/", require.Path+"/")
			})
			if require.Indirect && !isTool || require.Path == ours {
				continue
			}
			m.direct[require.Path] = true
			if m.dirs[require.Path] == "" {
				m.readNested(t, dir, require.Path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readNested enters a module that only another of our modules needs.
func (m modules) readNested(t *testing.T, dir, module string) {
	t.Helper()
	var downloaded struct{ Dir string }
	if err := json.Unmarshal([]byte(goCommand(t, dir, "mod", "download", "-json", module)), &downloaded); err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	m.dirs[module], m.neededBy[module] = downloaded.Dir, []string{filepath.ToSlash(name)}
}

// readPackages enters the modules of some packages and of all they import. Tests
// and tools are named only where nothing else needs the module.
func (m modules) readPackages(t *testing.T, who string, patterns ...string) {
	t.Helper()
	const format = `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Dir}}{{end}}{{end}}{{"\t"}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`
	moduleOf, importsOf := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(goCommand(t, root, append([]string{"list", "-deps", "-f", format}, patterns...)...)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 { // the standard library, or ours
			continue
		}
		module, packages := fields[0], strings.Fields(fields[2])
		m.dirs[module] = fields[1]
		moduleOf[packages[0]], importsOf[module] = module, append(importsOf[module], packages[1:]...)
	}
	for _, module := range slices.Sorted(maps.Keys(importsOf)) {
		isProgram := who != "tests" && who != "tool"
		if isProgram || len(m.neededBy[module]) == 0 {
			m.neededBy[module] = append(m.neededBy[module], who)
		}
		if who != "extractor" {
			continue
		}
		for _, imported := range importsOf[module] {
			if other := moduleOf[imported]; other != "" && other != module {
				if m.linked[other] == nil {
					m.linked[other] = map[string]struct{}{}
				}
				m.linked[other][module] = struct{}{}
			}
		}
	}
}

// comeAlong is the table of the modules in the extractor that are no one's choice
// here.
func (m modules) comeAlong(t *testing.T) string {
	t.Helper()
	table := "| module | licence | imported by |\n|---|---|---|\n"
	for _, module := range slices.Sorted(maps.Keys(m.linked)) {
		if !m.direct[module] {
			table += "| `" + module + "` | " + m.licence(t, module) + " | `" + strings.Join(slices.Sorted(maps.Keys(m.linked[module])), "`, `") + "` |\n"
		}
	}
	return table
}

func (m modules) licence(t *testing.T, module string) string {
	t.Helper()
	return strings.Join(m.licences(t, module), ", ")
}

// licences reads the files of a module that hold a licence, and says which one.
func (m modules) licences(t *testing.T, module string) []string {
	t.Helper()
	dir := m.dirs[module]
	if dir == "" {
		t.Errorf("%s is in no module cache, or nothing needs it", module)
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "COPYING") || strings.HasSuffix(name, ".GO") {
			continue
		}
		scan := licensecheck.Scan(read(t, filepath.Join(dir, entry.Name())))
		for _, match := range scan.Match {
			found[match.ID] = true
		}
		if scan.Percent < 75 {
			t.Errorf("%s: only %.0f %% of %s is a known licence: %v", module, scan.Percent, entry.Name(), scan.Match)
		}
	}
	if len(found) == 0 {
		t.Errorf("%s has no file with a known licence", module)
	}
	return slices.Sorted(maps.Keys(found))
}

// goCommand runs the Go command, for the platform of the image.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %q: %v", args, err)
	}
	return string(out)
}
