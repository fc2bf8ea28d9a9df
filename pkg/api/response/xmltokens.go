package response

import (
	"bytes"
	"encoding/xml"
	"errors"
	"hash/maphash"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// maxTag is how many bytes the start tag of an element may have, and a window more: its attributes are
// in memory with many times that.
const maxTag = 1 << 20

// maxElements is how many elements may be in each other, as many as values in JSON.
const maxElements = 10_000

// xmlTokens reads the tags of a document and the texts between them. encoding/xml
// checks each token by itself; that they are in the right order is checked here.
type xmlTokens struct {
	source *xmlSource
	dec    *xml.Decoder
	hash   *maphash.Hash // of what distinguishes two documents
	open   []string      // names of the elements around
	tag    xmlTag        // the last one
	rooted bool          // the root has begun
	begun  bool          // there was a token
}

func newXMLTokens(t *textReader, hash *maphash.Hash) *xmlTokens {
	x := &xmlTokens{source: &xmlSource{textReader: t}, hash: hash}
	x.dec = xml.NewDecoder(x.source)
	x.dec.CharsetReader = x.source.declared
	return x
}

// xmlTag is a start tag; name has its prefix.
type xmlTag struct {
	name       string
	attributes []xml.Attr
}

// next is the next token: *xmlTag, xml.CharData, or xml.EndElement; io.EOF at the end.
// A tag and a text are gone when the next token comes.
func (x *xmlTokens) next() (xml.Token, error) {
	for {
		x.source.begin()
		raw, err := x.dec.RawToken()
		if err != nil {
			return nil, x.ended(err)
		}
		first := !x.begun
		x.begun = true
		switch token := raw.(type) { // what is returned is raw, which need not be allocated again
		case xml.StartElement:
			return x.start(token)
		case xml.EndElement:
			x.hash.WriteByte('>')
			return raw, x.end(token)
		case xml.CharData:
			if len(x.open) > 0 {
				if bytes.Contains(token, replacement) && x.invented() {
					return nil, x.malformed("a reference stands for no character")
				}
				if whiteSpace(token) < len(token) {
					x.hash.Write(token)
				}
				return raw, nil
			}
			if x.begun = !first || whiteSpace(token) < len(token); whiteSpace(token) < len(token) {
				return nil, x.malformed("there is text outside of the elements")
			}
		case xml.ProcInst:
			if strings.EqualFold(token.Target, "xml") && !first {
				return nil, x.malformed("the XML declaration is not at the beginning")
			}
		case xml.Directive:
			if err := x.directive(token); err != nil {
				return nil, err
			}
		}
	}
}

func (x *xmlTokens) start(token xml.StartElement) (*xmlTag, error) {
	tag := &x.tag
	*tag = xmlTag{name: xmlName(token.Name), attributes: token.Attr}
	switch {
	case len(x.open) == 0 && x.rooted:
		return nil, x.malformed("there is more than one root element")
	case len(x.open) == 0 && strings.EqualFold(tag.name, "html"):
		return nil, x.source.malformed("it is an HTML page")
	case len(x.open) == maxElements:
		return nil, x.malformed("it is nested more than %d levels deep", maxElements)
	}
	x.rooted = true
	x.hash.WriteByte('<')
	x.hash.WriteString(tag.name)
	for _, a := range tag.attributes {
		if strings.Contains(a.Value, string(replacement)) && x.invented() {
			return nil, x.malformed("a reference stands for no character")
		}
		x.hash.WriteByte('@')
		x.hash.WriteString(xmlName(a.Name))
		x.hash.WriteByte('=')
		x.hash.WriteString(a.Value)
	}
	x.open = append(x.open, tag.name)
	if repeated := repeatedName(tag.attributes); repeated != "" {
		return nil, x.malformed("an element has the attribute %s twice", repeated)
	}
	return tag, nil
}

// replacement is the replacement character, U+FFFD, in UTF-8.
var replacement = []byte("\uFFFD")

// reference matches a reference to a character by its number.
var reference = regexp.MustCompile(`&#(x?)([0-9A-Fa-f]+);`)

// invented reports whether the last token refers to half of a surrogate pair, as in &#xD800;,
// for which encoding/xml puts in the replacement character. It sees only what the current
// part of the text has of the token.
func (x *xmlTokens) invented() bool {
	s := x.source
	for _, m := range reference.FindAllSubmatch(s.rest[max(s.from, 0):s.at], -1) {
		base := 10
		if len(m[1]) > 0 {
			base = 16
		}
		if n, err := strconv.ParseInt(string(m[2]), base, 32); err == nil && utf16.IsSurrogate(rune(n)) {
			return true
		}
	}
	return false
}

// repeatedName is the name that two attributes have, "" for none.
func repeatedName(all []xml.Attr) string {
	if len(all) < 2 {
		return ""
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = xmlName(a.Name)
	}
	slices.Sort(names)
	for i := range names[1:] {
		if names[i] == names[i+1] {
			return names[i]
		}
	}
	return ""
}

func (x *xmlTokens) end(token xml.EndElement) error {
	name := xmlName(token.Name)
	if len(x.open) == 0 {
		return x.malformed("</%s> closes no element", name)
	}
	if open := x.open[len(x.open)-1]; open != name {
		return x.malformed("</%s> is where </%s> is expected", name, open)
	}
	x.open = x.open[:len(x.open)-1]
	return nil
}

// directive refuses a DTD with entities, which may refer to other files and grow
// without end. Any other DTD is ignored.
func (x *xmlTokens) directive(token xml.Directive) error {
	switch {
	case hasPrefixFold(token, "doctype html") && !x.rooted:
		return x.source.malformed("it is an HTML page")
	case !bytes.HasPrefix(token, []byte("DOCTYPE")) || x.rooted:
		return x.malformed("there is a <!…> that is neither a comment nor a DTD")
	case bytes.Contains(token, []byte("<!ENTITY")):
		return x.malformed("its DTD has entities, which are not read")
	default:
		return nil
	}
}

// xmlName is a name with its prefix.
func xmlName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// malformed says why and in which line a document is not XML.
func (x *xmlTokens) malformed(format string, args ...any) error {
	line, _ := x.dec.InputPos()
	return x.source.malformed("line %d: "+format, append([]any{line}, args...)...)
}

// ended explains why there is no token.
func (x *xmlTokens) ended(err error) error {
	syntax, isSyntax := errors.AsType[*xml.SyntaxError](err)
	switch {
	case err == io.EOF && len(x.open) > 0, isSyntax && syntax.Msg == "unexpected EOF":
		return x.source.malformed("it ends too early")
	case err == io.EOF && !x.rooted && x.begun:
		return x.source.malformed("it has no element")
	case errors.Is(err, errLargeItem):
		return largeItem(err)
	case isSyntax:
		return x.source.malformed("line %d: %s", syntax.Line, syntax.Msg)
	case err == io.EOF, x.source.err != nil, isMalformed(err):
		return err
	default: // of encoding/xml, e.g. about another version
		return x.malformed("%s", strings.TrimPrefix(err.Error(), "xml: "))
	}
}

func isMalformed(err error) bool {
	_, ok := errors.AsType[*formatError](err)
	return ok
}

// xmlSource reads the bytes of a document for encoding/xml, which keeps each token in
// memory: none may be larger than an item.
type xmlSource struct {
	*textReader
	rest   []byte // of the part of the text that was read last
	at     int    // where the next byte is in it
	from   int    // where the token begins in it, negative when it began before
	behind byte   // the byte before the part
	first  bool   // the token has not begun, as far as it can be seen
	tag    bool   // it is a start tag
	err    error  // why there are no more bytes, but for their end
}

// begin begins a token. Its first byte may have been read already, at the end of a
// text.
func (s *xmlSource) begin() { s.from, s.first, s.tag = s.at, true, false }

// ReadByte implements io.ByteReader.
func (s *xmlSource) ReadByte() (byte, error) {
	if s.at == len(s.rest) {
		if err := s.more(); err != nil {
			return 0, err
		}
	}
	c := s.rest[s.at]
	if s.first {
		s.look(c)
	}
	s.at++
	return c, nil
}

// look sees from the next byte whether the token is a start tag, where that is clear.
func (s *xmlSource) look(c byte) {
	behind := s.behind
	if s.at > 0 {
		behind = s.rest[s.at-1]
	}
	if behind == '<' || c != '<' {
		s.first = false
		s.tag = behind == '<' && c != '/' && c != '?' && c != '!'
	}
}

// more reads the next part of the text, unless the token is too large.
func (s *xmlSource) more() error {
	if n := len(s.rest); n > 0 {
		s.behind = s.rest[n-1]
		s.from -= n
	}
	s.rest, s.at = nil, 0
	switch size := int64(-s.from); {
	case size > s.home.item:
		s.err = errLargeItem
	case size > maxTag && s.tag:
		s.err = failure.Userf("the response is too large: the tag of an element has more than %d MiB", maxTag>>20)
	}
	if s.err != nil {
		return s.err
	}
	if len(s.textReader.text) == 0 {
		if err := s.fill(); err == io.EOF {
			return err
		} else if err != nil {
			s.err = err
			return err
		}
	}
	s.rest, s.textReader.text = s.textReader.text, nil
	return nil
}

// declared continues in the character set that the document names. A document whose
// declaration could be read is not in UTF-16, no matter what that says.
func (s *xmlSource) declared(name string, _ io.Reader) (io.Reader, error) {
	c, known := charsetNamed(name)
	if !known {
		return nil, s.malformed("its encoding %q is not known", name)
	}
	if c.encoding != nil && !isWide(c.encoding) && !s.marked {
		s.behind = s.rest[s.at-1]
		s.textReader.text, s.rest, s.at = s.rest[s.at:], nil, 0
		s.convert(c)
	}
	return s, nil
}
