package infer

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/lint"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// secretParam reports whether a parameter is a credential, judging by its name. Short and
// ambiguous names count only with a text of at least 8 bytes.
func secretParam(name string, v value.Value) bool {
	short := textfmt.Letters(name)
	if strings.Contains(short, "paginat") || short == "continuation" {
		return false
	}
	if slices.Contains([]string{"key", "auth", "appid", "hapikey", "code", "sig"}, short) {
		return v.Kind() == value.String && len(v.Raw()) >= 8
	}
	if slices.Contains(sessionNames, short) {
		return v.Kind() == value.String && len(v.Raw()) >= 8 && (short != "sid" || looksRandom(v.Raw()))
	}
	return lint.PlainSecret(name, v) ||
		v.Kind() == value.String && v.Raw() != "" && slices.ContainsFunc([]string{"subscriptionkey", "appkey", "authkey", "signature", "apipassword"}, func(end string) bool { return strings.HasSuffix(short, end) })
}

func secretHeader(name string) bool {
	short := textfmt.Letters(name)
	return slices.ContainsFunc([]string{"key", "token", "secret", "password", "authorization", "auth", "signature", "session", "cookie"},
		func(end string) bool { return strings.HasSuffix(short, end) })
}

// isCredential reports whether a header holds a credential, judging by its name and its
// value.
func isCredential(name string, lines []string) bool {
	return secretHeader(name) || randomHeader(name, strings.Join(lines, ", "))
}

// keyUser reports whether the user name of HTTP basic authentication is a key: the user
// name looks random, or the password is a filler such as "x".
func keyUser(user, password string) bool {
	idle := []string{"", "x", "xx", "xxx", "-", "_", ".", "anything", "nothing", "none", "null", "unused", "ignored", "dummy", "blank", "api_token", "apitoken", "api_key", "apikey", "pass", "password"}
	return user != "" && (looksRandom(user) || slices.Contains(idle, strings.ToLower(password)) && password != "" && !strings.Contains(user, "@"))
}

// userSecrets returns the secrets in the credentials of HTTP basic authentication.
func userSecrets(user, password string) []string {
	if keyUser(user, password) {
		return []string{user, user + ":" + password}
	}
	return []string{cmp.Or(password, user)}
}

// Secrets returns the credentials in a request, so that the caller can mask them in
// messages. It does not need a response, and guesses by names and by values that look
// random.
func Secrets(r example.Request) []string {
	var all []string
	if u, err := url.Parse(r.URL); err == nil {
		if u.User != nil {
			password, _ := u.User.Password()
			all = append(all, userSecrets(u.User.Username(), password)...)
		}
		all = append(all, secretPairs(u.RawQuery)...)
		for _, s := range pathSecrets(u.EscapedPath()) {
			all = append(all, s.text)
			if plain, err := url.PathUnescape(s.text); err == nil && plain != s.text {
				all = append(all, plain)
			}
		}
	}
	for name, lines := range r.Header {
		for _, line := range lines {
			if !isCredential(name, lines) {
				continue
			}
			all = append(all, line)
			if scheme, rest, ok := strings.Cut(line, " "); ok {
				all = append(all, rest)
				if user, password, ok := basic(scheme, rest); ok {
					all = append(all, userSecrets(user, password)...)
				}
			}
		}
	}
	if body, err := value.Parse(r.Body); err == nil {
		all = append(all, secretMembers(body)...)
	} else {
		all = append(all, secretPairs(string(r.Body))...)
	}
	return slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" })
}

func secretPairs(query string) []string {
	var all []string
	for _, m := range parseQuery(query) {
		if secretParam(m.Name, m.Value) {
			all = append(all, m.Value.Raw())
		}
	}
	return all
}

func secretMembers(v value.Value) []string {
	var all []string
	for _, m := range v.Members() {
		if secretParam(m.Name, m.Value) {
			all = append(all, m.Value.Raw())
		}
		all = append(all, secretMembers(m.Value)...)
	}
	for _, item := range v.Items() {
		all = append(all, secretMembers(item)...)
	}
	return all
}

