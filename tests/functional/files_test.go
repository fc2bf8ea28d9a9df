package functional

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// TestFilesAgree: any bodies, under any names, become files byte for byte, each with its
// row, and every concurrency gives them the same names. Some bodies are larger than what
// stays in memory.
func TestFilesAgree(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	const count = 60
	bodies, names := make([][]byte, count), make([]string, count)
	for i := range bodies {
		n := random.IntN(2000)
		if i%20 == 7 {
			n += 4 << 20 // more than the memory of a spool
		}
		bodies[i] = make([]byte, n)
		for at := range bodies[i] {
			bodies[i][at] = byte(random.Uint32())
		}
		names[i] = hostileNames[random.IntN(len(hostileNames))]
		if i%2 == 0 {
			names[i] = "scan.pdf"
		}
	}
	var first harvest
	for _, concurrency := range []int{1, 3, 8} {
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			number, isFile := strings.CutPrefix(r.URL.Path, "/files/")
			if !isFile {
				var items []string
				for i := range count {
					items = append(items, fmt.Sprintf(`{"id":%d}`, i))
				}
				write(w, "["+strings.Join(items, ",")+"]")
				return
			}
			i, _ := strconv.Atoi(number)
			w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(names[i]))
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(bodies[i])
		}))
		h := reap(t, w, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d}},"config":{"outputBucket":"b","jobs":[
			{"endpoint":"list","dataField":".","children":[{"endpoint":"files/{id}","placeholders":{"id":"id"},"dataType":"f","response":{"format":"file"}}]}]}}}`, concurrency))
		if h.exit != 0 {
			t.Fatalf("concurrency %d: exit code %d: %s", concurrency, h.exit, h.stderr)
		}
		checkFileRows(t, h.files, bodies)
		if concurrency == 1 {
			first = h
		} else if !maps.Equal(first.files, h.files) {
			t.Errorf("concurrency %d brings other files or rows", concurrency)
		}
	}
}

// checkFileRows checks that the table has one row for each body, with its hash and size and
// the name of a file with its contents.
func checkFileRows(t *testing.T, files map[string]string, bodies [][]byte) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(files["out/tables/b.f"])).ReadAll()
	if err != nil || len(rows) != len(bodies)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	seen := map[string]bool{}
	for i, body := range bodies {
		row, sum := rows[i+1], sha256.Sum256(body)
		if seen[row[0]] || !bytes.Equal([]byte(files["out/files/"+row[0]]), body) || row[1] != strconv.Itoa(len(body)) || row[2] != hex.EncodeToString(sum[:]) || row[4] != strconv.Itoa(i) {
			t.Errorf("row %d is %q, its file has %d bytes, want %d", i, row, len(files["out/files/"+row[0]]), len(body))
		}
		seen[row[0]] = true
	}
}
