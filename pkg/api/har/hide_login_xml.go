package har

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// hideXML is hideTexts for an XML document. It leaves out comments and declarations. ok is
// false if the text is no XML document in UTF-8.
func hideXML(body []byte, known bool) (hidden []byte, ok bool) {
	d := xml.NewDecoder(bytes.NewReader(body))
	elements := 0
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			return hidden, elements > 0 && wellFormed(body)
		}
		if err != nil {
			return nil, false
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements++
			hidden = append(hidden, "<"+shownXMLName(token.Name)...)
			for _, a := range token.Attr {
				hidden = append(hidden, " "+shownXMLName(a.Name)+`="`+shownXML(a.Value, known)+`"`...)
			}
			hidden = append(hidden, '>')
		case xml.EndElement:
			hidden = append(hidden, "</"+shownXMLName(token.Name)+">"...)
		case xml.CharData:
			hidden = append(hidden, shownXML(string(token), known)...)
		}
	}
}

func wellFormed(body []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

func shownXML(text string, known bool) string {
	plain := strings.TrimSpace(text)
	if plain == "" {
		return plain
	}
	if v := value.OfString(plain); known && (v.IsNumeric() || date.MatchString(plain)) && !strings.ContainsAny(plain, `<>&"`) {
		return plain
	}
	return secret.Hidden
}

// shownXMLName returns a name with its prefix. A part that may be data is replaced.
func shownXMLName(n xml.Name) string {
	shown := func(part string) string {
		if secret.OrdinaryName(part) {
			return part
		}
		return "hidden"
	}
	if n.Space == "" {
		return shown(n.Local)
	}
	return shown(n.Space) + ":" + shown(n.Local)
}
