// Package har keeps the HTTP exchanges of a run in a file and gives them back:
// HTTP Archive 1.2, which the network panels of browsers and many tools open.
//
// A Recorder writes the file while the run goes on, a Player answers the same
// run from it. Both own the clock of their run, so that the second one sees the
// times of the first. No secret that is known reaches the file; requests are
// therefore compared as they look when masked.
//
// The package knows the format, the masking and the matching. It sends nothing
// and knows nothing of retries, redirects or credentials (package target).
package har

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Version is the version of the format.
const Version = "1.2"

// Page groups the entries of a run; it holds the time at which the run started.
type Page struct {
	Started time.Time `json:"startedDateTime"`
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Timings struct{}  `json:"pageTimings"`
}

// Entry is one exchange. Names with an underscore are ours; other tools ignore
// them.
//
// Response stands last, as Content does in it and Text in that: so the writer
// can append a body of any length.
type Entry struct {
	Page    string    `json:"pageref,omitempty"`
	Started time.Time `json:"startedDateTime"`
	// Time is how long it took, in milliseconds.
	Time    float64  `json:"time"`
	Request Request  `json:"request"`
	Cache   struct{} `json:"cache"`
	Timings Timings  `json:"timings"`
	// Error is why no complete answer arrived, "" when one did; Code is its
	// number, as `retryConfig` names network errors.
	Error string `json:"_error,omitempty"`
	Code  int    `json:"_errorCode,omitempty"`
	// Unsent is set when there was not even a connection.
	Unsent   bool     `json:"_unsent,omitempty"`
	Response Response `json:"response"`
}

// Request is what was sent.
type Request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []Pair    `json:"cookies"`
	Headers     []Pair    `json:"headers"`
	Query       []Pair    `json:"queryString"`
	Post        *PostData `json:"postData,omitempty"`
	HeadersSize int64     `json:"headersSize"` // -1: not known
	BodySize    int64     `json:"bodySize"`
}

// Pair is a header, a cookie or a query parameter.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// PostData is the body of a request.
type PostData struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	// Params are the fields of a form, which browsers keep beside the text or in
	// its place; we write none.
	Params []Pair `json:"params,omitempty"`
}

// Timings are the parts of Entry.Time in milliseconds.
type Timings struct {
	Blocked float64 `json:"blocked"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Response is what came back; its status is 0 when nothing did.
type Response struct {
	Status      int     `json:"status"`
	StatusText  string  `json:"statusText"`
	HTTPVersion string  `json:"httpVersion"`
	Cookies     []Pair  `json:"cookies"`
	Headers     []Pair  `json:"headers"`
	RedirectURL string  `json:"redirectURL"`
	HeadersSize int64   `json:"headersSize"` // -1: not known
	BodySize    int64   `json:"bodySize"`    // as it was transferred; -1: not known
	Content     Content `json:"content"`
}

// Content is the body of an answer, decompressed.
type Content struct {
	// Size is that of the body as it arrived, before anything was masked or
	// left out.
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	// Comment says that something is masked.
	Comment string `json:"comment,omitempty"`
	// Encoding is base64 or "".
	Encoding string `json:"encoding,omitempty"`
	// Capped is set when Text holds only the beginning.
	Capped bool   `json:"_capped,omitempty"`
	Text   string `json:"text,omitempty"`
}

// escapedHidden is how a masked text stands in an address, where brackets are
// not allowed.
const escapedHidden = "%5Bhidden%5D"

func escapeHidden(url string) string { return strings.ReplaceAll(url, secret.Hidden, escapedHidden) }

func unescapeHidden(url string) string { return strings.ReplaceAll(url, escapedHidden, secret.Hidden) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// resolution is that of every time in a file.
const resolution = time.Millisecond
