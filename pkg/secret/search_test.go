package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/secret/secrettest"
)

// echo is a text that holds a secret in some form below some layers of escapes.
func echo(r *rand.Rand, secret string, layers int) (text, how string) {
	forms := []struct{ name, text string }{
		{"plain", secret}, {"base64", base64.StdEncoding.EncodeToString([]byte(secret))},
		{"base64 URL", base64.RawURLEncoding.EncodeToString([]byte(secret))}, {"hex", hex.EncodeToString([]byte(secret))},
	}
	form := forms[r.IntN(len(forms))]
	text, how = form.text, form.name
	for range layers {
		name := encoderNames[r.IntN(len(encoderNames))]
		text, how = encoders[name](r, text), how+", "+name
	}
	return text, how
}

// checkEcho reports what Mask leaves of a secret between two texts.
func checkEcho(t *testing.T, s *Registry, secret, before, echo, after, how string) {
	t.Helper()
	text := before + echo + after
	end := len(before) + len(echo)
	covered := len(before)
	for _, span := range s.MaskedSpans(text) {
		if span.From <= covered {
			covered = max(covered, span.To)
		}
	}
	if covered < end {
		t.Errorf("secret %q, %s: the last %d bytes are left of %q between %.40q and %.40q", secret, how, end-covered, echo, before[max(0, len(before)-20):], after)
	}
}

// decoys are texts that look like something, beside a secret.
var decoys = []string{
	``, ` `, `x\"y %20 a+b &amp; `, `"`, `\`, `\\`, `\\\`, `%`, `%4`, `%25`, `%%`, `&`, `&am`, `&amp;`, `&#`, `&#x4`, `+`, `\u`, `\u00`, `\ud83d`,
	`\u0025`, `%5C`, `%5Cu00`, `&#92;`, `\x4`, `100% `, `C:\\`, `;`, `41`, `"}`, `\n`, "\n", `é`, "\xc3",
}

// TestThreeLayers: none of all the ways to escape a token three times, beside
// decoys, hides it from the mask.
func TestThreeLayers(t *testing.T) {
	slowtest.SkipRace(t, "it searches long texts")
	r := rand.New(rand.NewPCG(1, 2))
	secrets := []string{secrettest.Canary, `to"ken/with <all>&more+`, "41abc def/1", `nbc"\u0041%41`, "lt;abc\"d", `p%41\u0041"q`, "tok\\en\\", "žluť 😀"}
	for _, secret := range secrets {
		s := secretsOf(secret)
		for _, a := range encoderNames {
			for _, b := range encoderNames {
				for _, c := range encoderNames {
					text := encoders[c](r, encoders[b](r, encoders[a](r, secret)))
					for _, decoy := range []string{decoys[2], decoys[r.IntN(len(decoys))]} {
						checkEcho(t, s, secret, decoy, text, decoy, a+", "+b+", "+c)
					}
				}
			}
		}
	}
}

// TestRandomEchoes: random secrets in random spellings between random decoys.
func TestRandomEchoes(t *testing.T) {
	slowtest.SkipRace(t, "it makes thousands of texts")
	for seed := range uint64(4_000) {
		randomEcho(t, rand.New(rand.NewPCG(seed, 0)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzEchoes(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { randomEcho(t, rand.New(rand.NewPCG(a, b))) })
}

func randomEcho(t *testing.T, r *rand.Rand) {
	const characters = "abc019AFnu4 xlt;am%\\&+\"/<>=.:-é😀"
	pool := []rune(characters)
	secret := make([]rune, minSearched+r.IntN(24))
	for i := range secret {
		secret[i] = pool[r.IntN(len(pool))]
	}
	text := strings.TrimSpace(string(secret))
	if utf8.RuneCountInString(text) < minSearched {
		return
	}
	around := func() string {
		var b strings.Builder
		for range r.IntN(4) {
			b.WriteString(decoys[r.IntN(len(decoys))])
		}
		return b.String()
	}
	spelling, how := echo(r, text, r.IntN(4))
	checkEcho(t, secretsOf(text), text, around(), spelling, around(), how)
}

// TestNothingElseIsMasked: a text that no reader finds a secret in stays as it is.
func TestNothingElseIsMasked(t *testing.T) {
	slowtest.SkipRace(t, "it makes thousands of texts")
	s := secretsOf(secrettest.Canary, "hunter2-hunter2", strings.Repeat("k", 40), "a+b/c==d")
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(decoys[r.IntN(len(decoys))])
			fmt.Fprintf(&b, "%x", r.Uint32())
		}
		if text := b.String(); s.Mask(text) != text {
			t.Fatalf("%q became %q", text, s.Mask(text))
		}
	}
}

// TestLongTexts: a secret is found wherever it is in a long text, however it
// is escaped there.
func TestLongTexts(t *testing.T) {
	slowtest.SkipRace(t, "it searches long texts")
	s := secretsOf(secrettest.Canary)
	r := rand.New(rand.NewPCG(5, 6))
	const size = 3*minStep + 12_345
	filler := strings.Repeat(`nothing here, %20 and \" `, size/25+1)[:size]
	places := []int{0, 1, minStep - 1, minStep, minStep + 1, minStep - 20, 2*minStep - 7, size}
	for range 8 {
		places = append(places, r.IntN(size))
	}
	for _, at := range places {
		text, how := echo(r, secrettest.Canary, 3)
		checkEcho(t, s, secrettest.Canary, filler[:at], text, filler[at:], how)
	}
	if got := s.Mask(filler); got != filler {
		t.Error("a text without secrets is changed")
	}
}

// TestShortSecretsInLongTexts: the base64 of a short one is not a secret inside a word,
// also where the text is taken apart in the middle of that.
func TestShortSecretsInLongTexts(t *testing.T) {
	slowtest.SkipRace(t, "it searches long texts")
	s := secretsOf("abc")
	for at := minStep - 2; at < minStep+3; at++ {
		text := strings.Repeat("x", at) + "YWJj and YWJj" + strings.Repeat(" ", 2*minStep)
		if got, want := s.Mask(text), strings.Replace(text, " YWJj", " "+Hidden, 1); got != want {
			t.Errorf("%d: got %s", at, strings.TrimSpace(strings.TrimLeft(got, "x")))
		}
	}
}

// TestSearchIsBounded: the memory of a search does not depend on the text, no matter what
// an API thinks of: the window is made once and used again. Neither does the work for
// a byte: were it to grow with the text, this would take minutes.
func TestSearchIsBounded(t *testing.T) {
	slowtest.SkipRace(t, "it searches long texts")
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would empty the pool
	s := ordinarySecrets()
	s.Add(strings.Repeat("-", 300))
	s.Add("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("c2VjcmV0", 200))
	for i := range 60 {
		s.AddToken(strings.Repeat("eyJh", i+5))
	}
	const most = 12 << 20
	const size = 1 << 18
	for _, unit := range []string{`\u0025`, "%25", "%2D", `\\`, `\`, "&amp;", "+", "%5Cu0025", `x\"y %20 a+b &amp; `, "-", "eyJh", "-----BEGIN PRIVATE KEY-----\n", "%2525252525", `\u00e9`} {
		t.Run(unit, func(t *testing.T) {
			text := strings.Repeat(unit, size/len(unit))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s.Find(text)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%d KB were allocated, want at most %d", used>>10, most>>10)
			}
		})
	}
}
