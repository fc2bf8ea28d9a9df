package auth

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// DryRunResponse returns a response to the login of a method, for a run that sends none.
// A stand-in replaces every value that the method uses: the result of standIn for a name
// such as "login: token". A method without a login has no body.
func DryRunResponse(m Method, standIn func(name string) string) (header http.Header, body []byte) {
	method, ok := m.(interface{ compiledLogin() login })
	if !ok {
		return nil, nil
	}
	l := method.compiledLogin()
	header = http.Header{}
	for _, name := range l.references(expr.ResponseHeader) {
		header.Set(name, standIn("login: header "+name))
	}
	for _, name := range l.references(expr.ResponseCookie) {
		header.Add("Set-Cookie", name+"="+standIn("login: cookie "+name))
	}
	var members []value.Member
	add := func(path, name string) {
		if !l.text {
			members = append(members, value.Member{Name: path, Value: value.OfString(standIn("login: " + name))})
		} else if path == "data" {
			body = []byte(standIn("login: " + path))
		}
	}
	for _, added := range []expressionSection{l.added.headers, l.added.query} {
		for _, path := range added.entries.References(expr.Response) {
			add(path, path)
		}
		for _, m := range added.section.Value.Members() {
			if path := m.Value.Raw(); m.Value.Kind() == value.String && pathLike.MatchString(path) {
				add(path, fmt.Sprintf("%s, or %q", path, path)) // without a value at the path, the path is sent
			}
		}
	}
	for _, r := range l.remembered {
		for _, path := range r.expr.References(expr.Response) {
			add(path, path)
		}
	}
	switch {
	case body != nil:
	case l.format.Name != "":
		body = dryXML(members)
	default:
		body = value.OfMembers(members...).AppendJSON(nil)
	}
	return header, body
}

// pathLike matches texts that may be a path in a response. They are one word.
var pathLike = regexp.MustCompile(`^[A-Za-z0-9_.\-]+$`)
