package httpclient

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// messageOf returns the explanation of an error from a response: the whole body if it is
// short, otherwise the messages in the body or, without any, the beginning of the body. The
// text is masked before it is cut.
func messageOf(res *Response, secrets *secret.Registry) string {
	text := response.Excerpt(res.Body, secrets.Mask)
	if text != "" && !strings.HasSuffix(text, "…") {
		return text
	}
	if hint := response.LoginPage(res.Body, secrets.Mask); hint != "" {
		return text + "; " + hint
	}
	body, err := res.Body.Head(int(min(res.Body.Size(), mostRefusal)))
	if err != nil {
		return text
	}
	if said := shortMessage(auth.ErrorMessages(body), secrets.Mask); said != "" {
		return said
	}
	return text
}

// tried returns a text for a request that has no retries left, "" for any other: the number
// of attempts, their time, and the setting that allows more.
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
