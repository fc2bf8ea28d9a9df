package app

import "github.com/keboola/configurable-extractor/pkg/failure"

// TypedTables reports whether the platform requires typed tables. An unknown value is an
// error: except for "none" the platform refuses the untyped form, and without types it
// would lose the primary keys of the typed form.
func TypedTables(getenv func(string) string) (bool, error) {
	const name = "KBC_DATA_TYPE_SUPPORT"
	switch support := getenv(name); support {
	case "", "none":
		return false, nil
	case "hints", "authoritative":
		return true, nil
	default:
		return false, failure.Userf("%s is %q, expected none, hints or authoritative", name, support)
	}
}
