package php

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestSprintfIsExact: a number with enough places in the format keeps its value, and any
// other differs by half a place at most.
func TestSprintfIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 3))
	for range 20_000 {
		literal := strconv.FormatInt(r.Int64()>>r.IntN(63), 10)
		if r.IntN(4) > 0 {
			literal += "." + strconv.FormatInt(r.Int64()>>r.IntN(63), 10)
		}
		if r.IntN(3) == 0 {
			literal += fmt.Sprintf("e%d", r.IntN(41)-20)
		}
		literal = []string{"", "-"}[r.IntN(2)] + literal
		exact, _ := new(big.Rat).SetString(literal)
		for _, verb := range []string{"f", "e", "g"} {
			precision := r.IntN(40)
			format, err := ParseFormat(fmt.Sprintf("%%.%d%s", precision, verb))
			if err != nil {
				t.Fatal(err)
			}
			text, err := format.Sprintf(func(int) (Scalar, error) { return Scalar{literal, literal}, nil })
			got, ok := new(big.Rat).SetString(text)
			if err != nil || !ok {
				t.Fatalf("%s of %s: got %q, %v", verb, literal, text, err)
			}
			place := new(big.Rat).SetFrac64(1, 2)
			power := -precision
			if verb != "f" && exact.Sign() != 0 {
				_, after, _ := strings.Cut(new(big.Float).SetPrec(200).SetRat(exact).Text('e', 60), "e")
				exponent, _ := strconv.Atoi(after)
				if verb == "g" {
					exponent++
				}
				power = exponent - precision
				if verb == "g" && precision == 0 {
					power--
				}
			}
			scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil))
			if power < 0 {
				scale.Inv(scale)
			}
			if off := new(big.Rat).Sub(got, exact); off.Abs(off).Cmp(place.Mul(place, scale)) > 0 {
				// A double is off by as much as its last digit before it is rounded.
				f, _ := exact.Float64()
				if binary := new(big.Rat).SetFloat64(f); binary.Sub(got, binary).Abs(binary).Cmp(place) > 0 {
					t.Fatalf("%%.%d%s of %s: got %s", precision, verb, literal, text)
				}
			}
			if s := new(big.Rat).Quo(exact, scale); s.IsInt() && got.Cmp(exact) != 0 {
				t.Fatalf("%%.%d%s of %s has enough places: got %s", precision, verb, literal, text)
			}
		}
	}
}
