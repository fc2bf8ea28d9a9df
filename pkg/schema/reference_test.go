package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// referenceMark separates the written part from the generated one.
const referenceMark = "<!-- Generated from the declarations of settings by: go test ./pkg/schema -update -->\n"

// TestReference: the keys on the page are those of the schema. What follows the table of
// a section until the next one is written by hand, and stays.
func TestReference(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "reference", "configuration.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	introduction, generated, ok := strings.Cut(string(text), referenceMark)
	if !ok {
		t.Fatalf("%s lacks the line that begins the generated part", file)
	}
	r := newReference(t, schema.Default())
	r.notes = notes(generated)
	golden.File(t, file, introduction+referenceMark+"\n"+r.text())
	for title := range r.notes {
		t.Errorf("there are notes on %q, which is not a section", title)
	}
}

// notes are the texts behind the tables of a page, by the headings of their sections.
func notes(page string) map[string]string {
	all := map[string]string{}
	for _, section := range strings.Split(page, "\n### ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		if _, table, ok := strings.Cut(rest, tableHead); ok {
			if _, note, ok := strings.Cut(table, "\n\n"); ok && strings.TrimSpace(note) != "" {
				all[title] = strings.TrimSpace(note)
			}
		}
	}
	return all
}

const tableHead = "| key | type | default | meaning | example |\n|---|---|---|---|---|\n"

// reference renders the schema: one section for each object, at the path where
// it is met first.
type reference struct {
	t      *testing.T
	schema value.Value
	titles map[string]string // pointer of an object in the schema to its heading
	order  []string
	notes  map[string]string // heading to what is written by hand; text takes them out
}

func newReference(t *testing.T, l *schema.Language) *reference {
	schema, err := value.Parse(l.Schema())
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{t: t, schema: schema, titles: map[string]string{}}
	r.discover("", "")
	r.titles["/$defs/expression"] = "Value expressions"
	r.order = append(r.order, "/$defs/expression")
	return r
}

// resolve follows references to the part of the schema that says something.
func (r *reference) resolve(pointer string) (value.Value, string) {
	node, ok := r.schema.Find(failure.PointerSplit(pointer))
	if !ok {
		r.t.Fatalf("nothing at %s of the schema", pointer)
	}
	if ref := node.Field("$ref").Raw(); ref != "" {
		return r.resolve(strings.TrimPrefix(ref, "#"))
	}
	return node, pointer
}

func (r *reference) discover(pointer, path string) {
	node, at := r.resolve(pointer)
	if _, seen := r.titles[at]; seen {
		return
	}
	if node.Field("properties").Len() > 0 {
		r.titles[at] = path
		r.order = append(r.order, at)
	}
	for _, m := range node.Field("properties").Members() {
		r.discover(at+"/properties/"+m.Name, join(path, m.Name))
	}
	if !node.Field("items").IsNull() {
		r.discover(at+"/items", path+"[]")
	}
	if node.Field("additionalProperties").Kind() == value.Object && node.Field("items").IsNull() {
		r.discover(at+"/additionalProperties", path+".<name>")
	}
}

func join(path, name string) string {
	path = strings.TrimPrefix(path, "parameters")
	return strings.TrimPrefix(path+"."+name, ".")
}

func (r *reference) text() string {
	var b strings.Builder
	b.WriteString("## Keys\n\n")
	for _, pointer := range r.order {
		title := heading(r.titles[pointer])
		fmt.Fprintf(&b, "- [%s](#%s)\n", title, anchor(title))
	}
	for _, pointer := range r.order {
		node, _ := r.schema.Find(failure.PointerSplit(pointer))
		title := heading(r.titles[pointer])
		fmt.Fprintf(&b, "\n### %s\n\n", title)
		if pointer == "/$defs/expression" {
			b.WriteString("A literal, or an object that is evaluated: a reference such as `{\"attr\": \"name\"}` or a function call. [expressions.md](expressions.md) describes all of them.\n")
			continue
		}
		fmt.Fprintf(&b, "%s\n\n%s", node.Field("description").Raw(), tableHead)
		for _, m := range node.Field("properties").Members() {
			b.WriteString(r.row(node, pointer, m))
		}
		if note, ok := r.notes[title]; ok {
			b.WriteString("\n" + note + "\n")
			delete(r.notes, title)
		}
	}
	return b.String()
}

