// Package rule has the rules about responses: which responds to a rule is about, and what to
// do with them. It only decides; the steps of package exchange act on it, and
// package engine on what they leave to it.
//
// It reads a response when a rule needs its body, in one pass and without keeping it.
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

// Action is what is done with a response.
type Action string

// The verbs.
const (
	Fail    Action = "fail"
	Retry   Action = "retry"
	Poll    Action = "poll"
	Skip    Action = "skip"
	Restart Action = "restart"
	Accept  Action = "accept"
)

// List is a list of rules. The first one that matches decides.
type List []Rule

// Rule is one rule.
type Rule struct {
	Do Action
	// Pointer is its place in the document.
	Pointer string
	// Timeout is how long Poll may take in all.
	Timeout time.Duration

	statuses []statusRange // none for every status
	when     condition.Condition
	match    *regexp.Regexp // in the text of the body; nil for every body
	headers  []headerTest
	message  string // a path, "" for none
	wait     waitSpec
}

// statusRange is a status or a class of them.
type statusRange struct{ from, to int }

func (s statusRange) has(status int) bool { return s.from <= status && status <= s.to }

// headerTest is a condition on the header of that name.
type headerTest struct {
	name string
	condition.Condition
}

// Response is what rules look at. They read the body and leave it as it is.
type Response struct {
	Status int
	Header http.Header
	Body   *response.Spool
}

// Decision is a rule that matches a response, with what it wants to know of it.
type Decision struct {
	*Rule
	// Message is what the API says, "" for nothing: at most MostMessage bytes. It may hold
	// secrets, and end in the middle of one.
	Message string
	// Wait is what the rule, or the response, says about the time until the next
	// request.
	Wait Wait
}

// Is reports whether one of the verbs was decided on. No decision is none of them.
func (d *Decision) Is(verbs ...Action) bool { return d != nil && slices.Contains(verbs, d.Do) }

// Decide returns what the first rule that matches decides, nil if none does. The rules
// of a list come before those of the lists after it.
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

// lazyResponse reads the body when a rule needs it for the first time.
type lazyResponse struct {
	Response
	lists []List
	read  bool
	json  bool
	seen  response.FieldValues
	head  []byte // of the body; nil until it is read
}

// body reads what all rules want to know of the body; it reports whether it is JSON.
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

// text reads the beginning of the body.
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

func (l *lazyResponse) at(path string) (value.Value, error) { return l.seen.Value(pathOf(path)) }

// pathOf is a path as all of them are written in rules.
func pathOf(text string) response.Path { return response.Path{Text: text, Separator: "."} }

// paths are all paths into bodies.
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

// PathTexts are the paths of the values that the rules compare, show or wait for, as they
// are written.
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
	if len(r.statuses) > 0 && !slices.ContainsFunc(r.statuses, func(s statusRange) bool { return s.has(l.Status) }) {
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
	if !r.when.Given() {
		return true, nil
	}
	if ok, err := l.body(); err != nil || !ok {
		return false, err
	}
	return r.when.Holds(l.at)
}

// headerOf is a header as one text. An absent one is empty.
func headerOf(h http.Header, name string) string { return strings.Join(h.Values(name), ", ") }

func (r *Rule) decide(l *lazyResponse, now time.Time) (*Decision, error) {
	d := &Decision{Rule: r}
	if r.message != "" || r.wait.response != "" {
		if _, err := l.body(); err != nil {
			return nil, err
		}
	}
	if r.message != "" && l.json {
		v, err := l.at(r.message)
		if err == nil { // else it is too large to be a message
			d.Message = messageOf(v)
		}
	}
	var err error
	d.Wait, err = r.wait.read(l, now)
	return d, err
}

// MostMessage is how many bytes of a message are kept: more than is shown, so that
// secrets can be masked before it is shortened.
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
