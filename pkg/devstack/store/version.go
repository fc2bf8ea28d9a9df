package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// Version describes one version of a configuration or of a row.
type Version struct {
	Number            int
	Name, Description string
	ChangeDescription string
	Created           time.Time
	IsDisabled        bool
	IsDeleted         bool
}

// version is a stored version. Consecutive versions with equal content share one copy of
// it.
type version struct {
	Version
	// Content is the number of the first version with this content.
	Content int
	// Made is the creation time of the configuration or the row.
	Made time.Time
	// Rows are the rows of a configuration, in order. It is empty for a row.
	Rows []rowVersion `json:",omitempty"`
}

type rowVersion struct {
	ID      string
	Version int
}

// history is the versions of a configuration or of a row.
type history struct {
	tx  *bbolt.Tx
	key []byte // ends with NUL, which no id contains
}

func historyOf(tx *bbolt.Tx, component, id string) history {
	return history{tx, append(configurationKey(component, id), 0)}
}

func historyOfRow(tx *bbolt.Tx, component, id, row string) history {
	return history{tx, []byte(component + "\x00" + id + "\x00" + row + "\x00")}
}

func (h history) versionKey(n int) []byte {
	return binary.BigEndian.AppendUint64(slices.Clone(h.key), uint64(n))
}

func (h history) add(v version, content json.RawMessage) error {
	v.Content = v.Number
	if before, err := h.get(v.Number - 1); err == nil && bytes.Equal(h.content(before), content) {
		v.Content = before.Content
	} else if err := h.tx.Bucket(contents).Put(h.versionKey(v.Number), content); err != nil {
		return err
	}
	return put(h.tx, versions, h.versionKey(v.Number), v)
}

func (h history) get(n int) (version, error) { return get[version](h.tx, versions, h.versionKey(n)) }

// content returns the document of a version. It is memory of the database: it must not be
// changed and is valid until the end of the transaction.
func (h history) content(v version) []byte { return h.tx.Bucket(contents).Get(h.versionKey(v.Content)) }

// end is greater than the number of every version. A key with it sorts before the keys of
// rows.
const end = 1<<56 - 1

func (h history) last() (number int, err error) {
	err = h.each(func(v Version) bool {
		number = v.Number
		return false
	})
	return number, err
}

// each calls keep with the versions, newest first, until keep returns false.
func (h history) each(keep func(Version) bool) error {
	cursor := h.tx.Bucket(versions).Cursor()
	newest := cursor.Prev
	if after, _ := cursor.Seek(h.versionKey(end)); after == nil {
		newest = cursor.Last
	}
	// The keys of rows begin like the keys of their configuration, but are longer.
	for key, text := newest(); len(key) == len(h.key)+8 && bytes.HasPrefix(key, h.key); key, text = cursor.Prev() {
		var v version
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
		if !keep(v.Version) {
			return nil
		}
	}
	return nil
}

func (c *Configuration) rowVersions() map[string]int {
	numbers := make(map[string]int, len(c.Rows))
	for _, r := range c.Rows {
		numbers[r.ID] = r.Version
	}
	return numbers
}

// record stores a new version of a configuration. It also stores a version of each row that
// is new or has another number than in before. A number is never used twice, not even for a
// row that was deleted and created again.
func (s *Store) record(tx *bbolt.Tx, before map[string]int, c *Configuration) error {
	now := s.clock()
	c.Changed = now
	if c.Version == 1 {
		c.Created = now
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if number, found := before[r.ID]; found && number == r.Version {
			continue
		}
		h := historyOfRow(tx, c.Component, c.ID, r.ID)
		last, err := h.last()
		if err != nil {
			return err
		}
		r.Version, r.Changed = last+1, now
		if r.Created.IsZero() {
			r.Created = now
		}
		if err := h.add(r.version(), r.Configuration); err != nil {
			return err
		}
	}
	return historyOf(tx, c.Component, c.ID).add(c.version(), c.Configuration)
}

func (c *Configuration) version() version {
	v := version{Made: c.Created, Version: Version{
		Number: c.Version, Name: c.Name, Description: c.Description, ChangeDescription: c.ChangeDescription,
		Created: c.Changed, IsDisabled: c.IsDisabled, IsDeleted: c.IsDeleted,
	}}
	for _, r := range c.Rows {
		v.Rows = append(v.Rows, rowVersion{r.ID, r.Version})
	}
	return v
}

func (r *Row) version() version {
	return version{Made: r.Created, Version: Version{
		Number: r.Version, Name: r.Name, Description: r.Description, ChangeDescription: r.ChangeDescription,
		Created: r.Changed, IsDisabled: r.IsDisabled,
	}}
}

// Versions calls keep with the versions of a configuration, or of one of its rows if row is
// not "", newest first, until keep returns false. A deleted row still has its versions. A
// missing configuration has none.
func (s *Store) Versions(component, id, row string, keep func(Version) bool) error {
	return s.read(func(tx *bbolt.Tx) error {
		if row != "" {
			return historyOfRow(tx, component, id, row).each(keep)
		}
		return historyOf(tx, component, id).each(keep)
	})
}

