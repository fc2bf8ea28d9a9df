package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// maxID is the maximum length of an id in bytes.
const maxID = 255

// Configuration is a stored configuration of a component, with its rows.
type Configuration struct {
	Component string
	// ID is unique among the configurations of the component.
	ID                string
	Name              string
	Description       string
	ChangeDescription string
	// Created is the time of the first version and Changed the time of the current version.
	Created, Changed time.Time
	// Version starts at 1 and grows with each change, including changes of rows. Changes of
	// states do not count.
	Version    int
	IsDisabled bool
	// IsDeleted is true if the configuration is in the trash.
	IsDeleted bool
	// Configuration and State are JSON objects.
	Configuration, State json.RawMessage
	Rows                 []Row
}

// Row is a row of a configuration.
type Row struct {
	// ID is unique among the rows of the configuration.
	ID                string
	Name              string
	Description       string
	ChangeDescription string
	Created, Changed  time.Time
	// Version starts at 1. If UpdateConfiguration changes it or the id, the row gets a new
	// version; the store sets the number.
	Version              int
	IsDisabled           bool
	Configuration, State json.RawMessage
}

// Row returns a pointer to the row with this id.
func (c *Configuration) Row(id string) (*Row, bool) {
	i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		return nil, false
	}
	return &c.Rows[i], true
}

// CreateConfiguration stores a new configuration as version 1. If the id is empty, it
// assigns a new one. It returns ErrExists if the id exists, even in the trash, and a user
// error if an id is invalid. Missing objects become {}.
func (s *Store) CreateConfiguration(c Configuration) (Configuration, error) {
	chosen := c.ID
	if err := checkIDs(c.Component, chosen); err != nil {
		return c, err
	}
	err := s.write(func(tx *bbolt.Tx) error {
		stored := tx.Bucket(configurations)
		c.ID = chosen
		// A client may have chosen the next number as an id.
		for c.ID == "" || chosen == "" && stored.Get(c.key()) != nil {
			id, err := nextID(tx)
			if err != nil {
				return err
			}
			c.ID = decimal(id)
		}
		if stored.Get(c.key()) != nil {
			return ErrExists
		}
		c.Version = 1
		c.normalize()
		if err := s.record(tx, nil, &c); err != nil {
			return err
		}
		return c.put(tx)
	})
	return c, err
}

// checkIDs refuses ids that would make keys ambiguous. An empty configuration id is valid:
// it is not assigned yet.
func checkIDs(component, id string) error {
	if component == "" {
		return failure.Userf("a configuration needs a component")
	}
	for _, text := range []string{component, id} {
		if len(text) > maxID || strings.ContainsFunc(text, unicode.IsControl) {
			return failure.Userf("the id %.40q is longer than %d bytes or holds control characters", text, maxID)
		}
	}
	return nil
}

// Configuration returns a configuration. It may be in the trash.
func (s *Store) Configuration(component, id string) (Configuration, error) {
	return readOne[Configuration](s, configurations, configurationKey(component, id))
}

// Configurations returns the configurations of a component, or of all components if
// component is "". It returns either those in the trash or the others, sorted by component
// and id.
func (s *Store) Configurations(component string, deleted bool) (found []Configuration, err error) {
	var prefix []byte
	if component != "" {
		prefix = configurationKey(component, "")
	}
	err = scan(s, configurations, prefix, func(c Configuration) {
		if c.IsDeleted == deleted {
			found = append(found, c)
		}
	})
	return found, err
}

// Components returns the sorted ids of all components that have a configuration, even one
// in the trash.
func (s *Store) Components() (ids []string, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(configurations).Cursor()
		for key, _ := cursor.First(); key != nil; {
			id, _, _ := strings.Cut(string(key), "\x00")
			ids = append(ids, id)
			key, _ = cursor.Seek([]byte(id + "\x01"))
		}
		return nil
	})
	return ids, err
}

// HasComponent reports whether a component has a configuration, even in the trash.
func (s *Store) HasComponent(id string) (found bool, err error) {
	err = s.read(func(tx *bbolt.Tx) error {
		prefix := configurationKey(id, "")
		key, _ := tx.Bucket(configurations).Cursor().Seek(prefix)
		found = bytes.HasPrefix(key, prefix)
		return nil
	})
	return found, err
}

// UpdateConfiguration changes a configuration or its rows and makes a new version. If
// change returns an error, UpdateConfiguration returns it and writes no data. It may call
// change more than once, each time with the stored configuration.
func (s *Store) UpdateConfiguration(component, id string, change func(*Configuration) error) (Configuration, error) {
	return s.changeConfiguration(component, id, func(tx *bbolt.Tx, c *Configuration) error {
		before := c.rowVersions()
		c.Version++
		if err := change(c); err != nil {
			return err
		}
		c.Component, c.ID = component, id // the key must not change
		c.normalize()
		return s.record(tx, before, c)
	})
}

// SetState stores the state of a configuration, or of one of its rows if row is not "". It
// makes no new version.
func (s *Store) SetState(component, id, row string, state json.RawMessage) (Configuration, error) {
	return s.changeConfiguration(component, id, func(_ *bbolt.Tx, c *Configuration) error {
		if row == "" {
			c.State = state
			return nil
		}
		r, found := c.Row(row)
		if !found {
			return ErrNotFound
		}
		r.State = state
		return nil
	})
}

// DeleteConfiguration moves a configuration to the trash. If it is in the trash already,
// DeleteConfiguration removes it with all its versions and its metadata.
func (s *Store) DeleteConfiguration(component, id string) error {
	return s.write(func(tx *bbolt.Tx) error {
		c, err := get[Configuration](tx, configurations, configurationKey(component, id))
		if err != nil {
			return err
		}
		if c.IsDeleted {
			err := errors.Join(removeVersions(tx, component, id), removeMetadata(tx, ConfigurationObject(component, id), keepNone))
			if err != nil {
				return err
			}
			return tx.Bucket(configurations).Delete(c.key())
		}
		before := c.rowVersions()
		c.IsDeleted, c.ChangeDescription = true, "Configuration deleted"
		c.Version++
		if err := s.record(tx, before, &c); err != nil {
			return err
		}
		return c.put(tx)
	})
}

func (s *Store) changeConfiguration(component, id string, change func(*bbolt.Tx, *Configuration) error) (c Configuration, err error) {
	err = s.write(func(tx *bbolt.Tx) error {
		if c, err = get[Configuration](tx, configurations, configurationKey(component, id)); err != nil {
			return err
		}
		if err := change(tx, &c); err != nil {
			return err
		}
		c.normalize()
		return c.put(tx)
	})
	return c, err
}

func (c *Configuration) normalize() {
	c.Configuration, c.State = object(c.Configuration), object(c.State)
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Configuration, r.State = object(r.Configuration), object(r.State)
	}
}

func (c *Configuration) put(tx *bbolt.Tx) error { return put(tx, configurations, c.key(), c) }

func (c *Configuration) key() []byte { return configurationKey(c.Component, c.ID) }

func configurationKey(component, id string) []byte { return []byte(component + "\x00" + id) }

func object(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("{}")
	}
	return text
}
