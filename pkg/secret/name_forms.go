package secret

import (
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// namesOf returns the forms of a text in one line, without line feeds, and in names,
// which have fewer characters: the names of columns and tables (see
// pkg/tables/mapping), of typed columns, of hosts, of members in JSON pointers, and of
// headers as net/http spells them at the start of a word and inside a word. It also
// returns the text in capital letters.
func namesOf(text string) []string {
	column := columnName(text)
	inside := textproto.CanonicalMIMEHeaderKey("x" + text)
	capitals := ""
	if utf8.RuneCountInString(text) >= minPiece { // a shorter one may be an ordinary word
		capitals = strings.ToUpper(text)
	}
	return []string{
		strings.Join(strings.Fields(text), " "),
		column, strings.Trim(joinDashes(column), "_"),
		strings.ToLower(text), capitals,
		strings.TrimPrefix(failure.PointerJoin("", text), "/"),
		textproto.CanonicalMIMEHeaderKey(text), inside[1:],
	}
}

// NameByte reports whether a byte stays in names of tables and columns. All other bytes
// become underscores.
func NameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-'
}

// columnName replaces all bytes between letters, digits and dashes by one underscore,
// and removes such bytes at either end, where the underscore belongs to the text around
// the secret.
func columnName(text string) string {
	var b strings.Builder
	gap := false
	for i := range len(text) {
		switch c := text[i]; {
		case NameByte(c):
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteByte(c)
		default:
			gap = true
		}
	}
	return b.String()
}

// joinDashes replaces each sequence of dashes by one underscore.
func joinDashes(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch {
		case name[i] != '-':
			b.WriteByte(name[i])
		case i == 0 || name[i-1] != '-':
			b.WriteByte('_')
		}
	}
	return b.String()
}
