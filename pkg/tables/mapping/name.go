package mapping

import "strconv"

// maxName is the longest name, in bytes, unless a suffix makes it unique.
const maxName = 64

// dataColumn is the column of values that have no property name of their own.
const dataColumn = "data"

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// columnNameBuilder is where the paths of a table's columns begin. The mark in front
// vanishes from their safe names at the end, but it takes three of the bytes a
// long name may have.
func columnNameBuilder() nameBuilder { return newNameBuilder(elementName) }

// columnName is the safe name of a column.
func columnName(path string) string {
	t := columnNameBuilder().child(path)
	return t.name()
}

// usedNames are the names in use in one table, each with the number of the suffix
// to be tried first when it is wanted once more: those before are in use.
type usedNames map[string]int

// reserve marks a name as used; false when it was before.
func (n usedNames) reserve(name string) bool {
	if _, used := n[name]; used {
		return false
	}
	n[name] = 0
	return true
}

// reserveUnique reserves a name, with the first free suffix _u0, _u1 … when it is in
// use.
func (n usedNames) reserveUnique(name string) string {
	free := name
	for !n.reserve(free) {
		free = withSuffix(name, n[name])
		n[name]++
	}
	return free
}

// TableName is the name of the table that the rows of a data type are in when it is
// mapped automatically; "" when the data type gives none.
func TableName(dataType string) string {
	path := newNameBuilder(dataType)
	return path.name()
}

func withSuffix(name string, i int) string { return name + "_u" + strconv.Itoa(i) }

func firstFree(name string, used func(string) bool) string {
	free := name
	for i := 0; used(free); i++ {
		free = withSuffix(name, i)
	}
	return free
}

// nameColumns names every property of the table whose rows are the elements,
// and returns all the names in use. Names remembered from the previous run are
// taken first; then newcomers are named in the order of the columns. Objects
// use up a name too, though they have no column.
func (n *node) nameColumns() usedNames {
	used := usedNames{}
	if n.hasData() {
		used.reserve(dataColumn)
	}
	n.eachProperty(func(p *node) {
		// A structure written by the original can hold one name twice.
		p.hasHeader = p.hasHeader && used.reserve(p.header)
	})
	n.nameNewcomers(used, columnNameBuilder())
	return used
}

// nameNewcomers names the properties of an object that have no name yet.
func (n *node) nameNewcomers(used usedNames, path nameBuilder) {
	for _, c := range n.children {
		if c.hasHeader && !c.isFlat() {
			continue
		}
		below := path.child(c.name)
		if !c.hasHeader {
			c.header, c.hasHeader = used.reserveUnique(below.name()), true
		}
		if c.isFlat() {
			c.nameNewcomers(used, below)
		}
	}
}

// eachProperty visits the properties of one table in the order of its columns,
// objects before their own properties.
func (n *node) eachProperty(visit func(p *node)) {
	for _, c := range n.children {
		visit(c)
		if c.isFlat() {
			c.eachProperty(visit)
		}
	}
}

// nameTree names the columns of the table of these elements and of all tables
// below it.
func (n *node) nameTree() {
	n.nameColumns()
	n.eachProperty(func(p *node) {
		if p.kind == kindArray {
			p.element.nameTree()
		}
	})
}
