package value

// widest is the maximum length, in bytes, of an object or a list on one line.
const widest = 72

// maxIndent is the depth from which a value is on one line, because the white space would
// grow with the square of the depth.
const maxIndent = 64

// Pretty returns the value as JSON for people, in the style of the recipes: short values
// are on one line. The result ends with a line feed.
func (v Value) Pretty() []byte { return append(appendPretty(nil, v, "\n"), '\n') }

// appendPretty appends a value. indent is a line feed and the blanks of this level.
func appendPretty(dst []byte, v Value, indent string) []byte {
	if v.Kind() != Array && v.Kind() != Object || v.Len() == 0 {
		return v.AppendJSON(dst)
	}
	if len(indent) > 2*maxIndent {
		return appendLine(dst, v)
	}
	if line := appendLine(nil, v); len(line) <= widest && len(indent) > len("\n    ") {
		return append(dst, line...)
	}
	separator := indent + "  "
	if v.Kind() == Array {
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendPretty(append(dst, separator...), item, separator)
		}
		return append(append(dst, indent...), ']')
	}
	dst = append(dst, '{')
	for i, m := range v.Members() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(append(dst, separator...), m.Name), ": "...)
		dst = appendPretty(dst, m.Value, separator)
	}
	return append(append(dst, indent...), '}')
}

// appendLine appends a value on one line.
func appendLine(dst []byte, v Value) []byte { return v.append(dst, ", ", ": ", appendString) }
