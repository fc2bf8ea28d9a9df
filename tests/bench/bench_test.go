// Package bench measures whole runs of the component against an API on the
// loopback interface.
package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/component"
)

// pages makes the answers of an API in advance, so that the benchmark measures
// the extractor and not the API.
func pages(n, items int) [][]byte {
	all := make([][]byte, n)
	for p := range n {
		var b bytes.Buffer
		b.WriteString(`{"items":[`)
		for i := range items {
			id := p*items + i
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":%d,"name":"Name %d","email":"user%d@example.com","active":%t,"score":%d.5,`+
				`"city":"Prague","created":"2024-05-01T10:00:00Z","note":null,"visits":%d,"comment":"A longer text, \"quoted\", of item %d"}`,
				id, id, id, id%2 == 0, id%100, id*7, id)
		}
		b.WriteString(`]}`)
		all[p] = b.Bytes()
	}
	return all
}

// BenchmarkFlatPages is 200 pages of 500 ten-field items, offset paging,
// automatic mapping, one whole run an operation.
func BenchmarkFlatPages(b *testing.B) {
	const n, items = 200, 500
	all := pages(n, items)
	total := int64(0)
	for _, p := range all {
		total += int64(len(p))
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		if offset/items >= n {
			io.WriteString(w, `{"items":[]}`)
			return
		}
		w.Write(all[offset/items])
	}))
	defer api.Close()
	config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"pagination":{"method":"offset","limit":%d}},
		"config":{"outputBucket":"b","jobs":[{"endpoint":"items","dataField":"items"}]}}}`, api.URL, items)
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		dir := b.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
			b.Fatal(err)
		}
		var stderr bytes.Buffer
		code := component.Run(context.Background(), component.Options{
			DataDir: dir, LogFormat: "json", Stdout: io.Discard, Stderr: &stderr, Getenv: func(string) string { return "" },
		})
		if code != 0 {
			b.Fatalf("exit %d: %s", code, &stderr)
		}
		if info, err := os.Stat(filepath.Join(dir, "out/tables/b.items")); err != nil || info.Size() < total/3 {
			b.Fatalf("table: %v, %v", info, err)
		}
	}
}
