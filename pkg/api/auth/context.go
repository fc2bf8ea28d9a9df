package auth

import (
	"maps"
	"net/url"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// requestContexts returns the contexts for a request before authentication: its parts,
// and the decoded parameters of its query. URL and path have the form of the request
// line: percent-encoded, without user, password and default port.
func requestContexts(r *request.Request) map[expr.Context]expr.Members {
	address := *r.URL
	address.User = nil
	port, err := strconv.Atoi(address.Port())
	if err != nil { // without a port
		port = map[string]int{"http": 80, "https": 443}[address.Scheme]
	}
	contexts := map[expr.Context]expr.Members{
		expr.Request: {
			"url":         value.OfString(address.String()),
			"path":        value.OfString(address.EscapedPath()),
			"queryString": value.OfString(address.RawQuery),
			"method":      value.OfString(r.Method),
			"hostname":    value.OfString(address.Hostname()),
			"port":        value.OfInt(int64(port)),
			"resource":    value.OfString(address.RequestURI()),
		},
	}
	contexts[expr.Query] = queryMembers(parseQuery(address.RawQuery), r.Sensitive)
	if len(r.Sensitive.Query(address.String())) > 0 {
		for _, name := range []string{"url", "queryString", "resource"} {
			contexts[expr.Request][name] = contexts[expr.Request][name].AsSecret()
		}
	}
	return contexts
}

// queryMembers returns parameters by name. If a name has several values, each value is
// under its index. A name without = has no value to refer to.
func queryMembers(q query, sensitive secret.Sensitive) expr.Members {
	members := expr.Members{}
	for _, p := range q {
		for i, v := range p.values {
			name := p.name
			if len(p.values) > 1 {
				name += "." + strconv.Itoa(i)
			}
			switch {
			case v.missing:
			case sensitive.Param(p.name):
				members[name] = value.OfString(v.s).AsSecret()
			default:
				members[name] = value.OfString(v.s)
			}
		}
	}
	return members
}

// withContexts returns the input with additional contexts. A reference to a member that
// such a context lacks is a problem at compile time.
func (s CompileInput) withContexts(contexts map[expr.Context]expr.Members) CompileInput {
	before := s.compiler
	s.compiler = func(place expr.Site) expr.Compiler {
		c := before(place)
		maps.Copy(c.Known, contexts)
		return c
	}
	return s
}

// forRequests returns the input for expressions about each request. The parts of a request
// are known at compile time, its parameters are not.
func (s CompileInput) forRequests() CompileInput {
	parts := requestContexts(&request.Request{URL: &url.URL{}})[expr.Request]
	return s.withContexts(map[expr.Context]expr.Members{expr.Request: parts})
}
