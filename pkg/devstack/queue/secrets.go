package queue

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// secrets are the secret texts of a job.
type secrets struct {
	mask secret.Registry
	// list is for the sandbox, which masks the component's output.
	list []string
}

func (s *secrets) add(text string) {
	if text != "" && !slices.Contains(s.list, text) {
		s.mask.Add(text)
		s.list = append(s.list, text)
	}
}

// collect adds everything below a key that begins with #.
func (s *secrets) collect(v value.Value) {
	for _, text := range secret.SecretsIn(v) {
		s.add(text)
	}
}

// masked is a document with the values of all keys that begin with # hidden.
func masked(v value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		if strings.HasPrefix(m.Name, "#") {
			m.Value = value.OfString(secret.Hidden)
		} else {
			m.Value = masked(m.Value)
		}
		return m
	})
}
