package har

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// known is the only secret, hidden what is in its place.
const (
	known  = `s3cret-"of"-žluť`
	ascii  = "s3cret-of-ours"
	hidden = secret.Hidden
)

func maskKnown(w io.Writer, text io.Reader) (bool, error) {
	s := &secret.Registry{}
	s.Add(known)
	s.Add(ascii)
	all, err := io.ReadAll(text)
	if err != nil && err != io.ErrUnexpectedEOF {
		return false, err
	}
	_, err = io.WriteString(w, s.Mask(string(all)))
	return s.MaskedSpans(string(all)) != nil, err
}

func searching(t testing.TB, most int64, charsets ...encoding.Encoding) *searcher {
	return &searcher{mask: maskKnown, spools: response.NewSpooler(t.TempDir(), response.MemoryLimit), charsets: charsets, left: most}
}

func clean(t testing.TB, body []byte, charsets ...encoding.Encoding) (stored []byte, r body) {
	t.Helper()
	r, err := searching(t, mostUnpacked, charsets...).clean(func() io.Reader { return bytes.NewReader(body) })
	if err != nil {
		t.Fatal(err)
	}
	stored, err = io.ReadAll(r.open())
	if err != nil {
		t.Fatal(err)
	}
	return stored, r
}

// way is one way to disguise a text, and the way back.
type way struct {
	name     string
	to, from func(t testing.TB, text []byte) []byte
	declared encoding.Encoding
}

func (w way) charsets() []encoding.Encoding {
	if w.declared == nil {
		return nil
	}
	return []encoding.Encoding{w.declared}
}

func through(t testing.TB, make func(io.Writer) (io.WriteCloser, error), text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := make(&b)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func all(t testing.TB, r io.Reader, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func inCharset(name string, charset encoding.Encoding, declared bool) way {
	w := way{name: name,
		to: func(t testing.TB, text []byte) []byte {
			return all(t, transform.NewReader(bytes.NewReader(text), encoding.ReplaceUnsupported(charset.NewEncoder())), nil)
		},
		from: func(t testing.TB, text []byte) []byte {
			return all(t, transform.NewReader(bytes.NewReader(text), charset.NewDecoder()), nil)
		},
	}
	if declared {
		w.declared = charset
	}
	return w
}

func packedWays() []way {
	pack := func(make func(io.Writer) (io.WriteCloser, error)) func(testing.TB, []byte) []byte {
		return func(t testing.TB, text []byte) []byte { return through(t, make, text) }
	}
	return []way{
		{name: "gzip", to: pack(func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }),
			from: func(t testing.TB, b []byte) []byte {
				r, err := gzip.NewReader(bytes.NewReader(b))
				return all(t, r, err)
			}},
		{name: "zlib", to: pack(func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }),
			from: func(t testing.TB, b []byte) []byte {
				r, err := zlib.NewReader(bytes.NewReader(b))
				return all(t, r, err)
			}},
		{name: "deflate", to: pack(func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 9) }),
			from: func(t testing.TB, b []byte) []byte { return all(t, flate.NewReader(bytes.NewReader(b)), nil) }},
		{name: "zstd", to: pack(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
			from: func(t testing.TB, b []byte) []byte {
				r, err := zstd.NewReader(bytes.NewReader(b))
				return all(t, r, err)
			}},
		{name: "zip", to: func(t testing.TB, text []byte) []byte {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			for name, text := range map[string][]byte{"a.txt": []byte("one"), "d/b.txt": text} {
				f, err := w.Create(name)
				if err == nil {
					_, err = f.Write(text)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}, from: func(t testing.TB, b []byte) []byte {
			z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			f, err := z.Open("d/b.txt")
			return all(t, f, err)
		}},
		{name: "base64", to: func(_ testing.TB, b []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(b)) },
			from: func(t testing.TB, b []byte) []byte {
				d, err := base64.StdEncoding.DecodeString(string(b))
				return all(t, bytes.NewReader(d), err)
			}},
		{name: "base64 in lines", to: func(_ testing.TB, b []byte) []byte {
			var lines strings.Builder
			for i, c := range base64.RawURLEncoding.EncodeToString(b) {
				if i%19 == 18 {
					lines.WriteString("\r\n")
				}
				lines.WriteRune(c)
			}
			return []byte(lines.String())
		}, from: func(t testing.TB, b []byte) []byte {
			d, err := base64.StdEncoding.DecodeString(string(b))
			return all(t, bytes.NewReader(d), err)
		}},
	}
}

