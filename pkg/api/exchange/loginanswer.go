package exchange

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// concealLogin makes secrets of what the answers to logins hold, before anything
// else looks at them: each hop and each attempt.
type concealLogin struct {
	next    Step
	secrets *secret.Registry
}

// mostRefusal is how much of the body of a login that failed is looked at.
const mostRefusal = 1 << 20

func (t *concealLogin) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	res, err := t.next.Do(ctx, x)
	if err != nil || x.Purpose != Login {
		return res, err
	}
	var refusal []byte
	if res.Status >= http.StatusMultipleChoices {
		if refusal, err = res.Body.Head(int(min(res.Body.Size(), mostRefusal))); err != nil {
			return nil, err
		}
	}
	auth.Conceal(t.secrets, res.StatusLine, res.Header, refusal)
	return res, nil
}

// loginError is the user error for an answer of 300 and above to a login, which it
// closes. Of the body it shows what says that it is a message, and of the status
// line only the number, with the words that belong to it.
func (c *Client) loginError(res *Answer) error {
	defer res.Body.Close()
	e := refusal(res, fmt.Sprint(res.Status, " ", http.StatusText(res.Status)))
	body, err := res.Body.Head(int(min(res.Body.Size(), mostRefusal)))
	if err != nil {
		return err
	}
	if text := shortMessage(c.o.Secrets.Redact(auth.Said(body))); text != "" {
		e.Message += ": " + text
	} else if res.Body.Size() > 0 {
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
