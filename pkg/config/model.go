package config

import (
	"net/url"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Section is a part of the document that is handed to the package that knows its
// meaning.
type Section = field.Section

// Document is a configuration that was read, validated and compiled. It does
// not change during a run.
type Document struct {
	// Action is "run" or the name of a sync action.
	Action string
	API    API
	// Iterations has one entry for each item of `iterations`, at least one.
	Iterations []Iteration
	// AllowedHosts is `image_parameters.allowed_hosts`; empty allows all.
	AllowedHosts []AllowedHost
	// Root is the document, and Settings what may be wrapped in `parameters`: other
	// packages read their sections there.
	Root, Settings Section
	// Vocabulary is that of Options.
	Vocabulary expr.Vocabulary
	// Warnings are oddities that do not stop a run, e.g. unknown keys.
	Warnings failure.Problems
}

// Iteration is one full run of all jobs: `config` overlaid by an item of
// `iterations`.
type Iteration struct {
	// BaseURL is valid and absolute; its path is kept as written. It is never
	// nil, but empty when there is a problem with it.
	BaseURL *url.URL
	// Headers of every request but the login: `config.http.headers` over
	// `api.http.headers`, evaluated.
	Headers []Header
	// ComputedHeaders are those that are evaluated for each request.
	ComputedHeaders []ComputedHeader
	// Defaults is `api.http.defaultOptions`.
	Defaults Defaults
	// Attributes is `config` without `jobs`: what {"attr": …} refers to. Values
	// below a key with a hash sign are marked as secrets.
	Attributes value.Value
	Debug      bool
	// FailIncomplete is set by `onIncomplete: fail`: the first event.Finding ends
	// the run.
	FailIncomplete bool
	// HoldIncomplete is set by `onIncomplete: hold`: after an event.Finding about missing
	// rows `previousStart` does not move to the start of this run.
	HoldIncomplete bool
	// DriftWarning requests a warning when the columns of a table are not those
	// of the last run.
	DriftWarning bool
	// Bucket is where the tables go; "" is the platform's default bucket.
	Bucket string
	// Pointer is the place of the item of `iterations`; without any that of `config`.
	Pointer string
	// Key identifies the iteration, in the state of later runs too; "" without
	// `iterations`.
	Key string
	// Incremental is `incrementalOutput`.
	Incremental bool
	// CompatLevel is 2 (the older response filter) or 3.
	CompatLevel int
	// UserData and Mappings are the sections of these names in `config`.
	UserData, Mappings Section
	Jobs               []Job
	// Family is what any of the jobs, or one below them, can refer to.
	Family JobScope
}

// API is how to talk to the API. What refers to attributes differs from iteration
// to iteration and is a member of Iteration.
type API struct {
	// Pointer is the section's place in the document.
	Pointer string
	Name    string
	// DefaultOptions is `api.http.defaultOptions` as it is written: an object of request
	// keys. See Iteration.Defaults.
	DefaultOptions value.Value
	Retry          Retry
	ConnectTimeout time.Duration // of making a connection
	RequestTimeout time.Duration // of one whole exchange, body included
	// MaxResponseBytes is how many bytes the body of one response may have, after
	// decompression.
	MaxResponseBytes int64
	// TrustedOrigins may have the credentials too when a response leads to them.
	TrustedOrigins []Origin
	// IgnoreErrors are the status codes whose responses are accepted as data.
	IgnoreErrors []int
	// Concurrency is how many requests may be under way at once, 1 to
	// MaxConcurrency.
	Concurrency int
	// Lookahead is how many pages a job may request without knowing that they
	// exist, 0 to MaxConcurrency.
	Lookahead int
	RateLimit RateLimit
	// Authentication and Pagination are compiled by the packages auth and paging;
	// Value is null when absent or empty.
	Authentication, Pagination Section
	// Response is what answers are written in; the package response compiles it.
	Response Section
	// Rules are those about the responses of all jobs; the package rule compiles them.
	Rules Section
	// Query is the old place of `authentication.query`.
	Query Section
	// CACertificate and ClientCertificate contain PEM texts, null when not set.
	CACertificate, ClientCertificate Section
}

// Header is one header name and its values; several values are sent as several
// lines.
type Header struct {
	Name   string
	Values []string
	// Pointer is the header's place in the document, "" if it is in none.
	Pointer string
	// Secret says that a value was made of a secret.
	Secret bool
}

// ComputedHeader is a header whose values depend on the job that sends it.
type ComputedHeader struct {
	Header
	expression expr.Expr
}

// Retry is `api.retryConfig` with its defaults filled in.
type Retry struct {
	// MaxRetries after the first attempt.
	MaxRetries int
	// Header that contains the delay.
	Header string
	// Codes are the HTTP status codes that are retried.
	Codes []int
	// NetworkCodes are curl's numbers of the network errors that are retried.
	NetworkCodes []int
	// MaxWait is the longest wait before an attempt: a header with a
	// longer one ends the run, a computed wait is cut to it.
	MaxWait time.Duration
}

// MaxConcurrency is the greatest value of `api.http.concurrency`.
const MaxConcurrency = 64

// RateLimit is `rateLimit` of `api.http` or of a job: at most so many requests may be started in
// any span of this length. 0 requests is no limit.
type RateLimit struct {
	Requests int
	Per      time.Duration
}

// AllowedHost is one entry of `image_parameters.allowed_hosts`; "" and 0 allow
// any scheme, port and path.
type AllowedHost struct {
	Scheme, Host string
	Port         int
	Endpoint     string
}

// Job is one entry of `jobs` or `children`.
type Job struct {
	// Pointer is the job's place in the document.
	Pointer string
	// ID as configured, else the hash of the job as the original makes it.
	ID string
	// Endpoint as it is written; an expression as JSON.
	Endpoint string
	// ComputedEndpoint is the endpoint where it is an expression, else nil.
	ComputedEndpoint *expr.Expr
	// Method as written, upper case; "" when the job names none.
	Method string
	// Params is an object or a list of expressions.
	Params expr.Entries
	// Headers is an object of expressions, each with scalars, null and lists of them as
	// its value.
	Headers expr.Entries
	// ComputedType is the pointer of the header Content-Type if its value is computed for
	// each request, otherwise "".
	ComputedType string
	// Family is the position of the job among others.
	Family JobScope
	// DataType names the output dataset; defaults to the endpoint.
	DataType string
	// DataField is where the items are; zero means: find them.
	DataField DataField
	// Scroller names one of `api.pagination.scrollers`, "" for the default.
	Scroller string
	// ResponseFilter lists paths whose values become JSON text.
	ResponseFilter          []string
	ResponseFilterDelimiter string
	// Children, Placeholders and RecursionFilter belong to child jobs.
	Children        []Job
	Placeholders    Section
	RecursionFilter string
	// If decides about each run of the job; nil for a job that always runs.
	If *If
	// Reachable is false for a child job that is never called: neither it nor a job above it has
	// placeholders, and it refers to no item above it.
	Reachable bool
	// Batch is zero for a child job that runs for each parent.
	Batch Batch
	// RowFilter is a condition; items that do not satisfy it are left out.
	RowFilter Section
	// NotStored items are only parents.
	NotStored bool
	// Anonymous requests go without the credentials of the API.
	Anonymous bool
	// Windows are the spans of time that it runs for; nil for a job that runs once.
	Windows  *WindowSettings
	UserData Section
	// Remember is what the job leaves for the next run.
	Remember Section
	// Response is as that of API, which it replaces if it is present.
	Response Section
	// Columns are the names of values in lists, of the section of DataField.
	Columns Section
	// Rules come before those of API.
	Rules Section
	// RateLimit is that of its requests, besides that of API.
	RateLimit RateLimit
}

// Placed are the names of the values of paging to which the request refers, each once.
func (j Job) Placed() []string {
	names := slices.Concat(j.Params.References(expr.Paging), j.Headers.References(expr.Paging))
	if j.ComputedEndpoint != nil {
		names = append(names, j.ComputedEndpoint.References(expr.Paging)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Problems is the list for what is wrong with the job.
func (j Job) Problems() *failure.Problems { return j.UserData.Problems() }

// DataField is where the items of a response are.
type DataField struct {
	// Path to the items, "" to detect them; equal to Delimiter it is the whole
	// response.
	Path      string
	Delimiter string
	// KeyAs is the name under which the items get their names, for an object whose
	// members are the items; "" for other data.
	KeyAs string
	// Parallel is for an object of lists whose first values are an item, the second ones
	// another, and so on.
	Parallel bool
}

// MemberValue is the member of an item that contains a member of the data which is not an
// object, see DataField.KeyAs.
const MemberValue = "value"
