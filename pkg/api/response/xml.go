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

// decodeXML reads the elements of a document as values. The content of the root is the
// response. An element becomes an object of its attributes, its elements and its text, or
// a string if it has only a text. Elements with the same name in one element become a
// list.
func decodeXML(d *decodeState) error {
	err := d.xmlTexts(func(t *textReader) error {
		x := &xmlDocument{decodeState: d, page: newPage(d.query), xmlTokens: newXMLTokens(t, &d.hash), tree: newXMLTree(d.query, int(d.spool.home.item)), survey: surveyAround(elementsOf(d.query.Data))}
		err := x.read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = x.fillPage()
		}
		if t.damaged {
			d.damage(t.charset)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case d.texts == 0:
		return io.EOF
	default:
		return d.shape()
	}
}

// xmlTexts calls read for each text of the response. An XML document names its character
// set itself; the header Content-Type counts only if the document does not.
func (d *decodeState) xmlTexts(read func(*textReader) error) error {
	return d.files(func(name string, r io.Reader) error {
		t := &textReader{name: name, buffered: buffered{home: d.spool.home, source: r, buf: d.spool.home.buffer()}}
		defer t.close()
		d.text = t
		if err := t.fillTo(declarationBytes); err != nil {
			return err
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

// namesEncoding reports whether a document begins with a declaration that names a
// character set.
func namesEncoding(text []byte) bool {
	declaration, _, _ := bytes.Cut(text, []byte("?>"))
	return bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(declaration, []byte("encoding"))
}

// xmlDocument is the state of one pass over a document.
type xmlDocument struct {
	*decodeState
	*xmlTokens
	page     *Page // page of this document alone
	tree     *xmlTree
	survey   indicatorScan
	grouper  value.Grouper
	repeated bool // current value has elements with the same name in one element
	item     int  // offset of the current value in the buffer that value appends to
	buf      []byte
	texts    []byte // texts of the open elements, one after another
	rootName string
	root     value.Kind
	names    []string // names of the elements below the root, if the items must be found
	rows     int
}

func (x *xmlDocument) read() error {
	token, err := x.next()
	if err != nil {
		return err
	}
	tag := token.(*xmlTag) // next returns an error for anything else at the top
	x.rootName = tag.name
	if x.root = value.Object; x.tree.root.items {
		err = x.rootItem(tag)
	} else {
		err = x.scanContent(tag, &x.tree.root)
	}
	if err != nil {
		return err
	}
	if _, err = x.next(); err == io.EOF {
		return nil
	}
	return err // the error is about a second root or a text
}

// rootItem adds the content of the root as the only item. An empty root is no item.
func (x *xmlDocument) rootItem(tag *xmlTag) error {
	var err error
	if x.buf, err = x.value(x.buf[:0], tag); err != nil {
		return err
	}
	item := value.Packed(x.buf)
	x.surveyPacked(item)
	if x.root = item.Kind(); x.root == value.String && len(item.Raw()) == 0 {
		return nil
	}
	x.items.last = append(x.items.last, item...)
	return x.endItem(len(x.items.last)-len(item), &x.tree.root)
}

// endItem completes the item that was appended from start on. node may be nil.
func (x *xmlDocument) endItem(start int, node *xmlNode) error {
	item := value.Packed(x.items.last[start:])
	if x.query.Volume {
		x.page.Volume += packedVolume(item) + int64(len(","))
	}
	node.observe(item)
	if x.errorsAlone() {
		x.tree.errorItems.observe(item)
	}
	x.itemsHash.Write(item)
	x.rows++
	return x.items.spill()
}

// scanContent reads an element that may contain requested elements.
func (x *xmlDocument) scanContent(tag *xmlTag, node *xmlNode) error {
	atRoot := node == &x.tree.root
	for _, f := range node.fields {
		f.field.tooLarge = !atRoot || len(f.path) == 0 // the element contains the items
	}
	for _, a := range tag.attributes {
		node.find("@" + xmlName(a.Name)).observe(value.PackString(nil, a.Value))
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
			structured, err := x.scanElement(token, node)
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
				node.find("#text").observe(value.PackString(nil, text))
			}
			return nil
		}
	}
}

// scanElement reads a child of an element that scanContent reads. structured reports
// whether the child has more than a text.
func (x *xmlDocument) scanElement(tag *xmlTag, around *xmlNode) (structured bool, err error) {
	node := around.find(tag.name)
	found := x.tree.detect && around == &x.tree.root
	if found && !slices.Contains(x.names, tag.name) && len(x.names) <= mostNames {
		x.names = append(x.names, tag.name)
	}
	switch {
	case around.keyed:
		return x.keyedElement(tag, node)
	case found && len(x.names) == 1, node != nil && node.items:
		start := len(x.items.last)
		if x.items.last, err = x.value(x.items.last, tag); err != nil {
			return false, err
		}
		structured = value.Packed(x.items.last[start:]).Kind() == value.Object
		return structured, x.endItem(start, node)
	case found, node == nil:
		return x.skim(tag)
	}
	x.survey.enter([]byte(tag.name))
	defer x.survey.leave()
	if len(node.fields) == 0 || node.around {
		return true, x.scanContent(tag, node)
	}
	if x.buf, err = x.value(x.buf[:0], tag); err != nil {
		return false, err
	}
	v := value.Packed(x.buf)
	node.observe(v)
	x.surveyPacked(v)
	return v.Kind() == value.Object, nil
}

// mostNames is the maximum number of names of elements in a message.
const mostNames = 10

// fillPage adds the results of a document to the page of the response.
func (x *xmlDocument) fillPage() error {
	if len(x.names) > 1 {
		return failure.Userf("the elements below the root of the response%s have different names (%s): set 'dataField' to the list with the data",
			x.source.ofFile(), strings.Join(x.names[:min(len(x.names), mostNames)], ", "))
	}
	x.tree.root.end()
	if x.errorsAlone() {
		x.tree.errorItems.end()
	}
	if err := x.addChosen(); err != nil {
		return err
	}
	page, path := x.page, elementsOf(x.query.Data)
	if x.tree.detect {
		path = x.names
	}
	page.list = !x.tree.root.items
	page.Root = x.root
	page.Indicators = x.survey.beside(path)
	if !x.tree.detect {
		page.OtherLists = x.survey.lists
	}
	page.Rows = x.rows
	page.Found = x.rows > 0 || x.tree.detect || x.tree.root.items
	for i := range page.fields {
		found := x.tree.fields[i].value()
		page.fields[i].value, page.fields[i].tooLarge = found.value, found.tooLarge
	}
	x.report()
	x.join(page)
	return nil
}

// report sets the errors of the page that the API reports in the document.
func (x *xmlDocument) report() {
	errors := x.tree.errors.value()
	x.page.FromErrors = x.tree.detect && (slices.Equal(x.names, []string{errorsMember}) || x.errorsAlone())
	if errors.tooLarge {
		errors.value = value.OfString("many errors")
	} else if k := errors.value.Kind(); k != value.Array && k != value.Object && !(x.page.FromErrors && k == value.String) {
		return
	}
	x.page.errors = errors.value
}

// errorsAlone reports whether the root is named `errors` and the items are the elements
// below the root.
func (x *xmlDocument) errorsAlone() bool {
	return x.tree.detect && strings.EqualFold(x.rootName, errorsMember)
}

// addChosen adds the items if the path of the data leads into a list of elements.
func (x *xmlDocument) addChosen() error {
	chosen := x.tree.chosen
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
