package plan

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// mask hides secrets and names values that only a run will know.
type mask struct {
	// secrets are all secrets, including secrets that the dry run computes. own are the
	// secrets of the document, the state and the options.
	secrets, own *secret.Registry
	named        []namedSecret
	standIns     []standIn
	anyStandIn   *secret.Registry
	plain        []string // texts of the document that are not below a key with a hash sign
}

// namedSecret is a secret of the document with the name of its key. variable is the name
// for a shell variable.
type namedSecret struct{ text, name, variable string }

// standIn is a text that represents an unknown value.
type standIn struct {
	text, name string
	forms      *secret.Registry // text in all its encodings
}

// pieces are the parts of a text in their order.
type pieces []piece

// piece is a part of a text.
type piece struct {
	shown string
	// what describes a masked part. It is "" for a part that is not masked.
	what string
	// variable is the name for a shell variable.
	variable string
}

func (all pieces) String() string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.shown)
	}
	return b.String()
}

// MarshalText implements encoding.TextMarshaler.
func (all pieces) MarshalText() ([]byte, error) { return []byte(all.String()), nil }

func (all pieces) masked() bool {
	return slices.ContainsFunc(all, func(p piece) bool { return p.what != "" })
}

func newMask(token string) *mask {
	m := &mask{secrets: &secret.Registry{}, own: &secret.Registry{}, anyStandIn: &secret.Registry{}}
	m.add(token)
	return m
}

// addSecrets adds the secrets of a document and of a state.
func (m *mask) addSecrets(doc, state value.Value) {
	for _, text := range secret.SecretsIn(state) {
		m.add(text)
	}
	for pointer, text := range secret.SecretsIn(doc) {
		m.add(text)
		m.name(text, pointer[strings.Index(pointer, "/#")+1:])
	}
	m.plain = plainTexts(doc, nil)
}

// addUnprotected adds a secret that the document has under a key without a hash sign. It
// is hidden, too, because users share the output.
func (m *mask) addUnprotected(doc value.Value, pointer string) {
	secret := doc.Lookup(failure.PointerSplit(pointer)).Raw()
	m.add(secret)
	m.name(secret, pointer[strings.LastIndex(pointer, "/")+1:])
}

// name assigns a unique variable name to a secret.
func (m *mask) name(secret, name string) {
	if slices.ContainsFunc(m.named, func(n namedSecret) bool { return n.text == secret }) {
		return
	}
	used := func(variable string) bool {
		return slices.ContainsFunc(m.named, func(n namedSecret) bool { return n.variable == variable })
	}
	m.named = append(m.named, namedSecret{secret, name, unique(variable(name), used)})
}

func (m *mask) add(secret string) {
	m.secrets.Add(secret)
	m.own.Add(secret)
}

// plainTexts appends the texts that are not below a key with a hash sign.
func plainTexts(v value.Value, all []string) []string {
	if v.Kind() == value.String {
		return append(all, v.Raw())
	}
	for name, entry := range v.Entries() {
		if !strings.HasPrefix(name, "#") {
			all = plainTexts(entry, all)
		}
	}
	return all
}

// firstStandIn is a number of 15 digits. All functions accept it: it is a text, a number
// and a time, and it can be part of any URL.
const firstStandIn = 417263958200001

// standIn returns the stand-in with this name.
func (m *mask) standIn(name string) string {
	if at := slices.IndexFunc(m.standIns, func(s standIn) bool { return s.name == name }); at >= 0 {
		return m.standIns[at].text
	}
	one := standIn{fmt.Sprint(firstStandIn + len(m.standIns)), name, &secret.Registry{}}
	one.forms.Add(one.text)
	m.anyStandIn.Add(one.text)
	m.standIns = append(m.standIns, one)
	return one.text
}

func (m *mask) text(text string) string { return m.pieces(text).String() }

