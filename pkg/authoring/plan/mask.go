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

// mask hides secrets and gives names to what only a run will know.
type mask struct {
	// secrets are all of them, own those of the document.
	secrets, own *secret.Registry
	named        []namedSecret
	standIns     []standIn
	anyStandIn   *secret.Registry
	plain        []string // texts that are in the document for everyone to see
}

// namedSecret is a secret of the document with the name of its key, and what a shell
// may call it.
type namedSecret struct{ text, name, variable string }

// standIn is a text in the place of one that no one knows yet.
type standIn struct {
	text, name string
	is         *secret.Registry // itself and its spellings
}

// piece is a part of a text. A masked one shows a name.
type piece struct {
	shown  string
	masked bool
	// variable is what a shell may call it, and what says what it is.
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

// unprotected adds a secret that is in a document without a hash
// sign. It is hidden too: what is shown here is made to be passed on.
func (m *mask) unprotected(doc value.Value, pointer string) {
	secret := doc.Lookup(failure.PointerSplit(pointer)).Raw()
	m.add(secret)
	m.name(secret, pointer[strings.LastIndex(pointer, "/")+1:])
}

// name gives a secret a name that no other one has.
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

// plainTexts are the texts that are not below a key with a hash sign.
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

// firstStandIn is a number of 15 digits: text for functions of texts, a number
// for those of numbers, a moment for those of times, and part of any address.
const firstStandIn = 417263958200001

// standIn is the stand-in of that name.
func (m *mask) standIn(name string) string {
	at := slices.IndexFunc(m.standIns, func(s standIn) bool { return s.name == name })
	if at < 0 {
		at = len(m.standIns)
	}
	text := fmt.Sprint(firstStandIn + at)
	if at == len(m.standIns) {
		is := &secret.Registry{}
		is.Add(text)
		m.anyStandIn.Add(text)
		m.standIns = append(m.standIns, standIn{text, name, is})
	}
	return text
}

// text is a text as it may be shown.
func (m *mask) text(text string) string { return shown(m.pieces(text)) }

func shown(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.shown)
	}
	return b.String()
}

// pieces are the parts of a text in their order. Some, given in their order, are
// secrets because of what they were made of.
func (m *mask) pieces(text string, made ...secret.Span) []piece {
	var all []piece
	from := 0
	known := m.secrets.MaskedSpans(text)
	for _, s := range known {
		all = append(all, m.between(text, secret.Span{From: from, To: s.From}, known, made)...)
		all = append(all, m.hidden(text[s.From:s.To])...)
		from = s.To
	}
	return append(all, m.between(text, secret.Span{From: from, To: len(text)}, known, made)...)
}

// between are the pieces of a part of a text without a known secret.
func (m *mask) between(text string, part secret.Span, known, made []secret.Span) []piece {
	var all []piece
	from := part.From
	for _, s := range made {
		begin, end := max(s.From, from), min(s.To, part.To)
		if begin >= end {
			continue
		}
		all = append(all, m.names(text[from:begin], true)...)
		all = append(all, m.maskComputed(text[begin:end], text[s.From:s.To], s, known)...)
		from = end
	}
	return append(all, m.names(text[from:part.To], true)...)
}

// maskComputed is a part of a text that was made of secrets. When one of them can be seen
// in it, or what no one knows yet, what is beside that in the document for
// everyone is shown; else nothing is.
func (m *mask) maskComputed(part, whole string, at secret.Span, known []secret.Span) []piece {
	within := func(s secret.Span) bool { return s.From < at.To && at.From < s.To }
	if m.anyStandIn.Find(whole) != nil || slices.ContainsFunc(known, within) && m.isWritten(part) {
		return m.names(part, false)
	}
	return []piece{m.secret(part)}
}

// hidden is a secret. In one that was computed from what no one knows yet the
// unknown has its name, and what is in the document for everyone is no
// secret.
func (m *mask) hidden(text string) []piece {
	if m.anyStandIn.Find(text) != nil {
		return m.names(text, false)
	}
	return []piece{m.secret(text)}
}

// names is a text with the names of stand-ins; the rest is open, or is shown
// only when it is in the document for everyone.
func (m *mask) names(text string, open bool) []piece {
	var all []piece
	rest := func(text string) {
		switch {
		case text == "":
		case open || m.isPlain(text):
			all = append(all, piece{shown: text})
		default:
			all = append(all, m.secret(text))
		}
	}
	from := 0
	for _, s := range m.anyStandIn.Find(text) {
		rest(text[from:s.From])
		for _, one := range m.standIns {
			if one.is.Find(text[s.From:s.To]) != nil {
				all = append(all, m.unknown(one, text[s.From:s.To]))
			}
		}
		from = s.To
	}
	rest(text[from:])
	return all
}

// unknown is a stand-in in some spelling.
func (m *mask) unknown(one standIn, spelling string) piece {
	p := piece{masked: true, variable: variable(one.name), what: one.name}
	if spelling != one.text {
		p.variable, p.what = p.variable+"_ENCODED", one.name+", encoded"
	}
	p.shown = "{" + m.secrets.Mask(p.what) + "}"
	return p
}

// isPlain reports whether a text is part of one that is in the document for
// everyone to see, and holds no secret of the document.
func (m *mask) isPlain(text string) bool {
	if decoded, err := url.QueryUnescape(text); err == nil {
		text = decoded
	}
	if m.own.Find(text) != nil || slices.ContainsFunc(m.named, func(n namedSecret) bool { return n.text == text }) { // own does not find short secrets
		return false
	}
	return slices.ContainsFunc(m.plain, func(s string) bool { return strings.Contains(s, text) })
}

// isWritten is isPlain for what is more than a character or two, which are in
// every document.
func (m *mask) isWritten(text string) bool {
	return m.isPlain(text) && (len(text) >= wordBytes || slices.Contains(m.plain, text))
}

// wordBytes is the length from which a text is not found in a document by chance.
const wordBytes = 4

// computed is the variable of a secret that no key of the document holds.
const computed = ""

// secret is a piece that is hidden, with the name of the key it comes from.
func (m *mask) secret(text string) piece {
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

// variable is a name as a shell may have it. What follows the first word of an
// explanation is left out.
func variable(name string) string {
	name, _, _ = strings.Cut(name, " ←")
	name, _, _ = strings.Cut(name, ", or ")
	name = strings.Trim(notInVariable.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" || name[0] <= '9' {
		name = "V_" + name
	}
	return name
}

// header is the text of a header, perhaps made of secrets. One that proves who we
// are, and of which nothing is known to be secret, is hidden as a whole but for its
// scheme.
func (m *mask) header(name, text string, made bool) []piece {
	var spans []secret.Span
	if made {
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
		p := m.secret(secret)
		p.what = "what the header " + name + " holds"
		return []piece{{shown: scheme}, p}
	}
	return pieces
}
