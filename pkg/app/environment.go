package app

import (
	"os"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// fillEnvironment sets Getenv and LookupEnv. If both are nil, they read the environment of
// the process. If one is nil, it is derived from the other.
func (r *run) fillEnvironment() {
	switch {
	case r.Getenv == nil && r.LookupEnv == nil:
		r.Getenv, r.LookupEnv = os.Getenv, os.LookupEnv
	case r.Getenv == nil:
		r.Getenv = func(name string) string {
			text, _ := r.LookupEnv(name)
			return text
		}
	case r.LookupEnv == nil:
		r.LookupEnv = func(name string) (string, bool) {
			text := r.Getenv(name)
			return text, text != ""
		}
	}
}

// boolVariable reads an environment variable that enables a feature. A value that is
// neither true nor false is an error. So is an empty value: it is more likely a template
// with a missing value than an intention to disable the feature.
func (r *run) boolVariable(name string) (bool, error) {
	text, set := r.LookupEnv(name)
	if !set {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, failure.Userf("%s is %q, expected true or false", name, text)
	}
	return on, nil
}

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
