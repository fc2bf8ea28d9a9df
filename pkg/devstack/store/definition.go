package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The rules of tables with types follow a project with the backend Snowflake. Sources are
// the public code and documentation of Keboola:
//
//   - A table is typed if its first load has types. An existing table does not change
//     (help.keboola.com, "Native Data Types").
//   - Before each load, the columns in the manifest are compared with the columns of the
//     table. New columns are added; a missing or renamed column, and another base type,
//     fail the job (keboola/output-mapping, TypedTableStructureValidator).
//   - Then length and nullability are changed (TableStructureModifierFromSchema), as far as
//     the Storage API can: longer texts, more digits, cells that may be empty, and cells
//     that may not if there are no empty ones (apiary.apib of
//     keboola/storage-api-php-client, "Update Column Definition").
//   - Columns of the primary key are not nullable ("Create new table definition").

// Base types of columns.
const (
	TypeString    = "STRING"
	TypeInteger   = "INTEGER"
	TypeNumeric   = "NUMERIC"
	TypeFloat     = "FLOAT"
	TypeBoolean   = "BOOLEAN"
	TypeDate      = "DATE"
	TypeTimestamp = "TIMESTAMP"
)

// BaseTypes returns the base types.
func BaseTypes() []string {
	return []string{TypeString, TypeInteger, TypeNumeric, TypeFloat, TypeBoolean, TypeDate, TypeTimestamp}
}

// Definition returns the type of the backend and its length for a base type. The length is
// "" for types without one. The backend has no synonyms: an integer is a number.
func (c Column) Definition() (backendType, length string) {
	switch c.Type {
	case TypeInteger:
		return "NUMBER", "38,0"
	case TypeNumeric:
		length := c.Length
		if length == "" {
			length = "38,9"
		} else if !strings.Contains(length, ",") {
			length += ",0"
		}
		return "NUMBER", length
	case TypeFloat, TypeBoolean, TypeDate:
		return c.Type, ""
	case TypeTimestamp:
		return "TIMESTAMP_NTZ", "9"
	default:
		if c.Length != "" {
			return "VARCHAR", c.Length
		}
		return "VARCHAR", "16777216"
	}
}

// Digits returns the precision and the scale of a NUMERIC, or the number of characters of a
// STRING.
func (c Column) Digits() (precision, scale int) {
	_, length := c.Definition()
	first, second, _ := strings.Cut(length, ",")
	precision, _ = strconv.Atoi(first)
	scale, _ = strconv.Atoi(second)
	return precision, scale
}

// checkLength returns a user error if the backend has no column with this length.
func (l Load) checkLength(c Column) error {
	if c.Length == "" {
		return nil
	}
	precision, scale := c.Digits()
	_, length := c.Definition()
	const maxDigits, maxCharacters = 38, 134217728
	switch {
	case c.Type == TypeNumeric && precision >= 1 && precision <= maxDigits && scale >= 0 && scale <= precision && length == fmt.Sprintf("%d,%d", precision, scale):
		return nil
	case c.Type == TypeString && precision >= 1 && precision <= maxCharacters && length == strconv.Itoa(precision):
		return nil
	default:
		return l.userf("column %q: '%s' is not valid length for %s", c.Name, c.Length, c.Type)
	}
}

// define returns the columns of a new typed table.
func (l Load) define() ([]Column, error) {
	columns := slices.Clone(l.Columns)
	for i := range columns {
		c := &columns[i]
		if err := l.checkLength(*c); err != nil {
			return nil, err
		}
		if slices.Contains(l.PrimaryKey, c.Name) {
			c.Nullable = false
		}
		// The backend does not distinguish such a number from an integer.
		if _, length := c.Definition(); c.Type == TypeNumeric && length == "38,0" {
			c.Type, c.Length = TypeInteger, ""
		}
	}
	return columns, nil
}

