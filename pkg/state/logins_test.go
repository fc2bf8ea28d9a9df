package state

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

func TestOfLogins(t *testing.T) {
	for previous, want := range map[string]string{
		`null`:                    `null`,
		`{"time":{"x":1}}`:        `null`,
		`{"remembered":[]}`:       `null`,
		`{"remembered":{"a":1}}`:  `null`,
		`{"remembered":{"#t":1}}`: `{"remembered":{"#t":1}}`,
		`{"a":1,"remembered":{"since":2,"#t":"x","#other":3,"iterations":{"eu":{"#t":4,"since":5},"us":{"since":6},"x":7}}}`: `{"remembered":{"#t":"x","iterations":{"eu":{"#t":4}}}}`,
		`{"remembered":{"iterations":[1]}}`: `null`,
	} {
		if got := LoginValues(testvalue.Parse(t, previous), []string{"#t"}).JSON(); got != want {
			t.Errorf("of %s: %s, want %s", previous, got, want)
		}
	}
}
