package csvtable

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// copyStep is the number of bytes that are copied between two checks of the context.
const copyStep = 8 << 20

// Set is the set of tables that are written to one directory. Tables with the same name
// and the same columns are one table: the records of the later table follow the records
// of the first, and the primary key and the other settings of the first table apply. A
// Set and its writers are not safe for concurrent use.
type Set struct {
	dir, temp string
	pool      pool
	writers   []*Writer // writers of the tables, in the order of their creation
	byFile    map[string]*Writer
	drafts    []*Writer
	draftDir  string // directory below temp; "" before the first draft
}

// Finished is a complete table.
type Finished struct {
	Table Table
	Rows  int
}

// NewSet returns an empty set for an existing directory. It keeps drafts below temp, a
// directory of the same file system. The tables of a set must be either all typed or
// all untyped.
func NewSet(dir, temp string) *Set {
	return &Set{dir: dir, temp: temp, byFile: map[string]*Writer{}}
}

// Has reports whether there is a table with the file name of t.
func (s *Set) Has(t Table) bool { return s.byFile[t.FileName()] != nil }

// Create returns the writer of a table: a new writer, or the writer of the earlier
// table with the same name. It returns a user error if the earlier table has other
// columns, or if the name cannot be a file name. The set closes the writer.
func (s *Set) Create(t Table) (*Writer, error) {
	if w, err := s.existing(t); w != nil || err != nil {
		return w, err
	}
	if err := t.CheckName(); err != nil {
		return nil, err
	}
	w, err := s.create(t, filepath.Join(s.dir, t.FileName()))
	if err != nil {
		return nil, err
	}
	s.add(w)
	return w, nil
}

// Draft returns a writer of records that Writer.Publish makes a table. It uses only the
// columns of t and whether t is typed.
func (s *Set) Draft(t Table) (*Writer, error) {
	if s.draftDir == "" {
		dir, err := os.MkdirTemp(s.temp, "drafts-*")
		if err != nil {
			return nil, failure.Applicationf("making a directory for tables: %w", err)
		}
		s.draftDir = dir
	}
	w, err := s.create(t, filepath.Join(s.draftDir, strconv.Itoa(len(s.drafts))))
	if err == nil {
		s.drafts = append(s.drafts, w)
	}
	return w, err
}

