package response

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// scanJSON scans a JSON text once. It locates the data, stores its items, and collects
// the requested fields and the indicators.
func scanJSON(d *decodeState) error {
	s := &scan{decodeState: d, detect: d.query.Data.Text == "", data: &pathNode{}, volume: volume{wanted: d.query.Volume}}
	err := s.open()
	if err != nil {
		return err
	}
	defer s.bounded.close()
	root := &pathNode{}
	if !s.detect {
		s.path = d.query.Data.Segments()
		s.survey = surveyAround(s.path)
		s.data, s.batched = root.addDataPath(d.query.Data)
		if s.data.list = true; !s.batched {
			s.literalData = root.addLiteralName(d.query.Data)
		}
		if s.literalData != nil {
			s.literalData.list = true
		}
	} else {
		root.list = true
	}
	fields := s.addFieldPaths(root)
	if err := s.all(root); err != nil {
		return jsonError(err)
	}
	if d.page.fields, err = s.fieldValues(fields); err != nil {
		return err
	}
	d.page.Root = root.at.kind
	if d.query.Volume {
		d.page.Volume = s.volume.bytes
	}
	if err := s.fillPage(d.page); err != nil {
		return err
	}
	if d.page.errors, err = s.reportedErrors(); err != nil {
		return err
	}
	return d.shape()
}

// jsonError converts an error of the decoder to a formatError or a user error. It returns
// io.EOF and other errors unchanged.
func jsonError(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &formatError{reason: "it ends too early", cause: err}
	case errors.Is(err, errMoreText):
		return &formatError{reason: errMoreText.Error(), cause: err}
	case errors.Is(err, errLargeItem):
		return largeItem(err)
	case ok:
		return &formatError{reason: value.Complaint(syntax), cause: err}
	default:
		return err
	}
}

func (s *scan) reportedErrors() (value.Value, error) {
	switch at := s.survey.errors; {
	case at.kind != value.Array && at.kind != value.Object:
		return value.Value{}, nil
	case at.end-at.start > maxField:
		return value.OfString(fmt.Sprintf("%d bytes of errors", at.end-at.start)), nil
	default:
		return s.read(at)
	}
}

func (s *scan) read(at valueRange) (value.Value, error) {
	if at.end == at.start {
		return value.Value{}, nil
	}
	r, err := s.spool.text(at.start)
	if err != nil {
		return value.Value{}, err
	}
	return value.Read(value.NewDecoder(io.LimitReader(r, at.end-at.start)))
}

// fillPage sets the number of items, how to read them, and the other properties of the
// page.
func (s *scan) fillPage(page *Page) error {
	if s.batched {
		return s.fillBatchPage(page)
	}
	s.lists.tidy()
	for _, l := range s.lists.all {
		page.Lists = append(page.Lists, l.name)
	}
	if s.detect && len(s.lists.all) == 1 {
		s.data, s.path = s.lists.all[0].node, []string{s.lists.all[0].name}
	}
	if s.literalData != nil && s.data.at == (valueRange{}) {
		s.data, s.path = s.literalData, []string{s.query.Data.Text}
	}
	data := s.data.at
	keyed := s.query.KeyAs != ""
	page.list = data.kind == value.Array || (keyed || s.query.Parallel) && data.kind == value.Object
	if page.list || data.kind == value.Null {
		page.Indicators = s.survey.beside(s.path)
	}
	if !s.detect {
		page.OtherLists = s.survey.lists
	}
	page.Found = data != valueRange{}
	page.FromErrors = s.detect && slices.Equal(s.path, []string{errorsMember})
	page.Rows, page.ItemsFingerprint = s.data.rows, s.data.hash
	if !page.list || s.stored != s.data {
		spool, key := s.spool, s.query.KeyAs
		page.items = func(yield func(value.Packed, error) bool) { spool.readItems(data, key, yield) }
	}
	switch {
	case keyed && data.kind == value.Object:
	case keyed && data.kind == value.Array && page.Rows > 0:
		return s.notKeyed(data.kind)
	case data.kind == value.Object:
		page.Rows = 1
	case !page.list && data.kind != value.Null:
		v, err := s.read(data)
		if err != nil {
			return err
		}
		switch {
		case v.Empty():
		case keyed:
			return s.notKeyed(data.kind)
		default:
			page.Rows = 1
		}
	}
	return nil
}

