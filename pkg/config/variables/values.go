package variables

import (
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// valueSet contains the values from one source. They are scalars. Their type matters if
// an integer is declared.
type valueSet struct {
	source string
	// platform is true if the platform had the values when it created the document.
	platform bool
	values   map[string]value.Value
}

func (s *valueSet) add(name string, v value.Value) {
	if s.values == nil {
		s.values = map[string]value.Value{}
	}
	s.values[name] = v
}

func (s valueSet) empty() bool { return len(s.values) == 0 }

// texts returns the values as texts for replacement. Numbers are unchanged, true is "1",
// false is "".
func (s valueSet) texts() map[string]string {
	texts := make(map[string]string, len(s.values))
	for name, v := range s.values {
		texts[name] = v.Cell()
	}
	return texts
}

// inlineSet reads inline values. Inline values and the id of a row exclude each other.
// pointer is the JSON pointer of data in the document, or "" if data is not in the
// document.
func inlineSet(where string, data value.Value, pointer, row string) (valueSet, error) {
	found, problems := readSet(data, pointer)
	switch {
	case len(problems) > 0 && pointer != "":
		return valueSet{}, problems.Err()
	case len(problems) > 0:
		return valueSet{}, malformed("variable values of "+where, problems)
	case !found.empty() && row != "":
		return valueSet{}, failure.Userf("only one of variableValuesData and variableValuesId can be given in %s", where).At(pointer)
	default:
		return found, nil
	}
}

// readSet reads {"values": [{"name": …, "value": …}]}. If a name occurs several times,
// the last value counts. An empty list and null count as an empty object or list.
func readSet(data value.Value, pointer string) (valueSet, failure.Problems) {
	var problems failure.Problems
	var found valueSet
	if data.Kind() != value.Object && !isAbsent(data) {
		problems.Add(typeProblem(`an object {"values": […]}`, pointer, data))
	}
	values := data.Field("values")
	pointer = failure.PointerJoin(pointer, "values")
	if values.Kind() != value.Array && !isAbsent(values) {
		problems.Add(typeProblem("a list of {name, value}", pointer, values))
	}
	for i, item := range values.Items() {
		at := failure.PointerJoin(pointer, strconv.Itoa(i))
		if item.Kind() != value.Object {
			problems.Add(typeProblem("an object {name, value}", at, item))
			continue
		}
		name, v := item.Field("name"), item.Field("value")
		if !isNonEmptyString(name) {
			problems.Add(typeProblem("a name that is not empty", failure.PointerJoin(at, "name"), name))
		}
		if !v.IsScalar() {
			problems.Add(typeProblem("a string, an integer or a boolean", failure.PointerJoin(at, "value"), v))
		}
		found.add(name.Raw(), v)
	}
	return found, problems
}

// isAbsent reports whether a list, an object or null is empty.
func isAbsent(v value.Value) bool { return !v.IsScalar() && v.Len() == 0 }

// isNonEmptyString reports whether the value is a string that is not empty.
func isNonEmptyString(v value.Value) bool { return v.Kind() == value.String && v.Raw() != "" }

// typeProblem returns a problem with the type of the value. It does not contain the
// value.
func typeProblem(what, pointer string, found value.Value) failure.Problem {
	kind := found.Kind().String()
	if found.Kind() == value.String && found.Raw() == "" {
		kind = "an empty string"
	}
	return failure.Problem{Code: failure.InvalidVariable, Pointer: pointer, Expected: failure.Text("expected " + what), Found: failure.Text(kind)}
}

// malformed returns a user error about values or declarations outside of the document.
func malformed(what string, problems failure.Problems) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return failure.Userf("%s are malformed: %s", what, strings.Join(lines, " | "))
}
