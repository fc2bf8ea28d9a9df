package response

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// spoolOf is a spool of a text; with a small limit it is in a file.
func spoolOf(t testing.TB, text string, limit int) *Spool {
	t.Helper()
	s := NewSpooler(t.TempDir(), limit).New()
	if _, err := io.WriteString(s, text); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newScanner() *Scanner {
	return NewScanner(func(s string) string { return strings.ReplaceAll(s, "s3cret", "[hidden]") })
}

// items is the JSON text of all items.
func items(t testing.TB, p *Page) string {
	t.Helper()
	var all []string
	for item, err := range p.Items() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item.Value().JSON())
	}
	return strings.Join(all, " ")
}

func dot(path string) Path { return Path{Text: path, Separator: "."} }

func TestScanFindsTheData(t *testing.T) {
	tests := []struct {
		name, text string
		data       Path
		items      string
		lists      string
	}{
		{"list", ` [1, {"a":2}] `, Path{}, `1 {"a":2}`, ""},
		{"empty list", `[]`, Path{}, "", ""},
		{"only list of an object", `{"a":1,"rows":[{"x":1},2],"b":{"c":[9]}}`, Path{}, `{"x":1} 2`, "rows"},
		{"only list, empty", `{"a":1,"rows":[]}`, Path{}, "", "rows"},
		{"two lists", `{"a":[1],"b":[]}`, Path{}, "", "a,b"},
		{"no list", `{"a":1}`, Path{}, "", ""},
		{"list overwritten by a scalar", `{"a":[1],"b":[2],"a":3}`, Path{}, "2", "b"},
		{"list given twice", `{"a":[1],"a":[2,3]}`, Path{}, "2 3", "a"},
		{"escaped name", `{"\u0061":[1]}`, Path{}, "1", "a"},
		{"scalar", `5`, Path{}, "", ""},
		{"null", `null`, Path{}, "", ""},
		{"path to a list", `{"a":{"b":[1,2]}}`, dot("a.b"), "1 2", ""},
		{"path through an index", `{"a":[{"b":[1]},{"b":[2]}]}`, dot("a.1.b"), "2", ""},
		{"path from a root list", `[{"x":[7]}]`, dot("0.x"), "7", ""},
		{"path to an object", `{"a":{"b":1}}`, dot("a"), `{"b":1}`, ""},
		{"path to an empty object", `{"a":{}}`, dot("a"), `{}`, ""},
		{"path to a scalar", `{"a":"x"}`, dot("a"), `"x"`, ""},
		{"path to an empty text", `{"a":""}`, dot("a"), "", ""},
		{"path to zero", `{"a":0}`, dot("a"), "", ""},
		{"path to the text 0", `{"a":"0"}`, dot("a"), "", ""},
		{"path to false", `{"a":false}`, dot("a"), "", ""},
		{"path to null", `{"a":null}`, dot("a"), "", ""},
		{"path to nothing", `{"a":{"b":1}}`, dot("a.c"), "", ""},
		{"path through a scalar", `{"a":1}`, dot("a.c"), "", ""},
		{"index of a null item", `{"a":[null,[1]]}`, dot("a.0"), "", ""},
		{"index written with a zero", `{"a":[[1],[2]]}`, dot("a.01"), "", ""},
		{"whole object", `{"a":1,"b":[2]}`, dot("."), `{"a":1,"b":[2]}`, ""},
		{"whole list", `[1]`, dot("."), "1", ""},
		{"whole scalar", `"x"`, dot("."), `"x"`, ""},
		{"another delimiter", `{"a.b":{"c":[1]}}`, Path{"a.b/c", "/"}, "1", ""},
		{"a dot is a name under another delimiter", `{".":[4]}`, Path{".", "/"}, "4", ""},
		{"last of equal names wins", `{"a":{"b":[1]},"a":{"c":1}}`, dot("a.b"), "", ""},
		{"byte order mark", "\ufeff[1]", Path{}, "1", ""},
		{"byte order mark before a path", "\ufeff{\"a\":[1,2]}", dot("a"), "1 2", ""},
	}
	for _, tt := range tests {
		for where, limit := range map[string]int{"memory": 1 << 20, "file": 0} {
			t.Run(tt.name+" in "+where, func(t *testing.T) {
				page, err := newScanner().Scan(spoolOf(t, tt.text, limit), Query{Data: tt.data})
				if err != nil {
					t.Fatal(err)
				}
				if got := items(t, page); got != tt.items {
					t.Errorf("items: got %s, want %s", got, tt.items)
				}
				if got := strings.Join(page.Lists, ","); got != tt.lists {
					t.Errorf("lists: got %s, want %s", got, tt.lists)
				}
				want := 0
				if tt.items != "" {
					want = strings.Count(tt.items, " ") + 1
				}
				if page.Rows != want {
					t.Errorf("rows: got %d, want %d", page.Rows, want)
				}
			})
		}
	}
}