// addSecret adds an attribute with a credential to `config` and returns the expression
// that refers to it.
func (d *configBuilder) addSecret(name, credential string) value.Value {
	name = "#" + camel(name)
	key := name
	for n := 2; slices.ContainsFunc(d.attributes, func(m value.Member) bool { return m.Name == key }); n++ {
		key = fmt.Sprintf("%s%d", name, n)
	}
	d.attributes = append(d.attributes, value.Member{Name: key, Value: value.OfString(credential)})
	if strings.Contains(credential, secret.Hidden) {
		d.note(fmt.Sprintf("The credential is masked in the archive: write it under '%s' of /parameters/config.", key))
	}
	return one(string(expr.Attr), value.OfString(key))
}

// camel converts the name of a header or a parameter to camel case: X-Api-Key and api_key
// become apiKey.
func camel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
	if len(words) > 1 && strings.EqualFold(words[0], "x") {
		words = words[1:]
	}
	for i, word := range words {
		if strings.ToUpper(word) == word || i == 0 && len(words) > 1 {
			word = strings.ToLower(word)
		}
		if i == 0 {
			words[i] = strings.ToLower(word[:1]) + word[1:]
		} else {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	if len(words) == 0 {
		return "secret"
	}
	return strings.Join(words, "")
}

// addCredentials turns the credentials of the request into settings: parameters, user name
// and password, and headers. It uses a cookie only if there is no other credential.
//
// To add a kind of credential, turn it into settings here with addSecret, and return its
// secrets from Secrets in this file, so that no output shows them. Add rows to infer_test.go
// and secrets_test.go, and a row to the table in docs/how-to/init.md.
func (d *configBuilder) addCredentials() {
	before := len(d.Guesses)
	inQuery := d.moveSecretParams()
	authorization := d.x.Header.Get("Authorization")
	if authorization == "" && d.url.User != nil {
		password, _ := d.url.User.Password()
		authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(d.url.User.Username()+":"+password))
	}
	if authorization != "" {
		d.addAuthorization(authorization, inQuery)
	}
	for _, name := range sortedNames(d.x.Header) {
		if name == "Authorization" || name == "Cookie" || !isCredential(name, d.x.Header[name]) || strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "Sec-") {
			continue
		}
		text := strings.Join(d.x.Header[name], ", ")
		if strings.TrimSpace(text) == "" {
			continue
		}
		certainty, why := sure, "a header with this name is a credential"
		if !secretHeader(name) {
			certainty, why = likely, "its value looks like a key"
		}
		d.addSecretHeader(name, d.addSecret(name, text), certainty, why)
	}
	cookie := d.x.Header.Get("Cookie")
	switch {
	case cookie == "":
	case len(d.Guesses) > before:
		d.note("The cookies of the example are left out, because it has another credential.")
	default:
		d.addSecretHeader("Cookie", d.addSecret("cookie", cookie), unsure, "there is nothing else that could be a credential")
		d.note("The cookies belong to a session that will end. Check whether the API accepts a key or a token.")
	}
	if len(d.Guesses) == before && len(d.hidden) > 0 {
		d.guessHidden()
	} else if len(d.Guesses) == before {
		d.guess("authentication", pointer(config.APISection, config.AuthenticationSection), value.OfString(None), likely, "nothing in the request looks like a credential")
	}
}

// moveSecretParams moves credentials out of the parameters. Credentials in a query become the
// authentication scheme `query`; credentials in a body become references to attributes.
// It reports whether it set the authentication scheme.
func (d *configBuilder) moveSecretParams() bool {
	var query, kept object
	for _, m := range d.params {
		switch {
		case !secretParam(m.Name, m.Value) || d.pagesBy(m.Name):
			kept = append(kept, m)
		case d.method == http.MethodGet:
			query.set(m.Name, d.addSecret(m.Name, m.Value.Raw()))
			if strings.HasSuffix(textfmt.Letters(m.Name), "sig") || strings.HasSuffix(textfmt.Letters(m.Name), "signature") {
				d.note(fmt.Sprintf("'%s' looks like a signature. If it is computed for each request, see the recipe signed-requests.", m.Name))
			}
		default:
			kept.set(m.Name, d.addSecret(m.Name, m.Value.Raw()))
			d.guess("authentication", failure.PointerJoin(jobPointer(config.JobParams), m.Name), kept[len(kept)-1].Value, likely, "a parameter with this name is a credential")
		}
	}
	d.params = kept
	if len(query) == 0 {
		return false
	}
	d.auth = value.OfMembers(
		value.Member{Name: auth.TypeSetting.Name, Value: value.OfString("query")},
		value.Member{Name: auth.Query.Name, Value: query.value()},
	)
	var names []string
	for _, m := range query {
		names = append(names, quote(m.Name))
	}
	d.guess("authentication", pointer(config.APISection, config.AuthenticationSection), d.auth, likely,
		"the query has "+strings.Join(names, " and ")+", by its name a credential; as authentication it is added to every request, including later pages")
	return true
}

