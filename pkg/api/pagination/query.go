package pagination

import (
	"math/big"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func ofInteger(i *big.Int) value.Value { return value.OfNumber(i.String()) }

// parseQuery parses the parameters of a query string, in the order of their first
// occurrence. Values of a repeated name become a list. Brackets are part of a name.
func parseQuery(query string) value.Value {
	var names []string
	values := map[string][]value.Value{}
	for p := range php.Query(query) {
		if values[p.Name] == nil {
			names = append(names, p.Name)
		}
		values[p.Name] = append(values[p.Name], value.OfString(p.Value))
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
