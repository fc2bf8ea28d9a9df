package webui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 0: "0 ms", 84 * time.Millisecond: "84 ms", 999*time.Millisecond + 999: "999 ms",
		1420 * time.Millisecond: "1.42 s", 9999 * time.Millisecond: "9.99 s", 42 * time.Second: "42.0 s", 59990 * time.Millisecond: "59.9 s",
		185 * time.Second: "3 min 05 s", 124 * time.Minute: "2 h 04 min",
	} {
		if got := seconds(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if got := number(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 2_500_000_000: "2.5 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := count(1, "row") + ", " + count(1200, "row"); got != "1 row, 1,200 rows" {
		t.Error(got)
	}
}

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{"12": "12", "a.b-c_1": "a.b-c_1", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(id)": "'$(id)'", "é": "'é'"} {
		if got := shellWord(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// text is a document as it looks.
func (d document) text() string {
	var b strings.Builder
	for _, l := range d.Lines {
		if l.Absent {
			continue // it is not in the document
		}
		b.WriteString(strings.Repeat("  ", l.Indent))
		for _, token := range l.Tokens {
			b.WriteString(token.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	d := newDocument([]byte(`{"a/b": {"~": [1, {"#x": {"y": "s"}}, [], {}]}, "": null, "n": 1.50, "values": [{"name": "p", "value": "s"}, {"value": "s", "name": "#q"}, {"name": "r", "value": "open"}]}`), map[string]bool{"p": true})
	want := `{
  "a/b": {
    "~": [
      1,
      {
        "#x": "[hidden]"
      },
      [],
      {}
    ]
  },
  "": null,
  "n": 1.50,
  "values": [
    {
      "name": "p",
      "value": "[hidden]"
    },
    {
      "value": "[hidden]",
      "name": "#q"
    },
    {
      "name": "r",
      "value": "open"
    }
  ]
}
`
	if got := d.text(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	for _, c := range []struct {
		pointer string
		line    int
		missing bool
		absent  string // the line that is added
	}{
		{"", 1, false, ""}, {"/a~1b", 2, false, ""}, {"/a~1b/~0", 3, false, ""}, {"/a~1b/~0/0", 4, false, ""}, {"/a~1b/~0/1/#x", 6, false, ""}, {"/a~1b/~0/1/#x/y", 6, true, ""},
		{"/a~1b/~0/2", 8, false, ""}, {"/a~1b/~0/9", 3, true, ""}, {"/a/b", 1, true, ""}, {"/", 12, false, ""}, {"/n/x", 13, true, ""}, {"nonsense", 1, true, ""}, {"/a~1b/no/such/thing", 2, true, ""},
		{"/a~1b/no", 2, false, `"no": …`}, {"/limit", 1, false, `"limit": …`}, {"/a~1b/~0/1/y", 5, false, `"y": …`},
	} {
		at := d.addNote(c.pointer, note{Pointer: c.pointer})
		i := slices.IndexFunc(d.Lines, func(l line) bool { return len(l.Notes) > 0 && l.Notes[len(l.Notes)-1].Pointer == c.pointer })
		if i < 0 || at != c.line || d.Lines[i].Notes[len(d.Lines[i].Notes)-1].Missing != c.missing || d.Lines[i].Absent != (c.absent != "") || !d.Lines[i].Absent && d.Lines[i].Number != at {
			t.Errorf("%q: line %d, at %d of %+v, want %d", c.pointer, at, i, d.Lines, c.line)
			continue
		}
		if d.Lines[i].Absent && d.Lines[i].Tokens[0].Text+d.Lines[i].Tokens[1].Text != c.absent {
			t.Errorf("%q adds %+v", c.pointer, d.Lines[i].Tokens)
		}
	}
	if got := d.text(); got != want {
		t.Errorf("marks change it to\n%s", got)
	}
}

func TestDocumentOfGreatDepth(t *testing.T) {
	const depth = 5000
	d := newDocument([]byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)), nil)
	if len(d.Lines) != 2*maxIndent+1 {
		t.Errorf("%d lines", len(d.Lines))
	}
	if got := d.addNote(strings.Repeat("/0", depth-1), note{}); got != maxIndent+1 {
		t.Errorf("line %d", got)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add(`{"parameters": {"#token": "secret-text", "a": [1, null, {"b": "{{c}}"}]}}`, "/parameters/a/2/b")
	f.Add("not JSON: secret-text", "x")
	f.Add(`{"#a": {"#b": ["secret-text"]}}`, "//~1")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		d := newDocument([]byte(text), nil)
		if line := d.addNote(pointer, note{Key: pointer}); line < 1 || line > len(d.Lines) {
			t.Errorf("line %d of %d", line, len(d.Lines))
		}
		v, err := value.Parse([]byte(text))
		if err != nil {
			v = value.OfString(secret.Hidden)
		}
		again, err := value.Parse([]byte(d.text()))
		if err != nil || !again.Equal(maskSecrets(v, nil)) {
			t.Errorf("%q is shown as %q: %v", text, d.text(), err)
		}
	})
}

func TestSecretVariables(t *testing.T) {
	names := map[string]bool{}
	secretVariables([]byte(`{"#a": "x{{one}}{{ two }}", "b": "{{open}}", "c": [{"#d": {"e": ["{{three}}"]}}]}`), names)
	if len(names) != 3 || !names["one"] || !names["two"] || !names["three"] {
		t.Errorf("got %v", names)
	}
}
