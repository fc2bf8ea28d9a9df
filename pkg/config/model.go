package config

import (
	"net/url"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Section is a part of the document for the package that compiles it.
type Section = field.Section

// Document is a compiled configuration. It does not change during a run.
type Document struct {
	// Action is "run" or the name of a synchronous action.
	Action string
	API    API
	// Iterations has an entry for each item of `iterations`, and at least one entry.
	Iterations []Iteration
	// AllowedHosts is `image_parameters.allowed_hosts`. If it is empty, all hosts are
	// allowed.
	AllowedHosts []AllowedHost
	// Root is the whole document. Settings is the object `parameters`, or Root if the
	// document does not have it. Other packages read their sections from both.
	Root, Settings Section
	// Vocabulary is Options.Vocabulary.
	Vocabulary expr.Vocabulary
	// Warnings do not stop a run, e.g. unknown keys.
	Warnings failure.Problems
}

// Iteration is one run of all jobs with `config` and an item of `iterations` over it.
type Iteration struct {
	// BaseURL is absolute. Its path is unchanged. It is never nil. It is empty if it has
	// a problem.
	BaseURL *url.URL
	// Headers are sent with every request except logins: `config.http.headers` over
	// `api.http.headers`, evaluated.
	Headers []Header
	// ComputedHeaders are evaluated for each request.
	ComputedHeaders []computedHeader
	// Defaults is `api.http.defaultOptions`.
	Defaults defaultRequest
	// Attributes is `config` without `jobs`, for references such as {"attr": "name"}.
	// Values below a key with a hash sign are marked as secrets.
	Attributes value.Value
	Debug      bool
	// FailIncomplete is true with `onIncomplete: fail`. The first event.Finding ends the
	// run.
	FailIncomplete bool
	// HoldIncomplete is true with `onIncomplete: hold`. After an event.Finding about
	// missing rows `previousStart` does not move to the start of this run.
	HoldIncomplete bool
	// KeepOthers is true with `onFailure: keepOthers`. A root job that fails then writes no
	// table, and the others continue.
	KeepOthers bool
	// StopAfter is `stopAfter`, the time after the start of the run after which no window
	// starts. It is zero if there is no limit.
	StopAfter window.Step
	// DriftWarning is true if the run warns about a table with other columns than in the
	// last run.
	DriftWarning bool
	// TextBooleans is true with `booleans: text`.
	TextBooleans bool
	// Bucket is the bucket of the tables. "" means the default bucket of the platform.
	Bucket string
	// Pointer is the JSON pointer of the item of `iterations`, or of `config` if there is
	// no item.
	Pointer string
	// Key identifies the iteration in the state, also in later runs. It is "" without
	// `iterations`.
	Key string
	// Incremental is `incrementalOutput`.
	Incremental bool
	// CompatLevel is 2 (the older response filter) or 3.
	CompatLevel int
	// UserData and Mappings are the sections `userData` and `mappings`.
	UserData, Mappings Section
	Jobs               []Job
	// Family is the union of the scopes of all jobs.
	Family JobScope
}

// API contains the settings of `api`. Settings that can refer to attributes differ
// between iterations, so they are members of Iteration.
type API struct {
	// Pointer is the JSON pointer of the section.
	Pointer string
	Name    string
	// DefaultOptions is `api.http.defaultOptions` before evaluation, see
	// Iteration.Defaults.
	DefaultOptions value.Value
	Retry          Retry
	ConnectTimeout time.Duration // maximum time to connect
	RequestTimeout time.Duration // maximum time of one exchange, including the body
	// MaxResponseBytes is the maximum size of the body of a response after decompression.
	MaxResponseBytes int64
	// TrustedOrigins may receive the credentials if a response leads to them.
	TrustedOrigins []Origin
	// IgnoreErrors are the status codes whose responses are accepted as data.
	IgnoreErrors []int
	// Concurrency is the maximum number of concurrent requests, from 1 to maxConcurrency.
	Concurrency int
	// Lookahead is the maximum number of pages that a job requests in advance, from 0 to
	// maxConcurrency. Some of these pages may not exist.
	Lookahead int
	RateLimit RateLimit
	// Authentication and Pagination are compiled by the packages auth and pagination.
	// Value is null if the section is absent or empty.
	Authentication, Pagination Section
	// Response describes the format of responses. Package response compiles it.
	Response Section
	// Rules apply to the responses of all jobs. Package rule compiles them.
	Rules Section
	// Query is `api.query`, the old form of `authentication.query`.
	Query Section
	// CACertificate and ClientCertificate contain PEM texts, or null.
	CACertificate, ClientCertificate Section
}

// Header is a header with its values. Each value is sent as a line of its own.
type Header struct {
	Name   string
	Values []string
	// Pointer is the JSON pointer of the header, or "" if it is not in the document.
	Pointer string
	// Secret is true if a value was made of a secret.
	Secret bool
}

// computedHeader is a header with values that depend on the job.
type computedHeader struct {
	Header
	expression expr.Expr
}

// Retry contains `api.retryConfig` with its defaults.
type Retry struct {
	// MaxRetries is the maximum number of attempts after the first one.
	MaxRetries int
	// Header is the name of the header with the wait. "" means that all waits are
	// computed.
	Header string
	// Codes are the HTTP status codes that are retried.
	Codes []int
	// NetworkCodes are the network errors that are retried, by the numbers of curl.
	NetworkCodes []int
	// MaxWait is the longest wait before an attempt. If a header requires a longer wait,
	// the run fails. Computed waits are limited to MaxWait.
	MaxWait time.Duration
}

// maxConcurrency is the maximum of `api.http.concurrency`.
const maxConcurrency = 64

// RateLimit is `rateLimit` of `api.http` or of a job: the maximum number of requests that
// may start in any time range of length Per. Requests is 0 if there is no limit.
type RateLimit struct {
	Requests int
	Per      time.Duration
}

// AllowedHost is one entry of `image_parameters.allowed_hosts`. An empty Scheme or
// Endpoint and port 0 allow any scheme, path and port.
type AllowedHost struct {
	Scheme, Host string
	Port         int
	Endpoint     string
}

// Job is one entry of `jobs` or `children`.
type Job struct {
	// Pointer is the JSON pointer of the job.
	Pointer string
	// ID is the setting `id`, or a hash of the job as in the original extractor.
	ID string
	// Endpoint is the endpoint of the configuration. An expression is JSON text.
	Endpoint string
	// ComputedEndpoint is the endpoint if it is an expression, otherwise nil.
	ComputedEndpoint *expr.Expr
	// Method is in upper case. It is "" if the job does not set it.
	Method string
	// Params is an object or a list of expressions.
	Params expr.Entries
	// Headers is an object of expressions. Their values are scalars, null, or lists of
	// both.
	Headers expr.Entries
	// Body is nil if the method makes the body.
	Body *BodyTemplate
	// ComputedType is the pointer of the header Content-Type if its value is computed for
	// each request, otherwise "".
	ComputedType string
	// Family is the scope of the expressions of the job.
	Family JobScope
	// DataType is the name of the table. By default it is the endpoint, unless the
	// endpoint is an expression.
	DataType string
	// DataField describes where the items are in a response. The zero value detects them.
	DataField DataField
	// Scroller is the name of one of `api.pagination.scrollers`, or "" for the default.
	Scroller string
	// ResponseFilter contains paths to values that are stored as JSON text.
	ResponseFilter          []string
	ResponseFilterDelimiter string
	// Children, Placeholders and RecursionFilter configure child jobs.
	Children        []Job
	Placeholders    Section
	RecursionFilter string
	// If decides whether a run of the job takes place. Nil means that the job always
	// runs.
	If *jobIf
	// Reachable is false for a child job that never runs: neither the job nor a job above
	// it has placeholders, and no expression refers to an item above.
	Reachable bool
	// Batch is zero if the child job runs for each parent.
	Batch Batch
	// RowFilter is a condition. Items that do not satisfy it are dropped.
	RowFilter Section
	// NotStored is true if the items are not stored in a table.
	NotStored bool
	// Anonymous is true if requests are sent without the credentials of the API.
	Anonymous bool
	// ComputedDataType is the data type if it is an expression, otherwise nil. DataType is
	// "" then, and Mapping is the name of the mapping of its tables, or "".
	ComputedDataType *expr.Expr
	Mapping          string
	// Names declares where new names of members of its items come from.
	Names Section
	// Windows splits a time range into runs of the job. Nil means that the job runs once.
	Windows  *WindowSettings
	UserData Section
	// Remember declares the values that the job leaves for the next run.
	Remember Section
	// Response replaces API.Response if it is present.
	Response Section
	// File describes the files of a job with the format file.
	File Section
	// Columns declares the names of values in rows that are lists. It is a part of
	// `dataField`.
	Columns Section
	// Rules have precedence over API.Rules.
	Rules Section
	// RateLimit limits the requests of the job, in addition to API.RateLimit.
	RateLimit RateLimit
}

// Placed returns the names of the paging values that the request of the job refers to,
// sorted and without duplicates.
func (j Job) Placed() []string {
	names := slices.Concat(j.Params.References(expr.Paging), j.Headers.References(expr.Paging), j.Body.References(expr.Paging))
	if j.ComputedEndpoint != nil {
		names = append(names, j.ComputedEndpoint.References(expr.Paging)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Problems returns the list of problems of the document.
func (j Job) Problems() *failure.Problems { return j.UserData.Problems() }

// DataField describes where the items of a response are.
type DataField struct {
	// Path is the path of the items, or "" to detect them. If it is equal to Delimiter,
	// it means the whole response.
	Path      string
	Delimiter string
	// KeyAs is set if the items are the members of an object. It is the key under which
	// an item contains the name of its member.
	KeyAs string
	// Parallel is true if the data is an object of lists. The first values of all lists
	// are one item, the second values the next item, and so on.
	Parallel bool
}

// MemberValue is the name of the value in an item that was made of a member which is not
// an object, see DataField.KeyAs.
const MemberValue = "value"
