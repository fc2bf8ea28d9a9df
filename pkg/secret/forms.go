package secret

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretSet is a set of secrets. It keeps the hashes of their forms.
type secretSet struct {
	withNames bool                 // add the names that are made from a secret, and escapes below base64
	secrets   int                  // number of secrets and of added remainders, see usualForms
	forms     map[uint64]formFlags // flags of each form by its hash
	starts    starts
	// filter has one bit for each start. It rules out almost every position of almost
	// every text.
	filter [1 << 10]uint64
	// longest is the size, in bytes, of the longest form.
	longest int
	// quotes and apostrophes are true if a form has such quotes, which CSV doubles.
	quotes, apostrophes bool
}

// usualForms is the usual number of forms of a secret.
const usualForms = 10

// formFlags are the properties of a form of a secret.
type formFlags uint8

const (
	// matchInWords forms are masked inside words, too. Forms of a short secret do not
	// have the flag.
	matchInWords formFlags = 1 << iota
	// isOriginal forms are an unchanged secret: the set has its other forms, too.
	isOriginal
	// hasEscaped forms are an unchanged secret with the forms of addEscaped.
	hasEscaped
	// revealsSecret forms reveal the secret. Remainders of a secret do not have the
	// flag.
	revealsSecret
)

// tooShort reports whether a text is too short to be searched for, because the words
// and numbers of messages would contain it.
func tooShort(text string) bool { return utf8.RuneCountInString(text) < minSearched }

// TooShort reports whether a secret is too short to be searched for. It returns false
// for a blank text, which is not a secret.
func TooShort(secret string) bool { return !isBlank(secret) && tooShort(secret) }

// addAll adds a secret and the parts of it that are secrets, too.
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
	s.addEscaped(secret)
	for _, name := range namesOf(secret) {
		if !tooShort(name) {
			s.addForm(name, matchInWords)
		}
	}
}

// addEscaped adds the forms of a secret of this set that was escaped before it was encoded.
func (s *secretSet) addEscaped(secret string) {
	hash := hashOf(secret)
	if s.forms[hash]&(isOriginal|hasEscaped) != isOriginal {
		return // already added, or too short
	}
	before := len(s.forms)
	for _, text := range encodedEscapes(secret) {
		s.addForm(text, matchInWords|revealsSecret)
	}
	s.forms[hash] |= hasEscaped
	s.secrets += (len(s.forms) - before) / usualForms
}

func isBlank(text string) bool {
	return strings.TrimLeftFunc(text, func(r rune) bool { return r == '+' || unicode.IsSpace(r) }) == ""
}

func (s *secretSet) addPart(part string) {
	if isBlank(part) || tooShort(part) {
		return
	}
	s.init()
	before := len(s.forms)
	s.addForm(part, matchInWords)
	s.secrets += len(s.forms) - before
}

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

// startBytes is the number of bytes that must match before a form is looked up. No form
// is shorter.
const startBytes = 4

// startOf packs the first bytes of a text, folded, into one number.
func startOf(text []byte) uint32 {
	var start uint32
	for i, b := range text {
		start |= uint32(fold(b)) << (8 * i)
	}
	return start
}

// filterBit returns the position of a start in the filter.
func filterBit(start uint32) (index int, bit uint64) {
	const spread = 0x9E3779B1 // 2^32 divided by the golden ratio separates neighbours
	hash := start * spread >> 16
	return int(hash >> 6), 1 << (hash & 63)
}

// starts has the lengths of the forms with the same start. Mostly there is one length.
type starts struct {
	// first maps a start to the length of its forms. A negative number -n is the start
	// of forms with several lengths: more[n-1] has the lengths, the longest first.
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

// lengths yields the lengths of the forms with a start, the longest first.
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
