package platformapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type configurationRecord struct {
	ID                string  `json:"id"`
	Name              string  `json:"name"`
	Description       string  `json:"description"`
	Created           string  `json:"created"`
	Creator           creator `json:"creatorToken"`
	Version           int     `json:"version"`
	ChangeDescription string  `json:"changeDescription"`
	IsDisabled        bool    `json:"isDisabled"`
	IsDeleted         bool    `json:"isDeleted"`
	// Configuration and State are optional in a list of components.
	Configuration  json.RawMessage `json:"configuration,omitempty"`
	State          json.RawMessage `json:"state,omitempty"`
	CurrentVersion currentVersion  `json:"currentVersion"`
	// Rows and RowsSortOrder are absent in the response to a creation. Clients that create
	// rows next would otherwise adopt the empty list.
	Rows          *[]rowRecord `json:"rows,omitempty"`
	RowsSortOrder *[]string    `json:"rowsSortOrder,omitempty"`
}

type currentVersion struct {
	Created           string  `json:"created"`
	Creator           creator `json:"creatorToken"`
	ChangeDescription string  `json:"changeDescription"`
	VersionIdentifier string  `json:"versionIdentifier"`
}

func configurationOf(c store.Configuration, withRows bool) configurationRecord {
	record := configurationRecord{
		ID: c.ID, Name: c.Name, Description: c.Description,
		Created: storageTime(c.Created), Creator: creatorToken(),
		Version: c.Version, ChangeDescription: c.ChangeDescription,
		IsDisabled: c.IsDisabled, IsDeleted: c.IsDeleted,
		Configuration: c.Configuration, State: c.State,
		CurrentVersion: currentVersion{
			Created: storageTime(c.Changed), Creator: creatorToken(),
			ChangeDescription: c.ChangeDescription, VersionIdentifier: strconv.Itoa(c.Version),
		},
	}
	if withRows {
		rows, order := rowsOf(c), make([]string, 0, len(c.Rows))
		for _, row := range c.Rows {
			order = append(order, row.ID)
		}
		record.Rows, record.RowsSortOrder = &rows, &order
	}
	return record
}

func (s *server) createConfiguration(r *http.Request) (response, error) {
	f := formFields(r)
	c := store.Configuration{
		Component: r.PathValue("component"), ID: f.id("configurationId"),
		Name: f.text("name"), Description: f.text("description"), ChangeDescription: f.text("changeDescription"),
		Configuration: s.sealed(f, r.PathValue("component"), "configuration"), State: s.sealed(f, r.PathValue("component"), "state"),
	}
	c.IsDisabled, _ = f.flag("isDisabled")
	switch {
	case !validID(c.Component):
		return response{}, noComponent(c.Component)
	case f.err != nil:
		return response{}, f.err
	case c.Name == "":
		return response{}, invalid(`"name" is required`)
	}
	stored, err := s.Store.CreateConfiguration(c)
	return created(configurationOf(stored, false), replaceError(err, store.ErrExists, alreadyExists("configuration", "Configuration %q already exists", c.ID)))
}

func (s *server) listConfigurations(r *http.Request) (response, error) {
	component := r.PathValue("component")
	if err := s.checkComponent(component); err != nil {
		return response{}, err
	}
	q := queryOf(r)
	deleted, _ := q.flag("isDeleted")
	if q.err != nil {
		return response{}, q.err
	}
	configurations, err := s.Store.Configurations(component, deleted)
	return ok(each(configurations, func(c store.Configuration) configurationRecord { return configurationOf(c, true) }), err)
}

func (s *server) showConfiguration(r *http.Request) (response, error) {
	c, err := s.configuration(r)
	return ok(configurationOf(c, true), err)
}

// configuration returns the configuration that the path names. A configuration in the trash
// can only be listed, restored and purged; here it is not found.
func (s *server) configuration(r *http.Request) (store.Configuration, error) {
	id := r.PathValue("configuration")
	c, err := s.Store.Configuration(r.PathValue("component"), id)
	if errors.Is(err, store.ErrNotFound) || err == nil && c.IsDeleted {
		return store.Configuration{}, noConfiguration(id)
	}
	return c, err
}

func noConfiguration(id string) *refusal {
	return notFound("storage.configuration.notFound", "Configuration %q not found", id)
}

