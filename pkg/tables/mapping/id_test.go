package mapping

import (
	"crypto/md5"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The recipe of generated ids once more, written for the reader instead of the
// machine, to compare with.

func md5hex(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) }

// idOf is the id of a serialised row of data type t.
func idOf(serialised string) string { return "t_" + md5hex(serialised) }

// parentIs is the serialised property that links a row to its parent.
func parentIs(id string) string {
	return fmt.Sprintf(`s:13:"JSON_parentId";s:%d:"%s";`, len(id), id)
}

func serialise(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "N;"
	case value.Bool:
		return map[bool]string{false: "b:0;", true: "b:1;"}[v.True()]
	case value.String:
		return fmt.Sprintf("s:%d:\"%s\";", len(v.Raw()), v.Raw())
	case value.Number:
		if i, err := strconv.ParseInt(v.Raw(), 10, 64); err == nil {
			return fmt.Sprintf("i:%d;", i)
		}
		return "d:" + double(v.Raw()) + ";"
	case value.Array:
		s := fmt.Sprintf("a:%d:{", v.Len())
		for i, item := range v.Items() {
			s += fmt.Sprintf("i:%d;%s", i, serialise(item))
		}
		return s + "}"
	default:
		s := fmt.Sprintf(`O:8:"stdClass":%d:{`, v.Len())
		for _, m := range v.Members() {
			s += serialise(value.OfString(m.Name)) + serialise(m.Value)
		}
		return s + "}"
	}
}

