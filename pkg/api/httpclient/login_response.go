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
	// paths are the paths in a body that rules compare or show.
	paths []string
}

// maxErrorBody is the maximum number of bytes of an error response that are searched for
// messages and secrets.
const maxErrorBody = 1 << 20

func (t *registerLoginSecrets) Do(ctx context.Context, x *Call) (*Response, error) {
	res, err := t.next.Do(ctx, x)
	if err != nil || x.Purpose != Login {
		return res, err
	}
	var refusal []byte
	if res.Status >= http.StatusMultipleChoices {
		if refusal, err = res.Body.Head(int(min(res.Body.Size(), maxErrorBody))); err != nil {
			return nil, errors.Join(err, res.Body.Close())
		}
	}
	auth.RegisterSecrets(t.secrets, res.StatusLine, res.Header)
	if refusal != nil {
		auth.RegisterRefusedSecrets(t.secrets, refusal, t.paths)
	}
	return res, nil
}

// loginError returns the user error for a login with a status from 300. It closes the
// response. It shows only the error messages in the body and the standard reason of the
// status, because any other text may be a secret.
func (c *Client) loginError(res *Response) error {
	defer res.Body.Close()
	e := refusal(res, fmt.Sprint(res.Status, " ", http.StatusText(res.Status)))
	body, err := res.Body.Head(int(min(res.Body.Size(), maxErrorBody)))
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
func shortMessage(text string, redact func(string) string) string {
	const most = 300
	words := strings.Fields(redact(printable(text)))
	if joined := strings.Join(words, ""); redact(joined) != joined {
		return "" // a secret continues on the next line, perhaps in base64
	}
	runes := []rune(strings.Join(words, " "))
	if len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return string(runes)
}
