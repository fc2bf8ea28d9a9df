package expr

import (
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestSecretsAreTracked: what is made of a secret is one, through any function and
// nesting, and what a function made of it is concealed.
func TestSecretsAreTracked(t *testing.T) {
	attributes := Flatten(testvalue.Parse(t, `{"plain":"ann","empty":""}`))
	for name, secret := range Flatten(testvalue.Parse(t, `{"#pw":"s3cret-word","db.#pw":"another-word","#list":["one-word-1","2"],"#pin":"7","#none":"","#number":12345678.50}`)) {
		attributes[name] = secret.AsSecret()
	}
	marked := value.OfString("a marked literal").AsSecret()
	tests := []struct {
		name, expression string
		secret           bool
		told             []string
	}{
		{"a literal", `"x"`, false, nil},
		{"a reference", `{"attr":"plain"}`, false, nil},
		{"a reference to a secret", `{"attr":"#pw"}`, true, nil},
		{"to a nested one", `{"attr":"db.#pw"}`, true, nil},
		{"to an item of one", `{"attr":"#list.1"}`, true, nil},
		{"a function of plain values", `{"function":"md5","args":[{"attr":"plain"}]}`, false, nil},
		{"a digest", `{"function":"md5","args":[{"attr":"#pw"}]}`, true, []string{"5cff54922b1388098e79f0cc7a21d56a"}},
		{"joined as it is", `{"function":"concat","args":["Bearer ",{"attr":"#pw"}]}`, true, nil},
		{"joined, then encoded", `{"function":"concat","args":["Basic ",{"function":"base64_encode","args":[{"function":"concat","args":["u:",{"attr":"#pw"}]}]}]}`, true, []string{"dTpzM2NyZXQtd29yZA=="}},
		{"a list and a secret separator", `{"function":"implode","args":[{"attr":"#pw"},["a","b"]]}`, true, nil},
		{"a list with a secret in it", `{"function":"implode","args":[",",["a",{"attr":"#pw"}]]}`, true, nil},
		{"a format", `{"function":"sprintf","args":["%1$s-%1$08s",{"attr":"#pin"}]}`, true, []string{"7-00000007"}},
		{"a number that is respelt", `{"function":"concat","args":["n",{"attr":"#number"}]}`, true, nil},
		{"a short one", `{"function":"concat","args":["p",{"attr":"#pin"}]}`, true, nil},
		{"a short digest", `{"function":"hash","args":["crc32",{"attr":"#pin"}]}`, true, []string{"de7d827b"}},
		{"the replacement of an empty secret", `{"function":"ifempty","args":[{"attr":"#none"},"a plain word"]}`, true, nil},
		{"a plain word that needs no secret", `{"function":"ifempty","args":["a plain word",{"attr":"#pw"}]}`, true, nil},
		{"a marked literal", `{"function":"sha1","args":["@MARKED@"]}`, true, []string{"a2bbc7c115bd17a2de67c88b8beea7ffa5ffe723"}},
		{"data with one in it", `{"a":[{"b":{"attr":"#pw"}}],"c":1}`, true, nil},
		{"time", `{"function":"date","args":["Y-m-d",{"time":"currentStart"}]}`, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var problems failure.Problems
			c := Compiler{Place: InJobs, Problems: &problems}
			source := testvalue.Parse(t, tt.expression)
			if arguments := source.Field("args"); arguments.Len() == 1 && arguments.Items()[0].Raw() == "@MARKED@" {
				source = source.With("args", value.OfItems(marked))
			}
			compiled := c.Compile(source, "/x")
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			var told []string
			got, err := compiled.Eval(&Scope{
				Contexts: map[Context]Members{Attr: attributes, Time: {"currentStart": value.OfInt(1)}},
				Conceal:  func(secret string) { told = append(told, secret) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if got.Secret() != tt.secret || !slices.Equal(told, tt.told) {
				t.Errorf("a secret is %v, want %v; concealed %q, want %q", got.Secret(), tt.secret, told, tt.told)
			}
		})
	}
}

// TestOnlyWhatIsSecretIsMarked: beside a secret in one object the rest stays open.
func TestOnlyWhatIsSecretIsMarked(t *testing.T) {
	var problems failure.Problems
	c := Compiler{Place: InJobs, Problems: &problems}
	entries := c.Entries(testvalue.Parse(t, `{"filter":{"user":{"attr":"plain"},"pw":{"attr":"#pw"}},"open":"x"}`), "/params")
	got, err := entries.Eval(&Scope{Contexts: map[Context]Members{Attr: {"plain": value.OfString("ann"), "#pw": value.OfString("p").AsSecret()}}})
	if err != nil || problems.Err() != nil {
		t.Fatal(err, problems)
	}
	for path, want := range map[string]bool{"filter": true, "filter.user": false, "filter.pw": true, "open": false} {
		if v, ok := got.At(path, "."); !ok || v.Secret() != want {
			t.Errorf("%s: a secret is %v, want %v", path, v.Secret(), want)
		}
	}
}
