package condition

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func holds(t *testing.T, condition string, v value.Value) bool {
	t.Helper()
	got, err := Parse(condition).Holds(func(string) (value.Value, error) { return v, nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestNumbers(t *testing.T) {
	for _, row := range []struct {
		condition, item string
		want            bool
	}{
		{"n==123456789012.345", `123456789012.345`, true},
		{"n==123456789012.35", `123456789012.345`, false},
		{"n!=123456789012.345", `123456789012.3450`, false},
		{"n==1.0", `1`, true},
		{"n==1", `1.00`, true},
		{"n==1e3", `1000`, true},
		{"n==100000000000000000000", `1e20`, true},
		{"n==9007199254740992", `9007199254740993`, false},
		{"n==9007199254740992", `9007199254740993.0`, false},
		{"n==1e999999999", `10e999999998`, true},
		{"n>1e999999999", `1e9999999999999999999999`, true},
		{"n>0", `1e-999999999`, true},
		{"n==0", `1e-400`, false},
		{"n==0", `-0.0`, true},
		{"n>1767225600123456768", `1767225600123456769`, true},
		{"n>1767225600123456768", `"1767225600123456769"`, true},
		{"n>1767225600123456768", `1767225600123456768`, false},
		{"n<=1767225600123456768.0", `"1767225600123456768"`, true},
		{"n>1735689600.123456", `1735689600.1234561`, true},
		{"n< 1735689600.1234561", `" 1735689600.123456"`, true},
		// Texts differ where numbers do not.
		{"n==1.0", `"1"`, false},
		{"n==1", `"1.0"`, false},
		{"n!=1", `"1.0"`, true},
		{"n==1e3", `"1000"`, false},
		{"n==1.0", `true`, false},
		{"n==1", `true`, true},
		// Blanks count where texts are compared, and a number has none.
		{"n== 1", `1`, false},
		{"n==1 ", `1`, false},
		{"n>=1 ", `"1"`, false},
		// What is not a number is compared as a text.
		{"n>9x", `10`, false},
		{"n<0x10", `"0x9"`, false},
		{"n==Array", `[1]`, true},
		{"n~~1735689600.123456", `1735689600.123456`, true},
		{"n~~1%", `1.50`, true},
		{"n~~1.5", `1.50`, true},
	} {
		if got := holds(t, row.condition, testvalue.Parse(t, row.item)); got != row.want {
			t.Errorf("%s on %s: got %v", row.condition, row.item, got)
		}
	}
}

// TestNumbersAgreeWithRat: numbers that are often equal or near, in many forms, compare
// as the rational numbers of the standard library do. Texts do so too, but for == and !=.
func TestNumbersAgreeWithRat(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 2))
	number := func() string {
		digits := []string{"1767225600123456768", "1735689600", "9007199254740992", "0", "7"}[r.IntN(5)]
		sum, _ := new(big.Int).SetString(digits, 10)
		text := sum.Add(sum, big.NewInt(r.Int64N(3))).String()
		if r.IntN(2) == 0 {
			text += "." + fmt.Sprintf("%0*d", 1+r.IntN(9), r.IntN(3)) + strings.Repeat("0", r.IntN(3))
		}
		if r.IntN(3) == 0 {
			text += fmt.Sprintf("e%d", r.IntN(7)-3)
		}
		return []string{"", "-"}[r.IntN(2)] + text
	}
	for range 50_000 {
		item, text := number(), number()
		x, _ := new(big.Rat).SetString(item)
		y, _ := new(big.Rat).SetString(text)
		order := x.Cmp(y)
		for operator, want := range map[string]bool{">": order > 0, "<": order < 0, ">=": order >= 0, "<=": order <= 0, "==": order == 0, "!=": order != 0} {
			if got := holds(t, "n"+operator+text, value.OfNumber(item)); got != want {
				t.Fatalf("%s %s %s: got %v", item, operator, text, got)
			}
			if operator == "==" || operator == "!=" {
				want = (item == text) == (operator == "==")
			}
			if got := holds(t, "n"+operator+text, value.OfString(item)); got != want {
				t.Fatalf("the text %s %s %s: got %v", item, operator, text, got)
			}
		}
	}
}

// TestCoversEqualNumbers: a number that is 1 is also 1.0.
func TestCoversEqualNumbers(t *testing.T) {
	for _, row := range []struct {
		one, other string
		want       bool
	}{{"a!=2", "a==3", true}, {"a!=2.0", "a==2", false}, {"a!=1e2", "a==100", false}, {"a!=x", "a==y", true}} {
		if got := Parse(row.one).Covers(Parse(row.other)); got != row.want {
			t.Errorf("%s covers %s: got %v", row.one, row.other, got)
		}
	}
}

func BenchmarkHolds(b *testing.B) {
	for _, row := range []struct{ condition, item string }{{"n>1767225600123456768", "1767225600123456769"}, {"n>9.5", "10.25"}, {"n==42", "42"}} {
		b.Run(row.condition, func(b *testing.B) {
			c, v := Parse(row.condition), value.OfNumber(row.item)
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := c.Holds(func(string) (value.Value, error) { return v, nil }); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}
