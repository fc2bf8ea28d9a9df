package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/tests/apis/facts"
)

var today = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

// page has all facts. The first has another date than the others.
func page(t *testing.T, first string) string {
	t.Helper()
	text := "## Facts\n\n| fact | value | source | date |\n|---|---|---|---|\n"
	date := first
	for _, name := range facts.Names {
		text += "| " + name + " | v | [x](https://example.com) | " + date + " |\n"
		date = "2026-11-01"
	}
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOfAPI(t *testing.T) {
	for _, c := range []struct{ source, ends, want string }{
		{"2026-11-01", "", ""},
		{"2025-11-23", "", ""},
		{"2025-11-22", "", `the source of "address" is of 2025-11-22`},
		{"2026-11-01", "2027-02-22", ""},
		{"2026-11-01", "2027-02-21", "version v1 ends on 2027-02-21"},
		{"2026-11-01", "2026-01-01", "version v1 ends on 2026-01-01"},
	} {
		found, err := ofAPI(gallery.API{Name: "a", Version: "v1", VersionEnds: c.ends}, page(t, c.source), today)
		if err != nil || strings.Join(found, "; ") != c.want {
			t.Errorf("%+v: %q, %v", c, found, err)
		}
	}
	if _, err := ofAPI(gallery.API{Name: "a", VersionEnds: "soon"}, page(t, "2026-11-01"), today); err == nil {
		t.Error("a version that ends soon")
	}
}

// TestList: in ten years every page is old.
func TestList(t *testing.T) {
	all := gallery.All()
	var out bytes.Buffer
	if err := list(&out, "../../../docs/apis", today.AddDate(10, 0, 0)); err != nil {
		t.Fatal(err)
	}
	for _, api := range all {
		if !strings.Contains(out.String(), "- "+api.Name+": the source of ") {
			t.Errorf("%s is not listed", api.Name)
		}
	}
}
