package csvtable

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
	stored := joinWords(plainLetters(name))
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
func joinWords(text string) string {
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

// plainLetters takes the marks off letters and writes those that are not a letter
// with a mark as the letters they stand for.
func plainLetters(text string) string {
	plain := strings.NewReplacer("ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O",
		"ł", "l", "Ł", "L", "đ", "d", "ð", "d", "Đ", "D", "Ð", "D", "þ", "th", "Þ", "TH", "ħ", "h", "Ħ", "H", "ı", "i")
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, plain.Replace(norm.NFKD.String(text)))
}
