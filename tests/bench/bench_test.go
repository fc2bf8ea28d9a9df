package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// BenchmarkFlatPages is workload A inside one process, one whole run an
// operation: for profiles and counts of allocations.
func BenchmarkFlatPages(b *testing.B) { benchmark(b, "flat", appendFlat) }

// BenchmarkNestedPages is workload D in the same way.
func BenchmarkNestedPages(b *testing.B) { benchmark(b, "nested", appendNested) }

// BenchmarkFormats is one large response in each format, in the same way.
func BenchmarkFormats(b *testing.B) {
	const bytes = 32 << 20
	for _, name := range []string{"jsonl", "csv", "xml"} {
		b.Run(name, func(b *testing.B) {
			runs(b, inFormat("", name, "", bytes, 0).parameters, bytes, 0)
		})
	}
}

func benchmark(b *testing.B, endpoint string, item func([]byte, int) []byte) {
	const pages = 200
	total := int64(len(itemsPage(item, 0, pages*pageSize)))
	runs(b, paged(endpoint, pages, ""), total, pages*pageSize)
}

// runs measures runs with these parameters, of so many bytes; rows 0 does not count the
// rows.
func runs(b *testing.B, parameters func(api string) object, total int64, rows int) {
	api := httptest.NewServer(new(api).handler())
	defer api.Close()
	config, err := document(parameters(api.URL))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		dir := b.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o644); err != nil {
			b.Fatal(err)
		}
		var stderr bytes.Buffer
		code := app.Run(context.Background(), app.Options{
			DataDir: dir, LogFormat: "json", Stdout: io.Discard, Stderr: &stderr, Run: env.Run{Getenv: func(string) string { return "" }},
		})
		if code != 0 {
			b.Fatalf("exit %d: %s", code, &stderr)
		}
		if rows == 0 {
			continue
		}
		if err := checkRows(filepath.Join(dir, "out", "tables"), rows); err != nil {
			b.Fatal(err)
		}
	}
}

func checkRows(dir string, rows int) error {
	written, err := readTables(dir)
	if err == nil && written["items"].Rows != rows {
		err = fmt.Errorf("%d rows, expected %d", written["items"].Rows, rows)
	}
	return err
}
