package httpclient

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Resolve returns the URL of an endpoint:
//
//	users, users/1     below the base URL, including its last segment
//	/users             on the host of the base URL
//	//host/users       on another host, with the scheme of the base URL
//	https://host/users unchanged
//	?q=1               the base URL with that query
//
// Only http: and https: make an endpoint absolute: users:list is a path. Dot segments and
// the fragment are removed, and invalid characters are percent-encoded. RawQuery is the
// query of the endpoint, unchanged. Errors are user errors.
func Resolve(base *url.URL, endpoint string) (*url.URL, error) {
	endpoint, _, _ = strings.Cut(endpoint, "#")
	path, query, _ := strings.Cut(endpoint, "?")
	u := &url.URL{Scheme: base.Scheme, Host: base.Host, User: base.User}
	switch {
	case hasScheme(path):
		scheme, rest, _ := strings.Cut(path, ":")
		return absolute(strings.ToLower(scheme), rest, query, endpoint)
	case strings.HasPrefix(path, "//"):
		return absolute(base.Scheme, path, query, endpoint)
	case strings.HasPrefix(path, "/"):
	case path == "":
		path = base.EscapedPath()
	default:
		path = strings.TrimSuffix(base.EscapedPath(), "/") + "/" + path
	}
	return finish(u, path, query), nil
}

func hasScheme(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasPrefix(lower, "http:") || strings.HasPrefix(lower, "https:")
}

func absolute(scheme, rest, query, endpoint string) (*url.URL, error) {
	authority, ok := strings.CutPrefix(rest, "//")
	path := ""
	if slash := strings.IndexByte(authority, '/'); slash >= 0 {
		authority, path = authority[:slash], authority[slash:]
	}
	u, err := url.Parse(scheme + "://" + authority)
	if !ok || err != nil || u.Hostname() == "" {
		return nil, failure.Userf("'%s' is not a valid address: expected http://host/path or https://host/path", endpoint)
	}
	return finish(u, path, query), nil
}

func finish(u *url.URL, path, query string) *url.URL {
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "http" {
		u.Host = strings.TrimSuffix(u.Host, ":80")
	} else {
		u.Host = strings.TrimSuffix(u.Host, ":443")
	}
	u.RawPath = removeDots(escape(path, pathCharacters))
	if u.RawPath == "" {
		u.RawPath = "/"
	}
	u.Path = unescapePath(u.RawPath)
	u.RawQuery = query
	return u
}

const (
	unreserved      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	pathCharacters  = unreserved + "!$&'()*+,;=:@/"
	queryCharacters = pathCharacters + "?"
)

// escape percent-encodes every byte that is not allowed. Existing escapes stay. Any other
// percent sign becomes %25.
func escape(s, allowed string) string {
	if strings.Trim(s, allowed) == "" {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case strings.IndexByte(allowed, c) >= 0:
			b.WriteByte(c)
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// removeDots removes the segments . and .. of a path, escaped or not. Empty segments
// stay.
func removeDots(path string) string {
	if !strings.Contains(path, ".") && !strings.Contains(path, "%2") {
		return path // nearly all paths
	}
	var out []string
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch dots := unescapePath(segment); dots {
		case ".", "..":
			if dots == ".." && len(out) > 1 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, segment)
		}
	}
	return strings.Join(out, "/")
}

// mergeQuery merges parameters into the query of an endpoint. A parameter replaces the
// pair with the same name. Other parameters are appended.
func mergeQuery(query string, params value.Value) value.Value {
	var pairs []value.Member
	for p := range php.Query(query) {
		pairs = append(pairs, value.Member{Name: p.Name, Value: value.OfString(p.Value)})
	}
	for name, item := range params.Entries() {
		pairs = append(pairs, value.Member{Name: name, Value: item})
	}
	return value.OfMembers(pairs...)
}

// unescapePath decodes a result of escape, which has no invalid escapes.
func unescapePath(s string) string {
	decoded, _ := url.PathUnescape(s)
	return decoded
}
