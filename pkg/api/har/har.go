// Package har records the HTTP exchanges of a run in a file and replays them. The format
// is HTTP Archive 1.2, which browsers and many other tools can open.
//
// A Recorder writes the file during the run. A Player returns the responses in the file
// to the same run. Both provide the clock of their run, so that a replay sees the
// recorded times. Known secrets are masked in the file, so requests are compared in their
// masked form.
//
// The package sends no requests, and does not handle retries, redirects or credentials
// (see package httpclient).
package har

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// formatVersion is the version of the format.
const formatVersion = "1.2"

// runPage groups the entries of a run. It holds the start time of the run.
type runPage struct {
	Started time.Time `json:"startedDateTime"`
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Timings struct{}  `json:"pageTimings"`
}

// Entry is one exchange. Members with an underscore are extensions, which other tools
// ignore.
//
// Response is the last member of Entry, Content the last member of Response, and Text the
// last member of Content, so that the writer can append a body of any length.
type Entry struct {
	Page    string    `json:"pageref,omitempty"`
	Started time.Time `json:"startedDateTime"`
	// Time is the duration in milliseconds.
	Time    float64  `json:"time"`
	Request Request  `json:"request"`
	Cache   struct{} `json:"cache"`
	Timings Timings  `json:"timings"`
	// Error is the reason why no complete response arrived. Code is its number in
	// `retryConfig`.
	Error string `json:"_error,omitempty"`
	Code  int    `json:"_errorCode,omitempty"`
	// Unsent is true if there was no connection.
	Unsent bool `json:"_unsent,omitempty"`
	// Unknown is true if a replay was recorded that had no response to the request.
	Unknown bool `json:"_unknown,omitempty"`
	// Origin is the page that the exchange was sent for. It is nil in recordings of other
	// programs.
	Origin   *Initiator `json:"_origin,omitempty"`
	Response Response   `json:"response"`
}

// Request is a request as it was sent.
type Request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []Pair    `json:"cookies"`
	Headers     []Pair    `json:"headers"`
	Query       []Pair    `json:"queryString"`
	Post        *PostData `json:"postData,omitempty"`
	HeadersSize int64     `json:"headersSize"` // size in bytes, or -1 if unknown
	BodySize    int64     `json:"bodySize"`
	// Anonymous is true if the request was sent without the credentials of the API.
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
	// Params are the fields of a form. Browsers write them in addition to Text or instead
	// of Text. A Recorder does not write them.
	Params []Pair `json:"params,omitempty"`
}

// Timings are the phases of Entry.Time, in milliseconds.
type Timings struct {
	Blocked float64 `json:"blocked"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Response is the response to a request. Its status is 0 if no response arrived.
type Response struct {
	Status      int     `json:"status"`
	StatusText  string  `json:"statusText"`
	HTTPVersion string  `json:"httpVersion"`
	Cookies     []Pair  `json:"cookies"`
	Headers     []Pair  `json:"headers"`
	RedirectURL string  `json:"redirectURL"`
	HeadersSize int64   `json:"headersSize"` // size in bytes, or -1 if unknown
	BodySize    int64   `json:"bodySize"`    // size as transferred, in bytes, or -1 if unknown
	Content     content `json:"content"`
}

// content is the decompressed body of a response.
type content struct {
	// Size is the size of the body, in bytes, before masking and capping.
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	// Comment notes that secrets are masked, or gives the reason why the body is left
	// out.
	Comment string `json:"comment,omitempty"`
	// Encoding is base64 or "".
	Encoding string `json:"encoding,omitempty"`
	// Capped is true if Text is only the beginning of the body.
	Capped bool `json:"_capped,omitempty"`
	// Omitted is true if the body is left out because it cannot be searched for secrets.
	Omitted bool `json:"_omitted,omitempty"`
	// File is set if the body became a file. Then Text is empty, unless a rule may look
	// into the body.
	File *File  `json:"_file,omitempty"`
	Text string `json:"text,omitempty"`
}

// FileComment is the comment of a body that is not recorded, because it became a file.
const FileComment = "the body became a file: only its size and hash are recorded"

// File is the size of a body that became a file, and its SHA-256 in hexadecimal digits.
type File struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// escapedHidden is the mask in a URL, where brackets are not allowed.
const escapedHidden = "%5Bhidden%5D"

func escapeHidden(url string) string { return strings.ReplaceAll(url, secret.Hidden, escapedHidden) }

func unescapeHidden(url string) string { return strings.ReplaceAll(url, escapedHidden, secret.Hidden) }

// resolution is the resolution of all times in a file.
const resolution = time.Millisecond

// Initiator identifies the page of the job that an exchange was sent for, and the sources
// of its request.
type Initiator struct {
	// Job is the name of the job as in events. Pointer is its JSON pointer.
	Job     string `json:"job"`
	Pointer string `json:"pointer"`
	// At identifies the page in the run with numbers from 1: the iteration, the job in
	// it, the run of the job (one for each window), and the page of that run. For a child
	// job, its run for that page and the page of that run follow, and so on.
	At []int `json:"at"`
	// Login is true for a request of the authentication that was sent for this page.
	Login bool `json:"login,omitempty"`
	// Attempt counts from 1.
	Attempt int `json:"attempt,omitempty"`
	// Redirected is true if a response led the request to another URL. Then Sources is
	// empty.
	Redirected bool `json:"redirected,omitempty"`
	// Sources are the sources of the parts of the request, without the parts that are the
	// same for every request.
	Sources []request.Source `json:"sources,omitempty"`
}

// PageFindings holds the findings of a run in the response for a page.
type PageFindings struct {
	// At is the field At of the Initiator.
	At []int `json:"at"`
	// Rows is the number of items.
	Rows int `json:"rows"`
	// Data is the path of the items in the body, as a list of names. It is empty if the
	// body itself holds the items, and nil if the items have no single path.
	Data []string `json:"data"`
	// Next lists the paths of all values in the body that determine the next page. A name
	// "*" stands for every item of the data.
	Next [][]string `json:"next,omitempty"`
	// NextHeader is the header of the response that leads to the next page.
	NextHeader string `json:"nextHeader,omitempty"`
	// Stop is the rule that ended the run of the job on this page. Pointer is the JSON
	// pointer of its setting.
	Stop    string `json:"stop,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

func (o Initiator) redacted(redact func(string) string) *Initiator {
	o.Job, o.Pointer = redact(o.Job), redact(o.Pointer)
	sources := make([]request.Source, len(o.Sources))
	for i, s := range o.Sources {
		s.Part, s.From, s.Pointer = redact(s.Part), redact(s.From), redact(s.Pointer)
		sources[i] = s
	}
	o.Sources = sources
	return &o
}

func (r PageFindings) redacted(redact func(string) string) PageFindings {
	names := func(path []string) []string {
		if path == nil {
			return nil
		}
		masked := make([]string, len(path))
		for i, name := range path {
			masked[i] = redact(name)
		}
		return masked
	}
	r.Data = names(r.Data)
	next := make([][]string, len(r.Next))
	for i, path := range r.Next {
		next[i] = names(path)
	}
	r.Next = next
	r.Stop, r.Pointer = redact(r.Stop), redact(r.Pointer)
	return r
}
