package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// copyStep is how many bytes are copied before the run is asked whether it
// still goes on.
const copyStep = 8 << 20

// Set is the tables of one directory while they are written. Tables of one name
// with the same columns are one table: the records of the later one follow those
// of the first, whose primary key and other settings stay. A Set is not safe for
// concurrent use.
type Set struct {
	dir     string
	pool    *Pool
	writers []*Writer // in the order of their creation
	byFile  map[string]*Writer
}

// Written is one table that is complete.
type Written struct {
	Table Table
	Rows  int
}

// NewSet makes a set without tables for a directory that exists. Either all
// tables of a set are typed or none. The writers it takes over are of the same
// pool.
func NewSet(dir string, pool *Pool) *Set {
	return &Set{dir: dir, pool: pool, byFile: map[string]*Writer{}}
}

// Has tells whether there is a table with the file name of this one.
func (s *Set) Has(t Table) bool { return s.byFile[t.FileName()] != nil }

// Create is the writer of a table: a new one with the header written, or that of
// the earlier table of the same name. Other columns than those of the earlier
// one are a user error, and so is a name that cannot be a file name. The set
// closes the writer.
func (s *Set) Create(t Table) (*Writer, error) {
	if w, err := s.earlier(t); w != nil || err != nil {
		return w, err
	}
	w, err := s.pool.Create(s.dir, t)
	if err != nil {
		return nil, err
	}
	s.add(w)
	return w, nil
}

// Adopt makes a table of the records of a writer in another directory of the
// same file system: its file is moved here, or appended to the earlier table of
// the same name. The columns must be those the writer was created with, and
// both typed or neither. The errors are those of Create; the writer must not be used afterwards, unless
// there was an error: then it can be aborted.
func (s *Set) Adopt(ctx context.Context, t Table, w *Writer) error {
	earlier, err := s.earlier(t)
	switch {
	case err != nil:
		return err
	case earlier != nil:
		return earlier.take(ctx, w)
	}
	if err := t.CheckName(); err != nil {
		return err
	}
	if err := w.move(s.dir, t); err != nil {
		return err
	}
	s.add(w)
	return nil
}

func (s *Set) add(w *Writer) {
	s.writers = append(s.writers, w)
	s.byFile[w.table.FileName()] = w
}

// earlier is the writer of the table of the same name, nil when there is none.
func (s *Set) earlier(t Table) (*Writer, error) {
	w := s.byFile[t.FileName()]
	switch {
	case w == nil:
		return nil, nil
	case w.table.Name != t.Name:
		return nil, writtenTwice(t)
	case !slices.Equal(w.table.Columns, t.Columns):
		return nil, failure.Userf("table %q is written twice, with different columns: %s; the columns must be the same, or the names of the tables different",
			t.FileName(), difference(w.table.Columns, t.Columns))
	default:
		return w, nil
	}
}

// difference says how two headers differ.
func difference(first, second []string) string {
	var parts []string
	for _, side := range []struct {
		name      string
		has, lack []string
	}{{"first", first, second}, {"second", second, first}} {
		lack := make(map[string]bool, len(side.lack))
		for _, column := range side.lack {
			lack[column] = true
		}
		var only []string
		for _, column := range side.has {
			if !lack[column] {
				only = append(only, fmt.Sprintf("%q", column))
			}
		}
		if len(only) > 0 {
			parts = append(parts, "only the "+side.name+" one has "+strings.Join(only, ", "))
		}
	}
	if len(parts) == 0 {
		return "their order differs"
	}
	return strings.Join(parts, ", ")
}

// Close completes all tables and returns them in the order of their creation.
// When one cannot be completed, none is left.
func (s *Set) Close() ([]Written, error) {
	all := make([]Written, 0, len(s.writers))
	for _, w := range s.writers {
		if err := w.Close(); err != nil {
			s.Abort()
			return nil, err
		}
		all = append(all, Written{w.table, w.rows})
	}
	return all, nil
}

// Abort gives all tables up, complete ones too.
func (s *Set) Abort() {
	for _, w := range s.writers {
		w.Abort()
		// Like the rest of a failed run, see Writer.Abort.
		_ = os.Remove(filepath.Join(s.dir, w.table.ManifestName()))
	}
}

// move makes the file of a writer that of a table in another directory.
func (w *Writer) move(dir string, t Table) error {
	path := filepath.Join(dir, t.FileName())
	// Where names do not mind the case of letters, two names can be one file.
	if _, err := os.Lstat(path); err == nil {
		return writtenTwice(t)
	}
	// Not every system moves a file that is open.
	if err := w.complete(); err != nil {
		return err
	}
	if err := os.Rename(w.path, path); err != nil {
		return failure.Applicationf("moving table %q into its place: %w", t.FileName(), err)
	}
	w.table, w.dir, w.path = t, dir, path
	return nil
}

// learn adds the kinds of other records of the same columns.
func (w *Writer) learn(seen []kinds) {
	for i, s := range seen {
		w.seen[i] |= s
	}
}

// take appends the records of another writer with the same columns, which is
// given up.
func (w *Writer) take(ctx context.Context, from *Writer) (err error) {
	if err := errors.Join(w.flush(), from.complete()); err != nil {
		return err
	}
	to, err := w.pool.file(w)
	if err != nil {
		return w.failed(err)
	}
	source, err := os.Open(from.path)
	if err != nil {
		return from.failed(err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	header := int64(len(appendHeader(nil, from.table.Columns)))
	if _, err := source.Seek(header, io.SeekStart); err != nil {
		return from.failed(err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := io.CopyN(to, source, copyStep)
		if err == io.EOF {
			w.rows += from.rows
			w.learn(from.seen)
			from.Abort()
			return nil
		}
		if err != nil {
			return w.failed(err)
		}
	}
}
