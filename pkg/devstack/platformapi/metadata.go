package platformapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// maxMetadataKey and maxMetadataValue are maximum lengths in bytes.
	maxMetadataKey   = 255
	maxMetadataValue = 65_535
	// userProvider is the provider of the metadata of branches and configurations.
	userProvider      = "user"
	tableMetadataPath = "tables/{table}/metadata"
)

type metadataRecord struct {
	ID        string `json:"id"`
	Key       string `json:"key"`
	Value     string `json:"value"`
	Provider  string `json:"provider"`
	Timestamp string `json:"timestamp"`
}

func metadataOf(m store.Metadata) metadataRecord {
	return metadataRecord{ID: m.ID, Key: m.Key, Value: m.Value, Provider: m.Provider, Timestamp: storageTime(m.Timestamp)}
}

// metadataOwner is a kind of object with metadata. find returns the object that the path of
// a request names. If needsProvider is true, clients must name the provider of the
// metadata.
type metadataOwner struct {
	path          string
	needsProvider bool
	find          func(*http.Request) (store.Object, error)
}

func (s *server) metadataPaths() map[string]methods {
	all := map[string]methods{}
	for _, owner := range []metadataOwner{
		{"metadata", false, func(*http.Request) (store.Object, error) { return store.Branch, nil }},
		{configurationPath + "/metadata", false, func(r *http.Request) (store.Object, error) {
			c, err := s.configuration(r)
			return store.ConfigurationObject(c.Component, c.ID), err
		}},
		{"buckets/{bucket}/metadata", true, func(r *http.Request) (store.Object, error) {
			b, _, err := s.bucket(r.PathValue("bucket"))
			return store.BucketObject(b.ID), err
		}},
		{"columns/{column}/metadata", true, s.column},
		{tableMetadataPath, true, func(r *http.Request) (store.Object, error) {
			t, err := s.table(r)
			return store.TableObject(t.ID), err
		}},
	} {
		set := withForm(owner.find, s.setMetadata(owner.needsProvider)).body("metadata[]")
		if owner.needsProvider {
			set = set.body("provider")
		} else {
			set = set.ignores("it is always user", "provider")
		}
		if owner.path == tableMetadataPath {
			set = withForm(s.table, s.setTableMetadata).body("provider", "metadata[]", "columnsMetadata[]")
		}
		all[owner.path] = methods{http.MethodGet: with(owner.find, s.listMetadata), http.MethodPost: set}
		all[owner.path+"/{metadata}"] = methods{http.MethodDelete: with(owner.find, s.deleteMetadata)}
	}
	return all
}

// column returns the column that the path names as TABLE.COLUMN. Names of tables contain no
// dot, so the rest of the path is the name of the column.
func (s *server) column(r *http.Request) (store.Object, error) {
	id := r.PathValue("column")
	parts := strings.SplitN(id, ".", 4)
	if len(parts) < 4 {
		return "", noColumn(id)
	}
	t, err := s.tableWithID(strings.Join(parts[:3], "."))
	if err != nil {
		return "", err
	}
	if !hasColumn(t, parts[3]) {
		return "", noColumn(id)
	}
	return store.ColumnObject(t.ID, parts[3]), nil
}

func hasColumn(t store.Table, name string) bool {
	return slices.ContainsFunc(t.Columns, func(c store.Column) bool { return c.Name == name })
}

func noColumn(id string) *refusal {
	return notFound("storage.columns.notFound", "Column %q not found, the id of a column is BUCKET.TABLE.COLUMN", id)
}

func (s *server) listMetadata(_ *http.Request, o store.Object) (response, error) {
	list, err := s.Store.Metadata(o)
	return ok(each(list, metadataOf), err)
}

// setMetadata sets metadata and responds with all metadata of the object.
func (s *server) setMetadata(needsProvider bool) func(*http.Request, *fields, store.Object) (response, error) {
	return func(_ *http.Request, f *fields, o store.Object) (response, error) {
		values := f.metadata("metadata", f.provider(needsProvider))
		if len(values) == 0 {
			f.fail(`"metadata" must be a list of {"key": …, "value": …} that is not empty`)
		}
		if f.err != nil {
			return response{}, f.err
		}
		if err := s.Store.SetMetadata(map[store.Object][]store.Metadata{o: values}); err != nil {
			return response{}, err
		}
		list, err := s.Store.Metadata(o)
		return created(each(list, metadataOf), err)
	}
}

