package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/secret/secrettest"
)

func secretsOf(secrets ...string) *Registry {
	var s Registry
	for _, secret := range secrets {
		s.Add(secret)
	}
	return &s
}

func TestRedact(t *testing.T) {
	const pem = "-----BEGIN KEY-----\r\nMIIEvQIBADANBgkqhkiG\r\nshort\r\n-----END KEY-----\r\n"
	wide := strings.Repeat("wide secret #", 15)
	long64 := base64.StdEncoding.EncodeToString([]byte(wide))[:150]
	tests := []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"no secrets", nil, "anything", "anything"},
		{"no text", []string{"abcd"}, "", ""},
		{"nothing matches", []string{"hunter22"}, "hunter2 is another", "hunter2 is another"},
		{"plain", []string{"hunter2"}, "password hunter2!", "password [hidden]!"},
		{"inside a word", []string{"hunter2"}, "xhunter2x", "x[hidden]x"},
		{"twice", []string{"abcd"}, "abcd-abcd", "[hidden]-[hidden]"},
		{"side by side", []string{"abcd"}, "abcdabcd", "[hidden][hidden]"},
		{"whole text", []string{"abcd"}, "abcd", "[hidden]"},
		{"another case is another text", []string{"abcd"}, "ABCD", "ABCD"},
		{"longest first", []string{"abcd", "abcdefgh"}, "abcdefgh", "[hidden]"},
		{"longest first, added last to first", []string{"abcdefgh", "abcd"}, "abcdefghi", "[hidden]i"},
		{"one inside another", []string{"cdef", "abcdefgh"}, "abcdefgh", "[hidden]"},
		{"overlapping", []string{"abcdef", "defghi"}, "abcdefghi", "[hidden]"},
		{"overlapping itself", []string{"abcabc"}, "abcabcabc.", "[hidden]."},
		{"added twice", []string{"abcd", "abcd"}, "abcd", "[hidden]"},
		{"blank is not a secret", []string{"", " ", "\n\n"}, "a b\n\nc", "a b\n\nc"},
		{"white space around", []string{"token99\n"}, "Bearer token99.", "Bearer [hidden]."},
		{"base64", []string{"a?b>c~"}, "x YT9iPmN+ x", "x [hidden] x"},
		{"base64 for URLs", []string{"a?b>c~"}, "x YT9iPmN- x", "x [hidden] x"},
		{"base64 padded", []string{"hunter2"}, "Basic aHVudGVyMg==.", "Basic [hidden]."},
		{"base64 without padding", []string{"hunter2"}, "aHVudGVyMg.", "[hidden]."},
		{"base64 in a query", []string{"a?b>c~"}, "k=YT9iPmN%2B&x", "k=[hidden]&x"},
		{"base64 in JSON", []string{"???????"}, `"Pz8\/Pz8\/Pw=="`, `"[hidden]"`},
		{"hex", []string{"hunter2"}, "68756e74657232 68756E74657232", "[hidden] [hidden]"},
		{"query, blank as plus", []string{"pass word/é"}, "k=pass+word%2F%C3%A9&x", "k=[hidden]&x"},
		{"path, blank as %20", []string{"pass word/é"}, "k=pass%20word%2f%c3%a9&x", "k=[hidden]&x"},
		{"only some characters escaped", []string{"a:b/c d"}, "a:b/c%20d a%3Ab/c+d", "[hidden] [hidden]"},
		{"tilde escaped", []string{"a~b~c"}, "a%7Eb~c", "[hidden]"},
		{"percent that escapes nothing", []string{"abcd"}, "100% abcd%2", "100% [hidden]%2"},
		{"JSON", []string{"a\"b\\c/d\né"}, `"a\"b\\c\/d\n\u00e9" "a\"b\\c/d\né"`, `"[hidden]" "[hidden]"`},
		{"JSON, upper case digits", []string{"päss<w"}, `p\u00E4ss\u003Cw`, "[hidden]"},
		{"JSON, two surrogates", []string{"key😀😀"}, `key\ud83d\ude00\uD83D\uDE00`, "[hidden]"},
		{"JSON around a query", []string{"ab/c d"}, `"u?\u006b=ab\/c%20d"`, `"u?\u006b=[hidden]"`},
		{"JSON in JSON", []string{"a\"b\\c"}, `{"error":"{\"key\":\"a\\\"b\\\\c\"}"}`, `{"error":"{\"key\":\"[hidden]\"}"}`},
		{"JSON in JSON in JSON", []string{`a"b/c`}, `\\\\a\\\\\\\"b\\\\/c`, `\\\\[hidden]`},
		{"query in a query", []string{"ab/c d"}, "r=%2Ft%3Fk%3Dab%252Fc%2Bd%26x&k=ab%252Fc%2520d", "r=%2Ft%3Fk%3D[hidden]%26x&k=[hidden]"},
		{"query around JSON", []string{"ab\"c d"}, "q=%7B%22k%22%3A%22ab%5C%22c+d%22%7D", "q=%7B%22k%22%3A%22[hidden]%22%7D"},
		{"quoted Go string", []string{"ab\x01cd"}, `"ab\x01cd"`, `"[hidden]"`},
		{"HTML", []string{`a<b>'c"&d/é😀`}, "a&lt;b&gt;&#39;c&quot;&amp;d&#x2F;&eacute;&#x1F600; a&#60;b&gt;&apos;c&#x22;&AMP;d/é😀", "[hidden] [hidden]"},
		{"HTML in JSON", []string{`a<b"c`}, `"a\u0026lt;b\u0026#34;c" "a&lt;b\"c"`, `"[hidden]" "[hidden]"`},
		{"HTML, numbers with zeros", []string{"a<b>c7"}, "&#0000097;&#060;b&#x000003E;c&#0055;", "[hidden]"},
		{"HTML without semicolons", []string{"a<b>\"c&7"}, "&#97&ltb&gt&quotc&amp&#55 a&#x3c;b&GT&#34c&AMP7", "[hidden] [hidden]"},
		{"HTML without semicolons, twice", []string{"a<b>c"}, "a&amp#60b&ampgtc", "[hidden]"},
		{"HTML names that begin alike", []string{"a©⋖<b"}, "a&copy;&ltdot;&ltb", "[hidden]"},
		{"no HTML", []string{"abcd"}, "a&lt b;&&;abcd&#;", "a&lt b;&&;[hidden]&#;"},
		{"backslash that escapes nothing", []string{"abcd"}, `\q\u12\xz\`, `\q\u12\xz\`},
		{"escape touched on both sides", []string{"\xa9abc\xc3"}, `\u00e9abc\u00e9`, "[hidden]"},
		{"plus for a blank", []string{"to+ken"}, "k=to+ken&l=to%2Bken", "k=[hidden]&l=[hidden]"},
		{"only plus signs", []string{"++++"}, "a    b", "a    b"},
		{"Bearer", []string{"Bearer eyJh.X-1"}, "no user has eyJh.X-1, Bearer eyJh.X-1", "no user has [hidden], [hidden]"},
		{"a scheme in other letters", []string{"token: abcd1"}, "abcd1", "[hidden]"},
		{"an unknown scheme", []string{"Zzz 0123456789abcdef"}, "0123456789abcdef", "[hidden]"},
		{"no scheme", []string{"correct horse"}, "horse", "horse"},
		{"Basic", []string{"Basic YWRhOmh1bnRlcjI="}, "ada hunter2 ada:hunter2 YWRhOmh1bnRlcjI adam", "ada [hidden] [hidden] [hidden] adam"},
		{"Basic, a key as the user name", []string{"Basic c2stbGl2ZTo="}, "sk-live", "[hidden]"},
		{"Digest", []string{`Digest username="ada99", response="abcdef0123"`}, "ada99 abcdef0123", "[hidden] [hidden]"},
		{"base64 in lines", []string{wide}, "key:\n" + wrapped(wide, 76, "\n") + ".", "key:\n[hidden]."},
		{"base64 in lines of MIME", []string{wide}, wrapped(wide, 76, "\r\n"), "[hidden]"},
		{"base64 in lines of a PEM", []string{wide}, wrapped(wide, 64, "\n"), "[hidden]"},
		{"base64 in lines in JSON", []string{wide}, strings.ReplaceAll(wrapped(wide, 76, "\r\n"), "\r\n", `\r\n`), "[hidden]"},
		{"base64 in lines, a token", []string{long64}, long64[:76] + "\n" + long64[76:], "[hidden]"},
		{"PEM", []string{pem}, "key " + strings.TrimSpace(pem), "key [hidden]"},
		{"line of a PEM", []string{pem}, "at MIIEvQIBADANBgkqhkiG, short", "at [hidden], short"},
		{"PEM with other line ends", []string{pem}, "MIIEvQIBADANBgkqhkiG\nshort\n", "[hidden]\nshort\n"},
		{"column", []string{"pa/ss+word=="}, "data_pa_ss_word and pa_ss_words", "data_[hidden] and [hidden]s"},
		{"column of other letters", []string{"žluťoučký-kůň"}, "_lu_ou_k_-k_", "_[hidden]_"},
		{"typed column", []string{"-tok--en-1"}, "x_tok_en_1_y", "x_[hidden]_y"},
		{"host", []string{"Hunter-Two"}, "https://hunter-two.example.com/", "https://[hidden].example.com/"},
		{"header", []string{"hunter-tWo"}, "Hunter-Two: 1, X-Hunter-Two: 1, Xhunter-Two: 1", "[hidden]: 1, X-[hidden]: 1, X[hidden]: 1"},
		{"a name of three letters is none", []string{"ключ abc"}, "abc", "abc"},
		{"in one line", []string{"ab\r\n\t cd"}, "Reason: ab cd.", "Reason: [hidden]."},
		{"pointer", []string{"ab/c~d"}, "/parameters/ab~1c~0d/0", "/parameters/[hidden]/0"},
		{"short: not in texts", []string{"1", "X", "žlu", "58", "a b"}, "58 rows of page 1, X=58, (žlu), a b, a+b", "58 rows of page 1, X=58, (žlu), a b, a+b"},
		{"short: parts of a longer one", []string{"Bearer X"}, "Bearer X, Bearer Y, X", "[hidden], Bearer Y, X"},
		{"short: user and password", []string{"Basic YWRhOlg="}, "ada:X YWRhOlg= X", "[hidden] [hidden] X"},
		{"short: base64", []string{"1", "abc"}, "MQ== MQ YWJj xYWJj", "[hidden] MQ [hidden] xYWJj"},
		{"short: hexadecimal, no number", []string{"XYZ", "42"}, "58595a 58595A 3432", "[hidden] [hidden] 3432"},
		{"short: escaped", []string{"a b", "X", "58"}, `a%20b xa%20b \u0058 &#88; &#x58; %58 %35%38`, `[hidden] xa%20b [hidden] [hidden] [hidden] %58 [hidden]`},
		{"short: only punctuation", []string{"'", "<", "/"}, "&#39; &lt; %2F", "&#39; &lt; %2F"},
		{"short, and a long one of the same text", []string{"1", "MQ=="}, "xMQ==x", "x[hidden]x"},
		{"base64 of a longer text", []string{"hunter2-key"}, base64.StdEncoding.EncodeToString([]byte(`{"a":"hunter2-key","b":1}`)), "eyJhIjoi[hidden]iLCJiIjoxfQ=="},
		{"base64, one byte before", []string{"hunter2-key"}, base64.URLEncoding.EncodeToString([]byte("xhunter2-key???")), "eG[hidden]Pz8_"},
		{"base64, two bytes before", []string{"hunter2-key"}, base64.StdEncoding.EncodeToString([]byte("xxhunter2-key>>")), "eHh[hidden]T4+"},
		{"base64 of a longer text, too short a secret", []string{"hunter"}, base64.StdEncoding.EncodeToString([]byte("xhunterx")), "eGh1bnRlcng="},
		{"UTF-16, little-endian", []string{"hunter2"}, "x\x00h\x00u\x00n\x00t\x00e\x00r\x002\x00y\x00", "x[hidden]\x00y\x00"},
		{"UTF-16, big-endian", []string{"hunter2"}, "\x00x\x00h\x00u\x00n\x00t\x00e\x00r\x002\x00y", "\x00x[hidden]\x00y"},
		{"UTF-32", []string{"abcd"}, "a\x00\x00\x00b\x00\x00\x00c\x00\x00\x00d\x00\x00\x00", "[hidden]\x00\x00\x00"},
		{"UTF-16 in JSON", []string{"abcd"}, `"a\u0000b\u0000c\u0000d\u0000"`, `"[hidden]\u0000"`},
		{"escapes in UTF-16", []string{"ab/d"}, "a\x00b\x00%\x002\x00F\x00d\x00", "[hidden]\x00"},
		{"doubled quotes", []string{`a"b"c`, "d'ef"}, `"x","a""b""c",'d''ef',"","y"`, `"x","[hidden]",'[hidden]',"","y"`},
		{"doubled quotes around JSON", []string{`ab"c`}, `"{""k"":""ab\""c""}"`, `"{""k"":""[hidden]""}"`},
		{"capital letters", []string{"hunter-two"}, "HUNTER-TWO", "[hidden]"},
		{"characters that XML cannot contain", []string{"ab\x01\tcd\a"}, "ab\uFFFD&#x9;cd\uFFFD.", "[hidden]."},
		{"characters that are not printed", []string{"ab\x01cd\u202eef\xff"}, "abcdef", "[hidden]"},
		{"characters that are not printed, too few others", []string{"\x01\x02\x03ab"}, "ab", "ab"},
		{"UTF-8 read as Latin-1", []string{"žluť"}, `\u00c5\u00belu\u00c5\u00a5 Å¾luÅ¥`, "[hidden] [hidden]"},
		{"four characters are not short", []string{"abcd"}, "xabcdx", "x[hidden]x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := secretsOf(tt.secrets...).Mask(tt.text); got != tt.want {
				t.Errorf("Redact(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// TestSentSecrets: the forms with the escapes of a request are masked for secrets of the
// configuration, and for those of a login that a request carries.
func TestSentSecrets(t *testing.T) {
	const token = `to/k"en+12`
	add := map[string]func(*Registry){
		"configured":     func(r *Registry) { r.Add(token) },
		"texts of login": func(r *Registry) { r.AddTokens([]string{"x", token}); r.AddSentTokens([]string{token}) },
	}
	for name, add := range add {
		r := &Registry{}
		add(r)
		for _, escaped := range []string{url.QueryEscape(token), url.PathEscape(token), html.EscapeString(token)} {
			address := "/t?token=" + escaped + "&b=1"
			inHex, inBase64 := hex.EncodeToString([]byte(address)), base64.StdEncoding.EncodeToString([]byte(address))
			for _, form := range []string{inHex, strings.ToUpper(inHex), inBase64} {
				if got := r.Mask(form); !strings.Contains(got, Hidden) || len(got) > len(form)-len(token) {
					t.Errorf("%s: %s is shown as %s", name, form, got)
				}
			}
		}
	}
}

// wrapped is the base64 of a text in lines.
func wrapped(text string, width int, end string) string {
	var lines []string
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(text))), width) {
		lines = append(lines, string(line))
	}
	return strings.Join(lines, end)
}

