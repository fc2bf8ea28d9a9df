// Package mapping turns the items of pages into rows of tables.
//
// Automatic mapping needs no settings: every property becomes a column, nested objects
// become columns of the same row, and arrays become tables that are linked by generated
// ids. The columns depend on every item of the run, so items are collected first: the
// structure grows in memory while the items wait in a compressed spool. When all items
// are there, they are converted. Memory depends on the structure and on the largest
// item, not on the amount of data. The result does not depend on where pages end.
//
// Configured mapping reads only the paths that the configuration names: it writes
// columns, and child tables that are linked by a key. All columns are known beforehand,
// so rows are written at once.
//
// The package does not depend on the source of items. Package csvtable writes the tables.
package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are the settings of an AutomaticMapper.
type Options struct {
	// TempDir is an existing directory for the spool. The default is the temporary
	// directory of the operating system.
	TempDir string
	// Structure is the result of Structure at the end of the previous run, or null.
	Structure value.Value
	// Typed makes typed tables, see csvtable.Table: the same cells in columns with
	// stored names.
	Typed bool
	// TextBooleans writes booleans as true and false, instead of 1 and an empty cell.
	TextBooleans bool
	// Warn reports values that are stored differently than their shape suggests, once
	// for each column or list. It may be nil.
	Warn func(table, text string)
	// Named is called for every name that is made for a table or column, with the text
	// that the name is made from. It returns whether the text holds a secret: the name
	// may contain a part of the secret. It may be nil.
	Named func(text, name string) (secret bool)
	// Lists recognizes the names of members about lists. Truncated needs it to find
	// lists.
	Lists ListNames
}

type warnFunc func(table, text string)

// Column is a column that does not come from the item: user data, or a value of the
// parent item.
type Column struct {
	Name  string
	Value value.Value
}

// packColumns returns the user and parent columns as an object.
func packColumns(columns []Column) value.Packed {
	members := make([]value.Member, len(columns))
	for i, c := range columns {
		members[i] = value.Member(c)
	}
	return value.OfMembers(members...).AppendPacked(nil)
}

// AutomaticMapper collects the items of all data types of one bucket. It is not safe
// for concurrent use.
type AutomaticMapper struct {
	spool *spool
	schemaLearner
	typed bool
	// textBooleans is Options.TextBooleans.
	textBooleans bool
	named        func(text, name string) (secret bool)
	remembered   value.Value
	known        map[string]*node // data types of the previous run
	types        map[string]*dataType
	order        []*dataType // data types in the order of their first rows
	last         *Batch      // batch of the last row in the spool
}

// dataType is a data type that has a row in this run.
type dataType struct {
	number int // index in AutomaticMapper.order
	root   *node
	extra  []extraColumn // names of the user and parent columns
	// properties and names are its part of the counts in schemaLearner.
	properties, names int
	dropped           bool // true if its rows are not written
	// pointer is the JSON pointer of the expression that made the name, or "".
	pointer string
}

// NewAutomatic returns a mapper without rows. An invalid remembered structure is a user
// error.
func NewAutomatic(o Options) (*AutomaticMapper, error) {
	known, err := loadStructure(o.Structure)
	if err != nil {
		return nil, err
	}
	a := &AutomaticMapper{
		spool:         newSpool(o.TempDir),
		schemaLearner: schemaLearner{warn: o.Warn, lists: o.Lists},
		typed:         o.Typed,
		textBooleans:  o.TextBooleans,
		named:         o.Named,
		remembered:    o.Structure,
		known:         known,
		types:         map[string]*dataType{},
	}
	if a.warn == nil {
		a.warn = func(string, string) {}
	}
	if a.named == nil {
		a.named = func(string, string) bool { return false }
	}
	return a, nil
}

// Batch begins the rows of one page. If several columns have the same name, the last
// value is used, at the index of the first. Batches are converted in the order of their
// rows.
func (a *AutomaticMapper) Batch(typeName string, columns []Column) *Batch {
	return &Batch{owner: a, typeName: typeName, columns: packColumns(columns)}
}

// Batch adds the rows of one page. A batch without rows, or with a single row that is
// null, has no effect.
type Batch struct {
	owner    *AutomaticMapper
	typeName string
	columns  value.Packed
	pointer  string    // see dataType.pointer
	heldNull bool      // true if the first row was null; it is added with the second row
	dataType *dataType // nil until a row is added
}

// Computed sets the JSON pointer of the expression that made the name of the data type,
// and returns the batch. No other data type and no list may have the table of such a name.
func (b *Batch) Computed(pointer string) *Batch {
	b.pointer = pointer
	return b
}

// Row adds a copy of one row. It returns a user error if the types of the row conflict
// with earlier rows. The mapper must not be used after an
// error, unless the data type is dropped.
func (b *Batch) Row(row value.Packed) error {
	if b.dataType == nil {
		if row.Kind() == value.Null && !b.heldNull {
			b.heldNull = true
			return nil
		}
		b.dataType = b.owner.dataType(b.typeName, b.columns)
		if b.pointer != "" {
			b.dataType.pointer = b.pointer
		}
		if b.heldNull {
			if err := b.add(value.Value{}.AppendPacked(nil)); err != nil {
				return err
			}
		}
	}
	return b.add(row)
}

func (b *Batch) add(row value.Packed) error {
	a := b.owner
	properties, names := a.properties, a.names
	err := b.dataType.root.element.mergeItem(row, row.Kind(), &a.schemaLearner)
	b.dataType.properties += a.properties - properties
	b.dataType.names += a.names - names
	if err != nil {
		return err
	}
	if a.last != b {
		a.last = b
		head := value.OfItems(value.OfInt(int64(b.dataType.number)), b.columns.Value())
		if err := a.spool.add(batchRecord, head.AppendPacked(nil)); err != nil {
			return err
		}
	}
	return a.spool.add(rowRecord, row)
}

// dataType returns the named data type and adds the columns to it. It adds the data
// type if it is missing.
func (a *AutomaticMapper) dataType(name string, columns value.Packed) *dataType {
	t, ok := a.types[name]
	if !ok {
		t = &dataType{number: len(a.order), root: a.known[name]}
		if t.root == nil {
			t.root = newDataType(name)
		}
		a.types[name] = t
		a.order = append(a.order, t)
	}
	for members := columns.Parts(); members.More(); members.Skip() {
		name := string(members.Name())
		if !slices.ContainsFunc(t.extra, func(x extraColumn) bool { return x.name == name }) {
			t.extra = append(t.extra, extraColumn{name: name})
		}
	}
	return t
}

// ReleaseBuffers releases what the mapper needs only while rows arrive: memory, and an
// open file. It may be called at any time; the next row acquires them again.
func (a *AutomaticMapper) ReleaseBuffers() error { return a.spool.releaseBuffers() }

// Structure returns what the next run should remember: the structure of all data, over
// the structure that the previous run remembered. Call it after the last row.
func (a *AutomaticMapper) Structure() value.Value {
	data := make([]value.Member, 0, len(a.order))
	for _, t := range a.order {
		if t.dropped {
			continue
		}
		t.root.element.nameTree()
		data = append(data, value.Member{Name: propertyMark + t.root.name, Value: t.root.structure()})
	}
	return overlay(a.remembered, value.OfMembers(
		value.Member{Name: dataKey, Value: value.OfMembers(data...)},
		value.Member{Name: aliasesKey, Value: value.OfItems()},
	))
}

// Close removes the spool.
func (a *AutomaticMapper) Close() error { return a.spool.close() }
