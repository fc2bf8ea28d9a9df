package mapping

import (
	"context"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/table"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Defaults is what all tables of a bucket have in common.
type Defaults struct {
	Bucket      string
	Incremental bool
}

// Write converts all rows and writes the tables into a set, in the order of
// their discovery: each data type, then the arrays in it. A table without rows
// or without columns is not written. To be called once, after the last row; on
// an error the set is to be aborted.
func (a *Automatic) Write(ctx context.Context, set *table.Set, d Defaults) error {
	l := a.layout()
	if err := l.create(set, table.Table{Bucket: d.Bucket, Incremental: d.Incremental, Typed: a.typed}); err != nil {
		return err
	}
	c := &converter{stop: ctx.Err, roots: l.roots, hasher: newHasher(), warn: a.warn}
	return a.spool.each(c.record)
}

// create begins all tables, each with the settings that all have in common.
func (l *layout) create(set *table.Set, t table.Table) error {
	for _, o := range l.outputs {
		t.Name, t.Columns = o.name, o.columns
		var err error
		if t.Typed {
			t.Columns, err = o.storedColumns()
		}
		if err == nil {
			o.writer, err = set.Create(t)
		}
		if err != nil {
			return fmt.Errorf("data type %q: %w", o.sheets[0].path, err)
		}
	}
	return nil
}

// converter turns records of the spool into records of tables. What it does for
// every item and every property of an item is the busiest code of a run.
type converter struct {
	stop   func() error // asked at every row
	roots  []*sheet
	sheet  *sheet // of the current batch
	hasher *hasher
	warn   warnFunc
}

func (c *converter) record(kind byte, v value.Value) error {
	if kind == batchRecord {
		return c.begin(v.Items())
	}
	return c.item(c.sheet, v)
}

// begin takes over the user and parent columns of a batch.
func (c *converter) begin(head []value.Value) error {
	number, ok := head[0].Int()
	if !ok || number < 0 || int(number) >= len(c.roots) {
		return failure.Applicationf("the spool holds rows of an unknown data type")
	}
	s := c.roots[number]
	c.sheet = s
	s.fixed, s.hashed = s.fixed[:0], s.hashed[:0]
	for _, m := range head[1].Members() {
		x := &s.extra[slices.IndexFunc(s.extra, func(x extraColumn) bool { return x.name == m.Name })]
		if k := m.Value.Kind(); !x.warned && (k == value.Array || k == value.Object) {
			x.warned = true
			c.warn(s.path, fmt.Sprintf("column %q holds values of type %s; they are written as JSON text", x.header, k))
		}
		s.fixed = append(s.fixed, fixedCell{x.column, text(m.Value), kindOf(m.Value)})
		s.hashed = append(s.hashed, value.Member{Name: x.raw, Value: m.Value})
	}
	return nil
}

// text is any value as a cell.
func text(v value.Value) string {
	if k := v.Kind(); k == value.Array || k == value.Object {
		return string(v.AppendEscapedJSON(nil))
	}
	return v.Cell()
}

// frame is an object on the way from a row down to the property at hand. Its
// id is made when the first array needs it.
type frame struct {
	path   string
	object value.Value
	extra  []value.Member // hashed after the members of the object
	outer  *frame         // nil for a row
	id     string
}

// item writes one row, after the rows of the arrays in it.
func (c *converter) item(s *sheet, item value.Value) error {
	if s.out == nil {
		return nil
	}
	if err := c.stop(); err != nil {
		return err
	}
	s.record.clear()
	for _, f := range s.fixed {
		s.record.set(f.column, f.text, f.kind)
	}
	switch {
	case s.element.kind == kindScalar:
		s.record.setValue(s.element.column, text(item), item)
	case item.Kind() == value.Object:
		f := frame{path: s.path, object: item, extra: s.hashed}
		if err := c.object(s, s.element, &f); err != nil {
			return err
		}
	}
	return s.out.writer.Row(s.record.cells, s.record.kinds)
}

// object fills the cells of an object's properties.
func (c *converter) object(s *sheet, n *node, f *frame) error {
	for i, m := range f.object.Members() {
		var err error
		switch p := n.child(i, m.Name); p.kind {
		case kindArray:
			var id string
			if id, err = c.array(p.sheet, m.Value, f); id != "" {
				s.record.set(p.column, id, table.Text)
			}
		case kindObject:
			below := frame{path: p.path, object: m.Value, outer: f}
			err = c.object(s, p, &below)
		default:
			s.record.setValue(p.column, m.Value.Cell(), m.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// array writes the items of an array, or the single value that stands in the
// place of one, and returns the id that links them to the frame: none when
// there is nothing to link.
func (c *converter) array(s *sheet, v value.Value, f *frame) (string, error) {
	isArray := v.Kind() == value.Array
	if v.IsNull() || isArray && v.Len() == 0 {
		return "", nil
	}
	id := c.id(f)
	s.link(id)
	if !isArray {
		return id, c.item(s, v)
	}
	for _, item := range v.Items() {
		if err := c.item(s, item); err != nil {
			return "", err
		}
	}
	return id, nil
}

func (c *converter) id(f *frame) string {
	if f.id == "" {
		outer := ""
		if f.outer != nil {
			outer = c.id(f.outer)
		}
		f.id = c.hasher.id(f.path, f.object, f.extra, outer)
	}
	return f.id
}
