package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Scope is the part of the configuration that a list of rules belongs to.
type Scope int

// The scopes.
const (
	JobScope Scope = iota
	// APIScope is `api.http`. The rules of a job come before these rules.
	APIScope
	LoginScope
)

// DefaultPoll is the wait of Poll if neither the rule nor the response has one.
const DefaultPoll = 10 * time.Second

// Compile compiles a list of rules. maxWait is the maximum wait of a rule. Compile adds
// problems to the section.
func Compile(s field.Section, scope Scope, maxWait time.Duration) List {
	if s.Value.Kind() != value.Array {
		return nil // a problem already, or absent
	}
	var all List
	for _, item := range s.Items() {
		if item.Value.Kind() != value.Object || item.Faulty() {
			continue
		}
		c := compiler{Section: item, maxWait: maxWait}
		r, ok := c.rule(scope)
		if !ok {
			continue
		}
		if c.allCompiled(r) {
			c.checkReach(r, all, scope)
			all = append(all, r)
		}
	}
	return all
}

// compiler compiles one rule.
type compiler struct {
	field.Section
	maxWait time.Duration
}

// rule compiles the rule. It returns false if the action is unknown, which is already
// reported as a problem.
func (c compiler) rule(scope Scope) (Rule, bool) {
	r := Rule{Do: Action(doSetting.Of(c.Section)), Pointer: c.Pointer, message: messageSetting.Of(c.Section)}
	if !slices.ContainsFunc(actions(), func(v field.Variant) bool { return v.Name == string(r.Do) }) {
		return r, false
	}
	if r.Do == LogIn && scope == LoginScope {
		doSetting.In(c.Section).Problem("expected an action that a login can have: \"fail\", \"retry\", \"poll\" or \"accept\"", "\"login\" is for the responses to the requests of jobs; \"retry\" sends the login again")
	}
	if (r.Do == Skip || r.Do == Restart) && scope == LoginScope {
		doSetting.In(c.Section).Problem("expected an action that a login can have: \"fail\", \"retry\", \"poll\" or \"accept\"", "without a login there is nothing to continue with; \"accept\" takes the response as that of the login")
	}
	c.checkForeignKeys(r.Do)
	r.statuses = c.statuses()
	r.when = condition.CompileResponse(When.In(c.Section))
	if at := matchSetting.In(c.Section); at.Present() && !at.Faulty() {
		r.match = patternOf(at, 0)
	}
	r.headers = c.headers()
	r.wait = c.wait()
	if r.Timeout = timeoutSetting.Of(c.Section); r.Timeout == 0 {
		timeoutSetting.In(c.Section).Problem("expected a number of seconds above 0", "")
		r.Timeout = timeoutSetting.Fallback()
	}
	c.checkWait(r)
	return r, true
}

// checkForeignKeys reports settings of other actions.
func (c compiler) checkForeignKeys(action Action) {
	for _, m := range c.Value.Members() {
		f := rulesType.Items.Field(m.Name)
		if f != nil && len(f.Variants) > 0 && !slices.Contains(f.Variants, string(action)) {
			c.Get(m.Name).Fault(failure.WrongValue, "expected no such key with the action "+failure.Text(strconv.Quote(string(action)))+": it is for "+field.List(f.Variants), "remove the key, or change \"do\"")
		}
	}
}

func (c compiler) statuses() []statusRange {
	s := statusSetting.In(c.Section)
	items := s.Items()
	if s.Value.IsScalar() && s.Present() {
		items = []field.Section{s}
	}
	var all []statusRange
	for _, item := range items {
		if one, ok := statusOf(item.Value.Text()); ok {
			all = append(all, one)
		} else {
			item.Problem(expectedStatus, "")
		}
	}
	return all
}

// statusOf parses a status code or a class of codes. It rejects 1xx, because such
// responses never reach the rules.
func statusOf(text string) (statusRange, bool) {
	if class, ok := strings.CutSuffix(strings.ToLower(text), "xx"); ok {
		n, err := strconv.Atoi(class)
		return statusRange{n * 100, n*100 + 99}, err == nil && n >= 2 && n <= 9
	}
	n, err := strconv.Atoi(text)
	return statusRange{n, n}, err == nil && n >= 200 && n <= 999
}

func (c compiler) headers() []headerTest {
	s := headerSetting.In(c.Section)
	var all []headerTest
	for _, m := range s.Value.Members() {
		at := s.Get(m.Name)
		wrong := !at.Present() || !slices.Equal(condition.Parse(m.Value.Text()).Paths(), []string{""})
		if !m.Value.IsScalar() || at.Faulty() {
			continue // a problem already
		}
		if wrong {
			at.Fault(failure.InvalidFilter, "expected a condition on the value of the header, which begins with one of the operators ==, !=, >=, <=, >, <, ~~, !~", "for example \"==0\"")
			continue
		}
		all = append(all, headerTest{m.Name, condition.CompileWords(at)})
	}
	return all
}

