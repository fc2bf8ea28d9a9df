package apis

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// matrix is the table of all APIs in a page.
var matrix = regexp.MustCompile(`(?ms)^\| API \| authentication \|.*?\n\n`)

// TestMatrix: the index of the gallery and the README have one row for each API. The
// rows are made of the configurations.
func TestMatrix(t *testing.T) {
	all := gallery.All()
	for file, directory := range map[string]string{pages + "/README.md": "", "../../README.md": "docs/apis/"} {
		table := "| API | authentication | paging | incremental | asynchronous | format |\n|---|---|---|---|---|---|\n"
		for _, api := range all {
			table += fmt.Sprintf("| [%s](%s%s.md) | %s |\n", api.Title, directory, api.Name, strings.Join(featuresOf(t, api.Name), " | "))
		}
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := matrix.FindAllIndex(page, -1)
		if len(found) != 1 {
			t.Fatalf("%s has %d tables of APIs, want one", file, len(found))
		}
		golden.File(t, file, string(slices.Concat(page[:found[0][0]], []byte(table+"\n"), page[found[0][1]:])))
	}
}

// featuresOf are the cells of an API: authentication, paging, incremental, asynchronous and
// format.
func featuresOf(t *testing.T, name string) []string {
	t.Helper()
	known, err := gallery.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(known.Config, &doc); err != nil {
		t.Fatal(err)
	}
	parameters := member(doc, "parameters")
	api := member(parameters, "api")
	found := features{}
	found.walk("", member(api, "pagination"))
	found.walk("", member(api, "http", "defaultOptions"))
	found.walk("", member(parameters, "config"))
	found.walk("", member(api, "response"))
	return []string{
		authenticationOf(api, member(parameters, "aws")),
		found.list("paging", "one page"),
		found.list("incremental", "no"),
		found.list("asynchronous", "no"),
		found.list("format", "JSON"),
	}
}

// features collects words by the column of the matrix.
type features map[string][]string

func (f features) add(column, word string) {
	if !slices.Contains(f[column], word) {
		f[column] = append(f[column], word)
	}
}

func (f features) list(column, none string) string {
	if len(f[column]) == 0 {
		return none
	}
	slices.Sort(f[column])
	return strings.Join(f[column], ", ")
}

// walk looks at a value and all values in it. name is its key.
func (f features) walk(name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			f.walk(name, item)
		}
	case object:
		for key, member := range v {
			if key != "mappings" { // its keys are names of columns
				f.walk(key, member)
			}
		}
	case string:
		switch {
		case name == "method" && v != "GET" && v != "POST" && v != "FORM" && v != "multiple":
			f.add("paging", "`"+v+"`")
		case name == "do" && v == "poll":
			f.add("asynchronous", "yes")
		case name == "format" && slices.Contains([]string{"csv", "jsonl", "xml", "text"}, v):
			f.add("format", map[string]string{"csv": "CSV", "jsonl": "JSON lines", "xml": "XML", "text": "text"}[v])
		case name == "unpack":
			f.add("format", v)
		case name == "remembered":
			f.add("incremental", "what changed")
		case name == "time" && v == "previousStart":
			f.add("incremental", "what changed")
		case name == "step":
			f.add("incremental", "by windows")
		}
	}
}

// authenticationOf describes how the requests authenticate.
func authenticationOf(api, aws any) string {
	if kind, ok := member(api, "authentication", "type").(string); ok {
		return "`" + kind + "`"
	}
	if aws != nil {
		return "AWS signature"
	}
	for _, place := range [][]string{{"http", "headers"}, {"http", "defaultOptions", "headers"}, {"http", "defaultOptions", "params"}} {
		parts, _ := member(api, place...).(object)
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			text, err := json.Marshal(parts[name])
			if err != nil || !strings.Contains(string(text), `"#`) {
				continue
			}
			switch {
			case strings.Contains(string(text), `"Bearer `):
				return "bearer token"
			case place[len(place)-1] == "params":
				return "key in the query"
			default:
				return "header `" + name + "`"
			}
		}
	}
	return "none"
}

// member returns the value at a path, nil where there is none.
func member(v any, path ...string) any {
	for _, name := range path {
		object, ok := v.(object)
		if !ok {
			return nil
		}
		v = object[name]
	}
	return v
}
