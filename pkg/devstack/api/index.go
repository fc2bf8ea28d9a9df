package api

import (
	"net/http"
	"slices"
	"strings"
)

type indexRecord struct {
	API           string    `json:"api"`
	Version       string    `json:"version"`
	Documentation string    `json:"documentation"`
	Services      []service `json:"services"`
	Features      []string  `json:"features"`
	URLTemplates  struct{}  `json:"urlTemplates"`
	// Components are absent if they are excluded.
	Components *[]component `json:"components,omitempty"`
}

type service struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// index says where the other services are. It needs no token; without one it lists
// no components.
func (s *server) index(r *http.Request) (answer, error) {
	q := queryOf(r)
	if q.err != nil {
		return answer{}, q.err
	}
	record := indexRecord{
		API: "storage", Version: "v2", Documentation: "https://keboola.docs.apiary.io/",
		Services: []service{{ID: "queue", URL: base(r) + queuePath}, {ID: "encryption", URL: base(r) + encryptionPath}},
		Features: []string{},
	}
	excluded := strings.Split(strings.Join(q.list("exclude"), ","), ",")
	if !slices.Contains(excluded, "components") {
		components := []component{}
		if s.authorize(r) == nil {
			configurations, err := s.Store.Configurations("", false)
			if err != nil {
				return answer{}, err
			}
			components = componentsOf(r, configurations, shown{})
		}
		record.Components = &components
	}
	return ok(record, nil)
}
