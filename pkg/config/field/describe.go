package field

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxShown is the maximum length, in characters, of a value in a message. It must be less
// than secret.MostShown: otherwise parts of secrets would not be masked.
const maxShown = 40

// Describe describes a value of the document for a message. It returns scalars as
// shortened JSON, and lists and objects by size.
//
// A value that may be a secret (secret.IsSecretPointer) is described only by its type.
// Credentials and queries are removed from URLs.
func Describe(pointer string, v value.Value) failure.Text {
	if !v.IsScalar() || secret.IsSecretPointer(pointer) {
		return DescribeKind(v)
	}
	return describeShown(v)
}

// describeAs describes a value of type t like Describe. A choice is never a secret.
func (t *Type) describeAs(pointer string, v value.Value) failure.Text {
	if v.IsScalar() && t.IsChoice() {
		return describeShown(v)
	}
	return Describe(pointer, v)
}

// describeShown describes a scalar that is not a secret.
func describeShown(v value.Value) failure.Text {
	if v.Raw() == "" {
		return DescribeKind(v)
	}
	if v.Kind() != value.String {
		return failure.Part(textfmt.Shorten(v.Raw(), maxShown))
	}
	return failure.Part(value.OfString(textfmt.Shorten(secret.WithoutCredentials(v.Raw()), maxShown)).JSON())
}

// DescribeKind describes the type and the size of a value without its contents.
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
