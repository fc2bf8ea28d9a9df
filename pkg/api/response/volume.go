package response

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// volume counts the bytes of a response as the original extractor encodes it again:
// compact JSON in ASCII with \/ for a slash, and numbers with a fraction or an exponent
// with 17 significant digits. Members with the same name all count, because volume does
// not keep names.
type volume struct {
	// wanted is false to skip strings and doubles, which take time to count.
	wanted bool
	bytes  int64
}

// literal adds a literal that stays unchanged.
func (v *volume) literal(raw []byte) { v.bytes += int64(len(raw)) }

// fraction adds a number with a fraction or an exponent.
func (v *volume) fraction(raw []byte) {
	if !v.wanted {
		return
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
		v.bytes += int64(len(php.Double(f, 17)))
	} else {
		v.literal(raw)
	}
}

// text adds a string without its quotes and escapes.
func (v *volume) text(s []byte) {
	if !v.wanted {
		return
	}
	v.bytes += int64(len(`""`))
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		v.bytes += escapedSize(r)
		s = s[size:]
	}
}

func escapedSize(r rune) int64 {
	switch {
	case r > 0xFFFF:
		return int64(len(`\ud83d\ude00`))
	case r >= utf8.RuneSelf:
		return int64(len(`\u20ac`))
	case r == '"', r == '\\', r == '/', r == '\b', r == '\f', r == '\n', r == '\r', r == '\t':
		return int64(len(`\n`))
	case r < ' ':
		return int64(len(`\u001f`))
	default:
		return 1
	}
}

func (v *volume) opening() { v.bytes++ }

// closing adds the closing brace or bracket, and the commas and colons between elements,
// the names and values.
func (v *volume) closing(elements int64) { v.bytes += 1 + max(0, elements-1) }

// packedVolume returns the volume of a packed value.
func packedVolume(p value.Packed) int64 {
	v := volume{wanted: true}
	v.packed(p)
	return v.bytes
}

func (v *volume) packed(p value.Packed) {
	switch p.Kind() {
	case value.Array, value.Object:
		object := p.Kind() == value.Object
		elements := int64(0)
		v.opening()
		for parts := p.Parts(); parts.More(); elements++ {
			if object {
				v.text(parts.Name())
				elements++
			}
			v.packed(parts.Value())
		}
		v.closing(elements)
	case value.String:
		v.text(p.Raw())
	case value.Number:
		if bytes.ContainsAny(p.Raw(), ".eE") {
			v.fraction(p.Raw())
		} else {
			v.literal(p.Raw())
		}
	default:
		v.literal(p.AppendEscapedJSON(nil))
	}
}
