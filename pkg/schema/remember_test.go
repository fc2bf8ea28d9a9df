package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/schema"
)

// TestRemember: what is wrong with an entry of remember is found before anything is
// sent, at its place.
func TestRemember(t *testing.T) {
	const child = `"children":[{"endpoint":"{id}","placeholders":{"id":"id","2x":"x"},"remember":{"n":%s}}]`
	const forms = `expected {"max": "PATH"}, {"min": "PATH"}, {"last": "PATH"}, {"first": "PATH"}, or an expression such as {"response": "PATH"}`
	const at = "/parameters/config/jobs/0/remember/n"
	tests := []struct {
		name, job string // members of the job
		want      []string
	}{
		{"every form", `"remember":{"a":{"max":"x"},"b":{"min":"x"},"c":{"last":"x"},"d":{"first":"x"},"e":{"response":"x","default":1},"f":{"function":"time"},"g":{"literal":{"a":1}},"#h":{"attr":"#k"},"i":{"remembered":"z"}}`, nil},
		{"combinations", `"remember":{"m":{"max":"x"}},` + fmt.Sprintf(child, `{"max":"x","per":["id","2x"]}`), nil},
		{"an expression for combinations", fmt.Sprintf(child, `{"function":"concat","args":["a",{"placeholder":"id"}],"per":["id"]}`), nil},
		{"two jobs", `"remember":{"n":{"max":"x"}},` + fmt.Sprintf(child, `{"max":"y.z"}`), nil},
		{"an empty object", `"remember":{}`, nil},

		{"no object", `"remember":"since"`, []string{`/parameters/config/jobs/0/remember: expected an object, found "since"`}},
		{"a path alone", `"remember":{"n":"updated_at"}`, []string{at + `: expected an object such as {"max": "PATH"}, or an expression, found "updated_at"`}},
		{"an empty entry", `"remember":{"n":{}}`, []string{at + `: expected an object such as {"max": "PATH"}, or an expression, found an empty object`}},
		{"an unknown form", `"remember":{"n":{"maximum":"x"}}`, []string{at + ": " + forms}},
		{"a misspelt form", `"remember":{"n":{"respone":"x"}}`, []string{at + ": " + forms + `; did you mean "response"?`}},
		{"two forms", `"remember":{"n":{"max":"x","min":"y"}}`, []string{at + `: expected one form; give each value a name of its own: {"max": "PATH"}, {"min": "PATH"}, {"last": "PATH"}, {"first": "PATH"}, or an expression such as {"response": "PATH"}`}},
		{"a form and an expression", `"remember":{"n":{"max":"x","response":"y"}}`, []string{at + `: expected one form; give each value a name of its own: {"max": "PATH"}, {"min": "PATH"}, {"last": "PATH"}, {"first": "PATH"}, or an expression such as {"response": "PATH"}`}},
		{"a path that is none", `"remember":{"n":{"max":["x"]}}`, []string{at + `/max: expected a string, found a list of 1`}},
		{"an object of expressions", `"remember":{"n":{"a":{"response":"x"}}}`, []string{at + ": " + forms}},
		{"an unknown function", `"remember":{"n":{"function":"greatest","args":[]}}`, []string{at + `/function: expected the name of a function, found "greatest"; known are *`}},
		{"an unknown attribute", `"remember":{"n":{"attr":"kk"}}`, []string{at + `/attr: expected the path of a string, number or boolean that exists in "attr", found "kk"*`}},
		{"a placeholder of a root job", `"remember":{"n":{"placeholder":"id"}}`, []string{at + `/placeholder: expected the name of a placeholder of this job or of a job above it, found "id"; a root job has no parent; *`}},

		{"a name of the state", `"remember":{"iterations":{"max":"x"}}`, []string{`/parameters/config/jobs/0/remember/iterations: expected another name: the state stores the values of iterations under this name`}},
		{"no name", `"remember":{"":{"max":"x"},"#":{"max":"x"}}`, []string{`/parameters/config/jobs/0/remember/: expected a name`, `/parameters/config/jobs/0/remember/#: expected a name`}},
		{"a secret in the open", `"remember":{"n":{"function":"md5","args":[{"attr":"#k"}]}}`, []string{at + `: expected a name with a hash sign, because the value is computed from a secret, which the state would show; write "#n"`}},
		{"a remembered secret in the open", `"remember":{"n":{"remembered":"#k"}}`, []string{at + `: expected a name with a hash sign, *`}},

		{"combinations of a root job", `"remember":{"n":{"max":"x","per":["id"]}}`, []string{at + `/per/0: expected the name of a placeholder of this job or of a job above it, found "id"; a root job has none`}},
		{"an unknown placeholder", fmt.Sprintf(child, `{"max":"x","per":["no","idd"]}`), []string{
			`/parameters/config/jobs/0/children/0/remember/n/per/0: expected the name of a placeholder of this job or of a job above it, found "no"; *`,
			`/parameters/config/jobs/0/children/0/remember/n/per/1: expected the name of a placeholder of this job or of a job above it, found "idd"; did you mean "id"?`}},
		{"a placeholder twice", fmt.Sprintf(child, `{"max":"x","per":["id","id"]}`), []string{`/parameters/config/jobs/0/children/0/remember/n/per/1: expected each placeholder once, found "id"`}},
		{"combinations that are no list", fmt.Sprintf(child, `{"max":"x","per":"id"}`), []string{`/parameters/config/jobs/0/children/0/remember/n/per: expected a list, found "id"*`}},

		{"another form", `"remember":{"n":{"min":"x"}},` + fmt.Sprintf(child, `{"max":"x"}`), []string{
			`/parameters/config/jobs/0/children/0/remember/n: expected another name: /parameters/config/jobs/0/remember/n has this one; two jobs may share a name with "max", or with "min", and the same "per"`}},
		{"a third job with another form", `"remember":{"n":{"max":"x"}},"children":[{"endpoint":"{id}","placeholders":{"id":"id"},"remember":{"n":{"max":"x"}}},{"endpoint":"b/{id}","placeholders":{"id":"id"},"remember":{"n":{"min":"x"}}}]`, []string{
			`/parameters/config/jobs/0/children/1/remember/n: expected another name: /parameters/config/jobs/0/remember/n has this one; two jobs may share a name with "max", or with "min", and the same "per"`}},
		{"a first job with another form", `"remember":{"n":{"last":"x"}},"children":[{"endpoint":"{id}","placeholders":{"id":"id"},"remember":{"n":{"max":"x"}}},{"endpoint":"b/{id}","placeholders":{"id":"id"},"remember":{"n":{"max":"x"}}}]`, []string{
			`/parameters/config/jobs/0/children/0/remember/n: expected another name: /parameters/config/jobs/0/remember/n has this one; *`,
			`/parameters/config/jobs/0/children/1/remember/n: expected another name: /parameters/config/jobs/0/remember/n has this one; *`}},
		{"a last value twice", `"remember":{"n":{"last":"x"}},` + fmt.Sprintf(child, `{"last":"x"}`), []string{`/parameters/config/jobs/0/children/0/remember/n: expected another name: *`}},
		{"other combinations", `"remember":{"n":{"max":"x"}},` + fmt.Sprintf(child, `{"max":"x","per":["id"]}`), []string{`/parameters/config/jobs/0/children/0/remember/n: expected another name: *`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, `{"parameters":{"api":{"baseUrl":"https://api.example.com"},"config":{"#k":"k3y-of-config","jobs":[{"endpoint":"a",`+tt.job+`}]}}}`, tt.want)
		})
	}
}

