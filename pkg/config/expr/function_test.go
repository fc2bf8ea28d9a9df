package expr

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// theSecret is the value of attr s in the tests below: it must never show up in
// an error.
const theSecret = "k3y-of-the-house"

func scope() *Scope {
	return &Scope{
		Now: func() time.Time { return time.Unix(1508620560, 0) },
		Contexts: map[Context]Members{
			Attr: {
				"s": value.OfString(theSecret), "format": value.OfString("%i " + theSecret), "one": value.OfInt(1),
				"float": value.OfNumber("2.50"), "from": value.OfString("2024-02-26"), "empty": value.OfString(""),
			},
			Placeholder: {"value": value.OfString("a b/č~*")},
		},
	}
}

// evaluate compiles and evaluates an expression; the failure of either is its
// error.
func evaluate(t *testing.T, text string) (value.Value, error) {
	t.Helper()
	var problems failure.Problems
	c := Compiler{Place: InJobs, Above: 1, Known: map[Context]Members{Placeholder: {"value": {}}}, Problems: &problems}
	e := c.Compile(testvalue.Parse(t, text), "/x")
	if err := problems.Err(); err != nil {
		return value.Value{}, err
	}
	return e.Eval(scope())
}

type callCase struct{ function, args, want string }

func checkCalls(t *testing.T, cases []callCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.function+c.args, func(t *testing.T) {
			got, err := evaluate(t, fmt.Sprintf(`{"function":%q,"args":%s}`, c.function, c.args))
			if err != nil {
				t.Fatal(err)
			}
			if got.JSON() != c.want {
				t.Errorf("%s%s = %s, want %s", c.function, c.args, got.JSON(), c.want)
			}
		})
	}
}

type faultCase struct{ function, args, contains string }

func checkFaults(t *testing.T, cases []faultCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.function+c.args, func(t *testing.T) {
			got, err := evaluate(t, fmt.Sprintf(`{"function":%q,"args":%s}`, c.function, c.args))
			if err == nil {
				t.Fatalf("%s%s = %s, want an error", c.function, c.args, got.JSON())
			}
			if failure.KindOf(err) != failure.User || !strings.HasPrefix(failure.PointerOf(err), "/x") {
				t.Errorf("%v has kind %s and pointer %q, want a user error at /x", err, failure.KindOf(err), failure.PointerOf(err))
			}
			if !strings.Contains(err.Error(), c.contains) {
				t.Errorf("error %q does not contain %q", err, c.contains)
			}
			if strings.Contains(err.Error(), theSecret) {
				t.Errorf("error %q contains the secret", err)
			}
		})
	}
}

func TestTextFunctions(t *testing.T) {
	checkCalls(t, []callCase{
		{"concat", `["a",1,1.0,2.50,true,false,null]`, `"a112.51"`},
		{"concat", `[]`, `""`},
		{"concat", `null`, `""`},
		{"concat", `""`, `""`},
		{"concat", `{"b":"x","a":"y"}`, `"xy"`},
		{"concat", `[1234567890123456789012, 0.1234567890123456]`, `"12345678901234567890120.1234567890123456"`},
		{"concat", `[1e25, 0.00001]`, `"1.0E+251.0E-5"`},
		{"concat", `[{"attr":"float"},"|",{"attr":"one"}]`, `"2.5|1"`},
		{"implode", `[",",["a",1,null,true,"0"]]`, `"a,1,,1,0"`},
		{"implode", `[["a","b"],"-"]`, `"a-b"`},
		{"implode", `[["a","b"]]`, `"ab"`},
		{"implode", `[",",[]]`, `""`},
		{"implode", `[",",[{"attr":"one"},{"function":"concat","args":["x","y"]}]]`, `"1,xy"`},
		{"ifempty", `["",1]`, `1`},
		{"ifempty", `["0",1]`, `1`},
		{"ifempty", `[0,1]`, `1`},
		{"ifempty", `[0.0,1]`, `1`},
		{"ifempty", `[false,1]`, `1`},
		{"ifempty", `[null,1]`, `1`},
		{"ifempty", `[[],1]`, `1`},
		{"ifempty", `["0.0",1]`, `"0.0"`},
		{"ifempty", `[" ",1]`, `" "`},
		{"ifempty", `["false",1]`, `"false"`},
		{"ifempty", `[{},1]`, `{}`},
		{"ifempty", `[{"a":{"attr":"one"}},1]`, `{"a":1}`},
		{"ifempty", `[{"attr":"empty"},{"attr":"one"}]`, `1`},
		{"ifempty", `["","" ]`, `""`},
		{"base64_encode", `["č>?"]`, `"xI0+Pw=="`},
		{"base64_encode", `[true]`, `"MQ=="`},
		{"base64_encode", `[""]`, `""`},
		{"urlencode", `[{"placeholder":"value"}]`, `"a+b%2F%C4%8D%7E%2A"`},
		{"urlencode", `["Az0-_.!'()"]`, `"Az0-_.%21%27%28%29"`},
		{"rawurlencode", `[{"placeholder":"value"}]`, `"a%20b%2F%C4%8D~%2A"`},
		{"rawurlencode", `["/../.%"]`, `"%2F..%2F.%25"`},
	})
	checkFaults(t, []faultCase{
		{"concat", `["a",{"b":1}]`, "concat: argument 2 is an object, expected a text"},
		{"concat", `[["a"]]`, "concat: argument 1 is an array, expected a text"},
		{"concat", `[{"attr":"s"},[{"attr":"s"}]]`, "argument 2 is an array"},
		{"concat", `"text"`, "expected a list of arguments, found a string"},
		{"implode", `[",","a"]`, "implode: no argument is a list"},
		{"implode", `["a"]`, "implode: no argument is a list"},
		{"implode", `[[],[]]`, "implode: the separator is an array, expected a text"},
		{"implode", `[",",["a",[{"attr":"s"}]]]`, "item 2 of the list is an array"},
		{"implode", `[",",{"attr":"s"}]`, "implode: no argument is a list"},
		{"implode", `[]`, "expected 1 to 2 arguments for implode, found no arguments"},
		{"ifempty", `["a"]`, "expected 2 arguments for ifempty, found 1 argument; write it as ifempty(value, otherwise)"},
		{"ifempty", `[1,2,3]`, "expected 2 arguments for ifempty, found 3 arguments"},
		{"ifempty", `["a",{"attr":"nope"}]`, `attr "nope" not found (at /x/args/1)`},
		{"base64_encode", `[]`, "expected 1 argument for base64_encode, found no arguments"},
		{"base64_encode", `[[{"attr":"s"}]]`, "base64_encode: argument 1 is an array, expected a text"},
		{"urlencode", `[[]]`, "urlencode: argument 1 is an array"},
	})
}

