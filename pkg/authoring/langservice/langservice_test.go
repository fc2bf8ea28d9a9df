package langservice

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// atMark is a text without its ¦, and the offset where that was.
func atMark(t testing.TB, marked string) (text string, offset int) {
	t.Helper()
	offset = strings.Index(marked, "¦")
	if offset < 0 {
		t.Fatalf("no cursor in %s", marked)
	}
	return strings.Replace(marked, "¦", "", 1), offset
}

// taken is the text after an item was chosen, with the cursor.
func taken(text string, i Item) string {
	return text[:i.Start] + i.Insert[:i.Caret] + "¦" + i.Insert[i.Caret:] + text[i.End:]
}

// job is a configuration with this text in its only job.
func job(text string) string {
	return `{"parameters": {"api": {"baseUrl": "https://h/", "pagination": {"method": "multiple", "scrollers": {"by_page": {}, "by_id": {}}}},
 "config": {"outputBucket": "{{bucket}}", "#key": "k", "region": "eu", "mappings": {"users": {}}, "jobs": [{` + text + `}]}}}`
}

func TestComplete(t *testing.T) {
	for _, row := range []struct {
		name, text string
		// first are the first labels; label is the one that is taken, and result what
		// becomes of the line with the cursor.
		first, label, result string
	}{
		{"the first key", `{¦`, "parameters", "api", `{"api": {¦}`},
		{"a key in quotes", `{"par¦"}`, "parameters", "parameters", `{"parameters": {¦}}`},
		{"a key without an end", "{\"par¦\n}", "parameters", "parameters", "{\"parameters\": {¦}\n}"},
		{"a key whose end is behind the next quote", `{"par¦: "api", "b": 1}`, "parameters", "parameters", `{"parameters"¦: "api", "b": 1}`},
		{"a bare key", `{par¦}`, "parameters", "parameters", `{"parameters": {¦}}`},
		{"the name of a member that has a value", `{"par¦": {"api": 1}}`, "parameters", "parameters", `{"parameters"¦: {"api": 1}}`},
		{"a missing comma before", `{"api": {"baseUrl": "u" ¦}}`, "name http", "http", `{"api": {"baseUrl": "u", "http": {¦}}}`},
		{"a missing comma behind", `{"api": {"ht¦" "baseUrl": "u"}}`, "http", "http", `{"api": {"http": {¦}, "baseUrl": "u"}}`},
		{"what must be there comes first", `{"parameters": {¦}}`, "api config", "config", `{"parameters": {"config": {¦}}}`},
		{"what is there is left out", `{"parameters": {"api": {}, ¦}}`, "config iterations", "", ""},
		{"a flag", job(`"endpoint": "e", "sto¦"`), "store", "store", `{"endpoint": "e", "store": false¦}`},
		{"a text", job(`"endpo¦"`), "endpoint", "endpoint", `{"endpoint": "¦"}`},
		{"a list", `{"config": {"jo¦"}}`, "jobs", "jobs", `{"config": {"jobs": [¦]}}`},
		{"a choice", `{"api": {"pagination": {"method": "off¦"}}}`, "offset", "offset", `{"api": {"pagination": {"method": "offset"¦}}}`},
		{"a choice without quotes", `{"api": {"pagination": {"method": ¦}}}`, "", "cursor", `{"api": {"pagination": {"method": "cursor"¦}}}`},
		{"a choice without a blank", `{"api": {"pagination": {"method":¦}}}`, "", "cursor", `{"api": {"pagination": {"method": "cursor"¦}}}`},
		{"keys of the chosen method", `{"api": {"pagination": {"method": "cursor", ¦}}}`, "", "idKey", `{"api": {"pagination": {"method": "cursor", "idKey": "¦"}}}`},
		{"a function", job(`"params": {"a": {"function": "sha¦"}}`), "sha1", "sha1", `{"params": {"a": {"function": "sha1"¦}}}`},
		{"a function in arguments", job(`"params": {"a": {"function": "concat", "args": [{"function": "md¦"}]}}`), "md5", "md5", `{"params": {"a": {"function": "concat", "args": [{"function": "md5"¦}]}}}`},
		{"an expression", job(`"params": {"a": {"fu¦"}}`), "function", "function", `{"params": {"a": {"function": "¦", "args": []}}}`},
		{"an expression as a value", job(`"params": {"a": ¦}`), `{"function": …}`, `{"attr": …}`, `{"params": {"a": {"attr": "¦"}}}`},
		{"an expression in a list", job(`"params": {"a": {"function": "concat", "args": ["x" ¦]}}`), `{"function": …}`, `{"attr": …}`, `{"params": {"a": {"function": "concat", "args": ["x", {"attr": "¦"}]}}}`},
		{"an endpoint that is an expression", job(`"endpoint": {"fun¦"}`), "function", "function", `{"endpoint": {"function": "¦", "args": []}}`},
		{"an attribute", job(`"params": {"a": {"attr": "re¦"}}`), "region", "region", `{"params": {"a": {"attr": "region"¦}}}`},
		{"own attributes first", job(`"params": {"a": {"attr": "¦"}}`), "#key region outputBucket", "", ""},
		{"a scroller", job(`"scroller": "¦"`), "by_page by_id", "by_id", `{"scroller": "by_id"¦}`},
		{"a mapping", job(`"dataType": "¦"`), "users", "users", `{"dataType": "users"¦}`},
		{"the mapping of tables", job(`"endpoint": "e", "mapping": "¦"`), "users", "users", `{"endpoint": "e", "mapping": "users"¦}`},
		{"the job with the names", job(`"endpoint": "fields", "children": [{"dataType": "sub"}]}, {"names": {"dataType": "¦"}`), "fields sub", "sub", `{"endpoint": "fields", "children": [{"dataType": "sub"}]}, {"names": {"dataType": "sub"¦}}`},
		{"a placeholder", job(`"placeholders": {"id": "id"}, "endpoint": "users/{¦"`), "id since bucket", "id", `{"placeholders": {"id": "id"}, "endpoint": "users/{id}¦"}`},
		{"a placeholder with its end", job(`"placeholders": {"id": "id"}, "endpoint": "users/{¦}/x"`), "id", "id", `{"placeholders": {"id": "id"}, "endpoint": "users/{id¦}/x"}`},
		{"the placeholders of the endpoint", job(`"endpoint": "users/{id}/{nr}", "placeholders": {¦}`), "id nr", "nr", `{"endpoint": "users/{id}/{nr}", "placeholders": {"nr": "¦"}}`},
		{"a variable", job(`"endpoint": "e/{{b¦"`), "bucket", "bucket", `{"endpoint": "e/{{bucket}}¦"}`},
		{"a variable of the platform", job(`"endpoint": "e/{{sin¦}}"`), "since", "since", `{"endpoint": "e/{{since¦}}"}`},
		{"true and false", job(`"debug": ¦`), "", "", ""},
		{"nothing in a text of one's own", job(`"endpoint": "us¦ers"`), "", "", ""},
		{"nothing between a name and its colon", `{"api"¦: {}}`, "", "", ""},
		{"nothing after a name", `{"api"¦}`, "", "", ""},
		{"nothing after the end", `{} ¦`, "", "", ""},
		{"nothing in no text", `¦`, "", "{}", `{¦}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, offset := atMark(t, row.text)
			d := New(text)
			d.Variables = []string{"since"}
			items := d.Complete(offset)
			var labels []string
			for _, i := range items {
				labels = append(labels, i.Label)
			}
			if !strings.HasPrefix(strings.Join(labels, " ")+" ", row.first+" ") && row.first != "" {
				t.Errorf("first %q, want %q", labels, row.first)
			}
			if row.first == "" && row.label == "" && len(items) > 0 {
				t.Errorf("offered %q", labels)
			}
			if row.label == "" {
				return
			}
			at := slices.Index(labels, row.label)
			if at < 0 {
				t.Fatalf("%s is not offered, only %q", row.label, labels)
			}
			want := row.result
			if strings.Contains(text, `"by_page"`) {
				want = strings.TrimSuffix(strings.TrimPrefix(want, "{"), "}")
				want = job(want)
			}
			if got := taken(text, items[at]); got != want {
				t.Errorf("becomes\n%s, want\n%s", got, want)
			}
		})
	}
	items := New(`{"api": {"pagination": {"method": "cursor", `).Complete(44)
	for _, i := range items {
		if i.Label == "offsetParam" {
			t.Error("a key of another method is offered")
		}
	}
}

// TestReferencesOfPlaces: of the references, those are offered that exist at the place, and
// a value of paging only if the paging of the job has one.
func TestReferencesOfPlaces(t *testing.T) {
	paged := func(text string) string {
		return `{"api": {"pagination": {"method": "multiple", "scrollers": {"rows": {"method": "offset"}, "link": {"method": "link"}}}}, "config": {"jobs": [{"endpoint": "a", "children": [` + text + `]}]}}`
	}
	for _, row := range []struct{ name, text, offered, not string }{
		{"a job", job(`"params": {"a": {"¦"}}`), "function attr placeholder parentItem window remembered", "response request authorization env paging"},
		{"its condition", job(`"if": {"¦"}`), "function attr parentItem", "response paging"},
		{"its windows", job(`"windows": {"from": {"¦"}}`), "remembered time", "response paging authorization"},
		{"its columns", job(`"userData": {"a": {"¦"}}`), "response responseHeader attr", "responseCookie paging env"},
		{"the base address", `{"api": {"baseUrl": {"¦"}}}`, "function attr", "placeholder response"},
		{"an attribute", `{"config": {"a": {"¦"}}}`, "env default", "attr function args"},
		{"the default of an attribute", `{"config": {"a": {"env": "A", "default": {"¦"}}}}`, "function env", "attr"},
		{"a login", `{"api": {"authentication": {"type": "login", "loginRequest": {"params": {"a": {"¦"}}}}}}`, "attr remembered", "placeholder response"},
		{"after a login", `{"api": {"authentication": {"type": "login", "apiRequest": {"headers": {"a": {"¦"}}}}}}`, "attr response responseCookie", "placeholder user"},
		{"paging by offset", paged(`{"scroller": "rows", "params": {"a": {"b": [{"¦"}]}}}`), "paging", ""},
		{"paging by links", paged(`{"scroller": "link", "params": {"a": {"¦"}}}`), "attr", "paging"},
		{"the values of paging", paged(`{"scroller": "rows", "params": {"a": {"paging": "¦"}}}`), "offset", "page limit"},
		{"columns of a job that is paged", paged(`{"scroller": "rows", "userData": {"a": {"¦"}}}`), "attr", "paging"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, offset := atMark(t, row.text)
			var labels []string
			for _, i := range New(text).Complete(offset) {
				labels = append(labels, i.Label)
			}
			for _, name := range strings.Fields(row.offered) {
				if !slices.Contains(labels, name) {
					t.Errorf("%s is not offered, only %q", name, labels)
				}
			}
			for _, name := range strings.Fields(row.not) {
				if slices.Contains(labels, name) {
					t.Errorf("%s is offered", name)
				}
			}
		})
	}
}

func TestHover(t *testing.T) {
	for _, row := range []struct{ name, text, title, holds string }{
		{"a key", `{"parameters": {"ap¦i": {}}}`, "api", "How to talk to the API."},
		{"its type", job(`"sto¦re": true`), "store", "boolean"},
		{"its default", job(`"meth¦od": "POST"`), "method", `default "GET"`},
		{"a function", job(`"params": {"a": {"function": "m¦d5"}}`), "md5", "md5(text"},
		{"a key of an expression", job(`"params": {"a": {"at¦tr": "x"}}`), "attr", "NAME"},
		{"an attribute", strings.Replace(job(""), "region", "reg¦ion", 1), "region", "attribute"},
		{"a value", job(`"endpoint": "us¦ers"`), "endpoint", "Path that is appended"},
		{"a broken text", `{"parameters": {"ap¦i": {"baseUrl" "`, "api", "How to talk"},
		{"an unknown key", job(`"no¦ne": 1`), "", ""},
		{"white space", `{ ¦ }`, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, offset := atMark(t, row.text)
			h, ok := New(text).Hover(offset)
			said := h.Detail + " " + h.Doc
			if ok != (row.title != "") || h.Title != row.title || !strings.Contains(said, row.holds) || strings.Contains(said, "](") {
				t.Errorf("%+v", h)
			}
			if ok && (offset < h.Start || offset > h.End) {
				t.Errorf("is about %q", text[h.Start:h.End])
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for _, row := range []struct{ name, text, marked, code string }{
		{"an unknown key", job(`"endpoint": "ä", "dataFeild": "x"`), `"dataFeild"`, "unknown-key"},
		{"a wrong value", job(`"endpoint": "e", "method": "DO"`), `"DO"`, "unknown-choice"},
		{"a missing key", job(``), "{", "missing-key"},
		{"not JSON", `{"api": nul}`, "}", "invalid-json"},
		{"the end", `{"api": `, "", "invalid-json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := Check(t.Context(), []byte(row.text), nil, load.Options{Variables: variables.Inputs{Flags: []variables.Assignment{{Name: "bucket", Text: "b"}}}})
			i := slices.IndexFunc(found, func(f Finding) bool { return string(f.Code) == row.code })
			if i < 0 {
				t.Fatalf("found %+v", found)
			}
			f := found[i]
			if got := row.text[f.Start:f.End]; got != row.marked || string(f.Code) != row.code || f.Title == "" {
				t.Errorf("marks %q: %+v", got, f)
			}
		})
	}
}

// TestCheckPart: what is missing in a part may be in the whole; what is not in the part is
// not reported.
func TestCheckPart(t *testing.T) {
	part := `{"config": {"jobs": [{"endpoint": "e", "nope": 1}]}}`
	whole := `{"api": {"baseUrl": "u", "other": 1}, "config": {"outputBucket": "b", "jobs": [{"endpoint": "e", "nope": 1}]}}`
	found := Check(t.Context(), []byte(part), []byte(whole), load.Options{})
	if len(found) != 1 || part[found[0].Start:found[0].End] != `"nope"` || found[0].Line != 1 || found[0].Column != 40 {
		t.Errorf("%+v", found)
	}
	// Its keys are there once in the whole document, which is made of parsed values.
	part = `{"config": {"jobs": [], "jobs": [{"endpoint": "e"}]}}`
	found = Check(t.Context(), []byte(part), []byte(whole), load.Options{})
	if len(found) != 1 || found[0].Code != failure.DuplicateKey || found[0].Title == "" || found[0].Start != strings.LastIndex(part, `"jobs"`) || found[0].Column != 25 {
		t.Errorf("%+v", found)
	}
}

func TestOffsets(t *testing.T) {
	const text = "aä€😀b"
	units := Units(text)
	for _, row := range []struct{ offset, units int }{{0, 0}, {1, 1}, {3, 2}, {6, 3}, {10, 5}, {11, 6}, {3, 2}, {99, 6}} {
		if got := units(row.offset); got != row.units {
			t.Errorf("units before %d: %d, want %d", row.offset, got, row.units)
		}
		if got := Offset(text, row.units); got != min(row.offset, len(text)) {
			t.Errorf("offset of %d: %d, want %d", row.units, got, row.offset)
		}
	}
}

// TestEveryPlace completes and hovers at every place of the beginnings of a real
// configuration.
func TestEveryPlace(t *testing.T) {
	text, err := gallery.RecipeConfig("cursor-token")
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(text) {
		sound(t, string(text[:end]), end)
	}
	for at := range len(text) {
		sound(t, string(text), at)
	}
}

// sound fails if a response does not fit the text.
func sound(t testing.TB, text string, at int) {
	t.Helper()
	d := New(text)
	for _, i := range d.Complete(at) {
		if i.Start < 0 || i.End < i.Start || i.End > len(text) || i.Caret < 0 || i.Caret > len(i.Insert) || i.Label == "" {
			t.Fatalf("%+v in %q at %d", i, text, at)
		}
	}
	if h, ok := d.Hover(at); ok && (h.Start < 0 || h.End < h.Start || h.End > len(text) || h.Title == "") {
		t.Fatalf("%+v in %q at %d", h, text, at)
	}
	last := 0
	d.Walk(func(p Value) bool {
		if p.Start < last || p.End < p.Start || p.End > len(text) {
			t.Fatalf("%s from %d to %d in %q", p.Pointer(), p.Start, p.End, text)
		}
		last = p.Start
		return true
	})
}

// TestLargeText: the work grows with the text, not with its square.
func TestLargeText(t *testing.T) {
	for name, text := range map[string]string{
		"deep":     strings.Repeat(`{"a":[`, 200_000),
		"closings": strings.Repeat("{[", 200_000) + strings.Repeat("}]", 200_000),
		"wide":     `{` + strings.Repeat(`"a":{"b":1},`, 100_000),
		"quotes":   strings.Repeat(`"`, 1_000_000),
		"blanks":   `{"a"` + strings.Repeat(" \n", 500_000) + `"b"`,
		"words":    strings.Repeat(`x `, 500_000),
		"too long": strings.Repeat(" ", MaxText+1),
	} {
		t.Run(name, func(t *testing.T) {
			d := New(text)
			d.Complete(len(text))
			d.Hover(len(text) / 2)
		})
	}
}

func FuzzAssist(f *testing.F) {
	for _, text := range []string{``, `{`, `{"api": {"ba`, job(`"endpoint": "{`), job(`"params": {"a": {"function": "concat", "args": [{`), "{\"a\"\n\"b\":]}", "[}]{", `"\`, "\xff{\"\xfe"} {
		f.Add(text, len(text))
		f.Add(text, len(text)/2)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		sound(t, text, at)
		for _, finding := range Check(t.Context(), []byte(text), nil, load.Options{}) {
			if finding.Start < 0 || finding.End < finding.Start || finding.End > len(text) {
				t.Fatalf("%+v", finding)
			}
		}
		if got := Offset(text, at); got < 0 || got > len(text) {
			t.Fatalf("offset %d", got)
		}
	})
}
