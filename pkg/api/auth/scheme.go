package auth

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Scheme is an authentication scheme that `api.authentication.type` names. Each scheme
// has its own file and its line in AllSchemes.
type Scheme struct {
	Name string
	// OldName is an older name of the scheme. It still works, with a warning.
	OldName string
	// Settings are the settings of `api.authentication` that the scheme reads. Schemes
	// may share settings.
	Settings []field.Declaration
	// Attributes are the settings of `config` that the scheme reads.
	Attributes []field.Declaration
	// Platform is true if the scheme reads `authorization`. SetsAuthorization is true if
	// the scheme sets the header Authorization although no setting names it.
	Platform, SetsAuthorization bool
	Compile                     func(CompileInput) Method
}

// Schemes is the list of schemes that a configuration may use.
type Schemes []Scheme

// AllSchemes returns the authentication schemes of this program.
//
// To add a scheme, write its file: its settings, a function that returns a Scheme, listed
// here, and a Method, which adds the credentials to each attempt of a request. basic.go is
// short; merge.go adds parameters and headers. Add every credential that it computes or
// receives to env.Run.Secrets, so that no output shows it. Add a test beside the file and
// the scheme to tests/functional/credentials_test.go, and run `go test ./pkg/schema -update`.
func AllSchemes() Schemes {
	return Schemes{basicScheme(), queryScheme(), loginScheme(), oauth10Scheme(), oauth20Scheme(), oauth20LoginScheme()}
}

// TypeSetting is the setting that names the scheme.
var TypeSetting = field.Text("type", "Type", "`basic`: user name and password of `config`. `query` (older name `url.query`): parameters added to each request. `login`: a login request returns the credentials. `oauth10`, `oauth20`, `oauth20.login`: credentials of `authorization`. Empty: none.").Example(`"login"`)

// Type returns the type of `api.authentication` for these schemes.
func (all Schemes) Type() *field.Type {
	kind := &field.Type{Kinds: []string{"string"}}
	var variants []field.Variant
	for _, s := range all {
		kind.Choices = append(kind.Choices, field.Choice{Name: s.Name})
		if s.OldName != "" {
			kind.Choices = append(kind.Choices, field.Choice{Name: s.OldName, Old: field.Quoted(s.OldName) + " is the old name of " + field.Quoted(s.Name)})
		}
		variants = append(variants, field.Variant{Name: s.Name, Settings: s.Settings})
	}
	kind.Choices = append(kind.Choices, foreignSchemes()...)
	t := field.Object("authentication", "Authentication", "How requests are authenticated. `type` decides which keys are used.", TypeSetting.With(kind))
	t.Fields = append(t.Fields, field.Union("Type", variants)...)
	return t
}

// foreignSchemes returns the words of other tools, with hints.
func foreignSchemes() []field.Choice {
	hint := func(text failure.Text, names ...string) field.Choice {
		return field.Choice{Name: names[0], AlsoCalled: names[1:], Hint: text}
	}
	return []field.Choice{
		hint(`for a token in a header write "api.http.headers": {"Authorization": …} instead of "authentication"`, "bearer", "bearertoken", "token", "header"),
		hint(`for a key in the query write "query", for one in a header "api.http.headers" instead of "authentication"`, "apikey", "key"),
		hint("remove the key for no authentication", "none", "no"),
	}
}

// Attributes returns the settings of `config` that a scheme reads.
func (all Schemes) Attributes() []field.Declaration {
	var fields []field.Declaration
	for _, s := range all {
		fields = append(fields, s.Attributes...)
	}
	return fields
}

// Of returns the scheme that a section names. ok is false if there is no scheme with that
// name.
func (all Schemes) Of(section config.Section) (Scheme, bool) {
	name := TypeSetting.Of(section)
	i := slices.IndexFunc(all, func(s Scheme) bool { return name != "" && (s.Name == name || s.OldName == name) })
	if i < 0 {
		return Scheme{}, false
	}
	return all[i], true
}
