package gallery

import (
	"cmp"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Fill sets the credentials and the host of an example request in a configuration of the
// API. filled are the names of the attributes that it found in the request.
func (a API) Fill(config []byte, address string, header http.Header) (text []byte, filled []string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, failure.Userf("cannot read the address of the example: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Credentials)) {
		found := ""
		for _, source := range a.Credentials[name] {
			found = cmp.Or(found, credential(source, u, header))
		}
		if found == "" {
			continue
		}
		config = Input{Attribute: name}.Replace(config, found)
		filled = append(filled, name)
	}
	if a.Has(u.Hostname()) {
		config = exampleValue.ReplaceAllFunc(config, func(example []byte) []byte {
			if a.Has(string(example)) {
				return []byte(u.Hostname())
			}
			return example
		})
	}
	return config, filled, nil
}

// credential returns the value of the request that source names, or "". API.Credentials
// lists the sources.
func credential(source string, u *url.URL, header http.Header) string {
	kind, name, _ := strings.Cut(source, " ")
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
