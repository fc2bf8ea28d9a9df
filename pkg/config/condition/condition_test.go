package condition

import (
	"errors"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// in looks values up in a response.
func in(v value.Value) func(string) (value.Value, error) {
	return func(path string) (value.Value, error) {
		found, _ := v.At(path, ".")
		return found, nil
	}
}

// The grammar and its operators are tested by TestRecursionFilter of package engine.
func TestWords(t *testing.T) {
	tests := []struct {
		condition, response string
		plain, words        bool
	}{
		{"a==true", `{"a":true}`, false, true},
		{"a==1", `{"a":true}`, true, true},
		{"a!=true", `{"a":true}`, true, false},
		{"a==false", `{"a":false}`, false, true},
		{"a==", `{"a":false}`, true, true},
		{"a!=false", `{"a":false}`, true, false},
		{"a==false", `{}`, false, false},
		{"a==", `{}`, true, true},
		{"a==true", `{"a":"true"}`, true, true},
		{"a==1", `{"a":"true"}`, false, false},
	}
	for _, tt := range tests {
		section := func() field.Section {
			return field.NewSection(value.OfString(tt.condition), "/x", &failure.Problems{})
		}
		at := in(testvalue.Parse(t, tt.response))
		if got, err := Compile(section()).Holds(at); err != nil || got != tt.plain {
			t.Errorf("%s on %s: got %v, %v", tt.condition, tt.response, got, err)
		}
		if got, err := CompileWords(section()).Holds(at); err != nil || got != tt.words {
			t.Errorf("%s on %s, with words: got %v, %v", tt.condition, tt.response, got, err)
		}
	}
}

func TestPaths(t *testing.T) {
	if got, want := Parse("a.b==1&c>2|a.b!=3|links.[rel=next].href==").Paths(), []string{"a.b", "c", "links.[rel=next].href"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Parse("a==1&b").Paths(); got != nil {
		t.Errorf("a condition that cannot be read has paths: %q", got)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	broken := errors.New("broken")
	c := Compile(field.NewSection(value.OfString("a==1&b==2"), "/x", &failure.Problems{}))
	if _, err := c.Holds(func(string) (value.Value, error) { return value.Value{}, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
