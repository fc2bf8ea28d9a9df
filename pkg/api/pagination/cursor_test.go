package pagination

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestCursor(t *testing.T) {
	tests := []sequence{
		{name: "numeric texts and fractions", settings: `{"method":"cursor","idKey":"id","param":"a","increment":"1"}`,
			responses: []string{ids(`"7"`, `8.9`), ids()},
			sent:      []string{`t`, `t {"a":9.9}`}},
		{name: "fractions stay as they are written", settings: `{"method":"cursor","idKey":"id","param":"a"}`,
			responses: []string{ids(`-4.9`, `"-5.9"`), ids(`1735689600.1234560`, `1735689600.123455`), ids(`1735689600.1234561`, `" +1735689600.12345605 "`), ids(`" +01735689601.50"`), ids()},
			sent:      []string{`t`, `t {"a":-4.9}`, `t {"a":1735689600.1234560}`, `t {"a":1735689600.1234561}`, `t {"a":1735689601.50}`}},
		{name: "fractions, backwards with an increment", settings: `{"method":"cursor","idKey":"id","param":"a","reverse":true,"increment":-1}`,
			responses: []string{ids(`1735689600.123457`, `1735689600.123456`), ids("1.5e-7"), ids(`9007199254740993.0`), ids()},
			sent:      []string{`t`, `t {"a":1735689599.123456}`, `t {"a":-0.99999985}`, `t {"a":-0.99999985}`}},
		{name: "whole numbers have no exponent", settings: `{"method":"cursor","idKey":"id","param":"a"}`,
			responses: []string{ids(`1.0`), ids("1E3"), ids("9007199254740993.0"), ids(`"1e20"`), ids()},
			sent:      []string{`t`, `t {"a":1}`, `t {"a":1000}`, `t {"a":9007199254740993}`, `t {"a":100000000000000000000}`}},
		{name: "a number that is never expanded", settings: `{"method":"cursor","idKey":"id","param":"a"}`,
			responses: []string{ids(`-1E999999999`, `1e-999999999`), ids(`2e400`), ids(`1e999999999`, `"9e999999998"`), ids()},
			sent:      []string{`t`, `t {"a":1e-999999999}`, `t {"a":2e400}`, `t {"a":1e999999999}`}},
		{name: "negative ids", settings: `{"method":"cursor","idKey":"id","param":"a"}`,
			responses: []string{ids("-5", "-2"), ids()},
			sent:      []string{`t`, `t {"a":-2}`}},
		{name: "the smallest id of 64 bits, minus 1", settings: `{"method":"cursor","idKey":"id","param":"a","reverse":true,"increment":-1}`,
			responses: []string{ids("-9223372036854775808"), ids()},
			sent:      []string{`t`, `t {"a":-9223372036854775809}`}},
		{name: "ids of 20 digits and more, as numbers and texts", settings: `{"method":"cursor","idKey":"id","param":"a","increment":1}`,
			responses: []string{ids("18446744073709551615", `"18446744073709551614"`), ids(`"340282366920938463463374607431768211455"`), ids()},
			sent:      []string{`t`, `t {"a":18446744073709551616}`, `t {"a":340282366920938463463374607431768211456}`}},
		{name: "every digit counts", settings: `{"method":"cursor","idKey":"id","param":"a"}`,
			responses: []string{ids("1234567890123456788.9", "1.234567890123456787e18"), ids()},
			sent:      []string{`t`, `t {"a":1234567890123456788.9}`}},
		{name: "the smallest increment", settings: `{"method":"cursor","idKey":"id","param":"a","increment":-9223372036854775808}`,
			responses: []string{ids("-1"), ids()},
			sent:      []string{`t`, `t {"a":-9223372036854775809}`}},
	}
	for i := range tests {
		tests[i].rule, tests[i].pointer = "the page is empty", "/idKey"
	}
	testSequences(t, tests)
}

func TestCursorNeedsNumbers(t *testing.T) {
	s := scroller(t, `{"method":"cursor","idKey":"id","param":"p"}`, "")
	for _, id := range []string{`"x"`, `null`, `true`, `[1]`, `"12abc"`, `"1e400 1"`, `"0x10"`} {
		_, _, err := walk(t, s, request(t, ""), 0, ids("1", id))
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "'id' of an item is not a number: "+id) || failure.PointerOf(err) != "/api/pagination/idKey" {
			t.Errorf("%s: got %v", id, err)
		}
	}
}

