package webui

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/langservice"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// dots begin the placeholder of a secret. Digits follow that say which secret it is, so that
// it can be moved and copied in the editor.
const dots = "••••••••"

// someDots are found in what is left of a placeholder that was changed by mistake.
const someDots = "•••"

// placeholder is what the editor shows instead of a secret, which is given as JSON. Without
// the key of the store nothing of the secret can be found by it.
func (s *site) placeholder(secret string) string {
	key := s.Store.Key()
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("placeholder\x00" + secret))
	return dots + hex.EncodeToString(mac.Sum(nil)[:4])
}

// hideSecrets replaces the secrets in a JSON text by their placeholders: the values below
// keys that begin with #, and those of the named variables. The rest of the text stays as it
// is. Of a text that is too large for the editor nothing is left.
func (s *site) hideSecrets(text string, names map[string]bool) string {
	if len(text) > langservice.MaxText {
		return value.OfString(dots).JSON()
	}
	return replaceSecrets(text, names, func(_, secret string) string { return secret }, s.placeholder)
}

// hideSaved hides the secrets of a text that was saved as the document. The document has ciphers
// at the pointers of the secrets, and a later save looks for the placeholders of these ciphers.
func (s *site) hideSaved(text string, document json.RawMessage, names map[string]bool) string {
	stored := map[string]string{}
	eachSecret(string(document), names, func(p langservice.Value, secret string) { stored[p.Pointer()] = secret })
	return replaceSecrets(text, names, func(pointer, _ string) string { return stored[pointer] }, s.placeholder)
}

// eachSecret visits each secret of a JSON text, with its JSON text.
func eachSecret(text string, names map[string]bool, visit func(p langservice.Value, secret string)) {
	langservice.New(text).Walk(func(p langservice.Value) bool {
		if !holdsSecret(p, names) {
			return true
		}
		start, end := p.Span()
		visit(p, text[start:end])
		return false
	})
}

// replaceSecrets replaces each secret of a JSON text by the placeholder of its stored form, which
// stored returns for the pointer and the text of the secret.
func replaceSecrets(text string, names map[string]bool, stored func(pointer, secret string) string, placeholder func(string) string) string {
	var b strings.Builder
	done := 0
	eachSecret(text, names, func(p langservice.Value, secret string) {
		start, end := p.Span()
		if kept := stored(p.Pointer(), secret); !harmless(kept) {
			b.WriteString(text[done:start])
			b.WriteString(value.OfString(placeholder(compact(kept))).JSON())
			done = end
		}
	})
	b.WriteString(text[done:])
	return b.String()
}

// holdsSecret reports whether a value is a secret, apart from the values inside of it.
func holdsSecret(p langservice.Value, names map[string]bool) bool {
	if isSecret(p.Name()) {
		return true
	}
	if p.Name() != "value" {
		return false
	}
	name := p.Beside("name")
	return isSecret(name) || names[name]
}

// oneVariable is a text that a variable replaces as a whole.
var oneVariable = regexp.MustCompile(`^\{\{\{?&?\s*[A-Za-z0-9_.-]+\s*\}?\}\}$`)

// harmless reports whether the JSON text below a key with # is no secret: nothing, the name
// of a variable, or that of one of the environment.
func harmless(text string) bool {
	v, err := value.Parse([]byte(text))
	switch {
	case err != nil:
		return false
	case v.Kind() == value.String:
		return v.Raw() == "" || oneVariable.MatchString(v.Raw()) || strings.HasPrefix(v.Raw(), dots)
	case v.Kind() == value.Object:
		return v.Len() == 0 || v.Len() == 1 && v.Field(string(expr.Env)).Kind() == value.String
	default:
		return v.Kind() != value.Number && v.Len() == 0
	}
}

// compact is a JSON text in one form, so that it can be found again.
func compact(text string) string {
	v, err := value.Parse([]byte(text))
	if err != nil {
		return text
	}
	return v.JSON()
}

// secrets are JSON texts by their placeholders.
type secrets map[string]string

