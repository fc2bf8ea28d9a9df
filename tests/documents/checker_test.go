package documents

import (
	"fmt"
	"maps"
	"testing"
)

// TestAnchor: anchors are those of GitHub.
func TestAnchor(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{
		"Run it":                           "run-it",
		"`config.jobs[].dataField`":        "configjobsdatafield",
		"What `--full` does, and when":     "what---full-does-and-when",
		"A [link](page.md#there) and text": "a-link-and-text",
		"Überall: snake_case!":             "überall-snake_case",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("%q: got %q, want %q", heading, got, want)
		}
	}
}

// TestReadPage: links in code do not count, nor do headings; equal headings are numbered,
// and a section ends at the next heading of its level.
func TestReadPage(t *testing.T) {
	t.Parallel()
	const (
		below = "### Below\n\n```sh\n# no heading\n[no](no.md)\n```\n\n"
		same  = "## Same\n\none\n\n" + below
		same1 = "## Same\n\n<img src=\"c.svg\">\n"
		text  = "# Title\n\nA [page](a.md#x \"hint\"), `[code](no.md)`, ![a picture](b.png).\n\n" + same + same1
	)
	p := parsePage(t, "page.md", text)
	if got, want := fmt.Sprint(p.links()), "[{3 a.md#x} {3 b.png} {18 c.svg}]"; got != want {
		t.Errorf("links: got %s, want %s", got, want)
	}
	sections := map[string]string{}
	for anchor, s := range p.anchors {
		sections[anchor] = p.text[s.from:s.to]
	}
	if want := map[string]string{"title": text, "same": same, "below": below, "same-1": same1}; !maps.Equal(sections, want) {
		t.Errorf("sections: got %q, want %q", sections, want)
	}
}
