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
	// Components is nil if the query excludes components.
	Components *[]component `json:"components,omitempty"`
}

type service struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// index lists the URLs of the other services and the components. It needs no token.
func (s *server) index(r *http.Request) (response, error) {
	q := queryOf(r)
	if q.err != nil {
		return response{}, q.err
	}
	record := indexRecord{
		API: "storage", Version: "v2", Documentation: "https://keboola.docs.apiary.io/",
		Services: []service{{ID: "queue", URL: s.queueURL(r)}, {ID: "encryption", URL: baseURL(r) + encryptionPath}, {ID: "notification", URL: baseURL(r) + notificationPath}},
		Features: []string{},
	}
	for _, part := range splitList(q.list("exclude")) {
		if part != "components" && part != "componentDetails" {
			return response{}, invalid(`"exclude" must be "components" or "componentDetails"`)
		}
	}
	if !slices.Contains(splitList(q.list("exclude")), "components") {
		components, err := s.knownComponents(r)
		if err != nil {
			return response{}, err
		}
		record.Components = &components
	}
	return ok(record, nil)
}

// listSubscriptions responds with an empty list: the local platform has no notifications.
func (s *server) listSubscriptions(*http.Request) (response, error) { return ok([]struct{}{}, nil) }
