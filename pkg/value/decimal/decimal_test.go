package decimal

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) Number {
	t.Helper()
	n, ok := Parse(text)
	if !ok {
		t.Fatalf("%.60s is not a number", text)
	}
	return n
}

func TestWhatIsANumber(t *testing.T) {
	for _, text := range []string{"0", "-0", "+1", "1.", ".5", "-.5e3", "1E5", "1e+5", "1e-5", "007", "0.00e999999999999999999999", "1e00000000000000000000000005", "1e" + strings.Repeat("9", 10_000)} {
		parse(t, text)
	}
	for _, text := range []string{"", ".", "-", "+-1", "1e", "1e+", "1e+-5", "e5", "1.2.3", "1 ", " 1", "0x10", "inf", "NaN", "1_0", "1/2", "१"} {
		if n, ok := Parse(text); ok {
			t.Errorf("%q: got %+v", text, n)
		}
	}
}

// TestCompare compares each number with those after it, which are greater.
func TestCompare(t *testing.T) {
	ascending := [][]string{
		{"-1e99999999999999999999"}, {"-1e999999999", "-10e999999998"}, {"-123456789012.3451"}, {"-123456789012.345", "-123456789012345e-3"}, {"-1"}, {"-1e-99999999999999999999"},
		{"0", "-0", "0.00", "0e99999999999999999999", ".0"},
		{"1e-99999999999999999999"}, {"1e-999999999", "0.1e-999999998"}, {"0.1", ".1", "1e-1", "0.10"}, {"0.1000000000000000055511151231257827"}, {"1", "1.0", "10e-1", "+1", "01", "1e00000000000000000000000"},
		{"9007199254740992"}, {"9007199254740993", "9007199254740993.0"}, {"1767225600123456768"}, {"1767225600123456769", "1.767225600123456769e18"},
		{"1e999999999"}, {"1.0000000000000000000001e999999999"}, {"9e99999999999999998"}, {"9e99999999999999999", "90e99999999999999998"}, {"1e9223372036854775808", "1e99999999999999999999"},
	}
	for i, same := range ascending {
		for _, a := range same {
			for j, others := range ascending {
				for _, b := range others {
					got := parse(t, a).Compare(parse(t, b))
					if want := big.NewInt(int64(i)).Cmp(big.NewInt(int64(j))); got != want || Same(a, b) != (want == 0) {
						t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}

// random is a text of a number: few digits, so that numbers are often equal or near, and
// sometimes many.
func random(r *rand.Rand) string {
	digits := func(most int) string {
		if r.IntN(6) == 0 {
			most = 40
		}
		var b strings.Builder
		for range r.IntN(most + 1) {
			b.WriteByte("0011259"[r.IntN(7)])
		}
		return b.String()
	}
	text := []string{"", "-", "+"}[r.IntN(3)] + digits(3)
	if r.IntN(2) == 0 {
		text += "." + digits(3)
	}
	if strings.Trim(text, "+-.") == "" {
		text = "0" + strings.Trim(text, "+-")
	}
	if r.IntN(2) == 0 {
		text += []string{"e", "E"}[r.IntN(2)] + []string{"", "-", "+"}[r.IntN(3)] + strconv.Itoa(r.IntN([]int{4, 60}[r.IntN(2)]))
	}
	return text
}

// TestAgreesWithRat compares everything with the rational numbers of the standard
// library.
func TestAgreesWithRat(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 1))
	rat := func(text string) *big.Rat {
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is not a number", text)
		}
		return exact
	}
	for range 100_000 {
		a, b := random(r), random(r)
		n, x := parse(t, a), rat(a)
		if got, want := n.Compare(parse(t, b)), x.Cmp(rat(b)); got != want {
			t.Fatalf("%s and %s: got %d, want %d", a, b, got, want)
		}
		if x.Cmp(rat(Literal(a))) != 0 {
			t.Fatalf("%s became the literal %s", a, Literal(a))
		}
		regular := string(AppendRegular(nil, []byte(a)))
		if x.Cmp(rat(regular)) != 0 || (x.Cmp(rat(b)) == 0 && x.Sign() != 0) != (regular == string(AppendRegular(nil, []byte(b))) && x.Sign() != 0) {
			t.Fatalf("%s has the regular form %s, %s has %s", a, regular, b, AppendRegular(nil, []byte(b)))
		}
		whole := new(big.Int).Quo(x.Num(), x.Denom())
		if got, ok := n.Whole(200); !ok || got != whole.String() || n.IsWhole() != x.IsInt() {
			t.Fatalf("%s without its fraction: got %s, %v, want %s; whole %v", a, got, ok, whole, n.IsWhole())
		}
		if got, ok := n.Int(); ok != whole.IsInt64() || ok && got != whole.Int64() {
			t.Fatalf("%s as an integer: got %d, %v, want %s", a, got, ok, whole)
		}
		more := r.Int64N(2001) - 1000
		sum := new(big.Rat).Add(x, new(big.Rat).SetInt64(more))
		if got, ok := n.Plus(more, 200); !ok || rat(got).Cmp(sum) != 0 || strings.ContainsAny(got, "eE") {
			t.Fatalf("%s plus %d: got %s, %v, want %s", a, more, got, ok, sum)
		}
		factor := 1 + r.Int64N(1000)
		product := new(big.Rat).Mul(x, new(big.Rat).SetInt64(factor))
		ceiling := new(big.Int).Neg(product.Num())
		ceiling.Neg(ceiling.Div(ceiling, product.Denom()))
		if got, ok := n.Ceil(factor); ok != ceiling.IsInt64() || ok && got != ceiling.Int64() {
			t.Fatalf("%s times %d, rounded up: got %d, %v, want %s", a, factor, got, ok, ceiling)
		}
	}
}

// TestNothingIsExpanded: digits are only written where there is a limit for them.
func TestNothingIsExpanded(t *testing.T) {
	for _, text := range []string{"1e999999999", "1e99999999999999999999", "-5e999999999"} {
		n := parse(t, text)
		_, whole := n.Whole(1000)
		_, fits := n.Int()
		_, sum := n.Plus(1, 1000)
		_, ceiling := n.Ceil(1)
		if whole || fits || sum || ceiling || !n.IsWhole() {
			t.Errorf("%s: %v, %v, %v, %v", text, whole, fits, sum, ceiling)
		}
	}
	for _, text := range []string{"1e-999999999", "1e-99999999999999999999"} {
		n := parse(t, text)
		whole, _ := n.Whole(1000)
		fits, _ := n.Int()
		_, sum := n.Plus(1, 1000)
		if ceiling, ok := n.Ceil(1000); whole != "0" || fits != 0 || sum || ceiling != 1 || !ok || n.IsWhole() {
			t.Errorf("%s: %s, %d, %v, %d", text, whole, fits, sum, ceiling)
		}
	}
	if got := fmt.Sprintf("%s %s", AppendRegular(nil, []byte("10e999999999")), AppendRegular(nil, []byte("1e99999999999999999999"))); got != "1e+1000000000 1e99999999999999999999" {
		t.Errorf("got %s", got)
	}
}

// FuzzParse checks that no text panics, and that what denotes a number has a literal and
// a regular form of the same number.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"1e5", "-0.10", ".5", "1e99999999999999999999", "10e99999999999999999", "1.2.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := Parse(text)
		regular := string(AppendRegular(nil, []byte(text)))
		if !ok {
			return
		}
		if !Same(text, Literal(text)) || !Same(text, regular) || n.Compare(n) != 0 {
			t.Errorf("%q: %q, %q", text, Literal(text), regular)
		}
		n.Int()
		n.Plus(7, 100)
		n.Ceil(1000)
	})
}

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"42", "9007199254740993", "1735689600.123456", "1.5e-7"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(text)
			}
		})
	}
}
