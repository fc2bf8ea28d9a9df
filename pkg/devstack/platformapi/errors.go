package platformapi

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
)

// refusal is an error that the client can fix.
type refusal struct {
	status int
	// code belongs to the storage API. The other APIs send the status instead.
	code, message string
	// context is an object of the queue API. It may be nil.
	context map[string]string
}

func (e *refusal) Error() string { return e.message }

func invalid(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "validation", message: fmt.Sprintf(format, args...)}
}

func notFound(code, format string, args ...any) *refusal {
	return &refusal{status: http.StatusNotFound, code: code, message: fmt.Sprintf(format, args...)}
}

func replaceError(err, known error, refusal *refusal) error {
	if errors.Is(err, known) {
		return refusal
	}
	return err
}

// alreadyExists returns a refusal with status 400 for an id that is in use. Clients test
// the suffix of its code.
func alreadyExists(what, format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: what + "AlreadyExists", message: fmt.Sprintf(format, args...)}
}

// storageError is an error response of the storage API. It differs from queueError in the
// type of Code.
type storageError struct {
	Error       string `json:"error"`
	Code        string `json:"code"`
	ExceptionID string `json:"exceptionId"`
	Status      string `json:"status"`
}

type queueError struct {
	Error       string `json:"error"`
	Code        int    `json:"code"`
	ExceptionID string `json:"exceptionId"`
	Status      string `json:"status"`
	// Context is an object, or [] if it is empty.
	Context any `json:"context"`
}

// refuse responds with an error in the shape of the API that the path belongs to.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	id := exceptionID()
	refused, ok := errors.AsType[*refusal](err)
	if !ok {
		s.Report(fmt.Errorf("%s: %s %s: %w", id, r.Method, r.URL.Path, err))
		refused = &refusal{status: http.StatusInternalServerError, code: "internalError", message: "Internal Server Error occurred."}
	}
	s.send(w, r, response{status: refused.status, record: refused.record(r.URL.Path, id)})
}

func (e *refusal) record(path, id string) any {
	if !within(path, queuePath) && !within(path, encryptionPath) {
		return storageError{Error: e.message, Code: e.code, ExceptionID: id, Status: "error"}
	}
	record := queueError{Error: e.message, Code: e.status, ExceptionID: id, Status: "error", Context: []string{}}
	if e.context != nil {
		record.Context = e.context
	}
	return record
}

func exceptionID() string {
	random := make([]byte, 16)
	rand.Read(random) // never fails
	return "exception-" + hex.EncodeToString(random)
}
