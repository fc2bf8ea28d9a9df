package queue

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// secrets holds the secrets of a job.
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

// collect adds all texts below keys that begin with #.
func (s *secrets) collect(v value.Value) {
	for _, text := range secret.SecretsIn(v) {
		s.add(text)
	}
}

// maskSecrets returns a document with the values of all keys that begin with # hidden.
func maskSecrets(v value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		if strings.HasPrefix(m.Name, "#") {
			m.Value = value.OfString(secret.Hidden)
		} else {
			m.Value = maskSecrets(m.Value)
		}
		return m
	})
}
