package answer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Scanner scans responses. It is safe for concurrent use.
type Scanner struct {
	seed   maphash.Seed
	redact func(string) string
}

// NewScanner makes a scanner whose errors show the start of a body only after
// redact has masked the secrets in it.
func NewScanner(redact func(string) string) *Scanner {
	return &Scanner{seed: maphash.MakeSeed(), redact: redact}
}

// Scan reads a spool once from start to end. An answer that is not JSON is a
// user error that says why and how the answer begins; an answer without any
// text is io.EOF.
func (sc *Scanner) Scan(spool *Spool, q Query) (*Page, error) {
	r, err := spool.text(0)
	if err != nil {
		return nil, err
	}
	k := spool.packing()
	defer spool.keep(k)
	s := &scan{packing: k, detect: q.Data.Text == "", data: &place{}, volume: volume{wanted: q.Volume}}
	if r, s.base, err = skipMark(r); err != nil {
		return nil, err
	}
	s.leash = spool.home.leash(r)
	s.dec = s.leash.dec
	s.hash.SetSeed(sc.seed)
	root := &place{}
	if !s.detect {
		s.path = q.Data.segments()
		s.data = root.grow(q.Data)
		s.data.list = true
	} else {
		root.list = true
	}
	page := &Page{spool: spool}
	wanted := make([]*place, len(q.Fields))
	for i, path := range q.Fields {
		wanted[i] = root.grow(path)
	}
	if err := s.all(root); err != nil {
		if err == io.EOF {
			return nil, err
		}
		return nil, sc.notJSON(spool, err)
	}
	for i, path := range q.Fields {
		if err := page.keep(path, wanted[i].at); err != nil {
			return nil, err
		}
	}
	page.Root, page.Fingerprint = root.at.kind, s.hash.Sum64()
	page.errors = s.survey.errors
	if q.Volume {
		page.Volume = s.volume.bytes
	}
	return page, s.locate(page)
}

// locate settles where the items are and how many.
func (s *scan) locate(page *Page) error {
	s.lists.tidy()
	for _, l := range s.lists.all {
		page.Lists = append(page.Lists, l.name)
	}
	if s.detect && len(s.lists.all) == 1 {
		s.data, s.path = s.lists.all[0].place, []string{s.lists.all[0].name}
	}
	if k := s.data.at.kind; k == value.Array || k == value.Null {
		page.Indicators = s.survey.beside(s.path)
	}
	if !s.detect {
		page.OtherLists = s.survey.lists
	}
	page.Found = s.data.at != span{}
	page.FromErrors = s.detect && slices.Equal(s.path, []string{errorsMember})
	page.data, page.Rows = s.data.at, s.data.rows
	page.packed = page.data.kind == value.Array && s.packing.list == s.data && s.packing.whole
	if k := page.data.kind; k == value.Object {
		page.Rows = 1
	} else if k != value.Array && k != value.Null {
		v, err := page.read(page.data)
		if err != nil {
			return err
		}
		if !v.Empty() {
			page.Rows = 1
		}
	}
	return nil
}

const byteOrderMark = "\xef\xbb\xbf"

// skipMark steps over a byte order mark, which some servers send although JSON
// knows none.
func skipMark(r io.Reader) (io.Reader, int64, error) {
	head := make([]byte, len(byteOrderMark))
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, 0, err
	}
	if string(head[:n]) == byteOrderMark {
		return r, int64(n), nil
	}
	return io.MultiReader(bytes.NewReader(head[:n]), r), 0, nil
}

// place is a node of the tree of wanted places: what may stand below it, and
// where its value was found last.
type place struct {
	children map[string]*place
	list     bool // the data, if it is an array
	at       span
	rows     int // items, when the value is an array
}

// grow adds a path below the place and returns its end.
func (p *place) grow(path Path) *place {
	for _, segment := range path.segments() {
		child := p.children[segment]
		if child == nil {
			child = &place{}
			if p.children == nil {
				p.children = map[string]*place{}
			}
			p.children[segment] = child
		}
		p = child
	}
	return p
}