// readItems reads the items in a range of the text again. If key is set, the members of an
// object are the items, see appendKeyed.
func (s *Spool) readItems(data valueRange, key string, yield func(value.Packed, error) bool) {
	d, err := s.bounded(data.start)
	if err != nil {
		yield(nil, err)
		return
	}
	defer d.close()
	var packer value.Packer
	// Not a buffer of the spool, because several goroutines may read a page at the same
	// time.
	item := s.home.buffer()
	defer func() { s.home.recycle(item) }()
	if data.kind != value.Array && key == "" {
		item, _, err = d.item(&packer, item)
		yield(item, largeItem(err))
		return
	}
	if _, err := d.dec.ReadToken(); err != nil {
		yield(nil, err)
		return
	}
	more := true
	if key != "" {
		err = d.members(&packer, func(name []byte, v value.Packed, _ bool) (err error) {
			if item, err = appendKeyed(item[:0], key, name, v); err != nil {
				return err
			}
			if more = yield(item, nil); !more {
				return errStop
			}
			return nil
		})
		if more && err != nil {
			yield(nil, largeItem(err))
		}
		return
	}
	for d.beginList(); more; {
		item, _, more, err = d.next(&packer, item[:0])
		if (more || err != nil) && !yield(item, largeItem(err)) {
			return
		}
	}
}

// scan is the state of one pass over a text.
type scan struct {
	*decodeState
	dec         *jsontext.Decoder
	bounded     *boundedDecoder // reader of dec
	volume      volume
	packer      value.Packer
	stored      *pathNode // list with its items in the store
	survey      indicatorScan
	detect      bool
	data        *pathNode
	literalData *pathNode // data at a member with the whole path as its name, or nil
	path        []string  // path of the data; empty if the data is the whole response
	lists       lists     // candidates for the data, if the data must be found
	// batched is set if the path of the data has EveryItem, so that several values can be
	// the data. Their items are in the store. found is set if the path leads to a list of
	// batches. rereadBatches is set if the items must be read again. rows is the number
	// of items in all batches.
	batched, found, rereadBatches bool
	rows                          int
	// nodeStack has the nodes of the current value and of the values around it. Each
	// value has a group of nodes, the innermost value the last group.
	nodeStack []*pathNode
}

// open opens the text of the spool. The caller closes bounded.
func (s *scan) open() (err error) {
	if s.bounded, err = s.spool.bounded(0); err != nil {
		return err
	}
	s.dec = s.bounded.dec
	if err = s.bounded.skipMark(); err != nil {
		s.bounded.close()
	}
	return err
}

func (s *scan) all(root *pathNode) error {
	if err := s.value([]*pathNode{root}, s.detect); err != nil {
		return err
	}
	if s.detect && root.at.kind == value.Array {
		s.data = root
	}
	if _, err := s.dec.ReadToken(); err != io.EOF {
		if err == nil {
			err = errMoreText
		}
		return err
	}
	return nil
}

var errMoreText = errors.New("more text after the end of the value")

// value scans the next value. nodes are the nodes at the path of the value; if there are
// none, only the survey looks at the value. If collect is set, the list-valued members of
// an object are candidates for the data.
func (s *scan) value(nodes []*pathNode, collect bool) error {
	kind := s.dec.PeekKind()
	if len(nodes) == 0 && !s.survey.wants(kind) {
		return s.skip()
	}
	for _, p := range nodes {
		p.forget()
		p.visited = true
	}
	if data := s.dataCandidate(nodes, kind); data != nil {
		return s.hashSeparately(data, func() error { return s.scanValue(nodes, kind, collect) })
	}
	return s.scanValue(nodes, kind, collect)
}

// dataCandidate returns the node of a value that may be the data, or nil.
func (s *scan) dataCandidate(nodes []*pathNode, kind jsontext.Kind) *pathNode {
	for _, p := range nodes {
		if p.list && (kind == '[' || p == s.data || p == s.literalData) {
			return p
		}
	}
	return nil
}

// hashSeparately calls read with a separate hash for the data. The fingerprint contains
// the sum of this hash instead of the data, so that each byte is hashed once.
func (s *scan) hashSeparately(data *pathNode, read func() error) error {
	around := s.hash
	s.hash = maphash.Hash{}
	s.hash.SetSeed(around.Seed())
	err := read()
	data.hash = s.hash.Sum64()
	s.hash = around
	add(&s.hash, data.hash)
	if s.batched {
		add(&s.itemsHash, data.hash)
	}
	return err
}

// add writes the sum of another hash to h.
func add(h *maphash.Hash, sum uint64) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], sum)
	h.Write(bytes[:])
}

