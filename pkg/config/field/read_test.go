package field

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of a small language for these tests.
var (
	size  = Integer("size", "Size", "Rows to request.").Default(50).Also("pagesize").Example(`10`)
	first = Integer("first", "First", "Number of the first page.").Default(1).EmptyMeans(0).Example(`0`)
	mode  = Text("mode", "Mode", "How to page.").Typed(&Type{Kinds: []string{"string"}, IgnoreCase: true, Choices: []Choice{
		{Name: "page", AlsoCalled: []string{"pagenumber"}}, {Name: "pages", Old: "is the old name"}, {Name: "none", Hint: "remove the key"}}}).Example(`"page"`)
	strict  = Of("strict", "Strict", "True or false as such.", BooleanType).Example(`true`)
	where   = Text("path", "Path", "Where the items are.").PartedBy(parted).Must().Example(`"a.b"`)
	parted  = Text("parted", "Separator", "What parts the path.").Default(".").Example(`"/"`)
	ancient = Text("ancient", "Ancient", "Has no effect.").Old("has no effect").Example(`"x"`)
	rule    = Of("rule", "Rule", "Stops.", ruleType()).Example(`{"count": 1}`)
	count   = Integer("count", "Count", "Rows.").Example(`1`)
)

func ruleType() *Type {
	t := Object("rule", "Rule", "Stops.", count)
	t.OnlyUnknownKeys = "expected the key count"
	return t
}

func smallTree() *Tree {
	item := Object("item", "Item", "An item.", where, parted)
	items := &Type{Kinds: []string{"array", "object"}, NotEmpty: []string{"array", "object"}, Items: item, Others: item, Message: "expected items",
		IsSingleItem: func(v value.Value) bool { return v.Field("path").Kind() == value.String },
		AloneFault:   &failure.Problem{Code: failure.WrongType, Expected: "expected a list", Hint: "put it into brackets"}}
	settings := Object("settings", "Settings", "All.", size, first, mode, strict, ancient, rule, Of("items", "Items", "The items.", items).Must(), Of("names", "Names", "By name.", MapOf(TextType)))
	return NewTree(Object("", "Document", "All of it.", Of("wrapped", "Wrapper", "Holds all.", settings)), "wrapped")
}

// TestRead: the meaning of empty and converted values, and the problems.
func TestRead(t *testing.T) {
	tests := []struct {
		name, in, want     string
		problems, warnings []string
	}{
		{"nothing is added", `{"items":[{"path":"a"}]}`, `{"items":[{"path":"a"}]}`, nil, nil},
		{"empty is absent", `{"size":"","mode":null,"names":[],"items":[{"path":"a","parted":""}]}`, `{"names":{},"items":[{"path":"a"}]}`, nil, nil},
		{"unless it means something", `{"first":"","items":[{"path":"a"}]}`, `{"first":0,"items":[{"path":"a"}]}`, nil, nil},
		{"numbers are texts and the other way round", `{"size":"10","items":[{"path":5}]}`, `{"size":"10","items":[{"path":5}]}`, nil, nil},
		{"case of letters", `{"mode":"PAGE","items":[{"path":"a"}]}`, `{"mode":"page","items":[{"path":"a"}]}`, nil, nil},
		{"old names", `{"mode":"pages","ancient":"x","items":[{"path":"a"}]}`, `{"mode":"pages","ancient":"x","items":[{"path":"a"}]}`, nil, []string{`/wrapped/mode: is the old name`, `/wrapped/ancient: has no effect`}},
		{"missing", `{"size":1}`, `{"size":1}`, []string{`/wrapped: expected the key "items"`}, nil},
		{"misspelt", `{"itmes":[]}`, `{}`, []string{`/wrapped: expected the key "items"; is "itmes" meant to be it?`}, nil},
		{"one item alone", `{"items":{"path":"a"}}`, `{"items":[]}`, []string{`/wrapped/items: expected a list, found an object; put it into brackets`}, nil},
		{"no items", `{"items":[]}`, `{"items":[]}`, []string{`/wrapped/items: expected items, found an empty list`}, nil},
		{"wrong kinds", `{"size":[1],"strict":"yes","names":{"a":[]},"items":[{"path":{}}]}`, ``, []string{
			`/wrapped/size: expected an integer, found a list of 1`,
			`/wrapped/strict: expected true or false, found "yes"`,
			`/wrapped/names/a: expected a string, found an empty list`,
			`/wrapped/items/0/path: expected a string, found an empty object`}, nil},
		{"no number", `{"size":"many","items":[{"path":"a"}]}`, ``, []string{`/wrapped/size: expected an integer, found "many"`}, nil},
		{"seconds with their unit", `{"size":"10 s","items":[{"path":"a"}]}`, ``, []string{`/wrapped/size: expected an integer, found "10 s"; write the seconds without their unit: 10`}, nil},
		{"no choice", `{"mode":"pgae","items":[{"path":"a"}]}`, ``, []string{`/wrapped/mode: expected one of "page", "pages", found "pgae"; did you mean "page"?`}, nil},
		{"the word of another tool", `{"mode":"page_number","items":[{"path":"a"}]}`, ``, []string{`/wrapped/mode: expected one of "page", "pages", found "page_number"; did you mean "page"?`}, nil},
		{"what only other tools have", `{"mode":"none","items":[{"path":"a"}]}`, ``, []string{`/wrapped/mode: expected one of "page", "pages", found "none"; remove the key`}, nil},
		{"nothing left of a rule", `{"rule":{"cuont":1},"items":[{"path":"a"}]}`, `{"rule":{},"items":[{"path":"a"}]}`, []string{`/wrapped/rule: expected the key count`}, nil},
		{"an empty rule is none", `{"rule":{},"items":[{"path":"a"}]}`, `{"rule":{},"items":[{"path":"a"}]}`, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var problems failure.Problems
			d := smallTree().Read(testvalue.Parse(t, `{"wrapped":`+tt.in+`}`), &problems)
			if got := d.Value.Field("wrapped").JSON(); tt.want != "" && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			sameLines(t, "problems", lines(problems), tt.problems)
			sameLines(t, "warnings", lines(d.Warnings), tt.warnings)
		})
	}
}

