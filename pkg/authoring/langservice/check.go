package langservice

import (
	"bytes"
	"context"

	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// Finding is a problem and the range of the text to mark.
type Finding struct {
	diagnostic.Finding
	// Start and End are the offsets of the name, the scalar or the bracket to mark.
	Start, End int
	Title      string
}

// Check returns the problems that `extractor validate` reports for a text. It returns nil
// if the text is longer than MaxText. If whole is not nil, it is a document that contains
// the text, such as a configuration merged with one of its rows. Check then checks the
// whole document and returns only the findings for values of the text.
func Check(ctx context.Context, text, whole []byte, o load.Options) []Finding {
	if whole == nil {
		whole = text
	}
	if len(text) > MaxText || len(whole) > MaxText {
		return nil
	}
	places := source.New(text)
	var all []Finding
	add := func(f diagnostic.Finding, start, end int) {
		entry, _ := diagnostic.Lookup(string(f.Code))
		all = append(all, Finding{Finding: f, Start: start, End: end, Title: entry.Title})
	}
	findings := diagnostic.Check(ctx, "", whole, o).Findings
	if bytes.Equal(text, whole) {
		for _, f := range findings {
			start := columnOffset(text, places.Line(f.Line), f.Column)
			add(f, start, endOfToken(string(text), start))
		}
		return all
	}
	// Duplicate keys are lost in whole, which is made of parsed values.
	for _, f := range append(findings, diagnostic.Findings(diagnostic.Warning, load.Duplicates(text)...)...) {
		if _, at, found := places.Find(f.Pointer); found && at == f.Pointer {
			mark := diagnostic.Mark(places, f)
			f.Line, f.Column = places.Position(mark.Start)
			add(f, mark.Start, mark.End)
		}
	}
	return all
}

// columnOffset returns the offset of a column in a line. Columns count characters from 1.
func columnOffset(text []byte, line source.Span, column int) int {
	for i := range string(text[line.Start:line.End]) {
		if column--; column <= 0 {
			return line.Start + i
		}
	}
	return line.End
}

// endOfToken returns the end of the text, word or bracket at an offset.
func endOfToken(text string, start int) int {
	if start >= len(text) {
		return len(text)
	}
	if text[start] == '"' {
		end, _ := endOfText(text, start)
		return end
	}
	return endOfWord(text, start)
}
