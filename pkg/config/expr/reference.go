package expr

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Reference is one form {"key": "name"} of expressions: what it refers to, and
// where it exists.
type Reference struct {
	// Key is the key of the object, and the context of Scope with the values.
	Key Context
	// Argument says what follows the key: "NAME", "PATH".
	Argument string
	// Doc says in one sentence what its value is.
	Doc string
	// Examples are for the documentation; a test evaluates them.
	Examples []Example
	// Where are the places at which it exists. One key may have a Reference for some
	// places and another for others.
	Where []Site
	// Optional: where there is nothing the value is null, and what it was for is left
	// out. Else that is an error.
	Optional bool
	// KnownOnly: with a name that is not in Compiler.Known the object is plain data.
	KnownOnly bool
	// Secret marks every value as a secret.
	Secret bool
	// Check looks for what is wrong with a name before anything is evaluated; nil looks
	// for it in Compiler.Known.
	Check func(c Compiler, name string) *ArgumentProblem
	// Value finds the value of a name; nil looks for it in Scope.Contexts.
	Value func(s *Scope, name string) (v value.Value, ok bool)
}

// Example is an expression and its value, both as JSON. That of a Function has only the
// arguments, without the brackets around them. What the references of the examples refer
// to is shown in docs/reference/expressions.md.
type Example struct{ Expression, Value string }

// Site is a kind of place in the configuration. The declarations of settings name theirs.
type Site = field.Site

// The places with expressions.
const (
	// InAttributes are the values of the attributes of `config`, where there are no
	// functions but in a default.
	InAttributes Site = "attributes of `config`"
	InBaseURL    Site = "`api.baseUrl`"
	// InHeaders are the headers of `api.http` and of `config.http`.
	InHeaders Site = "`http.headers`"
	// InJobs are parameters, headers and the endpoint of a job.
	InJobs Site = "`params`, `headers` and `endpoint` of jobs"
	// InShared are the default options, and requests for later pages: all jobs share
	// them, and they are evaluated for each.
	InShared   Site = "`defaultOptions`, `scrollRequest`"
	InUserData Site = "`userData`"
	// InWindows is what decides whether a job runs, and for which windows.
	InWindows Site = "`if` and `windows`"
	// InRemember are the values that a job leaves for the next run.
	InRemember Site = "`remember`"
	// InPlaceholders are the arguments of a placeholder's function.
	InPlaceholders Site = "`placeholders`"
	InLogin        Site = "`loginRequest`"
	// InOAuthLogin is the login request of the type oauth20.login.
	InOAuthLogin Site = "`loginRequest` of `oauth20.login`"
	InAfterLogin Site = "`apiRequest`"
	// InLoginRemember are the values that a login leaves for the next one.
	InLoginRemember Site = "`remember` of `loginRequest`"
	InQueryAuth     Site = "type `query`"
	InOAuthRequest  Site = "type `oauth20`"
)

// References are the references that a configuration may use.
type References []Reference

// AllReferences are the references of this program, in the order of the
// documentation. Each is declared in the file of its subject.
func AllReferences() References {
	return slices.Concat(documentReferences(), runReferences(), stateReferences(), parentReferences(), windowReferences(), pagingReferences(), responseReferences(), requestReferences(), loginReferences())
}

// At are the references that exist at a place.
func (all References) At(place Site) References {
	var here References
	for _, r := range all {
		if slices.Contains(r.Where, place) {
			here = append(here, r)
		}
	}
	return here
}

// Find is the reference with a key.
func (all References) Find(key string) (Reference, bool) {
	i := slices.IndexFunc(all, func(r Reference) bool { return string(r.Key) == key })
	if i < 0 {
		return Reference{}, false
	}
	return all[i], true
}

// Keys are the keys of the references, each once.
func (all References) Keys() []string {
	var keys []string
	for _, r := range all {
		if !slices.Contains(keys, string(r.Key)) {
			keys = append(keys, string(r.Key))
		}
	}
	return keys
}

// ArgumentProblem is what is wrong with a name or an argument in the configuration.
type ArgumentProblem struct {
	Found, Expected, Hint failure.Text
	argument              int // from 0
}
