package platformapi

import (
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

type tableRecord struct {
	ID             string                      `json:"id"`
	Name           string                      `json:"name"`
	DisplayName    string                      `json:"displayName"`
	URI            string                      `json:"uri"`
	PrimaryKey     []string                    `json:"primaryKey"`
	Created        string                      `json:"created"`
	LastImportDate *string                     `json:"lastImportDate"`
	LastChangeDate *string                     `json:"lastChangeDate"`
	RowsCount      int                         `json:"rowsCount"`
	DataSizeBytes  int64                       `json:"dataSizeBytes"`
	Columns        []string                    `json:"columns"`
	Metadata       []metadataRecord            `json:"metadata"`
	ColumnMetadata map[string][]metadataRecord `json:"columnMetadata"`
	// Bucket is nil if the table is listed in the record of its bucket.
	Bucket *bucketRecord `json:"bucket,omitempty"`
	// Transactional and the fields below it have the same value for all tables, because
	// aliases and typed tables do not exist here.
	Transactional  bool     `json:"transactional"`
	IsAlias        bool     `json:"isAlias"`
	IsAliasable    bool     `json:"isAliasable"`
	IsTyped        bool     `json:"isTyped"`
	IndexedColumns []string `json:"indexedColumns"`
	Attributes     []string `json:"attributes"`
}

// tableOf returns the record of a table with its metadata.
func (s *server) tableOf(r *http.Request, t store.Table, bucket *bucketRecord) (tableRecord, error) {
	own, columns, err := s.Store.TableMetadata(t.ID)
	record := tableRecord{
		ID: t.ID, Name: t.Name, DisplayName: t.Name, URI: baseURL(r) + storagePath + "/tables/" + t.ID,
		PrimaryKey: append([]string{}, t.PrimaryKey...), Created: storageTime(t.Created),
		RowsCount: t.Rows, DataSizeBytes: t.Bytes,
		Columns: []string{}, Metadata: each(own, metadataOf), ColumnMetadata: map[string][]metadataRecord{},
		Bucket: bucket, IndexedColumns: append([]string{}, t.PrimaryKey...), Attributes: []string{},
	}
	if !t.LastImport.IsZero() {
		record.LastImportDate = orNull(storageTime(t.LastImport))
		record.LastChangeDate = record.LastImportDate
	}
	for _, c := range t.Columns {
		record.Columns = append(record.Columns, c.Name)
		if values := columns[c.Name]; len(values) > 0 {
			record.ColumnMetadata[c.Name] = each(values, metadataOf)
		}
	}
	return record, err
}

// listTables lists the tables of the bucket in the path, or of all buckets if the path
// names none.
func (s *server) listTables(r *http.Request) (response, error) {
	buckets, err := s.Store.Buckets()
	if err != nil {
		return response{}, err
	}
	if id := r.PathValue("bucket"); id != "" {
		bucket, _, err := s.bucket(id)
		if err != nil {
			return response{}, err
		}
		buckets = []store.Bucket{bucket}
	}
	records := []tableRecord{}
	for _, b := range buckets {
		tables, err := s.Store.Tables(b.ID)
		if err != nil {
			return response{}, err
		}
		bucket := bucketOf(r, b, tables)
		for _, t := range tables {
			record, err := s.tableOf(r, t, &bucket)
			if err != nil {
				return response{}, err
			}
			records = append(records, record)
		}
	}
	return ok(records, nil)
}

func (s *server) showTable(r *http.Request, t store.Table) (response, error) {
	bucket, tables, err := s.bucket(t.Bucket)
	if err != nil {
		return response{}, err
	}
	record := bucketOf(r, bucket, tables)
	return ok(s.tableOf(r, t, &record))
}

// deleteTable deletes a table. With "async" the response is a complete operation.
func (s *server) deleteTable(r *http.Request) (response, error) {
	q := queryOf(r)
	async, _ := q.flag("async")
	if q.err != nil {
		return response{}, q.err
	}
	id, started := r.PathValue("table"), s.Now()
	if err := s.Store.DeleteTable(id); err != nil {
		return response{}, replaceError(err, store.ErrNotFound, noTable(id))
	}
	if async {
		return s.operate(r, store.Operation{Name: "tableDrop", Table: id, Created: started}, nil)
	}
	return nothing(nil)
}

func noTable(id string) *refusal {
	return notFound("storage.tables.notFound", "Table %q not found", id)
}

func (s *server) table(r *http.Request) (store.Table, error) {
	return s.tableWithID(r.PathValue("table"))
}

func (s *server) tableWithID(id string) (store.Table, error) {
	t, err := s.Store.Table(id)
	return t, replaceError(err, store.ErrNotFound, noTable(id))
}
