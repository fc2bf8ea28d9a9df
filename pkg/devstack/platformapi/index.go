package platformapi

import (
	"net/http"
	"slices"
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

// index says where the other services are, and lists the components. It needs no
// token.
func (s *server) index(r *http.Request) (response, error) {
	q := queryOf(r)
	if q.err != nil {
		return response{}, q.err
	}
	record := indexRecord{
		API: "storage", Version: "v2", Documentation: "https://keboola.docs.apiary.io/",
		Services: []service{{ID: "queue", URL: s.queueBase(r)}, {ID: "encryption", URL: base(r) + encryptionPath}, {ID: "notification", URL: base(r) + notificationPath}},
		Features: []string{},
	}
	for _, part := range splitList(q.list("exclude")) {
		if part != "components" && part != "componentDetails" {
			return response{}, invalid(`"exclude" must be "components" or "componentDetails"`)
		}
	}
	if !slices.Contains(splitList(q.list("exclude")), "components") {
		components, err := s.known(r)
		if err != nil {
			return response{}, err
		}
		record.Components = &components
	}
	return ok(record, nil)
}

// listSubscriptions lists the notifications of the project: there are none.
func (s *server) listSubscriptions(*http.Request) (response, error) { return ok([]struct{}{}, nil) }
