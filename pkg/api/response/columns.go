package response

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Columns name the values of items that are lists, or contain lists. The zero Columns
// name no values.
type Columns struct {
	// first is set if the first item is the list of names.
	first bool
	lists []columnList
}

// columnList is a list in each item, with the source of the names of its values.
type columnList struct {
	member string   // member of the item; "" is the item itself
	value  itemPath // path from an element of the list to the value
	fixed  []string // configured names; nil if the names are in the response
	at     Path     // path of the list of names in the response
	name   itemPath // path from an element of that list to the name
}

// itemPath is a path from an element of a list. Without segments it is the element
// itself.
type itemPath struct {
	text     string
	segments []string
}

func (p itemPath) lookup(item value.Packed) (value.Packed, bool) {
	if len(p.segments) == 0 {
		return item, true
	}
	if v, ok := item.Walk(p.segments); ok {
		return v, true
	}
	return item.Member(p.text)
}

func (c Columns) present() bool { return c.first || len(c.lists) > 0 }

// fields returns the paths of lists of names in the response.
func (c Columns) fields() (all []Path) {
	for _, l := range c.lists {
		if l.fixed == nil {
			all = append(all, l.at)
		}
	}
	return all
}

// CompileColumns compiles the setting `dataField.columns`. separator is the separator of
// its paths. CompileColumns adds problems to the section.
func CompileColumns(s field.Section, separator string) Columns {
	switch {
	case !s.Present() || s.Faulty():
		return Columns{}
	case s.Value.Kind() == value.Bool:
		return Columns{first: true, lists: []columnList{{}}}
	case s.Value.Kind() != value.Object:
		return Columns{lists: []columnList{namesOf(s, separator)}}
	}
	var c Columns
	for _, m := range s.Value.Members() {
		one := s.Get(m.Name)
		l := namesOf(one, separator)
		name, below := splitEach(m.Name, separator)
		l.member, l.value = name, below
		switch {
		case name == "":
			one.Problem("expected the name of a list in the items in front of this value", "")
		case strings.HasSuffix(name, EveryItem):
			one.Problem("expected a name without \""+EveryItem+"\": its values are those of the list", "")
		case slices.ContainsFunc(c.lists, func(other columnList) bool { return other.member == name }):
			one.Problem("expected each list of the items only once", "")
		}
		c.lists = append(c.lists, l)
	}
	return c
}

// namesOf compiles the source of the names of a list.
func namesOf(s field.Section, separator string) (l columnList) {
	if s.Value.Kind() != value.Array {
		text := s.Value.Text()
		l.at.Separator = separator
		l.at.Text, l.name = splitEach(text, separator)
		if strings.HasSuffix(text, EveryItem) {
			s.Problem("expected a path without \""+EveryItem+"\" at its end: the names are those in the list", "")
		}
		return l
	}
	for _, name := range s.Value.Items() {
		l.fixed = append(l.fixed, name.Text())
	}
	if len(l.fixed) == 0 {
		l.fixed = []string{""}
		s.Problem("expected at least one name", "")
	}
	if len(l.fixed) > maxColumns {
		s.Problem(failure.Text("expected at most "+strconv.Itoa(maxColumns)+" names"), "")
	}
	return l
}

// splitEach splits a path at EveryItem into the path of a list and the path below each of
// its items.
func splitEach(text, separator string) (list string, below itemPath) {
	list, rest, each := strings.Cut(text, separator+EveryItem+separator)
	if each {
		below = itemPath{rest, slices.Collect(value.Segments(rest, separator))}
	}
	return list, below
}

// CheckColumns reports columns that the format does not support. objects is set if all
// items are objects.
func (f Format) CheckColumns(c Columns, objects bool, s field.Section) {
	if !c.present() {
		return
	}
	const write = `write {"NAME": …} with the name of the list in an item`
	switch in := "in the format " + failure.Text(strconv.Quote(f.Name)); {
	case f.Name == "csv":
		s.Problem("expected no such key: "+in+" the columns have names", "write \"header\" in \"response\"")
	case f.Name == "text":
		s.Problem("expected no such key: "+in+" the response is one text", "remove the key")
	case f.IsFile():
		s.Problem("expected no such key: "+in+" the response is not read", "remove the key")
	case f.Name == "jsonl" && (c.first || len(c.fields()) > 0):
		s.Problem("expected a list of names: "+in+" there is nothing around the items", "")
	case f.Name == "xml" && c.lists[0].member == "":
		s.Problem("expected an object: "+in+" no item is a list", write)
	case objects && c.lists[0].member == "":
		s.Problem("expected an object: with \"keyAs\" or \"parallel\" no item is a list", write)
	}
}

