package config

import (
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Origin is scheme, host and port of a URL. It decides which requests may contain the
// credentials.
type Origin struct {
	// Scheme is http or https.
	Scheme string
	// Host is in lower case, with its port unless the port is the default of the scheme.
	// In an entry of `api.http.trustedOrigins` it may begin with "*.".
	Host string
}

// OriginOf returns the origin of an absolute http or https URL.
func OriginOf(u *url.URL) Origin {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	own := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return Origin{Scheme: scheme, Host: strings.TrimSuffix(host, own)}
}

// Covers reports whether the other origin is the same, or a subdomain if o.Host begins
// with "*.".
func (o Origin) Covers(other Origin) bool {
	if o.Scheme != other.Scheme {
		return false
	}
	if parent, any := strings.CutPrefix(o.Host, "*"); any {
		return len(other.Host) > len(parent) && strings.HasSuffix(other.Host, parent)
	}
	return o.Host == other.Host
}

// String returns the origin as a URL without a path.
func (o Origin) String() string { return o.Scheme + "://" + o.Host }

// origins compiles `api.http.trustedOrigins`.
func origins(s Section) []Origin {
	var all []Origin
	for _, entry := range s.Items() {
		if entry.Faulty() {
			continue
		}
		text := entry.Value.Raw()
		asterisk := ""
		if scheme, rest, ok := strings.Cut(text, "://*."); ok {
			text, asterisk = scheme+"://"+rest, "*."
		}
		u := parseBaseURL(text)
		if u == nil || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			entry.Fault(failure.InvalidAddress, "expected scheme and host of a URL, optionally with a port", "for example \"https://files.example.com\", or \"https://*.example.com\" for all hosts below it")
			continue
		}
		o := OriginOf(u)
		o.Host = asterisk + o.Host
		all = append(all, o)
	}
	return all
}
