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

// piece is a part of a text. A masked piece shows a name.
type piece struct {
	shown  string
	masked bool
	// variable is the name for a shell variable. what describes the piece.
	variable, what string
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
	first := variable(name)
	unique := first
	for i := 2; slices.ContainsFunc(m.named, func(n namedSecret) bool { return n.variable == unique }); i++ {
		unique = fmt.Sprintf("%s_%d", first, i)
	}
	m.named = append(m.named, namedSecret{secret, name, unique})
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
	for _, item := range v.Items() {
		all = plainTexts(item, all)
	}
	for _, member := range v.Members() {
		if !strings.HasPrefix(member.Name, "#") {
			all = plainTexts(member.Value, all)
		}
	}
	return all
}

// firstStandIn is a number of 15 digits. All functions accept it: it is a text, a number
// and a time, and it can be part of any URL.
const firstStandIn = 417263958200001

// standIn returns the stand-in with this name.
func (m *mask) standIn(name string) string {
	at := slices.IndexFunc(m.standIns, func(s standIn) bool { return s.name == name })
	if at < 0 {
		at = len(m.standIns)
	}
	text := fmt.Sprint(firstStandIn + at)
	if at == len(m.standIns) {
		forms := &secret.Registry{}
		forms.Add(text)
		m.anyStandIn.Add(text)
		m.standIns = append(m.standIns, standIn{text, name, forms})
	}
	return text
}

// text masks a text.
func (m *mask) text(text string) string { return shown(m.pieces(text)) }

func shown(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.shown)
	}
	return b.String()
}

// pieces splits a text into pieces. derived are the ranges, in order, that were computed
// from secrets.
func (m *mask) pieces(text string, derived ...secret.Span) []piece {
	var all []piece
	from := 0
	known := m.secrets.MaskedSpans(text)
	for _, s := range known {
		all = append(all, m.between(text, secret.Span{From: from, To: s.From}, known, derived)...)
		all = append(all, m.hidden(text[s.From:s.To])...)
		from = s.To
	}
	return append(all, m.between(text, secret.Span{From: from, To: len(text)}, known, derived)...)
}

// between splits a part of a text without registered secrets into pieces.
func (m *mask) between(text string, part secret.Span, known, derived []secret.Span) []piece {
	var all []piece
	from := part.From
	for _, s := range derived {
		begin, end := max(s.From, from), min(s.To, part.To)
		if begin >= end {
			continue
		}
		all = append(all, m.nameStandIns(text[from:begin], true)...)
		all = append(all, m.maskComputed(text[begin:end], text[s.From:s.To], s, known)...)
		from = end
	}
	return append(all, m.nameStandIns(text[from:part.To], true)...)
}

// maskComputed splits a range that was computed from secrets. Texts of the document in it
// are shown if the computed text contains a stand-in, or if it contains a known secret
// and the range is in the document. Otherwise the range is hidden.
func (m *mask) maskComputed(part, whole string, at secret.Span, known []secret.Span) []piece {
	within := func(s secret.Span) bool { return s.From < at.To && at.From < s.To }
	if m.anyStandIn.Find(whole) != nil || slices.ContainsFunc(known, within) && m.isPlainWord(part) {
		return m.nameStandIns(part, false)
	}
	return []piece{m.secretPiece(part)}
}

// hidden splits a secret. If the secret was computed from a stand-in, the name of the
// stand-in and texts of the document are shown.
func (m *mask) hidden(text string) []piece {
	if m.anyStandIn.Find(text) != nil {
		return m.nameStandIns(text, false)
	}
	return []piece{m.secretPiece(text)}
}

// nameStandIns replaces stand-ins in a text by their names. If open is false, the rest of
// the text is shown only if it is in the document.
func (m *mask) nameStandIns(text string, open bool) []piece {
	var all []piece
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
		for _, one := range m.standIns {
			if one.forms.Find(text[s.From:s.To]) != nil {
				all = append(all, m.standInPiece(one, text[s.From:s.To]))
			}
		}
		from = s.To
	}
	rest(text[from:])
	return all
}

// standInPiece returns the piece for a stand-in in some encoding.
func (m *mask) standInPiece(one standIn, spelling string) piece {
	p := piece{masked: true, variable: variable(one.name), what: one.name}
	if spelling != one.text {
		p.variable, p.what = p.variable+"_ENCODED", one.name+", encoded"
	}
	p.shown = "{" + m.secrets.Mask(p.what) + "}"
	return p
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

// isPlainWord reports whether a text is plain and not just a few characters, which occur
// in every document.
func (m *mask) isPlainWord(text string) bool {
	return m.isPlain(text) && (len(text) >= wordBytes || slices.Contains(m.plain, text))
}

// wordBytes is the minimum length, in bytes, of a text that is not in a document by
// chance.
const wordBytes = 4

// computed is the variable of a secret that is not the value of a key.
const computed = ""

// secretPiece returns the piece for a secret, with the name of its key.
func (m *mask) secretPiece(text string) piece {
	p := piece{shown: secret.Hidden, masked: true, variable: computed, what: "a secret that was computed"}
	for _, n := range m.named {
		switch text {
		case n.text:
			p.variable, p.what = n.variable, n.name
			return p
		case url.QueryEscape(n.text), url.PathEscape(n.text), php.RawURLEncode(n.text):
			p.variable, p.what = n.variable+"_ENCODED", n.name+", percent-encoded"
			return p
		}
	}
	return p
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

// header splits the text of a header into pieces. derived reports whether the text was
// computed from secrets. If a header with credentials has no known secret, its whole text
// except for the scheme is hidden.
func (m *mask) header(name, text string, derived bool) []piece {
	var spans []secret.Span
	if derived {
		spans = append(spans, secret.Span{From: 0, To: len(text)})
	}
	pieces := m.pieces(text, spans...)
	masked := slices.ContainsFunc(pieces, func(p piece) bool { return p.masked })
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie":
		if masked || text == "" {
			return pieces
		}
		scheme, secret, ok := strings.Cut(text, " ")
		if !ok || strings.EqualFold(name, "cookie") {
			scheme, secret = "", text
		} else {
			scheme += " "
		}
		p := m.secretPiece(secret)
		p.what = "what the header " + name + " holds"
		return []piece{{shown: scheme}, p}
	}
	return pieces
}
