package platformapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// component describes a component, derived from the stored configurations because there is
// no list of components. A component exists if it is in Options.Components or has a
// configuration, even one in the trash.
type component struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	URI         string   `json:"uri"`
	Flags       []string `json:"flags"`
	Data        struct{} `json:"data"`
	// Version and the fields below it have the same value for every component, because this
	// platform has no data about components.
	Version               int      `json:"version"`
	LongDescription       *string  `json:"longDescription"`
	HasUI                 bool     `json:"hasUI"`
	HasRun                bool     `json:"hasRun"`
	Icon32                *string  `json:"ico32"`
	Icon64                *string  `json:"ico64"`
	Schema                struct{} `json:"configurationSchema"`
	RowSchema             struct{} `json:"configurationRowSchema"`
	EmptyConfiguration    struct{} `json:"emptyConfiguration"`
	EmptyConfigurationRow struct{} `json:"emptyConfigurationRow"`
	ConfigurationHelp     *string  `json:"configurationDescription"`
	DocumentationURL      *string  `json:"documentationUrl"`
	Features              []string `json:"features"`
	Categories            []string `json:"categories"`
	ExpiredOn             *string  `json:"expiredOn"`
	// Configurations is nil in responses that describe components only.
	Configurations *[]configurationRecord `json:"configurations,omitempty"`
}

// includedParts selects the optional parts of configuration records in a list of
// components.
type includedParts struct{ content, rows, state bool }

func shownBy(q *query) includedParts {
	var show includedParts
	for _, part := range splitList(q.list("include")) {
		switch part {
		case "configuration":
			show.content = true
		case "rows":
			show.rows = true
		case "state":
			show.state = true
		default:
			q.fail(`"include" must be "configuration", "rows" or "state"`)
		}
	}
	return show
}

func (show includedParts) record(c store.Configuration) configurationRecord {
	record := configurationOf(c, show.rows)
	if !show.content {
		record.Configuration = nil
	}
	if show.state {
		return record
	}
	record.State = nil
	if show.rows {
		for i := range *record.Rows {
			(*record.Rows)[i].State = nil
		}
	}
	return record
}

// listComponents lists the components that have configurations, together with these
// configurations.
func (s *server) listComponents(r *http.Request) (response, error) {
	q := queryOf(r)
	show := shownBy(q)
	deleted, _ := q.flag("isDeleted")
	if q.err != nil {
		return response{}, q.err
	}
	configurations, err := s.Store.Configurations("", deleted)
	if err != nil {
		return response{}, err
	}
	found := []component{}
	for _, c := range configurations { // sorted by component
		if len(found) == 0 || found[len(found)-1].ID != c.Component {
			last := componentOf(r, c.Component)
			last.Configurations = &[]configurationRecord{}
			found = append(found, last)
		}
		list := found[len(found)-1].Configurations
		*list = append(*list, show.record(c))
	}
	return ok(found, nil)
}

func (s *server) showComponent(r *http.Request) (response, error) {
	id := r.PathValue("component")
	err := s.checkComponent(id)
	return ok(componentOf(r, id), err)
}

func (s *server) checkComponent(id string) error {
	if !validID(id) {
		return noComponent(id)
	}
	if slices.Contains(s.Components, id) {
		return nil
	}
	known, err := s.Store.HasComponent(id)
	if err == nil && !known {
		err = noComponent(id)
	}
	return err
}

func noComponent(id string) *refusal {
	return notFound("storage.components.notFound", "Component %q not found", id)
}

func (s *server) knownComponents(r *http.Request) ([]component, error) {
	used, err := s.Store.Components()
	ids := slices.Concat(s.Components, used)
	slices.Sort(ids)
	return each(slices.Compact(ids), func(id string) component { return componentOf(r, id) }), err
}

func componentOf(r *http.Request, id string) component {
	kind := "extractor"
	if strings.HasSuffix(id, ".variables") {
		kind = "other"
	}
	return component{
		ID: id, Name: id, Type: kind, Flags: []string{}, Features: []string{}, Categories: []string{}, Version: 1, HasRun: true, URI: baseURL(r) + storagePath + "/components/" + id,
	}
}
