package devstack

import (
	"os"
	"strings"
	"testing"
)

// block is one fenced block of a Markdown document.
type block struct {
	line  int    // of the opening fence, from 1
	lang  string // the first word of the info string
	attrs map[string]string
	text  string // with the final line break
}

// document is a Markdown file as its fenced blocks and the text between them.
type document struct {
	path   string
	prose  []string // prose[i] is before blocks[i], the last one at the end
	blocks []block
}

// readDocument splits a Markdown file. Further words of an info string are
// attributes: "json file=config.json".
func readDocument(t *testing.T, path string) *document {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := &document{path: path}
	var prose, body strings.Builder
	var open *block
	for i, line := range strings.SplitAfter(string(text), "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "```")
		switch {
		case open == nil && isFence:
			open = newBlock(i+1, fence)
			prose.WriteString(line)
		case open == nil:
			prose.WriteString(line)
		case isFence:
			open.text = body.String()
			d.blocks, d.prose = append(d.blocks, *open), append(d.prose, prose.String())
			open = nil
			body.Reset()
			prose.Reset()
			prose.WriteString(line)
		default:
			body.WriteString(line)
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block is not closed", path, open.line)
	}
	d.prose = append(d.prose, prose.String())
	return d
}

func newBlock(line int, info string) *block {
	words := strings.Fields(info)
	b := &block{line: line, attrs: map[string]string{}}
	if len(words) > 0 {
		b.lang = words[0]
		for _, word := range words[1:] {
			name, v, _ := strings.Cut(word, "=")
			b.attrs[name] = v
		}
	}
	return b
}

// write saves the document with the present texts of its blocks.
func (d *document) write(t *testing.T) {
	t.Helper()
	var text strings.Builder
	for i, b := range d.blocks {
		text.WriteString(d.prose[i] + b.text)
	}
	text.WriteString(d.prose[len(d.blocks)])
	if err := os.WriteFile(d.path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
