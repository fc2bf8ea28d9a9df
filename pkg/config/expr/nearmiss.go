package expr

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// otherWords maps other names for the keys of expressions to the keys.
func otherWords() map[string]string {
	return map[string]string{"attribute": string(Attr), "attributes": string(Attr), "fn": functionKey, "func": functionKey, "arguments": argsKey, "argument": argsKey}
}

// NearMiss returns the expression that an object was probably meant to be, without its
// arguments, and a hint that shows how to write it. The hint is "" if the object does not
// look like a misspelt expression.
func (v Vocabulary) NearMiss(site Site, given value.Value) (form Form, hint failure.Text) {
	if given.Kind() != value.Object || given.Len() == 0 || given.Len() > 3 {
		return Form{}, ""
	}
	references := v.All().References.At(site)
	keys := append(references.Keys(), functionKey, argsKey, literalKey, defaultKey)
	var main string // the key of the form
	var name value.Value
	missed := false
	for _, m := range given.Members() {
		key := nearestKey(m.Name, keys)
		missed = missed || key != m.Name
		switch key {
		case "":
			return Form{}, ""
		case argsKey, defaultKey:
			continue
		}
		if main != "" {
			return Form{}, ""
		}
		main, name = key, m.Value
	}
	form = Form{Call: main == functionKey, Literal: main == literalKey, Name: name}
	switch {
	case main == "" || !missed:
		return Form{}, ""
	case form.Call:
		if name.Kind() != value.String || !slices.ContainsFunc(v.All().Functions, func(f Function) bool { return f.Name == name.Raw() }) {
			return Form{}, ""
		}
		return form, `write {"function": ` + quoted(name.Raw()) + `, "args": […]}`
	case form.Literal:
		return form, `write {"literal": …} for what is not evaluated`
	case name.Kind() != value.String:
		return Form{}, ""
	default:
		form.Reference = Reference{Key: Context(main)}
		return form, `write {"` + failure.Part(main) + `": ` + quoted(name.Raw()) + `}`
	}
}

// nearestKey returns the key that is equal or similar to a name, or "".
func nearestKey(name string, keys []string) string {
	if slices.Contains(keys, name) {
		return name
	}
	for _, key := range keys {
		if strings.EqualFold(key, name) {
			return key
		}
	}
	if key := otherWords()[strings.ToLower(name)]; slices.Contains(keys, key) {
		return key
	}
	near, _ := failure.Nearest(name, keys)
	return near
}
