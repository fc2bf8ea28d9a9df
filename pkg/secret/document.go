package secret

import (
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// MostShown is how many characters of a text from a document a message may show
// (see prose.Shorten): AddDocument masks beginnings of secrets up to this length.
const MostShown = 60

// AddDocument puts every secret of a document into the set, and what is left of
// one in a message about the document: variables and expressions can bring a
// secret to any place, and what stands there is shortened before it is masked.
func (r *Registry) AddDocument(doc value.Value) {
	for _, secret := range In(doc) {
		r.AddConfigured(secret)
	}
}

// AddConfigured is AddDocument for a single secret.
func (r *Registry) AddConfigured(secret string) {
	r.Add(secret)
	r.addCut(secret)
}

// addCut adds the beginnings of a secret, each with the mark of a text that was
// shortened behind it, and the secret as an address without query or user.
func (r *Registry) addCut(secret string) {
	const mark = "…"
	shown := []string{secret}
	if path, _, ok := strings.Cut(secret, "?"); ok {
		shown = append(shown, path+"?"+Hidden)
	}
	if at := strings.LastIndexByte(secret, '@'); at >= 0 {
		shown = append(shown, Hidden+secret[at:])
	}
	for _, text := range shown {
		r.AddPart(text)
		runes := []rune(text)
		for n := wordCharacters; n < min(len(runes), MostShown+1); n++ {
			r.AddPart(string(runes[:n]) + mark)
		}
	}
}

// In yields every text and number below a key that begins with #, with
// its JSON pointer, in the order of the document: a number in all its spellings.
func In(doc value.Value) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) { walker{yield: yield}.walk(doc, "") }
}

// Problems are the same problems with the secrets masked in their pointers and in
// what they quote.
func (r *Registry) Problems(problems failure.Problems) failure.Problems {
	masked := slices.Clone(problems)
	for i := range masked {
		p := &masked[i]
		p.Pointer = r.Redact(p.Pointer)
		p.Found, p.Expected, p.Hint = p.Found.Mask(r.Redact), p.Expected.Mask(r.Redact), p.Hint.Mask(r.Redact)
	}
	return masked
}

// Spellings are the texts that a scalar may become: itself, and a number as the
// original writes it into addresses, into JSON, and in functions.
func Spellings(v value.Value) []string {
	all := []string{v.Raw()}
	f, ok := v.Float()
	if !ok || v.IsInteger() || math.IsInf(f, 0) {
		return all
	}
	shortest := php.Double(f, 0)
	for _, text := range []string{v.Text(), shortest, strings.ToLower(shortest)} {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// walker yields the secrets of a document.
type walker struct {
	// secret is set below a key that begins with #, remembering below the key remember.
	secret, remembering bool
	yield               func(string, string) bool
}

// walk reports whether the walk goes on.
func (w walker) walk(v value.Value, pointer string) bool {
	if k := v.Kind(); w.secret && (k == value.String || k == value.Number) {
		for _, spelling := range Spellings(v) {
			if !w.yield(pointer, spelling) {
				return false
			}
		}
		return true
	}
	for _, m := range v.Members() {
		if w.secret && w.names(v, m) {
			continue
		}
		below := w
		below.secret = w.secret || strings.HasPrefix(m.Name, "#")
		below.remembering = w.remembering || m.Name == "remember"
		if !below.walk(m.Value, failure.PointerJoin(pointer, m.Name)) {
			return false
		}
	}
	for i, item := range v.Items() {
		if !w.walk(item, failure.PointerJoin(pointer, strconv.Itoa(i))) {
			return false
		}
	}
	return true
}

// names reports whether a member of an object is no secret, although it stands below a
// key that begins with #, because it only names where the secret is.
func (w walker) names(object value.Value, m value.Member) bool {
	switch {
	case w.remembering && m.Name == "per": // names of placeholders
		return true
	case object.Without("default", "args", "per").Len() != 1:
		return false
	case m.Name == "env":
		return variableName.MatchString(m.Value.Raw()) // {"env": "API_KEY"}
	default:
		// What is remembered under a name with # is an expression.
		place := strings.HasPrefix(m.Name, "response") || slices.Contains(places, m.Name)
		return w.remembering && place && m.Value.Kind() == value.String
	}
}

// places are keys of expressions in remember that say where a value is, besides those
// of the answer.
var places = []string{"remembered", "attr", "function", "max", "min", "first", "last"}

// variableName is the usual name of an environment variable.
var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// ordinaryName is a name of words: letters, perhaps with a number behind.
var ordinaryName = regexp.MustCompile(`^[@$_]?[A-Za-z]{1,16}[0-9]{0,2}([_.: -][A-Za-z]{1,16}[0-9]{0,2}){0,5}$`)

// OrdinaryName reports whether a name, of a member or in a path, is one that
// programmers give, not one that is data, as an identifier is.
func OrdinaryName(name string) bool { return ordinaryName.MatchString(name) }

// messageNames are the names of members that say what went wrong, in lower case.
var messageNames = []string{"error", "errors", "error_description", "message", "code", "title", "detail"}

// MessageName reports whether a member is by its name a message of an API about what
// went wrong.
func MessageName(name string) bool { return slices.Contains(messageNames, strings.ToLower(name)) }

// ErrorsName reports whether a member is by its name an error, or a list of them, that
// may have messages in it.
func ErrorsName(name string) bool {
	return strings.EqualFold(name, "error") || strings.EqualFold(name, "errors")
}
