package lint

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unevaluatedExpressions finds objects that look like expressions at places
// where nothing is evaluated, and references to the answer of a login at places
// where there is none: they are sent as they are.
func unevaluatedExpressions(s settings, found *failure.Problems) {
	literal := []place{s.section("api", "http", "defaultOptions", "params")}
	s.section("api", "pagination").walk(func(p place) bool {
		if p.name() == "scrollRequest" {
			literal = append(literal, p.get("params"), p.get("headers"))
			return false
		}
		return true
	})
	unevaluated(literal, expression, "expressions are not evaluated here, the object is sent as it is", "write it in \"params\" of the job", found)

	login := s.section("api", "authentication", "loginRequest")
	if login.Empty() {
		return
	}
	unanswered := append(literal, login.get("params"), login.get("headers"))
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			job := s.at(j.Pointer)
			unanswered = append(unanswered, job.get("params"), job.get("userData"))
		}
	}
	unevaluated(unanswered, answered, "the answer of the login is not known here, the object is taken as it is", "write it in \"apiRequest\" of the login", found)
}

// unevaluated warns of every value in the groups that is meant.
func unevaluated(groups []place, meant func(place) bool, expected, hint failure.Text, found *failure.Problems) {
	for _, group := range groups {
		for _, entry := range group.below() {
			entry.walk(func(p place) bool {
				if !meant(p) {
					return true
				}
				found.Add(failure.Problem{Code: failure.UnevaluatedExpression, Pointer: p.pointer, Expected: expected, Hint: hint})
				return false
			})
		}
	}
}

// expression tells whether a value looks like an expression.
func expression(v place) bool {
	if v.Field("function").Kind() == value.String {
		return true
	}
	return v.Len() == 1 && (v.Field("attr").Kind() == value.String || v.Field("time").Kind() == value.String)
}

// unsendableHeaders finds headers that are set by the connection itself, whose
// value in the document is not sent.
func unsendableHeaders(s settings, found *failure.Problems) {
	groups := []place{
		s.section("api", "http", "headers"),
		s.section("api", "http", "defaultOptions", "headers"),
		s.section("api", "authentication", "headers"),
		s.section("api", "authentication", "loginRequest", "headers"),
		s.section("api", "authentication", "apiRequest", "headers"),
		s.section("config", "http", "headers"),
	}
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			groups = append(groups, s.at(j.Pointer).get("headers"))
		}
	}
	for _, group := range groups {
		for _, m := range group.Members() {
			switch strings.ToLower(m.Name) {
			case "content-length", "transfer-encoding", "trailer":
				found.Add(failure.Problem{Code: failure.UnsendableHeader, Pointer: group.get(m.Name).pointer,
					Expected: "this header is not sent: the connection makes its own", Hint: "remove it"})
			}
		}
	}
}