// alter returns the columns of an existing typed table after a load: the columns of the
// table, then new columns. hasEmpty reports whether a column has empty cells.
func (l Load) alter(t Table, hasEmpty func(column string) (bool, error)) ([]Column, error) {
	if err := l.checkNames(t); err != nil {
		return nil, err
	}
	if err := l.checkBaseTypes(t); err != nil {
		return nil, err
	}
	columns := slices.Clone(t.Columns)
	for i := range columns {
		c := &columns[i]
		given := l.column(c.Name)
		if err := l.checkLength(given); err != nil {
			return nil, err
		}
		if err := l.checkAlteration(*c, given); err != nil {
			return nil, err
		}
		if c.Nullable && !given.Nullable {
			empty, err := hasEmpty(c.Name)
			if err != nil {
				return nil, err
			}
			if empty {
				return nil, l.userf("column %q cannot become required, because it has empty values", c.Name)
			}
		}
		c.Nullable = given.Nullable
		if given.Length != "" && c.Type == given.Type {
			c.Length = given.Length
		}
	}
	added := slices.DeleteFunc(slices.Clone(l.Columns), func(c Column) bool { return has(t.Columns, c.Name) })
	for _, c := range added {
		if err := l.checkLength(c); err != nil {
			return nil, err
		}
		if !c.Nullable && t.Rows > 0 {
			return nil, l.userf("the column %q is not nullable, so it cannot be added to a table with rows", c.Name)
		}
	}
	return append(columns, added...), l.checkWidth(len(columns) + len(added))
}

func has(columns []Column, name string) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
}

// column returns a column of the load, which must exist.
func (l Load) column(name string) Column {
	return l.Columns[slices.IndexFunc(l.Columns, func(c Column) bool { return c.Name == name })]
}

func names(columns []Column, keep func(Column) bool) string {
	var all []string
	for _, c := range columns {
		if keep(c) {
			all = append(all, strconv.Quote(c.Name))
		}
	}
	return strings.Join(all, ", ")
}

func (l Load) checkNames(t Table) error {
	added := names(l.Columns, func(c Column) bool { return !has(t.Columns, c.Name) })
	missing := names(t.Columns, func(c Column) bool { return !has(l.Columns, c.Name) })
	switch {
	case missing == "":
		return nil
	case added == "":
		return l.userf("the table has %d columns, the schema has %d: %s missing in the schema", len(t.Columns), len(l.Columns), missing)
	case len(t.Columns) == len(l.Columns):
		return l.userf("the table does not have the columns %s of the schema", added)
	default:
		return l.userf("columns of the table are missing in the file: %s", missing)
	}
}

func (l Load) checkBaseTypes(t Table) error {
	var faults []string
	for _, c := range t.Columns {
		if given := l.column(c.Name); given.Type != c.Type {
			faults = append(faults, fmt.Sprintf("column %q has the type %s in the table and %s in the schema", c.Name, c.Type, given.Type))
		}
	}
	if faults != nil {
		return l.userf("%s; the type of a column cannot change", strings.Join(faults, "; "))
	}
	return nil
}

// checkAlteration returns a user error if the Storage API cannot change a column.
func (l Load) checkAlteration(c, given Column) error {
	if given.Nullable && slices.Contains(l.PrimaryKey, c.Name) {
		return l.userf("column %q of the primary key cannot become nullable", c.Name)
	}
	if given.Length == "" {
		return nil // the column keeps its length
	}
	precision, scale := c.Digits()
	p, s := given.Digits()
	_, was := c.Definition()
	_, is := given.Definition()
	if s != scale || p < precision {
		return l.userf("the length of column %q cannot change from %s to %s: only the number of characters, or of digits before the decimal point, can become greater", c.Name, was, is)
	}
	return nil
}

// emptyFinder returns a function that reports whether a column of a table has empty cells.
func (s *Store) emptyFinder(t Table) func(column string) (bool, error) {
	return func(column string) (found bool, err error) {
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == column })
		err = s.Rows(t.ID, func(cells []string) bool {
			found = cells[at] == ""
			return !found
		})
		return found, err
	}
}

// forTypes returns the description of a table after a load with types.
func (s *Store) forTypes(l Load, before Table, found bool) (t Table, err error) {
	t = Table{ID: l.Table, PrimaryKey: l.PrimaryKey, Created: before.Created, Typed: true}
	if !found {
		t.Columns, err = l.define()
		return t, err
	}
	if l.Incremental && !slices.Equal(slices.Sorted(slices.Values(before.PrimaryKey)), slices.Sorted(slices.Values(l.PrimaryKey))) {
		return t, l.keyChange(before)
	}
	t.Columns, err = l.alter(before, s.emptyFinder(before))
	return t, err
}
