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

// MostShown is the maximum number of characters of a text from a document that a
// message may show (see textfmt.Shorten). AddDocument masks beginnings of secrets up to
// this length.
const MostShown = 60

// AddDocument adds every secret of a document, and the remainders of secrets in
// messages about the document: variables and expressions can insert a secret anywhere,
// and messages shorten texts before the registry masks them.
func (r *Registry) AddDocument(doc value.Value) {
	for _, secret := range SecretsIn(doc) {
		r.AddConfigured(secret)
	}
}

// AddConfigured adds a single secret like AddDocument.
func (r *Registry) AddConfigured(secret string) {
	r.Add(secret)
	r.addCut(secret)
}

// AddTemplate adds a text with placeholders, which becomes a secret when they are
// replaced. The text and its beginnings are masked, but no other form of it: the names of
// the placeholders are not secrets.
func (r *Registry) AddTemplate(text string) { r.addCut(text) }

// addCut adds the beginnings of a secret, each followed by the mark of a shortened
// text, and the secret as a URL without query or user.
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
		for n := minSearched; n < min(len(runes), MostShown+1); n++ {
			r.AddPart(string(runes[:n]) + mark)
		}
	}
}

// SecretsIn yields every text and number below a key that begins with #, with its JSON
// pointer, in the order of the document. It yields all spellings of a number.
func SecretsIn(doc value.Value) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) { walkSecrets(doc, "", false, yield) }
}

// Problems returns the problems with the secrets in their pointers and quotations
// masked.
func (r *Registry) Problems(problems failure.Problems) failure.Problems {
	masked := slices.Clone(problems)
	for i := range masked {
		p := &masked[i]
		p.Pointer = r.Mask(p.Pointer)
		p.Found, p.Expected, p.Hint = p.Found.Mask(r.Mask), p.Expected.Mask(r.Mask), p.Hint.Mask(r.Mask)
	}
	return masked
}

