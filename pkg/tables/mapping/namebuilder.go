package mapping

import (
	"crypto/md5"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// nameBuilder builds the safe name of a path of names joined by dots. It keeps only the
// data that the name depends on, so that a long path is not read again for each
// property below it. The zero nameBuilder is the empty path.
type nameBuilder struct {
	size int           // size of the path in bytes
	tail [maxName]byte // end of the safe path, or all of it if it is not longer
	// initials holds the letters, digits and underscores at the start of the path or
	// after a dash. initial is their number; only the first maxName are kept.
	initials [maxName]byte
	initial  int
	// words is the number of runs of letters and dashes that neither begin nor end with
	// a dash, without the run at the end of the path.
	words int
	run   charRun
	last  byte
	sum   hash.Cloner // hash of the safe path; nil up to maxName bytes
}

// charRun is the kind of the letters and dashes at the end of a path.
type charRun uint8

const (
	noRun charRun = iota
	wordRun
	dashRun // begins with a dash, so it is not a word
)

// newNameBuilder returns the builder for a path with a single name.
func newNameBuilder(name string) nameBuilder {
	var t nameBuilder
	t.add(name)
	return t
}

// child returns the builder for a property of the object at the path.
func (t nameBuilder) child(name string) nameBuilder {
	if t.sum != nil {
		t.sum = clone(t.sum)
	}
	t.add(".")
	t.add(name)
	return t
}

// clone returns a copy that is independent of sum.
func clone(sum hash.Cloner) hash.Cloner {
	c, err := sum.Clone()
	if err != nil {
		panic(err) // the hash is MD5, which never fails
	}
	return c
}

// add appends a text as safe bytes.
func (t *nameBuilder) add(text string) {
	var safe [512]byte
	for len(text) > 0 {
		n := min(len(safe), len(text))
		for i := range n {
			c := text[i]
			if !secret.NameByte(c) {
				c = '_'
			}
			safe[i] = c
			t.learn(c)
		}
		t.append(safe[:n])
		text = text[n:]
	}
}

// learn updates the initials and the words from the next byte.
func (t *nameBuilder) learn(c byte) {
	if c != '-' && (t.last == 0 || t.last == '-') {
		if t.initial < maxName {
			t.initials[t.initial] = c
		}
		t.initial++
	}
	switch {
	case !isLetter(c) && c != '-':
		if t.run == wordRun && t.last != '-' {
			t.words++
		}
		t.run = noRun
	case t.run == noRun && c == '-':
		t.run = dashRun
	case t.run == noRun:
		t.run = wordRun
	}
	t.last = c
}

// append adds safe bytes to the tail and the hash.
func (t *nameBuilder) append(safe []byte) {
	if t.sum == nil && t.size+len(safe) > maxName {
		t.sum = md5.New().(hash.Cloner)
		t.sum.Write(t.tail[:t.size]) // never fails, see package hash
	}
	if t.sum != nil {
		t.sum.Write(safe)
	}
	kept := min(t.size, maxName)
	t.size += len(safe)
	safe = safe[max(0, len(safe)-maxName):]
	over := max(0, kept+len(safe)-maxName)
	kept = copy(t.tail[:], t.tail[over:kept])
	copy(t.tail[kept:], safe)
}

// name returns the safe name of the path: ASCII letters, digits, dashes and single
// underscores, at most maxName bytes. It may be empty. Different paths may have the
// same name.
func (t *nameBuilder) name() string {
	b := t.tail[:min(t.size, maxName)]
	if t.size > maxName {
		b = t.shorten()
	}
	kept := make([]byte, 0, len(b))
	for _, c := range b {
		if c != '_' || len(kept) > 0 && kept[len(kept)-1] != '_' {
			kept = append(kept, c)
		}
	}
	return strings.TrimSuffix(string(kept), "_")
}

// shorten returns the initials of a long path, followed by its end from an underscore.
// If the path is a single word or has too many initials, the hash of the path replaces
// the initials.
func (t *nameBuilder) shorten() []byte {
	words := t.words
	if t.run == wordRun && t.last != '-' {
		words++
	}
	short := make([]byte, 0, maxName)
	if words < 2 || t.initial >= maxName {
		short = hex.AppendEncode(short, t.sum.Sum(nil))
	} else {
		short = append(short, t.initials[:t.initial]...)
	}
	short = append(short, '_')
	for i := len(short); i < maxName; i++ {
		if t.tail[i] == '_' {
			return append(short, t.tail[i:]...)
		}
	}
	return short
}
