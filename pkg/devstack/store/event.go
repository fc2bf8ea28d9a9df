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

// Event is a message about a job or a configuration.
type Event struct {
	// ID is a decimal number, greater than the ids of earlier events.
	ID        string
	Created   time.Time
	Component string
	// Type is info, success, warn or error. Events of type debug are stored too, but the
	// storage API does not show them.
	Type string
	// RunID is the id of the run that the event belongs to. It may be empty.
	RunID           string
	ConfigurationID string
	Message         string
	Description     string
	// Params and Results are JSON objects.
	Params, Results json.RawMessage
	// Logged is true if Results are the fields of a message that a component logged.
	Logged bool
	// Verbose makes the storage API show the fields of a logged message.
	Verbose bool
	// Duration is in seconds.
	Duration int
}

// AddEvents stores events in order, either all or none of them. A zero Created is replaced
// with the current time. A run id longer than 255 bytes is a user error.
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

func (s *Store) Event(id string) (Event, error) { return readID[Event](s, events, id) }

// EventsOf calls keep with the events of a run that have an id above since, oldest first,
// until keep returns false. The run "" contains the events without a run.
func (s *Store) EventsOf(run string, since uint64, keep func(Event) bool) error {
	return s.FindEvents(EventRange{Run: run, After: since}, nil, keep)
}

// Events calls keep with the events of a run, or with all events if run is "", newest
// first, until keep returns false.
func (s *Store) Events(run string, keep func(Event) bool) error {
	if run == "" {
		return newest(s, events, keep)
	}
	return s.FindEvents(EventRange{Run: run, Newest: true}, nil, keep)
}

// EventRange selects a range of the events of a run, and the order.
type EventRange struct {
	Run string
	// After and Before are exclusive bounds of the id; 0 is no bound. If Newest is true,
	// events are ordered newest first and only Before is used. Otherwise only After is
	// used.
	After, Before uint64
	Newest        bool
}

// FindEvents calls keep with the events of a range until keep returns false. It skips
// events if may returns false for their JSON text: searching the text is faster than
// decoding it. may can be nil.
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

// firstEvent moves a cursor to the first event of a range and returns its key. If the range
// is empty, the key is nil or belongs to another run.
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
	// The key before the end of the run's keys is the last event of the run.
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

// runPrefix returns the common prefix of the keys of a run. It starts with the length of
// the run id, because a run id may contain any byte.
func runPrefix(run string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(min(len(run), math.MaxUint16))), run...)
}
