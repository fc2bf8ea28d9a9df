package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// errorsOnly returns the finding that a response has errors instead of data, or nil.
func (p *pipeline) errorsOnly(number int, res *httpclient.Response, page *response.Page) (event.Finding, error) {
	if res.AcceptedError || res.Decision != nil || page.Rows > 0 && !page.FromErrors {
		return nil, nil
	}
	errors := page.Errors()
	if hasNoErrors(errors) {
		return nil, nil
	}
	// The next run must request a new response, not read this response from the cache.
	return event.ResponseErrors{
		Job: p.name, Page: number, Text: errorTexts(errors, p.secrets.Mask), JobPointer: p.Pointer, Iteration: p.iteration,
	}, res.EvictFromCache()
}

// Limits of the error text that a finding shows. The first readBytes of a text are masked
// before the text is shortened, so that no secret is cut in two.
const (
	mostErrors    = 3
	mostErrorText = 300 // characters
	readBytes     = 64 << 10
)

// errorTexts returns the text of the first errors of a page, masked and shortened. errors
// is the result of response.Page.Errors.
func errorTexts(errors value.Value, mask func(string) string) string {
	all := []value.Value{errors}
	if errors.Kind() == value.Array {
		all = errors.Items()
	}
	var texts []string
	for _, one := range all[:min(len(all), mostErrors)] {
		text := errorMessage(one)
		masked := mask(text[:min(len(text), readBytes)])
		if len(text) > readBytes {
			masked = masked[:len(masked)/2] // the end may be half of a secret, which is not masked
		}
		text = strings.Join(strings.Fields(masked), " ")
		if short := textfmt.Shorten(text, mostErrorText); short != text {
			text = strings.TrimSuffix(short, "…") + " …"
		}
		texts = append(texts, text)
	}
	if more := len(all) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// hasNoErrors reports whether the value of a member `errors` contains no error. Some APIs
// always send `{"code": 0, "message": ""}`.
func hasNoErrors(v value.Value) bool {
	switch v.Kind() {
	case value.Array:
		return !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !hasNoErrors(item) })
	case value.Object:
		return !slices.ContainsFunc(v.Members(), func(m value.Member) bool { return !hasNoErrors(m.Value) })
	default:
		return v.Empty()
	}
}

// errorMessage returns the message of an error, or the JSON text of the error if it has
// no message.
func errorMessage(v value.Value) string {
	if v.Kind() == value.String {
		return v.Raw()
	}
	for _, name := range []string{"message", "detail", "title", "description", "error", "reason", "code"} {
		if m := v.Field(name); m.IsScalar() && !m.Empty() {
			return m.Text()
		}
	}
	return v.JSON()
}