// TestIterationsThatRemember: the state must distinguish iterations if they remember
// something.
func TestIterationsThatRemember(t *testing.T) {
	const document = `{"parameters":{"api":{"baseUrl":"https://api.example.com"},"config":{"jobs":[{"endpoint":"a"%s}]},"iterations":[%s]}}`
	const remember = `,"remember":{"n":{"max":"x"}}`
	for name, tt := range map[string]struct {
		job, iterations string
		want            []string
	}{
		"others":           {remember, `{"a":1},{"a":2},{"id":"x","#k":"1"},{"id":"y","#k":"1"},{}`, nil},
		"secrets only":     {remember, `{"a":1,"#k":"k3y-one"},{"#k":"k3y-two","a":1}`, []string{`/parameters/iterations/1: expected an iteration that differs from /parameters/iterations/0 in more than secrets, because each remembers values of its own; give each of them another "id"`}},
		"one id":           {remember, `{"id":"x","a":1},{"id":"x","a":2}`, []string{`/parameters/iterations/1: expected an iteration that differs from *`}},
		"nothing remember": {"", `{"id":"x"},{"id":"x"}`, nil},
		"jobs of its own":  {"", `{"id":"x"},{"id":"x","jobs":[{"endpoint":"b","remember":{"n":{"max":"x"}}}]}`, []string{`/parameters/iterations/1: expected an iteration that differs from *`}},
	} {
		t.Run(name, func(t *testing.T) { check(t, fmt.Sprintf(document, tt.job, tt.iterations), tt.want) })
	}
}

// check compiles a document and compares its problems; an asterisk at the end of an
// expectation stands for any rest.
func check(t *testing.T, document string, want []string) {
	t.Helper()
	compiled, problems := config.Compile(testvalue.Parse(t, document), config.Options{Tree: schema.Default().Tree})
	engine.Compile(compiled, schema.Default().Features, false)
	var got []string
	for _, p := range problems.Unique() {
		got = append(got, p.String())
	}
	for i := range max(len(got), len(want)) {
		have, expected := "nothing", "nothing"
		if i < len(got) {
			have = got[i]
		}
		if i < len(want) {
			expected = want[i]
		}
		if beginning, rest := strings.CutSuffix(expected, "*"); have != expected && !(rest && strings.HasPrefix(have, beginning)) {
			t.Errorf("problem %d:\ngot  %s\nwant %s", i+1, have, expected)
		}
	}
}
