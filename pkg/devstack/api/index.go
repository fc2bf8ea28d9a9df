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
	// Components are absent when they are not wanted.
	Components *[]component `json:"components,omitempty"`
}

type service struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// index says where the queue is. It is the only answer that needs no token, but
// without one it does not list components.
func (s *server) index(r *http.Request) (answer, error) {
	q := queryOf(r)
	record := indexRecord{
		API: "storage", Version: "v2", Documentation: "https://keboola.docs.apiary.io/",
		Services: []service{{ID: "queue", URL: base(r) + queuePath}},
		Features: []string{},
	}
	excluded := strings.Split(strings.Join(q.list("exclude"), ","), ",")
	if q.err == nil && !slices.Contains(excluded, "components") {
		components := []component{}
		if s.authorize(r) == nil {
			configurations, err := s.store.Configurations("", false)
			if err != nil {
				return answer{}, err
			}
			components = componentsOf(r, configurations, shown{})
		}
		record.Components = &components
	}
	if q.err != nil {
		return answer{}, q.err
	}
	return ok(record, nil)
}
