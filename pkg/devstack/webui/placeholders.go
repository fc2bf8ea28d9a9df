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

// dots begin the placeholder of a secret. The digits after them identify the secret, so
// that the placeholder can be moved and copied in the editor.
const dots = "••••••••"

// someDots detects a placeholder that was changed by mistake.
const someDots = "•••"

// placeholder returns the text that the editor shows instead of a secret, which is given
// as JSON. The placeholder does not reveal the secret without the key of the store.
func (s *site) placeholder(secret string) string {
	key := s.Store.Key()
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("placeholder\x00" + secret))
	return dots + hex.EncodeToString(mac.Sum(nil)[:4])
}

// hideSecrets replaces the secrets in a JSON text by placeholders: the values below keys
// that begin with #, and the values of the named variables. The rest of the text stays
// unchanged. A text that is too large for the editor is replaced completely.
func (s *site) hideSecrets(text string, names map[string]bool) string {
	if len(text) > langservice.MaxText {
		return value.OfString(dots).JSON()
	}
	return s.replaceSecrets(text, names, nil)
}

// hideSaved hides the secrets of a text after it was saved as document. document has
// ciphers at the pointers of the secrets. The placeholders are made from the ciphers,
// because a later save looks for them.
func (s *site) hideSaved(text string, document json.RawMessage, names map[string]bool) string {
	stored := map[string]string{}
	eachSecret(string(document), names, func(p langservice.Value, secret string) { stored[p.Pointer()] = secret })
	return s.replaceSecrets(text, names, stored)
}

// eachSecret calls visit with each secret of a JSON text and its JSON.
func eachSecret(text string, names map[string]bool, visit func(p langservice.Value, secret string)) {
	langservice.New(text).Walk(func(p langservice.Value) bool {
		if !holdsSecret(p, names) {
			return true
		}
		visit(p, text[p.Start:p.End])
		return false
	})
}

// replaceSecrets replaces the secrets of a JSON text by placeholders. stored contains the
// stored JSON of the secrets by their pointers. If it is nil, the text contains them.
func (s *site) replaceSecrets(text string, names map[string]bool, stored map[string]string) string {
	var b strings.Builder
	done := 0
	eachSecret(text, names, func(p langservice.Value, secret string) {
		if stored != nil {
			secret = stored[p.Pointer()]
		}
		if !harmless(secret) {
			b.WriteString(text[done:p.Start])
			b.WriteString(value.OfString(s.placeholder(compact(secret))).JSON())
			done = p.End
		}
	})
	b.WriteString(text[done:])
	return b.String()
}

// holdsSecret reports whether a value itself is a secret. It does not look at the values
// inside of it.
func holdsSecret(p langservice.Value, names map[string]bool) bool {
	if isSecret(p.Name) {
		return true
	}
	if p.Name != "value" {
		return false
	}
	name := p.Beside("name")
	return isSecret(name) || names[name]
}

// oneVariable matches a text that consists of one variable.
var oneVariable = regexp.MustCompile(`^\{\{\{?&?\s*[A-Za-z0-9_.-]+\s*\}?\}\}$`)

// harmless reports whether the JSON text below a key with # is not a secret: an empty
// value, true or false, a variable, a placeholder, or an environment variable.
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

// compact returns the canonical form of a JSON text, so that equal values have equal
// texts.
func compact(text string) string {
	v, err := value.Parse([]byte(text))
	if err != nil {
		return text
	}
	return v.JSON()
}

// secrets maps placeholders to the JSON texts of secrets.
type secrets map[string]string

// storedSecrets returns the secrets of a configuration and its rows.
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

// decrypted returns the secrets as the component gets them.
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

// restoredText is a text of the editor with its secrets restored.
type restoredText struct {
	text string
	// moved are the replaced ranges, in order.
	moved []replacedRange
	// unknown is the range of the first placeholder that could not be replaced.
	unknown struct{ start, end int }
}

// replacedRange is a range before and after its text was replaced.
type replacedRange struct{ oldStart, oldEnd, newStart, newEnd int }

// original converts an offset in text to an offset in the text of the editor.
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

// fill replaces placeholders by secrets. A placeholder that is unknown, or that is not
// below a key for a secret, stays unchanged. The first of them is a user error with its
// pointer.
func (stored secrets) fill(text string, names map[string]bool) (restoredText, error) {
	var b strings.Builder
	var out restoredText
	var problem error
	done := 0
	fail := func(p langservice.Value, err *failure.Error) {
		if problem == nil {
			problem = err.At(p.Pointer())
			out.unknown.start, out.unknown.end = p.Start, p.End
		}
	}
	end := -1 // end of the value of the last secret key
	langservice.New(text).Walk(func(p langservice.Value) bool {
		if holdsSecret(p, names) {
			end = max(end, p.End)
		}
		raw, scalar := p.Scalar()
		if !scalar || !strings.Contains(raw, dots) && (p.Start >= end || !strings.Contains(raw, someDots)) {
			return true
		}
		secret, known := stored[raw]
		switch {
		case p.Start >= end:
			fail(p, failure.Userf("a stored secret can only be used below a key that begins with #"))
		case !known:
			fail(p, failure.Userf("these dots do not match a secret stored in this configuration: type the whole value again"))
		default:
			b.WriteString(text[done:p.Start])
			done = p.End
			from := b.Len()
			b.WriteString(secret)
			out.moved = append(out.moved, replacedRange{p.Start, p.End, from, b.Len()})
		}
		return true
	})
	b.WriteString(text[done:])
	out.text = b.String()
	return out, problem
}

// namesIn returns the variables with secret values, in a configuration or in a text of
// the editor.
func (s *site) namesIn(c store.Configuration, text []byte) (map[string]bool, error) {
	names, err := s.secretNames(c)
	if err != nil {
		return nil, err
	}
	secretVariables(text, names)
	return names, nil
}

// restoreSecrets returns a text of the editor with the stored secrets of the
// configuration and its rows. Secrets are as stored: encrypted or not. A placeholder
// without a stored secret is a user error.
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