// scanValue scans a value that has nodes or that the survey looks at.
func (s *scan) scanValue(nodes []*pathNode, kind jsontext.Kind, collect bool) error {
	batch := s.inBatch(nodes)
	if batch != nil && kind != '[' && (kind != '{' || s.query.KeyAs == "") {
		return s.storeBatch(nodes)
	}
	var at valueRange
	var err error
	switch kind {
	case '{', '[':
		if err = s.token(); err != nil {
			return err
		}
		at = valueRange{kind: kindOf(kind), start: s.bounded.offset() - 1}
		if kind == '{' {
			err = s.members(nodes, collect)
		} else {
			err = s.listItems(nodes)
		}
		at.end = s.bounded.offset()
	case '}', ']': // no value: reading the token returns the error of the parser
		err = s.token()
	default:
		var raw jsontext.Value
		raw, err = s.scalar()
		end := s.bounded.offset()
		at = valueRange{kind: kindOf(kind), start: end - int64(len(raw)), end: end}
		s.survey.scalar(raw)
		for _, p := range nodes {
			p.selected = err == nil && p.selector != nil && p.selector.MatchesValue(scalarOf(raw))
		}
	}
	if s.survey.atErrors() {
		s.survey.errors = at
	}
	for _, p := range nodes {
		p.at = at
	}
	if err == nil && batch != nil {
		return s.countBatch(batch)
	}
	return err
}

func (s *scan) members(nodes []*pathNode, collect bool) error {
	if s.query.KeyAs != "" {
		if data, below := dataNode(nodes); data != nil {
			return s.dataMembers(nodes, data, below)
		}
	}
	_, err := s.eachMember(nodes, collect)
	return err
}

// dataMembers scans an object with the items of the data as its members. below is set if
// a node below the object is requested.
func (s *scan) dataMembers(nodes []*pathNode, data *pathNode, below bool) (err error) {
	if !below && !s.volume.wanted {
		if err = s.storeMembers(data); err == nil {
			err = s.token()
		}
		return err
	}
	s.survey.off++
	data.rows, err = s.eachMember(nodes, false)
	s.survey.off--
	return err
}

func (s *scan) eachMember(nodes []*pathNode, collect bool) (n int, err error) {
	group := len(s.nodeStack)
	for ; s.dec.PeekKind() == '"'; n++ {
		raw, err := s.scalar()
		if err != nil {
			return n, err
		}
		name := contents(raw)
		s.survey.enter(name)
		for _, p := range nodes {
			if child := p.children[string(name)]; child != nil {
				s.nodeStack = append(s.nodeStack, child)
			}
		}
		if collect {
			if err := s.candidate(string(name), group); err != nil {
				return n, err
			}
		}
		if err := s.value(s.nodeStack[group:], false); err != nil {
			return n, err
		}
		s.nodeStack = s.nodeStack[:group]
		s.survey.leave()
	}
	return n, s.token()
}

// candidate adds a list-valued member of the root to the candidates for the data. group
// is the index in nodeStack of the first node of the member.
func (s *scan) candidate(name string, group int) error {
	s.lists.forget(name)
	if s.dec.PeekKind() != '[' {
		return nil
	}
	if len(s.nodeStack) == group {
		s.nodeStack = append(s.nodeStack, &pathNode{})
	}
	child := s.nodeStack[group]
	child.list = true
	return s.lists.add(name, child)
}

// dataNode returns the node of the data among nodes, or nil. below reports whether a
// value inside is requested.
func dataNode(nodes []*pathNode) (data *pathNode, below bool) {
	for _, p := range nodes {
		if p.list {
			data = p
		}
		below = below || len(p.children) > 0
	}
	return data, below
}

func (s *scan) listItems(nodes []*pathNode) error {
	data, below := dataNode(nodes)
	if data != nil && !below && !s.volume.wanted {
		return s.storeItems(data)
	}
	s.survey.list(kindOf(s.dec.PeekKind()))
	s.survey.off++
	rows, group := 0, len(s.nodeStack)
	for ; s.dec.PeekKind() != ']'; rows++ {
		for _, p := range nodes {
			s.found = s.found || p.every != nil
			s.nodeStack = p.appendItemNodes(s.nodeStack, rows)
		}
		if err := s.value(s.nodeStack[group:], false); err != nil {
			return err
		}
		for _, child := range s.nodeStack[group:] {
			if child.at.kind == value.Null {
				child.forget() // null items count as missing
			}
		}
		s.nodeStack = s.nodeStack[:group]
		for _, p := range nodes {
			p.updateSelected()
		}
	}
	s.survey.off--
	for _, p := range nodes {
		p.rows = rows
	}
	return s.token()
}

// storeItems stores the items of a list that may be the data. Nothing inside the items is
// requested.
func (s *scan) storeItems(p *pathNode) error {
	s.startItems(p)
	s.bounded.beginList()
	for ; ; p.rows++ {
		start := len(s.items.last)
		dst, regular, more, err := s.bounded.next(&s.packer, s.items.last)
		s.items.last = dst
		if err != nil {
			return err
		}
		item := value.Packed(dst[start:])
		if p.rows == 0 {
			s.survey.list(item.Kind())
		}
		if !more {
			return s.token()
		}
		s.hashItem(item, regular)
		if err := s.items.spill(); err != nil {
			return err
		}
	}
}
