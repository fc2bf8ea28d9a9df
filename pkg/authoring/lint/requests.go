package lint

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unevaluatedExpressions finds objects that look like expressions at places
// where nothing is evaluated, and references to the answer of a login at places
// where there is none: they are sent as they are.
func unevaluatedExpressions(s settings, found *failure.Problems) {
	var literal []config.Section
	for _, f := range s.fields(field.Literal) {
		literal = append(literal, f.at)
	}
	unevaluated(literal, expression, "expressions are not evaluated here, the object is sent as it is", "write it in \"params\" of the job", found)

	login := auth.LoginRequest.In(s.login)
	if !login.Present() {
		return
	}
	unanswered := append(literal, auth.LoginParams.In(login), auth.LoginHeaders.In(login))
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			unanswered = append(unanswered, config.JobParams.In(s.job(j.Job)), j.UserData)
		}
	}
	unevaluated(unanswered, answered, "the answer of the login is not known here, the object is taken as it is", "write it in \"apiRequest\" of the login", found)
}

// unevaluated warns of every value in the groups that is meant.
func unevaluated(groups []config.Section, meant func(config.Section) bool, expected, hint failure.Text, found *failure.Problems) {
	for _, group := range groups {
		for _, entry := range group.Items() {
			walk(entry, func(p config.Section) bool {
				if !meant(p) {
					return true
				}
				found.Add(failure.Problem{Code: failure.UnevaluatedExpression, Pointer: p.Pointer, Expected: expected, Hint: hint})
				return false
			})
		}
	}
}

// expression tells whether a value looks like an expression.
func expression(p config.Section) bool {
	return p.Value.Field("function").Kind() == value.String || refersTo(p, expr.Attr) || refersTo(p, expr.Time)
}

// unsendableHeaders finds headers that are set by the connection itself, whose
// value in the document is not sent.
func unsendableHeaders(s settings, found *failure.Problems) {
	for _, group := range s.fields(field.Headers) {
		for _, m := range group.at.Value.Members() {
			switch strings.ToLower(m.Name) {
			case "content-length", "transfer-encoding", "trailer":
				found.Add(failure.Problem{Code: failure.UnsendableHeader, Pointer: group.at.Get(m.Name).Pointer,
					Expected: "this header is not sent: the connection makes its own", Hint: "remove it"})
			}
		}
	}
}
