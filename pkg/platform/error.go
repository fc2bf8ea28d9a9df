package platform

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Error is a failed call of a platform API: it was refused, it got no response, or the
// response was not the expected record.
type Error struct {
	// Method and URL identify the call. URL has no query.
	Method, URL string
	// Status is the HTTP status, or 0 if there was no response.
	Status int
	// Code is the error code of the API, a text or a number. It may be empty.
	Code string
	// Message is the text of the API, or a description of the failure. It may be empty.
	Message string
	// ExceptionID identifies the error for the platform's support. It may be empty.
	ExceptionID string

	cause error
}

// Error returns "GET https://…: 404 Not Found: message (code …, exceptionId …)".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Method + " " + e.URL)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": %d", e.Status)
		if name := http.StatusText(e.Status); name != "" {
			b.WriteString(" " + name)
		}
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	var details []string
	if e.Code != "" {
		details = append(details, "code "+e.Code)
	}
	if e.ExceptionID != "" {
		details = append(details, "exceptionId "+e.ExceptionID)
	}
	if len(details) > 0 {
		b.WriteString(" (" + strings.Join(details, ", ") + ")")
	}
	return b.String()
}

// Unwrap returns the network or context error if there was no response. Do not show its
// text: it may contain the token, unlike the text of Error.
func (e *Error) Unwrap() error { return e.cause }

// Refused reports whether the platform refused the token.
func (e *Error) Refused() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// MayHaveSucceeded reports whether a failed write may have succeeded: there was no
// response, or the status does not exclude it.
func (e *Error) MayHaveSucceeded() bool {
	return e.Method != http.MethodGet && (e.Status < 400 || e.Status >= 500)
}

// describe reads the body of an error response: of the storage API (code is a text), of the
// queue API (code is a number) or of maintenance (reason instead of error). It ignores
// other bodies.
func (e *Error) describe(body []byte) {
	v, err := value.Parse(body)
	if err != nil {
		return
	}
	for _, name := range []string{"error", "message", "reason"} {
		if m := v.Field(name); m.Kind() == value.String && m.Raw() != "" {
			e.Message = m.Raw()
			break
		}
	}
	e.Code = text(v.Field("code"))
	e.ExceptionID = text(v.Field("exceptionId"))
}

func (e *Error) hide(token string) {
	for _, s := range []*string{&e.Message, &e.Code, &e.ExceptionID} {
		*s = strings.ReplaceAll(*s, token, secret.Hidden)
	}
}

// refusal is the body of an error response. It accepts any JSON, so that the client library
// can always decode it.
type refusal struct{ body []byte }

// UnmarshalJSON stores a copy of the JSON text.
func (r *refusal) UnmarshalJSON(body []byte) error {
	r.body = append([]byte(nil), body...)
	return nil
}

// Error implements error for the client library. Its text is never shown.
func (r *refusal) Error() string { return "refused" }
