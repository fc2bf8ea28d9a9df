package tableload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// newLoad returns a load with the newLoad, the primary key and the metadata of the
// newLoad, under the names that the platform stores. Columns is empty if the manifest and
// the mapping name no newLoad: then they are in the header.
func (o Options) newLoad(file string, s settings) (store.Load, error) {
	l := store.Load{ColumnMetadata: map[string]map[string]string{}}
	for name, pairs := range s.columnMetadata {
		stored, err := csvtable.StoredName(name)
		if err != nil {
			return l, err
		}
		l.ColumnMetadata[stored] = union(l.ColumnMetadata[stored], pairs)
	}
	if o.DataTypes != NoTypes {
		return l, addSchema(&l, s.schema)
	}
	for _, name := range s.columns {
		stored, err := csvtable.StoredName(name)
		if err != nil {
			return l, err
		}
		l.Columns = append(l.Columns, store.Column{Name: stored})
	}
	for _, name := range s.primaryKey {
		if name = strings.TrimSpace(name); name == "" {
			o.Warn(fmt.Sprintf("Found empty column name in the primary key of table %q", file))
			continue
		}
		stored, err := csvtable.StoredName(name)
		if err != nil {
			return l, err
		}
		if !slices.Contains(l.PrimaryKey, stored) {
			l.PrimaryKey = append(l.PrimaryKey, stored)
		}
	}
	return l, nil
}

func addSchema(l *store.Load, schema []column) error {
	for _, c := range schema {
		stored, err := csvtable.StoredName(c.name)
		if err != nil {
			return err
		}
		l.Columns = append(l.Columns, store.Column{Name: stored, Type: c.baseType, Length: c.length, Nullable: c.nullable == nil || *c.nullable})
		if c.primaryKey != nil && *c.primaryKey {
			l.PrimaryKey = append(l.PrimaryKey, stored)
		}
		if len(c.metadata) > 0 {
			l.ColumnMetadata[stored] = union(l.ColumnMetadata[stored], c.metadata)
		}
	}
	return nil
}
