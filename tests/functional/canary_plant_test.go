package functional

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
)

// aviary is a case with a canary in the place of every secret, and some more.
type aviary struct {
	config    string
	variables []string
	env       map[string]string
	exchanges []exchange
	// canaries are the secrets of the case with what took their place.
	canaries map[string]string
	numbers  int // canaries made
	secrets  map[string]bool
}

// newAviary plants canaries: below every key with a hash sign, in the variables
// that come to be there, in the token of the platform, in addresses, and in
// what the logins return. Every request carries two more of them, and two are
// for no one.
func newAviary(t *testing.T, c *testCase) *aviary {
	t.Helper()
	a := &aviary{canaries: map[string]string{}, secrets: map[string]bool{}, env: map[string]string{}, exchanges: append([]exchange(nil), c.exchanges...)}
	for name, text := range c.Env {
		if strings.HasPrefix(name, expr.EnvPrefix) {
			text = a.canary(text)
		}
		a.env[name] = text
	}
	if token := a.env["KBC_TOKEN"]; token != "" {
		a.canaries[token] = platformCanary
	}
	a.env["KBC_TOKEN"] = platformCanary
	text := c.config(t)
	if c.plain {
		text = []byte(plain(string(text)))
	}
	a.config = a.plantConfig(string(text), !c.Strict)
	for _, flag := range c.Variables {
		name, text, _ := strings.Cut(flag, "=")
		if a.secrets[name] {
			flag = name + "=" + a.canary(text)
		}
		a.variables = append(a.variables, flag)
	}
	return a
}

// platformCanary is a token of the platform: it must be one word.
const platformCanary = canaryMark + "/+=~" + canaryMark

// canary is what takes the place of a secret: always the same of the same.
func (a *aviary) canary(secret string) string {
	if secret == "" || a.canaries[secret] == "" {
		a.numbers++
		if secret == "" {
			return canaryText(a.numbers)
		}
		a.canaries[secret] = canaryText(a.numbers)
	}
	return a.canaries[secret]
}

// plantConfig plants canaries in a document, and more of them where it may have
// keys that no one knows; what is not a document stays as it is.
func (a *aviary) plantConfig(text string, more bool) string {
	var document any
	if decodeJSON([]byte(text), &document) != nil {
		return text
	}
	document = a.below(document, false)
	root, ok := document.(map[string]any)
	if !ok {
		return text
	}
	if more {
		a.plantMore(root)
	}
	a.plantVariables(root)
	a.plantLogins(root)
	return jsonText(document)
}

// plantState plants canaries in the state of the run before.
func (a *aviary) plantState(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "in", "state.json")
	text, err := os.ReadFile(path)
	var state any
	if err == nil && decodeJSON(text, &state) == nil {
		writeFile(t, path, jsonText(a.below(state, false)))
	}
}

// below plants canaries in everything below a key with a hash sign.
func (a *aviary) below(v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			if name == "env" && len(v) == 1 || name == "remember" && v["endpoint"] != nil {
				continue // its value is a canary; or names of secrets, and where they come from
			}
			v[name] = a.below(item, secret || strings.HasPrefix(name, "#"))
		}
	case []any:
		for i, item := range v {
			v[i] = a.below(item, secret)
		}
	case string:
		if secret {
			return a.secret(v)
		}
		return a.password(v)
	case json.Number:
		if secret && !strings.ContainsAny(v.String(), ".eE-") && len(v.String()) > 3 {
			a.numbers++
			return json.Number(canaryDigits + v.String())
		}
	}
	return v
}