// TestExcerptIsWholeOrNothing: half of a secret could not be masked.
func TestExcerptIsWholeOrNothing(t *testing.T) {
	s := scroller(t, `{"method":"cursor","idKey":"id","param":"p"}`, "")
	longest := `"` + strings.Repeat("x", 58) + `"`
	for id, want := range map[string]string{
		longest:                                longest,
		strings.Replace(longest, "x", "xx", 1): "a string of more than 60 characters",
	} {
		if _, _, err := walk(t, s, request(t, ""), 0, ids(id)); err == nil || !strings.Contains(err.Error(), "is not a number: "+want) {
			t.Errorf("%s: got %v", id, err)
		}
	}
}

// TestNoSumOfCursor: the sum with an increment would have too many digits.
func TestNoSumOfCursor(t *testing.T) {
	s := scroller(t, `{"method":"cursor","idKey":"id","param":"p","increment":-1}`, "")
	for _, id := range []string{"1e999999999", `"1e-999999999"`, "1e401"} {
		_, _, err := walk(t, s, request(t, ""), 0, ids(id))
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "the sum of the cursor value "+id+" and the increment -1 has more than 400 digits") || failure.PointerOf(err) != "/api/pagination/increment" {
			t.Errorf("%s: got %v", id, err)
		}
	}
}

// TestCursorIsExact: regardless of the ids, the next request is for the largest id plus
// the increment.
func TestCursorIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		largest, increment := new(big.Int), random.Int64()-random.Int64()
		var all []string
		for i := range 1 + random.IntN(4) {
			digits := strconv.Itoa(1 + random.IntN(9))
			for range random.IntN(30) {
				digits += strconv.Itoa(random.IntN(10))
			}
			id, _ := new(big.Int).SetString([]string{"", "-"}[random.IntN(2)]+digits, 10)
			if i == 0 || id.Cmp(largest) > 0 {
				largest = id
			}
			all = append(all, id.String())
		}
		s := scroller(t, fmt.Sprintf(`{"method":"cursor","idKey":"id","param":"a","increment":%d}`, increment), "")
		sent, _, err := walk(t, s, request(t, ""), 0, ids(all...), ids())
		want := fmt.Sprintf(`t {"a":%d}`, new(big.Int).Add(largest, big.NewInt(increment)))
		if err != nil || len(sent) != 2 || sent[1] != want {
			t.Fatalf("%v plus %d: got %q, %v, want %s", all, increment, sent, err, want)
		}
	}
}

func TestTextCursor(t *testing.T) {
	const forward, back = `{"method":"cursor","idKey":"id","param":"after","idType":"text"}`, `{"method":"cursor","idKey":"id","param":"before","idType":"text","reverse":true}`
	tests := []sequence{
		{name: "as it stands", settings: forward, responses: []string{ids(`7.50`), ids(`18446744073709551616`), ids(`"007"`), ids(`0`), ids()},
			sent: []string{`t`, `t {"after":7.50}`, `t {"after":18446744073709551616}`, `t {"after":"007"}`, `t {"after":0}`}},
		{name: "other items need none", settings: forward, responses: []string{`[{},{"id":"b"}]`, ids()}, sent: []string{`t`, `t {"after":"b"}`}},
	}
	for i := range tests {
		tests[i].rule, tests[i].pointer = "the page is empty", "/idKey"
	}
	testSequences(t, tests)
	const whole = "; the method 'response.param' sends it whole: set 'responseParam' to its path in the response, such as 'items.-1.id'"
	for response, want := range map[string]string{
		`[{"id":"a"},{}]`:  "null",
		`[{"id":""}]`:      `""`,
		`[{"id":true}]`:    "true",
		`[{"id":{"a":1}}]`: `{"a":1}` + whole,
		`[{"id":["` + strings.Repeat("x", 60) + `"]}]`: "an array of more than 60 characters" + whole,
	} {
		_, stop, err := walk(t, scroller(t, forward, ""), request(t, ""), 0, response)
		if stop != nil || err == nil || err.Error() != "the cursor value at 'id' of the last item of the page is neither a text nor a number: "+want+" (at /api/pagination/idKey)" {
			t.Errorf("%s: got %v, %v", response, stop, err)
		}
	}
	compileText(t, `{"method":"cursor","idKey":"id","param":"p","idType":"text","increment":1}`,
		`/api/pagination/increment: expected no increment: ids of the type "text" are sent unchanged, found 1; remove it`)
}
