package httpclient

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// allowedHostsOnly refuses every URL that `image_parameters.allowed_hosts` does not list,
// also for next pages, child jobs, logins and redirects.
type allowedHostsOnly struct {
	next    step
	allowed []config.AllowedHost
}

func (t *allowedHostsOnly) do(ctx context.Context, x *call) (*Response, error) {
	if len(t.allowed) == 0 {
		return t.next.do(ctx, x)
	}
	why := ""
	for _, entry := range t.allowed {
		if !allows(entry, x.URL) {
			continue
		}
		if restrictedPath(entry) != "" {
			if found := ambiguity(x.URL.EscapedPath()); found != "" {
				why = ": " + found + ", which servers interpret differently; write the path without it"
				continue
			}
		}
		return t.next.do(ctx, x)
	}
	u := *x.URL
	u.RawQuery, u.User = "", nil
	return nil, hostError(failure.Userf("the address %s is not allowed by 'image_parameters.allowed_hosts'%s", u.String(), why))
}

// ErrHostRefused is a cause of each error about a host that the operator does not allow.
var ErrHostRefused = errors.New("the operator does not allow the host")

func hostError(err *failure.Error) error {
	err.Cause = ErrHostRefused
	return err
}

// allows reports whether an entry allows a URL. The host must be equal, scheme and port
// too if the entry has them. The path is compared by whole segments.
func allows(entry config.AllowedHost, u *url.URL) bool {
	if entry.Host != u.Hostname() || entry.Scheme != "" && entry.Scheme != u.Scheme {
		return false
	}
	if entry.Port != 0 && strconv.Itoa(entry.Port) != u.Port() {
		return false
	}
	prefix := restrictedPath(entry)
	path := strings.Trim(u.EscapedPath(), "/")
	return prefix == "" || path == prefix || strings.HasPrefix(path, prefix+"/")
}

// restrictedPath returns the path that an entry allows, escaped and without slashes
// around it. "" allows every path.
func restrictedPath(entry config.AllowedHost) string {
	return strings.Trim(escape(entry.Endpoint, pathCharacters), "/")
}

// maxDecodings is the number of times that a path is decoded to find hidden dot segments.
// A path that then still has escapes is refused.
const maxDecodings = 4

// ambiguity describes the part of a path that could lead out of its directory on some
// servers. It returns "" if there is no such part. Dot segments, also with escaped dots,
// are already resolved. But some servers, proxies and frameworks decode %2f and %5c
// before they resolve dot segments, decode more than once, treat a backslash as a slash,
// cut parameters (;x=1) off a segment, drop white space, or accept overlong UTF-8. After
// two leading slashes some servers read the first segment as a host.
func ambiguity(path string) string {
	lenient := strings.NewReplacer(`\`, "/",
		"\xc0\xaf", "/", "\xc1\x9c", "/", "\xc0\xae", ".",
		"\xe0\x80\xaf", "/", "\xe0\x81\x9c", "/", "\xe0\x80\xae", ".",
		"\xf0\x80\x80\xaf", "/", "\xf0\x80\x81\x9c", "/", "\xf0\x80\x80\xae", ".",
		"\xc0/", "/", "\xc0.", ".") // the second byte of overlong UTF-8 without its highest bit
	for range maxDecodings {
		path = lenient.Replace(path)
		if strings.HasPrefix(path, "//") {
			return "its path begins with two slashes"
		}
		for segment := range strings.SplitSeq(path, "/") {
			name, _, _ := strings.Cut(segment, ";")
			visible := strings.Map(func(r rune) rune {
				if r <= ' ' || r == 0x7f {
					return -1
				}
				return r
			}, name)
			if visible == ".." {
				return "its path holds an encoded segment '..'"
			}
		}
		decoded := unescapePath(escape(path, pathCharacters)) // a stray percent sign stays
		if decoded == path {
			return ""
		}
		path = decoded
	}
	return "its path is encoded several times"
}