// What may be left of a secret is masked, and is not a secret.
func TestFind(t *testing.T) {
	s := secretsOf("Hun/ter-2", "https://a.test/rest/api")
	s.AddAddress("https://a.test/rest/api/users")
	s.AddPart("hun-t")
	s.AddPart(" ")
	for text, want := range map[string][2]int{ // found, masked
		"Hun/ter-2 SHVuL3Rlci0y Hun%2Fter-2": {3, 3},
		"Hun_ter-2 hun/ter-2 rest/api hun-t": {0, 4},
		"https://a.test/rest/api":            {1, 1},
		"another text":                       {0, 0},
	} {
		if got := [2]int{len(s.Find(text)), len(s.MaskedSpans(text))}; got != want {
			t.Errorf("%q: %v found and masked, want %v", text, got, want)
		}
	}
	s.Add("hun-t")
	if len(s.Find("hun-t")) != 1 {
		t.Error("a part that is a secret too is not found")
	}
}

func TestRedactPart(t *testing.T) {
	s := secretsOf("SEC?RET", "key1")
	const whole = "http://a/x/SEC?RET&k=key1&l=key1"
	for part, want := range map[string]string{
		"/x/SEC": "/x/[hidden]", "RET&k=key1&l=key1": "[hidden]&k=[hidden]&l=[hidden]",
		"http://a": "http://a", "EC?RE": "[hidden]", "": "", whole: "http://a/x/[hidden]&k=[hidden]&l=[hidden]",
	} {
		from := strings.Index(whole, part)
		if got := hide(whole, Span{from, from + len(part)}, s.MaskedSpans(whole)); got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}

func TestAddAddress(t *testing.T) {
	tests := []struct{ secret, address, text, want string }{
		{"left?rig#most", "/x/left?rig#most", "/x/left and rig and most", "/x/[hidden] and rig and [hidden]"},
		{"left?right", "/x/other?left", "left right", "left right"},
		{"a left?right", "/x/a%20left?right", "/x/a%20left", "/x/[hidden]"},
		{"https://a.test/hooks/T00/B11?x=1234", "https://a.test/hooks/T00/B11?x=1234", "no hooks/T00/B11 at a.test, x=1234", "no [hidden] at a.test, [hidden]"},
		{"one&parameter=another12", "/x?a=one&parameter=another12", "one, parameter, another12", "one, [hidden], [hidden]"},
		{"ab+cd%2Fe==", "/x?t=ab+cd%2Fe==", "ab cd/e==, ab+cd/e==", "[hidden], [hidden]"},
		{"100% sure", "/x/100% sure", "100% sure", "[hidden]"},
		{"https://a.test/v2/api", "https://a.test/v2/api/users", "v2/api", "v2/api"},
	}
	for _, tt := range tests {
		s := secretsOf(tt.secret)
		s.AddAddress(tt.address)
		if got := s.Mask(tt.text); got != tt.want {
			t.Errorf("%s in %s: Redact(%q) = %q, want %q", tt.secret, tt.address, tt.text, got, tt.want)
		}
	}
}

func TestRedactEverySpelling(t *testing.T) {
	s := secretsOf(secrettest.Canary)
	for name, text := range secrettest.Spellings(secrettest.Canary) {
		if got := s.Mask("before " + text + " after"); got != "before [hidden] after" {
			t.Errorf("%s: Redact(%q) = %q", name, text, got)
		}
	}
}

func TestSecretsConcurrently(t *testing.T) {
	var s Registry
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				secret := fmt.Sprintf("secret-%d-%d.", i, j)
				s.Add(secret)
				if got := s.Mask("is " + secret); got != "is [hidden]" {
					t.Errorf("Redact = %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzRedact(f *testing.F) {
	f.Add(secrettest.Canary, "before", "after")
	f.Add("\xff\xfe\x00\x01", `\ud83d`, "%")
	f.Add("aaaa", "aaa", "aa")
	f.Add("%41%41", "+", `\`)
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		s := secretsOf(secret)
		for name, text := range secrettest.Spellings(secret) {
			got := s.Mask(before + text + after)
			// What is left must not hold the secret; the marks may, when it is
			// a part of one.
			for part := range strings.SplitSeq(got, Hidden) {
				if len([]rune(secret)) >= minSearched && strings.TrimSpace(secret) != "" && strings.Contains(part, secret) {
					t.Errorf("%s: Redact(%q) = %q", name, before+text+after, got)
				}
			}
		}
		if len(s.Mask(before)) > len(Hidden)*(len(before)+1) {
			t.Errorf("Redact(%q) is longer than its marks", before)
		}
	})
}

// The text is one line of 1 KB; nothing in it matches.
func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat("GET https://api.example.com/v2/users?page=12 200 OK, 50 rows. ", 17)[:1024]
	for _, n := range []int{1, 100, 10_000} {
		var s Registry
		for i := range n {
			s.Add(base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "token %d of this run", i)))
		}
		b.Run(fmt.Sprintf("%d secrets", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Mask(text)
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	var s Registry
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Add(fmt.Sprintf("%064d", i))
	}
}

func TestPassingSecretsAreForgottenInTheEnd(t *testing.T) {
	slowtest.SkipRace(t, "it remembers thousands of secrets")
	for _, kind := range []struct {
		name          string
		add, addOther func(*Registry, string)
	}{
		{"tokens", (*Registry).AddToken, (*Registry).AddTemporary},
		{"those of a request", (*Registry).AddTemporary, (*Registry).AddToken},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var s Registry
			s.Add("lasting-one")
			kind.addOther(&s, "other-kind")
			kind.add(&s, "passing-first")
			if got := s.Mask("lasting-one passing-first"); got != "[hidden] [hidden]" {
				t.Errorf("got %s", got)
			}
			for i := range 3 * recentSetSize {
				kind.add(&s, fmt.Sprintf("signature-%08d", i))
			}
			if got := s.Mask("lasting-one other-kind"); got != "[hidden] [hidden]" {
				t.Errorf("a lasting secret, or one of the other kind, is gone: %s", got)
			}
			for i := 3*recentSetSize - recentSetSize; i < 3*recentSetSize; i++ {
				if text := fmt.Sprintf("signature-%08d", i); s.Mask(text) != Hidden {
					t.Fatalf("a recent secret is gone: %s", text)
				}
			}
			if n := s.kept(); n > 2*recentSetSize+1 {
				t.Errorf("%d passing secrets are kept", n)
			}
			if got := s.Mask("passing-first"); got != "passing-first" {
				t.Errorf("the first passing secret is still there: %s", got)
			}
		})
	}
}

// TestPassingSecretsAreSmall: docs/understand/architecture.md says how much memory they take.
func TestPassingSecretsAreSmall(t *testing.T) {
	slowtest.SkipRace(t, "it remembers thousands of secrets")
	const most = 4 << 20
	random := rand.New(rand.NewPCG(1, 2))
	token := func() string { // the worst of them: all forms differ, and where they start
		text := make([]byte, 20+random.IntN(40))
		for i := range text {
			text[i] = '!' + byte(random.IntN('~'-'!'))
		}
		return string(text)
	}
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, add := range map[string]func(*Registry, string){
		"a token":           (*Registry).AddToken,
		"a token in use":    func(r *Registry, secret string) { r.AddSentTokens([]string{secret}) },
		"that of a request": (*Registry).AddTemporary,
	} {
		before := inUse()
		var s Registry
		for range 2*recentSetSize - 1 {
			add(&s, token())
		}
		if got := inUse() - before; got > most {
			t.Errorf("%s: %d bytes in use, want at most %d", name, got, most)
		}
		if n := s.kept(); n < recentSetSize || n >= 2*recentSetSize+usualForms {
			t.Errorf("%s: %d secrets are kept", name, n)
		}
	}
}

// kept is how many passing secrets are remembered.
func (r *Registry) kept() (n int) {
	for _, set := range []*secretSet{r.tokens.younger, r.tokens.older, r.temporary.younger, r.temporary.older} {
		if set != nil {
			n += set.secrets
		}
	}
	return n
}

// TestPiecesOfPassingSecretsAreForgotten: an API that returns signed addresses
// makes a long run no larger.
func TestPiecesOfPassingSecretsAreForgotten(t *testing.T) {
	slowtest.SkipRace(t, "it remembers thousands of secrets")
	for name, add := range map[string]func(*Registry, string){"tokens": (*Registry).AddToken, "those of a request": (*Registry).AddTemporary} {
		t.Run(name, func(t *testing.T) {
			var s Registry
			s.Add("lasting?one")
			s.AddAddress("https://a.test/lasting?one")
			lasting := len(s.lasting.forms)
			const all = 3 * recentSetSize
			for i := range all {
				signature := fmt.Sprintf("sig?nature&%08d==", i)
				add(&s, signature)
				s.AddAddress("https://a.test/" + signature)
			}
			if n := s.kept(); n > 2*recentSetSize+10 {
				t.Errorf("%d secrets and pieces are kept", n)
			}
			if n := len(s.lasting.forms); n != lasting {
				t.Errorf("%d forms are kept for good, %d before", n, lasting)
			}
			last := fmt.Sprintf("nature&%08d==", all-1)
			if got := s.Mask("lasting, " + last); got != "[hidden], [hidden]" {
				t.Errorf("got %s", got)
			}
		})
	}
}