func (r *reference) row(parent value.Value, pointer string, m value.Member) string {
	at := pointer + "/properties/" + m.Name
	fallback := "–"
	if d, ok := m.Value.Get("default"); ok {
		fallback = "`" + d.JSON() + "`"
	}
	if slices.Contains(texts(parent.Field("required")), m.Name) {
		fallback = "required"
	}
	meaning := m.Value.Field("description").Raw()
	if node, _ := r.resolve(at); !node.Field("enum").IsNull() && !strings.Contains(meaning, "`"+node.Field("enum").Items()[0].Raw()+"`") {
		meaning += " One of `" + strings.Join(texts(node.Field("enum")), "`, `") + "`."
	}
	var examples []string
	for _, e := range m.Value.Field("examples").Items() {
		examples = append(examples, "`"+e.JSON()+"`")
	}
	example := strings.Join(examples, " or ")
	if example == "" {
		example = "see there"
	}
	cells := []string{"`" + m.Name + "`", r.typeOf(at), fallback, meaning, example}
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// typeOf names a type, with a link where it has a section.
func (r *reference) typeOf(pointer string) string {
	node, at := r.resolve(pointer)
	if title, ok := r.titles[at]; ok {
		name := "object"
		if types := texts(node.Field("type")); len(types) > 1 {
			name = words(types)
		}
		return "[" + name + "](#" + anchor(heading(title)) + ")"
	}
	items := at + "/items"
	if _, ok := r.schema.Find(failure.PointerSplit(items)); ok && at != "/$defs/columns" {
		prefix := "list of "
		switch types := texts(node.Field("type")); {
		case slices.Contains(types, "string"):
			prefix = "string or list of "
		case slices.Contains(types, "boolean"):
			prefix = "boolean or list of "
		}
		return prefix + r.typeOf(items)
	}
	if node.Field("additionalProperties").Kind() == value.Object && at != "/$defs/expressions" && at != "/$defs/params" && at != "/$defs/userData" && at != "/$defs/columns" {
		return "object of " + r.typeOf(at+"/additionalProperties")
	}
	if title := node.Field("title").Raw(); strings.HasPrefix(at, "/$defs/") && strings.Count(at, "/") == 2 {
		return title
	}
	if types := texts(node.Field("type")); len(types) > 0 {
		return words(types)
	}
	return "any"
}

func words(types []string) string {
	return strings.ReplaceAll(strings.Join(types, " or "), "array", "list")
}

func heading(title string) string {
	switch {
	case title == "":
		return "The document"
	case strings.Contains(title, " "):
		return title
	default:
		return "`" + title + "`"
	}
}

func anchor(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			return c
		case 'A' <= c && c <= 'Z':
			return c - 'A' + 'a'
		default:
			return -1
		}
	}, heading)
}

// TestSchemaIsComplete: for the reference every object has a description, and every key
// has an example unless it has a section of its own.
func TestSchemaIsComplete(t *testing.T) {
	r := newReference(t, schema.Default())
	for _, pointer := range r.order {
		node, _ := r.schema.Find(failure.PointerSplit(pointer))
		if node.Field("description").Raw() == "" {
			t.Errorf("%s has no description", pointer)
		}
		for _, m := range node.Field("properties").Members() {
			at := pointer + "/properties/" + m.Name
			_, end := r.resolve(at)
			_, section := r.titles[end]
			if !section && m.Value.Field("examples").Len() == 0 {
				t.Errorf("%s has no example", at)
			}
		}
	}
}

// TestSchemaStaysSimple: the schema uses few keywords, for which there are messages, and
// editors have a title and a description of each key, also in unused definitions.
func TestSchemaStaysSimple(t *testing.T) {
	known := []string{
		"$schema", "$id", "$ref", "$defs", "title", "description", "default", "examples", "deprecated",
		"type", "enum", "pattern", "minLength", "minItems", "minProperties", "required",
		"properties", "patternProperties", "additionalProperties", "items",
		"errorMessage", "deprecationMessage", "ignoreCase", "emptyMeans", "nullMeans",
	}
	schema, err := value.Parse(schema.Default().Schema())
	if err != nil {
		t.Fatal(err)
	}
	var check func(v value.Value, pointer string)
	check = func(v value.Value, pointer string) {
		for _, m := range v.Members() {
			at := pointer + "/" + m.Name
			if !slices.Contains(known, m.Name) {
				t.Errorf("%s: unknown keyword", at)
			}
			switch m.Name {
			case "pattern", "minLength", "minItems":
				if v.Field("errorMessage").Raw() == "" {
					t.Errorf("%s has no errorMessage beside it", at)
				}
			case "deprecated":
				if v.Field("deprecationMessage").Raw() == "" {
					t.Errorf("%s has no deprecationMessage beside it", at)
				}
			case "properties", "$defs":
				for _, property := range m.Value.Members() {
					if m.Name == "properties" && (property.Value.Field("description").Raw() == "" || property.Value.Field("title").Raw() == "") {
						t.Errorf("%s/%s lacks a title or a description", at, property.Name)
					}
					check(property.Value, at+"/"+property.Name)
				}
			case "items", "additionalProperties":
				check(m.Value, at)
			}
		}
		if m := v.Field("minProperties"); !m.IsNull() && v.Field("errorMessage").Raw() == "" && v.Field("required").Len() == 0 {
			t.Errorf("%s: minProperties needs an errorMessage or required keys", pointer)
		}
	}
	check(schema, "")
}

// texts are the strings of a list, or the one string in the place of a list.
func texts(v value.Value) []string {
	if v.Kind() == value.String {
		return []string{v.Raw()}
	}
	var all []string
	for _, item := range v.Items() {
		all = append(all, item.Raw())
	}
	return all
}
