package response

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// EveryItem is the segment of a path to the data that stands for all items of a list, so
// that each of them is a batch of items. For an object it is a name.
const EveryItem = "[]"

// addDataPath adds the path of the data and returns its node. batched reports whether
// several values can be the data.
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

// inBatch returns the data node if the value is a batch of items that can be stored at
// once, otherwise nil. If fields in the batch or the volume are requested, each token must
// be read instead: then inBatch sets rereadBatches, and fillBatchPage reads the items.
func (s *scan) inBatch(nodes []*pathNode) *pathNode {
	if !s.batched || !slices.Contains(nodes, s.data) {
		return nil
	}
	if _, below := dataNode(nodes); below || s.volume.wanted {
		s.rereadBatches = true
		return nil
	}
	return s.data
}

// startItems begins to store the items of a value that may be the data. It drops the
// items of an earlier member with the same name, but keeps the items of earlier batches.
func (s *scan) startItems(p *pathNode) {
	if !s.batched {
		s.items.reset()
	}
	s.stored = p
}

func (s *scan) countBatch(p *pathNode) error {
	if s.query.KeyAs != "" && p.at.kind == value.Array && p.rows > 0 {
		return s.notKeyed(p.at.kind)
	}
	s.rows, s.found = s.rows+p.rows, true
	return nil
}

// storeBatch scans a batch that is not a list, which is a single item.
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
	s.hashItem(item, regular)
	s.rows, s.found = s.rows+1, true
	return s.items.spill()
}

// fillBatchPage sets the number of items and the other properties of the page.
func (s *scan) fillBatchPage(page *Page) error {
	if s.rereadBatches {
		// Without fields and volume. The page itself applies Columns and Parallel later.
		q := s.query
		q.Fields, q.Volume, q.Columns, q.Parallel = nil, false, Columns{}, false
		once := &decodeState{spool: s.spool, query: q, page: newPage(q), items: s.items}
		s.items.reset()
		if err := scanJSON(once); err != nil {
			return err
		}
		s.rows, s.found = once.page.Rows, once.page.Found
	}
	page.list, page.Found, page.Rows, page.ItemsFingerprint = true, s.found, s.rows, s.itemsHash.Sum64()
	page.Indicators, page.OtherLists = s.survey.beside(s.path), s.survey.lists
	return nil
}
