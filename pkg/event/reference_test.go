package event

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// reference is docs/reference/events.md as a program reads it.
type reference struct {
	kinds    []string            // of the table of kinds, "name level"
	order    []string            // of the sections
	fields   map[string][]string // of each section, "name type"
	examples map[string][]string // of each section
}

var (
	kindRow  = regexp.MustCompile("^\\| \\[`([a-z.]+)`\\]\\(#([a-z]+)\\) \\| (\\w+) \\| .+ \\|$")
	fieldRow = regexp.MustCompile("^\\| `(\\w+)` \\| ([a-z, ]+) \\| .+ \\|$")
	heading  = regexp.MustCompile(`^### ([a-z.]+)$`)
)

func readReference(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, kinds, found := strings.Cut(string(text), "## Kinds of events\n")
	if !found {
		t.Fatal("docs/reference/events.md has no section on kinds")
	}
	ref := reference{fields: map[string][]string{}, examples: map[string][]string{}}
	section := ""
	for line := range strings.SplitSeq(kinds, "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
			ref.order = append(ref.order, section)
		} else if m := kindRow.FindStringSubmatch(line); m != nil {
			ref.kinds = append(ref.kinds, m[1]+" "+m[3])
			if anchor := strings.ReplaceAll(m[1], ".", ""); m[2] != anchor {
				t.Errorf("the link of %s leads to #%s, want #%s", m[1], m[2], anchor)
			}
		} else if m := fieldRow.FindStringSubmatch(line); m != nil {
			ref.fields[section] = append(ref.fields[section], m[1]+" "+m[2])
		} else if strings.HasPrefix(line, "{") {
			ref.examples[section] = append(ref.examples[section], line)
		} else if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && !strings.Contains(line, "| meaning |") && !strings.Contains(line, "| when |") {
			t.Errorf("a row that is neither a kind nor a field: %s", line)
		}
	}
	return ref
}

// typeNames are the words of the reference for the types of fields.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[string]():   "string",
	reflect.TypeFor[[]string](): "list of strings",
	reflect.TypeFor[bool]():     "boolean",
	reflect.TypeFor[int]():      "integer",
	reflect.TypeFor[int64]():    "integer",
	reflect.TypeFor[float64]():  "number",
}

func TestReference(t *testing.T) {
	ref := readReference(t)
	var kinds, order []string
	for _, body := range Bodies() {
		kinds = append(kinds, KindOf(body)+" "+string(body.Level()))
		order = append(order, KindOf(body))
		var fields []string
		for i, typ := 0, reflect.TypeOf(body); i < typ.NumField(); i++ {
			name, optional := tagOf(typ.Field(i))
			if name == "" {
				continue // no sink shows it
			}
			words, known := typeNames[typ.Field(i).Type]
			if !known {
				t.Errorf("%s: field %s has a type that no sink knows", KindOf(body), name)
			}
			if optional {
				words += ", optional"
			}
			fields = append(fields, name+" "+words)
		}
		if got := ref.fields[KindOf(body)]; !reflect.DeepEqual(got, fields) {
			t.Errorf("%s: the reference has the fields\n%q, want\n%q", KindOf(body), got, fields)
		}
	}
	if !reflect.DeepEqual(ref.kinds, kinds) {
		t.Errorf("the table of kinds has\n%q, want\n%q", ref.kinds, kinds)
	}
	if !reflect.DeepEqual(ref.order, order) {
		t.Errorf("the sections are\n%q, want\n%q", ref.order, order)
	}
}

// An example of the reference is what the sink writes for its fields: JSON lines,
// or GELF for events that no line shows.
func TestReferenceExamples(t *testing.T) {
	ref := readReference(t)
	for _, empty := range Bodies() {
		if len(ref.examples[KindOf(empty)]) == 0 {
			t.Errorf("%s has no example", KindOf(empty))
		}
		for _, example := range ref.examples[KindOf(empty)] {
			if empty.Level() == Debug {
				checkGELFExample(t, empty, example)
				continue
			}
			body := reflect.New(reflect.TypeOf(empty))
			var head struct{ Time time.Time }
			if err := json.Unmarshal([]byte(example), body.Interface()); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			if err := json.Unmarshal([]byte(example), &head); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			var out bytes.Buffer
			log := NewLog(NewJSON(&out), secretsOf(), func() time.Time { return head.Time })
			log.Emit(body.Elem().Interface().(Body))
			if got := strings.TrimSuffix(out.String(), "\n"); got != example {
				t.Errorf("the example\n%s\nis written as\n%s", example, got)
			}
		}
	}
}

// checkGELFExample reads an example of a message and writes it again.
func checkGELFExample(t *testing.T, empty Body, example string) {
	t.Helper()
	var head struct {
		Host      string
		Timestamp float64
	}
	if err := json.Unmarshal([]byte(example), &head); err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	body := reflect.New(reflect.TypeOf(empty))
	if err := json.Unmarshal([]byte(strings.ReplaceAll(example, `"_`, `"`)), body.Interface()); err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	var sent Event
	log := NewLog(keep(func(e Event) { sent = e }), secretsOf(), func() time.Time { return time.UnixMilli(int64(head.Timestamp * 1000)) })
	log.Emit(body.Elem().Interface().(Body))
	got := (&gelf{host: head.Host}).encode(sent)
	if string(bytes.TrimSuffix(got, []byte{0})) != example {
		t.Errorf("the example\n%s\nis sent as\n%s", example, got)
	}
}

// keep is a sink that hands each event on.
type keep func(Event)

func (k keep) Write(e Event) error { k(e); return nil }
func (k keep) Close() error        { return nil }
