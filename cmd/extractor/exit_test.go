package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingControlsTheTerminal: names on the command line and in a configuration are
// shown without control characters.
func TestNothingControlsTheTerminal(t *testing.T) {
	const evil = "e\x1b[31mv\u009b\u202e"
	file := filepath.Join(t.TempDir(), evil)
	if err := os.WriteFile(file, []byte(`{"parameters": {"api": {"baseUrl": "http://127.0.0.1"}, "config": {"outputBucket": "b", "jobs": [{"endpoint": "a", "params": {"\u001b[2J`+"\u009b"+`": {"function": "\u001b[2J"}}}]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{evil}, {"--" + evil}, {"run", evil}, {"run", file, "--data", evil}, {"validate", evil}, {"validate", file},
		{"plan", file}, {"explain", evil}, {"diff", evil, evil}, {"init", "--api", evil}, {"run", "--max-time", evil},
	} {
		var out, err bytes.Buffer
		if code := execute(t.Context(), args, strings.NewReader(""), &out, &err); code == 0 {
			t.Errorf("%q: success", args)
		}
		shown := out.String() + err.String()
		if shown == "" || strings.ContainsAny(shown, "\x1b\u009b\u202e") {
			t.Errorf("%q: %q", args, shown)
		}
	}
}
