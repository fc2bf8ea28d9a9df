package auth

import (
	"net/http"
	"regexp"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// LoginValue is a value that an authentication takes from the response of its login.
type LoginValue struct {
	// Path of the value in the response.
	Path string
	// Literal is set when the configuration writes the path as a mere text,
	// which is sent as it is when the response has nothing there.
	Literal bool
}

// DryRunResponse is a response to the login of a method, for a run that sends none: what
// standIn gives in the place of every value that the method takes. It has no body for
// a method without a login.
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
	all := append(l.with.headers.taken(), l.with.query.taken()...)
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

// pathLike are the texts that may be a path in a response: those of one word.
var pathLike = regexp.MustCompile(`^[A-Za-z0-9_.\-]+$`)

// taken are the values of a login's response that the entries take.
func (p expressionSection) taken() []LoginValue {
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
