package event

import (
	"encoding/base64"
	"encoding/hex"
	"hash/maphash"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Hidden stands in the place of every masked text.
const Hidden = "[hidden]"

const (
	// wordCharacters is the length from which a secret is masked inside words.
	wordCharacters = 4
	// lineCharacters is the length from which a line of a secret is one itself.
	lineCharacters = 16
	// pieceCharacters is the length from which a piece of a secret address is masked.
	pieceCharacters = 8
	// startBytes is how much of a form must match before it is looked up.
	startBytes = 4
)

// Secrets are the texts that must never be seen, and the mask that hides them.
// The zero value is an empty set; all methods may be called from many
// goroutines.
//
// A secret is masked as it is, in hexadecimal (both cases) and in base64 (both
// alphabets, with and without padding), and each of these also under any
// percent-encoding and any escapes of JSON and HTML: it does not matter which
// characters the writer chose to escape, for the text is compared as its reader
// would see it. Base64 of a secret joined with something else is another secret:
// whoever computes it adds it.
//
// What may be left of a secret is masked too, but is none (Find): of four and more
// characters what becomes of a lasting one in a name, of a column, a header or a
// host; pieces of addresses; what was cut.
//
// A secret of fewer than four characters is masked only where neither of its
// neighbours is a letter or digit, so that a secret "1" leaves "2012" alone. It
// still hides the 1 of "page 1": better not to add what nobody would guard.
//
// Only hashes are kept, not the secrets.
type Secrets struct {
	mu      sync.RWMutex
	lasting set
	// Those of logins and those of single requests are apart, since a token may
	// serve millions of requests with a signature each.
	tokens, passing passing
}

// passing are secrets that are forgotten in the end. They are in two sets: when
// the younger one is full it becomes the older one, and what the older one held
// is forgotten.
type passing struct{ younger, older *set }

// passingSecrets is how many passing secrets of a kind are remembered at least;
// twice as many at most.
const passingSecrets = 4096

// Add puts a secret into the set for good. White space around it is not part of
// what must be hidden, but is masked with it. Of a text of several lines (a PEM
// key) each line of 16 or more characters is a secret too. A blank text is no
// secret.
func (s *Secrets) Add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lasting.names = true
	s.lasting.addAll(secret)
}

// AddPart puts into the set for good what may be left of a secret: it is masked,
// but Find does not take it for one.
func (s *Secrets) AddPart(part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lasting.addPart(part)
}

// AddToken is Add for a secret that a login brought and that another login may
// replace: it is forgotten when thousands of others have followed, so that a long
// run does not grow.
func (s *Secrets) AddToken(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens.add(secret)
}

// AddPassing is AddToken for a secret that belongs to one request, such as a
// signature. However many there are, no token is forgotten because of them.
func (s *Secrets) AddPassing(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passing.add(secret)
}

func (p *passing) add(secret string) { p.open().addAll(secret) }

func (p *passing) addPart(part string) { p.open().addPart(part) }

// open is the set that has room.
func (p *passing) open() *set {
	if p.younger == nil || p.younger.secrets >= passingSecrets {
		p.younger, p.older = &set{}, p.younger
	}
	return p.younger
}

// AddAddress tells of an endpoint, or a whole address, that is about to be used.
// The characters of a secret in it mean something there, so that the secret is
// taken apart and its escapes are undone: an API tells of the path, or of a
// parameter, and what follows a number sign is not sent at all. The pieces are
// masked: between question marks and number signs those of four and more
// characters, else those of eight. They are forgotten with their secret.
func (s *Secrets) AddAddress(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addPieces(text, find(text, false, &s.lasting), s.lasting.addPart)
	for _, p := range []*passing{&s.tokens, &s.passing} {
		addPieces(text, find(text, false, p.younger, p.older), p.addPart)
	}
}

