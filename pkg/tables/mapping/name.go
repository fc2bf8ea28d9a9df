package mapping

import "strconv"

// maxName is the maximum size of a name in bytes, without a suffix that makes it
// unique.
const maxName = 64

// dataColumn is the column of values that have no property name.
const dataColumn = "data"

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// columnNameBuilder returns the builder for the columns of a table. Its path begins
// with elementName, which is not visible in safe names but uses up three bytes of a
// long name.
func columnNameBuilder() nameBuilder { return newNameBuilder(elementName) }

// usedNames maps the names that are used in a table to the suffix number to try first
// if the name is needed again. All lower numbers are in use.
type usedNames map[string]int

// reserve returns false if the name was used before.
func (n usedNames) reserve(name string) bool {
	if _, used := n[name]; used {
		return false
	}
	n[name] = 0
	return true
}

// reserveUnique reserves a name and returns it. If the name is used, it adds the first
// free suffix: _u0, _u1 and so on.
func (n usedNames) reserveUnique(name string) string {
	free := name
	for !n.reserve(free) {
		free = withSuffix(name, n[name])
		n[name]++
	}
	return free
}

// TableName returns the name of the table for the rows of a data type that is mapped
// automatically. It is "" if the data type has no characters that a name can have.
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

// nameColumns names every property of the table with the elements as rows. It returns
// all names in use. Names that the previous run remembered come first; then new
// properties are named in the order of the columns. Objects use up a name, too,
// although they have no column.
func (n *node) nameColumns() usedNames {
	used := usedNames{}
	if n.hasData() {
		used.reserve(dataColumn)
	}
	n.eachProperty(func(p *node) {
		// A structure of the original extractor can contain a name twice.
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

// eachProperty visits the properties of one table in the order of its columns, objects
// before their own properties.
func (n *node) eachProperty(visit func(p *node)) {
	for _, c := range n.children {
		visit(c)
		if c.isFlat() {
			c.eachProperty(visit)
		}
	}
}

// nameTree names the columns of the table of these elements and of all tables below it.
func (n *node) nameTree() {
	n.nameColumns()
	n.eachProperty(func(p *node) {
		if p.kind == kindArray {
			p.element.nameTree()
		}
	})
}
