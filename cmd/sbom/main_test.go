package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

func TestBill(t *testing.T) {
	t.Parallel()
	document := bill(&debug.BuildInfo{
		GoVersion: "go1.26.1",
		Main:      debug.Module{Path: "example.com/shop", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.com/a/v2", Version: "v2.0.1"},
			{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v3.0.0+incompatible"}},
		},
	}, "1.2.3", "00ff")
	program := document.Metadata.Component
	if program.Name != "shop" || program.Version != "1.2.3" || program.PackageURL != "pkg:golang/example.com/shop@1.2.3" {
		t.Errorf("the program is %+v", program)
	}
	if hashes := *program.Hashes; len(hashes) != 1 || hashes[0] != (cyclonedx.Hash{Algorithm: "SHA-256", Value: "00ff"}) {
		t.Errorf("hashes: %v", hashes)
	}
	var got []string
	for _, c := range *document.Components {
		got = append(got, c.Name+" "+c.Version+" "+c.PackageURL)
	}
	want := []string{
		"stdlib 1.26.1 pkg:golang/stdlib@1.26.1",
		"example.com/a/v2 v2.0.1 pkg:golang/example.com/a/v2@v2.0.1",
		"example.com/fork v3.0.0+incompatible pkg:golang/example.com/fork@v3.0.0%2Bincompatible",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWrite reads the program that runs: this test.
func TestWrite(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := write(w, program, "dev"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two documents of one program differ")
	}
	var document struct {
		SpecVersion string
		Components  []struct{ Name string }
	}
	if err := json.Unmarshal(first.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if document.SpecVersion != "1.6" || len(document.Components) < 2 || document.Components[1].Name != "github.com/CycloneDX/cyclonedx-go" {
		t.Errorf("got %s", &first)
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ file, want string }{
		"no program": {text, "is it a program made by go build?"},
		"no file":    {text + "2", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := write(&out, test.file, "dev")
			if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
				t.Errorf("got %v and %q", err, &out)
			}
		})
	}
}
