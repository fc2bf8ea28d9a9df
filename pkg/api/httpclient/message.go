package httpclient

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// messageOf returns the explanation of an error from a response, masked before it is cut:
// the whole body if it is short, otherwise the messages in the body, or the beginning of a
// body without messages. For a login it returns only the messages, because any other text
// may be a secret.
func messageOf(res *Response, secrets *secret.Registry) string {
	text := ""
	if !res.forLogin {
		text = response.Excerpt(res.Body, secrets.Mask)
		if text != "" && !strings.HasSuffix(text, "…") {
			return text
		}
		if hint := response.LoginPage(res.Body, secrets.Mask); hint != "" {
			return strings.TrimPrefix(text+"; ", "; ") + hint
		}
	}
	body, err := res.errorBody()
	if err != nil {
		return strings.TrimPrefix(text+"; ", "; ") + "the response cannot be read again: " + err.Error()
	}
	return cmp.Or(shortMessage(auth.ErrorMessages(body), secrets), text)
}

// errorBody returns the beginning of a body, which is searched for messages and secrets.
func (a *Response) errorBody() ([]byte, error) {
	const most = 1 << 20
	return a.Body.Head(int(min(a.Body.Size(), most)))
}

// tried returns the number of attempts, their time and the setting that allows more, as a
// part of an error message. It returns "" unless the response is one to retry and no
// retries are left.
func (c *Client) tried(res *Response) string {
	if res.tried == 0 {
		return ""
	}
	text := fmt.Sprintf("; it was tried %s in %s, and 'api.retryConfig.maxRetries' allows no more", attempts(res.tried), textfmt.Count(int(res.passed.Round(time.Second).Seconds()), "second"))
	if res.Status == http.StatusTooManyRequests {
		text += ": raise it, or send fewer requests with 'api.http.rateLimit'"
	}
	return text
}

// status returns the status line of a response. For a login it has the standard reason,
// because the reason that the API sent may hold a secret.
func (a *Response) status() string {
	if a.forLogin {
		return fmt.Sprint(a.Status, " ", http.StatusText(a.Status))
	}
	return strings.TrimSpace(a.StatusLine)
}

// printable drops characters that are not printable. It must run before a text is masked,
// because such characters could separate the characters of a secret.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// shortMessage returns a text as one masked line of at most 300 printable characters.
func shortMessage(text string, secrets *secret.Registry) string {
	const most = 300
	words := strings.Fields(secrets.Mask(printable(text)))
	if joined := strings.Join(words, ""); secrets.Mask(joined) != joined {
		return "" // a secret continues on the next line, perhaps in base64
	}
	runes := []rune(strings.Join(words, " "))
	if len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return string(runes)
}