func TestHashFunctions(t *testing.T) {
	checkCalls(t, []callCase{
		{"md5", `["a"]`, `"0cc175b9c0f1b6a831c399e269772661"`},
		{"md5", `[5]`, `"e4da3b7fbbce2345d7772b0674a318d5"`},
		{"md5", `["5"]`, `"e4da3b7fbbce2345d7772b0674a318d5"`},
		{"md5", `[true]`, `"c4ca4238a0b923820dcc509a6f75849b"`},
		{"md5", `[null]`, `"d41d8cd98f00b204e9800998ecf8427e"`},
		{"md5", `[false, false]`, `"d41d8cd98f00b204e9800998ecf8427e"`},
		{"sha1", `["č"]`, `"77d8db7bee3a4615c3e2a2f81c2bb87dc014ba5b"`},
		{"hash", `["sha256","d"]`, `"18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"`},
		{"hash", `["SHA256","d"]`, `"18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"`},
		{"hash", `["md5","a"]`, `"0cc175b9c0f1b6a831c399e269772661"`},
		{"hash", `["sha1","abc"]`, `"a9993e364706816aba3e25717850c26c9cd0d89d"`},
		{"hash", `["sha224","abc"]`, `"23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"`},
		{"hash", `["sha384","abc"]`, `"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"`},
		{"hash", `["sha512","abc"]`, `"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"`},
		{"hash", `["sha512/224","abc"]`, `"4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"`},
		{"hash", `["sha512/256","abc"]`, `"53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"`},
		{"hash", `["sha3-224","abc"]`, `"e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"`},
		{"hash", `["sha3-256","abc"]`, `"3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"`},
		{"hash", `["sha3-384","abc"]`, `"ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"`},
		{"hash", `["sha3-512","abc"]`, `"b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"`},
		{"hash", `["ripemd160","abc"]`, `"8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"`},
		{"hash", `["crc32b","d"]`, `"98dd4acc"`},
		{"hash", `["crc32b","123456789"]`, `"cbf43926"`},
		{"hash", `["crc32","123456789"]`, `"181989fc"`},
		{"hash", `["crc32","a"]`, `"6b9b9319"`},
		{"hash", `["crc32","abc"]`, `"73bb8c64"`},
		{"hash", `["crc32",""]`, `"00000000"`},
		{"hash", `["crc32c","123456789"]`, `"e3069283"`},
		{"hash", `["adler32","Wikipedia"]`, `"11e60398"`},
		{"hash_hmac", `["sha256","d","k"]`, `"e7ea21c3bcb63a4da3ad78503168d36bdca0be622382ea60a108fad4e4966679"`},
		{"hash_hmac", `["MD5","what do ya want for nothing?","Jefe"]`, `"750c783e6ab0b503eaa86e310a5db738"`},
		{"base64_encode", `[{"function":"hash_hmac","args":["sha256","d","k",true]}]`, `"5+ohw7y2Ok2jrXhQMWjTa9ygvmIjgupgoQj61OSWZnk="`},
		{"base64_encode", `[{"function":"md5","args":["a","1"]}]`, `"DMF1ucDxtqgxw5niaXcmYQ=="`},
		{"base64_encode", `[{"function":"hash","args":["crc32b","d",true]}]`, `"mN1KzA=="`},
	})
	checkFaults(t, []faultCase{
		{"md5", `[]`, "expected 1 to 2 arguments for md5, found no arguments; write it as md5(text, raw?)"},
		{"md5", `["a",false,1]`, "found 3 arguments"},
		{"md5", `[["a"]]`, "md5: argument 1 is an array, expected a text"},
		{"md5", `["a",[]]`, "md5: argument 2 is an array, expected true or false"},
		{"sha1", `[{"a":{"attr":"s"}}]`, "sha1: argument 1 is an object, expected a text"},
		{"hash", `["sha-256",{"attr":"s"}]`, `/x/args/0: expected the name of a hash algorithm, found "sha-256"; did you mean "sha256"?`},
		{"hash", `["hunter2","sha256"]`, `/x/args/0: expected the name of a hash algorithm, found another text`},
		{"hash", `["1234567890","sha256"]`, `/x/args/0: expected the name of a hash algorithm, found another text`},
		{"hash", `["abc-1234","sha256"]`, `/x/args/0: expected the name of a hash algorithm, found another text`},
		{"hash", `["md5-12345678","sha256"]`, `/x/args/0: expected the name of a hash algorithm, found another text`},
		{"hash", `["BLAKE2b-512",{"attr":"s"}]`, `/x/args/0: expected the name of a hash algorithm, found "BLAKE2b-512"`},
		{"hash", `["` + theSecret + `",{"attr":"s"}]`, "known are adler32, crc32, crc32b, crc32c, md5, ripemd160, sha1,"},
		{"hash", `["sha256",[{"attr":"s"}]]`, "hash: argument 2 is an array, expected a text"},
		{"hash", `[{"attr":"s"},"a"]`, "hash: argument 1 is not the name of a hash algorithm (at /x)"},
		{"hash_hmac", `["crc32b","d","k"]`, "expected the name of a hash algorithm"},
		{"hash_hmac", `["adler32","d",{"attr":"s"}]`, "expected the name of a hash algorithm"},
		{"hash_hmac", `[{"attr":"s"},"d","k"]`, "hash_hmac: argument 1 is not the name of a hash algorithm"},
		{"hash_hmac", `["sha256","d"]`, "expected 3 to 4 arguments for hash_hmac, found 2 arguments"},
		{"hash_hmac", `["sha256",[{"attr":"s"}],"k"]`, "hash_hmac: argument 2 is an array"},
	})
}

