package langservice

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// Finding is a problem, with the part of the text to mark.
type Finding struct {
	diagnostic.Finding
	// Start and End are the name, the scalar or the bracket to mark.
	Start, End int
	// Title names the kind of problem in a few words.
	Title string
}

// Check finds what `extractor validate` finds in a text.
func Check(ctx context.Context, text []byte, o load.Options) []Finding {
	if len(text) > MaxText {
		return nil
	}
	places := source.New(text)
	var all []Finding
	for _, f := range diagnostic.Check(ctx, "", text, o).Findings {
		start := characters(text, places.Line(f.Line), f.Column)
		all = append(all, titled(Finding{Finding: f, Start: start, End: endOfToken(string(text), start)}))
	}
	return all
}

// titled returns the finding with the title of its code.
func titled(f Finding) Finding {
	if entry, ok := diagnostic.Lookup(string(f.Code)); ok {
		f.Title = entry.Title
	}
	return f
}

// characters returns the offset of a column, from 1, in a line.
func characters(text []byte, line source.Span, column int) int {
	for i := range string(text[line.Start:line.End]) {
		if column--; column <= 0 {
			return line.Start + i
		}
	}
	return line.End
}

// endOfToken returns the end of the text, the word or the bracket at an offset.
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

// CheckPart checks a document of which the text is a part, such as a row that is merged with
// its configuration. It returns the findings about what is in the text.
func CheckPart(ctx context.Context, text, whole []byte, o load.Options) []Finding {
	places := source.New(text)
	var all []Finding
	findings := Check(ctx, whole, o)
	if len(text) <= MaxText { // whole is made of parsed values, which have each key once
		for _, f := range diagnostic.Warnings(load.Duplicates(text)) {
			findings = append(findings, titled(Finding{Finding: f}))
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
