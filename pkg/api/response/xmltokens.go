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

// maxTag is the maximum size, in bytes, of a start tag, because its attributes need many
// times that in memory. The size is checked once per window, so a tag may be one window
// larger.
const maxTag = 1 << 20

// maxElements is the maximum depth of nested elements, as of values in JSON.
const maxElements = 10_000

// xmlTokens reads the tags of a document and the texts between them. encoding/xml checks
// single tokens only; xmlTokens checks their order.
type xmlTokens struct {
	source *xmlSource
	dec    *xml.Decoder
	hash   *maphash.Hash // receives what distinguishes two documents
	open   []string      // names of the open elements
	tag    xmlTag        // last start tag
	rooted bool          // root element has begun
	begun  bool          // a token was read
}

func newXMLTokens(t *textReader, hash *maphash.Hash) *xmlTokens {
	x := &xmlTokens{source: &xmlSource{textReader: t}, hash: hash}
	x.dec = xml.NewDecoder(x.source)
	x.dec.CharsetReader = x.source.declared
	return x
}

// xmlTag is a start tag. name includes the prefix.
type xmlTag struct {
	name       string
	attributes []xml.Attr
}

// next returns the next token: *xmlTag, xml.CharData or xml.EndElement. The token is
// valid until the next call. next returns io.EOF at the end.
func (x *xmlTokens) next() (xml.Token, error) {
	for {
		x.source.begin()
		raw, err := x.dec.RawToken()
		if err != nil {
			return nil, x.endError(err)
		}
		first := !x.begun
		x.begun = true
		switch token := raw.(type) { // returning raw instead of token avoids an allocation
		case xml.StartElement:
			return x.start(token)
		case xml.EndElement:
			x.hash.WriteByte('>')
			return raw, x.end(token)
		case xml.CharData:
			if len(x.open) > 0 {
				if bytes.Contains(token, replacement) && x.hasSurrogate() {
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
		if strings.Contains(a.Value, string(replacement)) && x.hasSurrogate() {
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

// hasSurrogate reports whether the last token refers to half of a surrogate pair, such as
// &#xD800;. encoding/xml replaces such a reference by the replacement character.
// hasSurrogate looks only at the bytes of the token in the current part of the text.
func (x *xmlTokens) hasSurrogate() bool {
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

// repeatedName returns a name that two attributes have, or "".
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

// directive rejects a DTD with entities, which may refer to other files and grow without
// limit. It ignores other DTDs.
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

// xmlName returns a name with its prefix.
func xmlName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// malformed returns a formatError with the current line.
func (x *xmlTokens) malformed(format string, args ...any) error {
	line, _ := x.dec.InputPos()
	return x.source.malformed("line %d: "+format, append([]any{line}, args...)...)
}

// endError converts an error of encoding/xml to a formatError or a user error. It returns
// other errors, and io.EOF after a complete document, unchanged.
func (x *xmlTokens) endError(err error) error {
	syntax, isSyntax := errors.AsType[*xml.SyntaxError](err)
	_, malformed := errors.AsType[*formatError](err)
	switch {
	case err == io.EOF && len(x.open) > 0, isSyntax && syntax.Msg == "unexpected EOF":
		return x.source.malformed("it ends too early")
	case err == io.EOF && !x.rooted && x.begun:
		return x.source.malformed("it has no element")
	case errors.Is(err, errLargeItem):
		return largeItem(err)
	case isSyntax:
		return x.source.malformed("line %d: %s", syntax.Line, syntax.Msg)
	case err == io.EOF, x.source.err != nil, malformed:
		return err
	default: // errors of encoding/xml, for example about another version
		return x.malformed("%s", strings.TrimPrefix(err.Error(), "xml: "))
	}
}

// xmlSource reads the bytes of a document for encoding/xml, which keeps each token in
// memory. It returns an error if a token is larger than an item may be.
type xmlSource struct {
	*textReader
	rest   []byte // current part of the text
	at     int    // offset of the next byte in rest
	from   int    // offset of the token in rest, negative if the token began in an earlier part
	behind byte   // last byte of the part before rest
	first  bool   // the token may not have begun yet
	tag    bool   // token is a start tag
	err    error  // why reading stopped, other than the end of the text
}

// begin begins a token. Its first byte may have been read already, at the end of a text.
func (s *xmlSource) begin() { s.from, s.first, s.tag = s.at, true, false }

// ReadByte implements io.ByteReader.
func (s *xmlSource) ReadByte() (byte, error) {
	if s.at == len(s.rest) {
		if err := s.readMore(); err != nil {
			return 0, err
		}
	}
	c := s.rest[s.at]
	if s.first {
		s.detectTag(c)
	}
	s.at++
	return c, nil
}

// detectTag decides from the next byte whether the token is a start tag, if the byte
// shows it.
func (s *xmlSource) detectTag(c byte) {
	behind := s.behind
	if s.at > 0 {
		behind = s.rest[s.at-1]
	}
	if behind == '<' || c != '<' {
		s.first = false
		s.tag = behind == '<' && c != '/' && c != '?' && c != '!'
	}
}

// readMore reads the next part of the text. It returns an error if the token is too
// large.
func (s *xmlSource) readMore() error {
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

// declared continues in the character set that the document names. It ignores UTF-16 and
// UTF-32: the declaration could be read, so the document has neither.
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
