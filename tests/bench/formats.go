package main

import "strconv"

// format is how flat items are written.
type format struct {
	contentType         string
	begin, between, end string
	item                func(dst []byte, id int) []byte
}

// formats are all there are, by the names of the setting `format`; JSON has none.
func formats() map[string]format {
	return map[string]format{
		"":      {"application/json", "[", ",", "]", appendFlat},
		"jsonl": {"application/x-ndjson", "", "\n", "\n", appendFlat},
		"csv":   {"text/csv", "id,name,email,active,score,city,created,note,visits,comment\n", "\n", "\n", appendRecord},
		"xml":   {"application/xml", "<items>\n", "\n", "\n</items>", appendElement},
	}
}

// appendRecord appends a flat item as a record of CSV.
func appendRecord(dst []byte, id int) []byte {
	n := int64(id)
	dst = strconv.AppendInt(dst, n, 10)
	dst = strconv.AppendInt(append(dst, ",Name "...), n, 10)
	dst = strconv.AppendInt(append(dst, ",user"...), n, 10)
	dst = strconv.AppendBool(append(dst, "@example.com,"...), id%2 == 0)
	dst = strconv.AppendInt(append(dst, ','), n%100, 10)
	dst = append(dst, ".5,Prague,2024-05-01T10:00:00Z,,"...)
	dst = strconv.AppendInt(dst, n*7, 10)
	dst = strconv.AppendInt(append(dst, `,"A longer text, ""quoted"", of item `...), n, 10)
	return append(dst, '"')
}

// appendElement appends a flat item as an element of XML.
func appendElement(dst []byte, id int) []byte {
	n := int64(id)
	dst = strconv.AppendInt(append(dst, `<item><id>`...), n, 10)
	dst = strconv.AppendInt(append(dst, `</id><name>Name `...), n, 10)
	dst = strconv.AppendInt(append(dst, `</name><email>user`...), n, 10)
	dst = strconv.AppendBool(append(dst, `@example.com</email><active>`...), id%2 == 0)
	dst = strconv.AppendInt(append(dst, `</active><score>`...), n%100, 10)
	dst = append(dst, `.5</score><city>Prague</city><created>2024-05-01T10:00:00Z</created><note/><visits>`...)
	dst = strconv.AppendInt(dst, n*7, 10)
	dst = strconv.AppendInt(append(dst, `</visits><comment>A longer text, &quot;quoted&quot;, of item `...), n, 10)
	return append(dst, `</comment></item>`...)
}
