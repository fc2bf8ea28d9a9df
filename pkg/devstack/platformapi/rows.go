package platformapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

type rowRecord struct {
	ID                string          `json:"id"`
	Name              string          `json:"name"`
	Description       string          `json:"description"`
	Configuration     json.RawMessage `json:"configuration"`
	State             json.RawMessage `json:"state,omitempty"`
	IsDisabled        bool            `json:"isDisabled"`
	Version           int             `json:"version"`
	Created           string          `json:"created"`
	Creator           creator         `json:"creatorToken"`
	ChangeDescription string          `json:"changeDescription"`
}

func rowOf(row store.Row) rowRecord {
	return rowRecord{
		ID: row.ID, Name: row.Name, Description: row.Description,
		Configuration: row.Configuration, State: row.State, IsDisabled: row.IsDisabled,
		Version: row.Version, Created: storageTime(row.Created), Creator: creatorToken(),
		ChangeDescription: row.ChangeDescription,
	}
}

func rowsOf(c store.Configuration) []rowRecord {
	return each(c.Rows, rowOf)
}

func noRow(id string) *refusal {
	return notFound("storage.components.configurations.rows.notFound", "Row %q not found", id)
}

func (s *server) listRows(r *http.Request) (response, error) {
	c, err := s.configuration(r)
	return ok(rowsOf(c), err)
}

func (s *server) showRow(r *http.Request) (response, error) {
	c, id, err := s.row(r)
	if err != nil {
		return response{}, err
	}
	row, _ := c.Row(id)
	return ok(rowOf(*row), nil)
}

func (s *server) createRow(r *http.Request) (response, error) {
	f := formFields(r)
	row := store.Row{
		ID: f.id("rowId"), Name: f.text("name"), Description: f.text("description"),
		ChangeDescription: f.text("changeDescription"),
		Configuration:     s.sealed(f, r.PathValue("component"), "configuration"), State: s.sealed(f, r.PathValue("component"), "state"),
		Version: 1, Created: s.Now().UTC(),
	}
	row.IsDisabled, _ = f.flag("isDisabled")
	c, err := s.configuration(r)
	if err != nil {
		return response{}, err
	}
	if f.err != nil {
		return response{}, f.err
	}
	if c, err = s.addRow(r, f, row); err != nil {
		return response{}, err
	}
	return created(rowOf(c.Rows[len(c.Rows)-1]), nil)
}

// addRow appends a row. If the row has no id, it gets the next id of the store that is free
// in the configuration.
func (s *server) addRow(r *http.Request, f *fields, row store.Row) (store.Configuration, error) {
	chosen := row.ID != ""
	for {
		if !chosen {
			id, err := s.Store.NewID()
			if err != nil {
				return store.Configuration{}, err
			}
			row.ID = id
		}
		c, err := s.change(r, f, func(c *store.Configuration) error {
			if _, taken := c.Row(row.ID); taken {
				return store.ErrExists
			}
			c.Rows = append(c.Rows, row)
			c.ChangeDescription = cmp.Or(row.ChangeDescription, "Row "+row.ID+" added")
			return nil
		})
		switch {
		case !errors.Is(err, store.ErrExists):
			return c, err
		case chosen:
			return c, alreadyExists("configurationRow", "Row %q already exists", row.ID)
		}
	}
}

func (s *server) updateRow(r *http.Request) (response, error) {
	f := formFields(r)
	id, component := r.PathValue("row"), r.PathValue("component")
	document, state := s.sealed(f, component, "configuration"), s.sealed(f, component, "state")
	c, err := s.change(r, f, func(c *store.Configuration) error {
		row, found := c.Row(id)
		if !found {
			return noRow(id)
		}
		row.Version++
		row.ChangeDescription = f.text("changeDescription")
		f.setDescription(&row.Name, &row.Description, &row.IsDisabled)
		if document != nil {
			row.Configuration = document
		}
		if state != nil {
			row.State = state
		}
		c.ChangeDescription = cmp.Or(row.ChangeDescription, "Row "+id+" changed")
		return nil
	})
	if err != nil {
		return response{}, err
	}
	row, _ := c.Row(id)
	return ok(rowOf(*row), nil)
}

func (s *server) deleteRow(r *http.Request) (response, error) {
	id, q := r.PathValue("row"), queryOf(r)
	_, err := s.change(r, q.fields, func(c *store.Configuration) error {
		if _, found := c.Row(id); !found {
			return noRow(id)
		}
		c.Rows = slices.DeleteFunc(c.Rows, func(row store.Row) bool { return row.ID == id })
		c.ChangeDescription = cmp.Or(q.text("changeDescription"), "Row "+id+" deleted")
		return nil
	})
	return nothing(err)
}
