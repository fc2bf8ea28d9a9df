package auth

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// All texts in a response to a login are secrets, also if the response refuses the login,
// redirects it or is to be repeated, because the API may identify other users by them.
// The authentication registers the texts of the response that it reads. This file
// registers all others.

// RegisterSecrets registers the secrets of a response to a login outside its body: the
// reason in its status line, its headers, and the target of a redirect.
func RegisterSecrets(secrets *secret.Registry, statusLine string, header http.Header) {
	texts := reasonOf(statusLine)
	for name, lines := range header {
		if PlainHeader(name) {
			continue
		}
		for _, line := range lines {
			texts = append(texts, headerTexts(name, line)...)
		}
	}
	secrets.AddTokens(texts[:min(len(texts), maxTexts)])
}

// RegisterRefusedSecrets registers the secrets in the body of a response to a login that
// the authentication will not read, because of its status or a rule. All texts of the
// body are secrets except messages (see ErrorMessages) and the values at paths, which the
// rules of the login compare or show.
func RegisterRefusedSecrets(secrets *secret.Registry, body []byte, paths []string) {
	_, texts := readRefusal(body)
	if v, err := value.Parse(bytes.TrimPrefix(body, []byte(byteOrderMark))); err == nil {
		all := expr.Flatten(v)
		for _, path := range paths {
			if leaf, ok := all[path]; ok {
				texts = slices.DeleteFunc(texts, func(text string) bool { return slices.Contains(secret.Spellings(leaf), text) })
			}
		}
	}
	secrets.AddTokens(texts[:min(len(texts), maxTexts)])
}

// reasonOf returns the reason in a status line and its words. It returns nil for the
// standard reason.
func reasonOf(statusLine string) []string {
	number, reason, _ := strings.Cut(statusLine, " ")
	status, _ := strconv.Atoi(number) // net/http has checked the number
	if reason == "" || reason == http.StatusText(status) {
		return nil
	}
	return append(wordsOf(reason), reason)
}

// PlainHeader reports whether a header belongs to the protocol and does not identify the
// user who logs in.
func PlainHeader(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return slices.Contains(plainHeaders, name) || strings.HasPrefix(name, "Access-Control-") || strings.Contains(name, "Ratelimit") || strings.Contains(name, "Rate-Limit")
}

var plainHeaders = []string{
	"Accept-Ranges", "Age", "Allow", "Alt-Svc", "Cache-Control", "Connection", "Content-Encoding", "Content-Language",
	"Content-Length", "Content-Security-Policy", "Content-Type", "Date", "Expires", "Keep-Alive", "Last-Modified",
	"Pragma", "Referrer-Policy", "Retry-After", "Server", "Strict-Transport-Security", "Transfer-Encoding", "Vary",
	"X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-Xss-Protection",
}

func headerTexts(name, line string) []string {
	if http.CanonicalHeaderKey(name) == "Location" {
		return addressTexts(line)
	}
	texts := wordsOf(line)
	if len(line) >= longWord || mixed(line) {
		texts = append(texts, line)
	}
	if http.CanonicalHeaderKey(name) == "Set-Cookie" {
		pair, _, _ := strings.Cut(line, ";")
		if _, cookie, _ := strings.Cut(pair, "="); len(cookie) >= shortest {
			texts = append(texts, pair, strings.Trim(cookie, `"`))
		}
	}
	return texts
}

// addressTexts returns the secrets in a URL that a response leads to: the values of its
// parameters, the names in its path that are data, and then the whole text after the
// host.
func addressTexts(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	rest := address
	if _, behind, ok := strings.Cut(address, "//"); ok {
		_, rest, _ = strings.Cut(behind, "/")
	}
	rest = strings.TrimPrefix(rest, "/")
	texts := append(pairsOf(u.RawQuery), pairsOf(u.Fragment)...)
	for name := range strings.SplitSeq(u.Path, "/") {
		if len(name) >= shortest && !secret.OrdinaryName(name) {
			texts = append(texts, name)
		}
	}
	if len(texts) > 0 || strings.ContainsAny(rest, "?#") {
		texts = append(texts, rest)
	}
	if u.User != nil {
		password, _ := u.User.Password()
		texts = append(texts, u.User.String(), u.User.Username(), password)
	}
	return slices.DeleteFunc(texts, func(text string) bool { return len(text) < shortest })
}

// pairsOf returns the values in a text of parameters.
func pairsOf(query string) []string {
	var texts []string
	for pair := range strings.SplitSeq(query, "&") {
		_, text, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(text); err == nil {
			text = plain
		}
		if len(text) >= shortest {
			texts = append(texts, text)
		}
	}
	return texts
}

// wordsOf returns the words in a text that look generated.
func wordsOf(text string) []string {
	var words []string
	for _, word := range word.FindAllString(text, -1) {
		word = strings.TrimLeft(word, "/") // a path after a host begins with a slash
		if len(word) >= 2*longWord || len(word) >= longWord && mixed(word) {
			words = append(words, word)
		}
	}
	return words
}

// longWord is the length from which a text with letters and digits counts as an
// identifier. A text without digits must be twice as long.
const longWord = 8

var (
	word   = regexp.MustCompile(`[A-Za-z0-9._~+/=-]+`)
	letter = regexp.MustCompile(`[A-Za-z]`)
	digit  = regexp.MustCompile(`[0-9]`)
)

func mixed(text string) bool {
	return len(text) >= shortest && letter.MatchString(text) && digit.MatchString(text)
}

// ErrorMessages returns the error messages in the response to a refused login, or "".
// These are the members with the name of a message, at the top and below error and
// errors.
func ErrorMessages(body []byte) string {
	messages, _ := readRefusal(body)
	return strings.Join(messages, ", ")
}

// readRefusal sorts the texts of a response that refuses a login.
func readRefusal(body []byte) (messages, secrets []string) {
	v, err := value.Parse(bytes.TrimPrefix(body, []byte(byteOrderMark)))
	if err != nil {
		return nil, append(textsIn(string(body), 0), wordsOf(string(body))...)
	}
	if v.Kind() != value.Object {
		return nil, secretTexts(v, "", 0)
	}
	secret.MapError(v, func(m value.Member) value.Member {
		if text := strings.TrimSpace(m.Value.Text()); text != "" {
			messages = append(messages, m.Name+": "+text)
		}
		return m
	}, func(m value.Member) value.Member {
		secrets = append(secrets, secretTexts(value.OfMembers(m), "", 0)...)
		return m
	})
	return messages, secrets
}

// isData reports whether the name of a member is data, and long enough to be a secret.
func isData(name string) bool { return len(name) >= longWord && !secret.OrdinaryName(name) }
