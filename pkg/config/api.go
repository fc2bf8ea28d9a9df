package config

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of `api`. Other packages compile some of them.
var (
	APIName               = field.Text("name", "Name", "A part of the bucket name if `config.outputBucket` is not set; otherwise unused.").Default("generic").Example(`"crm"`)
	BaseURL               = field.Of("baseUrl", "Base URL", "`http` or `https` URL that endpoints are appended to. Its last path segment is kept, with or without a slash at the end. May be an expression that refers to `config`.", &field.Type{Title: "string or expression", Kinds: []string{"string", "object"}, NotEmpty: []string{"string", "object"}, Message: "expected a URL or an expression"}).Example(`"https://api.example.com/v1"`, `{"function": "sprintf", "args": ["https://%s.example.com", {"attr": "region"}]}`).Also("url", "uri", "host").Must().Evaluated(expr.InBaseURL)
	caCertificate         = field.Text("caCertificate", "CA certificates", "One or more certificates in PEM form that replace the system's trusted authorities.").Typed(&field.Type{Kinds: []string{"string"}, NotEmpty: []string{"string"}, Message: "expected certificates in PEM form"}).Example(`"-----BEGIN CERTIFICATE-----…"`)
	clientCertificate     = field.Text("#clientCertificate", "Client certificate", "The certificate of the client, followed by its private key without a passphrase, in PEM form.").Typed(&field.Type{Kinds: []string{"string"}, NotEmpty: []string{"string"}, Message: "expected a certificate and its private key in PEM form"}).Example(`"-----BEGIN CERTIFICATE-----…"`)
	plainCertificate      = field.Text("clientCertificate", "Client certificate, unused", "Has no effect: a private key belongs under `#clientCertificate`.").Typed(field.StrictText).Old(`has no effect; use "#clientCertificate"`).Example(`"…"`)
	HTTPSection           = field.Of("http", "HTTP", "Headers, defaults, time limits, concurrency and rules of requests.", nil)
	retrySection          = field.Of("retryConfig", "Retries", "Which failures are retried, and how often.", nil)
	AuthenticationSection = field.Of("authentication", "Authentication", "How requests are authenticated.", nil)
	PaginationSection     = field.Of("pagination", "Pagination", "How the next page is requested.", nil).As(field.NamingRole)
	responseSection       = field.Of("response", "Responses", "The format of the responses of all jobs, if it is not JSON. `response` of a job replaces it as a whole.", nil).Example(`{"format": "csv", "delimiter": ";"}`)
	oldQuery              = field.Of("query", "Query authentication, old place", "Used by the authentication type `query` when `authentication.query` is empty.", ExpressionsType).Old(`is the old place of this setting; use "authentication.query"`).Example(`{"key": {"attr": "#key"}}`).Evaluated(expr.InQueryAuth)
)