// columnNamer replaces lists in items by members with names.
type columnNamer struct {
	lists []columnList
	names [][][]byte      // packed names for each list
	taken map[string]bool // names of all columns
	// lone is set if a single value is not in a list, as in XML.
	lone  bool
	where string // path of the items, for messages
}

// nameColumns names the values in the items of the page.
func (d *decodeState) nameColumns() error {
	c := d.query.Columns
	if !c.present() || d.page.Rows == 0 {
		return nil
	}
	n := &columnNamer{lists: c.lists, taken: map[string]bool{}, lone: d.query.Format.Name == "xml", where: d.query.Data.Text}
	if n.where == d.query.Data.Separator {
		n.where = ""
	}
	var all []string
	var ends []int
	for _, l := range c.lists {
		names, err := d.columnsOf(n, l)
		if err != nil {
			return err
		}
		all = append(all, names...)
		ends = append(ends, len(all))
	}
	if len(all) > maxColumns {
		return failure.Userf("the response has %s of columns, expected at most %d ('dataField.columns')", textfmt.Count(len(all), "name"), maxColumns)
	}
	start := 0
	all = distinct(all)
	for _, end := range ends {
		var packed [][]byte
		for _, name := range all[start:end] {
			n.taken[name] = true
			packed = append(packed, value.AppendName(nil, name))
		}
		n.names = append(n.names, packed)
		start = end
	}
	skip := 0
	if c.first {
		skip = 1
	}
	d.page.items = n.each(d.page.items, skip, d.page.Rows)
	d.page.Rows -= skip
	return nil
}

// columnsOf returns the names of the values in a list.
func (d *decodeState) columnsOf(n *columnNamer, l columnList) ([]string, error) {
	switch {
	case d.query.Columns.first:
		return n.namesFromFirst(d.page.items)
	case l.fixed != nil:
		return l.fixed, nil
	}
	at := "'" + l.at.Text + "' of the response"
	i := slices.IndexFunc(d.page.fields, func(f fieldValue) bool { return f.path == l.at })
	f := d.page.fields[i]
	switch {
	case f.tooLarge:
		return nil, failure.Userf("the names of the columns at %s have more than %d bytes", at, maxField)
	case f.value.IsNull():
		return nil, failure.Userf("there is nothing at %s, expected the names of the columns ('dataField.columns')", at)
	}
	return n.read(value.Packed(f.value.AppendPacked(nil)), l.name, "the value at "+at)
}

// namesFromFirst reads the names from the first item.
func (n *columnNamer) namesFromFirst(items iter.Seq2[value.Packed, error]) (names []string, err error) {
	for item, failed := range items {
		if failed != nil {
			return nil, failed
		}
		if len(item) > maxHeader {
			return nil, failure.Userf("%s, which names the columns, has more than %d MiB", n.item(1), maxHeader>>20)
		}
		names, err = n.read(item, itemPath{}, n.item(1))
		break
	}
	return names, err
}

// read reads the names in a list.
func (n *columnNamer) read(list value.Packed, at itemPath, subject string) (names []string, err error) {
	one := n.alone(list)
	if list.Kind() != value.Array && !one {
		return nil, failure.Userf("%s is %s, expected the list of the names of the columns ('dataField.columns')", subject, list.Kind().WithArticle())
	}
	for parts := valuesOf(list, one); parts.More(); {
		found, _ := at.lookup(parts.Value())
		if k := found.Kind(); k == value.Array || k == value.Object {
			return nil, failure.Userf("%s has %s as name %d, expected a text ('dataField.columns')", subject, k.WithArticle(), len(names)+1)
		}
		names = append(names, found.Value().Text())
	}
	return names, nil
}

// alone reports whether v is the single value of a list that is not written as a list.
func (n *columnNamer) alone(v value.Packed) bool { return n.lone && v.Kind() != value.Array }

// valuesOf iterates over the values of a list, or over the single value if alone is set.
func valuesOf(list value.Packed, alone bool) value.Parts {
	if alone {
		return value.PartsOf(list)
	}
	return list.Parts()
}

