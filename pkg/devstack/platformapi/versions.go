package platformapi

import (
	"cmp"
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

// listVersions lists the versions of the configuration or row that the path names.
func (s *server) listVersions(r *http.Request) (response, error) {
	c, row, err := s.row(r)
	if err != nil {
		return response{}, err
	}
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
	err = s.Store.Versions(c.Component, c.ID, row, func(v store.Version) bool {
		if offset--; offset < 0 {
			records = append(records, versionRecord{
				Version: v.Number, Created: storageTime(v.Created), Creator: creatorToken(), ChangeDescription: v.ChangeDescription,
				Name: v.Name, Description: v.Description, IsDisabled: v.IsDisabled, IsDeleted: v.IsDeleted,
			})
		}
		return len(records) < limit
	})
	return ok(records, err)
}

// row returns the configuration that the path names, and the id of the row, or "" if the
// path names no row.
func (s *server) row(r *http.Request) (store.Configuration, string, error) {
	c, err := s.configuration(r)
	id := r.PathValue("row")
	if _, found := c.Row(id); err == nil && id != "" && !found {
		err = noRow(id)
	}
	return c, id, err
}

func (s *server) showVersion(r *http.Request) (response, error) {
	c, row, err := s.row(r)
	if err != nil {
		return response{}, err
	}
	number, err := versionNumber(r)
	if err != nil {
		return response{}, err
	}
	if row != "" {
		old, err := s.Store.RowVersion(c.Component, c.ID, row, number)
		old.Created = old.Changed
		return ok(rowOf(old), replaceError(err, store.ErrNotFound, noVersion(number)))
	}
	c, err = s.Store.Version(c.Component, c.ID, number)
	c.Created = c.Changed
	return ok(configurationOf(c, true), replaceError(err, store.ErrNotFound, noVersion(number)))
}

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

// rollback makes a new version of a configuration or a row with the content of an earlier
// version.
func (s *server) rollback(r *http.Request) (response, error) {
	f, c, id, number, err := s.versionChange(r)
	if err != nil {
		return response{}, err
	}
	description := cmp.Or(f.text("changeDescription"), fmt.Sprintf("Rollback to version %d", number))
	if id == "" {
		c, err = s.Store.Rollback(c.Component, c.ID, number, description)
		return created(configurationOf(c, true), replaceError(err, store.ErrNotFound, noVersion(number)))
	}
	c, err = s.Store.RollbackRow(c.Component, c.ID, id, number, description)
	if err != nil {
		return response{}, replaceError(err, store.ErrNotFound, noVersion(number))
	}
	row, _ := c.Row(id)
	return created(rowOf(*row), nil)
}

// versionChange reads the fields of a request, and the configuration, the row and the
// version number that the path names.
func (s *server) versionChange(r *http.Request) (f *fields, c store.Configuration, row string, number int, err error) {
	f = formFields(r)
	if c, row, err = s.row(r); err == nil {
		number, err = versionNumber(r)
	}
	if err == nil {
		f.text("changeDescription")
		err = f.err
	}
	return f, c, row, number, err
}

// copyVersion creates a configuration from a version.
func (s *server) copyVersion(r *http.Request) (response, error) {
	f, c, _, number, err := s.versionChange(r)
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
	err = replaceError(err, store.ErrExists, alreadyExists("configuration", "Configuration %q already exists", to.ID))
	return created(configurationOf(made, true), replaceError(err, store.ErrNotFound, noVersion(number)))
}

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

// copyRowVersion creates a row from a version of a row, in the same configuration or in
// another configuration of the component.
func (s *server) copyRowVersion(r *http.Request) (response, error) {
	f, c, id, number, err := s.versionChange(r)
	if err != nil {
		return response{}, err
	}
	target := cmp.Or(f.text("targetConfigId"), c.ID)
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

func splitList(lists []string) []string {
	var items []string
	for _, list := range lists {
		items = append(items, strings.Split(list, ",")...)
	}
	return slices.DeleteFunc(items, func(item string) bool { return item == "" })
}
