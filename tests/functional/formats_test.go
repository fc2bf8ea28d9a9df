package functional

import (
	stdcsv "encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestFormatsAgree shows that the same rows give the same table in every format, in
// every wrapper, on pages of any size, and with every concurrency.
func TestFormatsAgree(t *testing.T) {
	wrappers := []string{"", `"gzip"`, `"zip"`, `"zstd"`, `["gzip", "zip"]`, `["zip", "gzip"]`, `["zip", "zstd", "gzip"]`, `["zstd", "zip", "zip"]`}
	for seed := range uint64(6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 2))
			rows := someTexts(r)
			want := rows.run(t, "json", "", len(rows)+1, 1)
			for _, format := range []string{"json", "jsonl", "csv", "xml"} {
				for _, limit := range []int{1, 1 + r.IntN(len(rows)), len(rows) + 1} {
					wrapper := wrappers[r.IntN(len(wrappers))]
					concurrency := []int{1, 3}[r.IntN(2)]
					t.Run(fmt.Sprintf("%s in pages of %d, packed %s, concurrency %d", format, limit, wrapper, concurrency), func(t *testing.T) {
						compareFiles(t, rows.run(t, format, wrapper, limit, concurrency), want)
					})
				}
			}
			for i, wrapper := range wrappers {
				for j, format := range []string{"json", "jsonl", "csv", "xml"} {
					if !slowtest.Turn(int(seed)+i+j, 3) {
						continue
					}
					t.Run(fmt.Sprintf("%s packed %s", format, wrapper), func(t *testing.T) {
						compareFiles(t, rows.run(t, format, wrapper, len(rows)+1, 1), want)
					})
				}
			}
		})
	}
}

// textRows are rows of texts, the first of which is an id.
type textRows [][]string

// someTexts are rows whose texts every format can hold: XML turns a carriage return
// into a line feed, and knows no text of white space alone.
func someTexts(r *rand.Rand) textRows {
	parts := []string{"a", "Ž", ",", ";", `"`, `""`, "'", "\n", " ", "<b>", "&amp;", "]]>", "{", "😀", "0", "null", "-1.50", "\t", "\\", "/"}
	rows := make(textRows, 5+r.IntN(20))
	for i := range rows {
		rows[i] = []string{strconv.Itoa(i)}
		for range 4 {
			var b strings.Builder
			for range r.IntN(6) {
				b.WriteString(parts[r.IntN(len(parts))])
			}
			text := b.String()
			if strings.TrimSpace(text) == "" {
				text = ""
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

func textName(column int) string { return "c" + strconv.Itoa(column) }

// write writes rows in a format.
func (rows textRows) write(t *testing.T, format string) string {
	var b strings.Builder
	switch format {
	case "json":
		var lines []string
		for _, row := range rows {
			lines = append(lines, jsonOf(t, row))
		}
		return `{"items":[` + strings.Join(lines, ",") + `]}`
	case "jsonl":
		for _, row := range rows {
			b.WriteString(jsonOf(t, row) + "\n")
		}
	case "csv":
		w := stdcsv.NewWriter(&b)
		header := make([]string, 5)
		for i := range header {
			header[i] = textName(i)
		}
		for _, row := range append(textRows{header}, rows...) {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
	case "xml":
		b.WriteString("<items>\n")
		for _, row := range rows {
			b.WriteString(" <item>")
			for i, text := range row {
				b.WriteString("<" + textName(i) + ">")
				if err := xml.EscapeText(&b, []byte(text)); err != nil {
					t.Fatal(err)
				}
				b.WriteString("</" + textName(i) + ">")
			}
			b.WriteString("</item>\n")
		}
		b.WriteString("</items>")
	}
	return b.String()
}

func jsonOf(t *testing.T, row []string) string {
	var members []string
	for i, text := range row {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, fmt.Sprintf("%q:%s", textName(i), quoted))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// run fetches the rows in pages and returns everything that a run leaves below out.
func (rows textRows) run(t *testing.T, format, wrapper string, limit, concurrency int) map[string]string {
	t.Helper()
	response := fmt.Sprintf(`{"format": %q}`, format)
	var wrappers []string
	if wrapper != "" {
		response = fmt.Sprintf(`{"format": %q, "unpack": %s}`, format, wrapper)
		wrappers = strings.FieldsFunc(wrapper, func(r rune) bool { return strings.ContainsRune(`[]", `, r) })
	}
	config := fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/", "response": %s, "http": {"concurrency": %d, "lookahead": %d},
		"pagination": {"method": "offset", "limit": %d}}, "config": {"outputBucket": "b", "jobs": [{"endpoint": "t"}]}}`, response, concurrency, concurrency-1, limit)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, err := strconv.Atoi(r.URL.Query().Get("offset"))
		if err != nil || offset > len(rows) {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		body, err := rows[offset:min(offset+limit, len(rows))].packed(t, format, wrappers)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(body) // a client that is gone has its own error
	}))
	if got := w.runs(t, config); got.exit != 0 {
		t.Fatalf("exit %d: %sthe rows:\n%s", got.exit, got.stderr, rows.write(t, format))
	}
	files := readTree(t, w.dir)
	delete(files, "config.json")
	return files
}

// packed writes rows into wrappers. In a zip they are two files, in each zip around it
// one of them and the other.
func (rows textRows) packed(t *testing.T, format string, wrappers []string) ([]byte, error) {
	if len(wrappers) == 0 {
		return []byte(rows.write(t, format)), nil
	}
	if wrappers[0] != "zip" {
		body, err := rows.packed(t, format, wrappers[1:])
		if err != nil {
			return nil, err
		}
		return packed(wrappers[:1], body)
	}
	var files []zipFile
	for i, part := range []textRows{rows[:len(rows)/2], rows[len(rows)/2:]} {
		body, err := part.packed(t, format, wrappers[1:])
		if err != nil {
			return nil, err
		}
		files = append([]zipFile{{strconv.Itoa(i), body}}, files...) // not in the order of their names
	}
	return zipped(files)
}
