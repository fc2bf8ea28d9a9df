package csvtable

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// reservedColumn is a column that the platform adds to every table. No other column may
// have its name, in any letter case.
const reservedColumn = "_timestamp"

// StoredName returns the name under which the platform stores a column: ASCII letters,
// digits and underscores, without underscores at either end. Letters of other Latin
// alphabets lose their marks. A name that a database uses for its own columns gets an
// underscore at the end. StoredName returns a user error if the platform reserves the
// name, or if no letter or digit is left. The error does not contain a location in the
// configuration.
//
// Different names may have the same stored name. The stored name of a stored name is
// the name itself.
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

// joinWords replaces everything between letters and digits by one underscore.
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

// plainLetters removes the marks from letters, and replaces ligatures and special
// letters by the letters that they stand for.
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
