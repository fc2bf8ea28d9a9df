package app

import "github.com/keboola/configurable-extractor/pkg/failure"

// TypedTables reports whether the platform wants typed tables. An unknown
// value ends the run before anything is sent: the platform refuses the older
// form for every value but none, and where it has no types it would silently
// lose the primary keys of the newer form, so neither is a safe guess.
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