// The settings of `api.http`.
var (
	APIHeaders            = field.Of("headers", "Headers", "Sent with every request except the login. Values are scalars, lists of scalars (one line each) or expressions.", ExpressionsType).Example(`{"Accept": "application/json"}`).As(field.Headers).Evaluated(expr.InHeaders)
	requiredHeaders       = field.Of("requiredHeaders", "Required headers", "Names of headers that need a value in `config.http.headers`.", field.ListOf(field.TextType)).Example(`["X-App-Key"]`).As(field.NamingRole)
	DefaultOptionsSetting = field.Of("defaultOptions", "Default options", "Parts of a request that every request of a job has, unless the job sets them itself. Not used for the login.", field.Object("defaultOptions", "Default options", "A value of a job replaces the default of the same name as a whole. Expressions are evaluated for each request and refer to the job that sends it.",
		DefaultHeaders, DefaultParams, DefaultMethod, DefaultEndpoint))
	connectTimeout          = field.Seconds("connectTimeout", "Connect timeout", "Seconds to wait for a connection; 0 means the default.").Default(30 * time.Second).Example(`10`)
	requestTimeout          = field.Seconds("requestTimeout", "Request timeout", "Seconds to wait for one whole exchange, including the body of the response; 0 means the default.").Default(300 * time.Second).Example(`120.5`).Also("timeout")
	maxResponseBytesSetting = field.Integer("maxResponseBytes", "Largest response", "How many bytes the body of one response may have, after decompression. For a file that `response.unpack` unpacks, the unpacked bytes count too. A larger response ends the run, so that an endless or highly compressed body does not fill the disk. 0 means the default, 16 GiB.").Default(16 << 30).Example(`1073741824`)
	TrustedOriginsSetting   = field.Of("trustedOrigins", "Origins that may have the credentials", "Origins (scheme, host and port) that may get the credentials if a response leads to them: by a redirect, the URL of a next page or the endpoint of a child job. Requests to any other origin than the base URL and the configured endpoints are sent without credentials and secrets, and a login that is redirected there fails. Write `https://files.example.com`, or `https://*.example.com` for all hosts below it.", field.ListOf(field.TextType)).DefaultJSON(`[]`).Example(`["https://files.example.com"]`)
	ignoreErrorsSetting     = field.Of("ignoreErrors", "Ignored errors", "Status codes whose responses are accepted as data. A body that is not JSON becomes `{\"errorData\": \"…\"}`.", field.ListOf(field.IntegerType)).DefaultJSON(`[]`).Example(`[404]`)
	httpRules               = field.Of("rules", "Rules about responses", "What to do with certain responses to the requests of all jobs. The rules of a job come first. The first rule that matches decides, before `retryConfig` and `ignoreErrors`. See [Rules about responses](#rules-about-responses).", nil).Example(`[{"status": 403, "header": {"X-RateLimit-Remaining": "==0"}, "do": "retry", "wait": {"header": "X-RateLimit-Reset"}}]`)
	concurrency             = field.Integer("concurrency", "Concurrency", "How many requests may be sent at the same time, from 1 to 64. With 2 or more, child jobs run side by side, and so do pages whose requests are known in advance (see `lookahead`, and `total` of `pagination`). Tables and the order of events stay the same. See [Faster, and not too fast](#faster-and-not-too-fast).").Default(1).Example(`8`)
	lookahead               = field.Integer("lookahead", "Lookahead", "With a `concurrency` of 2 or more and the pagination methods `offset` and `pagenum`: how many pages a job requests in advance without knowing that they exist, from 0 to 64. Every run of a job may send that many requests without using their responses.").Default(0).Example(`3`).As(field.LookaheadRole)
	rateLimitSetting        = field.Of("rateLimit", "Rate limit", "How many requests may be started in any span of time, at any `concurrency`.", rateLimitType)
	unusedParams            = field.Of("params", "Parameters, unused", "Has no effect: use `defaultOptions.params`.", field.Literals).Old(`has no effect; use "defaultOptions.params"`).Example(`{}`)
	rateRequests            = field.Integer("requests", "Requests", "Number of requests, at least 1.").Example(`100`).Must()
	ratePer                 = field.Seconds("perSeconds", "Seconds", "Length of the span in seconds, above 0.").Example(`60`).Must()
	DefaultHeaders          = field.Of("headers", "Headers", "Header names and values.", ExpressionsType).Example(`{"X-Env": "test"}`).As(field.Headers).Evaluated(expr.InShared)
	DefaultParams           = field.Of("params", "Parameters", "Parameters, sent in the query or in the body, depending on the method.", ParamsType).Example(`{"lang": "en"}`).Also("query").Evaluated(expr.InShared)
	DefaultMethod           = field.Text("method", "Method", "Method of jobs without `method`.").Typed(MethodType).DefaultJSON(`"GET"`).Example(`"POST"`).Also("verb", "type")
	DefaultEndpoint         = field.Text("endpoint", "Endpoint", "Has no effect: a job always has its own endpoint.").Example(`"items"`).Also("url", "uri", "path", "resource")

	rateLimitType = field.Object("rateLimit", "Rate limit", "Every request that is sent counts, including retries and redirects, and logins for the limit of `api.http`. Responses from the cache do not count.", rateRequests, ratePer)
)

// api returns the type of the section `api`.
func (t Types) api() *field.Type {
	http := field.Object("http", HTTPSection.Title, HTTPSection.Doc,
		APIHeaders, requiredHeaders, DefaultOptionsSetting, connectTimeout, requestTimeout, maxResponseBytesSetting,
		TrustedOriginsSetting, ignoreErrorsSetting, httpRules.With(t.Rules), concurrency, lookahead, rateLimitSetting, unusedParams)
	return field.Object("api", "API", "How to talk to the API: its URL, headers, login and pagination.",
		APIName, BaseURL, HTTPSection.With(http), retrySection.With(retryType), AuthenticationSection.With(t.Authentication), PaginationSection.With(t.Pagination), responseSection.With(t.Response),
		caCertificate, clientCertificate, plainCertificate, oldQuery)
}

// api compiles the settings of `api` that are the same in all iterations.
func (c *compiler) api(s Section) API {
	http, paging := HTTPSection.In(s), PaginationSection.In(s)
	auth := AuthenticationSection.In(s)
	c.options, c.optionsPointer = c.defaultOptions(DefaultOptionsSetting.In(http)), DefaultOptionsSetting.In(http).Pointer
	return API{
		Pointer:           s.Pointer,
		Name:              APIName.Of(s),
		DefaultOptions:    c.options,
		Retry:             c.retry(retrySection.In(s)),
		ConnectTimeout:    cmp.Or(connectTimeout.Of(http), connectTimeout.Fallback()),
		RequestTimeout:    cmp.Or(requestTimeout.Of(http), requestTimeout.Fallback()),
		MaxResponseBytes:  maxResponseBytes(http),
		TrustedOrigins:    origins(TrustedOriginsSetting.In(http)),
		IgnoreErrors:      integers(ignoreErrorsSetting.In(http)),
		Concurrency:       requestCount(http, concurrency),
		Lookahead:         requestCount(http, lookahead),
		RateLimit:         rateLimit(rateLimitSetting.In(http)),
		Authentication:    nullUnless(auth, auth.Present()),
		Pagination:        nullUnless(paging, paging.Present()),
		Response:          responseSection.In(s),
		Rules:             httpRules.In(http),
		Query:             oldQuery.In(s),
		CACertificate:     caCertificate.In(s),
		ClientCertificate: clientCertificate.In(s),
	}
}

