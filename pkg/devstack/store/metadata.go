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

// Metadata is a key and a value of an object. An object has one value for each provider and
// key.
type Metadata struct {
	ID                   string
	Provider, Key, Value string
	Timestamp            time.Time
}

// Object identifies something that has metadata. It is the prefix of the metadata's keys.
// Ids contain no NUL, which ends each part.
type Object string

// Branch is the object of the only branch.
const Branch Object = "branch\x00"

// ConfigurationObject returns the object of a configuration.
func ConfigurationObject(component, id string) Object {
	return Object("configuration\x00" + component + "\x00" + id + "\x00")
}

// BucketObject returns the object of a bucket.
func BucketObject(id string) Object { return Object("bucket\x00" + id + "\x00") }

// TableObject returns the object of a table.
func TableObject(id string) Object { return ColumnObject(id, "") }

// ColumnObject returns the object of a column of a table.
func ColumnObject(table, column string) Object { return tableObjects(table) + Object(column+"\x00") }

func tableObjects(table string) Object { return Object("table\x00" + table + "\x00") }

// The metadata keys for the type of a column, and their provider.
const (
	baseTypeKey  = "KBC.datatype.basetype"
	nullableKey  = "KBC.datatype.nullable"
	lengthKey    = "KBC.datatype.length"
	typeProvider = "storage"
)

// Metadata returns the metadata of an object in the order in which the keys were first set.
func (s *Store) Metadata(o Object) ([]Metadata, error) {
	found := []Metadata{}
	err := scan(s, metadata, []byte(o), func(m Metadata) { found = append(found, m) })
	return found, err
}

// TableMetadata returns the metadata of a table, and by name the metadata of its columns.
// columns omits columns without metadata.
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

// ConfigurationMetadata calls found with the metadata of all configurations, sorted by
// component and configuration id.
func (s *Store) ConfigurationMetadata(found func(component, id string, m Metadata)) error {
	return s.read(func(tx *bbolt.Tx) error {
		return each(tx, "configuration\x00", func(key []byte, m Metadata) error {
			parts := strings.SplitN(string(key), "\x00", 4)
			found(parts[1], parts[2], m)
			return nil
		})
	})
}

// SetMetadata sets metadata of objects, either all or none. It uses only the provider, key
// and value of each Metadata.
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

// DeleteMetadata removes metadata of an object. It returns ErrNotFound if the metadata does
// not exist.
func (s *Store) DeleteMetadata(o Object, id string) error {
	n, err := parseID(id)
	if err != nil {
		return err
	}
	return s.write(func(tx *bbolt.Tx) error {
		key := o.valueKey(n)
		if tx.Bucket(metadata).Get(key) == nil {
			return ErrNotFound
		}
		return tx.Bucket(metadata).Delete(key)
	})
}

func (o Object) valueKey(n uint64) []byte { return append([]byte(o), number(n)...) }

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
			err = put(tx, metadata, o.valueKey(n), m)
		}
	}
	return err
}

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

// removeMetadata removes the metadata of all objects that begin with a prefix, except for
// metadata for which keep returns true.
func removeMetadata(tx *bbolt.Tx, prefix Object, keep func(key []byte, m Metadata) bool) error {
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

func keepNone([]byte, Metadata) bool { return false }

// describe sets the metadata of a table and its columns after a load. It also stores the
// types of columns as metadata, unless the load has metadata with the same key. It removes
// the metadata of removed columns, and types that columns no longer have.
func (s *Store) describe(tx *bbolt.Tx, t Table, provider string, own map[string]string, columns map[string]map[string]string) error {
	prefix := tableObjects(t.ID)
	types := map[string]map[string]string{"": nil}
	for _, c := range t.Columns {
		types[c.Name] = c.types(columns[c.Name])
	}
	err := removeMetadata(tx, prefix, func(key []byte, m Metadata) bool {
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

// types returns the type of a column as metadata, without the given keys.
func (c Column) types(given map[string]string) map[string]string {
	types := map[string]string{}
	if c.Type != "" {
		types[baseTypeKey], types[nullableKey] = c.Type, strconv.FormatBool(c.Nullable)
	}
	if c.Length != "" {
		types[lengthKey] = c.Length
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

// providerOf returns the component of a job, which is the provider of the metadata that the
// job loads. For other ids it returns "user".
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
