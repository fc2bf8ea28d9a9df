package store

import (
	"errors"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Bucket is a storage bucket, which contains tables.
type Bucket struct {
	// ID is STAGE.NAME, e.g. in.c-shop.
	ID string
	// Stage is in or out; Name begins with c-.
	Stage, Name string
	DisplayName string
	Description string
	Created     time.Time
}

// CreateBucket creates a bucket with the id, display name and description of b. The default
// display name is the name without c-. It returns ErrExists if the bucket exists, and a
// user error if the id is invalid.
func (s *Store) CreateBucket(b Bucket) (Bucket, error) {
	if err := checkBucketID(b.ID); err != nil {
		return b, err
	}
	err := s.write(func(tx *bbolt.Tx) error {
		if tx.Bucket(buckets).Get([]byte(b.ID)) != nil {
			return ErrExists
		}
		b = s.newBucket(b)
		return put(tx, buckets, []byte(b.ID), b)
	})
	return b, err
}

// Buckets returns all buckets, sorted by id.
func (s *Store) Buckets() (found []Bucket, err error) {
	err = scan(s, buckets, nil, func(b Bucket) { found = append(found, b) })
	return found, err
}

func (s *Store) Bucket(id string) (Bucket, error) { return readOne[Bucket](s, buckets, []byte(id)) }

// UpdateBucket changes a bucket. A change of the id is ignored. It returns ErrNotFound if
// the bucket does not exist.
func (s *Store) UpdateBucket(id string, change func(*Bucket)) (b Bucket, err error) {
	err = s.write(func(tx *bbolt.Tx) error {
		if b, err = get[Bucket](tx, buckets, []byte(id)); err != nil {
			return err
		}
		change(&b)
		b.ID = id // the key must not change
		return put(tx, buckets, []byte(id), b)
	})
	return b, err
}

// DeleteBucket deletes a bucket. It returns ErrNotEmpty if the bucket has tables and
// withTables is false. It waits until no load is running.
func (s *Store) DeleteBucket(id string, withTables bool) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	var gone []tableRecord
	err := s.write(func(tx *bbolt.Tx) error {
		if tx.Bucket(buckets).Get([]byte(id)) == nil {
			return ErrNotFound
		}
		gone = nil
		err := scanIn(tx, tables, []byte(id+"."), func(r tableRecord) { gone = append(gone, r) })
		if err != nil {
			return err
		}
		if len(gone) > 0 && !withTables {
			return ErrNotEmpty
		}
		for _, r := range gone {
			if err := dropTable(tx, r.ID); err != nil {
				return err
			}
		}
		return errors.Join(removeMetadata(tx, BucketObject(id), keepNone), tx.Bucket(buckets).Delete([]byte(id)))
	})
	if err == nil {
		s.discardRows(gone...)
	}
	return err
}

// newBucket returns b with the fields that derive from its id, and the current time.
func (s *Store) newBucket(b Bucket) Bucket {
	b.Stage, b.Name, _ = strings.Cut(b.ID, ".")
	if b.DisplayName == "" {
		b.DisplayName = strings.TrimPrefix(b.Name, "c-")
	}
	b.Created = s.clock()
	return b
}

func (s *Store) ensureBucket(tx *bbolt.Tx, id string) error {
	if tx.Bucket(buckets).Get([]byte(id)) != nil {
		return nil
	}
	return put(tx, buckets, []byte(id), s.newBucket(Bucket{ID: id}))
}

// splitTableID splits the id of a table into the id of its bucket and its name. It returns
// a user error if the id is invalid.
func splitTableID(id string) (bucket, name string, err error) {
	bucket, name = id, ""
	if i := strings.LastIndexByte(id, '.'); i >= 0 {
		bucket, name = id[:i], id[i+1:]
	}
	if !isName(name) {
		return "", "", failure.Userf("table %q: the id of a table is that of a bucket, a dot and a name of letters, digits, _ and -", id)
	}
	if err := checkBucketID(bucket); err != nil {
		return "", "", failure.Wrap("table \""+id+"\"", "", err)
	}
	return bucket, name, nil
}

func checkBucketID(id string) error {
	stage, name, _ := strings.Cut(id, ".")
	name, hasPrefix := strings.CutPrefix(name, "c-")
	if stage != "in" && stage != "out" || !hasPrefix || !isName(name) {
		return failure.Userf("bucket %q: the id of a bucket is in.c-NAME or out.c-NAME, the name of letters, digits, _ and -", id)
	}
	return nil
}

func isName(text string) bool {
	return text != "" && len(text) <= maxID && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}
