package tableload

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

const (
	tablesDir = "out/tables"
	// maxManifest is the maximum size, in bytes, of a manifest. The widest table needs
	// far less.
	maxManifest = 16 << 20
)

type data struct {
	name     string
	sliced   bool
	manifest bool     // whether the table has a manifest
	parts    []string // file paths in the data directory, sorted by name
}

// listTables returns the tables in out/tables, sorted by name, and the names of manifests
// without a table. It skips names that begin with a dot.
func listTables(root *os.Root) (tables []data, orphans []string, err error) {
	entries, err := listDir(root, tablesDir)
	if err != nil {
		return nil, nil, err
	}
	manifests := map[string]bool{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), csvtable.ManifestSuffix) {
			manifests[e.Name()] = true
		}
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), csvtable.ManifestSuffix) {
			continue
		}
		d := data{name: e.Name(), sliced: e.IsDir(), manifest: manifests[e.Name()+csvtable.ManifestSuffix]}
		if d.parts, err = partsOf(root, tablesDir+"/"+e.Name(), d.sliced); err != nil {
			return nil, nil, err
		}
		delete(manifests, e.Name()+csvtable.ManifestSuffix)
		tables = append(tables, d)
	}
	for _, e := range entries {
		if manifests[e.Name()] {
			orphans = append(orphans, e.Name())
		}
	}
	return tables, orphans, nil
}

func partsOf(root *os.Root, name string, sliced bool) ([]string, error) {
	if !sliced {
		return []string{name}, nil
	}
	entries, err := listDir(root, name)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, e := range entries {
		if e.IsDir() {
			return nil, failure.Userf("sliced table %q holds a directory, %q; only files can be slices", path.Base(name), e.Name())
		}
		parts = append(parts, name+"/"+e.Name())
	}
	return parts, nil
}

// listDir returns the contents of a directory, sorted by name, without names that begin
// with a dot. It returns no entries if the directory does not exist. Anything except
// files and directories is a user error: a link could lead to other files of this
// machine, and a read from a pipe could block forever.
func listDir(root *os.Root, dir string) ([]os.DirEntry, error) {
	if at, err := root.Stat(dir); err == nil && !at.IsDir() {
		return nil, failure.Userf("%s must be a directory", dir)
	}
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failure.Userf("cannot list %s: %w", dir, err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	for _, e := range entries {
		if !e.IsDir() && !e.Type().IsRegular() {
			return nil, failure.Userf("%q is neither a file nor a directory; tables cannot be links, pipes or devices", dir+"/"+e.Name())
		}
	}
	return entries, nil
}

func readManifest(root *os.Root, name string) (text []byte, err error) {
	at, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, failure.Applicationf("reading a manifest: %w", err)
	case at.IsDir():
		return nil, failure.Userf("manifest %q is a directory, it must be a file", name)
	case at.Size() > maxManifest:
		return nil, failure.Userf("manifest %q has %d bytes, at most %d are allowed", name, at.Size(), maxManifest)
	}
	if text, err = root.ReadFile(name); err != nil {
		return nil, failure.Applicationf("reading a manifest: %w", err)
	}
	return text, nil
}

type file struct {
	file    *os.File
	records *csvtable.Reader
}

func openFile(root *os.Root, name string, s settings) (*file, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, failure.Applicationf("opening table %q: %w", path.Base(name), err)
	}
	return &file{f, csvtable.NewReader(f, s.delimiterByte(), s.enclosureText())}, nil
}

func (s settings) delimiterByte() byte {
	if s.delimiter == nil {
		return defaultDelimiter[0]
	}
	return (*s.delimiter)[0]
}

func (s settings) enclosureText() string {
	if s.enclosure == nil {
		return defaultEnclosure
	}
	return *s.enclosure
}

func (s settings) checkFormat() error {
	enclosure := s.enclosureText()
	switch {
	case s.delimiter != nil && !isASCIIChar(*s.delimiter):
		return failure.Userf("the delimiter %q is not a single ASCII character", *s.delimiter)
	case enclosure != "" && !isASCIIChar(enclosure):
		return failure.Userf("the enclosure %q is not a single ASCII character", enclosure)
	case enclosure != "" && enclosure[0] == s.delimiterByte():
		return failure.Userf("the delimiter and the enclosure are both %q", enclosure)
	default:
		return nil
	}
}

func isASCIIChar(text string) bool {
	return len(text) == 1 && text[0] < 0x80 && text != "\n" && text != "\r"
}
