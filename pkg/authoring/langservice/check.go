package langservice

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/config/source"
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
// if the text is longer than MaxText.
func Check(ctx context.Context, text []byte, o load.Options) []Finding {
	if len(text) > MaxText {
		return nil
	}
	places := source.New(text)
	var all []Finding
	for _, f := range diagnostic.Check(ctx, "", text, o).Findings {
		start := columnOffset(text, places.Line(f.Line), f.Column)
		all = append(all, withTitle(Finding{Finding: f, Start: start, End: endOfToken(string(text), start)}))
	}
	return all
}

// withTitle returns the finding with the title of its code.
func withTitle(f Finding) Finding {
	if entry, ok := diagnostic.Lookup(string(f.Code)); ok {
		f.Title = entry.Title
	}
	return f
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

// CheckPart checks a document that contains the text, such as a configuration merged with
// one of its rows. It returns only the findings for values of the text.
func CheckPart(ctx context.Context, text, whole []byte, o load.Options) []Finding {
	places := source.New(text)
	var all []Finding
	findings := Check(ctx, whole, o)
	if len(text) <= MaxText { // duplicate keys are lost in whole, which is made of parsed values
		for _, f := range diagnostic.Warnings(load.Duplicates(text)) {
			findings = append(findings, withTitle(Finding{Finding: f}))
		}
	}
	for _, f := range findings {
		if _, at, found := places.Find(f.Pointer); !found || at != f.Pointer {
			continue
		}
		mark := diagnostic.Mark(places, f.Finding)
		f.Start, f.End = mark.Start, mark.End
		f.Line, f.Column = places.Position(f.Start)
		all = append(all, f)
	}
	return all
}
