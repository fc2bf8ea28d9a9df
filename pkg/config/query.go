package config

import (
	"encoding/hex"
	"strings"
)

// UnescapeQuery decodes a name or a value of a query: + is a blank, and an escape
// is the byte it stands for. A percent sign that begins no escape stays, so that
// one in the wrong place does not keep the others from being decoded.
func UnescapeQuery(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	var one [1]byte
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			b = append(b, ' ')
		case c == '%' && i+2 < len(s):
			if _, err := hex.Decode(one[:], []byte(s[i+1:i+3])); err != nil {
				b = append(b, c)
				continue
			}
			b = append(b, one[0])
			i += 2
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
