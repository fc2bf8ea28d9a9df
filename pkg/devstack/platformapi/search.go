package platformapi

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

type foundConfiguration struct {
	Component     string `json:"idComponent"`
	Configuration string `json:"configurationId"`
	// Metadata is nil unless it was requested.
	Metadata *[]metadataRecord `json:"metadata,omitempty"`
}

// searchConfigurations lists the configurations that have metadata matching the query. It
// omits configurations in the trash.
func (s *server) searchConfigurations(r *http.Request) (response, error) {
	q := queryOf(r)
	component, configuration := cmp.Or(q.text("componentId"), q.text("idComponent")), q.text("configurationId")
	keys, include := splitList(q.list("metadataKeys")), splitList(q.list("include"))
	for _, part := range include {
		if part != "filteredMetadata" {
			q.fail(`"include" must be "filteredMetadata"`)
		}
	}
	if q.err != nil {
		return response{}, q.err
	}
	found := []foundConfiguration{}
	err := s.Store.ConfigurationMetadata(func(inComponent, id string, m store.Metadata) {
		if component != "" && component != inComponent || configuration != "" && configuration != id ||
			len(keys) > 0 && !slices.Contains(keys, m.Key) {
			return
		}
		last := len(found) - 1
		if last < 0 || found[last].Component != inComponent || found[last].Configuration != id {
			found = append(found, foundConfiguration{Component: inComponent, Configuration: id})
			last++
		}
		if len(include) > 0 {
			if found[last].Metadata == nil {
				found[last].Metadata = &[]metadataRecord{}
			}
			*found[last].Metadata = append(*found[last].Metadata, metadataOf(m))
		}
	})
	if err != nil {
		return response{}, err
	}
	return s.withoutTrash(found)
}

func (s *server) withoutTrash(found []foundConfiguration) (response, error) {
	trash, err := s.Store.Configurations("", true)
	deleted := map[[2]string]bool{}
	for _, c := range trash {
		deleted[[2]string{c.Component, c.ID}] = true
	}
	return ok(slices.DeleteFunc(found, func(c foundConfiguration) bool { return deleted[[2]string{c.Component, c.Configuration}] }), err)
}
