package mapping

import (
	"crypto/md5"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// nameBuilder makes the safe name of a path of names joined by dots. It holds only
// what the name depends on, so the many properties below a long path do not read all
// of the path again. The zero nameBuilder is the empty path.
type nameBuilder struct {
	size int           // bytes
	tail [maxName]byte // the last of them, made safe: all of them up to maxName
	// initials are the letters, digits and underscores at the very start or
	// after a dash. Of more than maxName bytes only the number matters.
	initials [maxName]byte
	initial  int
	// words counts the runs of letters and dashes that do not begin or end with
	// a dash, without the one at the end.
	words int
	run   charRun
	last  byte
	sum   hash.Cloner // of all bytes made safe; nil up to maxName
}

// charRun is the letters and dashes at the end of a path.
type charRun uint8

const (
	noRun charRun = iota
	wordRun
	dashRun // begins with a dash, so it is not a word
)

// newNameBuilder begins with the path of one name.
func newNameBuilder(name string) nameBuilder {
	var t nameBuilder
	t.add(name)
	return t
}

// below is the path of a property of the object at the path.
func (t nameBuilder) child(name string) nameBuilder {
	if t.sum != nil {
		t.sum = clone(t.sum)
	}
	t.add(".")
	t.add(name)
	return t
}

// clone is a copy that grows independently.
func clone(sum hash.Cloner) hash.Cloner {
	c, err := sum.Clone()
	if err != nil {
		panic(err) // that of MD5 never fails
	}
	return c
}

// add makes a text safe and appends it.
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

// learn takes the next byte into the initials and the words.
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

// append takes safe bytes into the tail and the hash.
func (t *nameBuilder) append(safe []byte) {
	if t.sum == nil && t.size+len(safe) > maxName {
		t.sum = md5.New().(hash.Cloner)
		t.sum.Write(t.tail[:t.size]) // never fails, says package hash
	}
	if t.sum != nil {
		t.sum.Write(safe)
	}
	kept := min(t.size, maxName)
	t.size += len(safe)
	safe = safe[max(0, len(safe)-maxName):]
	if over := kept + len(safe) - maxName; over > 0 {
		kept = copy(t.tail[:], t.tail[over:kept])
	}
	copy(t.tail[kept:], safe)
}

// name is the safe name of the path: ASCII letters, digits, dashes and single
// underscores, at most maxName long. It may be empty, and different paths may
// have the same one.
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

// shorten keeps the end of a long name from an underscore on, and is the
// initials of the whole in front of it; a name of one word gives its hash
// instead of initials. So does a name with more initials than fit.
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