// forget drops what was found: of equal names the last value counts.
func (p *place) forget() {
	p.at, p.rows = span{}, 0
	for _, child := range p.children {
		child.forget()
	}
}

// scan is the state of one Scan.
type scan struct {
	dec     *jsontext.Decoder
	leash   *leash // of the decoder
	base    int64  // bytes before the decoder's first
	hash    maphash.Hash
	volume  volume
	packing *packing
	buf     []byte
	survey  survey
	detect  bool
	data    *place
	path    []string // of the data; none when it is the whole response
	lists   lists    // when the data must be found
}

// lists are the list-valued properties of the root in the order of their last
// occurrence.
type lists struct {
	all   []list
	index map[string]int // where in all; the others there are void
	bytes int            // of the names
}

type list struct {
	name  string
	place *place
}

// maxLists is how many there may be: they are only counted and named in a
// message.
const maxLists = 100_000

// forget drops a property that occurs once more.
func (l *lists) forget(name string) {
	if at, ok := l.index[name]; ok {
		l.all[at].place = nil
		delete(l.index, name)
		l.bytes -= len(name)
	}
}

// add adds a property that is not there.
func (l *lists) add(name string, p *place) error {
	if len(l.index) == maxLists || l.bytes+len(name) > maxItem {
		return failure.Userf("the response has more than %d list-valued properties, or more than %d MiB of their names: set 'dataField' to the one with the data", maxLists, maxItem>>20)
	}
	if len(l.all) > 2*len(l.index)+maxLists {
		l.tidy()
	}
	if l.index == nil {
		l.index = map[string]int{}
	}
	l.index[name] = len(l.all)
	l.bytes += len(name)
	l.all = append(l.all, list{name, p})
	return nil
}

// tidy drops what is void.
func (l *lists) tidy() {
	l.all = slices.DeleteFunc(l.all, func(one list) bool { return one.place == nil })
	for i, one := range l.all {
		l.index[one.name] = i
	}
}

