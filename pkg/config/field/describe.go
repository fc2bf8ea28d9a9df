package field

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// longest is the number of characters of a value that a message shows.
const longest = 40 // less than secret.MostShown, or parts of secrets would not be masked

// Describe says what stands at a place of the document, for a person: scalars
// as JSON, shortened; of lists and objects only the size.
//
// A value that may be a secret is described by its type alone: below a key that
// begins with #, in `authorization`, in headers and parameters, and wherever a
// key says that it holds a credential. Credentials and queries inside addresses
// are cut out.
func Describe(pointer string, v value.Value) failure.Text {
	if !v.IsScalar() || v.Raw() == "" || secret.MayStandAt(pointer) {
		return DescribeKind(v)
	}
	if v.Kind() != value.String {
		return failure.Part(prose.Shorten(v.Raw(), longest))
	}
	return failure.Part(value.OfString(prose.Shorten(secret.WithoutCredentials(v.Raw()), longest)).JSON())
}

// DescribeKind gives the type and the size of a value, and nothing of what is
// in it.
func DescribeKind(v value.Value) failure.Text {
	switch n := v.Len(); {
	case v.Kind() == value.Null:
		return "null"
	case v.Kind() == value.String && v.Raw() == "":
		return "an empty string"
	case v.IsScalar():
		return failure.Text("a " + v.Kind().String())
	case v.Kind() == value.Array && n == 0:
		return "an empty list"
	case v.Kind() == value.Array:
		return failure.Text(fmt.Sprintf("a list of %d", n))
	case n == 0:
		return "an empty object"
	default:
		return "an object"
	}
}