// each streams the items with named values, after skipping the first skip items. last is
// the number of the last item; if no item has one of the lists, the stream ends with a
// user error. Several goroutines may iterate at the same time.
func (n *columnNamer) each(items iter.Seq2[value.Packed, error], skip, last int) iter.Seq2[value.Packed, error] {
	return func(yield func(value.Packed, error) bool) {
		var named []byte
		number, found := 0, make([]bool, len(n.lists))
		for item, err := range items {
			if number++; number <= skip {
				continue
			}
			if err == nil {
				named, err = n.append(named[:0], item, number, found)
			}
			if i := slices.Index(found, false); err == nil && number == last && i >= 0 {
				err = failure.Userf("no item%s has a member '%s' ('dataField.columns')", n.location(), n.lists[i].member)
			}
			if !yield(named, err) || err != nil {
				return
			}
		}
	}
}

// append appends an item with its lists replaced by named values. It sets found for each
// list of the item.
func (n *columnNamer) append(dst []byte, item value.Packed, number int, found []bool) (_ []byte, err error) {
	start := len(dst)
	dst = value.OpenObject(dst)
	switch {
	case n.lists[0].member == "":
		found[0] = true
		dst, err = n.appendValues(dst, 0, item, number)
	case item.Kind() == value.Object:
		for parts := item.Parts(); parts.More() && err == nil; {
			name, v := parts.Name(), parts.Value()
			if at := n.listIndex(name); at >= 0 {
				found[at] = true
				dst, err = n.appendValues(dst, at, v, number)
			} else if n.taken[string(name)] {
				err = failure.Userf("%s has a member with the name of a column, %s: one of the two would be lost ('dataField.columns')", n.item(number), nameForMessage(name))
			} else {
				dst = append(value.AppendName(dst, name), v...)
			}
		}
	case n.lone && len(item.Raw()) == 0: // an empty element
	default:
		err = failure.Userf("%s is %s, expected an object with '%s' ('dataField.columns')", n.item(number), item.Kind().WithArticle(), n.lists[0].member)
	}
	value.ClosePacked(dst, start)
	return dst, err
}

// listIndex returns the index of the list with the given member name, or -1.
func (n *columnNamer) listIndex(name []byte) int {
	for i := range n.lists {
		if n.lists[i].member == string(name) {
			return i
		}
	}
	return -1
}

// appendValues appends the values of a list as members. If the list is short, the last
// columns are missing. null is a list without values.
func (n *columnNamer) appendValues(dst []byte, at int, list value.Packed, number int) ([]byte, error) {
	l, names := &n.lists[at], n.names[at]
	one := n.alone(list)
	if k := list.Kind(); k != value.Array && k != value.Null && !one {
		return dst, failure.Userf("%s is %s, expected a list of values ('dataField.columns')", n.listOf(l, number), k.WithArticle())
	}
	i := 0
	for parts := valuesOf(list, one); parts.More(); i++ {
		if i == len(names) {
			return dst, failure.Userf("%s has %s, but only %s known ('dataField.columns')", n.listOf(l, number), textfmt.Count(list.Len(), "value"), areNames(len(names)))
		}
		if v, ok := l.value.lookup(parts.Value()); ok {
			dst = append(append(dst, names[i]...), v...)
		}
	}
	return dst, nil
}

func areNames(n int) string {
	if n == 1 {
		return "the name of 1 column is"
	}
	return "the names of " + strconv.Itoa(n) + " columns are"
}

// item returns the words for an item in messages. number counts from 1.
func (n *columnNamer) item(number int) string { return "item " + strconv.Itoa(number) + n.location() }

// location returns where the items are, for messages.
func (n *columnNamer) location() string {
	if n.where == "" {
		return " of the response"
	}
	return " at '" + n.where + "'"
}

func (n *columnNamer) listOf(l *columnList, number int) string {
	if l.member == "" {
		return n.item(number)
	}
	return "'" + l.member + "' of " + n.item(number)
}

// nameForMessage returns a name for messages. It does not shorten long names, because the
// rest could be half of a secret that is not masked.
func nameForMessage(name []byte) string {
	const most = 100
	if len(name) > most {
		return "whose name is long"
	}
	return "'" + string(name) + "'"
}

// distinct returns names of columns that are different and not empty.
func distinct(names []string) []string {
	all := make([]string, len(names))
	known := make(map[string]int, len(names)) // number for the next column with the same name
	for i, name := range names {
		if name == "" {
			name = columnName(i)
		}
		unique := name
		for known[unique] > 0 {
			known[name]++
			unique = name + "_" + strconv.Itoa(known[name])
		}
		known[unique] = 1
		all[i] = unique
	}
	return all
}

func columnName(index int) string { return "column_" + strconv.Itoa(index+1) }
