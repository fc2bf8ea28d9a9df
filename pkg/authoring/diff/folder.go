package diff

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const manifestSuffix = ".manifest"

// folder is a directory of tables.
type folder struct {
	path  string
	names []string // sorted names of the tables
}

// openFolder finds the tables in dir/out/tables. If that directory does not exist, it
// finds them in dir itself. It skips names that begin with a dot.
func openFolder(dir string) (folder, error) {
	f := folder{path: filepath.Join(dir, "out", "tables")}
	entries, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.path = dir
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return f, failure.Userf("cannot read the tables: %w", err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case f.path == dir && name == "config.json":
			return f, failure.Userf("%s has a config.json but no out/tables: no run has written its tables yet", dir)
		case e.IsDir():
			return f, failure.Userf("%s is a directory, expected the file of a table", filepath.Join(f.path, name))
		case !strings.HasSuffix(name, manifestSuffix):
			f.names = append(f.names, name)
		}
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), manifestSuffix); ok && !strings.HasPrefix(name, ".") && !slices.Contains(f.names, name) {
			return f, failure.Userf("%s has no table beside it", filepath.Join(f.path, e.Name()))
		}
	}
	return f, nil
}

type input struct {
	path     string
	file     *os.File
	reader   *csvtable.Reader
	columns  []string
	manifest manifest
}

// open opens a table and reads its header and its manifest.
func (f folder) open(name string) (*input, error) {
	in := &input{path: filepath.Join(f.path, name)}
	var err error
	if in.manifest, err = readManifest(in.path + manifestSuffix); err != nil {
		return nil, err
	}
	if in.file, err = os.Open(in.path); err != nil {
		return nil, failure.Userf("cannot read a table: %w", err)
	}
	in.reader = csvtable.NewReader(in.file, ',', `"`)
	if err := in.header(); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

func (in *input) header() error {
	cells, err := in.reader.Read()
	if err == io.EOF {
		return failure.Userf("%s is empty, expected a header", in.path)
	}
	if err != nil {
		return in.wrapError(err)
	}
	in.columns = slices.Clone(cells)
	for i, column := range in.columns {
		if slices.Contains(in.columns[:i], column) {
			return failure.Userf("%s has two columns named %q", in.path, column)
		}
	}
	return nil
}

// next reads a row with one cell for each column. It returns io.EOF after the last row.
func (in *input) next() ([]string, error) {
	cells, err := in.reader.Read()
	switch {
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, in.wrapError(err)
	case len(cells) != len(in.columns):
		return nil, failure.Userf("%s has a row of %d cells, expected one for each of its %d columns", in.path, len(cells), len(in.columns))
	}
	return cells, nil
}

func (in *input) wrapError(err error) error { return failure.Wrap(in.path, "", err) }

func (in *input) close() error { return in.file.Close() }

// manifest is a parsed manifest. It is zero for a table without a manifest.
type manifest struct {
	settings value.Value            // settings without schema and primary key
	key      []string               // primary key, from `primary_key` or the schema
	columns  map[string]value.Value // settings of the columns of a typed table
}

func readManifest(path string) (manifest, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, nil
	}
	if err != nil {
		return manifest{}, failure.Userf("cannot read a manifest: %w", err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return manifest{}, failure.Wrap(path, "", err)
	}
	return m, nil
}

func parseManifest(text []byte) (manifest, error) {
	v, err := value.Parse(text)
	if err != nil {
		return manifest{}, failure.Userf("not valid JSON: %w", err)
	}
	if v.Kind() != value.Object {
		return manifest{}, failure.Userf("found a JSON %s, expected an object", v.Kind())
	}
	if !isExtractorCSV(v) {
		return manifest{}, failure.Userf("the table has no header, or is not usual CSV; only tables as the extractor writes them can be compared")
	}
	m := manifest{settings: v.Without("schema", "primary_key")}
	for _, column := range v.Field("primary_key").Items() {
		m.key = append(m.key, column.Text())
	}
	for _, column := range v.Field("schema").Items() {
		name := column.Field("name").Text()
		if column.Field("primary_key").True() {
			m.key = append(m.key, name)
		}
		if m.columns == nil {
			m.columns = map[string]value.Value{}
		}
		m.columns[name] = column.Without("name", "primary_key")
	}
	return m, nil
}

// isExtractorCSV reports whether the CSV file has the form that the extractor writes.
// Without `has_header`, a manifest with columns means that the file has no header.
func isExtractorCSV(v value.Value) bool {
	for _, setting := range []struct{ name, usual string }{{"delimiter", ","}, {"enclosure", `"`}} {
		if given, ok := v.Get(setting.name); ok && given.Text() != setting.usual {
			return false
		}
	}
	header := v.Field("has_header")
	return header.True() || header.IsNull() && v.Field("columns").Len() == 0 && v.Field("schema").Len() == 0
}

// compareManifests returns the differences of two manifests, masked. It compares settings
// of a column only if both tables have the column.
func compareManifests(first, second manifest, redact func(string) string) []setting {
	differ := []setting{}
	compare := func(name string, a, b value.Value) {
		if !a.Equal(b) {
			differ = append(differ, setting{redact(name), settingJSON(a, redact), settingJSON(b, redact)})
		}
	}
	compare("primary_key", textList(first.key), textList(second.key))
	for _, name := range bothNames(first.settings, second.settings) {
		compare(name, first.settings.Field(name), second.settings.Field(name))
	}
	if (first.columns == nil) != (second.columns == nil) {
		compare("schema", value.OfBool(first.columns != nil), value.OfBool(second.columns != nil))
		return differ
	}
	var columns []string
	for column := range first.columns {
		if _, ok := second.columns[column]; ok {
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	for _, column := range columns {
		a, b := first.columns[column], second.columns[column]
		for _, name := range bothNames(a, b) {
			compare("column "+word(column)+": "+name, a.Field(name), b.Field(name))
		}
	}
	return differ
}

// settingJSON returns the masked JSON text of a setting, or "" if the setting is missing.
func settingJSON(v value.Value, redact func(string) string) string {
	if v.IsNull() {
		return ""
	}
	return textfmt.Shorten(redact(v.JSON()), maxShown)
}

// bothNames returns the names in either object, names of the first object first.
func bothNames(a, b value.Value) []string {
	var all []string
	for _, m := range append(slices.Clone(a.Members()), b.Members()...) {
		if !slices.Contains(all, m.Name) {
			all = append(all, m.Name)
		}
	}
	return all
}

// textList returns a list of texts, or null if there are no texts.
func textList(texts []string) value.Value {
	if len(texts) == 0 {
		return value.Value{}
	}
	return value.OfStrings(texts)
}
