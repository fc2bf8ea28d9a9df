package store

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// Metadata is one key and value of an object. An object has one value for each provider
// and key.
type Metadata struct {
	ID                   string
	Provider, Key, Value string
	Timestamp            time.Time
}

// Object is something that has metadata. Ids that are part of a path contain no NUL.
type Object string

// Branch is the only branch as an object.
const Branch Object = "branch\x00"

// ConfigurationObject is a configuration as an object.
func ConfigurationObject(component, id string) Object {
	return Object("configuration\x00" + component + "\x00" + id + "\x00")
}

// BucketObject is a bucket as an object.
func BucketObject(id string) Object { return Object("bucket\x00" + id + "\x00") }

// TableObject is a table as an object.
func TableObject(id string) Object { return ColumnObject(id, "") }

// ColumnObject is a column of a table as an object.
func ColumnObject(table, column string) Object { return tableObjects(table) + Object(column+"\x00") }

// tableObjects begins the keys of a table and of its columns.
func tableObjects(table string) Object { return Object("table\x00" + table + "\x00") }

// The metadata that holds the type of a column, and the provider of it.
const (
	baseTypeKey  = "KBC.datatype.basetype"
	nullableKey  = "KBC.datatype.nullable"
	typeProvider = "storage"
)

// Metadata is the metadata of an object in the order in which it was first set.
func (s *Store) Metadata(o Object) ([]Metadata, error) {
	found := []Metadata{}
	err := scan(s, metadata, []byte(o), func(m Metadata) { found = append(found, m) })
	return found, err
}

// TableMetadata is the metadata of a table and, by its name, of each column that has
// any.
func (s *Store) TableMetadata(table string) (own []Metadata, columns map[string][]Metadata, err error) {
	own, columns = []Metadata{}, map[string][]Metadata{}
	prefix := tableObjects(table)
	err = s.read(func(tx *bbolt.Tx) error {
		return each(tx, prefix, func(key []byte, m Metadata) error {
			column := string(key[len(prefix) : len(key)-9])
			if column == "" {
				own = append(own, m)
			} else {
				columns[column] = append(columns[column], m)
			}
			return nil
		})
	})
	return own, columns, err
}

// ConfigurationMetadata calls found with the metadata of each configuration that has
// any, in the order of components and ids.
func (s *Store) ConfigurationMetadata(found func(component, id string, m Metadata)) error {
	return s.read(func(tx *bbolt.Tx) error {
		return each(tx, "configuration\x00", func(key []byte, m Metadata) error {
			parts := strings.SplitN(string(key), "\x00", 4)
			found(parts[1], parts[2], m)
			return nil
		})
	})
}

