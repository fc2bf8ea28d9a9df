package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSuggestedName(t *testing.T) {
	tests := []struct{ header, address, want string }{
		{`attachment; filename="report.pdf"`, "/x", "report.pdf"},
		{`attachment; filename=report.pdf`, "/x", "report.pdf"},
		{`attachment;FileName = "report.pdf" ; size=3`, "/x", "report.pdf"},
		{`inline`, "/x/a.pdf", "a.pdf"},
		{`attachment; filename=""`, "/x/a.pdf", "a.pdf"},
		{`filename=report.pdf`, "/x", "report.pdf"},
		{`attachment; filename=annual report 2024.pdf`, "/x", "annual report 2024.pdf"},
		{`attachment; filename="a;b=c.pdf"; x=1`, "/x", "a;b=c.pdf"},
		{`attachment; x="filename=wrong.pdf"; filename=right.pdf`, "/x", "right.pdf"},
		{`attachment; filename="a\"b\\c.pdf"`, "/x", `a"b\c.pdf`},
		{`attachment; filename="C:\docs\a.pdf"`, "/x", `C:\docs\a.pdf`},
		{`attachment; filename="open`, "/x", "open"},
		{`attachment; filename*=UTF-8''na%C3%AFve%20caf%C3%A9.txt`, "/x", "naïve café.txt"},
		{`attachment; filename="plain.txt"; filename*=utf-8'en'%e2%82%ac.txt`, "/x", "€.txt"},
		{`attachment; filename*=utf-8'en'%e2%82%ac.txt; filename="plain.txt"`, "/x", "€.txt"},
		{`attachment; filename*=iso-8859-1'en'%A3%20rates.txt`, "/x", "£ rates.txt"},
		{`attachment; filename*=windows-1250''%9A.txt`, "/x", "š.txt"},
		{`attachment; filename="plain.txt"; filename*=klingon''%41.txt`, "/x", "plain.txt"},
		{`attachment; filename="plain.txt"; filename*=UTF-8''%C3.txt`, "/x", "plain.txt"},
		{`attachment; filename="plain.txt"; filename*=UTF-8''%zz`, "/x", "plain.txt"},
		{`attachment; filename="plain.txt"; filename*=broken`, "/x", "plain.txt"},
		{"attachment; filename=\"\xe9t\xe9.txt\"", "/x", "été.txt"},
		{`attachment; filename="été.txt"`, "/x", "été.txt"},
		{`attachment; filename="=?UTF-8?B?w6l0w6kudHh0?="`, "/x", "été.txt"},
		{`attachment; filename="=?iso-8859-2?Q?=B9.txt?="`, "/x", "š.txt"},
		{`attachment; filename="=?klingon?Q?=B9.txt?="`, "/x", "=?klingon?Q?=B9.txt?="},
		{`;;;=;filename`, "/x/a.pdf", "a.pdf"},
		{"", "/files/a%20b.pdf", "a b.pdf"},
		{"", "/o/folder%2Ffile.pdf", "folder/file.pdf"},
		{"", "/files/a.pdf/", "a.pdf"},
		{"", "/", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		u, err := url.Parse("https://api.test" + tt.address + "?sig=x/y")
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		if tt.header != "" {
			header.Set("Content-Disposition", tt.header)
		}
		if got := SuggestedName(header, u); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.header, tt.address, got, tt.want)
		}
	}
}

