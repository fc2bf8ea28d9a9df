package secret

import (
	"math/bits"
	"math/rand/v2"
)

// The hash of a text is the value of a polynomial with its bytes as coefficients, modulo a
// prime, at a random point. The hash of any part of a text follows from the hashes of two
// prefixes: up to the start and up to the end of the part. So it costs the same for a part
// of any length.

// hashModulus is the prime 2^61-1.
const hashModulus = 1<<61 - 1

// hashBase is the random point. It differs between processes.
var hashBase = 1<<32 + rand.Uint64N(hashModulus-1<<32)

// hashPowers are the first powers of hashBase.
var hashPowers = func() (powers [256]uint64) {
	powers[0] = 1
	for i := range powers[1:] {
		powers[i+1] = hashProduct(powers[i], hashBase)
	}
	return powers
}()

// fold returns a byte as it is compared: a blank for a plus sign, because a plus sign
// is a blank in some URLs.
func fold(c byte) byte {
	if c == '+' {
		return ' '
	}
	return c
}

func hashOf(text string) uint64 {
	var h uint64
	for i := range len(text) {
		h = hashAppend(h, fold(text[i]))
	}
	return h
}

// hashAppend returns the hash of a text with one more byte.
func hashAppend(h uint64, c byte) uint64 {
	return hashSum(hashProduct(h, hashBase), uint64(c)+1)
}

// hashJoin returns the hash of a text followed by another text of n bytes.
func hashJoin(h, behind uint64, n int) uint64 {
	return hashSum(hashProduct(h, hashPower(n)), behind)
}

// hashPart returns the hash of the last n bytes of a text. whole is the hash of the
// text, and before the hash of the text without these bytes.
func hashPart(whole, before uint64, n int) uint64 {
	return hashSum(whole, hashModulus-hashProduct(before, hashPower(n)))
}

func hashPower(n int) uint64 {
	if n < len(hashPowers) {
		return hashPowers[n]
	}
	power, square := uint64(1), hashBase
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			power = hashProduct(power, square)
		}
		square = hashProduct(square, square)
	}
	return power
}

func hashSum(a, b uint64) uint64 { return hashReduce(a + b) }

func hashProduct(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hashReduce(lo&hashModulus + (lo>>61 | hi<<3))
}

// hashReduce returns a number below 2^62 modulo hashModulus.
func hashReduce(n uint64) uint64 {
	n = n&hashModulus + n>>61
	if n >= hashModulus {
		n -= hashModulus
	}
	return n
}
