package tryrun

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Table holds the first rows of a table.
type Table struct {
	Name    string
	Columns []string
	// Rows are the first rows. Long cells are cut.
	Rows [][]string
	// More is true if the table has more rows.
	More bool
}

// Limits of what is read from the tables of a try.
const (
	tableRows    = 20
	tableColumns = 200
	maxTables    = 100
	cellCut      = 200
	tableBytes   = 8 << 20
	// shownBytes is the maximum size, in bytes, of the cells of all tables together.
	shownBytes = 1 << 20
)

// Tables returns the first rows of the tables that a job would load, sorted by name. It
// returns at most maxTables tables.
func (t *Try) Tables() ([]Table, error) {
	dir := filepath.Join(t.dir, tablesName)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the tables of a try: %w", err)
	}
	var all []Table
	left := shownBytes
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".manifest") || len(all) == maxTables {
			continue
		}
		one, err := readTable(filepath.Join(dir, file.Name()), &left)
		if err != nil {
			return nil, fmt.Errorf("reading table %s of a try: %w", file.Name(), err)
		}
		one.Name = strings.TrimSuffix(file.Name(), ".csv")
		all = append(all, one)
	}
	return all, nil
}

// readTable reads the first rows of a table. It subtracts the size of their cells from
// left.
func readTable(path string, left *int) (Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return Table{}, err
	}
	defer file.Close() // only read
	// A row may be as large as a response. A row beyond the limit is dropped.
	r := csvtable.NewReader(io.LimitReader(file, tableBytes), ',', `"`)
	var t Table
	for n := 0; ; n++ {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil && n > 0: // the limit cut the row
			t.More = true
			return t, nil
		case err != nil:
			return t, err
		}
		short := make([]string, min(len(cells), tableColumns))
		for i := range short {
			short[i] = textfmt.Cut(strings.ToValidUTF8(cells[i], "\uFFFD"), cellCut)
			*left -= len(short[i])
		}
		switch {
		case n == 0:
			t.Columns = short
		case n > tableRows || *left < 0:
			t.More = true
			return t, nil
		default:
			t.Rows = append(t.Rows, short)
		}
	}
}
