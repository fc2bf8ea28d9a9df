package response

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// mostTitle is the maximum number of characters of a title in a message.
const mostTitle = 80

var (
	beforeHTML = regexp.MustCompile(`^(?s)(\s|<\?xml.*?\?>|<!--.*?-->)+`)
	titleOf    = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	password   = regexp.MustCompile(`(?is)<input\b[^>]*\btype\s*=\s*["']?password`)
	loginForm  = regexp.MustCompile(`(?is)<form\b[^>]*\b(action|id|name|class)\s*=\s*["']?[^"'>]*(log-?_?in|sign-?_?in|sign-?_?on|sso|saml|auth)`)
	loginTitle = regexp.MustCompile(`(?i)\b(log[ -]?[io]n|sign[ -]?[io]n|single sign|authenticat\w*|anmelden|anmeldung|connexion|iniciar sesi|přihl)`)
)

// LoginPage returns a hint for a message if a response looks like a login page for
// people, otherwise "".
func LoginPage(spool *Spool, redact func(string) string) string {
	head, err := spool.Head(headBytes)
	if err != nil {
		return ""
	}
	return loginPage(head, redact)
}

func loginPage(head []byte, redact func(string) string) string {
	page := bytes.TrimPrefix(head, []byte(markUTF8))
	page = page[len(beforeHTML.Find(page)):]
	if !isHTML(page) {
		return ""
	}
	title := ""
	if found := titleOf.FindSubmatch(page); found != nil {
		title = strings.Join(strings.Fields(html.UnescapeString(strings.ToValidUTF8(string(found[1]), ""))), " ")
	}
	form := password.Match(page)
	if !form && !loginForm.Match(page) && !loginTitle.MatchString(title) {
		return ""
	}
	text := "it looks like a login page"
	if shown := textfmt.Printable(textfmt.Shorten(redact(title), mostTitle)); shown != "" {
		text += `, with the title "` + shown + `"`
	}
	if form {
		text += " and a form with a password"
	}
	return text + ": check the credentials, and that the address is that of the API"
}