func (s *server) updateConfiguration(r *http.Request) (response, error) {
	f := formFields(r)
	document, state := s.sealed(f, r.PathValue("component"), "configuration"), s.sealed(f, r.PathValue("component"), "state")
	order, ordered := f.rowOrder()
	c, err := s.change(r, f, func(c *store.Configuration) error {
		c.ChangeDescription = f.text("changeDescription")
		f.setDescription(&c.Name, &c.Description, &c.IsDisabled)
		if c.Name == "" {
			return invalid(`"name" must not be empty`)
		}
		if document != nil {
			c.Configuration = document
		}
		if state != nil {
			c.State = state
		}
		if !ordered {
			return nil
		}
		return sortRows(c.Rows, order)
	})
	return ok(configurationOf(c, true), err)
}

// change makes a new version of the configuration that the path names. An error of f
// discards the change, so the function change may read fields of f.
func (s *server) change(r *http.Request, f *fields, change func(*store.Configuration) error) (store.Configuration, error) {
	if _, err := s.configuration(r); err != nil {
		return store.Configuration{}, err
	}
	id := r.PathValue("configuration")
	c, err := s.Store.UpdateConfiguration(r.PathValue("component"), id, func(c *store.Configuration) error {
		if c.IsDeleted {
			return noConfiguration(id)
		}
		if err := change(c); err != nil {
			return err
		}
		return f.err
	})
	return c, replaceError(err, store.ErrNotFound, noConfiguration(id))
}

// setDescription sets the name, the description and the disabled flag of a configuration or
// a row, if the request has them.
func (f *fields) setDescription(name, description *string, disabled *bool) {
	if _, given := f.get("name"); given {
		*name = f.text("name")
	}
	if _, given := f.get("description"); given {
		*description = f.text("description")
	}
	if yes, given := f.flag("isDisabled"); given {
		*disabled = yes
	}
}

// rowOrder returns the row ids in rowsSortOrder. It returns false if the field is absent.
func (f *fields) rowOrder() (ids []string, ordered bool) {
	v, given := f.get("rowsSortOrder")
	if !given {
		return nil, false
	}
	if v.Kind() == value.String {
		parsed, err := value.Parse([]byte(v.Raw()))
		if err != nil {
			f.fail(`"rowsSortOrder" is not valid JSON: %s`, err)
			return nil, false
		}
		v = parsed
	}
	if v.Kind() != value.Array {
		f.fail(`"rowsSortOrder" must be a list of row ids`)
		return nil, false
	}
	for _, item := range v.Items() {
		ids = append(ids, item.Raw())
	}
	return ids, true
}

// sortRows moves the named rows to the front, in the given order, and keeps the order of
// the other rows.
func sortRows(rows []store.Row, order []string) error {
	place := make(map[string]int, len(rows))
	for _, row := range rows {
		place[row.ID] = 0
	}
	for i, id := range order {
		if _, found := place[id]; !found {
			return invalid(`"rowsSortOrder" names row %q, which does not exist`, id)
		}
		place[id] = i - len(order)
	}
	slices.SortStableFunc(rows, func(a, b store.Row) int { return place[a.ID] - place[b.ID] })
	return nil
}

func (s *server) setState(r *http.Request) (response, error) {
	f := formFields(r)
	state := s.sealed(f, r.PathValue("component"), "state")
	c, err := s.configuration(r)
	if err != nil {
		return response{}, err
	}
	row := r.PathValue("row")
	switch _, found := c.Row(row); {
	case row != "" && !found:
		return response{}, noRow(row)
	case f.err != nil:
		return response{}, f.err
	case state == nil:
		return response{}, invalid(`"state" is required`)
	}
	c, err = s.Store.SetState(c.Component, c.ID, row, state)
	if err = replaceError(err, store.ErrNotFound, noConfiguration(r.PathValue("configuration"))); err != nil {
		return response{}, err
	}
	if stored, found := c.Row(row); found {
		return ok(rowOf(*stored), nil)
	}
	return ok(configurationOf(c, true), nil)
}

// deleteConfiguration moves a configuration to the trash. If it is in the trash already,
// deleteConfiguration removes it.
func (s *server) deleteConfiguration(r *http.Request) (response, error) {
	id := r.PathValue("configuration")
	err := s.Store.DeleteConfiguration(r.PathValue("component"), id)
	return nothing(replaceError(err, store.ErrNotFound, noConfiguration(id)))
}
