package dotenv

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want map[string]string
		err  string
	}{
		"empty":             {"", nil, ""},
		"one":               {"A=1", map[string]string{"A": "1"}, ""},
		"lines of Windows":  {"A=1\r\nB=2\r\n", map[string]string{"A": "1", "B": "2"}, ""},
		"byte order mark":   {"\ufeffA=1", map[string]string{"A": "1"}, ""},
		"comments":          {"# A=1\n\n  # B=2\nC=3 # 4\nD=5#6\nE=#7\nF= # 8", map[string]string{"C": "3", "D": "5#6", "E": "", "F": ""}, ""},
		"blanks":            {" A = b c \n", map[string]string{"A": "b c"}, ""},
		"export":            {"export A=1\nexport=2", map[string]string{"A": "1", "export": "2"}, ""},
		"quotes":            {"A=\"b # c\" # d\nB='\"$A\\n'\nC=''\nD=it's", map[string]string{"A": "b # c", "B": `"$A\n`, "C": "", "D": "it's"}, ""},
		"the last counts":   {"A=1\nA=2", map[string]string{"A": "2"}, ""},
		"nothing replaced":  {"A=$B\nC=${A}`id`", map[string]string{"A": "$B", "C": "${A}`id`"}, ""},
		"no equals sign":    {"A=1\ns3cret", nil, "line 2 is not NAME=value"},
		"two lines":         {"A\n=s3cret", nil, "line 1 is not NAME=value"},
		"export alone":      {"export\nA=1", nil, "line 1 is not NAME=value"},
		"not a name":        {"1A=s3cret", nil, "line 1 is not NAME=value"},
		"open quote":        {"A=\"s3cret", nil, "line 1: the value of A has a quote without its counterpart, or text after it"},
		"several lines":     {"A='b\n#c\n' # d\nB=\"\r\ne\"\nC=1", map[string]string{"A": "b\n#c\n", "B": "\r\ne", "C": "1"}, ""},
		"open after others": {"A=1\n\n#\nB='c\nD=1\n", nil, "line 4: the value of B has a quote without its counterpart, or text after it"},
		"text behind quote": {"A='b's3cret", nil, "line 1: the value of A has a quote without its counterpart, or text after it"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(tc.text)
			if message := errorText(err); message != tc.err {
				t.Fatalf("error %q, want %q", message, tc.err)
			}
			if !maps.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzParse: a value in quotes is what is between them, and an error never
// quotes the file.
func FuzzParse(f *testing.F) {
	f.Add("A=1\nB='2' # 3", "value")
	f.Add("export A = \"x\"", "a # b")
	f.Add("\x00", "s3cret")
	f.Fuzz(func(t *testing.T, text, value string) {
		values, err := parse(text)
		if err != nil && values != nil {
			t.Errorf("values with the error %v", err)
		}
		for name, got := range values {
			if name == "" || strings.ContainsAny(name, "=#'\" \n") || !strings.Contains(text, got) {
				t.Errorf("%q = %q", name, got)
			}
		}
		if strings.Contains(value, "'") {
			return
		}
		got, err := parse("A='" + value + "'")
		if err != nil || got["A"] != value {
			t.Errorf("got %q, %v, want %q", got, err, values)
		}
	})
}

// TestOddFiles: only a regular file of a moderate size is read.
func TestOddFiles(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		t.TempDir():  "it is not a regular file",
		os.DevNull:   "it is not a regular file",
		large:        "it has 1048577 bytes, expected at most 1048576",
		large + "/x": "not a directory",
	} {
		if _, err := Open(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestAppend: what was added is read again, beside what was there.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	values := map[string]string{"A": "it's", "B": "-----BEGIN\nx\n-----END\n", "C": `a "b" #$c\n`, "D": ""}
	if err := Append(path, []string{"A", "B"}, values); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(readFile(t, path), "OLD=1"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Append(path, []string{"C", "D"}, values); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil || f.Shared {
		t.Fatalf("%+v, %v", f, err)
	}
	values["OLD"] = "1"
	if !maps.Equal(f.Values, values) {
		t.Errorf("%q\n%s", f.Values, readFile(t, path))
	}
	before := string(readFile(t, path))
	for name, want := range map[string]string{"A": "has a value for A already", "E": "it has single and double quotes"} {
		values["E"] = `'"`
		if err := Append(path, []string{name}, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := string(readFile(t, path)); after != before {
		t.Errorf("changed to %s", after)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
