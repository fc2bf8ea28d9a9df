package response

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// EveryItem is the segment of a path to the data that means every item of a list, one
// after another: a list of batches of items. On an object it is a name.
const EveryItem = "[]"

// addDataPath is the node of the data. batched reports whether there may be several.
func (p *pathNode) addDataPath(path Path) (data *pathNode, batched bool) {
	for segment := range value.Segments(path.Text, path.Separator) {
		child := p.child(segment)
		if segment == EveryItem {
			p.every, batched = child, true
		}
		p = child
	}
	return p, batched
}

// inBatch is the node of the data among those of a value that is one batch of it, nil for
// none. What is wanted below it, or its volume, needs its tokens: its items cannot be
// stored meanwhile, and are read once more.
func (s *scan) inBatch(nodes []*pathNode) *pathNode {
	if !s.batched || !slices.Contains(nodes, s.data) {
		return nil
	}
	if _, below := dataOf(nodes); below || s.volume.wanted {
		s.again = true
		return nil
	}
	return s.data
}

// keepIn begins the items of a value that may be the data. Of equal names the last one
// counts, but of batches each.
func (s *scan) keepIn(p *pathNode) {
	if !s.batched {
		s.items.reset()
	}
	s.stored = p
}

// countBatch counts the items of a batch that were stored.
func (s *scan) countBatch(p *pathNode) error {
	if s.query.KeyAs != "" && p.at.kind == value.Array && p.rows > 0 {
		return s.notKeyed(p.at.kind)
	}
	s.rows, s.found = s.rows+p.rows, true
	return nil
}

// storeBatch scans a batch that is an object or a scalar: one item.
func (s *scan) storeBatch(nodes []*pathNode) error {
	start, from := len(s.items.last), s.bounded.offset()
	dst, regular, err := s.bounded.item(&s.packer, s.items.last)
	s.items.last = dst
	if err != nil {
		return err
	}
	item := value.Packed(dst[start:])
	for _, p := range nodes {
		p.at = valueRange{kind: item.Kind(), start: from, end: s.bounded.offset()}
	}
	kind := item.Kind()
	if kind != value.Object && item.Value().Empty() {
		s.items.last = dst[:start]
		return nil
	}
	if s.query.KeyAs != "" {
		return s.notKeyed(kind)
	}
	if !regular {
		s.buf = item.Regular(slices.Grow(s.buf[:0], len(item)))
		item = s.buf
	}
	s.hash.Write(item)
	s.rows, s.found = s.rows+1, true
	return s.items.spill()
}

// readBatches reads the items of all batches once more, without anything else: they get
// their shape in the page itself.
func (s *scan) readBatches() error {
	q := s.query
	q.Fields, q.Volume, q.Columns, q.Parallel = nil, false, Columns{}, false
	once := &decodeState{spool: s.spool, query: q, page: newPage(q), items: s.items}
	s.items.reset()
	err := scanJSON(once)
	s.rows, s.found = once.page.Rows, once.page.Found
	return err
}

// locateBatches settles how many items there are.
func (s *scan) locateBatches(page *Page) error {
	if s.again {
		if err := s.readBatches(); err != nil {
			return err
		}
	}
	page.list, page.Found, page.Rows, page.ItemCount = true, s.found, s.rows, s.itemsHash.Sum64()
	page.Indicators, page.OtherLists = s.survey.beside(s.path), s.survey.lists
	return nil
}
