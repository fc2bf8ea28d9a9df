package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// maxBucketName is the maximum length of a name with its prefix.
const maxBucketName = 96

type bucketRecord struct {
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	Stage          string  `json:"stage"`
	DisplayName    string  `json:"displayName"`
	Description    string  `json:"description"`
	URI            string  `json:"uri"`
	Created        string  `json:"created"`
	LastChangeDate *string `json:"lastChangeDate"`
	IsReadOnly     bool    `json:"isReadOnly"`
	Backend        string  `json:"backend"`
	RowsCount      int     `json:"rowsCount"`
	DataSizeBytes  int64   `json:"dataSizeBytes"`
	BranchID       int     `json:"idBranch"`
}

// bucketOf is a bucket with the sums over its tables. Tables of other buckets are
// ignored.
func bucketOf(r *http.Request, b store.Bucket, tables []store.Table) bucketRecord {
	record := bucketRecord{
		ID: b.ID, Name: b.Name, Stage: b.Stage, DisplayName: cmp.Or(b.DisplayName, strings.TrimPrefix(b.Name, "c-")),
		URI: base(r) + storagePath + "/buckets/" + b.ID, Created: storageTime(b.Created), Backend: "local", BranchID: branchID,
	}
	last := b.Created
	for _, t := range tables {
		if t.Bucket != b.ID {
			continue
		}
		record.RowsCount += t.Rows
		record.DataSizeBytes += t.Bytes
		if t.LastImport.After(last) {
			last = t.LastImport
			record.LastChangeDate = orNull(storageTime(last))
		}
	}
	return record
}

func (s *server) createBucket(r *http.Request) (answer, error) {
	f := formFields(r)
	name, stage, display := f.text("name"), f.text("stage"), f.text("displayName")
	switch {
	case f.err != nil:
		return answer{}, f.err
	case stage != "in" && stage != "out":
		return answer{}, invalid(`"stage" must be "in" or "out"`)
	case !validID(name) || strings.Contains(name, ".") || len("c-"+name) > maxBucketName:
		return answer{}, invalid(`"name" must be 1 to %d letters, digits, "_" and "-"`, maxBucketName-len("c-"))
	}
	bucket := store.Bucket{ID: stage + ".c-" + name, DisplayName: cmp.Or(display, name)}
	stored, err := s.Store.CreateBucket(bucket)
	return created(bucketOf(r, stored, nil), instead(err, store.ErrExists, exists("bucket", "Bucket %q already exists", bucket.ID)))
}

func (s *server) listBuckets(r *http.Request) (answer, error) {
	buckets, err := s.Store.Buckets()
	if err != nil {
		return answer{}, err
	}
	tables, err := s.Store.Tables("")
	if err != nil {
		return answer{}, err
	}
	return ok(each(buckets, func(b store.Bucket) bucketRecord { return bucketOf(r, b, tables) }), nil)
}

func (s *server) showBucket(r *http.Request) (answer, error) {
	bucket, tables, err := s.bucket(r.PathValue("bucket"))
	return ok(bucketOf(r, bucket, tables), err)
}

func (s *server) bucket(id string) (store.Bucket, []store.Table, error) {
	bucket, err := s.Store.Bucket(id)
	if err != nil {
		return bucket, nil, instead(err, store.ErrNotFound, notFound("storage.buckets.notFound", "Bucket %q not found", id))
	}
	tables, err := s.Store.Tables(id)
	return bucket, tables, err
}