// TestMissingKeyOnce: a missing key is reported once, even if a type and its base require it,
// or the type has its own message for an object of unknown keys.
func TestMissingKeyOnce(t *testing.T) {
	must := Integer("count", "Count", "Rows.").Example(`1`).Must()
	base := Object("rule", "Rule", "Stops.", must)
	derived := &Type{Base: base, Fields: Fields(must)}
	strict := Object("strict", "Rule", "Stops.", must)
	strict.OnlyUnknownKeys = "expected the key count"
	settings := Object("settings", "Settings", "All.", Of("derived", "Rule", "Stops.", derived), Of("strict", "Rule", "Stops.", strict))
	tree := NewTree(Object("", "Document", "All of it.", Of("wrapped", "Wrapper", "Holds all.", settings)), "wrapped")
	for in, want := range map[string]string{
		`{"derived":{"other":1}}`: `/wrapped/derived: expected the key "count"`,
		`{"strict":{"other":1}}`:  `/wrapped/strict: expected the key count`,
	} {
		var problems failure.Problems
		tree.Read(testvalue.Parse(t, `{"wrapped":`+in+`}`), &problems)
		sameLines(t, in, lines(problems), []string{want})
	}
}

func TestUnknownKeys(t *testing.T) {
	var problems failure.Problems
	d := smallTree().Read(testvalue.Parse(t, `{"wrapped":{"sise":1,"PageSize":2,"parted":"/","zzz":1,"__note":1,"items":[{"path":"a","count":3}]}}`), &problems)
	var got []string
	for _, key := range d.Unknown {
		got = append(got, key.Pointer+" "+d.UnknownHint(key).String())
	}
	sameLines(t, "unknown", got, []string{
		`/wrapped/sise did you mean "size"?`,
		`/wrapped/PageSize the key for that is "size"`,
		`/wrapped/parted "parted" is a key of "items"`,
		`/wrapped/zzz `,
		`/wrapped/items/0/count "count" is a key of "rule"`,
	})
	if !d.Section().Get("wrapped").Get("__note").Present() {
		t.Error("a key with two underscores is a note of the author and stays")
	}
}

func TestSettings(t *testing.T) {
	var problems failure.Problems
	s := smallTree().Read(testvalue.Parse(t, `{"wrapped":{"first":"","size":"7","items":[{"path":"a"}]}}`), &problems).Section().Get("wrapped")
	if size.Of(s) != 7 || first.Of(s) != 0 || size.Of(s.Get("rule")) != 50 || parted.Of(s) != "." || mode.Of(s) != "" {
		t.Error("a setting has another value than it was given, or another default than it declares")
	}
	if size.In(s).Pointer != "/wrapped/size" {
		t.Errorf("the place is %s", size.In(s).Pointer)
	}
}

// TestUnion: each field once, with the variants that have it.
func TestUnion(t *testing.T) {
	var got []string
	for _, f := range Union("Method", []Variant{
		{Name: "a", Settings: []Declaration{size, where}, Needed: []Declaration{where}},
		{Name: "b", Settings: []Declaration{size}},
		{Name: "c", Settings: []Declaration{first, size}},
	}) {
		got = append(got, f.Name+": "+f.Doc)
	}
	sameLines(t, "fields", got, []string{
		"size: Methods `a`, `b` and `c`: rows to request.",
		"path: Method `a`, required: where the items are.",
		"first: Method `c`: number of the first page.",
	})
	if size.Doc != "Rows to request." {
		t.Error("a shared declaration was changed")
	}
}

// TestVisit: Visit finds paths with their separators.
func TestVisit(t *testing.T) {
	var got []string
	smallTree().Visit(testvalue.Parse(t, `{"wrapped":{"items":[{"path":"a/b","parted":"/"},{"path":"c"}],"other":{"path":"d"}}}`), "", func(f *Field, at, around Section) bool {
		if f.Role == Path {
			got = append(got, at.Pointer+" "+at.Value.Raw()+" "+f.Separator.Of(around))
		}
		return true
	})
	sameLines(t, "paths", got, []string{"/wrapped/items/0/path a/b /", "/wrapped/items/1/path c ."})
}

func TestSchemaOfASmallTree(t *testing.T) {
	got := string(smallTree().Schema("https://example.test/s.json"))
	for _, want := range []string{
		`"wrapped": {"$ref": "#/$defs/settings", "title": "Wrapper", "description": "Holds all."}`,
		`"first": {"$ref": "#/$defs/integerLike", "title": "First", "description": "Number of the first page.", "default": 1, "emptyMeans": 0, "examples": [0]}`,
		`"mode": {"type": "string", "enum": ["page","pages"], "ignoreCase": true, "title": "Mode", "description": "How to page.", "examples": ["page"]}`,
		`"required": ["items"]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s\n%s", want, got)
		}
	}
	if strings.Count(got, `"integerLike": {`) != 1 {
		t.Error("a shared type must be defined once")
	}
	testvalue.Parse(t, got)
}
