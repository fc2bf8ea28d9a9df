package auth

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shortest is the length from which any text of a login's response is masked. A
// shorter one (a status "ok", a count) is masked only where a request carries
// it: it would make every message unreadable.
const shortest = 4

// maxTexts is how many texts the response of a login may have: all of them are kept
// in memory, as hashes.
const maxTexts = 1 << 16

// registerFunc keeps a secret out of every event: for good, as long as tokens come and
// go, or for a request (secret.Registry has a method for each).
type registerFunc func(secret string)

// registerTexts hides all texts of a value.
func registerTexts(hide registerFunc, v value.Value) {
	for _, text := range secretTexts(v, "", 0) {
		hide(text)
	}
}

// secretTexts are all texts of a value that are secret when it is: every leaf, what is
// in one that holds JSON or parameters itself, and names that are data. The path
// of the time at which the credentials end is left out; it is not a secret. depth is how many texts around this value were JSON.
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

// textsIn are the secrets in a secret text that is JSON, or parameters as in a form.
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

// concealComputed hides what an authentication computes, and marks it as a secret.
// What was written as it is, or as a mere reference to the configuration or to the
// request, is no secret by that. A short text that a function made ("1", "page") is
// masked only where a request carries it.
func (p expressionSection) concealComputed(hide registerFunc, written, computed value.Value) value.Value {
	form, ok := p.references.Parse(written, false)
	switch {
	case !ok && nested(written) && p.references.Any(written, true):
		return concealMarked(hide, computed)
	case !ok, form.Literal, form.Is(expr.Attr, expr.Query, expr.Request) && !nested(form.Default):
		return computed
	case computed.IsScalar() && form.Call && !expr.Conceals(computed.Text()):
		return computed.AsSecret()
	default:
		return concealUsed(hide, computed)
	}
}

// concealMarked hides the parts of a list or an object that are secrets.
func concealMarked(hide registerFunc, v value.Value) value.Value {
	if !nested(v) {
		if v.Secret() {
			return concealUsed(hide, v)
		}
		return v
	}
	return v.Map(func(m value.Member) value.Member {
		m.Value = concealMarked(hide, m.Value)
		return m
	})
}

// concealUsed hides what a login returned and a request will carry, and marks it as
// a secret.
func concealUsed(hide registerFunc, v value.Value) value.Value {
	switch {
	case !v.IsScalar():
		registerTexts(hide, v)
	case len(v.Text()) >= shortest && v.Kind() != value.Bool:
		for _, spelling := range secret.Spellings(v) { // of the response, and of a request
			hide(spelling)
		}
	}
	return v.AsSecret()
}
