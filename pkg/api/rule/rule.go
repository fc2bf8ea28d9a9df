// Package rule implements the rules about responses: the conditions on a response, and the
// action if they match. It only decides. The steps of package httpclient carry out the
// decisions, and leave some of them to package engine.
//
// The package reads the body of a response only if a rule needs it, in one pass, and does
// not keep it.
package rule

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Action is the action of a rule.
//
// To add an action, add a constant here, and its name and settings to actionType and actions in
// settings.go. Carry it out where it belongs: for a request in retry.go and rules.go of
// pkg/api/httpclient, for a page or a run of a job in pkg/engine/stream.go. Describe it in doSetting, and to users in describe.go. Add rows to
// rule_test.go and cases to tests/functional/cases, and run `go test ./pkg/schema -update`.
type Action string

// The actions.
const (
	Fail    Action = "fail"
	Retry   Action = "retry"
	Poll    Action = "poll"
	Skip    Action = "skip"
	Restart Action = "restart"
	LogIn   Action = "login"
	Accept  Action = "accept"
)

// List is a list of rules. The first rule that matches decides.
type List []Rule

// Rule is one rule about responses.
type Rule struct {
	Do Action
	// Pointer is the JSON pointer of the rule in the configuration.
	Pointer string
	// Timeout is the maximum total time of Poll.
	Timeout time.Duration

	statuses []statusRange // empty if any status matches
	when     condition.Condition
	match    *regexp.Regexp // pattern in the text of the body, nil if any body matches
	headers  []headerTest
	message  string // path of the message, or ""
	wait     waitSpec
}

// statusRange is a status or a class of statuses.
type statusRange struct{ from, to int }

func (s statusRange) contains(status int) bool { return s.from <= status && status <= s.to }

// headerTest is a condition on a header.
type headerTest struct {
	name string
	condition.Condition
}

// Response is the input of rules. They read the body and do not change it.
type Response struct {
	Status int
	Header http.Header
	Body   *response.Spool
	// Anonymous is true if the request had no credentials. No rule with the action LogIn
	// then matches.
	Anonymous bool
}

// Decision is the first rule that matches a response, with the values that it reads from
// the response.
type Decision struct {
	*Rule
	// Message is the message of the API, or "". It has at most MostMessage bytes. It may
	// contain secrets, and may end in the middle of a secret.
	Message string
	// Wait is the time until the next request, from the rule or from the response.
	Wait Wait
}

// Is reports whether the decision is one of the given actions. It is false if d is nil.
func (d *Decision) Is(actions ...Action) bool { return d != nil && slices.Contains(actions, d.Do) }

// Has reports whether a rule of the list has the action.
func (l List) Has(action Action) bool {
	return slices.ContainsFunc(l, func(r Rule) bool { return r.Do == action })
}

// Decide returns the decision of the first rule that matches, or nil if none matches.
// Earlier lists come first.
func Decide(a Response, now time.Time, lists ...List) (*Decision, error) {
	l := lazyResponse{Response: a, lists: lists}
	for _, list := range lists {
		for i := range list {
			r := &list[i]
			matches, err := r.matches(&l)
			if err != nil || !matches {
				if err != nil {
					return nil, err
				}
				continue
			}
			return r.decide(&l, now)
		}
	}
	return nil, nil
}

// lazyResponse reads the body when a rule first needs it.
type lazyResponse struct {
	Response
	lists []List
	read  bool
	json  bool
	seen  response.FieldValues
	head  []byte // beginning of the body, nil until it is read
}

// body reads the values for all rules from the body. It reports whether the body is JSON.
func (l *lazyResponse) body() (bool, error) {
	if l.read {
		return l.json, nil
	}
	var paths []response.Path
	for _, list := range l.lists {
		paths = append(paths, list.paths()...)
	}
	var err error
	l.seen, l.json, err = response.ReadFields(l.Body, paths)
	l.read = err == nil
	return l.json, err
}

// text returns the beginning of the body.
func (l *lazyResponse) text() ([]byte, error) {
	if l.head != nil {
		return l.head, nil
	}
	head, err := l.Body.Head(int(min(l.Body.Size(), matchBytes)))
	if err == nil {
		l.head = head
	}
	return l.head, err
}

// compared returns a value of the body for a condition.
func (l *lazyResponse) compared(path string) (value.Value, error) {
	if ok, err := l.body(); err != nil {
		return value.Value{}, err
	} else if !ok {
		return value.Value{}, condition.ErrNoBody
	}
	return l.value(path)
}

func (l *lazyResponse) value(path string) (value.Value, error) { return l.seen.Value(pathOf(path)) }

// pathOf returns the path for its text in a rule.
func pathOf(text string) response.Path { return response.Path{Text: text, Separator: "."} }

// paths returns all different paths into bodies.
func (l List) paths() []response.Path {
	var all []response.Path
	for _, r := range l {
		for _, path := range r.paths() {
			if !slices.Contains(all, pathOf(path)) {
				all = append(all, pathOf(path))
			}
		}
	}
	return all
}

// ReadBody reports whether a rule may look into the body of a response with a status.
func (l List) ReadBody(status int) bool {
	return slices.ContainsFunc(l, func(r Rule) bool { return r.applies(status) && (r.match != nil || len(r.paths()) > 0) })
}

// applies reports whether a rule is about responses with a status.
func (r *Rule) applies(status int) bool {
	return len(r.statuses) == 0 || slices.ContainsFunc(r.statuses, func(s statusRange) bool { return s.contains(status) })
}

// PathTexts returns the texts of the paths that the rules compare, show or wait for.
func (l List) PathTexts() []string {
	var all []string
	for _, r := range l {
		all = append(all, r.paths()...)
	}
	return all
}

func (r Rule) paths() []string {
	all := r.when.Paths()
	if r.message != "" {
		all = append(all, r.message)
	}
	if r.wait.response != "" {
		all = append(all, r.wait.response)
	}
	return all
}

func (r *Rule) matches(l *lazyResponse) (bool, error) {
	if r.Do == LogIn && l.Anonymous {
		return false, nil
	}
	if !r.applies(l.Status) {
		return false, nil
	}
	for _, h := range r.headers {
		text := headerOf(l.Header, h.name)
		holds, err := h.Holds(func(string) (value.Value, error) { return value.OfString(text), nil })
		if err != nil || !holds {
			return false, err
		}
	}
	if r.match != nil {
		if text, err := l.text(); err != nil || !r.match.Match(text) {
			return false, err
		}
	}
	return r.when.HoldsIn(l.Header, l.compared)
}

// headerOf returns a header as one text. The text is empty if the header is absent.
func headerOf(h http.Header, name string) string { return strings.Join(h.Values(name), ", ") }

func (r *Rule) decide(l *lazyResponse, now time.Time) (*Decision, error) {
	d := &Decision{Rule: r}
	if r.message != "" || r.wait.response != "" {
		if _, err := l.body(); err != nil {
			return nil, err
		}
	}
	if r.message != "" && l.json {
		v, err := l.value(r.message)
		if err == nil { // otherwise the value is too large for a message
			d.Message = messageOf(v)
		}
	}
	var err error
	d.Wait, err = r.wait.read(l, now)
	return d, err
}

// MostMessage is the maximum size, in bytes, of a message. It is larger than what is
// shown, so that secrets can be masked before the message is shortened.
const MostMessage = 64 << 10

func messageOf(v value.Value) string {
	text := v.Text()
	if !v.IsScalar() {
		if v.Empty() {
			return ""
		}
		text = v.JSON()
	}
	return text[:min(len(text), MostMessage)]
}