// double is a number with 17 significant digits: Go's own %G, which parts from
// PHP in the padding of exponents and the point of mantissas only.
func double(literal string) string {
	f, _ := strconv.ParseFloat(literal, 64)
	if math.IsInf(f, 0) {
		return strings.ToUpper(strings.TrimPrefix(fmt.Sprint(f), "+"))
	}
	s := fmt.Sprintf("%.17G", f)
	mantissa, exponent, ok := strings.Cut(s, "E")
	if !ok {
		return s
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	return mantissa + "E" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

var serialised = []struct{ json, want string }{
	{`null`, `N;`},
	{`true`, `b:1;`},
	{`false`, `b:0;`},
	{`0`, `i:0;`},
	{`-0`, `i:0;`},
	{`-12`, `i:-12;`},
	{`9223372036854775807`, `i:9223372036854775807;`},
	{`-9223372036854775808`, `i:-9223372036854775808;`},
	{`9223372036854775808`, `d:9.2233720368547758E+18;`},
	{`12345678901234567890`, `d:1.2345678901234567E+19;`},
	{`0.1`, `d:0.10000000000000001;`},
	{`1.0`, `d:1;`},
	{`1.5`, `d:1.5;`},
	{`1e20`, `d:1.0E+20;`},
	{`1e14`, `d:100000000000000;`},
	{`1e-7`, `d:9.9999999999999995E-8;`},
	{`0.0001`, `d:0.0001;`},
	{`123456789.12345678`, `d:123456789.12345678;`},
	{`1.123456789012345678`, `d:1.1234567890123457;`},
	{`-0.0`, `d:-0;`},
	{`1e400`, `d:INF;`},
	{`-1e400`, `d:-INF;`},
	{`""`, `s:0:"";`},
	{`"a\"b"`, `s:3:"a"b";`},
	{`"ě/\n"`, "s:4:\"ě/\n\";"},
	{`[]`, `a:0:{}`},
	{`[5,["x"]]`, `a:2:{i:0;i:5;i:1;a:1:{i:0;s:1:"x";}}`},
	{`{}`, `O:8:"stdClass":0:{}`},
	{`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0}`,
		`O:8:"stdClass":10:{s:1:"a";i:0;s:1:"b";i:0;s:1:"c";i:0;s:1:"d";i:0;s:1:"e";i:0;s:1:"f";i:0;s:1:"g";i:0;s:1:"h";i:0;s:1:"i";i:0;s:1:"j";i:0;}`},
	{`{"1":2,"":null,"1":3}`, `O:8:"stdClass":2:{s:1:"1";i:3;s:0:"";N;}`},
}

func TestSerialisation(t *testing.T) {
	for _, row := range serialised {
		v := testvalue.Parse(t, row.json)
		h, packed := newHasher(), pack(v)
		h.value(packed, packed.Kind(), packed.Cell())
		if got := string(h.buf); got != row.want {
			t.Errorf("%s: got %s, want %s", row.json, got, row.want)
		}
		if got := serialise(v); got != row.want {
			t.Errorf("%s: the recipe of this test gives %s, want %s", row.json, got, row.want)
		}
	}
}

// TestSerialisationCounts: the number of parts is before them and may have any
// number of digits, also where objects and lists lie in each other, and where what is
// before or around them is large.
func TestSerialisationCounts(t *testing.T) {
	list := func(n int) value.Value {
		items := make([]value.Value, n)
		for i := range items {
			items[i] = value.OfInt(int64(i))
		}
		return value.OfItems(items...)
	}
	object := func(n int, v func(int) value.Value) value.Value {
		var members []value.Member
		for i := range n {
			members = append(members, value.Member{Name: fmt.Sprint("m", i), Value: v(i)})
		}
		return value.OfMembers(members...)
	}
	h, at := newHasher(), newDataType("t")
	for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 1000, 3000} {
		rows := []value.Value{
			object(n, list),
			object(n, func(i int) value.Value { return object(i%12, list) }),
			object(2, func(int) value.Value { return list(n) }),
			object(2, func(int) value.Value {
				return value.OfItems(object(n, func(int) value.Value { return value.OfString("x") }))
			}),
		}
		if n > 100 {
			rows = rows[2:] // those before are far larger
		}
		for i, row := range rows {
			user := value.OfString(strings.Repeat("z", 10*n))
			want := "t_" + md5hex(serialise(row.With("u", user)))
			if got := string(h.id(at, pack(row), []hashedMember{{"u", pack(user)}}, nil)); got != want {
				t.Errorf("%d parts, row %d: got %s, want %s", n, i, got, want)
			}
		}
	}
}

func TestIDOfALargeRow(t *testing.T) {
	slowtest.Skip(t, "its row is large")
	row := testvalue.Parse(t, `{"l":"`+strings.Repeat("y", 2*hashFlush)+`","a":[`+strings.Repeat(`"`+strings.Repeat("x", 999)+`",`, 500)+`1],"b":2}`)
	extra := []hashedMember{{"u", pack(value.OfInt(7))}}
	h := newHasher()
	at := newDataType("p.q")
	for range 2 { // nothing may be left from one to the next
		want := "p.q_" + md5hex(serialise(row.With("u", value.OfInt(7)))+"outer_1")
		if got := string(h.id(at.element, pack(row), extra, []byte("outer_1"))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIDsOfANestedObject(t *testing.T) {
	const row = `{"id":1,"n":"a\"b","t":true,"f":false,"z":null,"x":1.5,"big":12345678901234567890,"o":{"p":1,"q":[1,2]}}`
	const id = "users.o_dd485a7b42733cdba2731881335ffa9a"
	object := `O:8:"stdClass":2:{s:1:"p";i:1;s:1:"q";a:2:{i:0;i:1;i:1;i:2;}}`
	if got := "users.o_" + md5hex(object+"users_"+md5hex(serialise(testvalue.Parse(t, row)))); got != id {
		t.Fatalf("the recipe of this test gives %s", got)
	}
	c := collect(t, "", page{dataType: "users", rows: []string{row}})
	checkTables(t, c.tables(t), map[string]string{
		"users":     csv(`id|n|t|f|z|x|big|o_p|o_q`, `1|a"b|1|||1.5|12345678901234567890|1|`+id),
		"users_o_q": csv(`data|JSON_parentId`, `1|`+id, `2|`+id),
	})
}

func TestIDsOfNestedArrays(t *testing.T) {
	const (
		top = "a/b.c?x=1_1a957cdb92d7c55cd353afdcb22f63aa"
		arr = "a/b.c?x=1.arr_e4327fea8d96a370a763a13d61b81fa3"
		y   = "a/b.c?x=1.arr.deep.y_a5e43c15e8e55b5a844fab0a93b41a24"
	)
	c := collect(t, "", page{dataType: "a/b.c?x=1", rows: []string{`{"id":1,"arr":[{"x":1,"deep":[{"y":{"z":[5]}}]}]}`}})
	checkTables(t, c.tables(t), map[string]string{
		"a_b_c_x_1":              csv(`id|arr`, `1|`+top),
		"a_b_c_x_1_arr":          csv(`x|deep|JSON_parentId`, `1|`+arr+`|`+top),
		"a_b_c_x_1_arr_deep":     csv(`y_z|JSON_parentId`, y+`|`+arr),
		"a_b_c_x_1_arr_deep_y_z": csv(`data|JSON_parentId`, `5|`+y),
	})
}

func TestEqualRowsHaveEqualIDs(t *testing.T) {
	c := collect(t, "", rowsOf(`{"v":[{"w":[1]}]}`, `{"v":[{"w":[1]}]}`, `{"n":1,"v":[{"w":[1]}]}`))
	lines := strings.Split(c.tables(t)["t_v"], "\n")
	if lines[1] != lines[2] || lines[2] == lines[3] {
		t.Errorf("want the same id twice, then another one for the other parent: %q", lines)
	}
}