// Spellings returns the texts that a scalar may become. For a number, these are the
// spellings of the original extractor in URLs, in JSON and in functions.
func Spellings(v value.Value) []string {
	all := []string{v.Raw()}
	if v.Kind() != value.Number {
		return all
	}
	shortest := v.Shortest()
	texts := []string{v.Text(), shortest, strings.ToLower(shortest)}
	if f, ok := v.Float(); ok && !math.IsInf(f, 0) && !v.IsInteger() {
		texts = append(texts, php.Double(f, 14)) // the original extractor's spelling, which APIs keep
	}
	for _, text := range texts {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

func walkSecrets(v value.Value, pointer string, secret bool, yield func(string, string) bool) bool {
	if k := v.Kind(); secret && (k == value.String || k == value.Number) {
		for _, spelling := range Spellings(v) {
			if !yield(pointer, spelling) {
				return false
			}
		}
		return true
	}
	_, request := v.Get("endpoint") // a job or a login request
	for _, m := range v.Members() {
		if request && m.Name == rememberKey {
			if !walkRememberRules(m.Value, failure.PointerJoin(pointer, m.Name), secret, yield) {
				return false
			}
			continue
		}
		if secret && m.Name == "env" && v.Without("default").Len() == 1 && variableName.MatchString(m.Value.Raw()) {
			continue // {"env": "API_KEY"} names the variable that holds the secret
		}
		if !walkSecrets(m.Value, failure.PointerJoin(pointer, m.Name), secret || strings.HasPrefix(m.Name, "#"), yield) {
			return false
		}
	}
	for i, item := range v.Items() {
		if !walkSecrets(item, failure.PointerJoin(pointer, strconv.Itoa(i)), secret, yield) {
			return false
		}
	}
	return true
}

// rememberKey is the key of a request for the values that a run leaves for the next
// run. The names of these values may begin with #. What is below such a name describes
// the source of a secret.
const rememberKey = "remember"

// walkRememberRules walks the secrets in the value of rememberKey. Below the name of a
// secret, ordinary names and short numbers are not secrets, unless they are values of
// `literal` or `default`.
func walkRememberRules(v value.Value, pointer string, secret bool, yield func(string, string) bool) bool {
	if secret || v.Kind() != value.Object {
		return walkSecrets(v, pointer, secret, yield)
	}
	for _, entry := range v.Members() {
		at, named := failure.PointerJoin(pointer, entry.Name), strings.HasPrefix(entry.Name, "#")
		if !named || entry.Value.Kind() != value.Object {
			if !walkSecrets(entry.Value, at, named, yield) {
				return false
			}
			continue
		}
		unusual := func(at, text string) bool { return isOrdinary(text) || yield(at, text) }
		for _, m := range entry.Value.Members() {
			each := unusual
			if m.Name == "literal" || m.Name == "default" {
				each = yield
			}
			if !walkSecrets(m.Value, failure.PointerJoin(at, m.Name), true, each) {
				return false
			}
		}
	}
	return true
}

// isOrdinary reports whether a text is the name of an attribute, a path or a function,
// or a short number, such as a length.
func isOrdinary(text string) bool {
	_, err := strconv.Atoi(text)
	return OrdinaryName(strings.TrimPrefix(text, "#")) || err == nil && len(text) < minSearched
}

// variableName matches the usual names of environment variables.
var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// ordinaryName matches names of words: letters, perhaps with a number at the end.
var ordinaryName = regexp.MustCompile(`^[@$_]?[A-Za-z]{1,16}[0-9]{0,2}([_.: -][A-Za-z]{1,16}[0-9]{0,2}){0,5}$`)

// OrdinaryName reports whether the name of a member, or a path, consists of words that
// programmers choose, and not of data such as an identifier.
func OrdinaryName(name string) bool { return ordinaryName.MatchString(name) }

// messageNames are the names, in lower case, of members that describe an error.
var messageNames = []string{"error", "errors", "error_description", "message", "code", "title", "detail"}

// MapError maps the members of an error that an API returned. message maps the scalars that
// describe the error: members with the name of a message, and items of a list of errors,
// which get the name of the list. other maps all other members, except the objects and
// lists below the names error and errors, which MapError maps the same way.
func MapError(object value.Value, message, other func(value.Member) value.Member) value.Value {
	return mapError("", object, message, other)
}

func mapError(list string, v value.Value, message, other func(value.Member) value.Member) value.Value {
	inList := v.Kind() == value.Array
	return v.Map(func(m value.Member) value.Member {
		name := strings.ToLower(m.Name)
		if inList {
			m.Name = list
		}
		switch scalar := m.Value.IsScalar(); {
		case scalar && (inList || slices.Contains(messageNames, name)):
			return message(m)
		case inList && m.Value.Kind() == value.Object, !inList && !scalar && (name == "error" || name == "errors"):
			m.Value = mapError(m.Name, m.Value, message, other)
			return m
		default:
			return other(m)
		}
	})
}

// IsSecretPointer reports whether the value at a JSON pointer may be a secret,
// according to the keys in the pointer. Such a value must not be shown.
func IsSecretPointer(pointer string) bool {
	if strings.HasSuffix(pointer, "/authentication") {
		return true
	}
	for segment := range strings.SplitSeq(pointer, "/") {
		if strings.HasPrefix(segment, "#") {
			return true
		}
		segment = strings.ToLower(segment)
		switch segment {
		case "headers", "params", "query", "username", "sshproxy", "aws":
			return true
		case "authentication", "parentkey", "primarykey", "urlkey", "idkey":
			continue // only the names look like credentials
		}
		for _, word := range []string{"auth", "token", "pass", "secret", "key", "credential", "cookie", "certificate", "signature"} {
			if strings.Contains(segment, word) {
				return true
			}
		}
	}
	return false
}

// WithoutCredentials replaces the user name and password of a URL, and the query of any
// text, by [hidden]. AddDocument masks the rest if it belongs to a secret.
func WithoutCredentials(s string) string {
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = Hidden + rest[at:]
		}
		s = scheme + "://" + rest
	}
	if query := strings.IndexByte(s, '?'); query >= 0 {
		s = s[:query] + "?" + Hidden
	}
	return s
}