// setTableMetadata sets metadata of a table and its columns. It responds to a form with a
// list, as for other objects, and to JSON with both.
func (s *server) setTableMetadata(r *http.Request, f *fields, t store.Table) (response, error) {
	provider := f.provider(true)
	values := f.columnsMetadata(t, provider)
	if own := f.metadata("metadata", provider); len(own) > 0 {
		values[store.TableObject(t.ID)] = own
	}
	if len(values) == 0 {
		f.fail(`"metadata" or "columnsMetadata" is required`)
	}
	if f.err != nil {
		return response{}, f.err
	}
	if err := s.Store.SetMetadata(values); err != nil {
		return response{}, err
	}
	own, columns, err := s.Store.TableMetadata(t.ID)
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return created(each(own, metadataOf), err)
	}
	ofColumns := map[string][]metadataRecord{}
	for name, list := range columns {
		ofColumns[name] = each(list, metadataOf)
	}
	return created(struct {
		Metadata        []metadataRecord            `json:"metadata"`
		ColumnsMetadata map[string][]metadataRecord `json:"columnsMetadata"`
	}{each(own, metadataOf), ofColumns}, err)
}

// columnsMetadata reads {"COLUMN": [{"key": …, "value": …}]}. The member "columnName" of an
// item overrides the key COLUMN.
func (f *fields) columnsMetadata(t store.Table, provider string) map[store.Object][]store.Metadata {
	values := map[store.Object][]store.Metadata{}
	v, given := f.get("columnsMetadata")
	if !given || emptyList(v) {
		return values
	}
	if v.Kind() != value.Object {
		f.fail(`"columnsMetadata" must be an object of lists, not %s`, v.Kind().WithArticle())
	}
	for _, m := range v.Members() {
		what := "columnsMetadata." + m.Name
		if m.Value.Kind() != value.Array {
			f.fail("%q must be a list, not %s", what, m.Value.Kind().WithArticle())
		}
		for i, item := range m.Value.Items() {
			column := m.Name
			if name := item.Field("columnName"); name.Kind() == value.String {
				column = name.Raw()
			}
			if !hasColumn(t, column) {
				f.fail("%q: the table has no column %q", what, column)
			}
			o := store.ColumnObject(t.ID, column)
			values[o] = append(values[o], f.item(fmt.Sprintf("%s[%d]", what, i), item, provider))
		}
	}
	return values
}

func (s *server) deleteMetadata(r *http.Request, o store.Object) (response, error) {
	id := r.PathValue("metadata")
	err := s.Store.DeleteMetadata(o, id)
	return nothing(replaceError(err, store.ErrNotFound, notFound("storage.metadata.notFound", "Metadata %q not found", id)))
}

func (f *fields) provider(required bool) string {
	if !required {
		return userProvider
	}
	provider := f.text("provider")
	if provider == "" || len(provider) > maxMetadataKey {
		f.fail(`"provider" must be 1 to %d bytes`, maxMetadataKey)
	}
	return provider
}

func (f *fields) metadata(name, provider string) []store.Metadata {
	var list []store.Metadata
	for i, item := range f.list(name) {
		list = append(list, f.item(fmt.Sprintf("%s[%d]", name, i), item, provider))
	}
	return list
}

func (f *fields) item(what string, item value.Value, provider string) store.Metadata {
	key, text := item.Field("key"), item.Field("value")
	switch {
	case item.Kind() != value.Object:
		f.fail("%q must be an object, not %s", what, item.Kind().WithArticle())
	case key.Kind() != value.String || key.Raw() == "" || len(key.Raw()) > maxMetadataKey:
		f.fail("%q needs a key of 1 to %d bytes", what, maxMetadataKey)
	case !text.IsScalar() || len(text.Raw()) > maxMetadataValue:
		f.fail("%q needs a value of at most %d bytes", what, maxMetadataValue)
	}
	return store.Metadata{Provider: provider, Key: key.Raw(), Value: text.Raw()}
}