// all scans the whole text.
func (s *scan) all(root *place) error {
	if err := s.value(root, s.detect); err != nil {
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

func (s *scan) offset() int64 { return s.base + s.leash.offset() }

// value scans the next value, which stands at p; p is nil where nothing is
// wanted. With collect, list-valued members are candidates for the data.
func (s *scan) value(p *place, collect bool) error {
	kind := s.dec.PeekKind()
	if p == nil && !s.survey.wants(kind) {
		return s.skip()
	}
	if p != nil {
		p.forget()
	}
	var at span
	var err error
	switch kind {
	case '{', '[':
		if err = s.token(); err != nil {
			return err
		}
		at = span{kind: kindOf(kind), start: s.offset() - 1}
		if kind == '{' {
			err = s.members(p, collect)
		} else {
			err = s.items(p)
		}
		at.end = s.offset()
	default:
		var raw jsontext.Value
		raw, err = s.scalar()
		end := s.offset()
		at = span{kind: kindOf(kind), start: end - int64(len(raw)), end: end}
		s.survey.scalar(raw)
	}
	if s.survey.atErrors() {
		s.survey.errors = at
	}
	if p != nil {
		p.at = at
	}
	return err
}

func (s *scan) members(p *place, collect bool) error {
	for s.dec.PeekKind() == '"' {
		raw, err := s.scalar()
		if err != nil {
			return err
		}
		name := contents(raw)
		s.survey.enter(name)
		var child *place
		if p != nil {
			child = p.children[string(name)]
		}
		if collect {
			if child, err = s.candidate(string(name), child); err != nil {
				return err
			}
		}
		if err := s.value(child, false); err != nil {
			return err
		}
		s.survey.leave()
	}
	return s.token()
}

// candidate notes a list-valued property of the root.
func (s *scan) candidate(name string, child *place) (*place, error) {
	s.lists.forget(name)
	if s.dec.PeekKind() != '[' {
		return child, nil
	}
	if child == nil {
		child = &place{}
	}
	child.list = true
	return child, s.lists.add(name, child)
}

func (s *scan) items(p *place) error {
	s.survey.list(kindOf(s.dec.PeekKind()))
	if p != nil && p.list && len(p.children) == 0 && !s.volume.wanted {
		return s.packItems(p)
	}
	s.survey.off++
	rows := 0
	for ; s.dec.PeekKind() != ']'; rows++ {
		var child *place
		if p != nil && len(p.children) > 0 {
			child = p.children[strconv.Itoa(rows)]
		}
		if err := s.value(child, false); err != nil {
			return err
		}
		if child != nil && child.at.kind == value.Null {
			child.forget() // an item that is null does not count as found
		}
	}
	s.survey.off--
	if p != nil {
		p.rows = rows
	}
	return s.token()
}

// skip scans the next value without wanting anything of it.
func (s *scan) skip() error {
	depth := s.dec.StackDepth()
	for {
		var err error
		switch s.dec.PeekKind() {
		case '{', '}', '[', ']':
			err = s.token()
		default:
			_, err = s.scalar()
		}
		if err != nil {
			return err
		}
		if s.dec.StackDepth() == depth {
			return nil
		}
	}
}

// token reads a brace or bracket into the fingerprint and the volume.
func (s *scan) token() error {
	_, elements := s.dec.StackIndex(s.dec.StackDepth())
	tok, err := s.dec.ReadToken()
	if err != nil {
		return err
	}
	if k := tok.Kind(); k == '{' || k == '[' {
		s.volume.opening()
	} else {
		s.volume.closing(elements)
	}
	return s.hash.WriteByte(byte(tok.Kind()))
}

// scalar reads a scalar into the fingerprint and the volume: strings without
// their escapes, integers by their digits, other numbers by their value.
func (s *scan) scalar() (jsontext.Value, error) {
	raw, err := s.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	s.hash.WriteByte(raw[0])
	switch c := raw[0]; {
	case c == '"':
		s.text(raw)
	case c == '-' || '0' <= c && c <= '9':
		s.number(raw)
	default:
		s.hash.Write(raw[1:])
		s.volume.literal(raw)
	}
	return raw, nil
}

// contents are those of a string, without its quotes and escapes; a part of it
// where there are none.
func contents(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return unquote(nil, raw)
	}
	return raw[1 : len(raw)-1]
}

// text takes a string in, without its quotes and escapes.
func (s *scan) text(raw jsontext.Value) {
	contents := []byte(raw[1 : len(raw)-1])
	if bytes.IndexByte(contents, '\\') >= 0 {
		s.buf = unquote(s.buf[:0], raw)
		contents = s.buf
	}
	s.hash.Write(contents)
	s.hash.WriteByte('"')
	s.volume.text(contents)
}

// unquote appends the contents of a string that the decoder has accepted; a lone
// surrogate becomes U+FFFD, which is all that AppendUnquote could complain about.
func unquote(dst []byte, raw jsontext.Value) []byte {
	dst, _ = jsontext.AppendUnquote(dst, raw)
	return dst
}

func (s *scan) number(raw []byte) {
	if bytes.ContainsAny(raw, ".eE") {
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
			var bits [9]byte
			bits[0] = 'd'
			binary.LittleEndian.PutUint64(bits[1:], math.Float64bits(f))
			s.hash.Write(bits[:])
			s.volume.double(f)
			return
		}
	}
	s.hash.Write(raw)
	s.hash.WriteByte(',')
	s.volume.literal(raw)
}

func kindOf(k jsontext.Kind) value.Kind {
	switch k {
	case '{':
		return value.Object
	case '[':
		return value.Array
	case '"':
		return value.String
	case 't', 'f':
		return value.Bool
	case '0':
		return value.Number
	default:
		return value.Null
	}
}
