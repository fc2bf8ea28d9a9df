package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// flatColumns are the properties of a flat item.
var flatColumns = []string{"id", "name", "email", "active", "score", "city", "created", "note", "visits", "comment"}

// flat writes items of scalars to one table.
func flat(address string, limit int, out string) error {
	t, err := create(out, "items", flatColumns...)
	if err != nil {
		return err
	}
	if err := pages(address, limit, func(dec *jsontext.Decoder) error { return t.item(dec) }); err != nil {
		return err
	}
	return t.close()
}

// item reads an object of scalars, one row.
func (t *csv) item(dec *jsontext.Decoder) error {
	if err := t.scalars(dec); err != nil {
		return err
	}
	return t.row()
}

// scalars reads an object of scalars into the cells.
func (t *csv) scalars(dec *jsontext.Decoder) error {
	return members(dec, func(place int, name []byte) error {
		column := t.column(place, name)
		if column < 0 {
			return fmt.Errorf("unknown property %q", name)
		}
		return t.set(column, dec)
	})
}

// nested writes items with an object and a list in them to two tables.
func nested(address string, limit int, out string) error {
	items, err := create(out, "items", "id", "name", "address_street", "address_city", "address_zip", "tags", "visits", "active")
	if err != nil {
		return err
	}
	tags, err := create(out, "items_tags", "label", "weight", "JSON_parentId")
	if err != nil {
		return err
	}
	n := nestedItems{items: items, tags: tags}
	if err := pages(address, limit, n.item); err != nil {
		return err
	}
	if err := items.close(); err != nil {
		return err
	}
	return tags.close()
}

type nestedItems struct {
	items, tags *csv
	id          int64
}

// The places of what is not a scalar, in an item and in its tables.
const (
	addressColumn = 2
	tagsColumn    = 5
	parentColumn  = 2
)

func (n *nestedItems) item(dec *jsontext.Decoder) error {
	n.id++
	err := members(dec, func(place int, name []byte) error {
		switch string(name) {
		case "address":
			return members(dec, func(place int, _ []byte) error { return n.items.set(addressColumn+place, dec) })
		case "tags":
			n.items.cells[tagsColumn] = strconv.AppendInt(n.items.cells[tagsColumn], n.id, 10)
			_, err := items(dec, n.tag)
			return err
		default:
			// The address takes two places more than its one property.
			if place > addressColumn {
				place += 2
			}
			return n.items.set(n.items.column(place, name), dec)
		}
	})
	if err != nil {
		return err
	}
	return n.items.row()
}

func (n *nestedItems) tag(dec *jsontext.Decoder) error {
	if err := n.tags.scalars(dec); err != nil {
		return err
	}
	n.tags.cells[parentColumn] = strconv.AppendInt(n.tags.cells[parentColumn], n.id, 10)
	return n.tags.row()
}

// lists writes items with this many lists of one object, each to a table of its own.
// There are too many to keep their files open: they are written at the end.
func lists(address string, count int, out string) error {
	columns := []string{"id"}
	tables := make([]csv, count)
	for i := range tables {
		columns = append(columns, "l"+strconv.Itoa(i))
		tables[i] = csv{cells: [][]byte{[]byte("value"), []byte("JSON_parentId")}}
		if err := tables[i].row(); err != nil {
			return err
		}
	}
	rows, err := create(out, "items", columns...)
	if err != nil {
		return err
	}
	id := int64(0)
	err = pages(address, 0, func(dec *jsontext.Decoder) error {
		id++
		err := members(dec, func(place int, _ []byte) error {
			if place == 0 {
				return rows.set(0, dec)
			}
			rows.cells[place] = strconv.AppendInt(rows.cells[place], id, 10)
			t := &tables[place-1]
			_, err := items(dec, func(dec *jsontext.Decoder) error {
				t.cells[1] = strconv.AppendInt(t.cells[1], id, 10)
				err := members(dec, func(int, []byte) error { return t.set(0, dec) })
				if err != nil {
					return err
				}
				return t.row()
			})
			return err
		})
		if err != nil {
			return err
		}
		return rows.row()
	})
	for i, t := range tables {
		if err == nil {
			err = os.WriteFile(filepath.Join(out, "items_"+columns[i+1]), t.buf, 0o644)
		}
	}
	if err != nil {
		return err
	}
	return rows.close()
}
