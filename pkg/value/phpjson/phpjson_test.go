package phpjson

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// accepted are texts and what PHP 8.2 makes of them.
var accepted = []struct{ text, want string }{
	{`{}`, `[]`},
	{` [ {}, [] ] `, `[[],[]]`},
	{`{"0":1,"1":2}`, `[1,2]`},
	{`{"1":2,"0":1}`, `{"1":2,"0":1}`},
	{`{"0":1,"a":2}`, `{"0":1,"a":2}`},
	{`{"00":1}`, `{"00":1}`},
	{`{"-0":1}`, `{"-0":1}`},
	{`{"1":1}`, `{"1":1}`},
	{`{"0":1,"0":2}`, `[2]`},
	{`{"a":1,"b":2,"a":{"0":3}}`, `{"a":[3],"b":2}`},
	{`{"":1,"\u0000":2}`, `{"":1,"\u0000":2}`},
	{`{"9223372036854775808":1,"-1":2}`, `{"9223372036854775808":1,"-1":2}`},
	{`"é\/\u00e9\ud83d\ude00` + "\u2028\x7f" + `"`, `"\u00e9\/\u00e9\ud83d\ude00\u2028` + "\x7f" + `"`},
	{`"\b\f\n\r\t\u000b\"\\"`, `"\b\f\n\r\t\u000b\"\\"`},
	{`1.0`, `1`}, {`1.50`, `1.5`}, {`0.1`, `0.1`}, {`1e2`, `100`}, {`1E-7`, `1.0e-7`}, {`0.0001`, `0.0001`}, {`0.00001`, `1.0e-5`},
	{`-0`, `0`}, {`-0.0`, `-0`}, {`2e-324`, `0`}, {`5e-324`, `5.0e-324`},
	{`9223372036854775807`, `9223372036854775807`}, {`-9223372036854775808`, `-9223372036854775808`},
	{`9223372036854775808`, `9.223372036854776e+18`}, {`12345678901234567890`, `1.2345678901234567e+19`},
	{`1e16`, `10000000000000000`}, {`1e17`, `1.0e+17`}, {`123456789012345678.0`, `1.2345678901234568e+17`},
	{`1735689600.123456`, `1735689600.123456`}, {`1.7976931348623157e308`, `1.7976931348623157e+308`},
	{`null`, `null`}, {`true`, `true`}, {"\n false", `false`},
	{nested(511), nested(511)},
}

// refused are texts that PHP does not read, or cannot write again.
var refused = []struct {
	text string
	want error
}{
	{nested(512), errDepth},
	{strings.Repeat(`{"a":`, 512) + `1` + strings.Repeat(`}`, 512), errDepth},
	{`1e400`, errInfinite},
	{`[-1e309]`, errInfinite},
	{`"\ud800"`, errSyntax},
	{`"\udc00x"`, errSyntax},
	{"\"\xff\"", errSyntax},
	{"\"a\tb\"", errSyntax},
	{"\xef\xbb\xbf1", errSyntax},
	{``, errSyntax}, {`[1,]`, errSyntax}, {`[1]x`, errSyntax}, {`00`, errSyntax}, {`nul`, errSyntax}, {`[1] [2]`, errSyntax},
}

func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func TestRecode(t *testing.T) {
	for _, tt := range accepted {
		if got, err := Recode([]byte(tt.text)); err != nil || string(got) != tt.want {
			t.Errorf("%.80s: %s, %v, want %s", tt.text, got, err, tt.want)
		}
	}
	for _, tt := range refused {
		if got, err := Recode([]byte(tt.text)); !errors.Is(err, tt.want) {
			t.Errorf("%.80s: %s, %v, want %v", tt.text, got, err, tt.want)
		}
	}
}

// program responds to each line, a text in base64, with what PHP makes of it, in base64, or
// with a blank and the message of the error.
const program = `ini_set('serialize_precision', '-1');
while (($line = fgets(STDIN)) !== false) {
	$v = json_decode(base64_decode(trim($line)), true);
	$text = json_last_error() === JSON_ERROR_NONE ? json_encode($v) : false;
	echo $text === false ? ' ' . json_last_error_msg() : base64_encode($text), "\n";
}`