// addPieces adds the pieces of the secrets in an address.
func addPieces(address string, secrets []Span, addPart func(string)) {
	for _, one := range secrets {
		secret := address[one.From:one.To]
		add := func(piece string, least int) {
			for _, read := range readings(piece) {
				if read != secret && utf8.RuneCountInString(read) >= least {
					addPart(read)
				}
			}
		}
		add(secret, wordCharacters)
		for piece := range splitAt(secret, "?#") {
			add(piece, wordCharacters)
			_, behind, _ := strings.Cut(piece, "://")
			_, path, _ := strings.Cut(behind, "/")
			add(path, pieceCharacters)
		}
		for piece := range splitAt(secret, "?#&=") {
			add(piece, pieceCharacters)
		}
	}
}

func splitAt(text, characters string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(characters, r) })
}

// readings are a piece of an address as it is, and as its reader takes it in a path
// and in a query.
func readings(piece string) []string {
	all := []string{piece}
	for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		if plain, err := unescape(piece); err == nil && plain != piece {
			all = append(all, plain)
		}
	}
	return all
}

// set is a set of secrets by the hashes of their forms.
type set struct {
	seed    maphash.Seed
	names   bool            // that what becomes of a secret in names is masked too
	secrets int             // how many, and parts of some
	forms   map[uint64]form // by their hashes
	// starts has the lengths of all forms that start with the same bytes, the
	// longest first.
	starts map[uint32][]int
	// filter has one bit for each start. Almost every position of almost every
	// text is done with after a look at it.
	filter [1 << 10]uint64
	// width is the least number of bytes in a start.
	width int
}

// form is what is known of a form of a secret.
type form uint8

const (
	// inWords forms are masked inside words, too.
	inWords form = 1 << iota
	// whole forms are a secret as it is: all its other forms are there, too.
	whole
	// complete forms tell the secret; others are what may be left of one.
	complete
)

// masking is how a text is masked: a short one as a word only.
func masking(text string) form {
	if utf8.RuneCountInString(text) >= wordCharacters {
		return inWords
	}
	return 0
}

// addAll adds a secret and the parts of it that are secrets too.
func (s *set) addAll(secret string) {
	s.add(secret)
	s.add(strings.TrimSpace(secret))
	if !strings.ContainsAny(secret, "\r\n") {
		return
	}
	for line := range strings.FieldsFuncSeq(secret, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if line = strings.TrimSpace(line); utf8.RuneCountInString(line) >= lineCharacters {
			s.add(line)
		}
	}
}

func (s *set) add(secret string) {
	if strings.TrimSpace(secret) == "" {
		return
	}
	s.prepare()
	hash := maphash.String(s.seed, secret)
	if s.forms[hash]&whole != 0 {
		return
	}
	s.secrets++
	where := masking(secret)
	for _, text := range formsOf(secret) {
		s.addForm(text, where|complete)
	}
	s.forms[hash] |= whole
	if !s.names {
		return
	}
	for _, name := range namesOf(secret) {
		if utf8.RuneCountInString(name) >= wordCharacters {
			s.addForm(name, where)
		}
	}
}

// addPart adds what may be left of a secret.
func (s *set) addPart(part string) {
	if strings.TrimSpace(part) == "" {
		return
	}
	s.prepare()
	before := len(s.forms)
	s.addForm(part, masking(part))
	s.secrets += len(s.forms) - before
}

// prepare makes an empty set of the zero value.
func (s *set) prepare() {
	if s.forms == nil {
		s.seed = maphash.MakeSeed()
		s.forms = map[uint64]form{}
		s.starts = map[uint32][]int{}
		s.width = startBytes
	}
}

// formsOf lists the spellings of a secret that no unescaping gives back.
func formsOf(secret string) []string {
	raw := []byte(secret)
	digits := hex.EncodeToString(raw)
	return []string{
		secret, digits, strings.ToUpper(digits),
		base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	}
}

func (s *set) addForm(text string, where form) {
	hash := maphash.String(s.seed, text)
	before, known := s.forms[hash]
	s.forms[hash] = before | where
	if known {
		return
	}
	width := min(len(text), startBytes)
	s.width = min(s.width, width)
	start := startOf(text, 0, width)
	lengths := s.starts[start]
	if at, known := slices.BinarySearchFunc(lengths, len(text), func(a, b int) int { return b - a }); !known {
		s.starts[start] = slices.Insert(lengths, at, len(text))
	}
	word64, bit := filterBit(start)
	s.filter[word64] |= bit
}

