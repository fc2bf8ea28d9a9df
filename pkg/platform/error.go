package platform

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Error is a failed call of either API: it was refused, not answered, or the response
// was not the expected record.
type Error struct {
	// Method and URL of the call; URL has no query.
	Method, URL string
	// Status is the HTTP status; 0 without a response.
	Status int
	// Code is the API's own code, a text or a number; may be "".
	Code string
	// Message is the API's text, or what went wrong; may be "".
	Message string
	// ExceptionID is for the platform's support; may be "".
	ExceptionID string

	cause error
}

// Error is "GET https://…: 404 Not Found: message (code …, exceptionId …)".
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

// Unwrap returns the network or context error if there was no response. Do not show
// it: only the text of Error is free of the token.
func (e *Error) Unwrap() error { return e.cause }

// Refused reports whether the token was not accepted.
func (e *Error) Refused() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// MayHaveSucceeded reports whether a failed write may have been done: there was no response,
// or one that does not say.
func (e *Error) MayHaveSucceeded() bool {
	return e.Method != http.MethodGet && (e.Status < 400 || e.Status >= 500)
}

// describe reads the body of an error: of the storage API (code is a text), of the
// queue API (code is a number) or of maintenance (reason instead of error). Other
// bodies are ignored.
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

// refusal is the body of an error response. It accepts any JSON, so that the client
// library can always decode it.
type refusal struct{ body []byte }

// UnmarshalJSON keeps the text.
func (r *refusal) UnmarshalJSON(body []byte) error {
	r.body = append([]byte(nil), body...)
	return nil
}

// Error is required by the client library; the text is never shown.
func (r *refusal) Error() string { return "refused" }
