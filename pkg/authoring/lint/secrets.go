package lint

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// plainSecrets finds literal values under names that sound like secrets, where
// no # keeps them out of events and lets the platform encrypt them.
func plainSecrets(s settings, found *failure.Problems) {
	for _, section := range []place{s.section("api"), s.section("config"), s.section("iterations"), s.section("aws"), s.section("sshProxy")} {
		section.walk(func(p place) bool {
			name := p.name()
			switch name {
			case "pagination", "mappings", "placeholders", "apiRequest", "expires", "requiredHeaders":
				return false // what stands there are names and paths
			}
			if strings.HasPrefix(name, "#") || reference(p) {
				return false
			}
			if PlainSecret(name, p.Value) {
				found.Add(failure.Problem{Code: failure.PlainSecret, Pointer: p.pointer,
					Expected: "this secret is not protected: it is stored and shown as it is", Hint: protect(p, s)})
			}
			return true
		})
	}
}

// reference tells whether an object refers to the platform's authorization: what
// stands under that key is a path.
func reference(p place) bool {
	_, ok := p.Get("authorization")
	return ok && p.Len() == 1 && p.name() != "headers"
}

// protect says where a secret should stand.
func protect(p place, s settings) failure.Text {
	if strings.HasPrefix(p.pointer, s.pointer+"/config/") && strings.Count(p.pointer[len(s.pointer):], "/") == 2 {
		return "write it under " + failure.Part(value.OfString("#"+p.name()).JSON())
	}
	return "write it under a key of \"config\" that begins with #, and refer to it by {\"attr\": \"#…\"}"
}

// PlainSecret tells whether a name sounds like a secret and the value is one
// that is written out. Variables are none.
func PlainSecret(name string, v value.Value) bool {
	if v.Kind() != value.String || v.Raw() == "" || strings.Contains(v.Raw(), "{{") {
		return false
	}
	letters := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
	for _, harmless := range []string{"page", "next", "cursor", "sync", "continuation", "scroll"} {
		if strings.Contains(letters, harmless) {
			return false
		}
	}
	return slices.ContainsFunc([]string{"password", "passwd", "passphrase", "token", "secret", "apikey", "accesskey", "privatekey", "secretkey", "clientsecret"},
		func(word string) bool { return strings.HasSuffix(letters, word) }) ||
		letters == "authorization"
}

// plainAddresses finds addresses without TLS that requests with credentials go
// to. A computer talking to itself needs none, and behind an SSH server the
// address is inside its network.
func plainAddresses(s settings, found *failure.Problems) {
	if !exchange.SSHProxy.In(s.Compiled.Settings).Value.IsNull() || !credentials(s) {
		return
	}
	for _, it := range s.iterations {
		report := func(u *url.URL, pointer string) {
			if strings.EqualFold(u.Scheme, "http") && !loopback(u.Hostname()) {
				found.Add(failure.Problem{Code: failure.PlainAddress, Pointer: pointer,
					Expected: "credentials are sent to this address in the open", Hint: "write https://"})
			}
		}
		report(it.BaseURL, s.section("api", "baseUrl").pointer)
		login := s.section("api", "authentication", "loginRequest", "endpoint")
		absolute(login.Raw(), login.pointer, report)
		for _, j := range it.jobs {
			absolute(j.Endpoint, j.Pointer+"/endpoint", report)
		}
		for i, o := range s.Compiled.API.TrustedOrigins {
			host, _, _ := strings.Cut(o.Host, ":")
			report(&url.URL{Scheme: o.Scheme, Host: host}, s.section("api", "http", "trustedOrigins", strconv.Itoa(i)).pointer)
		}
	}
}

// hostOfRow matches an endpoint whose host a placeholder makes.
var hostOfRow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:https?:)?//[^/?#]*\{[^/?#]*\}`) })

// withheldCredentials finds child jobs whose host comes out of a row: it gets no
// credentials unless it is trusted.
func withheldCredentials(s settings, found *failure.Problems) {
	if !credentials(s) || len(s.Compiled.API.TrustedOrigins) > 0 {
		return
	}
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			if len(j.above) > 0 && hostOfRow().MatchString(j.Endpoint) {
				found.Add(failure.Problem{Code: failure.WithheldCredential, Pointer: j.Pointer + "/endpoint",
					Expected: "the host comes from a row, so it is asked without credentials", Hint: "list the hosts that may have them in \"api.http.trustedOrigins\""})
			}
		}
	}
}

// absolute hands over an endpoint that is an address of its own.
func absolute(endpoint, pointer string, report func(*url.URL, string)) {
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		report(u, pointer)
	}
}

// credentials tells whether requests carry any: by an authentication, a
// signature, a header of that name, user and password in the address, or a
// reference to a secret.
func credentials(s settings) bool {
	if s.section("api", "authentication").Field("type").Text() != "" || exchange.Signed(s.Compiled).Present() {
		return true
	}
	carried := slices.ContainsFunc(s.iterations, func(it iteration) bool { return it.BaseURL.User != nil })
	visit := func(p place) bool {
		attr := p.Field("attr").Raw()
		secret := strings.HasPrefix(attr, "#") || strings.Contains(attr, ".#")
		carried = carried || p.Len() == 1 && secret || PlainSecret(p.name(), p.Value)
		return !carried
	}
	s.section("api").walk(visit)
	s.section("config", "jobs").walk(visit)
	s.section("config", "http").walk(visit)
	return carried
}

// loopback tells whether a host is the computer itself.
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
