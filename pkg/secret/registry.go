// Package secret finds and masks secrets: Registry finds them in any text by their
// characters, and Sensitive finds them in a request by their position.
//
// It guarantees that no form of a registered secret is left in a text that it has
// masked. It masks only registered secrets: the code that reads or makes a secret must
// add it. The package also has the rules that other packages share: where a
// configuration may have secrets, and which parts of a secret a message or a name may
// show.
package secret

import (
	"iter"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
)

// Hidden replaces every masked text.
const Hidden = "[hidden]"

const (
	// minSearched is the minimum number of characters of a text that is searched for.
	minSearched = 4
	// minLine is the minimum number of characters of a line of a secret that is itself
	// a secret.
	minLine = 16
	// minPiece is the minimum number of characters of a masked piece of a secret in a
	// URL, and of a secret that is also masked in capital letters.
	minPiece = 8
)

// Registry has the secrets of a run and masks them in texts. The zero value has no
// secrets. All methods are safe for concurrent use.
//
// The registry keeps hashes of the forms of each secret, not the secret. The forms are:
//   - the secret itself, in hexadecimal (both cases) and in base64 (both alphabets, with
//     and without padding, and from seven bytes on also inside the base64 of longer data),
//   - what other programs make of characters outside printable ASCII (see misread),
//   - for lasting secrets and for tokens in use, base64 and hexadecimal of the secret with
//     the escapes of a request,
//   - for lasting secrets, the names that are made from it: of a column, a header or a host.
//
// A text is decoded before it is compared with the forms: percent-encoding, the escapes of
// JSON and HTML, the zero bytes of UTF-16 and UTF-32, and the doubled quotes of CSV, up to
// three layers of them (see window). So it does not matter which characters the writer
// chose to escape.
//
// Remainders of a secret are texts of at least four characters that do not reveal the
// whole secret: the names, pieces of URLs, and shortened texts. They are masked, but Find
// does not report them.
//
// A secret of fewer than four characters is not searched for, because the numbers and
// words of every message contain it. Its forms of four and more characters (base64,
// hexadecimal, escapes) are masked if no letter or digit is beside them. In the part of
// a request that contains it, Sensitive masks it by its position.
type Registry struct {
	mu sync.RWMutex
	// lasting are the secrets of the configuration, the state and the platform. They are
	// never forgotten.
	lasting secretSet
	// tokens are the secrets of logins, and temporary the secrets of single requests. They
	// are separate because a token may serve millions of requests, each with a signature.
	tokens, temporary recentSecrets
}

// recentSecrets are secrets that are forgotten after some time. If the younger set is
// full, it becomes the older set, and the secrets of the previous older set are
// forgotten.
type recentSecrets struct{ younger, older *secretSet }

// recentSetSize is the number of secrets in a full set of recentSecrets. A secret with
// many forms counts as several. The last secrets are always remembered up to this number,
// and at most up to about twice the number.
const recentSetSize = 4096

// Add adds a secret for the lifetime of the registry. White space around the secret
// need not be hidden, but is masked with it. If the secret has more than one line (a
// PEM key), each line of 16 or more characters is a secret, too. A blank text is not a
// secret.
func (r *Registry) Add(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lasting.withNames = true
	r.lasting.addAll(secret)
}

// AddPart adds a remainder of a secret for the lifetime of the registry: it is masked,
// but Find does not report it.
func (r *Registry) AddPart(part string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lasting.addPart(part)
}

// AddToken adds a secret from a login, which another login may replace. It is forgotten
// when thousands of others have followed, so that a long run does not need more and
// more memory.
func (r *Registry) AddToken(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens.current().addAll(secret)
}

// AddSentTokens adds the secrets of a login that requests carry, like AddTokens. A response
// may return a request in base64 or hexadecimal, so AddSentTokens also adds the forms with
// the escapes of a request. The other methods omit them for secrets that are forgotten,
// because a login may return tens of thousands of texts.
func (r *Registry) AddSentTokens(secrets []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	younger := r.tokens.current()
	for _, secret := range secrets {
		younger.addAll(secret)
		younger.addEscaped(secret)
	}
}

// AddTokens adds all secrets of one login, like AddToken. They are forgotten together,
// so all secrets of the last login are remembered, regardless of their number.
func (r *Registry) AddTokens(secrets []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	younger := r.tokens.current()
	for _, secret := range secrets {
		younger.addAll(secret)
	}
}

// AddTemporary adds a secret that belongs to one request, such as a signature, like
// AddToken. Temporary secrets never displace tokens.
func (r *Registry) AddTemporary(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.temporary.current().addAll(secret)
}

// current returns the set that takes more secrets.
func (p *recentSecrets) current() *secretSet {
	if p.younger == nil || p.younger.secrets >= recentSetSize {
		p.younger, p.older = &secretSet{}, p.younger
	}
	return p.younger
}

// AddAddress adds the pieces of the secrets in an endpoint or a URL that is about to be
// used. A URL splits the secret at characters with a meaning, and its escapes are
// undone: an API may quote the path or a parameter, and the text after a number sign is
// not sent at all. Pieces between question marks and number signs are masked from four
// characters on, other pieces from eight. A piece is forgotten with its secret.
func (r *Registry) AddAddress(text string) {
	if r.Find(text) == nil {
		return // nearly always
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	addPieces(text, findSecrets(text, false, &r.lasting), r.lasting.addPart)
	for _, p := range []*recentSecrets{&r.tokens, &r.temporary} {
		addPieces(text, findSecrets(text, false, p.younger, p.older), func(part string) { p.current().addPart(part) })
	}
}

// addPieces adds the pieces of the secrets in a URL.
func addPieces(address string, secrets []Span, addPart func(string)) {
	for _, one := range secrets {
		secret := address[one.From:one.To]
		add := func(piece string, least int) {
			for _, read := range pieceReadings(piece) {
				if read != secret && utf8.RuneCountInString(read) >= least {
					addPart(read)
				}
			}
		}
		add(secret, minSearched)
		for piece := range splitAt(secret, "?#") {
			add(piece, minSearched)
			_, behind, _ := strings.Cut(piece, "://")
			_, path, _ := strings.Cut(behind, "/")
			add(path, minPiece)
		}
		for piece := range splitAt(secret, "?#&=") {
			add(piece, minPiece)
		}
	}
}

func splitAt(text, characters string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(characters, r) })
}

// pieceReadings returns a piece of a URL unchanged, and decoded as in a path and as in
// a query.
func pieceReadings(piece string) []string {
	all := []string{piece}
	for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		if plain, err := unescape(piece); err == nil && plain != piece {
			all = append(all, plain)
		}
	}
	return all
}
