package config

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/body"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of `body`.
var (
	JobBody    = field.Of("body", "Body", "The body of the requests of this job, as a text with values. `params` are then in the query. Not with the methods `GET` and `FORM`. See [Bodies](#bodies).", bodyType).Example(`{"type": "text/xml; charset=utf-8", "text": "<list><since>{since}</since></list>", "values": {"since": {"time": "previousStart"}}}`).Also("data", "payload", "request_body", "json")
	LoginBody  = field.Of("body", "Body", "The body of the login, as for jobs. Expressions refer to what those in `params` refer to.", bodyType).Example(`{"type": "application/json", "text": "{\"user\": \"{user}\"}", "values": {"user": {"attr": "username"}}}`).Also("data", "payload", "request_body", "json")
	ScrollBody = field.Of("body", "Body", "The body of later pages, as for jobs. `{\"paging\": \"next\"}` in its `values` is the value for the next page, which is then not sent as a parameter.", bodyType).Example(`{"type": "text/xml", "text": "<more>{next}</more>", "values": {"next": {"paging": "next"}}}`).Also("data", "payload", "request_body", "json")

	BodyMediaType = field.Text("type", "Type", "The header `Content-Type`, which replaces all others. It decides how values are escaped: as XML (`text/xml`, `application/xml`, `…+xml`), as JSON (`application/json`, `…+json`) or as a form (`application/x-www-form-urlencoded`). With any other type they are not escaped. A `charset` must be `utf-8`.").Typed(&field.Type{Kinds: []string{"string"}, NotEmpty: []string{"string"}, Message: "expected a media type"}).Example(`"text/xml; charset=utf-8"`, `"application/soap+xml"`).Must().Also("content_type", "contenttype", "mimetype")
	BodyText      = field.Of("text", "Text", "The text of the body. A list is a text of lines, joined by a line feed. Each `{name}` of `values` is replaced by its value, other braces stay.", &field.Type{Kinds: []string{"string", "array"}, NotEmpty: []string{"string", "array"}, Items: field.StrictText, Message: "expected a text or a list of lines"}).Example(`"<since>{since}</since>"`, `["<list>", "  <since>{since}</since>", "</list>"]`).Must().Also("content", "template", "data")
	BodyValues    = field.Of("values", "Values", "The values in the text, by their names: letters, digits and the characters `# _ . : -`. Null is empty, and `null` outside the quotes of JSON.", ExpressionsType).Example(`{"since": {"remembered": "since", "default": "2020-01-01"}}`).Evaluated(expr.InJobs, expr.InLogin, expr.InOAuthLogin, expr.InScrollBody)

	bodyType = field.Object("body", "Body", "A text with values. No value can change the structure of a text in XML, JSON or a form.", BodyMediaType, BodyText, BodyValues)
)

// RequestBody is the body of a request.
type RequestBody struct {
	// Pointer is the JSON pointer of the section.
	Pointer string
	// Type is the header Content-Type.
	Type string
	Text []byte
	// Secrets are the ranges of Text that are secrets.
	Secrets []secret.Span
}

// BodyTemplate is a compiled `body`. A nil BodyTemplate is no body.
type BodyTemplate struct {
	mediaType string
	text      body.Template
	// secret is true if the text itself is marked as a secret.
	secret  bool
	values  expr.Entries
	pointer string
}

// CompileBody compiles a section `body`, or returns nil if it is absent or has a problem.
// compiler compiles its values. method is the method of the request, or "" if it is not
// known yet.
func CompileBody(s Section, method string, compiler expr.Compiler) *BodyTemplate {
	if !s.Present() || s.Faulty() || s.Value.Kind() != value.Object {
		return nil
	}
	before := len(*s.Problems())
	if method != "" {
		CheckBodyMethod(s, method)
	}
	text, values := BodyText.In(s), BodyValues.In(s)
	t := &BodyTemplate{mediaType: BodyMediaType.Of(s), secret: text.Value.Secret(), pointer: s.Pointer}
	names := BodyNames(s)
	for _, name := range names {
		reportBody(values.Get(name), body.CheckName(name))
	}
	switch fault := body.CheckType(t.mediaType); {
	case t.mediaType == "" || BodyMediaType.In(s).Faulty(): // reported already
	case fault != nil:
		reportBody(BodyMediaType.In(s), fault)
	case text.Present() && !text.Faulty():
		t.text, fault = body.Parse(t.mediaType, BodyLines(text.Value), names)
		reportBody(text, fault)
	}
	if !values.Faulty() {
		compiler.Exact = true
		t.values = compiler.Entries(values.Value, values.Pointer)
	}
	if len(*s.Problems()) > before {
		return nil
	}
	return t
}

