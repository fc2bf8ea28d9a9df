package apis

import (
	"errors"
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
func (f graphqlFields) of(item object) (object, error) {
	kept := object{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		v, ok := item[name]
		if !ok {
			return nil, fmt.Errorf("cannot query field %q", name)
		}
		var err error
		if kept[name], err = f[name].below(v); err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
	}
	return kept, nil
}

// below keeps the selected fields of the value of a field: an object, a list of objects, or
// a scalar, which has no selection.
func (f graphqlFields) below(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case object:
		if f == nil {
			return nil, errors.New("an object needs a selection")
		}
		return f.of(v)
	case []object:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = f.below(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	if f != nil {
		return nil, errors.New("a scalar has no selection")
	}
	return v, nil
}
