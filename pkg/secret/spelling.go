package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// formsOf returns the spellings of a secret that undoing escapes does not produce.
func formsOf(secret string) []string {
	raw := []byte(secret)
	digits := hex.EncodeToString(raw)
	padded := base64.StdEncoding.EncodeToString(raw)
	forms := []string{
		secret, digits, strings.ToUpper(digits),
		padded, base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	}
	forms = appendWrapped(forms, padded)
	if inBase64(secret) {
		forms = appendWrapped(forms, secret)
	}
	for _, text := range misread(secret) {
		if text != secret && !tooShort(text) {
			forms = append(forms, text)
		}
	}
	return appendJoined(forms, raw)
}

// misread returns the texts that other programs make of a secret with characters outside
// printable ASCII: with U+FFFD for the characters that XML cannot contain, without the
// characters that are not printable, and read as Latin-1 instead of UTF-8.
func misread(secret string) []string {
	if strings.IndexFunc(secret, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return nil
	}
	inXML := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, secret)
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(secret, ""))
	var inLatin1 strings.Builder
	for i := range len(secret) {
		inLatin1.WriteRune(rune(secret[i]))
	}
	return []string{inXML, printable, inLatin1.String()}
}

// joinedCharacters is the minimum number of characters of a secret in the base64 of a
// longer text. Fewer characters occur in other data by chance.
const joinedCharacters = 8

// appendJoined appends the base64 of a secret inside any text. It depends on the number
// of bytes before the secret, modulo three. The characters that also depend on the
// neighbours are left out.
func appendJoined(forms []string, raw []byte) []string {
	const byteBits, characterBits = 8, 6
	for before := range 3 {
		from := (before*byteBits + characterBits - 1) / characterBits
		to := (before + len(raw)) * byteBits / characterBits
		if to-from < joinedCharacters {
			continue
		}
		joined := append(make([]byte, before), raw...)
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, alphabet.EncodeToString(joined)[from:to])
		}
	}
	return forms
}

// encodedEscapes returns the base64 and hexadecimal forms of a secret with the escapes
// of a query, a path, JSON and HTML.
func encodedEscapes(secret string) (forms []string) {
	escaped := []string{url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")}
	if quoted, err := json.Marshal(secret); err == nil {
		escaped = append(escaped, string(quoted[1:len(quoted)-1]))
	}
	var plain strings.Builder
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(secret); err == nil {
		inner := strings.TrimSuffix(plain.String(), "\n")
		escaped = append(escaped, inner[1:len(inner)-1])
	}
	sent := value.OfString(secret).AppendEscapedJSON(nil) // the escapes that the extractor writes into a body
	escaped = append(escaped, string(sent[1:len(sent)-1]))
	for i, text := range escaped {
		if text != secret && !slices.Contains(escaped[:i], text) {
			digits := hex.EncodeToString([]byte(text))
			forms = appendJoined(append(forms, digits, strings.ToUpper(digits)), []byte(text))
		}
	}
	return forms
}

// shortSecretForms returns the spellings of a short secret that are long enough to be
// searched for: base64, hexadecimal and escapes. Spellings of digits only are left out,
// because they look like a number.
func shortSecretForms(secret string) []string {
	if strings.IndexFunc(secret, alphanumeric) < 0 {
		return nil // escapes of punctuation occur in every text
	}
	raw, characters := []byte(secret), []rune(secret)
	digits := hex.EncodeToString(raw)
	var all []string
	for _, form := range []string{
		digits, strings.ToUpper(digits), base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
		url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), strings.Trim(strconv.Quote(secret), `"`),
		inFormat(characters, `\u%04x`), inFormat(characters, `\u%04X`), inFormat(characters, "&#%d;"), inFormat(characters, "&#x%x;"), inFormat(characters, "&#x%X;"),
		inFormat(raw, "%%%02x"), inFormat(raw, "%%%02X"),
	} {
		if !tooShort(form) && strings.TrimLeft(form, "0123456789") != "" {
			all = append(all, form)
		}
	}
	return all
}

// inFormat formats each character, or each byte, of a text.
func inFormat[T byte | rune](text []T, format string) string {
	var b strings.Builder
	for _, one := range text {
		fmt.Fprintf(&b, format, one)
	}
	return b.String()
}

// appendWrapped appends a text in lines of the lengths at which programs wrap base64:
// 76 bytes (MIME, base64) and 64 bytes (PEM, openssl).
func appendWrapped(forms []string, text string) []string {
	for _, width := range []int{76, 64} {
		if len(text) <= width {
			continue
		}
		for _, end := range []string{"\n", "\r\n"} {
			var lines strings.Builder
			for from := 0; from < len(text); from += width {
				if from > 0 {
					lines.WriteString(end)
				}
				lines.WriteString(text[from:min(len(text), from+width)])
			}
			forms = append(forms, lines.String())
		}
	}
	return forms
}

// inBase64 reports whether a text may be base64, or several base64 texts as in a JSON
// web token.
func inBase64(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !tokenCharacter(r) }) < 0
}

// tokenCharacter reports whether a token may contain a character (token68 of RFC 9110).
func tokenCharacter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+/=-_.~", r)
}

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
