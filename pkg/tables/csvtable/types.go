package csvtable

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Kind is what a cell was before it became text.
type Kind uint8

// The kinds of cells. The zero Kind is Absent, so that a cell no one filled is
// absent.
const (
	Absent  Kind = iota // null, or nothing at all; the cell is empty
	Integer             // a number without fraction and exponent that fits 64 bits
	Number              // any other number that is surely below MaxNumber
	True                // written as 1
	False               // written as an empty cell
	Text                // everything else
)

// MaxNumber is the smallest number, but for its sign, that the numeric type of
// some backend cannot hold: it has 29 digits in front of the point. Who meets
// such a number must call it Text.
const MaxNumber = 1e29

// The base types that columns get.
const (
	typeString  = "STRING"
	typeInteger = "INTEGER"
	typeNumeric = "NUMERIC"
	typeBoolean = "BOOLEAN"
)

// Kinds is a set of kinds: those of one column's cells. It is empty for a column
// of a table without rows.
type Kinds uint8

// KindsOf is a set of these kinds.
func KindsOf(all ...Kind) Kinds {
	var set Kinds
	for _, k := range all {
		set.Add(k)
	}
	return set
}

// Add adds a kind to the set.
func (s *Kinds) Add(k Kind) { *s |= 1 << k }

// Has reports whether a kind is in the set.
func (s Kinds) Has(k Kind) bool { return s&(1<<k) != 0 }

// within reports whether there is nothing else in the set.
func (s Kinds) subsetOf(other Kinds) bool { return s&^other == 0 }

// Type is the base type of a column, and whether it has cells that stand for
// no value.
//
// False is an empty cell, which a boolean column can only load as null. A key
// must have a value, so a key with a false in it stays text. Of a table without
// rows nothing is known, so its columns may hold anything, but for the key.
func (s Kinds) Type(key bool) (baseType string, nullable bool) {
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
	case values.subsetOf(KindsOf(True, False)) && !(key && s.Has(False)):
		baseType = typeBoolean
	default:
		baseType = typeString
	}
	return baseType, s.Has(Absent) || baseType == typeBoolean && s.Has(False)
}

// schema is the list of columns in a typed manifest.
func (t Table) schema(seen []Kinds) value.Value {
	columns := make([]value.Value, len(t.Columns))
	for i, name := range t.Columns {
		isKey := slices.Contains(t.PrimaryKey, name)
		baseType, nullable := seen[i].Type(isKey)
		base := value.Value{}.With("base", value.Value{}.With("type", value.OfString(baseType)))
		members := []value.Member{
			{Name: "name", Value: value.OfString(name)},
			{Name: "data_type", Value: base},
			{Name: "nullable", Value: value.OfBool(nullable)},
		}
		if isKey {
			members = append(members, value.Member{Name: "primary_key", Value: value.OfBool(true)})
		}
		columns[i] = value.OfMembers(members...)
	}
	return value.OfItems(columns...)
}
