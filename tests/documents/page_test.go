package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the directory of the repository.
const root = "../.."

// page is a Markdown file. Its lines outside of fenced blocks are prose.
type page struct {
	path    string // from root
	text    string
	prose   string // the same, with empty lines for those of blocks
	blocks  string // the lines of all blocks
	anchors map[string]*section
}

// link is a link or picture of a page.
type link struct {
	line   int // from 1
	target string
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readPage reads a page.
func readPage(t *testing.T, path string) *page {
	t.Helper()
	return parsePage(t, path, read(t, filepath.Join(root, path)))
}

func parsePage(t *testing.T, path, text string) *page {
	t.Helper()
	p := &page{path: path, text: text, anchors: map[string]*section{}}
	var prose, blocks strings.Builder
	var open []*section
	fence, at := "", 0
	for line := range strings.Lines(p.text) {
		shown, mark := line, fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence, shown = mark, "\n"
		case fence != "" && mark == fence:
			fence, shown = "", "\n"
		case fence != "":
			blocks.WriteString(line)
			shown = "\n"
		}
		prose.WriteString(shown)
		if level, heading := headingOf(shown); level > 0 {
			for len(open) > 0 && open[len(open)-1].level >= level {
				open[len(open)-1].to = at
				open = open[:len(open)-1]
			}
			s := &section{level: level, from: at}
			p.anchors[p.newAnchor(heading)] = s
			open = append(open, s)
		}
		at += len(line)
	}
	for _, s := range open {
		s.to = at
	}
	if fence != "" {
		t.Errorf("%s: a block is not closed", path)
	}
	p.prose, p.blocks = prose.String(), blocks.String()
	for _, m := range named.FindAllStringSubmatch(p.prose, -1) {
		p.anchors[m[1]] = &section{}
	}
	return p
}

// section is where a heading and what is below it are in the text of a page.
type section struct{ level, from, to int }

// named is an anchor in HTML.
var named = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)

// fenceOf returns the fence that a line begins or ends a block with, "" for none.
func fenceOf(line string) string {
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(strings.TrimLeft(line, " "), fence) {
			return fence
		}
	}
	return ""
}

// headingOf returns the level and text of a heading, 0 for other lines.
func headingOf(line string) (level int, text string) {
	marks, text, found := strings.Cut(strings.TrimSpace(line), " ")
	if !found || marks == "" || strings.Trim(marks, "#") != "" {
		return 0, ""
	}
	return len(marks), text
}

// newAnchor is the anchor of the next heading of a page: a repeated one is numbered.
func (p *page) newAnchor(heading string) string {
	a := anchor(heading)
	unique := a
	for n := 1; ; n++ {
		if _, taken := p.anchors[unique]; !taken {
			return unique
		}
		unique = fmt.Sprintf("%s-%d", a, n)
	}
}

var linkInHeading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// anchor is what GitHub makes of a heading: small letters, no punctuation, hyphens for
// blanks.
func anchor(heading string) string {
	heading = linkInHeading.ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	markdown   = regexp.MustCompile(`\]\(([^()\s]+)(?: "[^"]*")?\)`)
	html       = regexp.MustCompile(`\b(?:href|src|srcset)="([^"]+)"`)
)

// links are all links and pictures of a page.
func (p *page) links() (all []link) {
	n := 0
	for line := range strings.Lines(p.prose) {
		n++
		line = inlineCode.ReplaceAllString(line, "code")
		for _, kind := range []*regexp.Regexp{markdown, html} {
			for _, m := range kind.FindAllStringSubmatch(line, -1) {
				all = append(all, link{n, m[1]})
			}
		}
	}
	return all
}

// internal splits a link into the file that it leads to, from root, and the anchor. It
// is not ok if the link leads to another site.
func (p *page) internal(target string) (file, anchor string, ok bool) {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return "", "", false
	}
	file, anchor, _ = strings.Cut(target, "#")
	if file == "" {
		return p.path, anchor, true
	}
	return filepath.Join(filepath.Dir(p.path), file), anchor, true
}
