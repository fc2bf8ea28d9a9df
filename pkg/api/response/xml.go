package response

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// decodeXML reads elements as values: the response is the content of the root. An
// element is an object of its attributes, its elements and its text; with a text only
// it is that text. Elements of one name in another are a list.
func decodeXML(d *decodeState) error {
	empty := true
	err := d.xmlTexts(func(t *textReader) error {
		x := &xmlDocument{decodeState: d, xmlTokens: newXMLTokens(t, &d.hash), places: newXMLPlaces(d.query, int(d.spool.home.item)), survey: surveyAround(elementsOf(d.query.Data))}
		err := x.read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = x.fillPage(empty)
			empty = false
		}
		if t.damaged {
			d.damage(t.charset)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case empty:
		return io.EOF
	default:
		return d.shape()
	}
}

// xmlTexts are the texts of the response as XML has them: they name their character sets
// themselves. The header counts for a response that names none.
func (d *decodeState) xmlTexts(read func(*textReader) error) error {
	return d.files(func(name string, r io.Reader) error {
		t := &textReader{name: name, buffered: buffered{home: d.spool.home, source: r, buf: d.spool.home.buffer()}}
		defer t.close()
		d.text = t
		for len(t.text) < declarationBytes {
			if err := t.fill(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		mark, c := marked(t.text)
		if t.marked = mark != ""; !t.marked {
			c, t.marked = unmarked(t.text)
		}
		if !t.marked && len(d.query.Format.unpack) == 0 && !namesEncoding(t.text) {
			var err error
			if c, _, err = d.spool.charset(charset{}); err != nil {
				return err
			}
		}
		t.text = t.text[len(mark):]
		if c.encoding != nil {
			t.convert(c)
		}
		return read(t)
	})
}

// declarationBytes is the maximum size of a usual XML declaration.
const declarationBytes = 1 << 10

// namesEncoding reports whether a document begins with a declaration that names its
// character set.
func namesEncoding(text []byte) bool {
	declaration, _, _ := bytes.Cut(text, []byte("?>"))
	return bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(declaration, []byte("encoding"))
}

// xmlDocument is the state of one pass over a document.
type xmlDocument struct {
	*decodeState
	*xmlTokens
	places   *xmlPlaces
	survey   indicatorScan
	grouper  value.Grouper
	repeated bool // the value that is being made has elements of one name in another
	item     int  // where the value begins that is being made
	buf      []byte
	texts    []byte // of the elements that are open
	rootName string
	root     value.Kind
	names    []string // of the elements below the root, when the items must be found
	rows     int
}

// read reads the document.
func (x *xmlDocument) read() error {
	token, err := x.next()
	if err != nil {
		return err
	}
	tag := token.(*xmlTag) // anything else at the top is an error
	x.rootName = tag.name
	if x.root = value.Object; x.places.root.items {
		err = x.whole(tag)
	} else {
		err = x.content(tag, &x.places.root)
	}
	if err != nil {
		return err
	}
	if _, err = x.next(); err == io.EOF {
		return nil
	}
	return err // about a second root, or a text
}

// whole takes the content of the root as the only item.
func (x *xmlDocument) whole(tag *xmlTag) error {
	var err error
	if x.buf, err = x.value(x.buf[:0], tag); err != nil {
		return err
	}
	item := value.Packed(x.buf)
	x.notice(item)
	if x.root = item.Kind(); x.root == value.String && len(item.Raw()) == 0 {
		return nil
	}
	x.items.last = append(x.items.last, item...)
	return x.endItem(len(x.items.last)-len(item), &x.places.root)
}

// endItem settles an item that was appended from start on.
func (x *xmlDocument) endItem(start int, place *xmlPlace) error {
	item := value.Packed(x.items.last[start:])
	if x.query.Volume {
		x.page.Volume += packedVolume(item) + int64(len(","))
	}
	place.observe(item)
	if x.errorsAlone() {
		x.places.errorItems.observe(item)
	}
	x.itemsHash.Write(item)
	x.rows++
	return x.items.spill()
}

// content goes through an element on the way to something.
func (x *xmlDocument) content(tag *xmlTag, place *xmlPlace) error {
	atRoot := place == &x.places.root
	for _, f := range place.fields {
		f.field.tooLarge = !atRoot || len(f.path) == 0 // the items are in it
	}
	for _, a := range tag.attributes {
		place.at("@" + xmlName(a.Name)).observe(value.PackString(nil, []byte(a.Value)))
	}
	var beside siblings
	simple := len(tag.attributes) == 0
	mark := len(x.texts)
	run := mark
	for {
		token, err := x.next()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case *xmlTag:
			run, simple = x.endText(run), false
			name := token.name
			structured, err := x.element(token, place)
			if err != nil {
				return err
			}
			beside.see(&x.survey, name, structured)
		case xml.CharData:
			if err := x.text(token); err != nil {
				return err
			}
		case xml.EndElement:
			x.endText(run)
			text := x.texts[mark:]
			x.texts = x.texts[:mark]
			if len(text) > 0 && simple && atRoot {
				x.root = value.String
			} else if len(text) > 0 {
				place.at("#text").observe(value.PackString(nil, text))
			}
			return nil
		}
	}
}

// element goes through an element in one that is on the way. structured says that it
// has more than a text.
func (x *xmlDocument) element(tag *xmlTag, around *xmlPlace) (structured bool, err error) {
	place := around.at(tag.name)
	found := x.places.detect && around == &x.places.root
	if found && !slices.Contains(x.names, tag.name) && len(x.names) <= mostNames {
		x.names = append(x.names, tag.name)
	}
	switch {
	case around.keyed:
		return x.keyedElement(tag, place)
	case found && len(x.names) == 1, place != nil && place.items:
		start := len(x.items.last)
		if x.items.last, err = x.value(x.items.last, tag); err != nil {
			return false, err
		}
		structured = value.Packed(x.items.last[start:]).Kind() == value.Object
		return structured, x.endItem(start, place)
	case found, place == nil:
		return x.skim(tag)
	}
	x.survey.enter([]byte(tag.name))
	defer x.survey.leave()
	if len(place.fields) == 0 || place.around {
		return true, x.content(tag, place)
	}
	if x.buf, err = x.value(x.buf[:0], tag); err != nil {
		return false, err
	}
	v := value.Packed(x.buf)
	place.observe(v)
	x.notice(v)
	return v.Kind() == value.Object, nil
}

// mostNames is how many names of elements a message has.
const mostNames = 10

// fillPage gives the page what was found; first says that no other text came before.
func (x *xmlDocument) fillPage(first bool) error {
	if len(x.names) > 1 {
		return failure.Userf("the elements below the root of the response%s have different names (%s): set 'dataField' to the one with the data",
			x.source.of(), strings.Join(x.names[:min(len(x.names), mostNames)], ", "))
	}
	x.places.root.end()
	if x.errorsAlone() {
		x.places.errorItems.end()
	}
	if err := x.choose(); err != nil {
		return err
	}
	page, path := x.page, elementsOf(x.query.Data)
	if x.places.detect {
		path = x.names
	}
	page.list = !x.places.root.items
	if first {
		page.Root = x.root
		page.Indicators = x.survey.beside(path)
		if !x.places.detect {
			page.OtherLists = x.survey.lists
		}
	}
	page.Rows += x.rows
	page.ItemCount = x.itemsHash.Sum64()
	page.Found = page.Found || x.rows > 0 || x.places.detect || x.places.root.items
	for i := range page.fields {
		if f := &page.fields[i]; f.value.IsNull() && !f.tooLarge {
			found := x.places.fields[i].value()
			f.value, f.tooLarge = found.value, found.tooLarge
		}
	}
	x.report()
	return nil
}

// report gives the page the errors that the API reports.
func (x *xmlDocument) report() {
	errors := x.places.errors.value()
	x.page.FromErrors = x.places.detect && (slices.Equal(x.names, []string{errorsMember}) || x.errorsAlone())
	if errors.tooLarge {
		errors.value = value.OfString("many errors")
	} else if k := errors.value.Kind(); k != value.Array && k != value.Object && !(x.page.FromErrors && k == value.String) {
		return
	}
	x.page.errors = errors.value
}

// errorsAlone reports whether the document is only errors.
func (x *xmlDocument) errorsAlone() bool {
	return x.places.detect && strings.EqualFold(x.rootName, errorsMember)
}

// choose takes the items from the list of elements that the path of the data leads
// into.
func (x *xmlDocument) choose() error {
	chosen := x.places.chosen
	switch {
	case chosen == nil || !chosen.found || chosen.field.value.IsNull():
		return nil
	case chosen.field.tooLarge:
		return largeItem(errLargeItem)
	}
	all := []value.Value{chosen.field.value}
	if chosen.field.value.Kind() == value.Array {
		all = chosen.field.value.Items()
	}
	for _, item := range all {
		if x.query.KeyAs != "" {
			if err := x.keepElements(item); err != nil {
				return err
			}
			continue
		}
		start := len(x.items.last)
		x.items.last = item.AppendPacked(x.items.last)
		if err := x.endItem(start, nil); err != nil {
			return err
		}
	}
	return nil
}
