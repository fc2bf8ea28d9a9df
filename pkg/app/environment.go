package app

import (
	"os"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// fillEnvironment sets Getenv and LookupEnv. If both are nil, they read the environment of
// the process; if one is nil, it uses the other.
func (o *Options) fillEnvironment() {
	switch {
	case o.Getenv == nil && o.LookupEnv == nil:
		o.Getenv, o.LookupEnv = os.Getenv, os.LookupEnv
	case o.Getenv == nil:
		o.Getenv = func(name string) string {
			text, _ := o.LookupEnv(name)
			return text
		}
	case o.LookupEnv == nil:
		o.LookupEnv = func(name string) (string, bool) {
			text := o.Getenv(name)
			return text, text != ""
		}
	}
}

// flagOf reads an environment variable that switches something on. A value that is neither
// true nor false ends the run, and so does an empty one: it is more likely a template
// without its value than a wish to leave a protection off.
func (o *Options) flagOf(name string) (bool, error) {
	text, set := o.LookupEnv(name)
	if !set {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, failure.Userf("%s is %q, expected true or false", name, text)
	}
	return on, nil
}
