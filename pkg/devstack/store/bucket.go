package store

import (
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Bucket holds tables.
type Bucket struct {
	// ID is STAGE.NAME, e.g. in.c-shop.
	ID string
	// Stage is in or out; Name begins with c-.
	Stage, Name string
	DisplayName string
	Created     time.Time
}

// CreateBucket makes a bucket with this id and display name; by default the display
// name is the name without c-. It returns ErrExists if the bucket exists, and a
// user error if the id is not valid.
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

// Buckets are all buckets in the order of their ids.
func (s *Store) Buckets() (found []Bucket, err error) {
	err = scan(s, buckets, nil, func(b Bucket) { found = append(found, b) })
	return found, err
}

func (s *Store) Bucket(id string) (Bucket, error) { return one[Bucket](s, buckets, []byte(id)) }

// newBucket sets the fields that follow from the id.
func (s *Store) newBucket(b Bucket) Bucket {
	b.Stage, b.Name, _ = strings.Cut(b.ID, ".")
	if b.DisplayName == "" {
		b.DisplayName = strings.TrimPrefix(b.Name, "c-")
	}
	b.Created = s.clock()
	return b
}

// ensureBucket makes a bucket unless it exists.
func (s *Store) ensureBucket(tx *bbolt.Tx, id string) error {
	if tx.Bucket(buckets).Get([]byte(id)) != nil {
		return nil
	}
	return put(tx, buckets, []byte(id), s.newBucket(Bucket{ID: id}))
}

// splitTableID returns the bucket's id and the name of a table, or a user error if
// the id is not valid.
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