// pagesBy reports whether the response holds a token for the parameter. Such a parameter
// selects a page and is not a credential.
func (d *configBuilder) pagesBy(name string) bool {
	return slices.ContainsFunc(d.factsOutsideData(), func(f scalarFact) bool {
		return isToken(f) && textfmt.Letters(paramOf(f)) == textfmt.Letters(name)
	})
}

// basic decodes the credentials of HTTP basic authentication. It returns false for other
// schemes.
func basic(scheme, credentials string) (user, password string, ok bool) {
	if !strings.EqualFold(scheme, "basic") {
		return "", "", false
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(credentials))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// addAuthorization turns the Authorization header into settings. hasScheme reports whether
// the query already became the authentication scheme: the credentials then go into a
// header of the API.
func (d *configBuilder) addAuthorization(header string, hasScheme bool) {
	scheme, credentials, parted := strings.Cut(strings.TrimSpace(header), " ")
	credentials = strings.TrimSpace(credentials)
	user, password, isBasic := basic(scheme, credentials)
	switch {
	case isBasic && !hasScheme && !keyUser(user, password) && !value.OfString(user).Empty() && !value.OfString(password).Empty():
		d.auth = one(auth.TypeSetting.Name, value.OfString("basic"))
		d.attributes = append(d.attributes,
			value.Member{Name: auth.Username.Name, Value: value.OfString(user)},
			value.Member{Name: auth.SecretPassword.Name, Value: value.OfString(password)})
		d.guess("authentication", pointer(config.APISection, config.AuthenticationSection), d.auth, sure, "the request has a user name and a password (HTTP basic authentication)")
	case isBasic:
		encoded := call("base64_encode", d.addSecret("credentials", user+":"+password))
		d.addSecretHeader("Authorization", call("concat", value.OfString("Basic "), encoded), sure,
			"HTTP basic authentication, written as a header: the user name or the password is missing, the user name looks like a key, or the request has another credential")
	case signsRequests(scheme):
		d.note(fmt.Sprintf("The header Authorization (%s) is computed for each request, so it is left out: see `aws`, the authentication oauth10 and the recipe signed-requests in the documentation.", scheme))
	case !parted || credentials == "":
		d.addSecretHeader("Authorization", d.addSecret("authorization", header), sure, "the request has this header")
	default:
		d.addSecretHeader("Authorization", call("concat", value.OfString(scheme+" "), d.addSecret("token", credentials)), sure, "the request has the header Authorization with a token ("+scheme+")")
		if strings.EqualFold(scheme, "bearer") && strings.Count(credentials, ".") == 2 {
			d.note("The token looks like one that expires (JWT). If the API has a login, see the recipes client-credentials and refresh-token.")
		}
	}
}

// signsRequests reports whether a scheme computes the header for each request.
func signsRequests(scheme string) bool {
	scheme = strings.ToLower(scheme)
	return strings.HasPrefix(scheme, "aws4-") || slices.Contains([]string{"oauth", "digest", "hmac", "signature", "hawk", "ntlm", "negotiate"}, scheme)
}

func call(function string, args ...value.Value) value.Value {
	return value.OfMembers(
		value.Member{Name: "function", Value: value.OfString(function)},
		value.Member{Name: "args", Value: value.OfItems(args...)},
	)
}

func (d *configBuilder) addSecretHeader(name string, v value.Value, c confidence, evidence string) {
	d.apiHeaders = append(d.apiHeaders, value.Member{Name: name, Value: v})
	d.guess("authentication", failure.PointerJoin(pointer(config.APISection, config.HTTPSection, config.APIHeaders), name), v, c, evidence)
}
