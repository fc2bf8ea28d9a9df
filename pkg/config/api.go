package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The time limits of a connection and of an exchange when none are set.
const (
	defaultConnectTimeout = 30 * time.Second
	defaultRequestTimeout = 300 * time.Second
)

// defaultMaxResponseBytes is how large an answer may be when nothing else is
// said: more than any page that is meant, less than a disk.
const defaultMaxResponseBytes = 16 << 30

// api compiles the section `api` for one iteration.
func (c *compiler) api(s Section, conf settings, e evaluator) API {
	http := s.Get("http")
	auth := s.Get("authentication")
	if auth.Text("type", "") == "url.query" {
		c.warn(failure.OldForm, auth.Get("type").Pointer, "\"url.query\" is the old name of \"query\"", "")
	}
	c.requiredHeaders(http.Get("requiredHeaders"), conf)
	c.lostStops(s.Get("pagination"))
	return API{
		Pointer:           s.Pointer,
		Name:              s.Text("name", "generic"),
		BaseURL:           e.baseURL(s.Get("baseUrl")),
		Headers:           e.headers(http.Get("headers"), conf.Get("http").Get("headers")),
		DefaultOptions:    c.defaultOptions(http.Get("defaultOptions")),
		Retry:             c.retry(s.Get("retryConfig")),
		ConnectTimeout:    seconds(http.Get("connectTimeout"), defaultConnectTimeout),
		RequestTimeout:    seconds(http.Get("requestTimeout"), defaultRequestTimeout),
		MaxResponseBytes:  maxResponseBytes(http),
		TrustedOrigins:    origins(http.Get("trustedOrigins")),
		IgnoreErrors:      integers(http.Get("ignoreErrors")),
		Concurrency:       atOnce(http, "concurrency", 1),
		Lookahead:         atOnce(http, "lookahead", 0),
		RateLimit:         rateLimit(http.Get("rateLimit")),
		Authentication:    switched(auth, auth.Present()),
		Pagination:        switched(s.Get("pagination"), s.Get("pagination").Present()),
		Query:             s.Get("query"),
		CACertificate:     s.Get("caCertificate"),
		ClientCertificate: s.Get("#clientCertificate"),
	}
}

// lostStops reports a limitStop that was given, but of which nothing is left
// without its unknown and empty keys: paging would go on without a limit.
func (c *compiler) lostStops(s Section) {
	if s.Value.Kind() != value.Object {
		return
	}
	stop := s.Get("limitStop")
	if given, ok := lookup(c.document, stop.Pointer); ok && given.Kind() == value.Object && given.Len() > 0 && !stop.Present() {
		c.problems.Add(failure.Problem{Code: failure.MissingKey, Pointer: stop.Pointer, Expected: "expected the key \"count\" or the key \"field\""})
	}
	for _, scroller := range s.Get("scrollers").Items() {
		c.lostStops(scroller)
	}
}

// defaultOptions are the request keys of every job, with checked headers.
func (c *compiler) defaultOptions(s Section) value.Value {
	if s.Value.Kind() != value.Object {
		return value.OfMembers()
	}
	if headers := s.Get("headers"); headers.Present() {
		return s.Value.With("headers", c.literalHeaders(headers))
	}
	return s.Value
}

// seconds is a time limit, or the default when it is empty.
func seconds(s Section, fallback time.Duration) time.Duration {
	if !s.Present() || s.faulty[s.Pointer] {
		return fallback
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s.Value.Raw()), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), n == 0:
		return fallback
	case n < 0:
		s.Problem("expected a number of seconds above 0", "")
		return fallback
	case n >= math.MaxInt64/float64(time.Second):
		return math.MaxInt64
	default:
		return time.Duration(n * float64(time.Second))
	}
}

// maxResponseBytes is the limit of an answer; 0 is the default, as it is for the
// time limits.
func maxResponseBytes(http Section) int64 {
	n := http.Int("maxResponseBytes", 0)
	if n < 0 {
		http.Get("maxResponseBytes").Problem("expected a number of bytes above 0", "")
	}
	if n <= 0 {
		return defaultMaxResponseBytes
	}
	return int64(n)
}

// atOnce is a number of requests that may be under way at once, the least one when
// none is given.
func atOnce(http Section, name string, least int) int {
	n := http.Int(name, least)
	if n < least || n > MaxConcurrency {
		http.Get(name).Problem(failure.Text(fmt.Sprintf("expected an integer from %d to %d", least, MaxConcurrency)), "")
		return least
	}
	return n
}

// rateLimit is no limit when the section is empty. Missing keys are problems
// already.
func rateLimit(s Section) RateLimit {
	if !s.Present() {
		return RateLimit{}
	}
	l := RateLimit{Requests: s.Int("requests", 1), Per: seconds(s.Get("perSeconds"), 0)}
	if l.Requests < 1 {
		s.Get("requests").Problem("expected a number of requests, at least 1", "")
	}
	if per := s.Get("perSeconds"); l.Per == 0 && !per.Value.IsNull() {
		per.Problem("expected a number of seconds above 0", "")
	}
	return l
}

// integers are the integers of a list.
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

// evaluator computes the values of `api` that are expressions: they refer to
// nothing but the attributes, so that they are known before the run.
type evaluator struct {
	*compiler
	attr    expr.Members
	conceal func(secret string) // see Options
}

// compilerFor compiles expressions that refer to these contexts.
func (e evaluator) compilerFor(contexts ...expr.Context) expr.Compiler {
	return expr.Compiler{Contexts: contexts, Known: map[expr.Context]expr.Members{expr.Attr: e.attr, expr.Time: expr.TimeNames()}, Problems: e.problems}
}

// value is the value of an expression, and whether it has one; if not, there is
// a problem that says why.
func (e evaluator) value(v value.Value, pointer string) (value.Value, bool) {
	before := len(*e.problems)
	compiled := e.compilerFor(expr.Attr).Compile(v, pointer)
	if len(*e.problems) > before {
		return value.Value{}, false
	}
	result, err := compiled.Eval(&expr.Scope{
		Now:      e.now,
		Contexts: map[expr.Context]expr.Members{expr.Attr: e.attr},
		Warn:     func(pointer, text string) { e.warn(failure.FailedExpression, pointer, failure.Part(text), "") },
		Conceal:  e.conceal,
	})
	if err != nil {
		place := pointer
		if at := failure.PointerOf(err); at != "" {
			place = at
		}
		e.problems.Add(failure.Problem{Code: failure.FailedExpression, Pointer: place, Expected: failure.Part(messageOf(err))})
		return value.Value{}, false
	}
	return result, true
}

// messageOf is the text of an error without its place, which the problem has.
func messageOf(err error) string {
	if p := failure.PointerOf(err); p != "" {
		return strings.TrimSuffix(err.Error(), " (at "+p+")")
	}
	return err.Error()
}
