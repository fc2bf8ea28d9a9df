package secret

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretSet is a set of secrets by the hashes of their forms.
type secretSet struct {
	withNames bool                 // that what becomes of a secret in names is masked too, and escapes below base64
	secrets   int                  // how many, and parts of some
	forms     map[uint64]formFlags // by their hashes
	starts    starts
	// filter has one bit for each start. Almost every position of almost every
	// text is done with after a look at it.
	filter [1 << 10]uint64
	// longest is the number of bytes in the longest form.
	longest int
	// quotes and apostrophes are set if a form has such quotes, which CSV doubles.
	quotes, apostrophes bool
}

// formFlags is what is known of a form of a secret.
type formFlags uint8

const (
	// matchInWords forms are masked inside words, too. Others are forms of a short secret.
	matchInWords formFlags = 1 << iota
	// isOriginal forms are a secret as it is: all its other forms are there, too.
	isOriginal
	// revealsSecret forms reveal the secret; others are what may be left of one.
	revealsSecret
)

// tooShort reports whether a text is too short to be searched for: it would be found in
// the words and numbers of messages.
func tooShort(text string) bool { return utf8.RuneCountInString(text) < minSearched }

// TooShort reports whether a secret is too short to be searched for. A blank one is none.
func TooShort(secret string) bool { return !isBlank(secret) && tooShort(secret) }

// addAll adds a secret and the parts of it that are secrets too.
func (s *secretSet) addAll(secret string) {
	s.add(secret)
	trimmed := strings.TrimSpace(secret)
	s.add(trimmed)
	s.addCredentials(trimmed)
	if !strings.ContainsAny(secret, "\r\n") {
		return
	}
	for line := range strings.FieldsFuncSeq(secret, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if line = strings.TrimSpace(line); utf8.RuneCountInString(line) >= minLine {
			s.add(line)
		}
	}
}

func (s *secretSet) add(secret string) {
	if isBlank(secret) {
		return
	}
	s.init()
	hash := hashOf(secret)
	if s.forms[hash]&isOriginal != 0 {
		return
	}
	s.secrets++
	if tooShort(secret) {
		for _, text := range shortSecretForms(secret) {
			s.addForm(text, revealsSecret)
		}
		return
	}
	for _, text := range formsOf(secret) {
		s.addForm(text, matchInWords|revealsSecret)
	}
	s.forms[hash] |= isOriginal
	if !s.withNames {
		return
	}
	for _, text := range encodedEscapes(secret) {
		s.addForm(text, matchInWords|revealsSecret)
	}
	for _, name := range namesOf(secret) {
		if !tooShort(name) {
			s.addForm(name, matchInWords)
		}
	}
}

// blank reports whether there is nothing to compare in a text.
func isBlank(text string) bool {
	return strings.TrimLeftFunc(text, func(r rune) bool { return r == '+' || unicode.IsSpace(r) }) == ""
}

// addPart adds what may be left of a secret.
func (s *secretSet) addPart(part string) {
	if isBlank(part) || tooShort(part) {
		return
	}
	s.init()
	before := len(s.forms)
	s.addForm(part, matchInWords)
	s.secrets += len(s.forms) - before
}

// prepare makes an empty set of the zero value.
func (s *secretSet) init() {
	if s.forms == nil {
		s.forms = map[uint64]formFlags{}
		s.starts.first = map[uint32]int32{}
	}
}

func (s *secretSet) addForm(text string, where formFlags) {
	hash := hashOf(text)
	before, known := s.forms[hash]
	s.forms[hash] = before | where
	if known {
		return
	}
	s.longest = max(s.longest, len(text))
	s.quotes = s.quotes || strings.Contains(text, `"`)
	s.apostrophes = s.apostrophes || strings.Contains(text, "'")
	key := startOf([]byte(text[:startBytes]))
	s.starts.add(key, len(text))
	index, bit := filterBit(key)
	s.filter[index] |= bit
}

// startBytes is the number of bytes that must match before a form is looked up. No form is
// shorter.
const startBytes = 4

// startOf packs the first bytes of a text, folded, into one number.
func startOf(text []byte) uint32 {
	var start uint32
	for i, b := range text {
		start |= uint32(fold(b)) << (8 * i)
	}
	return start
}

// filterBit is the place of a start in the filter.
func filterBit(start uint32) (index int, bit uint64) {
	const spread = 0x9E3779B1 // 2^32 over the golden ratio: neighbours end far apart
	hash := start * spread >> 16
	return int(hash >> 6), 1 << (hash & 63)
}

// starts has the lengths of the forms that start with the same bytes. Mostly there
// is one.
type starts struct {
	// first is the length; one below 0 is the number in more, from -1 down, of
	// several, the longest first.
	first map[uint32]int32
	more  [][]int32
}

func (s *starts) add(start uint32, length int) {
	n := int32(length)
	first, known := s.first[start]
	switch {
	case !known:
		s.first[start] = n
	case first < 0:
		lengths := s.more[-first-1]
		if at, known := slices.BinarySearchFunc(lengths, n, func(a, b int32) int { return int(b - a) }); !known {
			s.more[-first-1] = slices.Insert(lengths, at, n)
		}
	case first != n:
		s.more = append(s.more, []int32{max(first, n), min(first, n)})
		s.first[start] = int32(-len(s.more))
	}
}

// lengths yields the lengths of the forms with this start, the longest first.
func (s *starts) lengths(start uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := s.first[start]
		if first > 0 {
			yield(int(first))
			return
		}
		if first == 0 {
			return
		}
		for _, n := range s.more[-first-1] {
			if !yield(int(n)) {
				return
			}
		}
	}
}
