// Package csvtable writes the output tables of a run: CSV files and, once they are
// complete, their manifests. A Reader reads the records of such a file.
//
// Every cell of the CSV is enclosed in double quotes, a quote inside is doubled,
// records end with a line feed; there is no byte order mark. The manifest holds
// the keys the platform knows and no others. It has two forms: the older one, and
// that of typed tables, which gives the type of every column by what its cells
// were.
//
// The package knows neither where cells come from nor how files get into their
// final place: a Writer fills a staging directory.
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
	// Bucket is the name of the bucket without stage, as configured; "" leaves
	// the choice to the platform.
	Bucket string
	// Columns are the header, at least one.
	Columns []string
	// Kinds are those of the values in each column of a typed table, if they are
	// known before the first record; else nil. A column with Text may have other
	// kinds too, and any column may have cells that are Absent.
	Kinds []Kinds
	// PrimaryKey lists some of the columns; may be empty.
	PrimaryKey []string
	// Incremental makes the platform add to the table instead of replacing
	// it.
	Incremental bool
	// Typed requests the manifest that gives the type of every column, from the
	// kinds of its cells. The names of the columns must be stored names then.
	// The CSV file is the same with and without.
	Typed bool
}

// ManifestSuffix ends the name of a manifest. The rest is the name of its table.
const ManifestSuffix = ".manifest"

// OwnPrefix begins the names of the temporary files of a run, which the next run
// removes, also from the directory of the tables: no table may have such a name.
const OwnPrefix = ".extractor-"

// maxFileName is how long a file name may be on the usual file systems.
const maxFileName = 255

// FileName is the name of the CSV file: "bucket.name", or "name" without a
// bucket.
func (t Table) FileName() string {
	if t.Bucket == "" {
		return t.Name
	}
	return t.Bucket + "." + t.Name
}

// ManifestName is the name of the manifest file.
func (t Table) ManifestName() string { return t.FileName() + ManifestSuffix }

// manifest is the text of the manifest: one line of compact JSON without a line
// end. The kinds of every column's cells matter only to a typed table.
func (t Table) manifest(seen []Kinds) []byte {
	var members []value.Member
	if t.Bucket != "" {
		destination := "in.c-" + t.Bucket + "." + t.Name
		members = append(members, value.Member{Name: "destination", Value: value.OfString(destination)})
	}
	members = append(members, value.Member{Name: "incremental", Value: value.OfBool(t.Incremental)})
	switch {
	case t.Typed:
		// Where there is a schema, the first line would be taken for data.
		members = append(members, value.Member{Name: "has_header", Value: value.OfBool(true)},
			value.Member{Name: "schema", Value: t.schema(seen)})
	case len(t.PrimaryKey) > 0:
		members = append(members, value.Member{Name: "primary_key", Value: value.OfStrings(t.PrimaryKey)})
	}
	return value.OfMembers(members...).AppendEscapedJSON(nil)
}

// CheckName is a user error when the table cannot be a pair of plain files in
// one directory.
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
	case len(t.ManifestName()) > maxFileName:
		fault = fmt.Sprintf("longer than %d bytes", maxFileName-len(ManifestSuffix))
	default:
		return nil
	}
	return failure.Userf("table %q cannot be written to a file: %s", name, fault)
}
