// Package csvtable writes the output tables of a run: CSV files and, when a table is
// complete, its manifest. A Reader reads the records of such a file.
//
// Every cell of the CSV is enclosed in double quotes, a quote in a cell is doubled, and
// records end with a line feed. There is no byte order mark. The manifest has only keys
// that the platform knows. It has two forms: the older form, and the form of typed
// tables, which gives the type of every column according to its cells.
//
// The package does not depend on the source of the cells, nor on the final location of
// the files: a Writer fills a staging directory.
package csvtable

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Table describes one output table.
type Table struct {
	Name string
	// Bucket is the name of the bucket without stage, as configured. If it is "", the
	// platform chooses the bucket.
	Bucket string
	// Columns are the header. There is at least one column.
	Columns []string
	// Types are the declared types of the columns. It is nil if no type is declared.
	Types []ColumnType
	// Lenient is true for columns that may have cells which do not fit their types. It is
	// nil without such columns.
	Lenient []bool
	// PrimaryKey lists columns of the primary key. It may be empty.
	PrimaryKey []string
	// Incremental makes the platform add to the table instead of replacing it.
	Incremental bool
	// Typed selects the manifest that gives the type of every column, from the kinds of
	// its cells. The names of the columns must be stored names then. The CSV file is
	// the same in both cases.
	Typed bool
}

// ManifestSuffix ends the name of a manifest. The rest is the name of its table.
const ManifestSuffix = ".manifest"

// OwnPrefix begins the names of the temporary files of a run. The next run removes
// files with this prefix, also from the directory of the tables, so no table may have
// such a name.
const OwnPrefix = ".extractor-"

// maxFileName is the maximum size, in bytes, of a file name on the usual file systems.
const maxFileName = 255

// FileName returns the name of the CSV file: "bucket.name", or "name" without a bucket.
func (t Table) FileName() string {
	if t.Bucket == "" {
		return t.Name
	}
	return t.Bucket + "." + t.Name
}

// declared returns the declared type of a column.
func (t Table) declared(column int) ColumnType {
	if t.Types == nil {
		return ColumnType{}
	}
	return t.Types[column]
}

// TypeNames returns the declared types of the columns as texts, "" for a column without a
// declared type. It returns nil if no type is declared.
func (t Table) TypeNames() []string {
	var names []string
	for _, declared := range t.Types {
		names = append(names, declared.String())
	}
	return names
}

// manifestName returns the name of the manifest file.
func (t Table) manifestName() string { return t.FileName() + ManifestSuffix }

// manifest returns the manifest: one line of compact JSON without a line feed. seen has
// the kinds of every column's cells; only typed tables use it.
func (t Table) manifest(seen []Kinds) []byte {
	var members []value.Member
	if t.Bucket != "" {
		destination := "in.c-" + t.Bucket + "." + t.Name
		members = append(members, value.Member{Name: "destination", Value: value.OfString(destination)})
	}
	members = append(members, value.Member{Name: "incremental", Value: value.OfBool(t.Incremental)})
	switch {
	case t.Typed:
		// With a schema, the platform takes the first line for data by default.
		members = append(members, value.Member{Name: "has_header", Value: value.OfBool(true)},
			value.Member{Name: "schema", Value: t.schema(seen)})
	case len(t.PrimaryKey) > 0:
		members = append(members, value.Member{Name: "primary_key", Value: value.OfStrings(t.PrimaryKey)})
	}
	return value.OfMembers(members...).AppendEscapedJSON(nil)
}

// CheckName returns a user error if the table and its manifest cannot be two plain
// files in one directory.
func (t Table) CheckName() error {
	name := t.FileName()
	fault := ""
	switch {
	case t.Name == "":
		fault = "the table has no name"
	case strings.ContainsAny(name, "/\x00"):
		fault = "a slash or a NUL byte cannot be part of a file name"
	case name == "." || name == "..":
		fault = "this names a directory"
	case strings.HasPrefix(name, OwnPrefix):
		fault = "names that begin with " + OwnPrefix + " are those of temporary files of this program"
	case strings.HasSuffix(name, ManifestSuffix):
		fault = "the name is that of a manifest"
	case len(t.manifestName()) > maxFileName:
		fault = fmt.Sprintf("longer than %d bytes", maxFileName-len(ManifestSuffix))
	default:
		return nil
	}
	return failure.Userf("table %q cannot be written to a file: %s", name, fault)
}