// defaultOptions checks the headers of `api.http.defaultOptions` and returns the object.
// Each iteration compiles the expressions in it.
func (c *compiler) defaultOptions(s Section) value.Value {
	if s.Value.Kind() != value.Object {
		return value.OfMembers()
	}
	if headers := DefaultHeaders.In(s); headers.Present() {
		return s.Value.With(DefaultHeaders.Name, c.plainHeaders(headers, expr.Compiler{Place: expr.InShared, Vocabulary: c.Vocabulary}))
	}
	return s.Value
}

// maxResponseBytes returns the maximum size of a response in bytes. 0 means the default.
func maxResponseBytes(http Section) int64 {
	n := maxResponseBytesSetting.Of(http)
	if n < 0 {
		maxResponseBytesSetting.In(http).Problem("expected a number of bytes above 0", "")
	}
	if n <= 0 {
		n = maxResponseBytesSetting.Fallback()
	}
	return int64(n)
}

// requestCount returns a number of concurrent requests, which is at least the default. It
// reports any number below the default or above maxConcurrency, and returns the default.
func requestCount(http Section, setting field.Setting[int]) int {
	n, least := setting.Of(http), setting.Fallback()
	if n < least || n > maxConcurrency {
		setting.In(http).Problem(failure.Text(fmt.Sprintf("expected an integer from %d to %d", least, maxConcurrency)), "")
		return least
	}
	return n
}

// rateLimit returns no limit if the section is empty. Tree.Read has reported missing
// keys.
func rateLimit(s Section) RateLimit {
	if !s.Present() || s.Faulty() {
		return RateLimit{}
	}
	l := RateLimit{Requests: rateRequests.Of(s), Per: ratePer.Of(s)}
	if requests := rateRequests.In(s); l.Requests < 1 && !requests.Value.IsNull() {
		requests.Problem("expected a number of requests, at least 1", "")
	}
	if per := ratePer.In(s); l.Per == 0 && !per.Value.IsNull() {
		per.Problem("expected a number of seconds above 0", "")
	}
	return l
}

// integers returns the integers in a list, and reports other items.
func integers(s Section) []int {
	all := make([]int, 0, s.Value.Len())
	for _, item := range s.Items() {
		if i, ok := item.Value.Int(); ok {
			all = append(all, int(i))
		} else {
			item.Fault(failure.WrongType, "expected an integer", "")
		}
	}
	return all
}

// evaluator evaluates the expressions of `api` that refer only to attributes: their
// values are known before the run. It compiles all other expressions.
type evaluator struct {
	*compiler
	attr           expr.Members
	registerSecret func(secret string) // see Options.Conceal
	all            JobScope            // scope of all jobs of the iteration
	// environment returns the value of an environment variable. It is nil for expressions
	// that cannot refer to the environment.
	environment func(name string) (value.Value, bool)
}

// compilerFor returns a compiler for expressions at a site of the given jobs.
func (e evaluator) compilerFor(site expr.Site, scope JobScope) expr.Compiler {
	return scope.Compiler(site, e.attr, e.Vocabulary, e.problems)
}

// value evaluates an expression. On failure it reports a problem and returns false.
func (e evaluator) value(site expr.Site, v value.Value, pointer string) (value.Value, bool) {
	before := len(*e.problems)
	compiled := e.compilerFor(site, JobScope{}).Compile(v, pointer)
	if len(*e.problems) > before {
		return value.Value{}, false
	}
	return e.eval(compiled, pointer)
}

// eval evaluates a compiled expression. On failure it reports a problem and returns
// false.
func (e evaluator) eval(compiled expr.Expr, pointer string) (value.Value, bool) {
	variables := expr.Members{}
	for _, name := range compiled.References(expr.Env) {
		if v, ok := e.environment(name); ok {
			variables[name] = v
		}
	}
	result, err := compiled.Eval(&expr.Scope{
		Now:      e.Now,
		Random:   e.Random,
		Contexts: map[expr.Context]expr.Members{expr.Attr: e.attr, expr.Env: variables},
		Warn:     func(pointer, text string) { e.warn(failure.FailedExpression, pointer, failure.Part(text), "") },
		Conceal:  e.registerSecret,
	})
	if err != nil {
		at := pointer
		if inner := failure.PointerOf(err); inner != "" {
			at = inner
		}
		e.problems.Add(failure.Problem{Code: failure.FailedExpression, Pointer: at, Expected: failure.Part(messageOf(err))})
		return value.Value{}, false
	}
	return result, true
}

// messageOf returns the text of an error without its pointer, which the problem has
// already.
func messageOf(err error) string {
	if p := failure.PointerOf(err); p != "" {
		return strings.TrimSuffix(err.Error(), " (at "+p+")")
	}
	return err.Error()
}
