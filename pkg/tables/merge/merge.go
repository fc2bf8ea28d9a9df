// Package merge adds the tables of a run to the tables of an earlier run, as the
// platform's storage does with incremental tables.
//
// A row replaces the earlier row with the same primary key, at the same index. Rows
// with new keys follow, in the order of the run. If a file has several rows with the
// same key, the last row stays, at the index of the first. Without a primary key, all
// rows are added. The merged table has the columns of both tables, the earlier columns
// first. A row has empty cells in columns that its file does not have, so a replaced
// row keeps no cell of the earlier row.
//
// Memory does not depend on the size of a table: the keys are sorted in temporary
// files. The earlier tables are only read.
package merge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
)

// Directories are the directories of the files.
type Directories struct {
	// Earlier has the tables of the previous run. It may not exist. Tables has the
	// tables of this run; the merged tables replace them. Temp is for temporary files,
	// on the file system of Tables.
	Earlier, Tables, Temp string
	// Declared are the tables with declared types, by file name. Their earlier rows must
	// fit these types, too.
	Declared map[string]csvtable.Table
}

// Result describes how a table was merged.
type Result struct {
	Table string
	// PrimaryKey is empty if the rows were only added.
	PrimaryKey []string
	// Before is the number of rows of the earlier table. Replaced is the number of them
	// that were replaced. Added is the number of new rows, and Rows the number of rows
	// of the merged table.
	Before, Replaced, Added, Rows int
	// Bytes is the total size of all cells of the merged table.
	Bytes int64
}

// Tables merges all incremental tables of this run. It reports each table that has an
// earlier table or had several rows with the same key. An earlier file that cannot be
// merged is a user error that names the file and the line.
//
// If progress is not nil, Tables calls it about every thousand rows with the number of
// rows read so far. A table with a primary key is read twice if there is anything to merge.
func Tables(ctx context.Context, d Directories, report func(Result), progress func(table string, rows int)) error {
	manifests, err := fs.Glob(os.DirFS(d.Tables), "*"+csvtable.ManifestSuffix)
	if err != nil {
		return failure.Applicationf("cannot list the tables of this run: %w", err)
	}
	for _, manifest := range manifests {
		m := merger{dirs: d, name: strings.TrimSuffix(manifest, csvtable.ManifestSuffix), memory: keysInMemory}
		if err := m.run(ctx, report, progress); err != nil {
			return err
		}
	}
	return nil
}

// keysInMemory is the maximum size, in bytes, of keys that are sorted in memory. A
// larger limit would not make merging faster.
const keysInMemory = 2 << 20

// merger merges one table.
type merger struct {
	dirs   Directories
	name   string
	memory int // maximum size of keys in memory, in bytes

	manifest csvtable.Manifest     // manifest of this run
	before   csvtable.Manifest     // manifest of the earlier run
	sources  []*source             // the earlier table, if there is one, then the table of this run
	columns  []string              // columns of the merged table
	types    []csvtable.ColumnType // types of these columns; nil if none is known
	checks   []columnCheck         // declared types that the earlier rows must fit
	changed  bool                  // whether several rows have the same key
	result   Result
	progress func(table string, rows int) // may be nil
	cell     []byte                       // buffer of checkRow
	read     int                          // rows read in all passes
}