// Version returns a configuration with its rows as of a version, without states. It returns
// ErrNotFound if the version does not exist.
func (s *Store) Version(component, id string, number int) (c Configuration, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		h := historyOf(tx, component, id)
		v, err := h.get(number)
		if err != nil {
			return err
		}
		c = Configuration{
			Component: component, ID: id, Name: v.Name, Description: v.Description, ChangeDescription: v.ChangeDescription,
			Created: v.Made, Changed: v.Created, Version: v.Number, IsDisabled: v.IsDisabled, IsDeleted: v.IsDeleted,
			Configuration: slices.Clone(h.content(v)), State: object(nil),
		}
		for _, r := range v.Rows {
			row, err := historyOfRow(tx, component, id, r.ID).row(r.ID, r.Version)
			if err != nil {
				return err
			}
			c.Rows = append(c.Rows, row)
		}
		return nil
	})
	return c, err
}

// RowVersion returns a row as of a version, without its state. It returns ErrNotFound if
// the version does not exist.
func (s *Store) RowVersion(component, id, row string, number int) (r Row, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		r, err = historyOfRow(tx, component, id, row).row(row, number)
		return err
	})
	return r, err
}

func (h history) row(id string, number int) (Row, error) {
	v, err := h.get(number)
	if err != nil {
		return Row{}, err
	}
	return Row{
		ID: id, Name: v.Name, Description: v.Description, ChangeDescription: v.ChangeDescription,
		Created: v.Made, Changed: v.Created, Version: v.Number, IsDisabled: v.IsDisabled,
		Configuration: slices.Clone(h.content(v)), State: object(nil),
	}, nil
}

// Rollback makes a new version with the content and the rows of an earlier version.
// description is its change description. States stay unchanged; a row that was deleted
// comes back without its state.
func (s *Store) Rollback(component, id string, number int, description string) (Configuration, error) {
	old, err := s.Version(component, id, number)
	if err != nil {
		return old, err
	}
	return s.UpdateConfiguration(component, id, func(c *Configuration) error {
		if c.IsDeleted {
			return ErrNotFound
		}
		c.Name, c.Description, c.ChangeDescription = old.Name, old.Description, description
		c.IsDisabled, c.Configuration = old.IsDisabled, old.Configuration
		rows := make([]Row, 0, len(old.Rows))
		for _, row := range old.Rows {
			now, found := c.Row(row.ID)
			switch {
			case !found:
				row.ChangeDescription = description
			case now.Version == row.Version:
				row = *now // keeps the state
			default:
				now.rollBack(row, description)
				row = *now
			}
			rows = append(rows, row)
		}
		c.Rows = rows
		return nil
	})
}

// RollbackRow makes a new version of a row with the content of an earlier version, and with
// it a new version of the configuration. The row must exist.
func (s *Store) RollbackRow(component, id, row string, number int, description string) (Configuration, error) {
	old, err := s.RowVersion(component, id, row, number)
	if err != nil {
		return Configuration{}, err
	}
	return s.UpdateConfiguration(component, id, func(c *Configuration) error {
		now, found := c.Row(row)
		if c.IsDeleted || !found {
			return ErrNotFound
		}
		now.rollBack(old, description)
		c.ChangeDescription = description
		return nil
	})
}

func (r *Row) rollBack(old Row, description string) {
	r.Name, r.Description, r.ChangeDescription = old.Name, old.Description, description
	r.IsDisabled, r.Configuration = old.IsDisabled, old.Configuration
	r.Version++
}

// Restore moves a configuration out of the trash, which makes a new version. It returns
// ErrNotFound if the configuration is not in the trash.
func (s *Store) Restore(component, id, description string) (Configuration, error) {
	return s.UpdateConfiguration(component, id, func(c *Configuration) error {
		if !c.IsDeleted {
			return ErrNotFound
		}
		c.IsDeleted, c.ChangeDescription = false, description
		return nil
	})
}

// Copy stores a new configuration with the content and the rows of a version of another
// configuration. Of to it uses only the id, the name and the descriptions.
// CreateConfiguration describes the id.
func (s *Store) Copy(component, id string, number int, to Configuration) (Configuration, error) {
	c, err := s.Version(component, id, number)
	if err != nil {
		return c, err
	}
	c.ID, c.Name, c.Description, c.ChangeDescription = to.ID, to.Name, to.Description, to.ChangeDescription
	c.IsDeleted = false
	return s.CreateConfiguration(c)
}

func removeVersions(tx *bbolt.Tx, component, id string) error {
	prefix := append(configurationKey(component, id), 0)
	for _, bucket := range [][]byte{versions, contents} {
		cursor := tx.Bucket(bucket).Cursor()
		for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Seek(prefix) {
			if err := cursor.Delete(); err != nil {
				return err
			}
		}
	}
	return nil
}
