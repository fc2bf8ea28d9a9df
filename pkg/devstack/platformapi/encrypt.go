package platformapi

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const encryptPath = encryptionPath + "/encrypt"

// encrypt responds with ciphers: of a text, or of a JSON document with every value
// encrypted that has a key beginning with #. The query contains the scope of the ciphers.
func (s *server) encrypt(r *http.Request) (response, error) {
	scope, err := scopeOf(r)
	if err != nil {
		return response{}, err
	}
	body, err := readBody(r)
	if err != nil {
		return response{}, err
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "text/plain":
		return s.encryptText(scope, string(body))
	case err == nil && kind == "application/json":
		return s.encryptDocument(scope, body)
	default:
		return response{}, invalid("The Content-Type must be application/json or text/plain")
	}
}

func scopeOf(r *http.Request) (encryption.Scope, error) {
	q := queryOf(r)
	scope := encryption.Scope{
		Component: q.text("componentId"), Project: q.text("projectId"), Configuration: q.text("configId"), BranchType: q.text("branchType"),
	}
	if !slices.Contains([]string{"", "default", "dev"}, scope.BranchType) {
		q.fail(`"branchType" must be default or dev`)
	}
	return scope, q.err
}

func (s *server) encryptText(scope encryption.Scope, text string) (response, error) {
	sealed, err := s.box.EncryptText(scope, text)
	return response{status: http.StatusOK, text: []byte(sealed), kind: "text/plain; charset=utf-8"}, badScope(err)
}

func (s *server) encryptDocument(scope encryption.Scope, body []byte) (response, error) {
	document, err := value.Parse(body)
	switch {
	case err != nil:
		return response{}, invalid("The body is not valid JSON: %s", err)
	case document.Kind() != value.Object && document.Kind() != value.Array:
		return response{}, invalid("The body must be a JSON object, not %s", document.Kind().WithArticle())
	case deeper(document, maxDepth):
		return response{}, invalid("The body is nested deeper than %d levels", maxDepth)
	}
	sealed, err := s.box.Encrypt(scope, document)
	return ok(sealed, badScope(err))
}

// sealed reads a document like fields.object and encrypts its plain secrets for the
// component and the project. Secrets are never stored unencrypted.
func (s *server) sealed(f *fields, component, name string) json.RawMessage {
	document := f.object(name)
	if document == nil {
		return nil
	}
	v, err := value.Parse(document)
	if err == nil {
		v, err = s.box.EncryptPlain(encryption.Scope{Component: component, Project: strconv.Itoa(projectID)}, v)
	}
	if err != nil && f.err == nil {
		f.err = err
	}
	return json.RawMessage(v.JSON())
}

func badScope(err error) error {
	if errors.Is(err, encryption.ErrScope) {
		return invalid(`"componentId", "projectId" or both are required; "configId" needs both, "branchType" needs "projectId"`)
	}
	return err
}
