package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseSettings(t *testing.T) {
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
		"not a name":        {"1A=s3cret", nil, "line 1 is not NAME=value"},
		"open quote":        {"A=\"s3cret", nil, "line 1: the value of A has a quote without its counterpart, or text after it"},
		"text behind quote": {"A='b's3cret", nil, "line 1: the value of A has a quote without its counterpart, or text after it"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseSettings(tc.text)
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

// FuzzParseSettings: a value in quotes is what is between them, and an error never
// quotes the file.
func FuzzParseSettings(f *testing.F) {
	f.Add("A=1\nB='2' # 3", "value")
	f.Add("export A = \"x\"", "a # b")
	f.Add("\x00", "s3cret")
	f.Fuzz(func(t *testing.T, text, value string) {
		values, err := parseSettings(text)
		if err != nil && values != nil {
			t.Errorf("values with the error %v", err)
		}
		for name, got := range values {
			if name == "" || strings.ContainsAny(name, "=#'\" \n") || strings.Contains(got, "\n") || !strings.Contains(text, got) {
				t.Errorf("%q = %q", name, got)
			}
		}
		if strings.ContainsAny(value, "'\n") {
			return
		}
		got, err := parseSettings("A='" + value + "'")
		if err != nil || got["A"] != value {
			t.Errorf("got %q, %v, want %q", got, err, value)
		}
	})
}

// TestSettingsOfOddFiles: only a regular file of a moderate size is read.
func TestSettingsOfOddFiles(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, mostSettings+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		t.TempDir():  "it is not a regular file",
		os.DevNull:   "it is not a regular file",
		large:        "it has 1048577 bytes, expected at most 1048576",
		large + "/x": "not a directory",
	} {
		if _, err := openSettings(file, os.Getenv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