// storedSecrets are the secrets of a configuration and its rows.
func (s *site) storedSecrets(c store.Configuration, names map[string]bool) secrets {
	found := secrets{}
	add := func(text []byte) {
		eachSecret(string(text), names, func(_ langservice.Value, secret string) {
			secret = compact(secret)
			found[s.placeholder(secret)] = secret
		})
	}
	add(c.Configuration)
	for _, row := range c.Rows {
		add(row.Configuration)
	}
	return found
}

// decrypted are the same secrets as the component gets them.
func (s *site) decrypted(stored secrets, c store.Configuration) secrets {
	box := encryption.NewBox(s.Store.Key())
	plain := secrets{}
	for placeholder, text := range stored {
		plain[placeholder] = text
		if v, err := value.Parse([]byte(text)); err == nil {
			const key = "#"
			opened, _ := box.Decrypt(queue.Scope(c.Component, c.ID), value.OfMembers(value.Member{Name: key, Value: v}))
			plain[placeholder] = opened.Field(key).JSON()
		}
	}
	return plain
}

// restoredText is a text of the editor with its secrets.
type restoredText struct {
	text string
	// moved are the replaced parts, in their order.
	moved []replacedRange
	// unknown is the first placeholder that could not be replaced.
	unknown struct{ start, end int }
}

// replacedRange is a part that was replaced: it ended at oldEnd, and ends at newEnd.
type replacedRange struct{ oldStart, oldEnd, newStart, newEnd int }

// original is the offset in the text of the editor.
func (f restoredText) original(offset int) int {
	shift := 0
	for _, m := range f.moved {
		if offset < m.newStart {
			break
		}
		if offset < m.newEnd {
			return m.oldStart
		}
		shift = m.oldEnd - m.newEnd
	}
	return offset + shift
}

// fill replaces placeholders by secrets. A placeholder that is unknown or in another place
// than that of a secret is a user error with its place; what is wrong stays.
func (stored secrets) fill(text string, names map[string]bool) (restoredText, error) {
	var b strings.Builder
	var out restoredText
	var problem error
	done := 0
	fail := func(p langservice.Value, err *failure.Error) {
		if problem == nil {
			problem = err.At(p.Pointer())
			out.unknown.start, out.unknown.end = p.Span()
		}
	}
	end := -1 // of the value of a secret key
	langservice.New(text).Walk(func(p langservice.Value) bool {
		start, stop := p.Span()
		if holdsSecret(p, names) {
			end = max(end, stop)
		}
		raw, scalar := p.Scalar()
		if !scalar || !strings.Contains(raw, dots) && (start >= end || !strings.Contains(raw, someDots)) {
			return true
		}
		secret, known := stored[raw]
		switch {
		case start >= end:
			fail(p, failure.Userf("a stored secret can only be used below a key that begins with #"))
		case !known:
			fail(p, failure.Userf("these dots belong to no secret that is stored in this configuration: type the whole value again"))
		default:
			b.WriteString(text[done:start])
			done = stop
			from := b.Len()
			b.WriteString(secret)
			out.moved = append(out.moved, replacedRange{start, stop, from, b.Len()})
		}
		return true
	})
	b.WriteString(text[done:])
	out.text = b.String()
	return out, problem
}

// namesIn are the variables that are secrets in a configuration, or in a text of the editor.
func (s *site) namesIn(c store.Configuration, text []byte) (map[string]bool, error) {
	names, err := s.secretNames(c)
	if err != nil {
		return nil, err
	}
	secretVariables(text, names)
	return names, nil
}

// restoreSecrets is a text of the editor with the secrets that are stored in the
// configuration and its rows, as they are stored: encrypted or not. A placeholder without
// such a secret is a user error.
func (s *site) restoreSecrets(component, id string, text []byte) ([]byte, error) {
	if len(text) > langservice.MaxText {
		return nil, failure.Userf("the text is larger than %d MB", langservice.MaxText>>20)
	}
	c, err := s.Store.Configuration(component, id)
	if err != nil {
		return nil, err
	}
	names, err := s.namesIn(c, text)
	if err != nil {
		return nil, err
	}
	f, err := s.storedSecrets(c, names).fill(string(text), names)
	return []byte(f.text), err
}
