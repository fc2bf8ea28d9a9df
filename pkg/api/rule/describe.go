package rule

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Describe returns one sentence for each rule.
func (l List) Describe() []string {
	var all []string
	for _, r := range l {
		all = append(all, fmt.Sprintf("%s %s (%s)", r.subject(), r.predicate(), r.Pointer))
	}
	return all
}

// subject names the responses that match the rule.
func (r Rule) subject() string {
	var parts []string
	if len(r.statuses) > 0 {
		var names []string
		for _, s := range r.statuses {
			names = append(names, s.String())
		}
		parts = append(parts, "the status "+strings.Join(names, " or "))
	}
	if r.when.Given() {
		subject := "a body that satisfies"
		switch {
		case len(r.when.Paths()) == 0:
			subject = "headers that satisfy"
		case len(r.when.Headers()) > 0:
			subject = "a body and headers that satisfy"
		}
		parts = append(parts, fmt.Sprintf("%s %q", subject, r.when.Text))
	}
	if r.match != nil {
		parts = append(parts, fmt.Sprintf("%q in its body", r.match.String()))
	}
	for _, h := range r.headers {
		parts = append(parts, fmt.Sprintf("a header %s that satisfies %q", h.name, h.Text))
	}
	if len(parts) == 0 {
		return "Every other response"
	}
	return "A response with " + strings.Join(parts, " and ")
}

func (s statusRange) String() string {
	if s.from < s.to {
		return strconv.Itoa(s.from/100) + "xx"
	}
	return strconv.Itoa(s.from)
}

func (r Rule) predicate() string {
	switch r.Do {
	case Fail:
		return "ends the run with an error."
	case Retry:
		return "is tried again " + r.wait.String() + "."
	case Poll:
		return fmt.Sprintf("is requested again %s, for %s at most.", r.wait.every(), textfmt.Seconds(r.Timeout.Seconds()))
	case Skip:
		return "ends the job without data."
	case Restart:
		return "starts the job again, once, without what was remembered."
	case LogIn:
		return "is requested again after a new login, once for each request."
	default:
		return "is taken as data."
	}
}

func (w waitSpec) String() string {
	switch {
	case w.fixed:
		return "after " + textfmt.Seconds(w.seconds)
	case w.header != "":
		return "when " + w.patternText() + "its header " + w.header + " says so"
	case w.response != "":
		return fmt.Sprintf("when %s%q of its body says so", w.patternText(), w.response)
	case w.match != nil:
		return fmt.Sprintf("when %q in its body says so", w.match.String())
	default:
		return "as 'api.retryConfig' says"
	}
}

// patternText returns the words for the match of the pattern, or "".
func (w waitSpec) patternText() string {
	if w.match == nil {
		return ""
	}
	return fmt.Sprintf("%q in ", w.match.String())
}

func (w waitSpec) every() string {
	if w == (waitSpec{}) {
		w = waitSpec{fixed: true, seconds: DefaultPoll.Seconds()}
	}
	return strings.Replace(w.String(), "after ", "every ", 1)
}
