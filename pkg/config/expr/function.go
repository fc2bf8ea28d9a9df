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

// Function is one function that expressions can call.
type Function struct {
	// Name as it is written in "function"; case counts.
	Name string
	// Arguments says what is in "args", optional ones with a question mark:
	// "text, raw?".
	Arguments string
	// Doc says in one sentence what the function returns.
	Doc string
	// Examples are for the documentation; a test evaluates them.
	Examples []Example

	Min, Max int // number of arguments; a Max of -1 is any number

	// Optional: what its null was for is left out, as with a Reference.
	Optional bool
	// Choose decides by the first argument which of the others is the value. The rest
	// are not evaluated. It replaces Call.
	Choose func(first value.Value) (argument int)
	// parts splits the text that the function makes, for Expr.Parts. If it is nil, the text
	// is a single value.
	parts func(in Input, args [][]Part) []Part
	// Encodes is set if the function percent-encodes a text for an address.
	Encodes bool
	// algorithm is set if the first argument is the name of an algorithm.
	algorithm bool
	// check looks for a fault in the arguments that are literals; nil when
	// there is nothing to be said before the others are known.
	check func(args list) *ArgumentProblem
	// Call is the function itself. Its errors name the argument at fault by
	// its number, and never its value.
	Call func(in Input) (value.Value, error)
}

// Functions are the functions that a configuration may call.
type Functions []Function

// AllFunctions are the functions of this program, in the order of the reference.
// Each is declared in the file of its subject.
func AllFunctions() Functions {
	return slices.Concat(textFunctions(), choiceFunctions(), encodingFunctions(), hashFunctions(), tokenFunctions(), timeFunctions())
}

// Algorithm reports whether text, the first argument of a function, is the name of an
// algorithm and not a secret. If the arguments are in the wrong order, text may be a key, so
// it must look like a name.
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
// sha512/256: a word that is in names of algorithms, then more words and numbers. A number
// or single letters at the beginning are more often those of a key.
var algorithmName = sync.OnceValue(func() *regexp.Regexp {
	const words = `none|plain|text|hmac|with|and|rsa|dsa|ecdsa|eddsa|ed|hs|rs|es|ps|sha|md|mdc|crc|ripemd|rmd|blake|whirlpool|adler|fnv|xxh|tiger|gost|aes|des|sm|base`
	const part = `(?:` + words + `)(?:[0-9]{1,4}(?:[abcs][0-9]{0,3})?)?`
	return regexp.MustCompile(`^(?i:` + part + `(?:[-_/. ]?` + part + `|[-_/. ][0-9]{1,4}){0,4})$`)
})

// Signature is the call as a person writes it: "md5(text, raw?)".
func (f Function) Signature() string { return f.Name + "(" + f.Arguments + ")" }

// counts says how many arguments the function accepts.
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

// Input is what a function works on: as many arguments as it declares.
type Input struct {
	Args []value.Value
	now  func() time.Time
	// random returns n random bytes.
	random func(n int) ([]byte, error)
	// warn gets what is wrong with the arguments if the function has a value
	// nevertheless; nil drops it.
	warn func(text string)
}

// Text is an argument as text, see textOf.
func (in Input) Text(i int) (string, error) {
	return textOf(in.Args[i]), in.scalar(i, "a text")
}

// scalar is the error of an argument that is a list or an object.
func (in Input) scalar(i int, expected string) error {
	if k := in.Args[i].Kind(); k != value.Array && k != value.Object {
		return nil
	}
	return fmt.Errorf("argument %d is %s, expected %s", i+1, in.Args[i].Kind().WithArticle(), expected)
}

// texts are the first n arguments as texts.
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

// integer is an argument as an integer that a text may have characters.
func (in Input) integer(i int) (int, error) {
	if err := in.scalar(i, "an integer"); err != nil {
		return 0, err
	}
	n, ok := in.Args[i].Nearest()
	if !ok || in.Args[i].Kind() == value.String && !in.Args[i].IsNumeric() {
		return 0, fmt.Errorf("argument %d is not an integer", i+1)
	}
	return int(min(max(n, -math.MaxInt32), math.MaxInt32)), nil
}

// flag is the truth of an optional argument.
func (in Input) flag(i int) (bool, error) {
	if i >= len(in.Args) {
		return false, nil
	}
	return !in.Args[i].Empty(), in.scalar(i, "true or false")
}

var errFarthest = errors.New("the time is out of range")

// timestamp is an optional argument as a point in time, in whole seconds since
// 1970. Without it, or when it is null, it is now; false, which a failed
// strtotime returns, is 1970. A scalar that is not a number of seconds is not known,
// with a warning: data may contain an empty text instead of a time.
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
		return time.Time{}, false, in.scalar(i, "a number of seconds")
	case seconds < -php.Farthest || seconds > php.Farthest:
		return time.Time{}, false, fmt.Errorf("argument %d: %w", i+1, errFarthest)
	}
	return time.Unix(seconds, 0).UTC(), true, nil
}

// textOf is a scalar as text: true is "1", false and null are nothing, integers
// are as written, other numbers have no needless zeros (1.0 is "1", 2.50 is "2.5").
func textOf(v value.Value) string { return v.Shortest() }