func TestSafeName(t *testing.T) {
	long := strings.Repeat("a", 300)
	tests := []struct{ text, want string }{
		{"report.pdf", "report.pdf"},
		{"../../etc/passwd", "passwd"},
		{`..\..\boot.ini`, "boot.ini"},
		{"dir/", "dir"},
		{"/", "file"},
		{"", "file"},
		{"..", "file"},
		{". . .", "file"},
		{"a/..", "file"},
		{".htaccess", "htaccess"},
		{"...hidden.txt. . ", "hidden.txt"},
		{"a\x00b\nc\x7f.pdf", "abc.pdf"},
		{"gpj.\u202efdp.exe", "gpj.fdp.exe"},
		{"\xff\xfe.pdf", "\uFFFD.pdf"},
		{"e\u0301.txt", "é.txt"},
		{"10:30 a<b>?.txt", "10_30 a_b__.txt"},
		{"users.manifest", "users.manifest.data"},
		{"users.MANIFEST", "users.MANIFEST.data"},
		{".manifest", "manifest"},
		{"a.manifest.", "a.manifest.data"},
		{long + ".pdf", strings.Repeat("a", 196) + ".pdf"},
		{long + ".tar.gz", strings.Repeat("a", 193) + ".tar.gz"},
		{strings.Repeat("é", 150) + ".pdf", strings.Repeat("é", 98) + ".pdf"},
		{long + ".manifest", strings.Repeat("a", 195) + ".data"},
		{"a." + long, "a." + strings.Repeat("a", 198)},
		{".extractor-state.json", "extractor-state.json"},
	}
	for _, tt := range tests {
		if got := SafeName(tt.text); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]string{"2024/17": "2024_17", `a\b`: "a_b", "../x": "_x", "/": "_"} {
		if got := SafeText(text); got != want {
			t.Errorf("SafeText(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNumbered(t *testing.T) {
	for name, want := range map[string]string{
		"a.pdf": "a-12.pdf", "a": "a-12", "a.tar.gz": "a-12.tar.gz", "a.manifest.data": "a.manifest-12.data",
		strings.Repeat("a", 196) + ".pdf": strings.Repeat("a", 193) + "-12.pdf",
		strings.Repeat("a", 200):          strings.Repeat("a", 197) + "-12",
	} {
		if got := numbered(name, 12); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// FuzzName: any name of a response, in any header or URL, is a single element of a path
// and never a manifest, and numbering keeps it so.
func FuzzName(f *testing.F) {
	for _, text := range []string{"../x", "a/b\\c", ".manifest", "a.manifest", "\x00", "\u202e", "é", "=?UTF-8?B?Li4vLi4veA==?=", "NUL", "x.tar.gz", strings.Repeat("é.", 200), "a.manifes\u017ft"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u := &url.URL{Scheme: "https", Host: "api.test", Path: "/" + text}
		names := []string{text, SuggestedName(nil, u), SuggestedName(http.Header{"Content-Disposition": {text}}, u)}
		for _, form := range []string{`attachment; filename=%s`, `attachment; filename="%s"`, `attachment; filename*=UTF-8''%s`, `attachment; filename*=%s''x`} {
			names = append(names, SuggestedName(http.Header{"Content-Disposition": {fmt.Sprintf(form, text)}}, u))
		}
		names = append(names, SuggestedName(http.Header{"Content-Disposition": {`attachment; filename*=UTF-8''` + url.PathEscape(text)}}, u))
		for _, name := range names {
			for _, safe := range []string{SafeName(name), SafeText(name)} {
				mustBeSafe(t, safe)
				if again := SafeName(safe); again != safe {
					t.Errorf("%q becomes %q", safe, again)
				}
				for _, n := range []int{2, 10, 123456789} {
					mustBeSafe(t, numbered(safe, n))
				}
			}
		}
	})
}

func mustBeSafe(t *testing.T, name string) {
	t.Helper()
	bad := strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || r == ':' || unicode.IsControl(r) })
	if bad || name == "" || name[0] == '.' || len(name) > MaxName || !utf8.ValidString(name) || filepath.Base(name) != name ||
		!filepath.IsLocal(name) || isManifest(name) {
		t.Errorf("the name %q is not safe", name)
	}
}

// TestAdd: any contents arrive byte for byte, under names that differ and stay in the
// directory, each with its manifest.
func TestAdd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	d := NewDirectory(dir)
	want := map[string][]byte{}
	texts := []string{"a.pdf", "a.pdf", "../a.pdf", "a-2.pdf", "x.manifest", "x", "x.manifest", "..", "", "a.tar.gz", "a.tar.gz", strings.Repeat("l", 300), strings.Repeat("l", 300)}
	for i := range 300 {
		contents := make([]byte, random.IntN(1<<10))
		for at := range contents {
			contents[at] = byte(random.Uint32())
		}
		text := texts[random.IntN(len(texts))]
		if i < len(texts) {
			text = texts[i]
		}
		name, err := d.Add(SafeName(text), bytes.NewReader(contents), Manifest{Tags: []string{"é", text}, Permanent: i%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		if want[name] != nil {
			t.Fatalf("the name %s was given twice", name)
		}
		mustBeSafe(t, name)
		want[name] = contents
		var manifest map[string]any
		read, err := os.ReadFile(filepath.Join(dir, name+".manifest"))
		if err == nil {
			err = json.Unmarshal(read, &manifest)
		}
		if err != nil || manifest["is_permanent"] != (i%2 == 0) || !slices.Equal(manifest["tags"].([]any), []any{"é", text}) {
			t.Fatalf("the manifest is %s, %v", read, err)
		}
	}
	for name, contents := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, contents) {
			t.Errorf("%s has %d bytes, want %d: %v", name, len(got), len(contents), err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2*len(want) {
		t.Errorf("%d entries of %d files, %v", len(entries), len(want), err)
	}
}

// TestAddMany: a number is found without a look at all numbers before it.
func TestAddMany(t *testing.T) {
	dir := t.TempDir()
	d := NewDirectory(dir)
	for i := 1; i <= 1500; i++ {
		name, err := d.Add("a", strings.NewReader(""), Manifest{})
		if err != nil || name != numbered("a", i) {
			t.Fatalf("file %d is %s, %v", i, name, err)
		}
	}
}

func TestAddFails(t *testing.T) {
	if _, err := NewDirectory(filepath.Join(t.TempDir(), "missing")).Add("a", strings.NewReader("x"), Manifest{}); err == nil {
		t.Error("no error without a directory")
	}
}