func charsetWays() []way {
	return []way{
		inCharset("UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), false),
		inCharset("UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), false),
		inCharset("UTF-16 with a mark", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), false),
		inCharset("UTF-32LE", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), false),
		inCharset("UTF-32BE", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), false),
		inCharset("IBM037", charmap.CodePage037, false),
		inCharset("IBM1047", charmap.CodePage1047, true),
		inCharset("windows-1250", charmap.Windows1250, true),
		inCharset("shift_jis", japanese.ShiftJIS, true),
		inCharset("iso-2022-jp", japanese.ISO2022JP, true),
	}
}

// packedInBzip2 is "s3cret-of-ours in a text".
const packedInBzip2 = "QlpoOTFBWSZTWQNXjlQAAAkZgEACCAArIZ5AIAAihp6nqabQKYAA9ATsCguL+IkmTTtYu5IpwoSAGrxyoA=="

// texts hold the secret in forms that a text may have it in.
var texts = []string{
	`{"error": "key ` + ascii + ` is wrong", "rows": [1, 2, 3]}`,
	`<?xml version="1.0" encoding="utf-16"?><a>` + ascii + `</a>`,
	"id,name\r\n1,\"" + ascii + "\"\r\n",
	`{"a": "c3PDqCBzM2NyZXQtb2Ytb3Vycw==", "path": "/x%2Fs3cret%2Dof%2Dours"}`,
}

// TestClean: no body shows the secret, no matter how it is disguised, and a reader of the
// body finds the rest of the text.
func TestClean(t *testing.T) {
	for _, text := range texts {
		s := &secret.Registry{}
		s.Add(ascii)
		want := s.Mask(text)
		for _, w := range append(packedWays(), charsetWays()...) {
			stored, r := clean(t, w.to(t, []byte(text)), w.charsets()...)
			if got := strings.TrimPrefix(string(w.from(t, stored)), "\ufeff"); r.omitted != "" || !r.masked || got != want {
				t.Errorf("%s: masked %t, %q\n%q, want\n%q", w.name, r.masked, r.omitted, got, want)
			}
		}
	}
}

// TestCleanInside: the same for two disguises, one inside the other.
func TestCleanInside(t *testing.T) {
	text := texts[0]
	want := strings.ReplaceAll(text, ascii, hidden)
	for _, outer := range packedWays() {
		for _, inner := range append(packedWays(), charsetWays()[:6]...) {
			stored, r := clean(t, outer.to(t, inner.to(t, []byte(text))))
			if r.omitted != "" || !r.masked {
				t.Errorf("%s in %s: masked %t, %q", inner.name, outer.name, r.masked, r.omitted)
				continue
			}
			if got := strings.TrimPrefix(string(inner.from(t, outer.from(t, stored))), "\ufeff"); got != want {
				t.Errorf("%s in %s: %q, want %q", inner.name, outer.name, got, want)
			}
		}
	}
}

// TestCleanOtherCharacters: a secret with characters beyond ASCII is found in the character
// sets that have them.
func TestCleanOtherCharacters(t *testing.T) {
	for _, w := range charsetWays() {
		if strings.HasPrefix(w.name, "IBM") || strings.HasPrefix(w.name, "shift") || strings.HasPrefix(w.name, "iso") {
			continue
		}
		text := "a,b\n1,\"" + strings.ReplaceAll(known, `"`, `""`) + "\"\nand some more of it\n"
		stored, r := clean(t, w.to(t, []byte(text)), w.charsets()...)
		if got := strings.TrimPrefix(string(w.from(t, stored)), "\ufeff"); r.omitted != "" || got != "a,b\n1,\""+hidden+"\"\nand some more of it\n" {
			t.Errorf("%s: %q %q", w.name, r.omitted, got)
		}
	}
}

// TestCleanLeavesTheRest: a body without secrets is read as before, and texts are stored
// byte for byte.
func TestCleanLeavesTheRest(t *testing.T) {
	text := "id,name\r\n1,žluťoučký kůň\r\n2,\"a \"\"b\"\"\"\r\n"
	for _, w := range append(packedWays(), charsetWays()...) {
		if strings.HasPrefix(w.name, "IBM") || strings.Contains(w.name, "jis") || strings.Contains(w.name, "iso") {
			text = "id,name\r\n1,horse\r\n"
		}
		body := w.to(t, []byte(text))
		stored, r := clean(t, body, w.charsets()...)
		if got := strings.TrimPrefix(string(w.from(t, append([]byte(nil), stored...))), "\ufeff"); r.omitted != "" || r.masked || got != text && !strings.HasSuffix(w.name, "in lines") {
			t.Errorf("%s: masked %t, %q, %q", w.name, r.masked, r.omitted, got)
		}
		if w.declared != nil && !bytes.Equal(stored, body) {
			t.Errorf("%s: other bytes", w.name)
		}
	}
	for _, text := range []string{"", "x", "caf\xe9 au lait", `{"a":"caf` + "\xe9" + `"}`, "a\x00b,c\n1,2\n", "\x01a\x01b\n", "aGVsbG8gd29ybGQ=", "0123456789abcdef", strings.Repeat("\xe1\xe8\xe9", 200)} {
		if stored, r := clean(t, []byte(text)); r.omitted != "" || r.masked || string(stored) != text {
			t.Errorf("%q became %q (%q)", text, stored, r.omitted)
		}
	}
}