func (m *merger) run(ctx context.Context, report func(Result), progress func(table string, rows int)) (err error) {
	m.progress = progress
	path := filepath.Join(m.dirs.Tables, m.name)
	if m.manifest, err = readManifest(path + csvtable.ManifestSuffix); err != nil || !m.manifest.Incremental {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.open(path); err != nil {
		return err
	}
	m.result = Result{Table: m.name, PrimaryKey: m.manifest.PrimaryKey}
	m.typeColumns()
	changes := &extsort.Sorter{Dir: m.dirs.Temp, Limit: m.memory}
	defer func() { err = errors.Join(err, changes.Close()) }()
	if len(m.manifest.PrimaryKey) > 0 {
		if err := m.findChanges(ctx, changes); err != nil {
			return err
		}
	}
	if !m.hasEarlier() && !m.changed {
		return nil // without an earlier table or equal keys, the table stays
	}
	merged := filepath.Join(m.dirs.Temp, "merged")
	if err := m.write(ctx, merged, changes); err != nil {
		return err
	}
	if err := m.replace(path, merged); err != nil {
		return err
	}
	report(m.result)
	return nil
}

// open opens both tables and determines the columns of the merged table.
func (m *merger) open(path string) error {
	earlier := filepath.Join(m.dirs.Earlier, m.name)
	switch info, err := os.Stat(earlier); {
	case errors.Is(err, fs.ErrNotExist):
		// If only the manifest exists, the earlier rows are lost: the merged table would have
		// only the rows of this run.
		manifest := earlier + csvtable.ManifestSuffix
		if _, err := os.Lstat(manifest); err == nil {
			return earlierError(earlier, failure.Userf("the file is missing, but its manifest %s is there", filepath.Base(manifest)))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return m.fileError(err)
		}
	case err != nil:
		return m.fileError(err)
	case !info.Mode().IsRegular():
		return earlierError(earlier, failure.Userf("it is not a file"))
	default:
		if err := m.openEarlier(earlier); err != nil {
			return err
		}
	}
	s, err := openSource(path, m.manifest.PrimaryKey)
	if err != nil {
		return err
	}
	m.sources = append(m.sources, s)
	indexes := map[string]int{} // index of each column; a map, as the earlier table may have any number
	for _, s := range m.sources {
		s.base = m.size()
		s.columnIndexes = make([]int, len(s.columns))
		for i, name := range s.columns {
			index, ok := indexes[name]
			if !ok {
				index = len(m.columns)
				indexes[name] = index
				m.columns = append(m.columns, name)
			}
			s.columnIndexes[i] = index
		}
		s.end = s.base + s.size
	}
	return nil
}

// openEarlier opens the table of the earlier run. Its primary key must be the same as
// in this run.
func (m *merger) openEarlier(path string) (err error) {
	m.before, err = readManifest(path + csvtable.ManifestSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		m.before = csvtable.Manifest{PrimaryKey: m.manifest.PrimaryKey}
	} else if err != nil {
		return earlierError(path+csvtable.ManifestSuffix, err)
	}
	ours, theirs := m.manifest.PrimaryKey, m.before.PrimaryKey
	if !slices.Equal(slices.Sorted(slices.Values(ours)), slices.Sorted(slices.Values(theirs))) {
		return earlierError(path, failure.Userf("its primary key is %s, that of this run is %s", keyText(theirs), keyText(ours)))
	}
	s, err := openSource(path, ours)
	if err != nil {
		return earlierError(path, err)
	}
	s.earlier = true
	m.sources = append(m.sources, s)
	return nil
}

func keyText(columns []string) string {
	if len(columns) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", columns)
}

// size returns the size of the sources opened so far, as one text.
func (m *merger) size() (size int64) {
	for _, s := range m.sources {
		size = max(size, s.end)
	}
	return size
}

func (m *merger) hasEarlier() bool { return len(m.sources) > 1 }

// current returns the table of this run.
func (m *merger) current() *source { return m.sources[len(m.sources)-1] }

// replace replaces the table and the manifest of this run by the merged table and its
// manifest.
func (m *merger) replace(path, merged string) error {
	manifest := m.manifest.With(m.columns, m.types, m.kinds())
	if err := os.WriteFile(path+csvtable.ManifestSuffix, manifest, 0o644); err != nil {
		return m.fileError(err)
	}
	return m.fileError(os.Rename(merged, path))
}

// kinds returns the kinds of the cells of each column, from the types in both
// manifests. A table without rows has no effect.
func (m *merger) kinds() []csvtable.Kinds {
	kinds := make([]csvtable.Kinds, len(m.columns))
	for _, s := range m.sources {
		if s.rows == 0 {
			continue
		}
		manifest := m.manifest
		if s.earlier {
			manifest = m.before
		}
		own := slices.Repeat([]csvtable.Kinds{csvtable.KindsOf(csvtable.Absent)}, len(m.columns))
		for i, of := range kindsIn(manifest, s) {
			own[s.columnIndexes[i]] = of
		}
		for i := range kinds {
			kinds[i] |= own[i]
		}
	}
	return kinds
}

// kindsIn returns the kinds of the cells of one table, by its columns. A column without
// a type has the kind Text, and Absent unless it belongs to the primary key.
func kindsIn(manifest csvtable.Manifest, s *source) []csvtable.Kinds {
	typed := map[string]csvtable.Kinds{}
	for i, name := range manifest.Columns {
		typed[name] = manifest.Kinds[i]
	}
	kinds := make([]csvtable.Kinds, len(s.columns))
	for i, name := range s.columns {
		of, ok := typed[name]
		switch {
		case ok:
			kinds[i] = of
		case slices.Contains(manifest.PrimaryKey, name):
			kinds[i] = csvtable.KindsOf(csvtable.Text)
		default:
			kinds[i] = csvtable.KindsOf(csvtable.Text, csvtable.Absent)
		}
	}
	return kinds
}

func (m *merger) close() error {
	var errs []error
	for _, s := range m.sources {
		errs = append(errs, s.file.Close())
	}
	return m.fileError(errors.Join(errs...))
}

// fileError returns the error of a file of this run. It returns the errors of a context
// unchanged.
func (m *merger) fileError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return failure.Applicationf("cannot merge table %q: %w", m.name, err)
}

// earlierError returns the error of a file of the earlier run.
func earlierError(path string, err error) error {
	if failure.KindOf(err) != failure.User {
		return failure.Applicationf("cannot merge into %s: %w", path, err)
	}
	return failure.Userf("cannot merge into %s: %w; restore the file, or run with --full to replace it", path, err)
}

// maxManifest is the maximum size of a manifest in bytes, because the whole manifest is
// loaded into memory. A manifest of this program is smaller, see the limits of package
// mapping.
const maxManifest = 64 << 20

func readManifest(path string) (csvtable.Manifest, error) {
	info, err := os.Stat(path) // reading a pipe would never end
	switch {
	case err != nil:
		return csvtable.Manifest{}, failure.Applicationf("cannot read a manifest: %w", err)
	case !info.Mode().IsRegular():
		return csvtable.Manifest{}, failure.Userf("it is not a file")
	case info.Size() > maxManifest:
		return csvtable.Manifest{}, failure.Userf("it has %d bytes, expected at most %d", info.Size(), maxManifest)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return csvtable.Manifest{}, failure.Applicationf("cannot read a manifest: %w", err)
	}
	return csvtable.ParseManifest(text)
}
