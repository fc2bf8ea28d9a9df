package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// registerLoginSecrets registers the secrets in each response to a login, before any other
// step sees the response.
type registerLoginSecrets struct {
	next    Step
	secrets *secret.Registry
	// paths lead to what rules compare or show of a body.
	paths []string
}

// mostRefusal is how many bytes of the body of a failed login are searched.
const mostRefusal = 1 << 20

func (t *registerLoginSecrets) Do(ctx context.Context, x *Call) (*Response, error) {
	res, err := t.next.Do(ctx, x)
	if err != nil || x.Purpose != Login {
		return res, err
	}
	var refusal []byte
	if res.Status >= http.StatusMultipleChoices {
		if refusal, err = res.Body.Head(int(min(res.Body.Size(), mostRefusal))); err != nil {
			return nil, errors.Join(err, res.Body.Close())
		}
	}
	auth.RegisterSecrets(t.secrets, res.StatusLine, res.Header)
	if refusal != nil {
		auth.RegisterRefusedSecrets(t.secrets, refusal, t.paths)
	}
	return res, nil
}

// loginError is the user error for a login answered with a status from 300. It closes
// the response. It shows only the error messages in the body, and the standard reason
// of the status: anything else may be a secret.
func (c *Client) loginError(res *Response) error {
	defer res.Body.Close()
	e := refusal(res, fmt.Sprint(res.Status, " ", http.StatusText(res.Status)))
	body, err := res.Body.Head(int(min(res.Body.Size(), mostRefusal)))
	if err != nil {
		return err
	}
	if text := shortMessage(auth.ErrorMessages(body), c.o.Secrets.Mask); text != "" {
		e.Message += ": " + text
	} else if res.Body.Size() > 0 {
		e.Message += "; the response has no error message that can be shown, and the rest of it is not shown because it may contain credentials"
	}
	e.Message += c.tried(res)
	return e
}

// printable drops the characters that are not printable. This must be done before a text
// is masked, because they could be between the characters of a secret.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// shortMessage returns a text as one line of at most 300 printable characters, masked.
func shortMessage(text string, redact func(string) string) string {
	const most = 300
	words := strings.Fields(redact(printable(text)))
	if joined := strings.Join(words, ""); redact(joined) != joined {
		return "" // a secret continues in the next line, perhaps in base64
	}
	runes := []rune(strings.Join(words, " "))
	if len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return string(runes)
}
