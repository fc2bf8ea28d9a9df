package expr

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"maps"
	"math/bits"
	"slices"
	"strings"

	//lint:ignore SA1019 the API decides which algorithm signs its requests
	"golang.org/x/crypto/ripemd160"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func hashFunctions() []Function {
	return []Function{
		{Name: "md5", Arguments: "text, raw?", Min: 1, Max: 2, Call: digestOf("md5"),
			Doc:      "The MD5 of the text in hexadecimal, or as raw bytes.",
			Examples: []Example{{`"a"`, `"0cc175b9c0f1b6a831c399e269772661"`}}},
		{Name: "sha1", Arguments: "text, raw?", Min: 1, Max: 2, Call: digestOf("sha1"),
			Doc:      "The SHA-1 of the text in hexadecimal, or as raw bytes.",
			Examples: []Example{{`"abc"`, `"a9993e364706816aba3e25717850c26c9cd0d89d"`}}},
		{Name: "hash", Arguments: "algorithm, text, raw?", Min: 2, Max: 3, algorithm: true, check: checkAlgorithm(algorithms(), checksums()), Call: hashText,
			Doc:      "The digest of the text in hexadecimal, or as raw bytes.",
			Examples: []Example{{`"sha256", "d"`, `"18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"`}, {`"crc32b", "d"`, `"98dd4acc"`}}},
		{Name: "hash_hmac", Arguments: "algorithm, text, key, raw?", Min: 3, Max: 4, algorithm: true, check: checkAlgorithm(algorithms()), Call: hashHMAC,
			Doc:      "The keyed digest (HMAC) of the text in hexadecimal, or as raw bytes.",
			Examples: []Example{{`"md5", "d", "k"`, `"7f330edb3a84f317f7ca433d6038ff9a"`}}},
	}
}

// algorithms returns the cryptographic hash functions by name.
func algorithms() map[string]func() hash.Hash {
	return map[string]func() hash.Hash{
		"md5":        md5.New,
		"sha1":       sha1.New,
		"sha224":     sha256.New224,
		"sha256":     sha256.New,
		"sha384":     sha512.New384,
		"sha512":     sha512.New,
		"sha512/224": sha512.New512_224,
		"sha512/256": sha512.New512_256,
		"sha3-224":   func() hash.Hash { return sha3.New224() },
		"sha3-256":   func() hash.Hash { return sha3.New256() },
		"sha3-384":   func() hash.Hash { return sha3.New384() },
		"sha3-512":   func() hash.Hash { return sha3.New512() },
		"ripemd160":  ripemd160.New,
	}
}

// checksums returns the checksums by name. They do not work with a key.
func checksums() map[string]func() hash.Hash {
	return map[string]func() hash.Hash{
		"crc32":   func() hash.Hash { return new(bzipCRC) },
		"crc32b":  func() hash.Hash { return crc32.NewIEEE() },
		"crc32c":  func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
		"adler32": func() hash.Hash { return adler32.New() },
	}
}

// checkAlgorithm returns a check of the first argument, if it is a literal.
func checkAlgorithm(known ...map[string]func() hash.Hash) func(args list) *ArgumentProblem {
	return func(args list) *ArgumentProblem {
		l, ok := args[0].(literal)
		if !ok {
			return nil
		}
		name := strings.ToLower(textOf(l.value))
		var names []string
		for _, group := range known {
			if group[name] != nil {
				return nil
			}
			names = slices.AppendSeq(names, maps.Keys(group))
		}
		slices.Sort(names)
		hint := "known are " + strings.Join(names, ", ")
		if near, ok := failure.Nearest(name, names); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return &ArgumentProblem{Found: foundAlgorithm(textOf(l.value)), Expected: "expected the name of a hash algorithm", Hint: failure.Text(hint)}
	}
}

var errAlgorithm = errors.New("argument 1 is not the name of a hash algorithm")

func digestOf(algorithm string) func(in Input) (value.Value, error) {
	return func(in Input) (value.Value, error) {
		text, err := in.Text(0)
		if err != nil {
			return value.Value{}, err
		}
		return digest(in, 1, algorithms()[algorithm](), text)
	}
}

func hashText(in Input) (value.Value, error) {
	texts, err := in.texts(2)
	if err != nil {
		return value.Value{}, err
	}
	known := algorithms()
	maps.Copy(known, checksums())
	newHash := known[strings.ToLower(texts[0])]
	if newHash == nil {
		return value.Value{}, errAlgorithm
	}
	return digest(in, 2, newHash(), texts[1])
}

func hashHMAC(in Input) (value.Value, error) {
	texts, err := in.texts(3)
	if err != nil {
		return value.Value{}, err
	}
	newHash := algorithms()[strings.ToLower(texts[0])]
	if newHash == nil {
		return value.Value{}, errAlgorithm
	}
	return digest(in, 3, hmac.New(newHash, []byte(texts[2])), texts[1])
}

// digest returns the hash of a text in hexadecimal, or as bytes if the argument raw is
// true.
func digest(in Input, raw int, h hash.Hash, text string) (value.Value, error) {
	asBytes, err := in.flag(raw)
	if err != nil {
		return value.Value{}, err
	}
	h.Write([]byte(text))
	sum := h.Sum(nil)
	if asBytes {
		return value.OfString(string(sum)), nil
	}
	return value.OfString(hex.EncodeToString(sum)), nil
}

// bzipCRC is the CRC-32 of bzip2, which reads the highest bit of a byte first, with the
// bytes of the sum swapped. PHP and the original extractor call it "crc32". The field sum
// holds the sum with its bits reversed, because this is the usual CRC-32 of the bytes
// with reversed bits.
type bzipCRC struct{ sum uint32 }

func (c *bzipCRC) Write(p []byte) (int, error) {
	for _, b := range p {
		c.sum = crc32.Update(c.sum, crc32.IEEETable, []byte{bits.Reverse8(b)})
	}
	return len(p), nil
}

func (c *bzipCRC) Sum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, bits.Reverse32(c.sum))
}

func (c *bzipCRC) Reset()         { c.sum = 0 }
func (c *bzipCRC) Size() int      { return crc32.Size }
func (c *bzipCRC) BlockSize() int { return 1 }
