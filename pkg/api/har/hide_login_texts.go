package har

import (
	"io"
	"net/http"
	"regexp"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// hideAll hides the texts in the response to a failed login. For a status from 400 it
// keeps the error messages, because the error of the run shows them. For a status below
// 300 it keeps numbers and dates in an object: they may explain the failure (expired
// credentials), and their secrets are known. From other JSON it keeps only the shape.
// An XML document keeps its elements. Any other text is hidden as a whole.
func hideAll(r io.Reader, status int) ([]byte, error) {
	body, err := io.ReadAll(r)
	if err != nil || len(body) == 0 {
		return body, err
	}
	v, err := value.Parse(body)
	if err != nil {
		if hidden, ok := hideXML(body, status < http.StatusMultipleChoices); ok {
			return hidden, nil
		}
		return []byte(secret.Hidden), nil
	}
	object := v.Kind() == value.Object
	if status >= http.StatusBadRequest && object {
		return secret.MapError(v, func(m value.Member) value.Member { return m }, func(m value.Member) value.Member {
			return value.Member{Name: shownName(m.Name), Value: hideTexts(m.Value, false)}
		}).AppendJSON(nil), nil
	}
	return hideTexts(v, object && status < http.StatusMultipleChoices).AppendJSON(nil), nil
}

var date = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)

func hideTexts(v value.Value, known bool) value.Value {
	if k := v.Kind(); k == value.String || k == value.Number {
		if known && (v.IsNumeric() || date.MatchString(v.Raw())) {
			return v
		}
		return value.OfString(secret.Hidden)
	}
	return v.Map(func(m value.Member) value.Member {
		return value.Member{Name: shownName(m.Name), Value: hideTexts(m.Value, known)}
	})
}

// shownName returns the name of a member. A name that may be data is hidden.
func shownName(name string) string {
	if secret.OrdinaryName(name) {
		return name
	}
	return secret.Hidden
}
