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
// short, otherwise the messages in the body, or the beginning of a body without messages.
// The text is masked before it is cut.
func messageOf(res *Response, secrets *secret.Registry) string {
	text := response.Excerpt(res.Body, secrets.Mask)
	if text != "" && !strings.HasSuffix(text, "…") {
		return text
	}
	if hint := response.LoginPage(res.Body, secrets.Mask); hint != "" {
		return text + "; " + hint
	}
	body, err := res.Body.Head(int(min(res.Body.Size(), maxErrorBody)))
	if err != nil {
		return text
	}
	if said := shortMessage(auth.ErrorMessages(body), secrets.Mask); said != "" {
		return said
	}
	return text
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