// TestAgreesWithPHP compares the package with PHP: the texts above, and generated ones.
func TestAgreesWithPHP(t *testing.T) {
	php, err := exec.LookPath("php")
	if err != nil {
		t.Skip("there is no php")
	}
	var texts []string
	for _, tt := range accepted {
		texts = append(texts, tt.text)
	}
	for _, tt := range refused {
		texts = append(texts, tt.text)
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	for range 20_000 {
		texts = append(texts, randomText(random, 4))
	}
	var input, output bytes.Buffer
	for _, text := range texts {
		fmt.Fprintln(&input, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	command := exec.Command(php, "-n", "-r", program)
	command.Stdin, command.Stdout, command.Stderr = &input, &output, os.Stderr
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(&output)
	lines.Buffer(nil, 1<<20)
	for _, text := range texts {
		if !lines.Scan() {
			t.Fatal("PHP says too little")
		}
		got, err := Recode([]byte(text))
		message, failed := strings.CutPrefix(lines.Text(), " ")
		switch {
		case failed != (err != nil):
			t.Errorf("seed %d, %.200s: %v, PHP: %q", seed, text, err, message)
		case failed && (errors.Is(err, errDepth) != strings.EqualFold(message, errDepth.Error()) || errors.Is(err, errInfinite) != strings.EqualFold(message, errInfinite.Error())):
			t.Errorf("seed %d, %.200s: %v, PHP: %q", seed, text, err, message)
		case !failed:
			want, _ := base64.StdEncoding.DecodeString(lines.Text())
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d, %.200s: %s, PHP: %s", seed, text, got, want)
			}
		}
	}
}

// randomText is a JSON text, of which a few are broken.
func randomText(random *rand.Rand, depth int) string {
	text := randomValue(random, depth)
	if random.IntN(20) == 0 && text != "" {
		at := random.IntN(len(text))
		return text[:at] + string(rune(random.IntN(256))) + text[at+1:]
	}
	return text
}

func randomValue(random *rand.Rand, depth int) string {
	kind := random.IntN(10)
	if depth == 0 {
		kind = random.IntN(7)
	}
	switch kind {
	case 0:
		return []string{"null", "true", "false"}[random.IntN(3)]
	case 1, 2, 3, 4:
		return randomNumber(random)
	case 5, 6:
		return randomString(random)
	case 7:
		var items []string
		for range random.IntN(4) {
			items = append(items, randomValue(random, depth-1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		var members []string
		numbered := random.IntN(2) == 0
		for i := range random.IntN(4) {
			name := randomString(random)
			if numbered && random.IntN(8) > 0 {
				name = strconv.Quote(strconv.Itoa(i))
			}
			members = append(members, name+":"+randomValue(random, depth-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
}

func randomNumber(random *rand.Rand) string {
	switch random.IntN(6) {
	case 0:
		return strconv.FormatInt(int64(random.Uint64()), 10)
	case 1:
		return strconv.FormatUint(random.Uint64(), 10) + strconv.Itoa(random.IntN(1000))
	case 2:
		f := math.Float64frombits(random.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 0.1
		}
		return strconv.FormatFloat(f, "efg"[random.IntN(3)], random.IntN(25)-1, 64)
	case 3:
		return strconv.FormatFloat(float64(random.IntN(1_000_000))/math.Pow10(random.IntN(8)), 'f', -1, 64)
	case 4:
		return fmt.Sprintf("%d.%de%d", random.IntN(10), random.IntN(1000), random.IntN(60)-30)
	default:
		return strconv.Itoa(random.IntN(2000) - 1000)
	}
}

func randomString(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(5) {
		b.WriteString([]string{"a", "0", "é", "\U0001F600", `\u0041`, `\ud83d\ude00`, `\/`, "/", `\"`, "\u2028", `\u0000`, "\x7f", "#"}[random.IntN(13)])
	}
	return `"` + b.String() + `"`
}

func FuzzRecode(f *testing.F) {
	for _, tt := range accepted {
		f.Add([]byte(tt.text))
	}
	for _, tt := range refused {
		f.Add([]byte(tt.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := Recode(text)
		if err != nil {
			return
		}
		twice, err := Recode(once)
		if err != nil {
			t.Fatalf("%s becomes %s, which is refused: %v", text, once, err)
		}
		// Minus zero loses its sign in the second round.
		if thrice, err := Recode(twice); err != nil || !bytes.Equal(twice, thrice) {
			t.Errorf("%s becomes %s and then %s, %v", once, twice, thrice, err)
		}
	})
}
