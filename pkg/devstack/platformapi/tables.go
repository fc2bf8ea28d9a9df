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
	// Transactional, IsAlias, IsAliasable and Attributes have the same value for all
	// tables, because aliases do not exist here.
	Transactional bool `json:"transactional"`
	IsAlias       bool `json:"isAlias"`
	IsAliasable   bool `json:"isAliasable"`
	IsTyped       bool `json:"isTyped"`
	// Definition is nil unless the table is typed.
	Definition     *tableDefinition `json:"definition,omitempty"`
	IndexedColumns []string         `json:"indexedColumns"`
	Attributes     []string         `json:"attributes"`
}

// tableDefinition describes the columns of a typed table, in the form of the Storage API
// (apiary.apib of keboola/storage-api-php-client).
type tableDefinition struct {
	PrimaryKeysNames []string           `json:"primaryKeysNames"`
	Columns          []columnDefinition `json:"columns"`
}

type columnDefinition struct {
	Name          string         `json:"name"`
	Definition    typeDefinition `json:"definition"`
	BaseType      string         `json:"basetype"`
	CanBeFiltered bool           `json:"canBeFiltered"`
}

// typeDefinition is a type of the backend. Types have no synonyms there: an INTEGER is a
// NUMBER with the length 38,0.
type typeDefinition struct {
	Type     string  `json:"type"`
	Nullable bool    `json:"nullable"`
	Length   *string `json:"length"`
}

func definitionOf(t store.Table) *tableDefinition {
	if !t.Typed {
		return nil
	}
	d := &tableDefinition{PrimaryKeysNames: append([]string{}, t.PrimaryKey...)}
	for _, c := range t.Columns {
		backendType, length := c.Definition()
		d.Columns = append(d.Columns, columnDefinition{c.Name, typeDefinition{backendType, c.Nullable, orNull(length)}, c.Type, true})
	}
	return d
}

// tableOf returns the record of a table with its metadata.
func (s *server) tableOf(r *http.Request, t store.Table, bucket *bucketRecord) (tableRecord, error) {
	own, columns, err := s.Store.TableMetadata(t.ID)
	record := tableRecord{
		ID: t.ID, Name: t.Name, DisplayName: t.Name, URI: baseURL(r) + storagePath + "/tables/" + t.ID,
		PrimaryKey: append([]string{}, t.PrimaryKey...), Created: storageTime(t.Created),
		RowsCount: t.Rows, DataSizeBytes: t.Bytes,
		Columns: []string{}, Metadata: each(own, metadataOf), ColumnMetadata: map[string][]metadataRecord{},
		IsTyped: t.Typed, Definition: definitionOf(t),
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
