// Package secret finds and hides what must not be seen: Registry in any text, by
// what it looks like, and Sensitive in a request, by its place there.
//
// It promises that no form of a known secret is left in a text it has masked. It
// masks only what was added: the code that reads or makes a secret must add it.
// The rules that others share are here too: at which places of a configuration a
// secret may be, and which parts of one a message or a name may show.
package secret

import (
	"iter"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
)

// Hidden is in the place of every masked text.
const Hidden = "[hidden]"

const (
	// wordCharacters is the length from which a text is searched for.
	minSearched = 4
	// lineCharacters is the length from which a line of a secret is one itself.
	minLine = 16
	// pieceCharacters is the length from which a piece of a secret address is masked, and
	// a secret in capital letters.
	minPiece = 8
)

// Registry has the texts that must never be seen, and is the mask that hides them.
// The zero value has none; all methods may be called from many goroutines.
//
// A secret is masked as it is, in hexadecimal (both cases) and in base64 (both
// alphabets, with and without padding, and from seven bytes on also joined with other
// text), and each of these also under any percent-encoding, any escapes of JSON and
// HTML, the zero bytes of UTF-16 and UTF-32, and the doubled quotes of CSV: it does not
// matter which characters the writer chose to escape, for the text is compared as its
// reader would see it.
//
// What may be left of a secret is masked too, but is none (Find): of four and more
// characters what becomes of a lasting one in a name, of a column, a header or a
// host; pieces of addresses; what was cut.
//
// A secret of fewer than four characters is not searched for: it would be found in the
// numbers and words of every message. Its forms of four and more characters are (base64,
// hexadecimal, escapes), where neither of their neighbours is a letter or digit. Where it
// is put into a request, Sensitive hides it by its place.
//
// Only hashes are kept, not the secrets.
type Registry struct {
	mu      sync.RWMutex
	lasting secretSet
	// Those of logins and those of single requests are apart, since a token may
	// serve millions of requests with a signature each.
	tokens, temporary recentSecrets
}

// recentSecrets are secrets that are forgotten at the end. They are in two sets: when
// the younger one is full it becomes the older one, and what the older one held
// is forgotten.
type recentSecrets struct{ younger, older *secretSet }

// passingSecrets is how many passing secrets of a kind are remembered at least;
// twice as many at most.
const maxRecentSecrets = 4096

// Add puts a secret into the set for good. White space around it is not part of
// what must be hidden, but is masked with it. Of a text of several lines (a PEM
// key) each line of 16 or more characters is a secret too. A blank text is no
// secret.
func (r *Registry) Add(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lasting.withNames = true
	r.lasting.addAll(secret)
}

// AddPart puts into the set for good what may be left of a secret: it is masked,
// but Find does not take it for one.
func (r *Registry) AddPart(part string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lasting.addPart(part)
}

// AddToken is Add for a secret that a login brought and that another login may
// replace: it is forgotten when thousands of others have followed, so that a long
// run does not grow.
func (r *Registry) AddToken(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens.add(secret)
}

// AddTokens is AddToken for all texts that one login brought. They are forgotten
// together, when thousands of others have followed: however many they are, those of
// the last login are all remembered.
func (r *Registry) AddTokens(secrets []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	younger := r.tokens.current()
	for _, secret := range secrets {
		younger.addAll(secret)
	}
}

// AddTemporary is AddToken for a secret that belongs to one request, such as a
// signature. However many there are, no token is forgotten because of them.
func (r *Registry) AddTemporary(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.temporary.add(secret)
}

func (p *recentSecrets) add(secret string) { p.current().addAll(secret) }

func (p *recentSecrets) addPart(part string) { p.current().addPart(part) }

// open is the set that takes more secrets.
func (p *recentSecrets) current() *secretSet {
	if p.younger == nil || p.younger.secrets >= maxRecentSecrets {
		p.younger, p.older = &secretSet{}, p.younger
	}
	return p.younger
}

// AddAddress takes an endpoint, or a whole address, that is about to be used.
// The characters of a secret in it mean something there, so that the secret is
// taken apart and its escapes are undone: an API quotes the path, or of a
// parameter, and what follows a number sign is not sent at all. The pieces are
// masked: between question marks and number signs those of four and more
// characters, else those of eight. They are forgotten with their secret.
func (r *Registry) AddAddress(text string) {
	if r.Find(text) == nil {
		return // as nearly all of them
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	addPieces(text, findSecrets(text, false, &r.lasting), r.lasting.addPart)
	for _, p := range []*recentSecrets{&r.tokens, &r.temporary} {
		addPieces(text, findSecrets(text, false, p.younger, p.older), p.addPart)
	}
}

// addPieces adds the pieces of the secrets in an address.
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

// readings are a piece of an address as it is, and as its reader takes it in a path
// and in a query.
func pieceReadings(piece string) []string {
	all := []string{piece}
	for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		if plain, err := unescape(piece); err == nil && plain != piece {
			all = append(all, plain)
		}
	}
	return all
}