// SetMetadata sets values of objects, all or none. Of m, provider, key and value count.
func (s *Store) SetMetadata(values map[Object][]Metadata) error {
	return s.write(func(tx *bbolt.Tx) error {
		for _, o := range slices.Sorted(maps.Keys(values)) {
			if err := s.setMetadata(tx, o, values[o]...); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteMetadata removes one value of an object, or returns ErrNotFound.
func (s *Store) DeleteMetadata(o Object, id string) error {
	n, err := parseID(id)
	if err != nil {
		return err
	}
	return s.write(func(tx *bbolt.Tx) error {
		key := o.at(n)
		if tx.Bucket(metadata).Get(key) == nil {
			return ErrNotFound
		}
		return tx.Bucket(metadata).Delete(key)
	})
}

// at is the key of one value: the object and the number of the value.
func (o Object) at(n uint64) []byte { return append([]byte(o), number(n)...) }

func (s *Store) setMetadata(tx *bbolt.Tx, o Object, values ...Metadata) error {
	if len(values) == 0 {
		return nil
	}
	now := s.clock()
	known := map[[2]string]string{}
	err := each(tx, o, func(_ []byte, m Metadata) error {
		known[[2]string{m.Provider, m.Key}] = m.ID
		return nil
	})
	for _, m := range values {
		if err != nil {
			return err
		}
		m.ID, m.Timestamp = known[[2]string{m.Provider, m.Key}], now
		if m.ID == "" {
			n, err := tx.Bucket(metadata).NextSequence()
			if err != nil {
				return err
			}
			m.ID = decimal(n)
			known[[2]string{m.Provider, m.Key}] = m.ID
		}
		var n uint64
		if n, err = parseID(m.ID); err == nil {
			err = put(tx, metadata, o.at(n), m)
		}
	}
	return err
}

// each calls keep with the metadata of all objects that begin with a prefix.
func each(tx *bbolt.Tx, prefix Object, keep func(key []byte, m Metadata) error) error {
	cursor := tx.Bucket(metadata).Cursor()
	for key, text := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(key), string(prefix)); key, text = cursor.Next() {
		var m Metadata
		if err := json.Unmarshal(text, &m); err != nil {
			return err
		}
		if err := keep(key, m); err != nil {
			return err
		}
	}
	return nil
}

// forgetMetadata removes the metadata of all objects that begin with a prefix, unless
// keep says that it stays.
func forgetMetadata(tx *bbolt.Tx, prefix Object, keep func(key []byte, m Metadata) bool) error {
	var gone [][]byte
	err := each(tx, prefix, func(key []byte, m Metadata) error {
		if !keep(key, m) {
			gone = append(gone, slices.Clone(key))
		}
		return nil
	})
	for _, key := range gone {
		err = errors.Join(err, tx.Bucket(metadata).Delete(key))
	}
	return err
}

// none keeps no metadata.
func none([]byte, Metadata) bool { return false }

// describe sets the metadata of a table and its columns as a load brought it. Types
// become metadata too, unless the load has its own. Metadata of columns that are gone
// is removed, and types that are.
func (s *Store) describe(tx *bbolt.Tx, t Table, provider string, own map[string]string, columns map[string]map[string]string) error {
	prefix := tableObjects(t.ID)
	types := map[string]map[string]string{"": nil}
	for _, c := range t.Columns {
		types[c.Name] = c.types(columns[c.Name])
	}
	err := forgetMetadata(tx, prefix, func(key []byte, m Metadata) bool {
		column, found := types[string(key[len(prefix):len(key)-9])]
		_, typed := column[m.Key]
		return found && (typed || m.Provider != typeProvider)
	})
	if err != nil {
		return err
	}
	if err := s.setMetadata(tx, TableObject(t.ID), pairs(provider, own)...); err != nil {
		return err
	}
	for _, c := range t.Columns {
		values := append(pairs(typeProvider, types[c.Name]), pairs(provider, columns[c.Name])...)
		if err := s.setMetadata(tx, ColumnObject(t.ID, c.Name), values...); err != nil {
			return err
		}
	}
	return nil
}

// types are the type of a column as metadata, without what is given.
func (c Column) types(given map[string]string) map[string]string {
	types := map[string]string{}
	if c.Type != "" {
		types[baseTypeKey], types[nullableKey] = c.Type, strconv.FormatBool(c.Nullable)
	}
	maps.DeleteFunc(types, func(key, _ string) bool {
		_, found := given[key]
		return found
	})
	return types
}

func pairs(provider string, values map[string]string) []Metadata {
	var list []Metadata
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Metadata{Provider: provider, Key: key, Value: values[key]})
	}
	return list
}

// prepareMetadata makes the bucket. In an older file, metadata is part of the tables.
func (s *Store) prepareMetadata(tx *bbolt.Tx) error {
	if tx.Bucket(metadata) != nil {
		return nil
	}
	if _, err := tx.CreateBucket(metadata); err != nil {
		return err
	}
	return tx.Bucket(tables).ForEach(func(_, text []byte) error {
		var old struct {
			Table
			Metadata       map[string]string
			ColumnMetadata map[string]map[string]string
		}
		if err := json.Unmarshal(text, &old); err != nil {
			return err
		}
		return s.describe(tx, old.Table, providerOf(tx, old.Job), old.Metadata, old.ColumnMetadata)
	})
}

// providerOf is the component of a job, as the provider of what it loaded.
func providerOf(tx *bbolt.Tx, job string) string {
	n, err := parseID(job)
	if err != nil {
		return "user"
	}
	j, err := get[Job](tx, jobs, number(n))
	if err != nil {
		return "user"
	}
	return j.Component
}
