package answer

import (
	"iter"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Items streams the items in their order, each one a value of its own. An
// object or scalar at the place of the data is one item. The spool must not be
// closed meanwhile. Several goroutines may do so at once.
func (p *Page) Items() iter.Seq2[value.Value, error] {
	return func(yield func(value.Value, error) bool) {
		for item, err := range p.Packed() {
			if err != nil {
				yield(value.Value{}, err)
				return
			}
			if !yield(item.Value(), nil) {
				return
			}
		}
	}
}

// Packed streams the items as Items does, for who does not need them as values.
// An item is gone when the next one comes, or the loop ends.
func (p *Page) Packed() iter.Seq2[value.Packed, error] {
	return func(yield func(value.Packed, error) bool) {
		switch {
		case p.Rows == 0:
		case p.packed:
			left := value.PartsOf(p.spool.packed)
			for range p.Rows {
				if !yield(left.Value(), nil) {
					return
				}
			}
		default:
			p.readItems(yield)
		}
	}
}

// readItems reads the items from the text once more.
func (p *Page) readItems(yield func(value.Packed, error) bool) {
	r, err := p.spool.text(p.data.start)
	if err != nil {
		yield(nil, err)
		return
	}
	l := p.spool.home.leash(r)
	if p.data.kind == value.Array {
		if _, err := l.dec.ReadToken(); err != nil {
			yield(nil, err)
			return
		}
	}
	var packer value.Packer
	// Not the spool's own buffer: several goroutines may read a page at once.
	item := p.spool.home.buffer()
	defer func() { p.spool.home.recycle(item) }()
	for range p.Rows {
		item, _, err = l.item(&packer, item[:0])
		if !yield(item, largeItem(err)) || err != nil {
			return
		}
	}
}

// packing is how a Scan reads items that nobody wants anything of but the rows:
// each as a whole, in the form that the rows have. Those of a small answer are
// kept, so that they need not be read again.
type packing struct {
	packer value.Packer
	items  []byte // of the list at hand, as far as they are kept
	limit  int    // bytes that are kept
	list   *place // the list at hand
	whole  bool   // all its items are kept
}

// packing is how the spool is scanned. What is kept of a large answer would only
// take memory.
func (s *Spool) packing() *packing {
	k := &packing{items: s.packed[:0]}
	if s.packed == nil {
		k.items = s.home.buffer()
	}
	if s.file == nil {
		k.limit = s.home.limit
	}
	s.packed = nil
	return k
}

// keep takes the items over, until the spool is closed. Only those that are kept
// need a huge buffer, and an answer may wait long.
func (s *Spool) keep(k *packing) {
	if k.whole || !s.home.huge(k.items) {
		s.packed = k.items
	}
}

// begin starts with the items of another list.
func (k *packing) begin(list *place) {
	k.items, k.list, k.whole = k.items[:0], list, true
}

// add packs one more item and returns it.
func (k *packing) add(l *leash) (item value.Packed, regular bool, err error) {
	if !k.whole {
		k.items = k.items[:0]
	}
	start := len(k.items)
	k.items, regular, err = l.item(&k.packer, k.items)
	if len(k.items) > k.limit {
		k.whole = false
	}
	return k.items[start:], regular, err
}

// packItems scans the items of a list that may be the data.
func (s *scan) packItems(p *place) error {
	s.packing.begin(p)
	for ; s.dec.PeekKind() != ']'; p.rows++ {
		item, regular, err := s.packing.add(s.leash)
		if err != nil {
			return err
		}
		if !regular {
			s.buf = item.Regular(slices.Grow(s.buf[:0], len(item)))
			item = s.buf
		}
		s.hash.Write(item)
	}
	return s.token()
}
