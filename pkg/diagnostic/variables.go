package diagnostic

import (
	"context"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/variables"
)

// fill replaces the variables whose values are given or stand in the document.
// open tells that the platform will bring the values, which nobody knows here.
// Values that become secrets are added to these.
func fill(ctx context.Context, doc value.Value, flags []variables.Value, secrets *secret.Registry) (filled value.Value, open bool, err error) {
	stored := !doc.Field("variables_id").Empty()
	data := doc.Field("variableValuesData").Field("values")
	result, err := variables.Resolve(ctx, doc, variables.Inputs{Flags: flags})
	for _, secret := range result.Secrets {
		secrets.AddConfigured(secret)
	}
	switch {
	case err == nil:
		return result.Document, false, nil
	case stored && len(flags) == 0 && data.Empty() && failure.PointerOf(err) == "":
		return withoutValues(doc), true, nil
	}
	if _, ok := err.(failure.Problems); ok || failure.PointerOf(err) != "" {
		return value.Value{}, false, err
	}
	at, _ := firstVariable(doc, "")
	return value.Value{}, false, failure.Problems{{Code: failure.MissingVariable, Pointer: at, Expected: failure.Part(err.Error()), Hint: "give it by --var name=value"}}
}

// withoutValues is a document without what is addressed to the replacement of
// variables, as it leaves it.
func withoutValues(doc value.Value) value.Value {
	return doc.Without("variableValuesData", "variableValuesId")
}

// holdsVariable tells whether a text has a placeholder in it.
func holdsVariable(text string) bool {
	return len(variables.Placeholders(value.OfString(text))) > 0
}

// firstVariable is the place of the first placeholder.
func firstVariable(v value.Value, pointer string) (string, bool) {
	if v.Kind() == value.String && holdsVariable(v.Raw()) {
		return pointer, true
	}
	for _, m := range v.Members() {
		at := failure.PointerJoin(pointer, m.Name)
		if holdsVariable(m.Name) {
			return at, true
		}
		if found, ok := firstVariable(m.Value, at); ok {
			return found, true
		}
	}
	for i, item := range v.Items() {
		if found, ok := firstVariable(item, failure.PointerJoin(pointer, strconv.Itoa(i))); ok {
			return found, true
		}
	}
	return "", false
}

// unknownVariables is the warning about variables that are still in a document.
func unknownVariables(filled value.Value, open bool, places renamed) failure.Problems {
	names := variables.Placeholders(filled)
	if len(names) == 0 {
		return nil
	}
	at, _ := firstVariable(filled, "")
	p := failure.Problem{Code: failure.MissingVariable, Pointer: places.original(at), Hint: "give the value by --var name=value",
		Expected: "no variable has a value here, so these stay as they are: " + failure.Parts(names)}
	if open {
		p.Expected = "the platform brings the values of variables, they are not known here: " + failure.Parts(names)
		p.Hint = "give them by --var name=value to check what depends on them"
	}
	return failure.Problems{p}
}

// undecided tells whether the value at a place depends on a variable without a
// value: by itself, or by an attribute it refers to.
func undecided(doc value.Value, pointer string) bool {
	v := doc
	for _, token := range tokens(pointer) {
		v, _ = child(v, token)
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
	if _, ok := firstVariable(v, ""); ok {
		return true
	}
	if name := v.Field("attr").Raw(); name != "" {
		key, _, _ := strings.Cut(name, ".")
		for _, a := range attributes {
			if _, ok := firstVariable(a.Field(key), ""); ok {
				return true
			}
		}
	}
	for _, m := range v.Members() {
		if depends(m.Value, attributes) {
			return true
		}
	}
	for _, item := range v.Items() {
		if depends(item, attributes) {
			return true
		}
	}
	return false
}

// renamed leads from a document with its variables replaced back to the one
// that was given: names may differ, their order does not.
type renamed struct{ given, filled value.Value }

// original is a JSON pointer in the document that was given.
func (r renamed) original(pointer string) string {
	given, filled, at := withoutValues(r.given), r.filled, ""
	for _, token := range tokens(pointer) {
		next, index := child(filled, token)
		name := token
		if index >= 0 && filled.Kind() == value.Object && index < given.Len() && given.Kind() == value.Object {
			name = given.Members()[index].Name
		}
		at = failure.PointerJoin(at, name)
		filled = next
		given, _ = child(given, name)
	}
	return at
}

// tokens are the reference tokens of a JSON pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	all := strings.Split(pointer[1:], "/")
	for i, token := range all {
		all[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return all
}

// child is the member or the item of that name and its number, -1 for none.
func child(v value.Value, token string) (value.Value, int) {
	for i, m := range v.Members() {
		if m.Name == token {
			return m.Value, i
		}
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.Items()) {
		return v.Items()[i], i
	}
	return value.Value{}, -1
}
