package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/tests/commandtree"
)

func TestNoDataDir(t *testing.T) {
	there := t.TempDir()
	none := filepath.Join(there, "none")
	for name, tc := range map[string]struct {
		given, standard, variable, value string
		want                             bool
	}{
		"nothing":                 {"", none, "", "", true},
		"a mounted directory":     {"", there, "", "", false},
		"--data":                  {"x", none, "", "", false},
		"KBC_DATADIR":             {"", none, "KBC_DATADIR", "x", false},
		"the platform forgot one": {"", none, "KBC_RUNID", "7", false},
	} {
		t.Run(name, func(t *testing.T) {
			getenv := func(name string) string {
				if name == tc.variable {
					return tc.value
				}
				return ""
			}
			if got := noDataDir(tc.given, tc.standard, getenv); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// TestWelcome: the commands in the text for newcomers exist.
func TestWelcome(t *testing.T) {
	var text strings.Builder
	if err := welcome(&text, "/data"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/data does not exist", `docker run --rm --user "$(id -u):$(id -g)" -v "$PWD/my-data:/data" ghcr.io/keboola/configurable-extractor`, "extractor --help"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("it lacks %q", want)
		}
	}
	var shown []string
	for line := range strings.SplitSeq(text.String(), "\n") {
		if strings.HasPrefix(line, "  extractor ") {
			shown = append(shown, line)
		}
	}
	if len(shown) != 3 {
		t.Errorf("commands %q", shown)
	}
	with := func() *cobra.Command {
		root := commands()
		root.Example = strings.Join(shown, "\n")
		return root
	}
	for _, missing := range commandtree.Examples(with) {
		t.Error(missing)
	}
}
