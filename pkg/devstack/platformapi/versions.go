package platformapi

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// maxVersions is the maximum number of versions in a list.
const maxVersions = 10_000

type versionRecord struct {
	Version           int     `json:"version"`
	Created           string  `json:"created"`
	Creator           creator `json:"creatorToken"`
	ChangeDescription string  `json:"changeDescription"`
	Name              string  `json:"name"`
	Description       string  `json:"description"`
	IsDisabled        bool    `json:"isDisabled"`
	IsDeleted         bool    `json:"isDeleted"`
}

func versionOf(v store.Version) versionRecord {
	return versionRecord{
		Version: v.Number, Created: storageTime(v.Created), Creator: creatorToken(),
		ChangeDescription: v.ChangeDescription, Name: v.Name, Description: v.Description,
		IsDisabled: v.IsDisabled, IsDeleted: v.IsDeleted,
	}
}

// selectVersions responds with the versions that the query selects. scan calls keep with
// every version until keep returns false.
func selectVersions(r *http.Request, scan func(keep func(store.Version) bool) error) (response, error) {
	q := queryOf(r)
	limit, offset := q.number("limit", 100, 1, maxVersions), q.number("offset", 0, 0, math.MaxInt)
	// Every record has the fields that include can name.
	for _, part := range splitList(q.list("include")) {
		if part != "name" && part != "description" {
			q.fail(`"include" must be "name" or "description"; one version is at versions/NUMBER with its whole content`)
		}
	}
	if q.err != nil {
		return response{}, q.err
	}
	records := []versionRecord{}
	err := scan(func(v store.Version) bool {
		if offset--; offset < 0 {
			records = append(records, versionOf(v))
		}
		return len(records) < limit
	})
	return ok(records, err)
}

func (s *server) listVersions(r *http.Request) (response, error) {
	c, err := s.configuration(r)
	if err != nil {
		return response{}, err
	}
	return selectVersions(r, func(keep func(store.Version) bool) error { return s.Store.Versions(c.Component, c.ID, keep) })
}

func (s *server) showVersion(r *http.Request) (response, error) {
	c, err := s.configuration(r)
	if err != nil {
		return response{}, err
	}
	number, err := versionNumber(r)
	if err != nil {
		return response{}, err
	}
	c, err = s.Store.Version(c.Component, c.ID, number)
	record := configurationOf(c, true)
	record.Created = storageTime(c.Changed)
	return ok(record, replaceError(err, store.ErrNotFound, noVersion(number)))
}

// versionNumber returns the number of the version that the path names.
func versionNumber(r *http.Request) (int, error) {
	text := r.PathValue("version")
	number, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(number) != text || number < 1 {
		return 0, notFound(versionNotFound, "Version %q not found", text)
	}
	return number, nil
}

const versionNotFound = "storage.components.configurations.versions.notFound"

func noVersion(number int) *refusal { return notFound(versionNotFound, "Version %d not found", number) }

// rollback makes a new version with the content of an earlier version.
func (s *server) rollback(r *http.Request) (response, error) {
	f, c, number, err := s.versionChange(r)
	if err != nil {
		return response{}, err
	}
	c, err = s.Store.Rollback(c.Component, c.ID, number, cmp.Or(f.text("changeDescription"), rolledBack(number)))
	return created(configurationOf(c, true), replaceError(err, store.ErrNotFound, noVersion(number)))
}

func rolledBack(number int) string { return fmt.Sprintf("Rollback to version %d", number) }

// versionChange reads the fields of a request, its configuration and its version number.
func (s *server) versionChange(r *http.Request) (*fields, store.Configuration, int, error) {
	f := formFields(r)
	c, err := s.configuration(r)
	if err != nil {
		return f, c, 0, err
	}
	number, err := versionNumber(r)
	if err == nil {
		f.text("changeDescription")
		err = f.err
	}
	return f, c, number, err
}

