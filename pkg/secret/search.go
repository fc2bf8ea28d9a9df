package secret

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unicode"
)

const (
	// minStep is the minimum size, in bytes, of the part of a text that is searched at
	// once.
	minStep = 64 << 10
	// A spelling of a secret is found in any text if it has at most lookaheadFactor
	// times as many bytes as the longest form. minLookahead and maxLookahead limit this
	// number of bytes. There is no such limit in a text that is searched at once.
	minLookahead, maxLookahead, lookaheadFactor = 4 << 10, 256 << 10, 16
	// lookbehind is the number of bytes that are read before a part of a text, to know
	// the characters before a form of a short secret.
	lookbehind = 64
)

// findSecrets returns the ranges of the secrets of some sets, which may be nil. If
// parts is true, it includes remainders of secrets.
func findSecrets(text string, parts bool, sets ...*secretSet) []Span {
	searched := make([]*secretSet, 0, len(sets)) // on the stack
	longest := 0
	var doubled quoteSet
	for _, s := range sets {
		if s != nil && len(s.forms) > 0 {
			searched = append(searched, s)
			longest = max(longest, s.longest)
			doubled.quotes = doubled.quotes || s.quotes
			doubled.apostrophes = doubled.apostrophes || s.apostrophes
		}
	}
	if len(searched) == 0 || text == "" {
		return nil
	}
	ahead := min(max(minLookahead, longest*lookaheadFactor), maxLookahead)
	step := max(minStep, ahead)
	w := windows.Get().(*window)
	defer windows.Put(w)
	w.doubledQuotes = doubled
	var spans []Span
	for from := 0; from < len(text); from += step {
		if len(text)-from <= step+ahead {
			step = len(text) - from
		}
		start := max(0, from-lookbehind)
		spans = append(spans, searchIn(w, text[start:min(len(text), from+step+ahead)], start, Span{from, from + step}, parts, searched)...)
	}
	return mergeSpans(spans)
}

// searchIn returns the ranges to mask that begin within some bounds. part is the part
// of the text at offset at.
func searchIn(w *window, part string, at int, within Span, parts bool, sets []*secretSet) []Span {
	found := matches{offset: at, within: within}
	w.eachDecoding(part, func() {
		for _, s := range sets {
			s.search(w, parts, &found)
		}
	})
	return mergeSpans(found.spans)
}

// matches collects ranges of a text that are found in a part of it.
type matches struct {
	offset int
	within Span
	spans  []Span
}

// add adds a range of the window. It merges a range that overlaps the previous one, so
// that the number of ranges is never much larger than at the end.
func (h *matches) add(from, to int) {
	one := Span{from + h.offset, to + h.offset}
	if one.From < h.within.From || one.From >= h.within.To {
		return
	}
	if last := len(h.spans) - 1; last >= 0 && h.spans[last].From <= one.From && one.From < h.spans[last].To {
		h.spans[last].To = max(h.spans[last].To, one.To)
		return
	}
	h.spans = append(h.spans, one)
}

// search finds the forms of a set in a window.
func (s *secretSet) search(w *window, parts bool, found *matches) {
	for _, on := range w.paths {
		from, to := int(on.from), int(on.to)
		text := w.bytes[from:to]
		for at := 0; at+startBytes <= len(text); at++ {
			index, bit := filterBit(binary.LittleEndian.Uint32(text[at:]))
			if s.filter[index]&bit != 0 {
				s.match(w, on, from+at, parts, found)
			}
		}
		// A form that begins near the end of the path continues on another path.
		for at := max(from, to-startBytes+1); at < to; at++ {
			s.match(w, on, at, parts, found)
		}
	}
}

// match adds the longest form at index at of a path, if there is one.
func (s *secretSet) match(w *window, on path, at int, parts bool, found *matches) {
	longest, end := 0, 0
	var room [startBytes]byte
	var start []byte
	if at+startBytes <= int(on.to) {
		start = w.bytes[at : at+startBytes]
	} else if start = w.appendNext(room[:0], at, startBytes); len(start) < startBytes {
		return
	}
	key := startOf(start)
	if index, bit := filterBit(key); s.filter[index]&bit == 0 {
		return
	}
	for n := range s.starts.lengths(key) {
		if n <= longest {
			continue
		}
		hash, last, ok := w.hash(on, at, n)
		if !ok {
			continue
		}
		is, known := s.forms[hash]
		if known && (parts || is&revealsSecret != 0) && (is&matchInWords != 0 || w.isWholeWord(on, at, last)) {
			longest, end = n, last
		}
	}
	if longest > 0 {
		found.add(w.origin(at), w.end(end))
	}
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Span is a range of bytes of a text, From inclusive, To exclusive.
type Span struct{ From, To int }

func mergeSpans(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	all := spans[:0]
	for _, one := range spans {
		if last := len(all) - 1; last >= 0 && one.From < all[last].To {
			all[last].To = max(all[last].To, one.To)
			continue
		}
		all = append(all, one)
	}
	return all
}

// Mask returns the text with every form of every secret replaced by [hidden]. Secrets
// that overlap are replaced together, so that no part of either is left.
func (r *Registry) Mask(text string) string { return r.RedactWith(text, nil) }

// MaskedSpans returns the ranges that Mask replaces, in their order and without
// overlaps. It returns nil if the text has no secret.
func (r *Registry) MaskedSpans(text string) []Span { return r.findAny(text, true) }

// Find returns the same ranges as MaskedSpans, but without remainders of secrets.
func (r *Registry) Find(text string) []Span { return r.findAny(text, false) }

func (r *Registry) findAny(text string, parts bool) []Span {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return findSecrets(text, parts, &r.lasting, r.tokens.younger, r.tokens.older, r.temporary.younger, r.temporary.older)
}
