package secret

import (
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// namesOf lists what becomes of a text in one line, without line feeds, and in
// names, which are made of fewer characters: of columns and tables (see
// pkg/tables/mapping), of typed columns, of hosts, of properties in JSON pointers, and of
// headers as net/http spells them at the start of a word and inside of one; and the text
// in capital letters.
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

// NameByte reports whether a byte stays in names of tables and columns; all others
// become underscores.
func NameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-'
}

// columnName puts one underscore in the place of all bytes between letters, digits
// and dashes, and none at either end: there it belongs to what is beside the
// text.
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

// dashes puts an underscore in the place of all dashes that are together.
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
