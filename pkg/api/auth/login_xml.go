package auth

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// readXML returns the content of the root element of a response. Its comments are no part of
// the value, so they are registered as secrets here.
func (s *session) readXML(spool *response.Spool) (value.Value, error) {
	text, err := io.ReadAll(spool.Raw())
	if err != nil {
		return value.Value{}, err
	}
	s.deps.Secrets.AddTokens(xmlComments(string(text)))
	return response.Whole(spool, s.format)
}

// xmlComments returns the texts of the comments and processing instructions of a document
// that are long enough to be a secret.
func xmlComments(text string) []string {
	var all []string
	for _, one := range [][2]string{{"<!--", "-->"}, {"<?", "?>"}} {
		rest := text
		for len(all) < maxTexts {
			_, after, ok := strings.Cut(rest, one[0])
			if !ok {
				break
			}
			comment, behind, _ := strings.Cut(after, one[1])
			rest = behind
			if comment = strings.TrimSpace(comment); len(comment) >= shortest && !(one[0] == "<?" && strings.HasPrefix(comment, "xml ")) {
				all = append(append(all, comment), wordsOf(comment)...)
			}
		}
	}
	return all[:min(len(all), maxTexts)]
}

// xmlElement is an element of a response to the login of a dry run.
type xmlElement struct {
	name       string
	attributes []value.Member
	text       string
	children   []*xmlElement
}

// dryXML returns a document with a text at each path.
func dryXML(texts []value.Member) []byte {
	root := &xmlElement{name: "response"}
	for _, m := range texts {
		root.set(strings.Split(m.Name, "."), m.Value.Raw())
	}
	return root.append(nil)
}

var xmlName = regexp.MustCompile(`^@?[A-Za-z_][A-Za-z0-9_-]*(:[A-Za-z_][A-Za-z0-9_-]*)?$`)

// mostDryIndex is the greatest index in a path that a dry run makes elements for.
const mostDryIndex = 100

// set sets the text at a path. A path that no XML document has is left out.
func (e *xmlElement) set(path []string, text string) {
	isText := len(path) == 1 && path[0] == "#text"
	if isText && len(e.attributes) == 0 {
		e.attributes = append(e.attributes, value.Member{Name: "standIn"}) // an element that has only a text is no object
	}
	if len(path) == 0 || isText {
		e.text = text
		return
	}
	name, isAttribute := strings.CutPrefix(path[0], "@")
	if !xmlName.MatchString(path[0]) {
		return
	}
	if isAttribute {
		e.attributes = append(e.attributes, value.Member{Name: name, Value: value.OfString(text)})
		return
	}
	path, least := path[1:], 1
	index := 0
	if len(path) > 0 {
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i <= mostDryIndex {
			path, index, least = path[1:], i, max(i+1, 2) // a single element is no list
		}
	}
	for len(e.named(name)) < least {
		e.children = append(e.children, &xmlElement{name: name})
	}
	e.named(name)[index].set(path, text)
}

func (e *xmlElement) named(name string) []*xmlElement {
	var all []*xmlElement
	for _, child := range e.children {
		if child.name == name {
			all = append(all, child)
		}
	}
	return all
}

func (e *xmlElement) append(dst []byte) []byte {
	escaped := func(text string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(text)) // a buffer returns no error
		return b.String()
	}
	dst = append(dst, "<"+e.name...)
	for _, a := range e.attributes {
		dst = append(dst, " "+a.Name+`="`+escaped(a.Value.Raw())+`"`...)
	}
	dst = append(dst, ">"+escaped(e.text)...)
	for _, child := range e.children {
		dst = child.append(dst)
	}
	return append(dst, "</"+e.name+">"...)
}
