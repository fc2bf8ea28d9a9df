package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Event is one message about what happened.
type Event struct {
	// ID is a decimal number, greater than the ids of earlier events.
	ID        string
	Created   time.Time
	Component string
	// Type is info, success, warn or error. Events of type debug can be looked at,
	// but are not events of a job.
	Type string
	// RunID is the id of its job, "" for none.
	RunID           string
	ConfigurationID string
	Message         string
	Description     string
	// Params and Results are JSON objects.
	Params, Results json.RawMessage
	// Logged is true if Results are the fields of a message that a component logged.
	Logged bool
	// Verbose lets the storage API show these fields.
	Verbose bool
	// Duration is in seconds.
	Duration int
}

// AddEvents stores events in their order, all or none. The time of an event is now
// if it is zero. A run id longer than 255 bytes is a user error.
func (s *Store) AddEvents(added ...Event) ([]Event, error) {
	if len(added) == 0 {
		return nil, nil
	}
	for _, e := range added {
		if len(e.RunID) > maxID {
			return nil, failure.Userf("the run id %.40q is longer than %d bytes", e.RunID, maxID)
		}
	}
	stored := make([]Event, len(added))
	err := s.write(func(tx *bbolt.Tx) error {
		for i, e := range added {
			id, err := tx.Bucket(events).NextSequence()
			if err != nil {
				return err
			}
			e.ID = decimal(id)
			if e.Created.IsZero() {
				e.Created = s.now()
			}
			e.Created = e.Created.UTC().Round(0)
			e.Params, e.Results = object(e.Params), object(e.Results)
			if err := put(tx, events, number(id), e); err != nil {
				return err
			}
			if err := tx.Bucket(eventsOfRun).Put(runKey(e.RunID, id), nil); err != nil {
				return err
			}
			stored[i] = e
		}
		return nil
	})
	return stored, err
}

func (s *Store) Event(id string) (e Event, err error) {
	n, err := parseID(id)
	if err != nil {
		return e, err
	}
	return one[Event](s, events, number(n))
}

// EventsOf calls keep with the events of a run whose id is above since, the oldest
// first, until keep returns false. The run "" has the events without a run.
func (s *Store) EventsOf(run string, since uint64, keep func(Event) bool) error {
	return s.FindEvents(EventRange{Run: run, After: since}, nil, keep)
}

// Events calls keep with all events, or those of a run, the newest first, until
// keep returns false.
func (s *Store) Events(run string, keep func(Event) bool) error {
	if run == "" {
		return s.read(func(tx *bbolt.Tx) error { return newest(tx.Bucket(events).Cursor(), keep) })
	}
	return s.FindEvents(EventRange{Run: run, Newest: true}, nil, keep)
}

// EventRange is a part of the events of a run, and its order.
type EventRange struct {
	Run string
	// After is the id before the first one, Before the id after the last one; 0 is no
	// bound. With Newest the newest come first, and only Before counts; without it only
	// After.
	After, Before uint64
	Newest        bool
}

// FindEvents calls keep with events of a run until keep returns false. Events whose JSON
// may refuses are passed over without reading it, which takes longer than to look for a
// text in it; nil refuses none.
func (s *Store) FindEvents(r EventRange, may func(text []byte) bool, keep func(Event) bool) error {
	return s.read(func(tx *bbolt.Tx) error {
		prefix := runPrefix(r.Run)
		cursor, all := tx.Bucket(eventsOfRun).Cursor(), tx.Bucket(events)
		key, next := firstEvent(cursor, r), cursor.Next
		if r.Newest {
			next = cursor.Prev
		}
		for ; bytes.HasPrefix(key, prefix); key, _ = next() {
			if may != nil && !may(all.Get(key[len(prefix):])) {
				continue
			}
			e, err := get[Event](tx, events, key[len(prefix):])
			if err != nil {
				return err
			}
			if !keep(e) {
				return nil
			}
		}
		return nil
	})
}

// firstEvent moves a cursor to the first event of a range. If there is none, the key
// belongs to another run or is nil.
func firstEvent(cursor *bbolt.Cursor, r EventRange) []byte {
	if !r.Newest {
		key, _ := cursor.Seek(runKey(r.Run, r.After))
		if bytes.Equal(key, runKey(r.Run, r.After)) {
			key, _ = cursor.Next()
		}
		return key
	}
	before := r.Before
	if before == 0 {
		before = math.MaxUint64 // no event has the highest id
	}
	// After the last event of the run comes one of another run, or nothing.
	key, _ := cursor.Seek(runKey(r.Run, before))
	if key == nil {
		key, _ = cursor.Last()
	} else {
		key, _ = cursor.Prev()
	}
	return key
}

func runKey(run string, id uint64) []byte {
	return binary.BigEndian.AppendUint64(runPrefix(run), id)
}

// runPrefix begins the keys of a run and no others: a run id may contain any byte,
// so its length comes first.
func runPrefix(run string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(min(len(run), math.MaxUint16))), run...)
}