func TestNesting(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a week after an attribute",
			`{"function":"date","args":["Y-m-d",{"function":"strtotime","args":["+7 days",{"function":"strtotime","args":[{"attr":"from"}]}]}]}`,
			`"2024-03-04"`},
		{"basic credentials", `{"function":"base64_encode","args":[{"function":"concat","args":[{"attr":"s"},":",{"attr":"one"}]}]}`,
			`"azN5LW9mLXRoZS1ob3VzZTox"`},
		{"in an object", `{"f":{"ids":[{"attr":"one"},{"query":"x"}],"n":null},"function_":1}`, `{"f":{"ids":[1,{"query":"x"}],"n":null},"function_":1}`},
		{"in a list", `[{"attr":"one"},2]`, `[1,2]`},
		{"other keys of a call do not count", `{"function":"concat","args":["a"],"path":"id"}`, `"a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := evaluate(t, c.text)
			if err != nil || got.JSON() != c.want {
				t.Errorf("got %s, %v, want %s", got.JSON(), err, c.want)
			}
		})
	}
}

func TestFunctionsAreDocumented(t *testing.T) {
	var names []string
	for _, f := range AllFunctions() {
		names = append(names, f.Name)
		if !strings.HasSuffix(f.Doc, ".") || len(f.Examples) == 0 {
			t.Errorf("%s: doc %q should be whole sentences, with an example", f.Name, f.Doc)
		}
		var required, all int
		for _, a := range strings.Split(f.Arguments, ", ") {
			switch {
			case a == "":
			case strings.HasSuffix(a, "…"):
				all = -1
			case strings.HasSuffix(a, "?"):
				all++
			default:
				required++
				all++
			}
		}
		if required != f.Min || all != f.Max {
			t.Errorf("%s: the signature has %d to %d arguments, the function %d to %d", f.Signature(), required, all, f.Min, f.Max)
		}
	}
	slices.Sort(names)
	want := []string{"base64_decode", "base64_encode", "base64url_encode", "concat", "date", "hash", "hash_hmac", "if", "ifempty", "implode", "json_decode", "json_encode", "jwt", "lower",
		"md5", "number", "rawurlencode", "replace", "sha1", "sprintf", "strtotime", "substr", "time", "trim", "upper", "urlencode", "uuid"}
	if !slices.Equal(names, want) {
		t.Errorf("functions %v, want %v", names, want)
	}
}