// BodyLines returns the text of a body.
func BodyLines(v value.Value) string {
	if v.Kind() != value.Array {
		return v.Raw()
	}
	var lines []string
	for _, line := range v.Items() {
		lines = append(lines, line.Raw())
	}
	return strings.Join(lines, "\n")
}

// BodyNames returns the names of the values of a section `body`.
func BodyNames(s Section) []string {
	var names []string
	for _, m := range BodyValues.In(s).Value.Members() {
		names = append(names, m.Name)
	}
	return names
}

// reportBody reports a fault, if there is one. If the section is a list of lines, it is
// reported at its line.
func reportBody(s Section, fault *body.Fault) {
	if fault == nil {
		return
	}
	for i, line := range s.Value.Items() {
		if fault.Line > 0 {
			if fault.Line -= 1 + strings.Count(line.Raw(), "\n"); fault.Line <= 0 {
				s = s.Get(strconv.Itoa(i))
				break
			}
		}
	}
	s.Problems().Add(failure.Problem{Code: failure.InvalidBody, Pointer: s.Pointer, Found: fault.Found, Expected: fault.Expected, Hint: fault.Hint})
}

// CheckBodyMethod reports the body of a request with a method that allows none.
func CheckBodyMethod(s Section, method string) {
	switch method = strings.ToUpper(cmp.Or(method, http.MethodGet)); method {
	case http.MethodGet:
		s.Problems().Add(failure.Problem{Code: failure.InvalidBody, Pointer: s.Pointer, Expected: "expected no body with the method GET", Hint: `write "method": "POST", or another one that has a body`})
	case "FORM":
		s.Problems().Add(failure.Problem{Code: failure.InvalidBody, Pointer: s.Pointer, Expected: "expected no body with the method FORM, which makes one of \"params\"", Hint: `write "method": "POST", or remove the body`})
	}
}

// mayHaveBody reports whether a method allows `body`.
func mayHaveBody(method string) bool {
	return BodyType(method) != "" && !strings.EqualFold(method, "FORM")
}

// Eval evaluates the values and returns the body. An error is a user error.
func (t *BodyTemplate) Eval(scope *expr.Scope) (*RequestBody, error) {
	if t == nil {
		return nil, nil
	}
	values, err := t.values.Eval(scope)
	if err != nil {
		return nil, err
	}
	return t.Fill(values)
}

// Fill returns the body with evaluated values.
func (t *BodyTemplate) Fill(values value.Value) (*RequestBody, error) {
	text, secrets, err := t.text.Fill(values.Field)
	if wrong, ok := errors.AsType[*body.ValueError](err); ok {
		return nil, failure.Userf("the value '%s' of the body: %s", wrong.Name, wrong.Text).At(failure.PointerJoin(failure.PointerJoin(t.pointer, BodyValues.Name), wrong.Name))
	}
	if t.secret && len(text) > 0 {
		secrets = []secret.Span{{From: 0, To: len(text)}}
	}
	return &RequestBody{Pointer: t.pointer, Type: t.mediaType, Text: text, Secrets: secrets}, err
}

// Entries returns the values.
func (t *BodyTemplate) Entries() expr.Entries {
	if t == nil {
		return expr.Entries{}
	}
	return t.values
}

// References returns the names in a context that the values refer to.
func (t *BodyTemplate) References(c expr.Context) []string { return t.Entries().References(c) }

// UnusedBodyValues returns the values of a section `body` that its text does not use.
func UnusedBodyValues(s Section) []Section {
	mediaType, names := BodyMediaType.In(s).Value.Text(), BodyNames(s)
	text, fault := body.Parse(mediaType, BodyLines(BodyText.In(s).Value), names)
	if fault != nil || body.CheckType(mediaType) != nil {
		return nil
	}
	names = slices.DeleteFunc(names, text.Uses)
	unused := make([]Section, len(names))
	for i, name := range names {
		unused[i] = BodyValues.In(s).Get(name)
	}
	return unused
}
