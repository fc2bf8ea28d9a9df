package config

import (
	"crypto/md5"
	"encoding/hex"
	"math"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobID returns the id of a job without the setting `id`: the MD5 of its definition as
// PHP serializes it. The original extractor reads objects as arrays, so they are
// serialized as arrays.
func jobID(job value.Value) string {
	sum := md5.Sum(appendSerialized(nil, job))
	return hex.EncodeToString(sum[:])
}

func appendSerialized(b []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Null:
		return php.AppendNull(b)
	case value.Bool:
		return php.AppendBool(b, v.True())
	case value.Number:
		if v.Raw() == "-0" { // the original extractor reads -0 as a double
			return php.AppendDouble(b, math.Copysign(0, -1))
		}
		return php.AppendNumber(b, v.Raw())
	case value.String:
		return php.AppendString(b, v.Raw())
	}
	b = php.AppendArrayHead(b, v.Len())
	for i, item := range v.Items() {
		b = appendSerialized(php.AppendInt(b, int64(i)), item)
	}
	for _, m := range v.Members() {
		b = appendSerialized(php.AppendKey(b, m.Name), m.Value)
	}
	return append(b, '}')
}
