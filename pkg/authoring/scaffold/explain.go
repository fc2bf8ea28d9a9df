package scaffold

import (
	"fmt"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
)

// explanation describes the guesses, the result of a rehearsal and the next steps.
func (b *exampleInit) explanation(x example.Exchange, p *infer.Result, tried string) string {
	var t strings.Builder
	fmt.Fprintf(&t, "A configuration that fetches the table '%s', guessed from %s:\n", p.Table, Asked(x))
	for _, g := range p.Guesses {
		fmt.Fprintf(&t, "\n%s (%s): %s\n", g.Subject, g.Confidence, g.Value)
		fmt.Fprintf(&t, "  evidence: %s\n", g.Evidence)
		fmt.Fprintf(&t, "  at %s\n", g.Pointer)
	}
	if len(p.Notes) > 0 {
		t.WriteString("\nNotes:\n")
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&t, "- %s\n", note)
	}
	text := b.secrets.Mask(t.String())
	return text + tried + "\n" + aboutIncomplete + "\n" + b.next()
}

// aboutIncomplete explains `onIncomplete`. Every new configuration sets it to "fail".
const aboutIncomplete = `A run fails if a response shows that data is missing; set "onIncomplete" to "warn" to get a warning instead.`

// next names the file of the configuration and the commands to run next.
func (b *exampleInit) next() string {
	if b.Out == "" {
		return "\nCredentials are hidden here. To write the configuration with its credentials, add --out FILE.\n"
	}
	text := fmt.Sprintf("\nWritten to %s, which only you can read. Next:\n", b.Out)
	text += "  extractor validate " + quoted(b.Out) + "\n"
	if filepath.Base(b.Out) == "config.json" {
		return text + "  extractor run " + quoted(filepath.Dir(b.Out)) + "\n"
	}
	return text + "  extractor run DIR, where DIR is a directory with this file as config.json\n"
}

func quoted(path string) string {
	text, err := syntax.Quote(path, syntax.LangBash)
	if err != nil {
		return path // the path has a character that no shell word can contain
	}
	return text
}
