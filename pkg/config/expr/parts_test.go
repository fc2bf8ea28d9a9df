package expr

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The parts of texts that expressions make: values are in brackets, encoded ones in angle
// brackets.
func TestParts(t *testing.T) {
	tests := []struct{ expression, want string }{
		{`"users"`, `users`},
		{`{"attr":"from"}`, `[2024-02-26]`},
		{`{"attr":"gone","default":"x"}`, `x`},
		{`{"attr":"empty","default":{"attr":"one"}}`, `[1]`},
		{`{"placeholder":"value"}`, `[a b/č~*]@value`},
		{`{"function":"concat","args":["a/",{"attr":"one"},"/",true,null,{"function":"concat","args":["b",{"attr":"float"}]}]}`, `a/[1]/1b[2.5]`},
		{`{"function":"concat"}`, `[]`},
		{`{"function":"urlencode","args":[{"placeholder":"value"}]}`, `<a+b%2F%C4%8D%7E%2A>`},
		{`{"function":"concat","args":["q=",{"function":"rawurlencode","args":[{"placeholder":"value"}]}]}`, `q=<a%20b%2F%C4%8D~%2A>`},
		{`{"function":"lower","args":[{"function":"concat","args":["A/",{"attr":"one"},"/B"]}]}`, `a/[1]/b`},
		{`{"function":"upper","args":[{"function":"urlencode","args":["a/"]}]}`, `<A%2F>`},
		{`{"function":"trim","args":[{"function":"concat","args":["A/",{"attr":"one"}]}]}`, `[A/1]`},
		{`{"function":"implode","args":["/",["a",{"attr":"one"},{"function":"concat","args":["b",{"attr":"one"}]},{"function":"concat"},null]]}`, `a/[1]/b[1]/[]/`},
		{`{"function":"implode","args":[["a","b"],{"attr":"one"}]}`, `a[1]b`},
		{`{"function":"implode","args":[["a","b"]]}`, `ab`},
		{`{"function":"implode","args":[",",[]]}`, `[]`},
		{`{"function":"implode","args":[",",{"function":"json_decode","args":["[1,2]"]}]}`, `[1],[2]`},
		{`{"function":"sprintf","args":["a/%s/100%%/%04d/%2$s",{"attr":"from"},{"attr":"one"}]}`, `a/[2024-02-26]/100%/[0001]/[1]`},
		{`{"function":"sprintf","args":["a/%s",{"function":"concat","args":["b/",{"attr":"one"}]}]}`, `a/b/[1]`},
		{`{"function":"sprintf","args":["a/%s",{"function":"urlencode","args":["#"]}]}`, `a/<%23>`},
		{`{"function":"sprintf","args":[{"attr":"from"}]}`, `[2024-02-26]`},
		{`{"function":"replace","args":["a/X/X/b","X",{"attr":"one"}]}`, `a/[1]/[1]/b`},
		{`{"function":"replace","args":[{"attr":"from"},"-","/"]}`, `[2024/02/26]`},
		{`{"function":"replace","args":["ab","","/"]}`, `[ab]`},
		{`{"function":"if","args":[{"attr":"one"},{"function":"concat","args":["a/",{"attr":"one"}]},"b"]}`, `a/[1]`},
		{`{"function":"ifempty","args":[{"attr":"empty"},{"function":"concat","args":["a/",{"attr":"one"}]}]}`, `a/[1]`},
		{`{"function":"ifempty","args":[{"attr":"one"},"b"]}`, `[1]`},
	}
	for _, tt := range tests {
		var problems failure.Problems
		c := Compiler{Place: InJobs, Above: 1, Known: map[Context]Members{Placeholder: {"value": {}}}, Problems: &problems}
		e := c.Compile(testvalue.Parse(t, tt.expression), "/x")
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		v, parts, err := e.Parts(scope())
		if err != nil {
			t.Errorf("%s: %v", tt.expression, err)
			continue
		}
		var text strings.Builder
		for _, p := range parts {
			switch {
			case p.Encoded:
				text.WriteString("<" + p.Text + ">")
			case p.Value:
				text.WriteString("[" + p.Text + "]")
			default:
				text.WriteString(p.Text)
			}
			if p.Placeholder != "" {
				text.WriteString("@" + p.Placeholder)
			}
		}
		if got := text.String(); got != tt.want {
			t.Errorf("%s:\n got  %s\n want %s", tt.expression, got, tt.want)
		}
		whole, err := e.Eval(scope())
		if err != nil || !whole.Equal(v) || joined(parts) != textOf(v) {
			t.Errorf("%s: parts %q of %s, evaluated %s, %v", tt.expression, joined(parts), v.JSON(), whole.JSON(), err)
		}
	}
}

// What is made of a secret is a secret, taken apart or not.
func TestPartsOfSecrets(t *testing.T) {
	for _, text := range []string{
		`{"attr":"s"}`, `{"attr":"e","default":"x"}`, `{"function":"concat","args":["a",{"attr":"s"}]}`, `{"function":"if","args":[{"attr":"s"},"a","b"]}`,
		`{"function":"sprintf","args":["%s",{"attr":"s"}]}`, `{"function":"md5","args":[{"attr":"s"}]}`,
	} {
		var problems failure.Problems
		e := Compiler{Place: InJobs, Problems: &problems}.Compile(testvalue.Parse(t, text), "")
		v, _, err := e.Parts(&Scope{Contexts: map[Context]Members{Attr: {"s": value.OfString(theSecret).AsSecret(), "e": value.OfString("").AsSecret()}}})
		if err != nil || !v.Secret() {
			t.Errorf("%s is no secret, %v", text, err)
		}
	}
}

func TestEvalUnencoded(t *testing.T) {
	for _, tt := range []struct{ expression, value, before string }{
		{`{"function":"urlencode","args":[{"attr":"float"}]}`, `"2.5"`, `2.50`},
		{`{"function":"rawurlencode","args":[{"placeholder":"value"}]}`, `"a%20b%2F%C4%8D~%2A"`, `"a b/č~*"`},
		{`{"function":"urlencode","args":[{"attr":"empty"}],"default":"n/a"}`, `"n/a"`, `"n/a"`},
		{`{"function":"urlencode","args":["a b"],"default":"x"}`, `"a+b"`, `"a b"`},
		{`{"function":"lower","args":[{"function":"urlencode","args":["A b"]}]}`, `"a+b"`, `"a+b"`},
		{`{"function":"urlencode","args":[{"attr":"empty"}]}`, `""`, `""`},
	} {
		var problems failure.Problems
		e := Compiler{Place: InJobs, Above: 1, Known: map[Context]Members{Placeholder: {"value": {}}}, Problems: &problems}.Compile(testvalue.Parse(t, tt.expression), "")
		v, before, err := e.EvalUnencoded(scope())
		if err != nil || v.JSON() != tt.value || before.JSON() != tt.before {
			t.Errorf("%s is %s, before %s, %v", tt.expression, v.JSON(), before.JSON(), err)
		}
	}
}
