package queue

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
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
	s.mask.Add(text)
	s.enlist(text)
}

func (s *secrets) enlist(text string) {
	if text != "" && !slices.Contains(s.list, text) {
		s.list = append(s.list, text)
	}
}

// collect adds the secrets of a document. open is true if its variables may still be
// replaced.
func (s *secrets) collect(v value.Value, open bool) {
	variables.AddSecrets(&s.mask, v, open)
	for _, text := range secret.SecretsIn(v) {
		if !open || len(variables.Placeholders(value.OfString(text))) == 0 {
			s.enlist(text)
		}
	}
}

// MaskSecrets hides the value of every key that begins with #. It also hides the value of
// each variable for which isSecret, if it is not nil, returns true.
func MaskSecrets(v value.Value, isSecret func(variable string) bool) value.Value {
	besideName := isSecret != nil && isSecret(v.Field("name").Raw())
	return v.Map(func(m value.Member) value.Member {
		if strings.HasPrefix(m.Name, "#") || besideName && m.Name == "value" {
			m.Value = value.OfString(secret.Hidden)
		} else {
			m.Value = MaskSecrets(m.Value, isSecret)
		}
		return m
	})
}
