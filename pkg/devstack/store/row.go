package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/merge"
)

// The rows of a table are a CSV file in a directory of their own. Its first column,
// timeColumn, is the time of the load of each row, in seconds since 1970. A load writes a
// new directory, which becomes visible when the record of the table names it. So a load of
// any size is either complete or absent. Open deletes directories that no table names.
const (
	rowsFile   = "rows"
	timeColumn = "_timestamp" // no other column can have this name
	timeDigits = 12
)

// writeRows writes the rows of a load to a new directory. An incremental load is merged
// with the earlier rows. after is the table after the load; writeRows sets its directory,
// number of rows and size.
func (s *Store) writeRows(ctx context.Context, l Load, before tableRecord, after *tableRecord) (err error) {
	if err := os.MkdirAll(s.rowsDir, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.rowsDir, "")
	if err != nil {
		return err
	}
	after.Dir = filepath.Base(dir)
	path := filepath.Join(dir, rowsFile)
	directories := merge.Directories{Earlier: filepath.Join(dir, "none"), Tables: dir, Temp: dir}
	begin, merges := tableRecord{}, len(l.PrimaryKey) > 0
	if l.Incremental && before.Dir != "" {
		directories.Earlier = filepath.Join(s.rowsDir, before.Dir)
		same := slices.EqualFunc(l.Columns, before.Columns, func(a, b Column) bool { return a.Name == b.Name })
		if merges = merges || !same; !merges {
			begin = before // rows without a key are appended to a copy of the earlier ones
		}
	}
	rows, size, err := l.writeFile(path, filepath.Join(directories.Earlier, rowsFile), begin.Dir != "", s.clock())
	if err != nil {
		return err
	}
	after.Rows, after.Bytes = begin.Rows+rows, begin.Bytes+size
	if !merges {
		return s.syncRows(path)
	}
	manifest, err := json.Marshal(map[string]any{"incremental": true, "primary_key": l.PrimaryKey})
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+csvtable.ManifestSuffix, manifest, 0o600); err != nil {
		return err
	}
	err = merge.Tables(ctx, directories, func(r merge.Result) {
		after.Rows, after.Bytes = r.Rows, r.Bytes-int64(r.Rows*timeDigits)
	}, nil)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(path+csvtable.ManifestSuffix), s.syncRows(path))
}

// writeFile writes the rows of a load as CSV, after a header or after a copy of the file
// earlier. It returns the number of rows of the load and the size of their cells.
func (l Load) writeFile(path, earlier string, isCopied bool, now time.Time) (rows int, size int64, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriterSize(file, 1<<16)
	cells := []string{timeColumn}
	for _, c := range l.Columns {
		cells = append(cells, c.Name)
	}
	text := csvtable.AppendRecord(nil, cells)
	if isCopied {
		text = text[:0]
		if err := appendFile(file, earlier); err != nil {
			return 0, 0, err
		}
	}
	cells[0] = fmt.Sprintf("%0*d", timeDigits, max(0, now.Unix()))
	for {
		if _, err := out.Write(text); err != nil {
			return rows, size, err
		}
		given, err := l.Next()
		if errors.Is(err, io.EOF) {
			return rows, size, out.Flush()
		}
		if err != nil {
			return rows, size, err
		}
		rows++
		if len(given) != len(l.Columns) {
			return rows, size, l.userf("row %d has %d cells, not one for each of the %d columns", rows, len(given), len(l.Columns))
		}
		for i, cell := range given {
			cells[i+1] = cell
			size += int64(len(cell))
		}
		text = csvtable.AppendRecord(text[:0], cells)
	}
}

func appendFile(to *os.File, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close() // it is only read
	_, err = io.Copy(to, from)
	return err
}

// syncRows makes the file of new rows survive a crash of the machine.
func (s *Store) syncRows(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0) // some systems sync only files that can be written
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close(), syncDir(filepath.Dir(path)), syncDir(s.rowsDir), syncDir(filepath.Dir(s.rowsDir)))
}

// Rows calls keep with the rows of a table, in the order they were first loaded, until keep
// returns false. Each row is a new slice with one cell for each column.
func (s *Store) Rows(id string, keep func(cells []string) bool) error {
	return s.TimedRows(id, func(_ time.Time, cells []string) bool { return keep(cells) })
}

// TimedRows is like Rows and also passes the time of the last load of each row.
func (s *Store) TimedRows(id string, keep func(loaded time.Time, cells []string) bool) error {
	file, err := s.openRows(id)
	if err != nil {
		return err
	}
	defer file.Close() // it is only read
	records := csvtable.NewReader(file, ',', `"`)
	if _, err := records.Read(); err != nil {
		return err
	}
	for {
		cells, err := records.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		seconds, err := strconv.ParseInt(cells[0], 10, 64)
		if err != nil {
			return err
		}
		if !keep(time.Unix(seconds, 0), slices.Clone(cells[1:])) {
			return nil
		}
	}
}

// openRows opens the current rows of a table. The lock keeps them from being deleted
// before they are open.
func (s *Store) openRows(id string) (*os.File, error) {
	s.opening.RLock()
	defer s.opening.RUnlock()
	r, err := readOne[tableRecord](s, tables, []byte(id))
	if err != nil {
		return nil, err
	}
	return os.Open(filepath.Join(s.rowsDir, r.Dir, rowsFile))
}

// discardRows deletes the rows of tables that are not visible any more. Some systems cannot
// delete a file that a reader has open: such rows are deleted with the next rows, or by
// Open.
func (s *Store) discardRows(tables ...tableRecord) {
	s.opening.Lock()
	defer s.opening.Unlock()
	for _, t := range tables {
		if t.Dir != "" {
			s.discarded = append(s.discarded, t.Dir)
		}
	}
	s.discarded = slices.DeleteFunc(s.discarded, func(dir string) bool {
		return os.RemoveAll(filepath.Join(s.rowsDir, dir)) == nil
	})
}

// recoverRows deletes the rows of loads that a crash interrupted.
func (s *Store) recoverRows() error {
	entries, err := os.ReadDir(s.rowsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	known := map[string]bool{}
	err = errors.Join(err, scan(s, tables, nil, func(r tableRecord) { known[r.Dir] = true }))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !known[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.rowsDir, e.Name())))
		}
	}
	return err
}

// dropTable deletes the record of a table. The caller deletes the rows after the
// transaction.
func dropTable(tx *bbolt.Tx, id string) error {
	return errors.Join(tx.Bucket(tables).Delete([]byte(id)), removeMetadata(tx, tableObjects(id), keepNone))
}