// pieces splits a text into pieces. derived are the ranges, in order, that were computed
// from secrets. pieces hides known secrets and derived ranges, with two exceptions:
//
//   - A stand-in in such a range is replaced by its name. The texts beside it are shown if
//     they are in the document.
//   - If a derived range contains a known secret, only the secret is hidden, and the texts
//     beside it that are not words of the document.
func (m *mask) pieces(text string, derived ...secret.Span) pieces {
	var all pieces
	known := m.secrets.MaskedSpans(text)
	for from, to := 0, 0; from < len(text); from = to {
		in, end := spanAt(known, from, len(text))
		shown, open := true, in == nil
		if to = end; in != nil {
			shown = m.anyStandIn.Find(text[from:to]) != nil
		} else if in, to = spanAt(derived, from, end); in != nil {
			within := func(s secret.Span) bool { return s.From < in.To && in.From < s.To }
			part := text[from:to]
			isWord := len(part) >= 4 || slices.Contains(m.plain, part) // fewer bytes are in a document by chance
			shown = m.anyStandIn.Find(text[in.From:in.To]) != nil || slices.ContainsFunc(known, within) && isWord && m.isPlain(part)
			open = false
		}
		if shown {
			all = append(all, m.nameStandIns(text[from:to], open)...)
		} else {
			all = append(all, m.secretPiece(text[from:to]))
		}
	}
	return all
}

// spanAt returns the span around an offset, or nil, and the end of the range from this
// offset that is completely in this span, or in no span. The end is at most limit.
func spanAt(spans []secret.Span, at, limit int) (*secret.Span, int) {
	for i, s := range spans {
		switch {
		case at < s.From:
			return nil, min(s.From, limit)
		case at < s.To:
			return &spans[i], min(s.To, limit)
		}
	}
	return nil, limit
}

// nameStandIns replaces stand-ins in a text by their names. If open is false, the rest of
// the text is shown only if it is in the document.
func (m *mask) nameStandIns(text string, open bool) pieces {
	var all pieces
	rest := func(text string) {
		switch {
		case text == "":
		case open || m.isPlain(text):
			all = append(all, piece{shown: text})
		default:
			all = append(all, m.secretPiece(text))
		}
	}
	from := 0
	for _, s := range m.anyStandIn.Find(text) {
		rest(text[from:s.From])
		from = s.To
		for _, one := range m.standIns {
			spelling := text[s.From:s.To]
			if one.forms.Find(spelling) == nil {
				continue
			}
			p := piece{variable: variable(one.name), what: one.name}
			if spelling != one.text {
				p.variable, p.what = p.variable+"_ENCODED", one.name+", encoded"
			}
			p.what = m.secrets.Mask(p.what)
			p.shown = "{" + p.what + "}"
			all = append(all, p)
		}
	}
	rest(text[from:])
	return all
}

// isPlain reports whether a text is part of a plain text of the document and has no
// secret of the document.
func (m *mask) isPlain(text string) bool {
	if decoded, err := url.QueryUnescape(text); err == nil {
		text = decoded
	}
	if m.own.Find(text) != nil || slices.ContainsFunc(m.named, func(n namedSecret) bool { return n.text == text }) { // own ignores short secrets
		return false
	}
	return slices.ContainsFunc(m.plain, func(s string) bool { return strings.Contains(s, text) })
}

// computed is the variable of a secret that is not the value of a key.
const computed = ""

// secretPiece returns the piece for a secret, with the name of its key.
func (m *mask) secretPiece(text string) piece {
	for _, n := range m.named {
		switch name := m.secrets.Mask(n.name); text {
		case n.text:
			return piece{secret.Hidden, name, n.variable}
		case url.QueryEscape(n.text), url.PathEscape(n.text), php.RawURLEncode(n.text):
			return piece{secret.Hidden, name + ", percent-encoded", n.variable + "_ENCODED"}
		}
	}
	return piece{secret.Hidden, "a computed value that is not shown", computed}
}

var notInVariable = regexp.MustCompile(`[^A-Z0-9]+`)

// variable converts a name to the name of a shell variable. It drops explanations after
// the name.
func variable(name string) string {
	name, _, _ = strings.Cut(name, " ←")
	name, _, _ = strings.Cut(name, ", or ")
	name = strings.Trim(notInVariable.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" || name[0] <= '9' {
		name = "V_" + name
	}
	return name
}
