package auth

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shortest is the minimum length, in bytes, of a text in the response of a login that is
// masked everywhere. A shorter text (a status "ok", a count) is masked only where a
// request carries it, because masking it everywhere would make messages unreadable.
const shortest = 4

// maxTexts is the maximum number of texts in the response of a login. The limit exists
// because the hashes of all texts stay in memory.
const maxTexts = 1 << 16

// registerFunc registers a secret for the whole run, as a token of a login, or for one
// request. secret.Registry has a method for each lifetime.
type registerFunc func(secret string)

func registerTexts(register registerFunc, v value.Value) {
	for _, text := range secretTexts(v, "", 0) {
		register(text)
	}
}

// secretTexts returns all texts of a secret value: every leaf, the texts in a leaf that
// contains JSON or parameters, and names that are data. It leaves out the path expiry,
// because the time when credentials end is not a secret. depth is the number of JSON
// texts around the value.
func secretTexts(v value.Value, expiry string, depth int) []string {
	var texts []string
	for path, leaf := range expr.Flatten(v) {
		if len(leaf.Raw()) < shortest || expiry != "" && path == expiry || leaf.Kind() == value.Bool {
			continue
		}
		texts = append(texts, secret.Spellings(leaf)...)
		if leaf.Kind() == value.String {
			texts = append(texts, textsIn(leaf.Raw(), depth)...)
		}
	}
	return append(texts, namesOf(v)...)
}

// textsIn returns the secrets in a secret text that is JSON or encoded parameters.
func textsIn(text string, depth int) []string {
	const mostDepth = 3
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || depth == mostDepth {
		return nil
	}
	if strings.ContainsRune(`{["`, rune(trimmed[0])) {
		if v, err := value.Parse([]byte(trimmed)); err == nil {
			return secretTexts(value.OfItems(v), "", depth+1)
		}
	}
	if strings.Contains(trimmed, "=") && !strings.ContainsAny(trimmed, " \t\r\n<>") {
		return pairsOf(trimmed)
	}
	return nil
}

func namesOf(v value.Value) []string {
	var names []string
	for _, m := range v.Members() {
		if isData(m.Name) {
			names = append(names, m.Name)
		}
		names = append(names, namesOf(m.Value)...)
	}
	for _, item := range v.Items() {
		names = append(names, namesOf(item)...)
	}
	return names
}

// registerComputed registers a value that an authentication computes, and marks it as a
// secret. A literal, or a plain reference to the configuration or the request, does not
// become a secret. A short text that a function made ("1", "page") is masked only where a
// request carries it.
func (p expressionSection) registerComputed(register registerFunc, written, computed value.Value) value.Value {
	form, ok := p.references.Parse(written, false)
	switch {
	case !ok && nested(written) && p.references.Any(written, true):
		return registerMarked(register, computed)
	case !ok, form.Literal, form.Is(expr.Attr, expr.Query, expr.Request) && !nested(form.Default):
		return computed
	case computed.IsScalar() && form.Call && !expr.Conceals(computed.Text()):
		return computed.AsSecret()
	default:
		return registerUsed(register, computed)
	}
}

// registerMarked registers the secret parts of a list or an object.
func registerMarked(register registerFunc, v value.Value) value.Value {
	if !nested(v) {
		if v.Secret() {
			return registerUsed(register, v)
		}
		return v
	}
	return v.Map(func(m value.Member) value.Member {
		m.Value = registerMarked(register, m.Value)
		return m
	})
}

// registerUsed registers a value that a request will carry, and marks it as a secret.
func registerUsed(register registerFunc, v value.Value) value.Value {
	switch {
	case !v.IsScalar():
		registerTexts(register, v)
	case len(v.Text()) >= shortest && v.Kind() != value.Bool:
		for _, spelling := range secret.Spellings(v) { // the spellings in a response and in a request
			register(spelling)
		}
	}
	return v.AsSecret()
}
