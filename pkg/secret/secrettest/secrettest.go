// Package secrettest provides a secret that is hard to find, and its spellings, for
// tests of code that must not show a secret. It does not use pkg/secret.
package secrettest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Canary has characters that every kind of escape escapes.
const Canary = `c4nary/p&ss "wörd"\ +<é>?~😀`

// Spellings returns the texts that a secret may appear as anywhere in the program, by
// the name of the encoding.
func Spellings(secret string) map[string]string {
	raw := []byte(secret)
	all := map[string]string{
		"plain":            secret,
		"query":            url.QueryEscape(secret),
		"path":             url.PathEscape(secret),
		"strict":           strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		"base64":           base64.StdEncoding.EncodeToString(raw),
		"base64 unpadded":  base64.RawStdEncoding.EncodeToString(raw),
		"base64 URL":       base64.URLEncoding.EncodeToString(raw),
		"base64 URL short": base64.RawURLEncoding.EncodeToString(raw),
		"base64 in query":  url.QueryEscape(base64.StdEncoding.EncodeToString(raw)),
		"hex":              hex.EncodeToString(raw),
		"HEX":              strings.ToUpper(hex.EncodeToString(raw)),
	}
	lower := func(s string) string {
		out := []byte(s)
		for i := range out {
			if i+2 < len(out) && out[i] == '%' {
				copy(out[i+1:i+3], strings.ToLower(s[i+1:i+3]))
			}
		}
		return string(out)
	}
	all["query, lower case"] = lower(all["query"])
	all["strict, lower case"] = lower(all["strict"])
	goStyle, _ := json.Marshal(secret) // marshalling a string cannot fail
	all["JSON, Go"] = strings.Trim(string(goStyle), `"`)
	escaped := value.OfString(secret).AppendEscapedJSON(nil)
	all["JSON, escaped"] = string(escaped[1 : len(escaped)-1])
	return all
}
