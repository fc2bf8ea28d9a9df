package exchange

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// concealLogin makes secrets of what the answers to logins hold, before anything
// else looks at them: each hop and each attempt.
type concealLogin struct {
	next    http.RoundTripper
	secrets *secret.Registry
}

var _ http.RoundTripper = (*concealLogin)(nil)

// mostRefusal is how much of the body of a login that failed is looked at.
const mostRefusal = 1 << 20

// RoundTrip implements http.RoundTripper.
func (t *concealLogin) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	var body []byte
	if spool := res.Body.(*answer.Spool); res.StatusCode >= http.StatusMultipleChoices {
		if body, err = spool.Head(int(min(spool.Size(), mostRefusal))); err != nil {
			return nil, err
		}
	}
	auth.Conceal(t.secrets, res, body)
	return res, nil
}

// loginError is the user error for an answer of 300 and above to a login, which it
// closes. Of the body it shows what says that it is a message, and of the status
// line only the number, with the words that belong to it.
func (c *Client) loginError(res *http.Response) error {
	spool := res.Body.(*answer.Spool)
	defer spool.Close()
	what, more := whatFailed(res.StatusCode)
	e := failure.Userf("[%d] %s: %s %s was answered with %s%s", res.StatusCode, what,
		res.Request.Method, shown(res.Request), strings.TrimSpace(fmt.Sprint(res.StatusCode, " ", http.StatusText(res.StatusCode))), more)
	body, err := spool.Head(int(min(spool.Size(), mostRefusal)))
	if err != nil {
		return err
	}
	if text := shortMessage(c.o.Secrets.Redact(auth.Said(body))); text != "" {
		e.Message += ": " + text
	} else if spool.Size() > 0 {
		e.Message += "; the answer has no error message that can be shown, and the rest of it is not shown because it may contain credentials"
	}
	return e
}

// shortMessage is a masked text in one line of at most 300 characters, none of
// which could steer a terminal.
func shortMessage(text string) string {
	const most = 300
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	shown := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, string(runes[:min(len(runes), most)]))
	if len(runes) > most {
		shown += " …"
	}
	return shown
}
