package auth

import (
	"net/http"
	"regexp"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// LoginValue is a value in the response of a login that an authentication uses.
type LoginValue struct {
	// Path is the path of the value in the response.
	Path string
	// Literal is true if the configuration writes the path as a plain text, which is sent
	// unchanged if the response has no value at the path.
	Literal bool
}

// DryRunResponse returns a response to the login of a method, for a run that sends none.
// The result of standIn replaces every value that the method uses. A method without a
// login has no body.
func DryRunResponse(m Method, standIn func(LoginValue) string) (header http.Header, body []byte) {
	if l, ok := m.(interface {
		response(func(LoginValue) string) (http.Header, []byte)
	}); ok {
		return l.response(standIn)
	}
	return nil, nil
}

func (l login) response(standIn func(LoginValue) string) (header http.Header, body []byte) {
	header = http.Header{}
	for _, name := range l.references(expr.ResponseHeader) {
		header.Set(name, standIn(LoginValue{Path: "header " + name}))
	}
	for _, name := range l.references(expr.ResponseCookie) {
		header.Add("Set-Cookie", name+"="+standIn(LoginValue{Path: "cookie " + name}))
	}
	var members []value.Member
	all := append(l.added.headers.loginValues(), l.added.query.loginValues()...)
	for _, r := range l.remembered {
		for _, path := range r.expr.References(expr.Response) {
			all = append(all, LoginValue{Path: path})
		}
	}
	for _, taken := range all {
		if !l.text {
			members = append(members, value.Member{Name: taken.Path, Value: value.OfString(standIn(taken))})
		} else if taken.Path == "data" {
			return header, []byte(standIn(LoginValue{Path: "data"}))
		}
	}
	return header, value.OfMembers(members...).AppendJSON(nil)
}

// pathLike matches texts that may be a path in a response. They are one word.
var pathLike = regexp.MustCompile(`^[A-Za-z0-9_.\-]+$`)

// loginValues returns the values of the response that the entries use.
func (p expressionSection) loginValues() []LoginValue {
	var all []LoginValue
	for _, path := range p.entries.References(expr.Response) {
		all = append(all, LoginValue{Path: path})
	}
	for _, m := range p.section.Value.Members() {
		if m.Value.Kind() == value.String && pathLike.MatchString(m.Value.Raw()) {
			all = append(all, LoginValue{Path: m.Value.Raw(), Literal: true})
		}
	}
	return all
}
