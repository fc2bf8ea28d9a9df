// Package supply tests where the program comes from and whom it talks to: its
// dependencies and their licences, the bytes that a build makes, the list of
// modules beside them, and the network connections of a run.
package supply

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/tests/image"
)

const root = "../.."

// builtOnce is the directory of what the Dockerfile makes of this source tree.
var builtOnce string

func TestMain(m *testing.M) {
	code := func() int {
		dir, err := os.MkdirTemp("", "supply-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		builtOnce = dir
		return m.Run()
	}()
	os.Exit(code)
}

// built builds with the Dockerfile's commands, once for all tests.
func built(t *testing.T) (dir string) {
	t.Helper()
	slowtest.OutsideCI(t, "it builds programs")
	if _, err := os.Stat(filepath.Join(builtOnce, "extractor.cdx.json")); err != nil {
		buildFrom(t, root, builtOnce)
	}
	return builtOnce
}

func buildFrom(t *testing.T, source, out string, environment ...string) {
	t.Helper()
	if _, err := image.Build(t.Context(), source, "Dockerfile", out, append(environment, "VERSION=1.2.3")...); err != nil {
		t.Fatal(err)
	}
}

// TestReproducible: the same sources give the same program and the same list of
// modules, in another directory and, where REPRODUCIBLE=thorough says so, also
// for another architecture and with nothing kept of earlier builds: that takes
// minutes.
func TestReproducible(t *testing.T) {
	slowtest.OutsideCI(t, "it builds programs")
	first := map[string]string{"amd64": t.TempDir(), "arm64": t.TempDir()}
	thorough := os.Getenv("REPRODUCIBLE") == "thorough"
	if !thorough {
		first = map[string]string{"": built(t)}
	}
	elsewhere := filepath.Join(t.TempDir(), "another", "and longer", "path")
	copySources(t, elsewhere)
	empty := t.TempDir()
	for arch, dir := range first {
		environment := []string{"TARGETARCH=" + arch}
		if thorough {
			buildFrom(t, root, dir, environment...)
			environment = append(environment, "GOCACHE="+empty)
		}
		again := t.TempDir()
		buildFrom(t, elsewhere, again, environment...)
		for _, name := range []string{"extractor", "extractor.cdx.json"} {
			one, other := digest(t, filepath.Join(dir, name)), digest(t, filepath.Join(again, name))
			t.Logf("%s %s: %s", name, arch, one)
			if one != other {
				t.Errorf("%s %s: built twice, it differs: sha256 %s and %s", name, arch, one, other)
			}
		}
	}
}

// copySources copies what the Dockerfile copies.
func copySources(t *testing.T, to string) {
	t.Helper()
	for _, dir := range []string{"cmd", "pkg"} {
		if err := os.CopyFS(filepath.Join(to, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "Dockerfile"} {
		if err := os.WriteFile(filepath.Join(to, name), read(t, filepath.Join(root, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func digest(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// TestListOfModules: the list in the image is a CycloneDX document, of this
// program, with all that is linked into it.
func TestListOfModules(t *testing.T) {
	dir := built(t)
	text := read(t, filepath.Join(dir, "extractor.cdx.json"))
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := cycloneDX(t).Validate(document); err != nil {
		t.Error(err)
	}

	type component struct {
		Name, Version string
		Hashes        []struct{ Alg, Content string }
	}
	var list struct {
		Metadata   struct{ Component component }
		Components []component
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "extractor")
	of := list.Metadata.Component
	if of.Name != "configurable-extractor" || of.Version != "1.2.3" || len(of.Hashes) != 1 || of.Hashes[0].Content != digest(t, program) {
		t.Errorf("it is the list of %+v", of)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"stdlib " + strings.TrimPrefix(info.GoVersion, "go")}
	for _, module := range info.Deps {
		want = append(want, module.Path+" "+module.Version)
	}
	var got []string
	for _, c := range list.Components {
		got = append(got, c.Name+" "+c.Version)
	}
	if len(got) < 10 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// cycloneDX is the published schema; the library that writes the document brings
// it with it.
func cycloneDX(t *testing.T) *jsonschema.Schema {
	t.Helper()
	const schemas = "http://cyclonedx.org/schema/"
	dir := strings.TrimSpace(goCommand(t, root, "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"))
	compiler := jsonschema.NewCompiler()
	for id, file := range map[string]string{
		"bom-1.6.schema.json":  "bom-1.6.schema.json",
		"spdx.schema.json":     "spdx.schema.json",
		"jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(read(t, filepath.Join(dir, "schema", file))))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(schemas+id, schema); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile(schemas + "bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