// copyVersion creates a configuration from a version.
func (s *server) copyVersion(r *http.Request) (response, error) {
	f, c, number, err := s.versionChange(r)
	if err != nil {
		return response{}, err
	}
	to := store.Configuration{ID: f.id("configurationId"), Name: f.text("name"), Description: f.text("description")}
	to.ChangeDescription = cmp.Or(f.text("changeDescription"), fmt.Sprintf("Copied from configuration %q (%s) version %d", c.Name, c.ID, number))
	if to.Name == "" {
		f.fail(`"name" is required`)
	}
	if f.err != nil {
		return response{}, f.err
	}
	made, err := s.Store.Copy(c.Component, c.ID, number, to)
	if errors.Is(err, store.ErrExists) {
		err = alreadyExists("configuration", "Configuration %q already exists", to.ID)
	}
	return created(configurationOf(made, true), replaceError(err, store.ErrNotFound, noVersion(number)))
}

// restore moves a configuration out of the trash.
func (s *server) restore(r *http.Request) (response, error) {
	f := formFields(r)
	description := cmp.Or(f.text("changeDescription"), "Configuration restored")
	if f.err != nil {
		return response{}, f.err
	}
	id := r.PathValue("configuration")
	c, err := s.Store.Restore(r.PathValue("component"), id, description)
	return created(configurationOf(c, true), replaceError(err, store.ErrNotFound,
		notFound("storage.configuration.notFound", "Configuration %q not found in the trash", id)))
}

func (s *server) listRowVersions(r *http.Request) (response, error) {
	c, row, err := s.row(r)
	if err != nil {
		return response{}, err
	}
	return selectVersions(r, func(keep func(store.Version) bool) error {
		return s.Store.RowVersions(c.Component, c.ID, row, keep)
	})
}

// row returns the configuration and the id of the row that the path names.
func (s *server) row(r *http.Request) (store.Configuration, string, error) {
	c, err := s.configuration(r)
	if err != nil {
		return c, "", err
	}
	id := r.PathValue("row")
	if _, found := c.Row(id); !found {
		return c, id, noRow(id)
	}
	return c, id, nil
}

func (s *server) showRowVersion(r *http.Request) (response, error) {
	c, id, err := s.row(r)
	if err != nil {
		return response{}, err
	}
	number, err := versionNumber(r)
	if err != nil {
		return response{}, err
	}
	row, err := s.Store.RowVersion(c.Component, c.ID, id, number)
	record := rowOf(row)
	record.Created = storageTime(row.Changed)
	return ok(record, replaceError(err, store.ErrNotFound, noVersion(number)))
}

func (s *server) rollbackRow(r *http.Request) (response, error) {
	if _, _, err := s.row(r); err != nil {
		return response{}, err
	}
	f, c, number, err := s.versionChange(r)
	if err != nil {
		return response{}, err
	}
	id := r.PathValue("row")
	c, err = s.Store.RollbackRow(c.Component, c.ID, id, number, cmp.Or(f.text("changeDescription"), rolledBack(number)))
	if err = replaceError(err, store.ErrNotFound, noVersion(number)); err != nil {
		return response{}, err
	}
	row, _ := c.Row(id)
	return created(rowOf(*row), nil)
}

// copyRowVersion creates a row from a version of a row, in the same configuration or in
// another configuration of the component.
func (s *server) copyRowVersion(r *http.Request) (response, error) {
	if _, _, err := s.row(r); err != nil {
		return response{}, err
	}
	f, c, number, err := s.versionChange(r)
	if err != nil {
		return response{}, err
	}
	id, target := r.PathValue("row"), cmp.Or(f.text("targetConfigId"), c.ID)
	if f.err != nil {
		return response{}, f.err
	}
	row, err := s.Store.RowVersion(c.Component, c.ID, id, number)
	if err != nil {
		return response{}, replaceError(err, store.ErrNotFound, noVersion(number))
	}
	row.ID, row.Created = "", s.Now().UTC()
	row.ChangeDescription = cmp.Or(f.text("changeDescription"), fmt.Sprintf("Copied from row %s version %d", id, number))
	r.SetPathValue("configuration", target)
	c, err = s.addRow(r, f, row)
	if err != nil {
		return response{}, err
	}
	return created(rowOf(c.Rows[len(c.Rows)-1]), nil)
}

// splitList splits texts at commas and drops empty items.
func splitList(lists []string) []string {
	var items []string
	for _, list := range lists {
		items = append(items, strings.Split(list, ",")...)
	}
	return slices.DeleteFunc(items, func(item string) bool { return item == "" })
}
