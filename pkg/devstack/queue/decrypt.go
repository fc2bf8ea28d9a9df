package queue

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Values that a cipher can be bound to, besides component and configuration.
const (
	projectID  = "1"
	branchType = "default"
)

// Scope returns the values that ciphers in a configuration may be bound to.
func Scope(component, configuration string) encryption.Scope {
	return encryption.Scope{Component: component, Project: projectID, Configuration: configuration, BranchType: branchType}
}

// decrypt decrypts the configurations and the states of all steps. If a cipher in a
// configuration cannot be decrypted, the component reports it with its pointer. Such a
// cipher in a state is a user error here, because only the platform writes states.
func (r *execution) decrypt(p plan) error {
	scope := Scope(r.job.Component, r.job.Config)
	for i := range p.steps {
		s := &p.steps[i]
		s.doc, _ = r.q.box.Decrypt(scope, s.doc)
		r.secrets.collect(s.doc, !r.q.o.ResolveVariables)
		state, unread := r.q.box.Decrypt(scope, s.state)
		if len(unread) > 0 {
			return failure.Userf("Invalid cipher text in the state for the keys %s: the value is not encrypted for this component, project and configuration.",
				strings.Join(unread, ", "))
		}
		s.state = state
		r.secrets.collect(s.state, false)
	}
	return nil
}
