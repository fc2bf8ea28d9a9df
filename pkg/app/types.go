package app

import "github.com/keboola/configurable-extractor/pkg/failure"

// dataTypeSupport reports whether the project has typed tables.
const dataTypeSupport = "KBC_DATA_TYPE_SUPPORT"

// TypedTables reports whether the platform wants typed tables. A value no one
// knows ends the run before anything is sent: the platform refuses the older
// form for every value but none, and where it has no types it would silently
// lose the primary keys of the newer form, so neither is a safe guess.
func TypedTables(getenv func(string) string) (bool, error) {
	switch support := getenv(dataTypeSupport); support {
	case "", "none":
		return false, nil
	case "hints", "authoritative":
		return true, nil
	default:
		return false, failure.Userf("%s is %q, expected none, hints or authoritative", dataTypeSupport, support)
	}
}
