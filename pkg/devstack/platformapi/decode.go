package platformapi

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// maxBody is the maximum size, in bytes, of a body. A configuration and a state of
	// maximum size fit even if a form escapes every byte.
	maxBody = 32 << 20
	// maxDocument is the maximum size, in bytes, of a configuration or a state.
	maxDocument = 4 << 20
	// maxDepth is the maximum nesting of a document. The JSON readers of clients have
	// limits too, and the store wraps documents in its records.
	maxDepth = 512
)

// fields reads the fields of a body. After the first error all fields are absent, so
// callers need to check err only once. A field that is null is absent. Fields that the
// endpoint of the request does not declare are refused.
type fields struct {
	members value.Value // an object
	err     error
}

func formFields(r *http.Request) *fields { return readFields(r, true) }

func jsonFields(r *http.Request) *fields { return readFields(r, false) }

func readFields(r *http.Request, forms bool) *fields {
	f := parseBody(r, forms)
	if f.err == nil {
		f.err = checkBody(r, f.members)
	}
	return f
}

func parseBody(r *http.Request, forms bool) *fields {
	body, err := readBody(r)
	if err != nil || len(body) == 0 {
		return &fields{err: err}
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")):
		return jsonObject(body)
	case err == nil && forms && kind == "application/x-www-form-urlencoded":
		return formObject(string(body))
	case forms:
		return &fields{err: invalid("The Content-Type must be application/json or application/x-www-form-urlencoded")}
	default:
		return &fields{err: invalid("The Content-Type must be application/json")}
	}
}

func readBody(r *http.Request) ([]byte, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, &refusal{
			status: http.StatusUnsupportedMediaType, code: "contentEncoding",
			message: "The Content-Encoding " + strconv.Quote(encoding) + " is not supported, send the body as it is",
		}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, invalid("The body cannot be read")
	}
	if len(body) > maxBody {
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, code: "bodyTooLarge", message: "The body is larger than 32 MB"}
	}
	return body, nil
}

func jsonObject(body []byte) *fields {
	v, err := value.Parse(body)
	switch {
	case err != nil:
		return &fields{err: invalid("The body is not valid JSON: %s", err)}
	case v.Kind() != value.Object && !emptyList(v):
		return &fields{err: invalid("The body must be a JSON object, not %s", v.Kind().WithArticle())}
	}
	return &fields{members: v}
}

func formObject(body string) *fields {
	form, err := url.ParseQuery(body)
	if err != nil {
		return &fields{err: invalid("The body is not a valid form")}
	}
	members, err := parseNested(form)
	return &fields{members: members, err: err}
}

func (f *fields) get(name string) (value.Value, bool) {
	v := f.members.Field(name)
	return v, f.err == nil && !v.IsNull()
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = invalid(format, args...)
	}
}

// text returns a text, or "" if it is absent. It accepts a number as written, because a
// form cannot distinguish numbers from texts.
func (f *fields) text(name string) string {
	v, given := f.get(name)
	if given && v.Kind() != value.String && v.Kind() != value.Number {
		f.fail("%q must be a string, not %s", name, v.Kind().WithArticle())
	}
	return v.Raw()
}

func (f *fields) id(name string) string {
	id := f.text(name)
	if id != "" && !validID(id) {
		f.fail(`%q must be an id of letters, digits, ".", "_" and "-"`, name)
	}
	return id
}

func (f *fields) flag(name string) (yes, given bool) {
	v, given := f.get(name)
	if !given {
		return false, false
	}
	switch v.Raw() {
	case "1", "true", "True": // the Python client writes True
		return true, true
	case "0", "false", "False":
		return false, true
	}
	f.fail("%q must be true or false", name)
	return false, true
}

func (f *fields) number(name string, fallback, low, high int) int {
	v, given := f.get(name)
	if !given {
		return fallback
	}
	n, ok := wholeNumber(v, low, high)
	if !ok {
		f.fail("%q must be a whole number from %d to %d", name, low, high)
	}
	return n
}

func wholeNumber(v value.Value, low, high int) (n int, ok bool) {
	n, err := strconv.Atoi(v.Raw())
	return n, err == nil && low <= n && n <= high
}

func (f *fields) list(name string) []value.Value {
	v, given := f.get(name)
	if !given {
		return nil
	}
	if v.Kind() != value.Array {
		f.fail("%q must be a list, not %s", name, v.Kind().WithArticle())
		return nil
	}
	return v.Items()
}

// object returns a document as compact JSON with its members in order, or nil if it is
// absent. The document may also be a JSON text. An empty list is accepted as an empty
// object, because PHP writes it that way.
func (f *fields) object(name string) json.RawMessage {
	v, given := f.get(name)
	if !given {
		return nil
	}
	if v.Kind() == value.String {
		parsed, err := value.Parse([]byte(v.Raw()))
		if err != nil {
			f.fail("%q is not valid JSON: %s", name, err)
			return nil
		}
		v = parsed
	}
	if v.IsNull() {
		return nil
	}
	if emptyList(v) {
		return json.RawMessage("{}")
	}
	if v.Kind() != value.Object {
		f.fail("%q must be an object, not %s", name, v.Kind().WithArticle())
		return nil
	}
	return f.document(name, v)
}

// document returns the JSON of a value. It reports an error if the value is too large or
// too deep to be stored.
func (f *fields) document(name string, v value.Value) json.RawMessage {
	if deeper(v, maxDepth) {
		f.fail("%q is nested deeper than %d levels", name, maxDepth)
		return nil
	}
	text := json.RawMessage(v.JSON())
	if len(text) > maxDocument {
		f.fail("%q is larger than 4 MB", name)
	}
	return text
}

func deeper(v value.Value, levels int) bool {
	if levels < 0 {
		return true
	}
	for _, item := range v.Items() {
		if deeper(item, levels-1) {
			return true
		}
	}
	for _, member := range v.Members() {
		if deeper(member.Value, levels-1) {
			return true
		}
	}
	return false
}

func emptyList(v value.Value) bool { return v.Kind() == value.Array && v.Len() == 0 }
