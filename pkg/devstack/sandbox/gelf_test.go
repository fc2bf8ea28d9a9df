package sandbox

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// show is a message in one line.
func show(m message) string {
	return fmt.Sprintf("%s %q serious=%t camouflaged=%t %s", m.kind, m.text, m.serious, m.camouflaged, m.fields.JSON())
}

func TestParseFrame(t *testing.T) {
	const s, ts = `"short_message":"m"`, `"timestamp":1.5`
	level := func(level string) string { return `{` + s + `,` + ts + `,"level":` + level + `}` }
	plain := func(kind string, serious, camouflaged bool) []string {
		return []string{fmt.Sprintf(`%s "m" serious=%t camouflaged=%t null`, kind, serious, camouflaged)}
	}
	invalid := func(text string) string {
		return fmt.Sprintf(`error %q serious=false camouflaged=false null`, "Invalid message: "+text)
	}
	tests := []struct {
		name, frame string
		want        []string
	}{
		{"debug", level("7"), plain(Debug, false, false)},
		{"info", level("6"), plain(Info, false, false)},
		{"notice", level("5"), plain(Warn, false, false)},
		{"warning", level("4"), plain(Warn, true, false)},
		{"error", level("3"), plain(Error, true, false)},
		{"critical", level("2"), plain(Error, true, true)},
		{"alert", level("1"), plain(Error, true, true)},
		{"emergency is dropped", level("0"), nil},
		{"a level as text", level(`"6"`), plain(Info, false, false)},
		{"an unknown level", level("8"), plain(Error, false, false)},
		{"a level that is not a number", level(`"info"`), plain(Error, false, false)},
		{"no level", `{` + s + `,` + ts + `}`, nil},
		{"no text", `{` + ts + `,"level":6}`, nil},
		{"an empty text", `{"short_message":"",` + ts + `,"level":6}`, nil},
		{"a text that is a list", `{"short_message":["m"],` + ts + `,"level":6}`, nil},
		{"a text that is a number", `{"short_message":12,` + ts + `,"level":3}`, []string{`error "12" serious=true camouflaged=false null`}},
		{"no timestamp", `{` + s + `,"level":6}`, nil},
		{"a timestamp of zero", `{` + s + `,"timestamp":0,"level":6}`, nil},
		{
			"additional fields", `{"_b":"text",` + s + `,"_a":12.50,"full_message":"f",` + ts + `,"_":"x","_o":{"k":null},"_j":"{\"z\":[1]}","_n":"{no","_s":"true","level":6}`,
			[]string{`info "m" serious=false camouflaged=false {"b":"text","a":12.50,"o":{"k":null},"j":{"z":[1]},"n":"{no","s":"true"}`},
		},
		{"nothing", "", nil},
		{"white space", " \n", nil},
		{"no JSON", "one\ntwo", []string{invalid("one\ntwo")}},
		{"no object", "[1]", []string{invalid("[1]")}},
		{"several in lines", level("6") + "\n\n" + level("3"), append(plain(Info, false, false), plain(Error, true, false)...)},
		{"one bad line", level("6") + "\nbad\n" + level("0"), append(plain(Info, false, false), invalid("bad"))},
		{"written over several lines", strings.ReplaceAll(level("6"), ",", ",\n"), plain(Info, false, false)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range parseFrame([]byte(tt.frame)) {
				got = append(got, show(m))
			}
			if g, w := strings.Join(got, "\n"), strings.Join(tt.want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

// framesOf are the messages of a stream that arrives in pieces of this size.
func framesOf(stream []byte, size int) string {
	var b strings.Builder
	f := frames{give: func(m message) { fmt.Fprintln(&b, show(m)) }}
	for len(stream) > 0 {
		n := min(size, len(stream))
		f.write(stream[:n])
		stream = stream[n:]
	}
	return b.String()
}

func TestFrames(t *testing.T) {
	const one = `{"short_message":"m","timestamp":1,"level":6}`
	const shown = "info \"m\" serious=false camouflaged=false null\n"
	tooLong := show(invalid("it is longer than 200 KB")) + "\n"
	long := strings.Replace(one, `"m"`, `"`+strings.Repeat("x", frameBytes-len(one)+1)+`"`, 1)
	tests := []struct{ name, stream, want string }{
		{"none", "", ""},
		{"one", one + "\x00", shown},
		{"two", one + "\x00" + one + "\x00", shown + shown},
		{"the last without its end", one + "\x00" + one, shown},
		{"nothing between", "\x00\x00" + one + "\x00", shown},
		{"as long as may be", long + "\x00", strings.Replace(shown, "m", strings.Repeat("x", frameBytes-len(one)+1), 1)},
		{"one byte more", long + " \x00" + one + "\x00", tooLong + shown},
		{"much longer", strings.Repeat(long, 3) + "\x00" + one + "\x00", tooLong + shown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1, 7, len(one), 4096, 1 << 20} {
				if got := framesOf([]byte(tt.stream), size); got != tt.want {
					t.Errorf("in pieces of %d: %.300q", size, got)
				}
			}
		})
	}
}

// FuzzFrames: no stream breaks the server, pieces do not matter, and every
// record keeps its promises.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"short_message":"m","timestamp":1,"level":6,"_a":"[1]"}`+"\x00"), 3)
	f.Add([]byte("{\"level\":1}\n{}\x00bad\x00"), 1)
	f.Add([]byte("\x00\xff\x00"), 2)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		size = max(1, size)
		if whole, pieces := framesOf(stream, max(1, len(stream))), framesOf(stream, size); whole != pieces {
			t.Errorf("at once %q, in pieces %q", whole, pieces)
		}
		j := &journal{cleaner: newCleaner([]string{"secret-word"}), now: fixed, log: func(r Record) {
			if r.Message == "" || len([]rune(r.Message)) > messageCharacters || strings.Contains(r.Message, "secret-word") {
				t.Errorf("message %q", r.Message)
			}
			if bytes.Contains(r.Fields, []byte("secret-word")) || r.Fields != nil && r.Fields[0] != '{' {
				t.Errorf("fields %s", r.Fields)
			}
		}}
		frames := frames{give: j.message}
		frames.write(stream)
	})
}
