package expr

import (
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Response refers to the response to a login or the response of a page. ResponseHeader
// and ResponseCookie refer to its headers and cookies.
const (
	Response       Context = "response"
	ResponseHeader Context = "responseHeader"
	ResponseCookie Context = "responseCookie"
)

func responseReferences() []Reference {
	return []Reference{
		{Key: Response, Argument: "PATH", Examples: []Example{{`{"response": "auth.token"}`, `"t-17"`}}, Where: []Site{InAfterLogin},
			Doc: "The value at the path in the response to the login."},
		{Key: Response, Argument: "PATH", Examples: []Example{{`{"response": "meta.version"}`, `3`}, {`{"response": "items.-1.id"}`, `9`}}, Where: []Site{InUserData, InRemember}, Optional: true,
			Doc: "The value at the path in the response that contains the row. In `remember`: in the response of the last page."},
		{Key: Response, Argument: "PATH", Examples: []Example{{`{"response": "refresh_token"}`, `"r-18"`}}, Where: []Site{InLoginRemember}, Optional: true,
			Doc: "The value at the path in the response to the login; null if there is none."},
		{Key: ResponseHeader, Argument: "NAME", Examples: []Example{{`{"responseHeader": "X-Request-Id"}`, `"8f3a"`}}, Where: []Site{InAfterLogin, InLoginRemember, InUserData, InFile, InRemember}, Optional: true,
			Doc: "The first value of a header of that response; null if the header is absent or its text is `null`."},
		{Key: ResponseCookie, Argument: "NAME", Examples: []Example{{`{"responseCookie": "session"}`, `"abc"`}}, Where: []Site{InAfterLogin, InLoginRemember}, Optional: true,
			Doc: "A cookie that the response to the login sets; null if it sets none of this name."},
	}
}

// HeaderMembers returns the named headers of a response. A header with the text null
// counts as absent, because some APIs mark the last page like that.
func HeaderMembers(header http.Header, names []string) Members {
	members := Members{}
	for spelt, lines := range header {
		for _, name := range names {
			if !strings.EqualFold(spelt, name) || len(lines) == 0 {
				continue
			}
			if text := strings.TrimSpace(lines[0]); text != "null" {
				members[name] = value.OfString(text)
			}
		}
	}
	return members
}

// CookieMembers returns the named cookies that a response sets. If it sets a cookie
// several times, the last value counts, as in a browser.
func CookieMembers(header http.Header, names []string) Members {
	members := Members{}
	for _, c := range (&http.Response{Header: header}).Cookies() {
		for _, name := range names {
			if c.Name == name {
				members[name] = value.OfString(c.Value)
			}
		}
	}
	return members
}
