package expr

import (
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Response is an answer, that of the login or that of the page; ResponseHeader and
// ResponseCookie are what stands in its head.
const (
	Response       Context = "response"
	ResponseHeader Context = "responseHeader"
	ResponseCookie Context = "responseCookie"
)

func answerReferences() []Reference {
	return []Reference{
		{Key: Response, Argument: "PATH", Example: `{"response": "auth.token"}`, Where: []Place{InAfterLogin},
			Doc: "the value at the path in the answer of the login"},
		{Key: Response, Argument: "PATH", Example: `{"response": "meta.version"}`, Where: []Place{InUserData, InRemember}, Optional: true,
			Doc: "the value at the path in the answer that holds the row; in `remember` in that of the last page"},
		{Key: Response, Argument: "PATH", Example: `{"response": "refresh_token"}`, Where: []Place{InLoginRemember}, Optional: true,
			Doc: "the value at the path in the answer of the login; null without it"},
		{Key: ResponseHeader, Argument: "NAME", Example: `{"responseHeader": "X-Request-Id"}`, Where: []Place{InAfterLogin, InLoginRemember, InUserData, InRemember}, Optional: true,
			Doc: "the first value of a header of that answer; null without it, and where it is the text `null`"},
		{Key: ResponseCookie, Argument: "NAME", Example: `{"responseCookie": "session"}`, Where: []Place{InAfterLogin, InLoginRemember}, Optional: true,
			Doc: "a cookie that the answer of the login sets; null without it"},
	}
}

// HeaderMembers are the headers of an answer that expressions refer to. One with the
// text null counts as absent: some APIs end their paging so.
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

// CookieMembers are the cookies that an answer sets and expressions refer to. Of
// several with one name the last counts, as in a browser.
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
