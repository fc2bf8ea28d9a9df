package value

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

func TestRegularNumbers(t *testing.T) {
	rows := []struct{ literal, want string }{
		{"0", "0"}, {"-0", "-0"}, {"10", "10"}, {"12345678901234567890", "12345678901234567890"},
		{"1.5", "1.5"}, {"1.50", "1.5"}, {"-1.500", "-1.5"}, {"15e-1", "1.5"}, {"0.15E+1", "1.5"},
		{"1.0", "1.0"}, {"1.00", "1.0"}, {"1e0", "1.0"}, {"10.0", "10.0"}, {"1e1", "10.0"}, {"0.0", "0.0"}, {"-0.0", "-0.0"}, {"-0e5", "-0.0"},
		{"0.30000000000000004", "0.30000000000000004"}, {"0.300000000000000040", "0.30000000000000004"}, {"0.30000000000000000", "0.3"},
		{"123456789012345.5", "123456789012345.5"}, {"1e400", "1e+400"}, {"-1E400", "-1e+400"}, {"1e-400", "1e-400"}, {"0.000000000000001", "0.000000000000001"},
		{"1e15", "1000000000000000.0"}, {"1E16", "1e+16"}, {"-10000000000000000.0", "-1e+16"}, {"1.50e300", "1.5e+300"}, {"1e-16", "0.0000000000000001"}, {"9e-17", "9e-17"}, {"0.00000000000000009", "9e-17"},
	}
	for _, row := range rows {
		text := `[{"a":` + row.literal + `,"b":"x"},[` + row.literal + `],null]`
		packed, _ := new(Packer).Append(nil, []byte(text))
		if got, want := Packed(packed).Regular(nil), strings.ReplaceAll(text, row.literal, row.want); Packed(got).Value().JSON() != want {
			t.Errorf("%s: got %s, want %s", text, Packed(got).Value().JSON(), want)
		}
	}
}

// FuzzRegular checks that the regular forms of two numbers are equal exactly if the
// numbers are equal, or the same text if they are integers.
func FuzzRegular(f *testing.F) {
	f.Add(1.5, 3, 1.50, -1)
	f.Add(1e15, 0, 1e15, 7)
	f.Add(5e-324, 20, 0.1, 17)
	f.Add(9007199254740993.0, 17, 9007199254740992.0, 20)
	f.Fuzz(func(t *testing.T, a float64, digitsA int, b float64, digitsB int) {
		one, other := doubleLiteral(a, digitsA), doubleLiteral(b, digitsB)
		if one == "" || other == "" {
			return
		}
		regularOne, okOne := new(Packer).Append(nil, []byte(one))
		regularOther, okOther := new(Packer).Append(nil, []byte(other))
		if !okOne {
			regularOne = Packed(regularOne).Regular(nil)
		}
		if !okOther {
			regularOther = Packed(regularOther).Regular(nil)
		}
		x, _ := new(big.Rat).SetString(one)
		y, _ := new(big.Rat).SetString(other)
		same := x.Cmp(y) == 0 && one[0] == '-' == (other[0] == '-')
		if got := string(regularOne) == string(regularOther); got != same {
			t.Errorf("%s and %s: same number %v, same form %v", one, other, same, got)
		}
	})
}

// doubleLiteral returns a double with about so many digits and a fraction or an
// exponent, "" if that is not possible.
func doubleLiteral(f float64, digits int) string {
	if math.IsInf(f, 0) || math.IsNaN(f) || digits < -1 || digits > 25 {
		return ""
	}
	format := byte('e')
	if math.Abs(f) < 1e20 && digits%2 == 1 {
		format = 'f'
	}
	text := strconv.FormatFloat(f, format, digits, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
