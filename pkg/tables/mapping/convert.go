package mapping

import (
	"context"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Defaults are the settings that all tables of a bucket share.
type Defaults struct {
	Bucket      string
	Incremental bool
}

// Write converts all rows and writes the tables in the order of their discovery: each
// data type, then the arrays in it. It does not write tables without rows or without
// columns. Call it once, after the last row.
func (a *AutomaticMapper) Write(ctx context.Context, out *csvtable.Set, d Defaults) error {
	l := a.layout()
	if err := a.checkComputed(l); err != nil {
		return err
	}
	if err := l.create(out, csvtable.Table{Bucket: d.Bucket, Incremental: d.Incremental, Typed: a.typed}); err != nil {
		return err
	}
	c := &converter{stop: ctx.Err, roots: l.roots, hasher: newHasher(), warn: a.warn, textBooleans: a.textBooleans}
	return a.spool.each(c.convertRecord)
}

// create begins all tables. t has the settings that all tables share.
func (l *layout) create(out *csvtable.Set, t csvtable.Table) error {
	for _, f := range l.files {
		t.Name, t.Columns = f.name, f.columns
		var err error
		if t.Typed {
			t.Columns, err = f.storedColumns(l.named)
		}
		if err == nil {
			f.writer, err = out.Create(t)
		}
		if err != nil {
			return fmt.Errorf("data type %q: %w", f.tables[0].element.path(), err)
		}
	}
	return nil
}

// converter turns records of the spool into records of tables. The code for every item
// and every property of an item is the busiest code of a run.
type converter struct {
	stop   func() error // called for each row; an error ends the conversion
	roots  []*tableLayout
	table  *tableLayout // table of the current batch; nil if its data type was dropped
	hasher *hasher
	// ids holds the ids of the current row and of the rows that contain it, packed.
	// Cells and the rows of arrays share this memory.
	ids    []byte
	frames []*frame // free frames
	warn   warnFunc
	// textBooleans is true if booleans are written as true and false.
	textBooleans bool
}

func (c *converter) convertRecord(kind byte, v value.Packed) error {
	if kind == batchRecord {
		return c.beginBatch(v.Value().Items())
	}
	if c.table == nil {
		return nil
	}
	c.ids = c.ids[:0]
	c.table.rows++
	return c.writeItem(c.table, v)
}

// beginBatch sets the user and parent columns of a batch.
func (c *converter) beginBatch(head []value.Value) error {
	number, ok := head[0].Int()
	if !ok || number < 0 || int(number) >= len(c.roots) {
		return failure.Applicationf("the spool holds rows of an unknown data type")
	}
	t := c.roots[number]
	if c.table = t; t == nil {
		return nil
	}
	t.fixed, t.hashed = t.fixed[:0], t.hashed[:0]
	for _, m := range head[1].Members() {
		x := &t.extra[slices.IndexFunc(t.extra, func(x extraColumn) bool { return x.name == m.Name })]
		packed := value.Packed(m.Value.AppendPacked(nil))
		cell := extraCell(packed)
		if k := cell.Kind(); !x.warned && (k == value.Array || k == value.Object) {
			x.warned = true
			c.warn(t.element.path(), fmt.Sprintf("column %q holds values of type %s; they are written as JSON text", x.header, k))
		}
		fixed := fixedCell{x.column, cellText(cell), kindOf(cell)}
		if c.textBooleans && cell.Kind() == value.Bool {
			fixed.text, fixed.kind = booleanText(cell), csvtable.True
		}
		t.fixed = append(t.fixed, fixed)
		t.hashed = append(t.hashed, hashedMember{x.raw, packed})
	}
	return nil
}

// extraCell returns the cell of a user or parent column: nil for an empty list,
// otherwise the value. The hash contains the list.
func extraCell(v value.Packed) value.Packed {
	if v.Kind() == value.Array && v.Len() == 0 {
		return nil
	}
	return v
}

// cellText returns the cell for any value.
func cellText(v value.Packed) []byte {
	if k := v.Kind(); k == value.Array || k == value.Object {
		return v.AppendEscapedJSON(nil)
	}
	return v.Cell()
}

// frame is an object between a row and the current property. Its id is computed when
// the first array needs it.
type frame struct {
	node   *node
	object value.Packed
	extra  []hashedMember // members that are hashed after those of the object
	outer  *frame         // nil for a row
	id     value.Packed
}

// newFrame returns a copy of f on the heap. It reuses free frames.
func (c *converter) newFrame(f frame) *frame {
	last := len(c.frames) - 1
	if last < 0 {
		first := f
		return &first
	}
	reused := c.frames[last]
	c.frames = c.frames[:last]
	*reused = f
	return reused
}

// writeItem writes one row, after the rows of the arrays in it.
func (c *converter) writeItem(t *tableLayout, item value.Packed) error {
	if t.file == nil {
		return nil
	}
	if err := c.stop(); err != nil {
		return err
	}
	held := len(c.ids)
	if t.file.shared() {
		t.record = t.file.borrow()
	} else {
		t.record.clear()
	}
	for _, f := range t.fixed {
		t.record.set(f.column, f.text, f.kind)
	}
	switch {
	case t.element.kind == kindScalar:
		t.record.setValue(t.element.column, cellText(item), item)
	case item.Kind() == value.Object:
		f := c.newFrame(frame{node: t.element, object: item, extra: t.hashed})
		if err := c.fillCells(t, t.element, f); err != nil {
			return err
		}
		c.frames = append(c.frames, f)
	case t.element.mixed:
		c.warnBoth(t.element, dataColumn, "the list holds single values beside objects; the column has the single values",
			item.Kind() != value.Null && len(t.element.children) > 0)
		t.record.setValue(t.element.column, cellText(item), item)
	}
	err := t.file.writer.Row(t.record.cells, t.record.kinds)
	if t.file.shared() {
		t.file.records = append(t.file.records, t.record)
	}
	c.ids = c.ids[:held]
	return err
}

// fillCells fills the cells of an object's properties.
func (c *converter) fillCells(t *tableLayout, n *node, f *frame) error {
	for i, members := 0, f.object.Parts(); members.More(); i++ {
		p := n.child(i, &members)
		v, k, cell := members.Cell()
		var err error
		switch p.kind {
		case kindArray:
			var id value.Packed
			if id, err = c.writeArray(p.table, v, f); id != nil {
				t.record.set(p.column, id.Raw(), csvtable.Text)
			}
		case kindObject:
			if p.mixed {
				c.warnBoth(p, p.header, "it holds objects beside single values; objects are written as JSON text", k == value.Object)
				t.record.setValue(p.column, cellText(v), v)
			} else if k == value.Object {
				below := c.newFrame(frame{node: p, object: v, outer: f})
				err = c.fillCells(t, p, below)
				c.frames = append(c.frames, below)
			}
		default:
			t.record.setValue(p.column, cell, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// warnBoth warns about the first value that is not of the kind that a column or table
// mostly has.
func (c *converter) warnBoth(n *node, column, holds string, found bool) {
	if n.warnedBoth || !found {
		return
	}
	n.warnedBoth = true
	c.warn(n.path(), fmt.Sprintf("column %q, row %d: %s", column, c.table.rows, holds))
}

// writeArray writes the items of an array, or a single value that occurs instead of an
// array. It returns the id that links them to the frame, or nil for null and an empty
// array.
func (c *converter) writeArray(t *tableLayout, v value.Packed, f *frame) (value.Packed, error) {
	isArray := v.Kind() == value.Array
	items := v.Parts()
	if v.Kind() == value.Null || isArray && !items.More() {
		return nil, nil
	}
	id := c.frameID(f)
	t.link(id)
	if !isArray {
		return id, c.writeItem(t, v)
	}
	for items.More() {
		if err := c.writeItem(t, items.Value()); err != nil {
			return nil, err
		}
	}
	return id, nil
}

// frameID returns the id of a frame, a packed string.
func (c *converter) frameID(f *frame) value.Packed {
	if f.id == nil {
		var outer []byte
		if f.outer != nil {
			outer = c.frameID(f.outer).Raw()
		}
		start := len(c.ids)
		c.ids = value.PackString(c.ids, c.hasher.id(f.node, f.object, f.extra, outer))
		f.id = c.ids[start:]
	}
	return f.id
}