// placeholder is the name of a variable in a text.
var placeholder = regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`)

// secret is what takes the place of a text below a key with a hash sign. JSON
// stays JSON, and a variable remains one: its value will be the canary.
func (a *aviary) secret(text string) string {
	if found := placeholder.FindAllStringSubmatch(text, -1); found != nil {
		for _, one := range found {
			a.secrets[one[1]] = true
		}
		return text
	}
	var inner any
	if decodeJSON([]byte(text), &inner) == nil {
		if _, ok := inner.(map[string]any); ok {
			return jsonText(a.below(inner, true))
		}
	}
	if text == "" || strings.HasPrefix(text, "KBC::") {
		return text
	}
	return a.canary(text)
}

// password is an address with a canary in the place of its password, any other
// text as it is.
func (a *aviary) password(text string) string {
	before, rest, ok := strings.Cut(text, "://")
	user, rest, has := strings.Cut(rest, "@")
	name, password, two := strings.Cut(user, ":")
	if !ok || !has || !two || strings.ContainsAny(user, "/?#") {
		return text
	}
	return before + "://" + name + ":" + url.PathEscape(a.canary(password)) + "@" + rest
}

// plantMore plants canaries that every case has: two are carried by requests,
// others are where no one uses them.
func (a *aviary) plantMore(root map[string]any) {
	child(root, "image_parameters", "__deep")["#planted"] = []any{a.canary(""), map[string]any{"x": a.canary("")}}
	child(root, "authorization", "oauth_api", "credentials")["#planted"] = a.canary("")
	sections := root
	if inner, ok := root["parameters"].(map[string]any); ok {
		sections = inner
	}
	config, ok := sections["config"].(map[string]any)
	api, is := sections["api"].(map[string]any)
	if !ok || !is {
		return
	}
	config["#plantedHeader"], config["#plantedQuery"] = a.canary("planted header"), a.canary("planted query")
	child(api, "http", "headers")["X-Planted"] = map[string]any{"attr": "#plantedHeader"}
	jobs, _ := config["jobs"].([]any)
	for _, job := range jobs {
		if job, ok := job.(map[string]any); ok {
			child(job, "params")["planted"] = map[string]any{"attr": "#plantedQuery"}
		}
	}
}

// plantVariables plants canaries in the values of the document's own variables.
func (a *aviary) plantVariables(root map[string]any) {
	data, _ := root["variableValuesData"].(map[string]any)
	values, _ := data["values"].([]any)
	for _, v := range values {
		v, _ := v.(map[string]any)
		name, _ := v["name"].(string)
		if text, ok := v["value"].(string); ok && a.secrets[name] {
			v["value"] = a.canary(text)
		}
	}
}

// child is an object at a path, made where there is none. One that must not be
// made (something else is there) is kept out of the document.
func child(parent map[string]any, path ...string) map[string]any {
	for _, name := range path {
		next, ok := parent[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			if _, taken := parent[name]; !taken {
				parent[name] = next
			}
		}
		parent = next
	}
	return parent
}

// plantLogins plants canaries in the responses of logins, but for the time when the
// credentials end.
func (a *aviary) plantLogins(root map[string]any) {
	if inner, ok := root["parameters"].(map[string]any); ok {
		root = inner
	}
	api, _ := root["api"].(map[string]any)
	authentication, _ := api["authentication"].(map[string]any)
	request, ok := authentication["loginRequest"].(map[string]any)
	if !ok {
		return
	}
	endpoint, _ := request["endpoint"].(string)
	endpoint, _, _ = strings.Cut(strings.TrimPrefix(endpoint, "http://api.test"), "?")
	expires, _ := authentication["expires"].(map[string]any)
	expiry, _ := expires["response"].(string)
	if at := strings.LastIndex(expiry, "."); at >= 0 {
		expiry = expiry[at+1:]
	}
	for i := range a.exchanges {
		response := &a.exchanges[i].response
		path, _, _ := strings.Cut(a.exchanges[i].target, "?")
		if !strings.HasSuffix(path, endpoint) || response.close || response.cut >= 0 || response.status >= 300 {
			continue // what a login is refused with is reported: it is how its author learns why
		}
		var v any
		switch {
		case decodeJSON([]byte(response.body), &v) == nil:
			response.body = jsonText(a.token(v, expiry))
		case authentication["format"] == "text":
			response.body = a.canary(response.body)
		}
		response.headers = append(append([]header(nil), response.headers...), header{"Set-Cookie", "session=" + canaryMark + "; Path=/"})
	}
}

// token plants canaries in the texts of a login's response.
func (a *aviary) token(v any, expiry string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			if name != expiry {
				v[name] = a.token(item, expiry)
			}
		}
	case []any:
		for i, item := range v {
			v[i] = a.token(item, expiry)
		}
	case string:
		if len(v) > 3 && !strings.Contains(v, "://") {
			return a.canary(v)
		}
	}
	return v
}
