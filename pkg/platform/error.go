package platform

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Error is a call that failed, to either API: refused, answered with something
// else than its record, or not answered at all.
type Error struct {
	// Method and URL of the call, without its query.
	Method, URL string
	// Status is the HTTP status; 0 when no answer came.
	Status int
	// Code is the API's own code, text or number as it was written; may be "".
	Code string
	// Message is the API's text, or what went wrong on the way; "" when the
	// status is all there is.
	Message string
	// ExceptionID helps the platform's support to find the fault; may be "".
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

// Unwrap gives the network or context error when no answer came. Its text is
// not meant for people: only Error's is free of the token.
func (e *Error) Unwrap() error { return e.cause }

// Refused tells whether the token was not accepted for this call.
func (e *Error) Refused() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// Unsettled tells that a write may have been done although it failed: no answer
// came, or one that does not say.
func (e *Error) Unsettled() bool {
	return e.Method != http.MethodGet && (e.Status < 400 || e.Status >= 500)
}

// describe reads an error body: that of the storage API (code is a text), of
// the queue API (code is a number) or of a maintenance answer (a reason, no
// error). Other bodies leave the status alone to speak.
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

// hide masks the token where an answer repeats it.
func (e *Error) hide(token string) {
	for _, s := range []*string{&e.Message, &e.Code, &e.ExceptionID} {
		*s = strings.ReplaceAll(*s, token, secret.Hidden)
	}
}

// refusal receives the body of an error answer. It takes any JSON, so that the
// client library never fails to decode one.
type refusal struct{ body []byte }

// UnmarshalJSON keeps the text.
func (r *refusal) UnmarshalJSON(body []byte) error {
	r.body = append([]byte(nil), body...)
	return nil
}

// Error satisfies the client library; the text is never shown.
func (r *refusal) Error() string { return "refused" }