// startOf packs bytes of the text, at most four, into one number.
func startOf(text string, at, width int) uint32 {
	if width == startBytes {
		b := text[at : at+startBytes]
		return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	}
	var start uint32
	for i := range width {
		start |= uint32(text[at+i]) << (8 * i)
	}
	return start
}

// filterBit is the place of a start in the filter.
func filterBit(start uint32) (index int, bit uint64) {
	const spread = 0x9E3779B1 // 2^32 over the golden ratio: neighbours end far apart
	hash := start * spread >> 16
	return int(hash >> 6), 1 << (hash & 63)
}

// Redact is the text with every form of every secret replaced by [hidden].
// Secrets that overlap are replaced together, so that nothing of either is
// left.
func (s *Secrets) Redact(text string) string {
	spans := s.Masked(text)
	if spans == nil {
		return text
	}
	var b strings.Builder
	done := 0
	for _, one := range spans {
		b.WriteString(text[done:one.From])
		b.WriteString(Hidden)
		done = one.To
	}
	b.WriteString(text[done:])
	return b.String()
}

// RedactPart is a part of a text, From inclusive, To exclusive, with [hidden] in
// the place of what belongs to a secret in the whole: of one that stands across
// the border, what is left in the part would not be known.
func (s *Secrets) RedactPart(text string, part Span) string {
	var b strings.Builder
	done := part.From
	for _, one := range s.Masked(text) {
		if one.To <= done || one.From >= part.To {
			continue
		}
		b.WriteString(text[done:max(done, one.From)])
		b.WriteString(Hidden)
		done = min(one.To, part.To)
	}
	b.WriteString(text[done:part.To])
	return b.String()
}

// Masked lists the parts of the text that Redact replaces, in their order and
// apart from each other; nil for none.
func (s *Secrets) Masked(text string) []Span { return s.findAny(text, true) }

// Find is Masked without what is no secret, only what may be left of one.
func (s *Secrets) Find(text string) []Span { return s.findAny(text, false) }

func (s *Secrets) findAny(text string, parts bool) []Span {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return find(text, parts, &s.lasting, s.tokens.younger, s.tokens.older, s.passing.younger, s.passing.older)
}

// find lists what is to be hidden because of some sets, of which some may be nil.
func find(text string, parts bool, sets ...*set) []Span {
	var spans []Span
	var views []view
	for _, set := range sets {
		if set == nil || len(set.forms) == 0 || text == "" {
			continue
		}
		if views == nil {
			views = viewsOf(text)
		}
		for _, v := range views {
			for at := range len(v.text) {
				if n := set.match(v.text, at, parts); n > 0 {
					spans = append(spans, v.span(at, at+n))
				}
			}
		}
	}
	return joined(spans)
}

// match is the length of the longest form at that place of the text, or 0. parts
// tells whether what may be left of a secret counts.
func (s *set) match(text string, at int, parts bool) int {
	longest := 0
	for width := startBytes; width >= s.width; width-- {
		if len(text)-at < width {
			continue
		}
		start := startOf(text, at, width)
		if index, bit := filterBit(start); s.filter[index]&bit == 0 {
			continue
		}
		for _, n := range s.starts[start] {
			if n <= longest || n > len(text)-at {
				continue
			}
			where, found := s.forms[maphash.String(s.seed, text[at:at+n])]
			if found && (parts || where&complete != 0) && (where&inWords != 0 || alone(text, at, at+n)) {
				longest = n
			}
		}
	}
	return longest
}

// alone tells whether a part of the text has no letter or digit beside it.
func alone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !alphanumeric(before) && !alphanumeric(after)
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Span is a part of a text in bytes, From inclusive, To exclusive.
type Span struct{ From, To int }

// joined sorts the spans and makes one of those that overlap.
func joined(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
	var all []Span
	for _, one := range spans {
		if last := len(all) - 1; last >= 0 && one.From < all[last].To {
			all[last].To = max(all[last].To, one.To)
			continue
		}
		all = append(all, one)
	}
	return all
}
