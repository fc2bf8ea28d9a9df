package platformapi

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// The parameter q of the list of events is a query:
//
//	word              the message or the description contains it, in any case
//	"two words"       they contain the phrase
//	type:error        the field equals it; message: and description: contain it
//	component:acme.*  the field begins with it
//	a AND b, a b      both match; also +a
//	a OR b            at least one matches; AND binds closer
//	NOT a, -a         a does not match
//	(a OR b) AND c    parentheses group terms
const (
	maxEventQuery = 1000 // bytes
	maxParens     = 20   // maximum nesting of parentheses and NOT
)

func eventFields() map[string]func(store.Event) string {
	return map[string]func(store.Event) string{
		"id":              func(e store.Event) string { return e.ID },
		"type":            func(e store.Event) string { return e.Type },
		"component":       func(e store.Event) string { return e.Component },
		"runId":           func(e store.Event) string { return e.RunID },
		"configurationId": func(e store.Event) string { return e.ConfigurationID },
		"event":           func(e store.Event) string { return eventName(e) },
		"message":         func(e store.Event) string { return e.Message },
		"description":     func(e store.Event) string { return e.Description },
	}
}

// eventMatcher reports whether an event matches a query.
type eventMatcher func(store.Event) bool

func parseEventQuery(text string) (eventMatcher, error) {
	if len(text) > maxEventQuery {
		return nil, invalid("Failed to parse query: it is longer than %d bytes", maxEventQuery)
	}
	p := &eventQuery{text: text}
	p.next()
	wanted := p.parseOr(0)
	if p.err == nil && p.token != "" {
		p.fail("unexpected %q", p.token)
	}
	return wanted, p.err
}

// eventQuery is the state of the query parser. token is the next token: a parenthesis, AND,
// OR, NOT, + or -, or a term. It is "" at the end.
type eventQuery struct {
	text  string
	token string
	term  bool // whether the token is a term
	err   error
}

func (p *eventQuery) fail(format string, args ...any) {
	if p.err == nil {
		p.err = invalid("Failed to parse query: "+format, args...)
	}
	p.text, p.token, p.term = "", "", false
}

// next reads the next token. A phrase keeps its quotes, so a word in quotes is a term even
// if it is an operator.
func (p *eventQuery) next() {
	p.text = strings.TrimLeft(p.text, " \t\r\n")
	p.token, p.term = "", false
	if p.text == "" {
		return
	}
	if strings.ContainsRune("()+-", rune(p.text[0])) {
		p.token, p.text = p.text[:1], p.text[1:]
		return
	}
	quoted := false
	end := strings.IndexFunc(p.text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && strings.ContainsRune(" \t\r\n()", r)
	})
	if end < 0 {
		end = len(p.text)
	}
	if quoted && end == len(p.text) {
		p.fail("a phrase has no closing quote")
		return
	}
	p.token, p.text = p.text[:end], p.text[end:]
	p.term = !slices.Contains([]string{"AND", "OR", "NOT", "&&", "||"}, p.token)
}

func (p *eventQuery) parseOr(depth int) eventMatcher {
	wanted := p.parseAnd(depth)
	for p.token == "OR" || p.token == "||" {
		p.next()
		left, right := wanted, p.parseAnd(depth)
		wanted = func(e store.Event) bool { return left(e) || right(e) }
	}
	return wanted
}

func (p *eventQuery) parseAnd(depth int) eventMatcher {
	wanted := p.parseUnary(depth)
	for p.token != "" && p.token != ")" && p.token != "OR" && p.token != "||" {
		if p.token == "AND" || p.token == "&&" {
			p.next()
		}
		left, right := wanted, p.parseUnary(depth)
		wanted = func(e store.Event) bool { return left(e) && right(e) }
	}
	return wanted
}

func (p *eventQuery) parseUnary(depth int) eventMatcher {
	switch {
	case p.token == "NOT" || p.token == "-":
		if depth++; depth > maxParens {
			p.fail("it is nested deeper than %d levels", maxParens)
		}
		p.next()
		wanted := p.parseUnary(depth)
		return func(e store.Event) bool { return !wanted(e) }
	case p.token == "+":
		p.next()
		if p.token == "+" {
			p.fail(`unexpected "+"`)
		}
		return p.parseUnary(depth)
	case p.token == "(":
		if depth++; depth > maxParens {
			p.fail("it is nested deeper than %d levels", maxParens)
		}
		p.next()
		wanted := p.parseOr(depth)
		if p.token != ")" {
			p.fail("a parenthesis is not closed")
		}
		p.next()
		return wanted
	case !p.term:
		p.fail("a word is missing")
		return func(store.Event) bool { return false }
	}
	term := p.token
	p.next()
	return p.parseTerm(term)
}

// parseTerm parses a term: a word or a phrase, with or without a field.
func (p *eventQuery) parseTerm(term string) eventMatcher {
	nothing := func(store.Event) bool { return false }
	name, text, named := strings.Cut(term, ":")
	if strings.HasPrefix(term, `"`) || !named {
		name, text, named = "", term, false
	}
	phrase := strings.HasPrefix(text, `"`)
	if phrase && (len(text) < 2 || !strings.HasSuffix(text, `"`)) {
		p.fail("%q has quotes in the middle", term)
		return nothing
	}
	text = strings.ToLower(strings.Trim(text, `"`))
	word, prefix := strings.CutSuffix(text, "*")
	if phrase {
		word, prefix = text, false
	}
	switch {
	case named && eventFields()[name] == nil:
		p.fail("unknown field %q, expected id, type, component, runId, configurationId, event, message or description", name)
		return nothing
	case word == "":
		p.fail("%q has no text", term)
		return nothing
	case !phrase && strings.ContainsAny(word, `*?/~^[]{}"\`):
		p.fail("%q has a character with a meaning that is not supported, put it into quotes", term)
		return nothing
	case !named:
		return func(e store.Event) bool {
			return strings.Contains(strings.ToLower(e.Message), word) || strings.Contains(strings.ToLower(e.Description), word)
		}
	}
	field := eventFields()[name]
	return func(e store.Event) bool {
		found := strings.ToLower(field(e))
		switch {
		case name == "message" || name == "description":
			return strings.Contains(found, word)
		case prefix:
			return strings.HasPrefix(found, word)
		default:
			return found == word
		}
	}
}