// TestCleanInvalid: bytes that are not UTF-8 hide no secret. The extractor drops them.
func TestCleanInvalid(t *testing.T) {
	body := "the key " + strings.Join(strings.Split(ascii, ""), "\xff") + " is wrong, and here is some more text"
	if stored, r := clean(t, []byte(body)); !r.masked || string(stored) != "the key "+hidden+" is wrong, and here is some more text" {
		t.Errorf("%q (%q)", stored, r.omitted)
	}
}

// TestOmitted: what cannot be searched, or not be written again, is left out.
func TestOmitted(t *testing.T) {
	random := make([]byte, 300)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	ways := packedWays()
	gz := ways[0].to(t, []byte(texts[0]))
	empty := ways[0].to(t, nil)
	tests := map[string][]byte{
		"random bytes":                 random,
		"a picture":                    []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x02\x03\x04"),
		"random bytes in gzip":         ways[0].to(t, random),
		"random bytes in zip":          ways[4].to(t, random),
		"cut gzip with a secret":       gz[:len(gz)-9],
		"gzip with a wrong checksum":   append(append([]byte(nil), gz[:len(gz)-8]...), 1, 2, 3, 4, 5, 6, 7, 8),
		"something after gzip":         append(append([]byte(nil), empty...), random...),
		"gzip that is none":            append([]byte("\x1f\x8b\x08\x00"), random...),
		"zip that is none":             append([]byte("PK\x03\x04"), random...),
		"deflate before something":     append([]byte{3, 0}, random...),
		"a secret that bzip2 has":      packedWays()[5].from(t, []byte(packedInBzip2)),
		"a text and then something":    append([]byte(strings.Repeat("a text ", 20_000)), random...),
		"a text with a mark, and more": append([]byte("\xff\xfea\x00"), random...),
	}
	for name, body := range tests {
		if stored, r := clean(t, body); r.omitted == "" {
			t.Errorf("%s is stored: %q", name, stored[:min(len(stored), 200)])
		}
	}
	if _, r := clean(t, gz[:len(gz)-1]); r.omitted == "" {
		t.Error("a cut gzip with a secret is stored")
	}
	cut := ways[0].to(t, []byte("nothing here"))
	if stored, r := clean(t, cut[:len(cut)-3]); r.omitted != "" || !bytes.Equal(stored, cut[:len(cut)-3]) {
		t.Errorf("a cut gzip without a secret is not stored as it is: %q", r.omitted)
	}
}

