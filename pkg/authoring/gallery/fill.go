package gallery

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Fill returns the configuration of the API with the credentials and the host of an
// example request. filled are the names of the attributes that it found in the request.
func (a API) Fill(config []byte, address string, header http.Header) (text []byte, filled []string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, failure.Userf("cannot read the address of the example: %w", err)
	}
	names := make([]string, 0, len(a.Credentials))
	for name := range a.Credentials {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		found := ""
		for _, place := range a.Credentials[name] {
			found = cmp.Or(found, credential(place, u, header))
		}
		if found == "" {
			continue
		}
		quoted, err := json.Marshal(found)
		if err != nil {
			return nil, nil, failure.Applicationf("cannot write %s: %w", name, err)
		}
		attribute := regexp.MustCompile(`("` + regexp.QuoteMeta(name) + `": )"(?:[^"\\]|\\.)*"`)
		config = attribute.ReplaceAllFunc(config, func(match []byte) []byte {
			return append(attribute.FindSubmatch(match)[1], quoted...)
		})
		filled = append(filled, name)
	}
	if placeholder := a.placeholderHost(config); placeholder != "" && a.has(u.Hostname()) {
		config = []byte(strings.ReplaceAll(string(config), "https://"+placeholder, "https://"+u.Hostname()))
	}
	return config, filled, nil
}

// Placeholders are what has to be replaced in a configuration of the API before it runs:
// the attributes that have values such as "your-api-token", those of Credentials that have
// the value of the gallery, and the host.
func (a API) Placeholders(config []byte) ([]string, error) {
	attributes, err := a.attributes(config)
	if err != nil {
		return nil, err
	}
	original, err := Config(a.Name)
	if err != nil {
		return nil, err
	}
	shipped, err := a.attributes(original)
	if err != nil {
		return nil, err
	}
	var names []string
	for name, v := range attributes {
		text, ok := v.(string)
		_, credential := a.Credentials[name]
		if ok && (strings.HasPrefix(text, "your-") || credential && v == shipped[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if host := a.placeholderHost(config); host != "" {
		names = append(names, "the host "+host)
	}
	return names, nil
}

// attributes are the members of config.
func (a API) attributes(config []byte) (map[string]any, error) {
	var doc struct {
		Parameters struct{ Config map[string]any }
	}
	if err := json.Unmarshal(config, &doc); err != nil {
		return nil, failure.Applicationf("cannot read the configuration of %s: %w", a.Name, err)
	}
	return doc.Parameters.Config, nil
}

// credential returns the value at a place of the request, "" if it is not there.
func credential(place string, u *url.URL, header http.Header) string {
	kind, name, _ := strings.Cut(place, " ")
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	user, password := "", ""
	if u.User != nil {
		user = u.User.Username()
		password, _ = u.User.Password()
	}
	if decoded, err := base64.StdEncoding.DecodeString(token); err == nil && strings.EqualFold(scheme, "basic") {
		user, password, _ = strings.Cut(string(decoded), ":")
	}
	switch kind {
	case "bearer":
		if strings.EqualFold(scheme, "bearer") {
			return token
		}
	case "basic.username":
		return user
	case "basic.password":
		return password
	case "header":
		return header.Get(name)
	case "query":
		return u.Query().Get(name)
	}
	return ""
}

// placeholderHost is the host in the configuration that stands for your own, "" if all
// users of the API have the same host.
func (a API) placeholderHost(config []byte) string {
	if !slices.ContainsFunc(a.Hosts, func(pattern string) bool { return strings.Contains(pattern, "*") }) {
		return ""
	}
	for _, match := range regexp.MustCompile(`https://([^/"{}]+)`).FindAllSubmatch(config, -1) {
		if host := string(match[1]); strings.HasPrefix(host, "your-") && a.has(host) {
			return host
		}
	}
	return ""
}
