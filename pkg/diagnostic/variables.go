package diagnostic

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func variableProblems(given value.Value, err error) failure.Problems {
	if all, ok := errors.AsType[failure.Problems](err); ok {
		return all
	}
	if e, ok := errors.AsType[*failure.Error](err); ok && e.Pointer != "" {
		return failure.Problems{{Pointer: e.Pointer, Expected: failure.Part(e.Message)}}
	}
	at, _ := firstVariable(given)
	return failure.Problems{{Code: failure.MissingVariable, Pointer: at, Expected: failure.Part(err.Error()), Hint: "give it by --var name=value"}}
}

func holdsVariable(text string) bool {
	return len(variables.Placeholders(value.OfString(text))) > 0
}

// firstVariable returns the pointer of the first {{placeholder}}, in a name or in a text.
func firstVariable(v value.Value) (string, bool) {
	return findFirst("", value.Member{Value: v}, func(m value.Member) bool {
		return holdsVariable(m.Name) || m.Value.Kind() == value.String && holdsVariable(m.Value.Raw())
	})
}

// findFirst returns the pointer of the first member that matches: m itself or a member
// below m. Items have the name "".
func findFirst(pointer string, m value.Member, matches func(value.Member) bool) (string, bool) {
	if matches(m) {
		return pointer, true
	}
	for _, below := range m.Value.Members() {
		if at, ok := findFirst(failure.PointerJoin(pointer, below.Name), below, matches); ok {
			return at, true
		}
	}
	for i, item := range m.Value.Items() {
		if at, ok := findFirst(failure.PointerJoin(pointer, strconv.Itoa(i)), value.Member{Value: item}, matches); ok {
			return at, true
		}
	}
	return "", false
}

// unknownVariables returns the warning about variables that were not replaced.
func unknownVariables(doc *load.Result, places pointerMap) failure.Problems {
	names := variables.Placeholders(doc.Resolved)
	if len(names) == 0 {
		return nil
	}
	at, _ := firstVariable(doc.Resolved)
	p := failure.Problem{Code: failure.MissingVariable, Pointer: places.original(at), Hint: "give the value by --var name=value",
		Expected: "no variable has a value, so these stay as they are: " + failure.Parts(names)}
	if doc.Unresolved {
		p.Expected = "the platform supplies the values of variables, they are not known here: " + failure.Parts(names)
		p.Hint = "give them by --var name=value to check what depends on them"
	}
	return failure.Problems{p}
}

// dependsOnUnset reports whether the value at a pointer depends on a variable without a
// value, directly or through an attribute.
func dependsOnUnset(doc value.Value, pointer string) bool {
	v := doc
	for _, token := range failure.PointerSplit(pointer) {
		v, _ = v.Child(token)
	}
	settings := doc
	if parameters := doc.Field("parameters"); !parameters.Empty() {
		settings = parameters
	}
	attributes := []value.Value{settings.Field("config")}
	attributes = append(attributes, settings.Field("iterations").Items()...)
	return depends(v, attributes)
}

func depends(v value.Value, attributes []value.Value) bool {
	_, itself := firstVariable(v)
	_, byAttribute := findFirst("", value.Member{Value: v}, func(m value.Member) bool {
		name := m.Value.Field("attr").Raw()
		key, _, _ := strings.Cut(name, ".")
		return name != "" && slices.ContainsFunc(attributes, func(a value.Value) bool {
			_, ok := firstVariable(a.Field(key))
			return ok
		})
	})
	return itself || byAttribute
}

// pointerMap maps pointers of a document with replaced variables to pointers of the given
// document. Names may differ; the order of members is the same.
type pointerMap struct{ given, filled value.Value }

// original returns the pointer in the given document.
func (r pointerMap) original(pointer string) string {
	given, filled, at := variables.WithoutValues(r.given), r.filled, ""
	for _, token := range failure.PointerSplit(pointer) {
		next, index := filled.Child(token)
		name := token
		if index >= 0 && filled.Kind() == value.Object && index < given.Len() && given.Kind() == value.Object {
			name = given.Members()[index].Name
		}
		at = failure.PointerJoin(at, name)
		filled = next
		given, _ = given.Child(name)
	}
	return at
}
