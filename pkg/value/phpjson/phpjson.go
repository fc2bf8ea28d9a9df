// Package phpjson decodes and encodes JSON like json_decode($text, true) and json_encode
// of PHP, which use arrays for objects. The platform is written in PHP, and a configuration
// and a state pass through both functions several times.
//
// The platform does the following, according to its public code (2026):
//
//   - Keboola\DockerBundle\Docker\Configuration\Adapter (keboola/docker-bundle) reads
//     out/state.json and writes config.json and in/state.json with Symfony's JsonEncoder.
//     That decodes into arrays, reads 512 levels, and encodes with JSON_PRETTY_PRINT only,
//     so JSON_PRESERVE_ZERO_FRACTION is not set. A text that it cannot read or write is an
//     exception, which ends the job as an application error.
//   - Keboola\DockerBundle\Docker\Runner\StateFile (keboola/docker-bundle) puts the state of
//     the component into {"component": …, "storage": …}.
//   - Keboola\ObjectEncryptor\ObjectEncryptor (keboola/object-encryptor) casts what is below
//     a key with a hash sign to a text, encrypts it, and decrypts it to a text.
//   - Keboola\StorageApi\Components (keboola/storage-api-php-client) encodes the state once
//     more, without options.
//   - keboola/job-runner runs all this in the image php:8.2-cli with a serialize_precision of
//     -1: a double is written with the fewest digits that give the same double.
//
// The tests compare the package with PHP itself where it is installed.
package phpjson

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxDepth is the maximum number of nested arrays and objects that PHP decodes. Its default
// is 512 levels, and a scalar is one level.
const maxDepth = 511

// Errors with the messages of PHP. errSyntax is the error for any text that is not well-formed.
var (
	errDepth    = errors.New("maximum stack depth exceeded")
	errSyntax   = errors.New("syntax error")
	errInfinite = errors.New("inf and NaN cannot be JSON encoded")
)

// Recode decodes and encodes a text. The result has no white space. For a text that PHP
// does not accept it returns errDepth, errInfinite, or an error that wraps errSyntax.
func Recode(text []byte) ([]byte, error) {
	v, err := Decode(text)
	if err != nil {
		return nil, err
	}
	return v.AppendEscapedJSON(nil), nil
}

// Decode returns the result of Recode as a value.
func Decode(text []byte) (value.Value, error) {
	// Unlike value.Parse, PHP refuses bytes that are not UTF-8 and lone surrogates.
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	v, err := value.Read(dec)
	if err == nil {
		if _, err = dec.ReadToken(); err == io.EOF {
			return Of(v)
		}
		err = errors.Join(errors.New("more text after the value"), err)
	}
	return value.Value{}, errors.Join(errSyntax, err)
}

// Of returns a value as PHP decodes and encodes it: numbers in PHP's form, objects with the
// keys 0, 1, 2 and so on as lists, and {} as [].
func Of(v value.Value) (value.Value, error) { return of(v, maxDepth) }

// of implements Of for a value with at most deep levels.
func of(v value.Value, deep int) (value.Value, error) {
	if v.Kind() == value.Number {
		text, ok := Number(v.Raw())
		if !ok {
			return v, errInfinite
		}
		return value.OfNumber(text), nil
	}
	if v.Kind() != value.Array && v.Kind() != value.Object {
		return v, nil
	}
	if deep == 0 {
		return v, errDepth
	}
	var err error
	v = v.Map(func(m value.Member) value.Member {
		if err == nil {
			m.Value, err = of(m.Value, deep-1)
		}
		return m
	})
	return AsList(v), err
}

// AsList returns an empty object, or an object with the keys 0, 1, 2 and so on in this
// order, as a list: PHP has one type for both. It returns other values unchanged.
func AsList(v value.Value) value.Value {
	if v.Kind() != value.Object {
		return v
	}
	items := make([]value.Value, v.Len())
	for i, m := range v.Members() {
		if m.Name != strconv.Itoa(i) {
			return v
		}
		items[i] = m.Value
	}
	return value.OfItems(items...)
}

// Number returns a number as PHP decodes and encodes it: an integer of 64 bits unchanged,
// other numbers as the shortest text of the nearest double. ok is false if the number is
// too large for a double.
func Number(literal string) (text string, ok bool) {
	if !strings.ContainsAny(literal, ".eE") {
		if i, err := strconv.ParseInt(literal, 10, 64); err == nil {
			return strconv.FormatInt(i, 10), true
		}
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return "", false
	}
	return strings.Replace(php.Double(f, 0), "E", "e", 1), true
}
