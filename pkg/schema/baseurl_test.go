package schema_test

import (
	"testing"
)

func TestBaseURL(t *testing.T) {
	rows := []struct {
		name string
		in   given
		want string
	}{
		{"string", given{baseURL: `"https://h.test/v1"`}, "https://h.test/v1"},
		{"path is kept as written", given{baseURL: `"https://h.test/a%2Fb//c/"`}, "https://h.test/a%2Fb//c/"},
		{"function", given{baseURL: `{"function":"sprintf","args":["https://%s.test/",{"attr":"server.name"}]}`, config: `"server":{"name":"eu"},`}, "https://eu.test/"},
		{"reference", given{baseURL: `{"attr":"url"}`, config: `"url":"https://h.test/",`}, "https://h.test/"},
		{"JSON in a string", given{baseURL: `"{\"attr\": \"url\"}"`, config: `"url":"https://h.test/",`}, "https://h.test/"},
		{"string in a string", given{baseURL: `"\"https://h.test/\""`}, "https://h.test/"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := accepted(t, row.in).BaseURL.String(); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
