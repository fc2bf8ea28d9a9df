package platformapi

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	// maxBucketName is the maximum length, in bytes, of a name with its prefix.
	maxBucketName = 96
	// maxDescription is the maximum size, in bytes, of a description. The list of buckets
	// is held in memory.
	maxDescription = 64 << 10
)

type bucketRecord struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Stage          string   `json:"stage"`
	DisplayName    string   `json:"displayName"`
	Description    string   `json:"description"`
	URI            string   `json:"uri"`
	Created        string   `json:"created"`
	LastChangeDate *string  `json:"lastChangeDate"`
	IsReadOnly     bool     `json:"isReadOnly"`
	Backend        string   `json:"backend"`
	RowsCount      int      `json:"rowsCount"`
	DataSizeBytes  int64    `json:"dataSizeBytes"`
	BranchID       int      `json:"idBranch"`
	IsMaintenance  bool     `json:"isMaintenance"`
	Sharing        *string  `json:"sharing"`
	Color          *string  `json:"color"`
	Attributes     []string `json:"attributes"`
	// Tables is the URL of the list of tables. In the record of a single bucket it is the
	// list itself.
	Tables any `json:"tables"`
}

// bucketOf returns the record of a bucket, with totals over its tables. It ignores tables
// of other buckets.
func bucketOf(r *http.Request, b store.Bucket, tables []store.Table) bucketRecord {
	record := bucketRecord{
		ID: b.ID, Name: b.Name, Stage: b.Stage, DisplayName: cmp.Or(b.DisplayName, strings.TrimPrefix(b.Name, "c-")),
		Description: b.Description,
		URI:         baseURL(r) + storagePath + "/buckets/" + b.ID, Created: storageTime(b.Created), Backend: "local", BranchID: branchID,
		Attributes: []string{}, Tables: baseURL(r) + storagePath + "/buckets/" + b.ID + "/tables",
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

func (s *server) createBucket(r *http.Request) (response, error) {
	f := formFields(r)
	name, stage, display := f.text("name"), cmp.Or(f.text("stage"), "in"), f.displayName()
	description := f.text("description")
	switch {
	case f.err != nil:
		return response{}, f.err
	case stage != "in" && stage != "out":
		return response{}, invalid(`"stage" must be "in" or "out"`)
	case !validID(name) || strings.Contains(name, ".") || len("c-"+name) > maxBucketName:
		return response{}, invalid(`"name" must be 1 to %d letters, digits, "_" and "-"`, maxBucketName-len("c-"))
	case len(description) > maxDescription:
		return response{}, invalid(`"description" is larger than 64 KB`)
	}
	bucket := store.Bucket{ID: stage + ".c-" + name, DisplayName: cmp.Or(display, name), Description: description}
	stored, err := s.Store.CreateBucket(bucket)
	return created(bucketOf(r, stored, nil), replaceError(err, store.ErrExists, alreadyExists("bucket", "Bucket %q already exists", bucket.ID)))
}

func (f *fields) displayName() string {
	name := f.text("displayName")
	if name != "" && (!validID(name) || strings.Contains(name, ".") || len(name) > maxBucketName) {
		f.fail(`"displayName" must be 1 to %d letters, digits, "_" and "-"`, maxBucketName)
	}
	return name
}

func (s *server) updateBucket(r *http.Request) (response, error) {
	f := formFields(r)
	display := f.displayName()
	async, _ := f.flag("async")
	switch {
	case f.err != nil:
		return response{}, f.err
	case display == "":
		return response{}, invalid(`"displayName" is required`)
	}
	id, started := r.PathValue("bucket"), s.Now()
	b, err := s.Store.UpdateBucket(id, func(b *store.Bucket) { b.DisplayName = display })
	if err != nil {
		return response{}, replaceError(err, store.ErrNotFound, noBucket(id))
	}
	tables, err := s.Store.Tables(id)
	if err == nil && async {
		return s.operate(r, store.Operation{Name: "bucketUpdate", Created: started}, bucketOf(r, b, tables))
	}
	return ok(bucketOf(r, b, tables), err)
}

// deleteBucket deletes a bucket. It deletes a bucket with tables only if "force" is set.
// With "async" the response is a complete operation.
func (s *server) deleteBucket(r *http.Request) (response, error) {
	q := queryOf(r)
	force, _ := q.flag("force")
	async, _ := q.flag("async")
	if q.err != nil {
		return response{}, q.err
	}
	id, started := r.PathValue("bucket"), s.Now()
	_, tables, err := s.bucket(id)
	if err != nil {
		return response{}, err
	}
	err = s.Store.DeleteBucket(id, force)
	err = replaceError(err, store.ErrNotFound, noBucket(id))
	err = replaceError(err, store.ErrNotEmpty, &refusal{
		status: http.StatusBadRequest, code: "buckets.deleteNotEmpty",
		message: fmt.Sprintf(`Only empty buckets can be deleted. There are %d tables in the bucket; to delete them too, add "force"`, len(tables)),
	})
	if err == nil && async {
		return s.operate(r, store.Operation{Name: "bucketDrop", Created: started}, nil)
	}
	return nothing(err)
}

func noBucket(id string) *refusal {
	return notFound("storage.buckets.notFound", "Bucket %q not found", id)
}

func (s *server) listBuckets(r *http.Request) (response, error) {
	buckets, err := s.Store.Buckets()
	if err != nil {
		return response{}, err
	}
	tables, err := s.Store.Tables("")
	if err != nil {
		return response{}, err
	}
	return ok(each(buckets, func(b store.Bucket) bucketRecord { return bucketOf(r, b, tables) }), nil)
}

func (s *server) showBucket(r *http.Request) (response, error) {
	bucket, tables, err := s.bucket(r.PathValue("bucket"))
	if err != nil {
		return response{}, err
	}
	record := bucketOf(r, bucket, tables)
	list := make([]tableRecord, 0, len(tables))
	for _, t := range tables {
		of, err := s.tableOf(r, t, nil)
		if err != nil {
			return response{}, err
		}
		list = append(list, of)
	}
	record.Tables = list
	return ok(record, nil)
}

func (s *server) bucket(id string) (store.Bucket, []store.Table, error) {
	bucket, err := s.Store.Bucket(id)
	if err != nil {
		return bucket, nil, replaceError(err, store.ErrNotFound, noBucket(id))
	}
	tables, err := s.Store.Tables(id)
	return bucket, tables, err
}
