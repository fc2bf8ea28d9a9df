package functional

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/load"
)

const guides = "../../docs/how-to"

// guideBlock is a block of a guide that shows something of a case: how, and of which one.
var guideBlock = regexp.MustCompile("(?ms)^```[a-z]+ (file|part|console|plan|validate|report)=((?:[a-z]+-[a-z0-9-]+)(?:/\\S+)?)\n(.*?)^```$")

// inGuide are the ways to show a case. Each returns the text that the guide must show, or
// reports that what it shows is not there and returns that.
var inGuide = map[string]func(t *testing.T, c *testCase, shown string) string{
	"console":  consoleInGuide,
	"plan":     planInGuide,
	"validate": validateInGuide,
	"part":     partInGuide,
	"report":   reportInGuide,
}

// TestGuides: the configurations, requests, tables and outputs that the pages of docs/how-to
// show are those of cases, and every case that is made for a page is shown there.
func TestGuides(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(guides, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{} // the cases of each page
	for _, page := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			shown[page] = checkGuide(t, page)
		})
	}
	for _, name := range caseNames(t) {
		if !strings.HasPrefix(name, "guide-") {
			continue
		}
		c := caseOf(t, name)
		page := filepath.Join("..", "..", pageOfCase.FindString(c.Description))
		if !slices.Contains(pages, page) {
			if info, err := os.Stat(page); err != nil || info.IsDir() {
				t.Errorf("the description of %s names no page: %s", name, c.Description)
			}
			continue // a test of its own compares that page
		}
		if names, wasRead := shown[page]; wasRead && !slices.Contains(names, name) {
			t.Errorf("%s does not show its case %s", page, name)
		}
	}
}

// pageOfCase is the page that the description of a case names.
var pageOfCase = regexp.MustCompile(`docs/[a-z/-]+\.md`)

// checkGuide compares the blocks of a page with their cases and returns the names of these.
func checkGuide(t *testing.T, page string) []string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	updated := guideBlock.ReplaceAllStringFunc(string(text), func(whole string) string {
		block := guideBlock.FindStringSubmatch(whole)
		how, name, shown := block[1], block[2], block[3]
		want := ""
		file := ""
		if how == "file" {
			name, file, _ = strings.Cut(name, "/")
			if _, err := os.Stat(archiveOf(name)); errors.Is(err, fs.ErrNotExist) {
				return whole // it is a file of a session at a terminal
			}
		}
		c, err := readCase(name)
		if err != nil {
			t.Error(err)
			return whole
		}
		if how == "file" {
			text, err := fs.ReadFile(c.files, file)
			if err != nil {
				t.Error(err)
			}
			want = inPublic(string(text))
		} else {
			want = inGuide[how](t, c, shown)
		}
		names = append(names, name)
		lost := strings.Contains(shown, ellipsis) && !strings.Contains(want, ellipsis)
		if shown != want && (!golden.Update(t) || lost) {
			t.Errorf("%s=%s is shown as\n%swant\n%s", how, block[2], shown, want)
		}
		if lost {
			return whole // choose its parts again
		}
		return strings.TrimSuffix(whole, shown+"```") + want + "```"
	})
	if golden.Update(t) && updated != string(text) {
		if err := os.WriteFile(page, []byte(updated), 0o644); err != nil {
			t.Error(err)
		}
	}
	return names
}

// inPublic puts TLS into a text of a case: a guide is a model, and the API of a test has no
// certificate.
func inPublic(text string) string {
	const namespaces = "http://schemas.xmlsoap.org/" // names that no one requests
	return strings.NewReplacer(namespaces, namespaces, "http://", "https://").Replace(text)
}

