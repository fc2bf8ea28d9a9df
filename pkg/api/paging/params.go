package paging

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// overlay lays one group of parameters over another, name by name: in the place
// of a parameter of that name, else at the end. A list counts as an object
// whose names are the indexes.
func overlay(under, over value.Value) value.Value {
	return value.OfMembers(slices.Concat(members(under), members(over))...)
}

func members(params value.Value) []value.Member {
	if params.Kind() != value.Array {
		return params.Members()
	}
	named := make([]value.Member, params.Len())
	for i, item := range params.Items() {
		named[i] = value.Member{Name: strconv.Itoa(i), Value: item}
	}
	return named
}

// ofInteger is a parameter with an integer of any size.
func ofInteger(i *big.Int) value.Value { return value.OfNumber(i.String()) }

// parseQuery reads the parameters of a query string, in the order of their
// first naming. Values of a repeated name become a list; brackets are part of
// a name.
func parseQuery(query string) value.Value {
	var names []string
	values := map[string][]value.Value{}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, text, _ := strings.Cut(pair, "=")
		name = config.UnescapeQuery(name)
		if values[name] == nil {
			names = append(names, name)
		}
		values[name] = append(values[name], value.OfString(config.UnescapeQuery(text)))
	}
	params := make([]value.Member, len(names))
	for i, name := range names {
		v := value.OfItems(values[name]...)
		if v.Len() == 1 {
			v = v.Items()[0]
		}
		params[i] = value.Member{Name: name, Value: v}
	}
	return value.OfMembers(params...)
}
