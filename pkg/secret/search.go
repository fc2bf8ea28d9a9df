package secret

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unicode"
)

const (
	// leastStep is how much of a text is searched at a time at least.
	minStep = 64 << 10
	// leastAhead and mostAhead are how many bytes a spelling of a secret may have,
	// to be found in any text: growth times as many as the longest form has. In a
	// text that is searched at once the spelling may be as long as the text.
	minLookahead, maxLookahead, lookaheadFactor = 4 << 10, 256 << 10, 16
	// leftOf is how many bytes before a part of a text are read with it, to know
	// what is before a form of a short secret.
	lookbehind = 64
)

// find lists what is to be hidden because of some sets, of which some may be nil.
// parts reports whether what may be left of a secret counts.
func findSecrets(text string, parts bool, sets ...*secretSet) []Span {
	searched := make([]*secretSet, 0, len(sets)) // on the stack
	longest := 0
	var doubled doubling
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
	w.doubled = doubled
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

// searchIn lists what is to be hidden in a part of a text that is at a place
// of it, and begins within some bounds.
func searchIn(w *window, part string, at int, within Span, parts bool, sets []*secretSet) []Span {
	found := matches{offset: at, within: within}
	w.eachReading(part, func() {
		for _, s := range sets {
			s.search(w, parts, &found)
		}
	})
	return mergeSpans(found.spans)
}

// matches are spans of a text, found in a part of it.
type matches struct {
	offset int
	within Span
	spans  []Span
}

// add adds the span of a part of the window. The spans of one path follow each
// other, and those that overlap become one, so that there are never many more
// than at the end.
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
		// What begins near the end of the path continues along another one.
		for at := max(from, to-startBytes+1); at < to; at++ {
			s.match(w, on, at, parts, found)
		}
	}
}

// match adds the longest form at a place of a path, if there is one.
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

// Span is a part of a text in bytes, From inclusive, To exclusive.
type Span struct{ From, To int }

// joined sorts the spans and makes one of those that overlap.
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

// Mask is the text with every form of every secret replaced by [hidden].
// Secrets that overlap are replaced together, so that nothing of either is
// left.
func (r *Registry) Mask(text string) string { return r.MaskPart(text, Span{0, len(text)}) }

// MaskPart is a part of a text, From inclusive, To exclusive, with [hidden] in
// the place of what belongs to a secret in the whole: of one that is across
// the border, what is left in the part would not be known.
func (r *Registry) MaskPart(text string, part Span) string {
	return hide(text, part, r.MaskedSpans(text))
}

// MaskedSpans lists the parts of the text that Redact replaces, in their order and
// apart from each other; nil for none.
func (r *Registry) MaskedSpans(text string) []Span { return r.findAny(text, true) }

// Find is Masked without what is not a secret, only what may be left of one.
func (r *Registry) Find(text string) []Span { return r.findAny(text, false) }

func (r *Registry) findAny(text string, parts bool) []Span {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return findSecrets(text, parts, &r.lasting, r.tokens.younger, r.tokens.older, r.temporary.younger, r.temporary.older)
}
