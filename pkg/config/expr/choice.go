package expr

import "github.com/keboola/configurable-extractor/pkg/value"

func choiceFunctions() []Function {
	return []Function{
		{Name: "ifempty", Arguments: "value, otherwise", Min: 2, Max: 2, Call: ifEmpty, parts: ifEmptyParts,
			Doc:      "The first value, unless it is empty (`null`, `false`, `0`, `\"\"`, `\"0\"` or `[]`): then the second.",
			Examples: []Example{{`"", "none"`, `"none"`}, {`"a", "none"`, `"a"`}}},
		{Name: "if", Arguments: "value, then, else", Min: 3, Max: 3, Optional: true, Choose: choose,
			Doc:      "`then`, unless the value is null, false, zero or empty: then `else`. The one that is not chosen is not evaluated.",
			Examples: []Example{{`{"attr": "account.id"}, "account", "all"`, `"account"`}, {`{"remembered": "cursor"}, null, 1332034771`, `1332034771`}}},
	}
}

// ifEmpty returns the second argument if the first one is empty. An object without
// members is not empty.
func ifEmpty(in Input) (value.Value, error) {
	if isEmpty(in.Args[0]) {
		return in.Args[1], nil
	}
	return in.Args[0], nil
}

func isEmpty(v value.Value) bool { return v.Empty() && v.Kind() != value.Object }

func choose(condition value.Value) int {
	if condition.Empty() {
		return 2
	}
	return 1
}
