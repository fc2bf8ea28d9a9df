// Package har records the HTTP exchanges of a run in a file and replays them. The
// format is HTTP Archive 1.2, which browsers and many other tools can open.
//
// A Recorder writes the file during the run, a Player responds to the same run from it.
// Both provide the clock of their run, so that a replay sees the recorded times.
// Known secrets are masked in the file, so requests are compared in their masked
// form.
//
// The package sends nothing and knows neither retries, redirects nor credentials
// (package exchange).
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

// Entry is one exchange. Names with an underscore are ours; other tools ignore them.
//
// Response is the last member, Content the last one in it, and Text the last one
// there, so that the writer can append a body of any length.
type Entry struct {
	Page    string    `json:"pageref,omitempty"`
	Started time.Time `json:"startedDateTime"`
	// Time is the duration in milliseconds.
	Time    float64  `json:"time"`
	Request Request  `json:"request"`
	Cache   struct{} `json:"cache"`
	Timings Timings  `json:"timings"`
	// Error is why no complete response arrived; Code is its number in `retryConfig`.
	Error string `json:"_error,omitempty"`
	Code  int    `json:"_errorCode,omitempty"`
	// Unsent is set if there was no connection.
	Unsent bool `json:"_unsent,omitempty"`
	// Unknown is set if a replay was recorded that had no response to the request.
	Unknown bool `json:"_unknown,omitempty"`
	// Origin is what the exchange was for; nil in recordings of other programs.
	Origin   *Initiator `json:"_origin,omitempty"`
	Response Response   `json:"response"`
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
	// Anonymous is set if the job wanted no credentials.
	Anonymous bool `json:"_anonymous,omitempty"`
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
	// Params are the fields of a form. Browsers write them in addition to Text or
	// instead of it; we do not.
	Params []Pair `json:"params,omitempty"`
}

// Timings are the parts of Entry.Time in milliseconds.
type Timings struct {
	Blocked float64 `json:"blocked"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Response is the response; its status is 0 if there was none.
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

// Content is the body of a response, decompressed.
type Content struct {
	// Size is that of the body before masking and capping, in bytes.
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	// Comment says that something is masked, or why the body is left out.
	Comment string `json:"comment,omitempty"`
	// Encoding is base64 or "".
	Encoding string `json:"encoding,omitempty"`
	// Capped is set if Text is only the beginning.
	Capped bool `json:"_capped,omitempty"`
	// Omitted is set if the body is left out, because it cannot be searched for secrets.
	Omitted bool   `json:"_omitted,omitempty"`
	Text    string `json:"text,omitempty"`
}

// escapedHidden is the mask in an address, where brackets are not allowed.
const escapedHidden = "%5Bhidden%5D"

func escapeHidden(url string) string { return strings.ReplaceAll(url, secret.Hidden, escapedHidden) }

func unescapeHidden(url string) string { return strings.ReplaceAll(url, escapedHidden, secret.Hidden) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// resolution is that of every time in a file.
const resolution = time.Millisecond
