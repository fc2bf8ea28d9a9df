package apis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// graphqlFields are the fields of a selection, each with the fields below it.
type graphqlFields map[string]graphqlFields

// graphqlSelection reads a selection without arguments, such as "id team { key }", up to
// the brace that ends it.
func graphqlSelection(text string) graphqlFields {
	words := strings.Fields(strings.NewReplacer("{", " { ", "}", " } ").Replace(text))
	fields, _ := graphqlParse(words)
	return fields
}

func graphqlParse(words []string) (fields graphqlFields, rest []string) {
	fields = graphqlFields{}
	last := ""
	for len(words) > 0 && words[0] != "}" {
		if words[0] == "{" {
			fields[last], words = graphqlParse(words[1:])
		} else {
			last = words[0]
			fields[last] = nil
		}
		words = words[1:]
	}
	return fields, words
}

// of keeps the fields of an item that are selected. A field that the type of the item does
// not have is an error, and so is an object without a selection.
func (f graphqlFields) of(item map[string]any) (map[string]any, error) {
	kept := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		v, ok := item[name]
		object, isObject := v.(map[string]any)
		if !ok || isObject != (f[name] != nil) && v != nil {
			return nil, fmt.Errorf("cannot query field %q", name)
		}
		kept[name] = v
		if isObject {
			below, err := f[name].of(object)
			if err != nil {
				return nil, err
			}
			kept[name] = below
		}
	}
	return kept, nil
}
