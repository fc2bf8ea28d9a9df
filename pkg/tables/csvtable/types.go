package csvtable

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Kind is the kind of value that a cell was made from.
type Kind uint8

// The zero Kind is Absent, so that a cell without a value is absent.
const (
	Absent    Kind = iota // null or no value; the cell is empty
	Integer               // a number without fraction and exponent that fits 64 bits
	Number                // any other number that is certainly below MaxNumber
	True                  // a boolean with a text
	False                 // written as an empty cell
	Text                  // any other value
	emptyText             // Text without characters; a Writer finds it
)

// MaxNumber is the smallest absolute value that the numeric type of some backend cannot
// hold: the type has 29 digits before the decimal point. Such a number must have the
// kind Text.
const MaxNumber = 1e29

// These are the base types of columns. A type that the configuration does not declare is
// one of STRING, INTEGER, NUMERIC and BOOLEAN.
const (
	typeString    = "STRING"
	typeInteger   = "INTEGER"
	typeNumeric   = "NUMERIC"
	typeFloat     = "FLOAT"
	typeBoolean   = "BOOLEAN"
	typeDate      = "DATE"
	typeTimestamp = "TIMESTAMP"
)

// Kinds is the set of the kinds of one column's cells. It is empty if the table has no
// rows.
type Kinds uint8

// KindsOf returns a set of kinds.
func KindsOf(all ...Kind) Kinds {
	var set Kinds
	for _, k := range all {
		set.add(k)
	}
	return set
}

func (s *Kinds) add(k Kind)     { *s |= 1 << k }
func (s Kinds) has(k Kind) bool { return s&(1<<k) != 0 }

func (s Kinds) subsetOf(other Kinds) bool { return s&^other == 0 }

// columnType returns the base type of a column, and whether some of its cells stand for a
// missing value.
//
// False is an empty cell, which a boolean column can only load as null. A key must have
// a value, so a key column with False stays a text column. An empty text is loaded as null,
// too (Keboola's documentation of native types, "Handling NULLs"), so a column with one is
// nullable unless it belongs to the key. Without rows, the kinds of a column are unknown:
// it is text, and nullable unless it belongs to the key.
func (s Kinds) columnType(key bool) (baseType string, nullable bool) {
	values := s &^ KindsOf(Absent)
	switch {
	case s == 0:
		return typeString, !key
	case values == 0:
		return typeString, true
	case values.subsetOf(KindsOf(Integer)):
		baseType = typeInteger
	case values.subsetOf(KindsOf(Integer, Number)):
		baseType = typeNumeric
	case values.subsetOf(KindsOf(True, False)) && !(key && s.has(False)):
		baseType = typeBoolean
	default:
		baseType = typeString
	}
	return baseType, s.has(Absent) || s.has(emptyText) && !key || baseType == typeBoolean && s.has(False)
}

// schema returns the list of columns in a typed manifest.
func (t Table) schema(seen []Kinds) value.Value {
	columns := make([]value.Value, len(t.Columns))
	for i, name := range t.Columns {
		isKey := slices.Contains(t.PrimaryKey, name)
		declared := t.declared(i)
		if declared.Base == "" {
			declared.Base, declared.Nullable = seen[i].columnType(isKey)
		}
		base := value.Value{}.With("type", value.OfString(declared.Base))
		if declared.Length != "" {
			base = base.With("length", value.OfString(declared.Length))
		}
		members := []value.Member{
			{Name: "name", Value: value.OfString(name)},
			{Name: "data_type", Value: value.Value{}.With("base", base)},
			{Name: "nullable", Value: value.OfBool(declared.Nullable)},
		}
		if isKey {
			members = append(members, value.Member{Name: "primary_key", Value: value.OfBool(true)})
		}
		columns[i] = value.OfMembers(members...)
	}
	return value.OfItems(columns...)
}
