package target

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// hosts refuses every address that `image_parameters.allowed_hosts` does not
// list: of jobs and their next pages, of children, logins and redirects alike.
type hosts struct {
	next    http.RoundTripper
	allowed []config.AllowedHost
}

var _ http.RoundTripper = (*hosts)(nil)

// RoundTrip implements http.RoundTripper.
func (t *hosts) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(t.allowed) == 0 {
		return t.next.RoundTrip(req)
	}
	for _, entry := range t.allowed {
		if allows(entry, req.URL) {
			return t.next.RoundTrip(req)
		}
	}
	u := *req.URL
	u.RawQuery = ""
	return nil, failure.Userf("the address %s is not allowed by 'image_parameters.allowed_hosts'", u.Redacted())
}

// allows compares host exactly, scheme and port where the entry names them, and
// the path by whole segments.
func allows(entry config.AllowedHost, u *url.URL) bool {
	if entry.Host != u.Hostname() || entry.Scheme != "" && entry.Scheme != u.Scheme {
		return false
	}
	if entry.Port != 0 && strconv.Itoa(entry.Port) != u.Port() {
		return false
	}
	prefix := strings.Trim(escape(entry.Endpoint, pathCharacters), "/")
	path := strings.Trim(u.EscapedPath(), "/")
	return prefix == "" || path == prefix || strings.HasPrefix(path, prefix+"/")
}
