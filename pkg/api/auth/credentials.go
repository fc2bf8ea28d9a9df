package auth

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// oauthCredentials is `authorization.oauth_api.credentials`: the data that the platform
// adds after the configuration was authorized. Problems are stored until report, because
// an authentication may have other checks that come first.
type oauthCredentials struct {
	section config.Section
	data    string // `#data`
	id      string // `appKey`
	secret  string // `#appSecret`
	faults  []credentialFault
}

type credentialFault struct {
	section        config.Section
	expected, hint failure.Text
}

// Authorization is the member of the document that holds the credentials.
var (
	Authorization = field.Of("authorization", "OAuth credentials", "Filled in by the platform after somebody has authorized the configuration.",
		open(field.Object("authorization", "OAuth credentials", "Added by the platform after somebody has authorized the configuration. Only `oauth_api.credentials` is read.", oauthAPI)))
	oauthAPI                = field.Of("oauth_api", "OAuth", "The credentials.", open(field.Object("", "OAuth", "The credentials.", oauthCredentialsSetting)))
	oauthCredentialsSetting = field.Of("credentials", "Credentials", "Needed by the authentication types `oauth10`, `oauth20` and `oauth20.login`.",
		open(field.Object("", "Credentials", "Needed by the authentication types `oauth10`, `oauth20` and `oauth20.login`.", tokenData, appKey, appSecret)))
	tokenData = field.Text("#data", "Token data", "JSON text with the result of the authorization, or only the token for `oauth20` with format `text`.").Typed(field.StrictText).Example(`"{\"access_token\": \"…\"}"`)
	appKey    = field.Text("appKey", "Client id", "Consumer key or client id of the application.").Example(`"my-app"`)
	appSecret = field.Text("#appSecret", "Client secret", "Consumer secret or client secret of the application.").Example(`"…"`)
)

func open(t *field.Type) *field.Type {
	t.AllowUnknown = true
	return t
}

func (s CompileInput) credentials() *oauthCredentials {
	c := &oauthCredentials{section: oauthCredentialsSetting.In(oauthAPI.In(s.authorization))}
	if !c.section.Present() {
		c.fault(c.section, "OAuth needs the credentials '#data', 'appKey' and '#appSecret'", "authorize the configuration")
		return c
	}
	c.data = c.text(tokenData, "the token data")
	c.id = c.text(appKey, "the key of the application")
	c.secret = c.text(appSecret, "the secret of the application")
	return c
}

func (c *oauthCredentials) text(setting field.Setting[string], what failure.Text) string {
	section := setting.In(c.section)
	if !section.Present() || !section.Value.IsScalar() {
		c.fault(section, "OAuth needs "+what+" in '"+failure.Text(setting.Name)+"'", "")
		return ""
	}
	return section.Value.Text()
}

// decoded parses `#data` as JSON of one of these kinds. If `#data` is not valid, it adds
// a fault and returns null.
func (c *oauthCredentials) decoded(expected failure.Text, kinds ...value.Kind) value.Value {
	if c.data == "" {
		return value.Value{}
	}
	section := tokenData.In(c.section)
	v, err := value.Parse([]byte(c.data))
	switch {
	case err != nil:
		// The error may quote the text, which is secret.
		c.fault(section, expected, "it is not valid JSON")
	case !slices.Contains(kinds, v.Kind()):
		c.fault(section, expected, "its type is "+failure.Text(v.Kind().String()))
	default:
		return v
	}
	return value.Value{}
}

// member returns a member of the decoded data. The member must be a scalar.
func (c *oauthCredentials) member(data value.Value, name string) string {
	v := data.Field(name)
	if !v.IsScalar() {
		c.fault(tokenData.In(c.section), "expected the key '"+failure.Text(name)+"' in its JSON", "")
	}
	return v.Text()
}

func (c *oauthCredentials) fault(section config.Section, expected, hint failure.Text) {
	c.faults = append(c.faults, credentialFault{section, expected, hint})
}

func (c *oauthCredentials) report() {
	for _, f := range c.faults {
		f.section.Fault(failure.MissingCredentials, f.expected, f.hint)
	}
}

func (c *oauthCredentials) valid() bool { return len(c.faults) == 0 }

// registerSecrets registers the credentials and all texts in the decoded data as secrets
// for the whole run, because all requests use them.
func (c *oauthCredentials) registerSecrets(secrets *secret.Registry, decoded value.Value) {
	secrets.Add(c.data)
	secrets.Add(c.secret)
	registerTexts(secrets.Add, decoded)
}
