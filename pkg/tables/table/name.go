package table

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// reservedColumn is a column that the platform adds to every table. Its name is
// refused in any case of letters.
const reservedColumn = "_timestamp"

// StoredName is the name under which the platform stores a column: ASCII
// letters, digits and underscores, none of them at either end; letters of other
// Latin alphabets lose their marks. Names of a database's own columns get an
// underscore at the end. A name the platform keeps for itself, or of which
// nothing is left, is a user error that says so without naming a place.
//
// Different names may have the same stored name. That of a stored name is itself.
func StoredName(name string) (string, error) {
	if strings.EqualFold(name, reservedColumn) {
		return "", failure.Userf("column %q is reserved by the platform", name)
	}
	stored := wordsOf(plainLetters(name))
	if stored == "" {
		return "", failure.Userf("column %q cannot be stored: no letter from A to Z and no digit is in its name", name)
	}
	if slices.Contains([]string{"oid", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}, stored) {
		stored += "_"
	}
	return stored, nil
}

// wordsOf puts one underscore in the place of everything between the letters
// and digits.
func wordsOf(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_':
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	return strings.Trim(b.String(), "_")
}

// plainLetters takes the marks off letters and writes those that are no letter
// with a mark as the letters they stand for.
func plainLetters(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		plain, ok := plainLetter(r)
		switch {
		case ok:
			b.WriteString(plain)
		case !unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plainLetter(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "ss", true
	case 'ẞ':
		return "SS", true
	case 'æ':
		return "ae", true
	case 'Æ':
		return "AE", true
	case 'œ':
		return "oe", true
	case 'Œ':
		return "OE", true
	case 'ø':
		return "o", true
	case 'Ø':
		return "O", true
	case 'ł':
		return "l", true
	case 'Ł':
		return "L", true
	case 'đ', 'ð':
		return "d", true
	case 'Đ', 'Ð':
		return "D", true
	case 'þ':
		return "th", true
	case 'Þ':
		return "TH", true
	case 'ħ':
		return "h", true
	case 'Ħ':
		return "H", true
	case 'ı':
		return "i", true
	default:
		return "", false
	}
}
