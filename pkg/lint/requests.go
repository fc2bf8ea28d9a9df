package lint

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unevaluatedExpressions finds objects that look like expressions at places
// where nothing is evaluated: they are sent as they are.
func unevaluatedExpressions(s settings, found *failure.Problems) {
	places := []place{s.section("api", "http", "defaultOptions", "params")}
	s.section("api", "pagination").walk(func(p place) bool {
		if p.name() == "scrollRequest" {
			places = append(places, p.get("params"), p.get("headers"))
			return false
		}
		return true
	})
	for _, group := range places {
		group.walk(func(p place) bool {
			if !expression(p.Value) {
				return true
			}
			found.Add(failure.Problem{Code: failure.UnevaluatedExpression, Pointer: p.pointer,
				Expected: "expressions are not evaluated here, the object is sent as it is", Hint: "write it in \"params\" of the job"})
			return false
		})
	}
}

// expression tells whether a value looks like an expression.
func expression(v value.Value) bool {
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
	for _, it := range s.Compiled.Iterations {
		for _, j := range jobs(it) {
			groups = append(groups, place{at(s.Tree, j.Pointer), j.Pointer}.get("headers"))
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