// guideRun runs a case with readable events, and with a report if a directory is given for
// it. In the output the data directory is my-data.
func guideRun(t *testing.T, c *testCase, report string) (stdout string) {
	t.Helper()
	w, api := c.world(t)
	w.options.LogFormat, w.options.Report = "console", report
	c.fill(t, w.dir)
	got := w.run(context.Background())
	api.finish()
	if got.exit != c.Exit {
		t.Errorf("%s: exit code %d, want %d: %s", c.name, got.exit, c.Exit, got.stderr)
	}
	return strings.ReplaceAll(inPublic(got.stdout), w.dir, "my-data")
}

// consoleInGuide is what a run prints at a terminal.
func consoleInGuide(t *testing.T, c *testCase, shown string) string {
	return excerpt(shown, guideRun(t, c, ""))
}

// planInGuide is what plan prints.
func planInGuide(t *testing.T, c *testCase, shown string) string {
	text, o := c.guideOptions(t)
	p, err := plan.Of(context.Background(), text, plan.Options{Options: o, Version: version, Rand: sameNonce{}})
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return shown
	}
	var out bytes.Buffer
	if err := p.WriteText(&out); err != nil {
		t.Error(err)
	}
	return excerpt(shown, inPublic(out.String()))
}

// validateInGuide is what validate prints.
func validateInGuide(t *testing.T, c *testCase, shown string) string {
	text, o := c.guideOptions(t)
	var out bytes.Buffer
	found := diagnostic.Check(context.Background(), "config.json", text, o)
	if err := diagnostic.WriteText(&out, []*diagnostic.Report{found}, false); err != nil {
		t.Error(err)
	}
	return excerpt(shown, inPublic(out.String()))
}

// guideOptions are the configuration of a case, and with what it is read.
func (c *testCase) guideOptions(t *testing.T) ([]byte, load.Options) {
	return []byte(inPublic(string(c.config(t)))), load.Options{Now: func() time.Time { return c.Start }, Getenv: func(name string) string { return c.Env[name] }}
}

// ellipsis is a line of an output that leaves lines out.
const ellipsis = "…\n"

// excerpt returns what a guide must show of an output: all of it; or the parts that it does
// show between lines with an ellipsis, each as many lines as it shows from the line with which
// it begins. If these lines are not there in this order, it returns all of the output.
func excerpt(shown, output string) string {
	if !strings.Contains(shown, ellipsis) {
		return output
	}
	lines, at, want := slices.Collect(strings.Lines(output)), 0, ""
	parts := strings.SplitAfter(shown, ellipsis)
	for i, part := range parts {
		part, omits := strings.CutSuffix(part, ellipsis)
		size := strings.Count(part, "\n")
		first, _, _ := strings.Cut(part, "\n")
		from := at
		if i > 0 && size > 0 {
			from = at + slices.Index(lines[at:], first+"\n")
		}
		if from < at || from+size > len(lines) || !omits && from+size < len(lines) && size > 0 {
			return output
		}
		at = from + size
		want += strings.Join(lines[from:at], "")
		if omits {
			want += ellipsis
		}
	}
	return want
}

// partInGuide is a value that stands somewhere in the configuration.
func partInGuide(t *testing.T, c *testCase, shown string) string {
	return part(t, c, shown, inPublic(string(c.config(t))), func(found, want any) bool { return reflect.DeepEqual(found, want) })
}

// reportInGuide is some object of the report, of which the guide may leave members out.
func reportInGuide(t *testing.T, c *testCase, shown string) string {
	dir := t.TempDir()
	guideRun(t, c, dir)
	report, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Error(err)
	}
	return part(t, c, shown, inPublic(string(report)), func(found, want any) bool {
		members, ok := found.(map[string]any)
		wanted, isObject := want.(map[string]any)
		for name, value := range wanted {
			ok = ok && reflect.DeepEqual(members[name], value)
		}
		return ok && isObject
	})
}

