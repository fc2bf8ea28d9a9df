package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// component is derived from the stored configurations: there is no list of
// components.
type component struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	URI         string   `json:"uri"`
	Flags       []string `json:"flags"`
	Data        struct{} `json:"data"`
	// Version and what follows are the same for all components: nothing is known of
	// them here.
	Version               int                   `json:"version"`
	LongDescription       *string               `json:"longDescription"`
	HasUI                 bool                  `json:"hasUI"`
	HasRun                bool                  `json:"hasRun"`
	Icon32                *string               `json:"ico32"`
	Icon64                *string               `json:"ico64"`
	Schema                struct{}              `json:"configurationSchema"`
	RowSchema             struct{}              `json:"configurationRowSchema"`
	EmptyConfiguration    struct{}              `json:"emptyConfiguration"`
	EmptyConfigurationRow struct{}              `json:"emptyConfigurationRow"`
	ConfigurationHelp     *string               `json:"configurationDescription"`
	DocumentationURL      *string               `json:"documentationUrl"`
	Features              []string              `json:"features"`
	Categories            []string              `json:"categories"`
	ExpiredOn             *string               `json:"expiredOn"`
	Configurations        []configurationRecord `json:"configurations,omitempty"`
}

type shown struct{ configurations, rows bool }

func shownBy(q *query) shown {
	include := strings.Split(strings.Join(q.list("include"), ","), ",")
	rows := slices.Contains(include, "rows")
	return shown{configurations: rows || slices.Contains(include, "configuration"), rows: rows}
}

func (s *server) listComponents(r *http.Request) (answer, error) {
	q := queryOf(r)
	show := shownBy(q)
	deleted, _ := q.flag("isDeleted")
	if q.err != nil {
		return answer{}, q.err
	}
	configurations, err := s.Store.Configurations("", deleted)
	return ok(componentsOf(r, configurations, show), err)
}

func (s *server) showComponent(r *http.Request) (answer, error) {
	id := r.PathValue("component")
	if !validID(id) {
		return answer{}, noComponent(id)
	}
	configurations, err := s.Store.Configurations(id, false)
	if err != nil {
		return answer{}, err
	}
	found := componentsOf(r, configurations, shown{})
	if len(found) == 0 {
		return answer{}, noComponent(id)
	}
	return ok(found[0], nil)
}

func noComponent(id string) *refusal {
	return notFound("storage.components.notFound", "Component %q not found", id)
}

// componentsOf are the components of configurations, which are sorted by component.
func componentsOf(r *http.Request, configurations []store.Configuration, show shown) []component {
	found := []component{}
	for _, c := range configurations {
		if len(found) == 0 || found[len(found)-1].ID != c.Component {
			found = append(found, componentOf(r, c.Component))
		}
		if show.configurations {
			last := &found[len(found)-1]
			last.Configurations = append(last.Configurations, configurationOf(c, show.rows))
		}
	}
	return found
}

func componentOf(r *http.Request, id string) component {
	kind := "extractor"
	if strings.HasSuffix(id, ".variables") {
		kind = "other"
	}
	return component{
		ID: id, Name: id, Type: kind, Flags: []string{}, Features: []string{}, Categories: []string{}, Version: 1, HasRun: true, URI: base(r) + storagePath + "/components/" + id,
	}
}
