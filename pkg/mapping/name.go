package mapping

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"
	"strings"
)

// maxName is the longest name, in bytes, unless a suffix makes it unique.
const maxName = 64

// dataColumn is the column of values that have no property name of their own.
const dataColumn = "data"

// safeName turns any text into a name of a table or column: ASCII letters,
// digits, dashes and single underscores, at most maxName long. The result may
// be empty, and different texts may have the same one.
func safeName(text string) string {
	b := []byte(text)
	for i, c := range b {
		if !isLetter(c) && !isDigit(c) && c != '-' {
			b[i] = '_'
		}
	}
	if len(b) > maxName {
		b = shorten(b)
	}
	kept := b[:0]
	for _, c := range b {
		if c != '_' || len(kept) > 0 && kept[len(kept)-1] != '_' {
			kept = append(kept, c)
		}
	}
	return strings.TrimSuffix(string(kept), "_")
}

// shorten keeps the end of a long name from an underscore on, and stands the
// initials of the whole in front of it; a name of one word gives its hash
// instead of initials. So does a name with more initials than fit.
func shorten(name []byte) []byte {
	short := initials(name)
	if words(name) < 2 || len(short) >= maxName {
		sum := md5.Sum(name)
		short = hex.AppendEncode(nil, sum[:])
	}
	short = append(short, '_')
	for i := len(name) - (maxName - len(short)); i < len(name); i++ {
		if name[i] == '_' {
			return append(short, name[i:]...)
		}
	}
	return short
}

// words counts the runs of letters and dashes that do not begin or end with a
// dash.
func words(name []byte) int {
	count := 0
	for i := 0; i < len(name); i++ {
		from := i
		for i < len(name) && (isLetter(name[i]) || name[i] == '-') {
			i++
		}
		if i > from && name[from] != '-' && name[i-1] != '-' {
			count++
		}
	}
	return count
}

// initials are the letters, digits and underscores at the very start or after
// a dash.
func initials(name []byte) []byte {
	var all []byte
	for i, c := range name {
		if c != '-' && (i == 0 || name[i-1] == '-') {
			all = append(all, c)
		}
	}
	return all
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// columnName is the safe name of a column. The mark in front vanishes at the
// end, but it takes three of the bytes a long name may have.
func columnName(path string) string { return safeName(elementName + "." + path) }

// names are the names in use in one table.
type names map[string]bool

// take reserves a name, with the first free suffix _u0, _u1 … when it is in
// use.
func (n names) take(name string) string {
	free := firstFree(name, func(s string) bool { return n[s] })
	n[free] = true
	return free
}

func firstFree(name string, used func(string) bool) string {
	free := name
	for i := 0; used(free); i++ {
		free = name + "_u" + strconv.Itoa(i)
	}
	return free
}

// nameColumns names every property of the table whose rows are the elements,
// and returns all the names in use. Names remembered from the previous run are
// taken first; then newcomers are named in the order of the columns. Objects
// use up a name too, though they have no column.
func (n *node) nameColumns() names {
	used := names{}
	if n.kind == kindScalar {
		used[dataColumn] = true
	}
	n.eachProperty("", func(p *node, _ string) {
		// A structure written by the original can hold one name twice.
		p.named = p.named && !used[p.header]
		if p.named {
			used[p.header] = true
		}
	})
	n.eachProperty("", func(p *node, path string) {
		if !p.named {
			p.header, p.named = used.take(columnName(path)), true
		}
	})
	return used
}

// eachProperty visits the properties of one table in the order of its columns,
// objects before their own properties, each with its path of names joined by
// dots.
func (n *node) eachProperty(prefix string, visit func(p *node, path string)) {
	for _, c := range n.children {
		path := prefix + c.name
		visit(c, path)
		if c.kind == kindObject {
			c.eachProperty(path+".", visit)
		}
	}
}

// nameTree names the columns of the table of these elements and of all tables
// below it.
func (n *node) nameTree() {
	n.nameColumns()
	n.eachProperty("", func(p *node, _ string) {
		if p.kind == kindArray {
			p.element.nameTree()
		}
	})
}