// part checks that a document has a value that matches what is shown.
func part(t *testing.T, c *testCase, shown, document string, matches func(found, want any) bool) string {
	t.Helper()
	var want, all any
	if err := json.Unmarshal([]byte(shown), &want); err != nil {
		t.Errorf("%s: %v in\n%s", c.name, err, shown)
		return shown
	}
	if err := json.Unmarshal([]byte(document), &all); err != nil {
		t.Errorf("%s: %v", c.name, err)
		return shown
	}
	var holds func(any) bool
	holds = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for _, member := range v {
				if holds(member) {
					return true
				}
			}
		case []any:
			if slices.ContainsFunc(v, holds) {
				return true
			}
		}
		return matches(v, want)
	}
	if !holds(all) {
		t.Errorf("%s has no such part:\n%sin\n%s", c.name, shown, document)
	}
	return shown
}

// TestExcerpt: parts of an output count in their order only, and as whole lines.
func TestExcerpt(t *testing.T) {
	const output = "one\n  two\nthree\nfour\n"
	for shown, want := range map[string]string{
		"one\n":                        output,
		output:                         output,
		"one\n…\nfour\n":               "one\n…\nfour\n",
		"…\n  two\n…\n":                "…\n  two\n…\n",
		"one\n  two\nthree\n…\nfour\n": "one\n  two\nthree\n…\nfour\n",
		"zero\n…\n  two\nold\n…\n":     "one\n…\n  two\nthree\n…\n",
		"…\nfour\n…\n  two\n":          output,
		"…\nwo\n…\n":                   output,
		"one\n…\nfive\n":               output,
		"…\nthree\n":                   output,
		"…\nfour\nfive\n":              output,
	} {
		if got := excerpt(shown, output); got != want {
			t.Errorf("%q: got %q, want %q", shown, got, want)
		}
	}
}

// TestReferenceOfFiles: the configuration, the responses, the tables, the manifests and the
// state that docs/reference/files.md shows are those of its case.
func TestReferenceOfFiles(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/files.md")
	if err != nil {
		t.Fatal(err)
	}
	c := caseOf(t, "guide-files")
	read := func(name string) []byte {
		t.Helper()
		content, err := fs.ReadFile(c.files, name)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.TrimRight(content, "\n")
	}
	responses := regexp.MustCompile(`(?s)\n200\n\n(.*?)(?:\n===|$)`).FindAllSubmatch(read("api/requests.txt"), -1)
	if len(responses) != 3 {
		t.Fatalf("the case has %d answers", len(responses))
	}
	block := func(language string, content []byte) string {
		return "```" + language + "\n" + string(content) + "\n```\n"
	}
	for what, want := range map[string]string{
		"the configuration":      block("json", read("config.json")),
		"the users":              block("json", responses[0][1]),
		"the orders":             "first user are `" + string(responses[1][1]) + "`, those of the second `" + string(responses[2][1]) + "`",
		"crm.users":              block("csv", read("expected/tables/crm.users")),
		"crm.users_tags":         block("csv", read("expected/tables/crm.users_tags")),
		"crm.orders":             block("csv", read("expected/tables/crm.orders")),
		"the manifest of users":  block("json", read("expected/tables/crm.users.manifest")),
		"the manifest of orders": block("json", read("expected/tables/crm.orders.manifest")),
		"the state":              block("json", read("expected/state.json")),
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page does not show %s of its case:\n%s", what, want)
		}
	}
	if blocks := bytes.Count(text, []byte("\n```\n")); blocks != 8 {
		t.Errorf("the page has %d blocks, 8 are compared", blocks)
	}
}

// TestReferenceOfActions: the responses of actions in docs/reference/platform-api.md are those
// of their cases.
func TestReferenceOfActions(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/platform-api.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindAllSubmatch(text, -1)
	cases := []string{"action-test-request", "action-validate", "action-test-request-fails"}
	if len(blocks) != len(cases) {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	for i, name := range cases {
		c := caseOf(t, name)
		if strings.TrimSpace(c.response) != string(bytes.TrimSpace(blocks[i][1])) {
			t.Errorf("the page does not show the response of %s:\n%s", name, c.response)
		}
	}
}
