package api

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
	// maxBody is a configuration and a state of the greatest size, every byte of
	// them escaped in a form.
	maxBody = 32 << 20
	// maxDocument is the size of one document: a configuration, a state.
	maxDocument = 4 << 20
	// maxDepth is how deep a document may be nested. The JSON readers of clients
	// have limits too, and the store wraps documents in its records.
	maxDepth = 512
)

// fields reads the fields of a body. The first fault is kept and everything
// after it reads as absent, so that it is enough to look at err once. Null is
// absent, and fields that nobody asks for do not matter.
type fields struct {
	members value.Value // an object
	err     error
}

// formFields reads a body that may be JSON or a form.
func formFields(r *http.Request) *fields { return readFields(r, true) }

// jsonFields reads a body that must be JSON.
func jsonFields(r *http.Request) *fields { return readFields(r, false) }

func readFields(r *http.Request, forms bool) *fields {
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
		return &fields{err: invalid("The body must be a JSON object, not %s", article(v.Kind()))}
	}
	return &fields{members: v}
}

func formObject(body string) *fields {
	form, err := url.ParseQuery(body)
	if err != nil {
		return &fields{err: invalid("The body is not a valid form")}
	}
	members := make([]value.Member, 0, len(form))
	for name, given := range form {
		members = append(members, value.Member{Name: name, Value: value.OfString(given[len(given)-1])})
	}
	return &fields{members: value.OfMembers(members...)}
}

// get is a field that is there and not null.
func (f *fields) get(name string) (value.Value, bool) {
	v := f.members.Field(name)
	return v, f.err == nil && !v.IsNull()
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// text is a text, "" when it is absent. A number is taken as it is written, for
// that is what a form cannot tell from a text.
func (f *fields) text(name string) string {
	v, given := f.get(name)
	if given && v.Kind() != value.String && v.Kind() != value.Number {
		f.fail(invalid("%q must be a string, not %s", name, article(v.Kind())))
	}
	return v.Raw()
}

// id is a text that can be an id, "" when it is absent or empty.
func (f *fields) id(name string) string {
	id := f.text(name)
	if id != "" && !validID(id) {
		f.fail(invalid(`%q must be an id of letters, digits, ".", "_" and "-"`, name))
	}
	return id
}

// flag is a yes or no, false when it is absent.
func (f *fields) flag(name string) (yes, given bool) {
	v, given := f.get(name)
	if !given {
		return false, false
	}
	yes, valid := truth(v.Raw())
	if !valid {
		f.fail(invalid("%q must be true or false", name))
	}
	return yes, true
}

// truth reads the spellings of yes and no.
func truth(text string) (yes, valid bool) {
	switch text {
	case "1", "true":
		return true, true
	case "0", "false":
		return false, true
	default:
		return false, false
	}
}

// object is a document, compact and with everything in its place; nil when it is
// absent. It may come as a JSON text too. [] is how PHP writes an empty object.
func (f *fields) object(name string) json.RawMessage {
	v, given := f.get(name)
	if !given {
		return nil
	}
	if v.Kind() == value.String {
		parsed, err := value.Parse([]byte(v.Raw()))
		if err != nil {
			f.fail(invalid("%q is not valid JSON: %s", name, err))
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
		f.fail(invalid("%q must be an object, not %s", name, article(v.Kind())))
		return nil
	}
	return f.document(name, v)
}

// document is the text of a value that is not too large to be stored.
func (f *fields) document(name string, v value.Value) json.RawMessage {
	if deeper(v, maxDepth) {
		f.fail(invalid("%q is nested deeper than %d levels", name, maxDepth))
		return nil
	}
	text := json.RawMessage(v.JSON())
	if len(text) > maxDocument {
		f.fail(invalid("%q is larger than 4 MB", name))
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

func article(k value.Kind) string {
	switch k {
	case value.Null:
		return "null"
	case value.Array, value.Object:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}