// TestScanOfALongPath: the work grows with the path, not with its square; it took
// half a minute when it did.
func TestScanOfALongPath(t *testing.T) {
	const levels = 9_000
	text := strings.Repeat(`{"a":`, levels) + "[1,2]" + strings.Repeat("}", levels)
	page, err := newScanner().Scan(spoolOf(t, text, 1<<20), Query{Data: dot(strings.TrimSuffix(strings.Repeat("a.", levels), "."))})
	if err != nil {
		t.Fatal(err)
	}
	if got := items(t, page); got != "1 2" {
		t.Errorf("got %s", got)
	}
}

func TestScanReadsFields(t *testing.T) {
	const text = `{"next":"u","page":{"total":"4","links":[{"href":"a"},{"href":"b"}]},"rows":[{"id":1}]}`
	fields := []Path{dot("next"), dot("page.total"), dot("page.links.1.href"), dot("page.links"), dot("none.x"), dot("rows.0.id")}
	want := []string{`"u"`, `"4"`, `"b"`, `[{"href":"a"},{"href":"b"}]`, "null", "1"}
	for _, limit := range []int{16, 1 << 20} {
		spool := spoolOf(t, text, limit)
		page, err := newScanner().Scan(spool, Query{Data: dot("rows"), Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		if got := items(t, page); got != `{"id":1}` {
			t.Errorf("items: got %s", got)
		}
		if err := spool.Close(); err != nil { // fields need no spool
			t.Fatal(err)
		}
		for i, f := range fields {
			if v, err := page.Field(f); err != nil || v.JSON() != want[i] {
				t.Errorf("%s: got %s, %v, want %s", f.Text, v.JSON(), err, want[i])
			}
		}
		if _, err := page.Field(dot("other")); err == nil {
			t.Error("a field that was not requested must be an error")
		}
	}
}

// A condition may compare a list of any size: it does not look into it.
func TestLargeFieldsCompared(t *testing.T) {
	list, text := dot("list"), dot("text")
	page, err := newScanner().Scan(spoolOf(t, `{"list":["`+strings.Repeat("x", maxField)+`"],"text":"`+strings.Repeat("x", maxField)+`"}`, 1), Query{Fields: []Path{list, text}})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := page.FieldForCondition(list); err != nil || v.JSON() != "[]" {
		t.Errorf("got %s, %v for the list", v.JSON(), err)
	}
	if _, err := page.Field(list); failure.KindOf(err) != failure.User {
		t.Errorf("got %v for the value of the list, want a user error", err)
	}
	for name, field := range map[string]func(Path) (value.Value, error){"condition": page.FieldForCondition, "value": page.Field} {
		if _, err := field(text); err == nil || failure.KindOf(err) != failure.User {
			t.Errorf("got %v for the text as a %s, want a user error", err, name)
		}
	}
}

// Pages that only mention a login.
func TestNoLoginPage(t *testing.T) {
	for _, text := range []string{
		"<!DOCTYPE html><title>404 Not Found</title><a href=/login>Log in</a>", "<html><title>Blog index</title>", "<html><title>Maintenance</title><form action=/search><input type=text>",
		"<error>password</error>", `{"title": "<html><title>Log in</title>"`,
	} {
		if got := loginPage([]byte(text), func(s string) string { return s }); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestScanOfWhatIsNotJSON(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"page of HTML", "<!DOCTYPE html>\n<p>Gone", "the response is not valid JSON: invalid character '<' at start of value; it begins with: <!DOCTYPE html> <p>Gone"},
		{"cut off", `{"a":[1,2`, "the response is not valid JSON: it ends too early; it begins with: {\"a\":[1,2"},
		{"more text", `{} x`, "the response is not valid JSON: invalid character 'x'"},
		{"two values", `1 2`, "the response is not valid JSON"},
		{"control characters", "\x01\x02", "the response is not valid JSON: invalid character '\\x01' at start of value"},
		{"secret across the end of the excerpt", `{"a" ` + strings.Repeat("x", 292) + "s3cret", "it begins with: {\"a\" " + strings.Repeat("x", 292) + "[hi …"},
		{"long", `{"a" ` + strings.Repeat("é", 300), "it begins with: {\"a\" " + strings.Repeat("é", 295) + " …"},
		{"long page of HTML", "<html>" + strings.Repeat("x", 200), "it begins with: <html>" + strings.Repeat("x", 114) + " …"},
		{"login page", "\ufeff<?xml version=\"1.0\"?>\n<!-- 5 -->\n<!DOCTYPE HTML><html><head><TITLE >\n Sign in &amp; go s3cret</TITLE></head><form action=/x><input name=p type='password'>",
			`; it looks like a login page, with the title "Sign in & go [hidden]" and a form with a password: check the credentials`},
		{"login page by its title", "<html><title>Log in · Example</title>", `; it looks like a login page, with the title "Log in · Example": check`},
		{"login page by its form", "<html><form method=post class=\"x login-form\">", `; it looks like a login page: check`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newScanner().Scan(spoolOf(t, tt.text, 1<<20), Query{})
			if failure.KindOf(err) != failure.User || err == nil {
				t.Fatalf("got %v, want a user error", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
	for _, text := range []string{"", " \n\t"} {
		if _, err := newScanner().Scan(spoolOf(t, text, 1), Query{}); !errors.Is(err, io.EOF) {
			t.Errorf("%q: got %v, want EOF", text, err)
		}
	}
}

// TestUTF8WhateverTheWrites: a character may be cut by any write.
func TestUTF8WhateverTheWrites(t *testing.T) {
	for text, want := range map[string]string{
		"[\"x\xe9y\",\"\xc4\x8d\",\"\xf0\x9f\",{\"k\xff\":1}]": `"xy" "č" "" {"k":1}`,
		`["č€😀","é"]`: `"č€😀" "é"`,
	} {
		for size := 1; size <= 7; size++ {
			s := spoolOf(t, "", 4)
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				if _, err := io.WriteString(s, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			page, err := newScanner().Scan(s, Query{})
			if err != nil {
				t.Fatal(err)
			}
			if got := items(t, page); got != want || s.HasInvalidUTF8() == utf8.ValidString(text) {
				t.Errorf("writes of %d: got %s, want %s; invalid: %v", size, got, want, s.HasInvalidUTF8())
			}
		}
	}
}

func TestFingerprint(t *testing.T) {
	sc := newScanner()
	of := func(text string) uint64 {
		page, err := sc.Scan(spoolOf(t, text, 1<<20), Query{})
		if err != nil {
			t.Fatal(err)
		}
		return page.Fingerprint
	}
	same := [][2]string{
		{`{"a":[1,2]}`, " { \"a\" : [ 1 , 2 ] }\n"},
		{`["A"]`, `["\u0041"]`},
		{`[1.0]`, `[1.00]`},
		{`["/"]`, `["\/"]`},
		{`[1e2]`, `[100.0]`},
		{`[{"a":[1.0,[2.50]],"b":3}]`, `[{"a":[1.00,[25e-1]],"b":3}]`},
		{`{"a":{"n":0.10}}`, `{"a":{"n":0.1}}`},
	}
	for _, p := range same {
		if of(p[0]) != of(p[1]) {
			t.Errorf("%s and %s must be the same", p[0], p[1])
		}
	}
	differ := [][2]string{
		{`[1]`, `[1.0]`}, {`["1"]`, `[1]`}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`}, {`[1,2]`, `[2,1]`},
		{`["ab","c"]`, `["a","bc"]`}, {`[12]`, `[1,2]`}, {`[[1],2]`, `[[1,2]]`}, {`{"a":"b"}`, `["a","b"]`},
		{`[true]`, `[false]`}, {`[null]`, `[]`}, {`[9007199254740993]`, `[9007199254740992]`},
		{`[[1.50],2]`, `[[1.50,2]]`}, {`[1.50]`, `["1.5"]`}, {`[0.1]`, `[0.10000000000000002]`}, {`[0.0]`, `[-0.0]`},
	}
	for _, p := range differ {
		if of(p[0]) == of(p[1]) {
			t.Errorf("%s and %s must differ", p[0], p[1])
		}
	}
}

// TestItemsAreKept checks when items need not be read from the text again.
func TestItemsAreKept(t *testing.T) {
	long := `"` + strings.Repeat("x", 50) + `"`
	tests := []struct {
		name, text string
		limit      int
		query      Query
		kept       bool
	}{
		{"found", `{"n":1,"rows":[1,{"a":2}]}`, 1000, Query{}, true},
		{"named", `{"rows":[1,2],"other":[3]}`, 1000, Query{Data: dot("rows")}, true},
		{"last of two lists with one name", `{"a":[1],"a":[2]}`, 1000, Query{}, true},
		{"a list after it, overwritten", `{"a":[1],"b":[2],"b":3}`, 1000, Query{}, false},
		{"overwritten by an object", `{"a":[1],"a":{}}`, 1000, Query{Data: dot("a")}, false},
		{"paging looks into it", `[{"id":1}]`, 1000, Query{Fields: []Path{dot("0.id")}}, false},
		{"volume wanted", `[1]`, 1000, Query{Volume: true}, false},
		{"a file", `[1,` + long + `]`, 20, Query{}, true},
		{"larger than their text", `[` + strings.Repeat("{},", 20) + `1]`, 70, Query{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spool := spoolOf(t, tt.text, tt.limit)
			page, err := newScanner().Scan(spool, tt.query)
			if err != nil {
				t.Fatal(err)
			}
			read, err := newScanner().Scan(spoolOf(t, tt.text, 0), tt.query)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // child jobs read them again
				if got, want := items(t, page), items(t, read); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			memory, file := spool.memory, spool.file
			spool.memory, spool.file = bytes.Repeat([]byte("!"), int(spool.size)), nil // for who needs the text
			kept := true
			for _, err := range page.Items() {
				kept = kept && err == nil
			}
			spool.memory, spool.file = memory, file
			if kept != tt.kept {
				t.Errorf("kept: %v", kept)
			}
		})
	}
}

func TestNoPage(t *testing.T) {
	p := NoPage(Query{Fields: []Path{dot("a")}})
	if v, err := p.Field(dot("a")); err != nil || !v.IsNull() {
		t.Errorf("got %v, %v", v, err)
	}
	if got := items(t, p); got != "" {
		t.Errorf("got items %s", got)
	}
}

// stretched is a JSON text with much white space wherever there may be some.
func stretched(text string) string {
	white := strings.Repeat(" \n\t\r", 150)
	var b strings.Builder
	inString, escaped := false, false
	for _, c := range []byte(text) {
		mark := !inString && strings.IndexByte("{}[]:,", c) >= 0
		if mark {
			b.WriteString(white)
		}
		b.WriteByte(c)
		if mark {
			b.WriteString(white)
		}
		inString = inString != (c == '"' && !escaped)
		escaped = inString && c == '\\' && !escaped
	}
	return white + b.String() + white
}

// checkStretched compares a page with that of the same values among white space,
// which is not kept, and read token by token, as large items are.
func checkStretched(t *testing.T, sc *Scanner, text string, query Query, want *Page) {
	t.Helper()
	home := NewSpooler(t.TempDir(), 8)
	home.text, home.block = 20, 10
	spool := home.New()
	defer spool.Close()
	if _, err := io.WriteString(spool, stretched(text)); err != nil {
		t.Fatal(err)
	}
	page, err := sc.Scan(spool, query)
	if err != nil || page.Fingerprint != want.Fingerprint || page.Rows != want.Rows || page.Volume != want.Volume {
		t.Fatalf("among white space: %v, %+v instead of %+v", err, page, want)
	}
	if got, want := items(t, page), items(t, want); got != want {
		t.Errorf("among white space: %s instead of %s", got, want)
	}
	for _, path := range query.Fields {
		got, err := page.Field(path)
		if want, _ := want.Field(path); err != nil || !got.Equal(want) {
			t.Errorf("among white space: field %s: %s instead of %s, %v", path.Text, got.JSON(), want.JSON(), err)
		}
	}
}

func TestWhiteSpaceMakesNoDifference(t *testing.T) {
	long := strings.Repeat(" ", 5000)
	for _, text := range []string{
		`[{"a":{"b":[1,{"c":null}]},"d":"` + long + `"},2,"` + long + `\"` + long + `",1.50,{"a":1,"a":2}]`,
		`{"a":{"b":"x y` + long + `\\"},"n":12,"rows":[1,{"a":[{}]},"` + long + `"]}`,
		`{"a":{"b":12345},"rows":[{"x":[` + strings.Repeat(`"0123456789",`, 100) + `1]},{"y":"\ud800"}]}`,
	} {
		for _, data := range []Path{{}, dot("."), dot("rows"), dot("0.a.b")} {
			sc, query := newScanner(), Query{Data: data, Fields: []Path{dot("a.b"), dot("n"), dot("0.a.b.1"), dot("rows.1.a")}}
			if data.Text == "rows" { // its items are packed
				query.Fields = []Path{dot("a.b"), dot("n")}
			}
			page, err := sc.Scan(spoolOf(t, text, 8), query)
			if err != nil {
				t.Fatal(err)
			}
			checkStretched(t, sc, text, query, page)
		}
	}
}

// TestBlanksInTextsStay: what is white space outside of a text.
func TestBlanksInTextsStay(t *testing.T) {
	for _, before := range []string{``, `x`, `\"`, `\\`, `\\\"`, `{`, `\u0022`} {
		text := `["` + before + strings.Repeat(" ", 10_000) + `"]`
		page, err := newScanner().Scan(spoolOf(t, text, 8), Query{})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := value.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := items(t, page), tree.Items()[0].JSON(); got != want {
			t.Errorf("got %d bytes, want %d: %.20s", len(got), len(want), got)
		}
	}
	for _, text := range []string{`[1` + strings.Repeat(" ", 10_000) + `2]`, `1` + strings.Repeat("\n", 10_000) + `2`, `[tr` + strings.Repeat(" ", 10_000) + `ue]`, `["` + strings.Repeat("\n", 10_000) + `"]`} {
		if page, err := newScanner().Scan(spoolOf(t, text, 8), Query{Data: dot(".")}); err == nil {
			t.Errorf("%.5s: %d rows", text, page.Rows)
		}
	}
}

// complaint is what a scan says of a text that the parser refuses; "" where the
// two have words of their own.
func complaint(err error) string {
	syntax, ok := errors.AsType[*value.SyntaxError](err)
	if !ok || strings.Contains(syntax.Reason, "end of the text") || strings.Contains(syntax.Reason, "more text") {
		return ""
	}
	return syntax.Reason
}

// FuzzScan compares the streaming scan with a tree of the whole text.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"a":{"b":[1,{"c":null}]}}`, `[1,"x"]`, `{"a":[{"b":[2]}],"a":1}`, "\ufeff[]", `{"a":"\ud800"}`, "{\"a\xff\":1}",
		`[1,,2]`, `[,1]`, `[1,]`, `[1 2]`, `[{"a":1},{"a":1}}`, `[1}`, `[1,"x]`, `[1,tru]`, `{"a":{"b":[1,[2]:]}}`, `[1]]`, `[[[1],{"a":[]}],[2]`, "[\"a\x01\"]", `{"a":}`, `{"a":{"b":]}`,
		`{"a":[{"b":2,"c":[3]},{"c":[4,{"b":1}],"b":"1"},{"b":1}],"a.b":[5]}`, `[{"b":1,"b":2},{"b":[1]},{"b":true},{"b":1.0,"-1":7},[8]]`, `{"a":[[{"b":1}],null],"a.-1.b":[1,2]}`} {
		f.Add(seed, "a.b")
		f.Add(seed, "")
		f.Add(seed, ".")
		f.Add(seed, "a.0.b")
		f.Add(seed, "a.-1.b")
		f.Add(seed, "a.[b=1].c.-1")
		f.Add(seed, "a.[c.-1.b=1].b")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		fields := []Path{dot("a.b"), dot("a.-1.b"), dot("a.[b=1].c"), dot("[b=1].-1"), dot("a.[c.1.b=1].b"), dot("[.=8]"), dot(path)}
		query, sc := Query{Data: dot(path), Fields: fields}, newScanner()
		page, err := sc.Scan(spoolOf(t, text, 8), query)
		clean := strings.TrimPrefix(strings.ToValidUTF8(text, ""), "\ufeff")
		tree, treeErr := value.Parse([]byte(clean))
		if (err == nil) != (treeErr == nil) {
			t.Fatalf("scan says %v, the tree says %v", err, treeErr)
		}
		if err != nil {
			if want := complaint(treeErr); want != "" && !strings.HasPrefix(err.Error(), "the response is not valid JSON: "+want) {
				t.Errorf("%q: got %v, want %s", text, err, want)
			}
			return
		}
		// Where the response is makes no difference, nor whether its items are kept.
		inMemory, err := sc.Scan(spoolOf(t, text, 1<<20), query)
		if err != nil || inMemory.Fingerprint != page.Fingerprint || inMemory.Rows != page.Rows || items(t, inMemory) != items(t, page) {
			t.Fatalf("in memory: %v, %d rows, %s", err, inMemory.Rows, items(t, inMemory))
		}
		checkStretched(t, sc, clean, query, page)
		for _, path := range fields {
			if f, err := page.Field(path); err != nil {
				t.Fatal(err)
			} else if want, _ := tree.At(path.Text, "."); !f.Equal(want) {
				t.Errorf("field %s: got %s, want %s", path.Text, f.JSON(), want.JSON())
			}
		}
		if path == "" {
			return
		}
		data, _ := tree.At(path, ".")
		var want []string
		switch {
		case data.Kind() == value.Array:
			for _, item := range data.Items() {
				want = append(want, item.JSON())
			}
		case data.Kind() == value.Object || !data.Empty():
			want = append(want, data.JSON())
		}
		if got := items(t, page); got != strings.Join(want, " ") || page.Rows != len(want) {
			t.Errorf("got %s (%d rows), want %s", got, page.Rows, want)
		}
	})
}

// TestForgetEndsWhereNothingWas: below a node that no value has reached nothing is
// visited, or the work would grow with the square of a path.
func TestForgetEndsWhereNothingWas(t *testing.T) {
	root := &pathNode{}
	leaf := root.addPath(dot("a.b"))
	leaf.visited, leaf.rows = true, 7
	if root.forget(); leaf.rows != 7 {
		t.Error("the whole path was walked")
	}
	root.visited, root.children["a"].visited = true, true
	if root.forget(); leaf.rows != 0 {
		t.Error("what was found is not forgotten")
	}
}
