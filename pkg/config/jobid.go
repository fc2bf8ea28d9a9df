package config

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobID is the id of a job that names none: the MD5 of its definition in the
// serialisation of the original's language, where objects are ordered maps, too,
// and names that look like integers are integers.
func jobID(job value.Value) string {
	sum := md5.Sum(appendSerialized(nil, job))
	return hex.EncodeToString(sum[:])
}

func appendSerialized(b []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Null:
		return append(b, "N;"...)
	case value.Bool:
		if v.True() {
			return append(b, "b:1;"...)
		}
		return append(b, "b:0;"...)
	case value.Number:
		return appendNumber(b, v)
	case value.String:
		return appendText(b, v.Raw())
	}
	b = append(b, "a:"...)
	b = strconv.AppendInt(b, int64(v.Len()), 10)
	b = append(b, ":{"...)
	for i, item := range v.Items() {
		b = appendInteger(b, strconv.Itoa(i))
		b = appendSerialized(b, item)
	}
	for _, m := range v.Members() {
		if integerName(m.Name) {
			b = appendInteger(b, m.Name)
		} else {
			b = appendText(b, m.Name)
		}
		b = appendSerialized(b, m.Value)
	}
	return append(b, '}')
}

// appendNumber keeps integers of 64 bits; all other numbers are doubles.
func appendNumber(b []byte, v value.Value) []byte {
	if v.IsInteger() {
		if i, err := strconv.ParseInt(v.Raw(), 10, 64); err == nil && v.Raw() != "-0" {
			return appendInteger(b, strconv.FormatInt(i, 10))
		}
	}
	f, _ := v.Float()
	b = append(b, "d:"...)
	b = append(b, value.FormatDouble(f, 17)...)
	return append(b, ';')
}

func appendInteger(b []byte, digits string) []byte {
	b = append(b, "i:"...)
	b = append(b, digits...)
	return append(b, ';')
}

func appendText(b []byte, s string) []byte {
	b = append(b, "s:"...)
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, `:"`...)
	b = append(b, s...)
	return append(b, `";`...)
}

// integerName tells whether a name is the plain decimal form of an integer.
func integerName(name string) bool {
	i, err := strconv.ParseInt(name, 10, 64)
	return err == nil && strconv.FormatInt(i, 10) == name
}