// TestNothingHidesBeside: what is in an archive beside its files is not stored.
func TestNothingHidesBeside(t *testing.T) {
	inside := packedWays()[0].to(t, []byte(texts[0])) // which no search of the bytes finds
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateHeader(&zip.FileHeader{Name: "a", Comment: string(inside), Extra: append([]byte{0xfe, 0xca, byte(len(inside)), 0}, inside...)})
	if err != nil {
		t.Fatal(err)
	}
	write(t, f, []byte("a text"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	g := gzip.Header{Extra: inside}
	extra := through(t, func(w io.Writer) (io.WriteCloser, error) {
		z := gzip.NewWriter(w)
		z.Header = g
		return z, nil
	}, []byte("a text"))
	skippable := append([]byte{0x50, 0x2a, 0x4d, 0x18, byte(len(inside)), 0, 0, 0}, inside...)
	for name, body := range map[string][]byte{"zip": b.Bytes(), "gzip": extra, "zstd": append(skippable, packedWays()[3].to(t, []byte("a text"))...)} {
		stored, r := clean(t, body)
		if r.omitted == "" && bytes.Contains(stored, inside[20:40]) {
			t.Errorf("%s is stored with what is hidden in it", name)
		}
		if r.omitted != "" {
			t.Errorf("%s is left out: %s", name, r.omitted)
		}
	}
}

func write(t testing.TB, w io.Writer, text []byte) {
	t.Helper()
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
}

// TestBombs: a body that becomes very large is not unpacked to its end.
func TestBombs(t *testing.T) {
	bomb := packedWays()[0].to(t, make([]byte, 8<<20))
	r, err := searching(t, 1<<20).clean(func() io.Reader { return bytes.NewReader(bomb) })
	if err != nil || r.omitted == "" {
		t.Errorf("%v, %q", err, r.omitted)
	}
	nested := bomb
	for range 8 {
		nested = packedWays()[3].to(t, nested)
	}
	if _, r := clean(t, nested); r.omitted == "" {
		t.Error("a body that is packed nine times is stored")
	}
}

// TestLimit: a body is left out wherever the limit is reached: while it is searched, and
// while it is written again.
func TestLimit(t *testing.T) {
	slowtest.SkipRace(t, "it writes large bodies")
	ways := packedWays()
	gzip, zip := ways[0].to, ways[4].to
	rows := []byte(strings.Repeat("x y "+ascii+"\n", 100))
	for name, body := range map[string][]byte{
		"gzip": gzip(t, rows), "zip": zip(t, rows), "gzip of zip": gzip(t, zip(t, rows)), "zip of zip": zip(t, zip(t, rows)),
		"base64": []byte(base64.StdEncoding.EncodeToString(rows)), "base64 of zip": []byte(base64.StdEncoding.EncodeToString(zip(t, rows))),
	} {
		omitted := 0
		for most := int64(50); ; most += 350 {
			r, err := searching(t, most).clean(func() io.Reader { return bytes.NewReader(body) })
			if err != nil {
				t.Fatalf("%s, %d: %v", name, most, err)
			}
			if err := r.close(); err != nil {
				t.Fatal(err)
			}
			if r.omitted == "" {
				break
			}
			omitted++
		}
		if omitted < 4 {
			t.Errorf("%s: only %d limits are too low", name, omitted)
		}
	}
}

// TestNestedZips: a secret is masked in zips in each other, or the body is omitted: where
// it cannot be written again (bzip2), and where it is packed too often. Searching and
// writing must agree on the depth, because a writer exists only for what the search found.
func TestNestedZips(t *testing.T) {
	ways := packedWays()
	gzip, zip, base64 := ways[0], ways[4], ways[5]
	for _, inner := range []struct {
		name, text string
		from       []way
		masked     int // number of zips up to which the secret is masked
	}{
		{"bzip2 in base64", packedInBzip2, nil, 0},
		{"gzip in base64", string(base64.to(t, gzip.to(t, []byte(texts[0])))), []way{base64, gzip}, 4},
		{"text", texts[0], nil, 6},
	} {
		body := []byte(inner.text)
		for depth := 1; depth <= 8; depth++ {
			body = zip.to(t, body)
			stored, r := clean(t, body)
			if omitted := depth > inner.masked; r.masked == omitted || (r.omitted != "") != omitted {
				t.Errorf("%s in %d zips: masked %t, %q", inner.name, depth, r.masked, r.omitted)
			}
			if r.omitted != "" {
				continue
			}
			for range depth {
				stored = zip.from(t, stored)
			}
			for _, w := range inner.from {
				stored = w.from(t, stored)
			}
			if want := strings.ReplaceAll(texts[0], ascii, hidden); string(stored) != want {
				t.Errorf("%s in %d zips: %q, want %q", inner.name, depth, stored, want)
			}
		}
	}
}

// TestRezipDepth: rezip reads the files at the depth that it is given, like the search
// before it. At the last depth, no file may be packed.
func TestRezipDepth(t *testing.T) {
	ways := packedWays()
	body := ways[4].to(t, ways[0].to(t, []byte(texts[0])))
	for depth := range maxDepth {
		l := searching(t, mostUnpacked)
		err := l.rezip(io.Discard, openerOf(func() io.Reader { return bytes.NewReader(body) }), depth)
		if (err != nil) != (depth == maxDepth-1) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestManyFiles: the list of files of an archive is in memory, so it is bounded.
func TestManyFiles(t *testing.T) {
	slowtest.SkipRace(t, "it searches megabytes of names")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 75 {
		if _, err := z.Create(strings.Repeat("n", 60<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, r := clean(t, b.Bytes()); r.omitted != noArchive {
		t.Errorf("it is stored: %q", r.omitted)
	}
}

// FuzzClean: no matter what a body is, the program survives, and what is stored shows no secret
// to the reader of a disguise that is known.
func FuzzClean(f *testing.F) {
	for _, w := range append(packedWays(), charsetWays()...) {
		f.Add(w.to(f, []byte(texts[0])))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		stored, r := clean(t, body)
		if r.omitted != "" {
			return
		}
		if found, err := maskKnown(io.Discard, bytes.NewReader(stored)); err != nil || found {
			t.Errorf("%q is stored as %q, %v", body, stored, err)
		}
		if again, r := clean(t, stored); r.masked || r.omitted != "" {
			t.Errorf("%q is stored as %q, and again as %q (%q)", body, stored, again, r.omitted)
		}
	})
}
