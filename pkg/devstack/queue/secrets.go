package queue

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// secrets are the texts of a job that nobody may see.
type secrets struct {
	mask secret.Registry
	// list is for the sandbox, which masks what the component says.
	list []string
}

func (s *secrets) add(text string) {
	if text != "" {
		s.mask.Add(text)
		s.list = append(s.list, text)
	}
}

// collect adds everything below a key with a hash sign.
func (s *secrets) collect(v value.Value) {
	for _, m := range v.Members() {
		if strings.HasPrefix(m.Name, "#") {
			s.collectAll(m.Value)
			continue
		}
		s.collect(m.Value)
	}
	for _, item := range v.Items() {
		s.collect(item)
	}
}

// collectAll adds texts and numbers: nobody guards a boolean, and every "true"
// would be hidden with it.
func (s *secrets) collectAll(v value.Value) {
	if k := v.Kind(); k == value.String || k == value.Number {
		s.add(v.Raw())
	}
	for _, m := range v.Members() {
		s.collectAll(m.Value)
	}
	for _, item := range v.Items() {
		s.collectAll(item)
	}
}

// masked is a document with its secrets hidden, as far as they stand below a
// key with a hash sign.
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
