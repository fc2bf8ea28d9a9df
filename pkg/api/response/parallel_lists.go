package response

import (
	"iter"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// parallelItem is an item with lists of equal length as members. The first values of the
// lists become an item, the second values another, and so on. Each of these items also
// has the members that are not lists.
type parallelItem struct {
	members []parallelMember
	rows    int
}

type parallelMember struct {
	name   []byte
	value  value.Packed
	values value.Parts // rest of a list
	list   bool
}

// parallel replaces the items of the page by the items in their parallel lists.
func (d *decodeState) parallel() error {
	if !d.query.Parallel || d.page.Rows == 0 {
		return nil
	}
	items, most := d.page.items, d.page.Rows
	rows, read := 0, 0
	var p parallelItem
	for item, err := range items {
		if err == nil {
			err = p.open(item)
		}
		if err != nil {
			return err
		}
		rows += p.rows
		if read++; read == most {
			break
		}
	}
	d.page.Rows = rows
	d.page.items = eachParallel(items)
	return nil
}

// eachParallel streams the items in the parallel lists of each item. Several goroutines
// may iterate at the same time.
func eachParallel(items iter.Seq2[value.Packed, error]) iter.Seq2[value.Packed, error] {
	return func(yield func(value.Packed, error) bool) {
		var p parallelItem
		var row []byte
		for item, err := range items {
			if err == nil {
				err = p.open(item)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for range p.rows {
				if row = p.next(row[:0]); !yield(row, nil) {
					return
				}
			}
		}
	}
}

// open reads the members of an item and checks that its lists have equal lengths.
func (p *parallelItem) open(item value.Packed) error {
	if item.Kind() != value.Object {
		return failure.Userf("the data is %s, expected an object of lists ('dataField.parallel')", item.Kind().WithArticle())
	}
	p.members, p.rows = p.members[:0], 0
	first, beside := -1, 0
	for parts := item.Parts(); parts.More(); {
		m := parallelMember{name: parts.Name()}
		m.value = parts.Value()
		if m.list = m.value.Kind() == value.Array; m.list {
			m.values = m.value.Parts()
			n := m.value.Len()
			if first < 0 {
				first, p.rows = len(p.members), n
			}
			if n != p.rows {
				return failure.Userf("the list %s has %s, and the list %s has %d: expected lists of equal length ('dataField.parallel')",
					nameForMessage(p.members[first].name), textfmt.Count(p.rows, "value"), nameForMessage(m.name), n)
			}
		} else if beside += len(m.value); beside > maxField {
			return failure.Userf("the members beside the lists have more than %d bytes, which is too much for each row ('dataField.parallel')", maxField)
		}
		if p.members = append(p.members, m); len(p.members) > maxColumns {
			return failure.Userf("the data has more than %d members, which is too many for columns ('dataField.parallel')", maxColumns)
		}
	}
	return nil
}

// next appends the item with the next value of each list.
func (p *parallelItem) next(dst []byte) []byte {
	start := len(dst)
	dst = value.OpenObject(dst)
	for i := range p.members {
		m := &p.members[i]
		v := m.value
		if m.list {
			v = m.values.Value()
		}
		dst = append(value.AppendName(dst, m.name), v...)
	}
	value.ClosePacked(dst, start)
	return dst
}
