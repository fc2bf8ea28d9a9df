package lint

import (
	"iter"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// plainSecrets finds literal values under names that sound like secrets and do not begin
// with #. The # masks the value in events and lets the platform encrypt it.
func plainSecrets(s settings, found *failure.Problems) {
	naming := s.naming()
	settings := s.Compiled.Settings
	settings.Value = s.Tree.Lookup(failure.PointerSplit(settings.Pointer)) // Tree includes keys without a declaration
	for _, f := range s.Language.Tree.Root().Field(config.Wrapper.Name).Type.Fields {
		walk(settings.Get(f.Name), func(p config.Section) bool {
			if naming[p.Pointer] || strings.HasPrefix(name(p), "#") || isAuthorization(p) {
				return false
			}
			if PlainSecret(name(p), p.Value) {
				found.Add(failure.Problem{Code: failure.PlainSecret, Pointer: p.Pointer,
					Expected: "this secret is not protected: it is stored and shown in plain text", Hint: protectHint(p, config.ConfigSection.In(settings))})
			}
			return true
		})
	}
}

// naming returns the pointers of names and paths, which are not secrets.
func (s settings) naming() map[string]bool {
	naming := map[string]bool{}
	for _, f := range s.fields(field.NamingRole, field.RememberRole) {
		naming[f.at.Pointer] = true
	}
	return naming
}

// shortSecrets finds secrets that are too short to be masked in texts.
func shortSecrets(s settings, found *failure.Problems) {
	naming := s.naming()
	for pointer, text := range secret.SecretsIn(s.Tree) {
		if at := strings.LastIndexByte(pointer, '/'); !strings.HasPrefix(pointer[at+1:], "#") || !secret.TooShort(text) {
			continue // texts at deeper levels may be parts of an expression
		}
		if slices.ContainsFunc(slices.Collect(ancestors(pointer)), func(at string) bool { return naming[at] }) {
			continue
		}
		found.Add(failure.Problem{Code: failure.ShortSecret, Pointer: pointer,
			Expected: "this secret has fewer than four characters: it is masked where it is put into a request, but cannot be found elsewhere",
			Hint:     "use a longer secret, unless it protects nothing"})
	}
}

// exampleValues finds example values of the gallery that the user has not replaced.
func exampleValues(s settings, found *failure.Problems) {
	settings := s.Compiled.Settings
	settings.Value = s.Tree.Lookup(failure.PointerSplit(settings.Pointer)) // Tree includes attributes, which have no declaration
	walk(settings, func(p config.Section) bool {
		if p.Value.Kind() != value.String {
			return true
		}
		if example := gallery.ExampleValue(p.Value.Text()); example != "" {
			if strings.HasPrefix(name(p), "#") {
				example = "" // it would be masked
			}
			found.Add(failure.Problem{Code: failure.ExampleValue, Pointer: p.Pointer, Found: failure.Part(example),
				Expected: "this is an example value, not your own", Hint: "write your own value; for an API of the gallery, its page in docs/apis says where to get it"})
		}
		return true
	})
}

// ancestors yields a pointer and the pointers of all its ancestors, except the root.
func ancestors(pointer string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; pointer != "" && yield(pointer); pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		}
	}
}

// isAuthorization reports whether an object refers to the platform's authorization. The
// value of such an object is a path, not a secret.
func isAuthorization(p config.Section) bool {
	_, ok := p.Value.Get(string(expr.Authorization))
	return ok && p.Value.Len() == 1 && name(p) != config.APIHeaders.Name
}

func protectHint(p, conf config.Section) failure.Text {
	if p.Pointer == conf.Get(name(p)).Pointer {
		return "write it under " + failure.Part(value.OfString("#"+name(p)).JSON())
	}
	return "write it under a key of \"config\" that begins with #, and refer to it by {\"attr\": \"#…\"}"
}

