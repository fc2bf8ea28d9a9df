package expr

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Function declares a function that expressions can call.
type Function struct {
	// Name is the value of the key "function". It is case-sensitive.
	Name string
	// Arguments documents "args", with a question mark after optional arguments: "text,
	// raw?".
	Arguments string
	// Doc is the documentation: what the function returns.
	Doc string
	// Examples are part of the documentation. A test evaluates them.
	Examples []Example

	Min, Max int // number of arguments; no limit if Max is -1

	// Optional drops an entry if the function returns null, like Reference.Optional.
	Optional bool
	// Choose returns the index of the argument that is the value, given the first
	// argument. Other arguments are not evaluated. It replaces Call.
	Choose func(first value.Value) (argument int)
	// parts splits the text that the function makes, for Expr.Parts. If it is nil, the
	// text is a single value.
	parts func(in Input, args [][]Part) []Part
	// Encodes is true if the function percent-encodes a text for a URL.
	Encodes bool
	// algorithm is true if the first argument is the name of an algorithm.
	algorithm bool
	// check checks the arguments that are literals. It may be nil.
	check func(args list) *ArgumentProblem
	// Call computes the value. Its errors contain the number of a wrong argument, never
	// its value.
	Call func(in Input) (value.Value, error)
}

// Functions is a list of functions that a configuration may call.
type Functions []Function

// AllFunctions returns the functions of this program in the order of the documentation.
//
// To add a function, write it in the file of its subject, such as text.go: func(in Input)
// (value.Value, error), where in.Text(0) is the first argument as text. Declare it in the
// list at the top of that file, with Doc and Examples, which a test evaluates. Add rows to
// function_test.go, and run `go test ./pkg/schema -update`.
func AllFunctions() Functions {
	return slices.Concat(textFunctions(), choiceFunctions(), encodingFunctions(), hashFunctions(), tokenFunctions(), timeFunctions())
}

// Algorithm reports whether text, the first argument of a function, is the name of an
// algorithm and not a secret. If the arguments are in the wrong order, text may be a key,
// so it must look like a name.
func (fs Functions) Algorithm(function, text string) bool {
	return slices.ContainsFunc(fs, func(f Function) bool { return f.Name == function && f.algorithm }) && algorithmName().MatchString(text)
}

// foundAlgorithm describes a text that is not the name of a known algorithm. It does not
// quote a text that may be a key.
func foundAlgorithm(text string) failure.Text {
	if !algorithmName().MatchString(text) {
		return "another text"
	}
	return failure.Part(strconv.Quote(text))
}

// algorithmName matches names such as none, RS512, sha-256, HMAC-SHA1, blake2b and
// sha512/256. A name begins with a word that occurs in names of algorithms, then more
// words and numbers follow. A text that begins with a number or a single letter is more
// likely a key.
var algorithmName = sync.OnceValue(func() *regexp.Regexp {
	const words = `none|plain|text|hmac|with|and|rsa|dsa|ecdsa|eddsa|ed|hs|rs|es|ps|sha|md|mdc|crc|ripemd|rmd|blake|whirlpool|adler|fnv|xxh|tiger|gost|aes|des|sm|base`
	const part = `(?:` + words + `)(?:[0-9]{1,4}(?:[abcs][0-9]{0,3})?)?`
	return regexp.MustCompile(`^(?i:` + part + `(?:[-_/. ]?` + part + `|[-_/. ][0-9]{1,4}){0,4})$`)
})

// Signature returns the call for documentation: "md5(text, raw?)".
func (f Function) Signature() string { return f.Name + "(" + f.Arguments + ")" }

// counts returns the accepted number of arguments in words.
func (f Function) counts() string {
	switch {
	case f.Max < 0:
		return "at least " + count(f.Min, "argument")
	case f.Min == f.Max:
		return count(f.Min, "argument")
	default:
		return fmt.Sprintf("%d to %s", f.Min, count(f.Max, "argument"))
	}
}

func count(n int, noun string) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	return textfmt.Count(n, noun)
}

// Input contains the arguments of a call and the sources of time and randomness.
type Input struct {
	Args   []value.Value
	now    func() time.Time
	random func(n int) ([]byte, error)
	// warn receives a warning about the arguments if the function returns a value
	// nevertheless. It may be nil.
	warn func(text string)
}

// Text returns an argument as text, see textOf. A list or an object is an error.
func (in Input) Text(i int) (string, error) {
	return textOf(in.Args[i]), in.checkScalar(i, "a text")
}

// checkScalar returns an error if an argument is a list or an object.
func (in Input) checkScalar(i int, expected string) error {
	if k := in.Args[i].Kind(); k != value.Array && k != value.Object {
		return nil
	}
	return fmt.Errorf("argument %d is %s, expected %s", i+1, in.Args[i].Kind().WithArticle(), expected)
}

// texts returns the first n arguments as texts.
func (in Input) texts(n int) ([]string, error) {
	texts := make([]string, n)
	for i := range texts {
		var err error
		if texts[i], err = in.Text(i); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// integer returns an argument as an integer. It is limited to 32 bits, which is more than
// the number of characters of any text.
func (in Input) integer(i int) (int, error) {
	if err := in.checkScalar(i, "an integer"); err != nil {
		return 0, err
	}
	n, ok := in.Args[i].Nearest()
	if !ok || in.Args[i].Kind() == value.String && !in.Args[i].IsNumeric() {
		return 0, fmt.Errorf("argument %d is not an integer", i+1)
	}
	return int(min(max(n, -math.MaxInt32), math.MaxInt32)), nil
}

// flag reports whether an optional argument is true.
func (in Input) flag(i int) (bool, error) {
	if i >= len(in.Args) {
		return false, nil
	}
	return !in.Args[i].Empty(), in.checkScalar(i, "true or false")
}

var errOutOfRange = errors.New("the time is out of range")

// timestamp returns an optional argument, in seconds since 1970, as a time. An absent or
// null argument means now. False, the result of a failed strtotime, means 1970. For any
// other scalar that is not a number of seconds it returns known = false and warns,
// because data may contain an empty text instead of a time.
func (in Input) timestamp(i int) (t time.Time, known bool, err error) {
	if i >= len(in.Args) || in.Args[i].IsNull() {
		return in.now().UTC(), true, nil
	}
	v := in.Args[i]
	seconds, ok := v.Int()
	if v.Kind() == value.Bool {
		ok = true
		if v.True() {
			seconds = 1
		}
	}
	switch {
	case !ok && v.IsScalar():
		if in.warn != nil {
			in.warn(fmt.Sprintf("argument %d is not a number of seconds, the result is empty", i+1))
		}
		return time.Time{}, false, nil
	case !ok:
		return time.Time{}, false, in.checkScalar(i, "a number of seconds")
	case seconds < -php.Farthest || seconds > php.Farthest:
		return time.Time{}, false, fmt.Errorf("argument %d: %w", i+1, errOutOfRange)
	}
	return time.Unix(seconds, 0).UTC(), true, nil
}

// textOf returns a scalar as text. True is "1", false and null are "". Integers are
// unchanged, other numbers lose trailing zeros (1.0 is "1", 2.50 is "2.5").
func textOf(v value.Value) string { return v.Shortest() }
