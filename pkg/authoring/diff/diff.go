// Package diff compares the tables of two runs: the names of the tables, their columns,
// their manifests and their rows in any order.
//
// If both manifests have the same primary key, rows are compared by the key. Otherwise
// whole rows are compared, with their counts. Cells of columns that only one table has
// are not compared. Memory does not depend on the size of a table, because rows are
// sorted in temporary files.
//
// The tables must have the form that the extractor writes: a CSV file with a header, and
// a manifest.
package diff

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
)

// Options are the options of Directories.
type Options struct {
	// Samples is the maximum number of sample rows in the report, for each table and each
	// kind of difference.
	Samples int
	// Redact masks the secrets in a text. It is applied to all texts of tables in the
	// report. If nil, the report is not masked.
	Redact func(string) string
}

// Report holds the differences between a first and a second directory.
type Report struct {
	Equal bool `json:"equal"`
	// OnlyFirst and OnlySecond are the sorted names of tables that only one directory
	// has.
	OnlyFirst  []string `json:"onlyFirst"`
	OnlySecond []string `json:"onlySecond"`
	// Tables are the tables of both directories, by name.
	Tables []tableDiff `json:"tables"`
}

// tableDiff holds the differences of one table.
type tableDiff struct {
	Name  string `json:"name"`
	Equal bool   `json:"equal"`
	// Added are the columns of the second table only. Removed are the columns of the
	// first table only. Both are in the order of the file.
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	// Reordered is true if the common columns are in another order.
	Reordered bool      `json:"reordered"`
	Manifest  []setting `json:"manifest"`
	Rows      rowCounts `json:"rows"`
}

// setting is a difference between manifests. First and Second are the JSON texts of the
// setting, or "" if a manifest does not have the setting.
type setting struct {
	Name   string `json:"name"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// rowCounts holds the differences of the rows of a table.
type rowCounts struct {
	First  int64 `json:"first"`  // number of rows in the first table
	Second int64 `json:"second"` // number of rows in the second table
	// Key is the primary key by which rows were compared. It is empty if whole rows were
	// compared.
	Key  []string `json:"key"`
	Same int64    `json:"same"`
	// OnlyFirst and OnlySecond count the rows that only one table has. With a primary key
	// they count rows with a key that only one table has.
	OnlyFirst  int64 `json:"onlyFirst"`
	OnlySecond int64 `json:"onlySecond"`
	// Changed counts rows with the same key and other cells. ChangedColumns counts them
	// for each column that differs.
	Changed        int64          `json:"changed"`
	ChangedColumns map[string]int `json:"changedColumns"`
	// Samples of these rows, in ascending order.
	FirstSamples   [][]cell `json:"firstSamples"`
	SecondSamples  [][]cell `json:"secondSamples"`
	ChangedSamples []change `json:"changedSamples"`
}

// change is a sample of a changed row.
type change struct {
	Key   []cell       `json:"key"`
	Cells []cellChange `json:"cells"`
}

// cell is a cell of a sample. Long values are shortened.
type cell struct {
	Column string `json:"column"`
	Value  string `json:"value"`
}

// cellChange holds both values of a changed cell.
type cellChange struct {
	Column string `json:"column"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// Directories compares the tables of two directories. Each is a data directory, with
// tables in out/tables, or a directory of tables.
func Directories(ctx context.Context, first, second string, o Options) (report Report, err error) {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	a, err := openFolder(first)
	if err != nil {
		return Report{}, err
	}
	b, err := openFolder(second)
	if err != nil {
		return Report{}, err
	}
	temp, err := os.MkdirTemp("", "extractor-diff-")
	if err != nil {
		return Report{}, failure.Applicationf("cannot make a temporary directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	report = Report{OnlyFirst: masked(missing(a.names, b.names), o.Redact), OnlySecond: masked(missing(b.names, a.names), o.Redact), Tables: []tableDiff{}}
	report.Equal = len(report.OnlyFirst) == 0 && len(report.OnlySecond) == 0
	for _, name := range a.names {
		if !slices.Contains(b.names, name) {
			continue
		}
		t, err := compareTables(ctx, a, b, name, temp, o)
		if err != nil {
			return Report{}, err
		}
		report.Tables = append(report.Tables, t)
		report.Equal = report.Equal && t.Equal
	}
	return report, nil
}

// compareTables compares a table that both directories have.
func compareTables(ctx context.Context, a, b folder, name, temp string, o Options) (t tableDiff, err error) {
	first, err := a.open(name)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, first.close()) }()
	second, err := b.open(name)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, second.close()) }()
	t = tableDiff{
		Name:     o.Redact(name),
		Added:    masked(missing(second.columns, first.columns), o.Redact),
		Removed:  masked(missing(first.columns, second.columns), o.Redact),
		Manifest: compareManifests(first.manifest, second.manifest, o.Redact),
	}
	shared, other := common(first.columns, second.columns), common(second.columns, first.columns)
	t.Reordered = !slices.Equal(shared, other)
	c := comparison{temp: temp, memory: extsort.Memory, samples: o.Samples, columns: shared, redact: o.Redact}
	if key := first.manifest.key; sameSet(key, second.manifest.key) && len(missing(key, shared)) == 0 {
		c.key = key
	}
	if t.Rows, err = c.rows(ctx, first, second); err != nil {
		return t, err
	}
	t.Rows.mask(o.Redact)
	t.Equal = len(t.Added)+len(t.Removed)+len(t.Manifest) == 0 && !t.Reordered &&
		t.Rows.OnlyFirst+t.Rows.OnlySecond+t.Rows.Changed == 0 && t.Rows.First == t.Rows.Second
	return t, nil
}

// mask masks the names of columns. It adds the counts of columns that share a masked
// name.
func (r *rowCounts) mask(redact func(string) string) {
	r.Key = masked(r.Key, redact)
	counts := make(map[string]int, len(r.ChangedColumns))
	for column, n := range r.ChangedColumns {
		counts[redact(column)] += n
	}
	r.ChangedColumns = counts
}

func masked(texts []string, redact func(string) string) []string {
	all := slices.Clone(texts)
	for i, text := range all {
		all[i] = redact(text)
	}
	return all
}

// missing returns the items of list that are not in from. The result is never nil.
func missing(list, from []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return slices.Contains(from, s) })
}

// common returns the texts that are in both lists, in the order of the first list.
func common(list, other []string) []string {
	return missing(list, missing(list, other))
}

func sameSet(a, b []string) bool {
	return len(a) == len(b) && len(missing(a, b)) == 0
}
