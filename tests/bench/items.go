package main

import "strconv"

// appendFlat appends an item of ten scalars, one of them null, one with quotes
// in it.
func appendFlat(dst []byte, id int) []byte {
	n := int64(id)
	dst = strconv.AppendInt(append(dst, `{"id":`...), n, 10)
	dst = strconv.AppendInt(append(dst, `,"name":"Name `...), n, 10)
	dst = strconv.AppendInt(append(dst, `","email":"user`...), n, 10)
	dst = strconv.AppendBool(append(dst, `@example.com","active":`...), id%2 == 0)
	dst = strconv.AppendInt(append(dst, `,"score":`...), n%100, 10)
	dst = append(dst, `.5,"city":"Prague","created":"2024-05-01T10:00:00Z","note":null,"visits":`...)
	dst = strconv.AppendInt(dst, n*7, 10)
	dst = strconv.AppendInt(append(dst, `,"comment":"A longer text, \"quoted\", of item `...), n, 10)
	return append(dst, `"}`...)
}

// appendNested appends an item with an object and a list of two objects in it:
// one row of eight columns and two rows of a table of its own.
func appendNested(dst []byte, id int) []byte {
	n := int64(id)
	dst = strconv.AppendInt(append(dst, `{"id":`...), n, 10)
	dst = strconv.AppendInt(append(dst, `,"name":"Name `...), n, 10)
	dst = strconv.AppendInt(append(dst, `","address":{"street":"Long Street `...), n%300, 10)
	dst = strconv.AppendInt(append(dst, `","city":"Prague","zip":"`...), 10000+n%90000, 10)
	dst = strconv.AppendInt(append(dst, `"},"tags":[{"label":"first `...), n%10, 10)
	dst = strconv.AppendInt(append(dst, `","weight":1},{"label":"second `...), n%20, 10)
	dst = strconv.AppendInt(append(dst, `","weight":2}],"visits":`...), n*7, 10)
	dst = strconv.AppendBool(append(dst, `,"active":`...), id%2 == 0)
	return append(dst, '}')
}

// listRows is how many items with many lists there are: each is a row of every table.
const listRows = 100

// appendLists appends an item with this many lists of one object in it, each of which
// becomes a row of a table of its own.
func appendLists(dst []byte, id, lists int) []byte {
	dst = strconv.AppendInt(append(dst, `{"id":`...), int64(id), 10)
	for list := range lists {
		dst = strconv.AppendInt(append(dst, `,"l`...), int64(list), 10)
		dst = strconv.AppendInt(append(dst, `":[{"value":`...), int64(id+list), 10)
		dst = append(dst, `}]`...)
	}
	return append(dst, '}')
}

// itemsPage returns the response {"items": […]} with the items of the ids from
// first up to, but not including, end.
func itemsPage(item func([]byte, int) []byte, first, end int) []byte {
	dst := []byte(`{"items":[`)
	for id := first; id < end; id++ {
		if id > first {
			dst = append(dst, ',')
		}
		dst = item(dst, id)
	}
	return append(dst, "]}"...)
}