// PlainSecret reports whether a name sounds like a secret and the value is a literal
// text. Texts with variables are not secrets.
func PlainSecret(name string, v value.Value) bool {
	if v.Kind() != value.String || v.Raw() == "" || strings.Contains(v.Raw(), "{{") {
		return false
	}
	letters := textfmt.Letters(name)
	for _, harmless := range []string{"page", "next", "cursor", "sync", "continuation", "scroll"} {
		if strings.Contains(letters, harmless) {
			return false
		}
	}
	return slices.ContainsFunc([]string{"password", "passwd", "passphrase", "token", "secret", "apikey", "accesskey", "privatekey", "secretkey", "clientsecret"},
		func(word string) bool { return strings.HasSuffix(letters, word) }) ||
		letters == "authorization"
}

// plainAddresses finds URLs without TLS to which credentials are sent. It skips loopback
// hosts, and all URLs if there is an SSH proxy, because they are inside the network of
// the SSH server.
func plainAddresses(s settings, found *failure.Problems) {
	if !httpclient.SSHProxy.In(s.Compiled.Settings).Value.IsNull() || !hasCredentials(s) {
		return
	}
	for _, it := range s.iterations {
		report := func(u *url.URL, pointer string) {
			if strings.EqualFold(u.Scheme, "http") && !loopback(u.Hostname()) {
				found.Add(failure.Problem{Code: failure.PlainAddress, Pointer: pointer,
					Expected: "credentials are sent to this address unencrypted", Hint: "write https://"})
			}
		}
		report(it.BaseURL, config.BaseURL.In(s.api).Pointer)
		login := auth.LoginEndpoint.In(auth.LoginRequest.In(s.login))
		reportAbsolute(login.Value.Raw(), login.Pointer, report)
		for _, j := range it.jobs {
			if j.Anonymous {
				continue
			}
			reportAbsolute(j.Endpoint, config.JobEndpoint.In(s.job(j.Job)).Pointer, report)
		}
		for i, o := range s.Compiled.API.TrustedOrigins {
			host, _, _ := strings.Cut(o.Host, ":")
			report(&url.URL{Scheme: o.Scheme, Host: host}, config.TrustedOriginsSetting.In(config.HTTPSection.In(s.api)).Get(strconv.Itoa(i)).Pointer)
		}
	}
}

// hostOfRow matches an endpoint with a placeholder in its host.
var hostOfRow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:https?:)?//[^/?#]*\{[^/?#]*\}`) })

// withheldCredentials finds child jobs that take the host of their endpoint from a row.
// Such a host gets no credentials unless its origin is trusted.
func withheldCredentials(s settings, found *failure.Problems) {
	if !hasCredentials(s) || len(s.Compiled.API.TrustedOrigins) > 0 {
		return
	}
	for _, j := range s.jobs() {
		if len(j.above) > 0 && !j.Anonymous && hostOfRow().MatchString(j.Endpoint) {
			found.Add(failure.Problem{Code: failure.WithheldCredential, Pointer: config.JobEndpoint.In(s.job(j.Job)).Pointer,
				Expected: "the host comes from a row, so the request is sent without credentials", Hint: "list the hosts that may receive them in \"api.http.trustedOrigins\""})
		}
	}
}

func reportAbsolute(endpoint, pointer string, report func(*url.URL, string)) {
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		report(u, pointer)
	}
}

// hasCredentials reports whether requests have credentials: an authentication scheme, a
// signature, a value under the name of a secret, user and password in the base URL, or a
// reference to a secret.
func hasCredentials(s settings) bool {
	if auth.TypeSetting.In(s.login).Present() || httpclient.Signed(s.Compiled).Present() {
		return true
	}
	carried := slices.ContainsFunc(s.iterations, func(it iteration) bool { return it.BaseURL.User != nil })
	visit := func(p config.Section) bool {
		attr := p.Value.Field(string(expr.Attr)).Raw()
		secret := strings.HasPrefix(attr, "#") || strings.Contains(attr, ".#")
		carried = carried || p.Value.Without("default").Len() == 1 && secret || PlainSecret(name(p), p.Value)
		return !carried
	}
	conf := config.ConfigSection.In(s.Compiled.Settings)
	for _, section := range []config.Section{s.api, config.JobsSetting.In(conf), config.ConfigHTTP.In(conf)} {
		walk(section, visit)
	}
	return carried
}

func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
