package expr

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Reference declares a form {"key": "name"} of expressions.
type Reference struct {
	// Key is the key of the object, and the context in Scope.Contexts.
	Key Context
	// Argument documents the value of the key: "NAME", "PATH".
	Argument string
	// Doc is the documentation: one sentence about the value.
	Doc string
	// Examples are part of the documentation. A test evaluates them.
	Examples []Example
	// Where lists the sites where the reference exists. Several References may have the
	// same key with different sites.
	Where []Site
	// Optional makes an absent value null, and drops the entry around the expression.
	// Without Optional an absent value is an error.
	Optional bool
	// KnownOnly makes the object plain data if the name is not in Compiler.Known.
	KnownOnly bool
	// Secret marks every value as a secret.
	Secret bool
	// Check checks a name before the evaluation. Nil checks the name against
	// Compiler.Known.
	Check func(c Compiler, name string) *ArgumentProblem
	// Value returns the value of a name. Nil looks it up in Scope.Contexts.
	Value func(s *Scope, name string) (v value.Value, ok bool)
}

// Example is an expression and its value, both as JSON. In the example of a Function the
// expression is a list of arguments without brackets. docs/reference/expressions.md shows
// the values that the examples refer to.
type Example struct{ Expression, Value string }

// Site is a kind of place in the configuration. Declarations of settings contain their
// sites.
type Site = field.Site

// The sites with expressions.
const (
	// InAttributes is the site of attributes of `config`. Functions exist only in a
	// default.
	InAttributes Site = "attributes of `config`"
	InBaseURL    Site = "`api.baseUrl`"
	// InHeaders is the site of `headers` of `api.http` and of `config.http`.
	InHeaders Site = "`http.headers`"
	// InJobs is the site of parameters, headers, the body and the endpoint of a job.
	InJobs Site = "`params`, `headers`, `body` and `endpoint` of jobs"
	// InShared is the site of default options and of requests for later pages. All jobs
	// share them. They are evaluated for each request.
	InShared Site = "`defaultOptions`, `scrollRequest`"
	// InScrollBody is the site of the body of requests for later pages. It is evaluated for
	// each page.
	InScrollBody Site = "`body` of `scrollRequest`"
	InUserData   Site = "`userData`"
	// InFile is the site of names and tags of files. The body of the response is no data.
	InFile Site = "`file`"
	// InWindows is the site of `if` and `windows` of a job.
	InWindows Site = "`if` and `windows`"
	// InDataType is the site of `dataType` of a job.
	InDataType Site = "`dataType`"
	// InRemember is the site of values that a job leaves for the next run.
	InRemember Site = "`remember`"
	// InPlaceholders is the site of arguments of a placeholder's function.
	InPlaceholders Site = "`placeholders`"
	InLogin        Site = "`loginRequest`"
	// InOAuthLogin is the site of the login request of the scheme oauth20.login.
	InOAuthLogin Site = "`loginRequest` of `oauth20.login`"
	InAfterLogin Site = "`apiRequest`"
	// InLoginRemember is the site of values that a login leaves for the next login.
	InLoginRemember Site = "`remember` of `loginRequest`"
	InQueryAuth     Site = "type `query`"
	InOAuthRequest  Site = "type `oauth20`"
)

// References is a list of references that a configuration may use.
type References []Reference

// AllReferences returns the references of this program in the order of the documentation.
//
// To add a reference, declare it in the list of the file of its subject, such as
// reference_run.go. Set Value, or put the values into Scope.Contexts under the key where the
// expressions are evaluated, as scopeOf in pkg/engine does. Add rows to compile_test.go, a
// case to tests/functional/cases, and run `go test ./pkg/schema -update`.
func AllReferences() References {
	return slices.Concat(documentReferences(), runReferences(), stateReferences(), parentReferences(), windowReferences(), pagingReferences(), responseReferences(), requestReferences(), loginReferences())
}

// At returns the references that exist at a site.
func (all References) At(site Site) References {
	var here References
	for _, r := range all {
		if slices.Contains(r.Where, site) {
			here = append(here, r)
		}
	}
	return here
}

// find returns the first reference with a key.
func (all References) find(key string) (Reference, bool) {
	i := slices.IndexFunc(all, func(r Reference) bool { return string(r.Key) == key })
	if i < 0 {
		return Reference{}, false
	}
	return all[i], true
}

// Keys returns the keys of the references without duplicates.
func (all References) Keys() []string {
	var keys []string
	for _, r := range all {
		if !slices.Contains(keys, string(r.Key)) {
			keys = append(keys, string(r.Key))
		}
	}
	return keys
}

// ArgumentProblem describes a mistake in a name or an argument.
type ArgumentProblem struct {
	Found, Expected, Hint failure.Text
	argument              int // index of the argument, counted from 0
}
