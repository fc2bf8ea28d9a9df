package output

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/table"
)

const manifestSuffix = ".manifest"

// data is a table as it lies in out/tables.
type data struct {
	name     string
	sliced   bool
	manifest bool     // there is one
	parts    []string // paths of the files, in the order of their names
}

// list is what lies in out/tables, in the order of the names, and the names of
// manifests without a table. Names that begin with a dot are passed over.
func list(dir string) (tables []data, orphans []string, err error) {
	entries, err := visible(dir)
	if err != nil {
		return nil, nil, err
	}
	manifests := map[string]bool{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), manifestSuffix) {
			manifests[e.Name()] = true
		}
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), manifestSuffix) {
			continue
		}
		d := data{name: e.Name(), sliced: e.IsDir(), manifest: manifests[e.Name()+manifestSuffix]}
		if d.parts, err = partsOf(filepath.Join(dir, e.Name()), d.sliced); err != nil {
			return nil, nil, err
		}
		delete(manifests, e.Name()+manifestSuffix)
		tables = append(tables, d)
	}
	for _, e := range entries {
		if manifests[e.Name()] {
			orphans = append(orphans, e.Name())
		}
	}
	return tables, orphans, nil
}

func partsOf(path string, sliced bool) ([]string, error) {
	if !sliced {
		return []string{path}, nil
	}
	entries, err := visible(path)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, e := range entries {
		if e.IsDir() {
			return nil, failure.Userf("sliced table %q holds a directory, %q; only files can be slices", filepath.Base(path), e.Name())
		}
		parts = append(parts, filepath.Join(path, e.Name()))
	}
	return parts, nil
}

// visible is what a directory holds, in the order of the names; nothing when it
// is not there.
func visible(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, failure.Applicationf("listing the tables: %w", err)
	}
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }), nil
}

// file is an open CSV file.
type file struct {
	file    *os.File
	records *table.Reader
}

func openFile(path string, s settings) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, failure.Applicationf("opening table %q: %w", filepath.Base(path), err)
	}
	return &file{f, table.NewReader(f, s.delimiterByte(), s.enclosureText())}, nil
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

// checkFormat refuses delimiters and enclosures that cannot be told apart.
func (s settings) checkFormat() error {
	enclosure := s.enclosureText()
	switch {
	case s.delimiter != nil && !isMark(*s.delimiter):
		return failure.Userf("the delimiter %q is not a single ASCII character", *s.delimiter)
	case enclosure != "" && !isMark(enclosure):
		return failure.Userf("the enclosure %q is not a single ASCII character", enclosure)
	case enclosure != "" && enclosure[0] == s.delimiterByte():
		return failure.Userf("the delimiter and the enclosure are both %q", enclosure)
	default:
		return nil
	}
}

func isMark(text string) bool {
	return len(text) == 1 && text[0] < 0x80 && text != "\n" && text != "\r"
}
