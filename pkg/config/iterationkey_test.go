package config

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestIterationKey: an iteration is identified by its id, else by its contents without
// secrets, in any order.
func TestIterationKey(t *testing.T) {
	key := func(text string) string { return iterationKey(markSecrets(testvalue.Parse(t, text))) }
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":{"c":2,"d":[3]}}`, `{"b":{"d":[3],"c":2},"a":1}`, true},
		{`{"a":1,"#k":"x"}`, `{"#k":"y","a":1}`, true},
		{`{"a":{"#k":"x"}}`, `{"a":{}}`, true},
		{`{"a":[{"#k":"x","b":1}]}`, `{"a":[{"b":1}]}`, true},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{}`, `{"id":""}`, false},
		{`{"id":"x","a":1}`, `{"id":"x","a":2}`, true},
		{`{"id":7}`, `{"id":"7"}`, true},
		{`{"id":"x"}`, `{"id":"y"}`, false},
		{`{"id":["x"],"a":1}`, `{"id":["x"],"a":2}`, false},
	} {
		if a, b := key(row.a), key(row.b); (a == b) != row.same || a == "" {
			t.Errorf("%s and %s: %q and %q", row.a, row.b, a, b)
		}
	}
	if got := key(`{"id":"eu/1"}`); got != "eu/1" {
		t.Errorf("got %q", got)
	}
	secret := value.OfMembers(value.Member{Name: "id", Value: value.OfString("s3cret").AsSecret()}, value.Member{Name: "a", Value: value.OfString("b")})
	if got := iterationKey(secret); got != key(`{"a":"b","id":null}`) {
		t.Errorf("an id that is a secret gives %q", got)
	}
	if got := iterationKey(value.Value{}); got != "" {
		t.Errorf("without iterations: %q", got)
	}
}