func (c compiler) wait() waitSpec {
	s := waitSetting.In(c.Section)
	switch {
	case s.Value.IsNull() || s.Faulty():
		return waitSpec{}
	case s.Value.Kind() != value.Object:
		seconds, ok := numberIn(strings.TrimSpace(s.Value.Raw()))
		if !ok || seconds < 0 {
			s.Problem("expected a number of seconds, at least 0", "")
		}
		return waitSpec{fixed: true, seconds: seconds}
	}
	w := waitSpec{header: waitHeader.Of(s), response: waitResponse.Of(s), unit: units()[waitUnit.Of(s)]}
	header, response := waitHeader.In(s).Present(), waitResponse.In(s).Present()
	switch {
	case header && response:
		s.Problem("expected one of the keys \"header\" and \"response\"", "")
	case !header && !response && !waitMatch.In(s).Present():
		s.Problem("expected one of the keys \"header\", \"response\" and \"match\"", "")
	}
	if at := waitMatch.In(s); at.Present() {
		w.match = patternOf(at, 1)
	}
	return w
}

// patternOf compiles a regular expression with at least the given number of groups.
func patternOf(s field.Section, groups int) *regexp.Regexp {
	pattern, err := regexp.Compile(s.Value.Text())
	switch {
	case err != nil:
		s.Problem("expected a regular expression (RE2): "+failure.Part(strings.TrimPrefix(err.Error(), "error parsing regexp: ")), "")
		return nil
	case pattern.NumSubexp() < groups:
		s.Problem("expected a regular expression with a group, which is around the time", "for example \"again in ([0-9]+) seconds\"")
		return nil
	default:
		return pattern
	}
}

// checkWait reports a configured wait that is longer than maxWait or the timeout, or too
// short for Poll.
func (c compiler) checkWait(r Rule) {
	if r.Do != Retry && r.Do != Poll {
		return
	}
	s := waitSetting.In(c.Section)
	first := field.Duration(r.wait.seconds)
	switch {
	case s.Faulty():
		return
	case !r.wait.fixed:
		first = 0
	case r.Do == Poll && r.wait.seconds == 0:
		s.Problem("expected a number of seconds above 0", "")
		return
	case first > c.maxWait:
		s.Problem(failure.Text(fmt.Sprintf("expected at most %s, which is 'api.retryConfig.maxWait'", textfmt.Seconds(c.maxWait.Seconds()))), "raise that limit to wait so long")
		return
	}
	if r.Do == Poll && r.wait == (waitSpec{}) {
		first = DefaultPoll
	}
	if r.Do == Poll && first > r.Timeout {
		timeoutSetting.In(c.Section).Problem(failure.Text(fmt.Sprintf("expected at least the seconds of one wait, which are %v", first.Seconds())), "")
	}
}

// checkReach reports a rule that never matches because of an earlier rule, and a rule
// that matches every response, so that there is no data.
func (c compiler) checkReach(r Rule, before List, scope Scope) {
	accepts := false
	for _, other := range before {
		if other.covers(r) {
			c.idle("never matches: the rule "+failure.Part(other.Pointer)+" before it takes every response that this one could", "put it before that rule, or remove it")
			return
		}
		accepts = accepts || other.Do == Accept
	}
	if r.takesAll() && r.Do != Accept && !accepts && scope != APIScope {
		c.idle("takes every response, so none is ever taken as data", "say by \"status\", \"when\", \"match\" or \"header\" which responses it is about")
	}
}

func (c compiler) idle(expected, hint failure.Text) {
	c.Problems().Add(failure.Problem{Code: failure.IdleRule, Pointer: c.Pointer, Expected: expected, Hint: hint})
}

// allCompiled reports whether all conditions of a rule are valid. If not, there is
// already a problem.
func (c compiler) allCompiled(r Rule) bool {
	statuses := statusSetting.In(c.Section)
	given := statuses.Value.Len()
	if statuses.Value.IsScalar() && statuses.Present() {
		given = 1
	}
	return len(r.statuses) == given && len(r.headers) == headerSetting.In(c.Section).Value.Len() &&
		(r.when.Given() || !When.In(c.Section).Present()) && (r.match != nil || !matchSetting.In(c.Section).Present())
}

func (r Rule) takesAll() bool {
	return len(r.statuses) == 0 && !r.when.Given() && r.match == nil && len(r.headers) == 0
}

// covers reports whether r matches every response that other matches.
func (r Rule) covers(other Rule) bool {
	if r.when.Given() && r.when.Text != other.when.Text && !r.when.Covers(other.when) {
		return false
	}
	if r.match != nil && (other.match == nil || r.match.String() != other.match.String()) {
		return false
	}
	for _, h := range r.headers {
		if !slices.ContainsFunc(other.headers, func(o headerTest) bool { return strings.EqualFold(o.name, h.name) && o.Text == h.Text }) {
			return false
		}
	}
	if len(r.statuses) == 0 {
		return true
	}
	within := func(s statusRange) bool {
		return slices.ContainsFunc(r.statuses, func(mine statusRange) bool { return mine.from <= s.from && s.to <= mine.to })
	}
	return len(other.statuses) > 0 && !slices.ContainsFunc(other.statuses, func(s statusRange) bool { return !within(s) })
}

// MatchesErrors reports whether a rule polls, skips or accepts responses of every status
// if the keys of its condition are missing, as with `status!=DONE`. Such a rule also
// matches the errors of the API.
func MatchesErrors(s field.Section) bool {
	action := Action(doSetting.Of(s))
	if action != Poll && action != Skip && action != Accept || statusSetting.In(s).Present() || matchSetting.In(s).Present() || headerSetting.In(s).Present() {
		return false
	}
	when := condition.ParseResponse(When.Of(s))
	holds, err := when.Holds(func(string) (value.Value, error) { return value.Value{}, nil })
	return when.Given() && holds && err == nil
}