// create starts a CSV file with a header.
func (s *Set) create(t Table, path string) (*Writer, error) {
	if len(t.Columns) == 0 {
		return nil, failure.Applicationf("table %q has no columns", t.FileName())
	}
	w := &Writer{set: s, table: t, path: path}
	err := s.pool.openFile(w, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if errors.Is(err, fs.ErrExist) {
		return nil, writtenTwice(t)
	}
	if err != nil {
		return nil, failure.Applicationf("creating table %q: %w", t.FileName(), err)
	}
	w.buf = AppendRecord(nil, t.Columns)
	s.pool.count(w)
	if t.Typed {
		w.seen = make([]Kinds, len(t.Columns))
	}
	return w, nil
}

// Publish makes the draft a table, or appends its records to the earlier table with the
// same name. t must have the columns of the draft and be typed if the draft is. Publish
// returns the same errors as Create. The writer must not be used afterwards.
func (w *Writer) Publish(ctx context.Context, t Table) error {
	earlier, err := w.set.existing(t)
	switch {
	case err != nil:
		return err
	case earlier != nil:
		return earlier.appendFrom(ctx, w)
	}
	if err := t.CheckName(); err != nil {
		return err
	}
	path := filepath.Join(w.set.dir, t.FileName())
	// On file systems that ignore the case of letters, two names can be one file.
	if _, err := os.Lstat(path); err == nil {
		return writtenTwice(t)
	}
	// Some systems cannot move an open file.
	if err := w.complete(); err != nil {
		return err
	}
	if err := os.Rename(w.path, path); err != nil {
		return failure.Applicationf("moving table %q into its place: %w", t.FileName(), err)
	}
	w.table, w.path = t, path
	w.set.add(w)
	return nil
}

func (s *Set) add(w *Writer) {
	s.writers = append(s.writers, w)
	s.byFile[w.table.FileName()] = w
}

// existing returns the writer of the table with the same name, or nil. It returns a
// user error if the two tables cannot be one.
func (s *Set) existing(t Table) (*Writer, error) {
	w := s.byFile[t.FileName()]
	switch {
	case w == nil:
		return nil, nil
	case w.table.Name != t.Name:
		return nil, writtenTwice(t)
	case !slices.Equal(w.table.Columns, t.Columns):
		return nil, failure.Userf("table %q is written twice, with different columns: %s; the columns must be the same, or the names of the tables different",
			t.FileName(), difference(w.table.Columns, t.Columns))
	}
	for i, column := range t.Columns {
		if first, second := w.table.declared(i), t.declared(i); first != second {
			return nil, failure.Userf("table %q is written twice, with different types: column %q is %s in the first and %s in the second; the types must be the same, or the names of the tables different",
				t.FileName(), column, TypeText(first), TypeText(second))
		}
	}
	return w, nil
}

// TypeText describes a declared type. The zero type is described, too.
func TypeText(t ColumnType) string { return cmp.Or(t.String(), "without a declared type") }

// difference describes how two headers differ.
func difference(first, second []string) string {
	var parts []string
	add := func(name string, has, lacks []string) {
		others := make(map[string]bool, len(lacks))
		for _, column := range lacks {
			others[column] = true
		}
		var only []string
		for _, column := range has {
			if !others[column] {
				only = append(only, strconv.Quote(column))
			}
		}
		if len(only) > 0 {
			parts = append(parts, "only the "+name+" one has "+strings.Join(only, ", "))
		}
	}
	add("first", first, second)
	add("second", second, first)
	if len(parts) == 0 {
		return "their order differs"
	}
	return strings.Join(parts, ", ")
}

// Close completes all tables, removes the drafts and returns the tables in the order of
// their creation. If a table cannot be completed, Close removes all of them.
func (s *Set) Close() ([]Finished, error) {
	all := make([]Finished, 0, len(s.writers))
	for _, w := range s.writers {
		if err := w.Close(); err != nil {
			s.Abort()
			return nil, err
		}
		all = append(all, Finished{w.table, w.rows})
	}
	if err := os.RemoveAll(s.draftDir); err != nil {
		return nil, failure.Applicationf("removing the temporary files of tables: %w", err)
	}
	return all, nil
}

// Abort removes all tables and drafts, including complete tables.
func (s *Set) Abort() {
	for _, w := range s.drafts {
		w.abort()
	}
	_ = os.RemoveAll(s.draftDir)
	for _, w := range s.writers {
		w.abort()
		// The error is ignored for the same reason as in Writer.abort.
		_ = os.Remove(filepath.Join(s.dir, w.table.manifestName()))
	}
}

// appendFrom appends the records of another writer with the same columns, and aborts
// that writer.
func (w *Writer) appendFrom(ctx context.Context, from *Writer) (err error) {
	if err := errors.Join(w.flush(), from.complete()); err != nil {
		return err
	}
	to, err := w.set.pool.file(w)
	if err != nil {
		return w.writeError(err)
	}
	source, err := os.Open(from.path)
	if err != nil {
		return from.writeError(err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	header := int64(len(AppendRecord(nil, from.table.Columns)))
	if _, err := source.Seek(header, io.SeekStart); err != nil {
		return from.writeError(err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := io.CopyN(to, source, copyStep)
		if err == io.EOF {
			w.rows += from.rows
			for i, kinds := range from.seen {
				w.seen[i] |= kinds
			}
			from.abort()
			return nil
		}
		if err != nil {
			return w.writeError(err)
		}
	}
}
