package guard

import (
	"mime"
	"strings"
)

// Attachment returns a Content-Disposition header that makes a browser save a file with
// this name.
func Attachment(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if header := mime.FormatMediaType("attachment", map[string]string{"filename": name}); header != "" {
		return header
	}
	return "attachment"
}
