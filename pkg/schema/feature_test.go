package schema_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of a method of paging and of an authentication that only this file
// knows.
var (
	stepParam    = field.Text("stepParam", "Step parameter", "Parameter that counts down.").As(field.Parameter).Example(`"step"`)
	firstStep    = field.Integer("firstStep", "First step", "Where the countdown begins.").Default(3).Example(`9`)
	countedTotal = field.Text("countedTotal", "Counted", "What is counted in advance.").As(field.LookaheadRole).Example(`"n"`)
	stampHeader  = field.Text("stampHeader", "Stamp header", "Header that carries the stamp.").Example(`"X-Stamp"`)
	stamp        = field.Text("#stampText", "Stamp", "What the authentication `stamp` sends.").Example(`"…"`)
)

// countdown is a method of paging: 3, 2, 1.
type countdown struct {
	param string
	first int
}

func countdownMethod() pagination.Method {
	return pagination.Method{
		Name:     "countdown",
		Settings: []field.Declaration{stepParam, firstStep, countedTotal},
		Needed:   []field.Declaration{stepParam},
		Compile: func(s config.Section) pagination.Scroller {
			c := countdown{stepParam.Of(s), firstStep.Of(s)}
			return pagination.Scroller{
				First: func(job config.RequestSpec, _ time.Time) (config.RequestSpec, pagination.State) {
					return c.request(job, c.first)
				},
				Next:     c.next,
				Describe: func(config.RequestSpec) []string { return []string{"Counts down with " + c.param + "."} },
			}
		},
		Position: func(s config.Section) ([]string, failure.Text) { return []string{stepParam.Of(s)}, "remove it" },
	}
}

func (c countdown) request(job config.RequestSpec, n int) (config.RequestSpec, pagination.State) {
	return job.WithParam(c.param, value.OfInt(int64(n))), n
}

func (c countdown) next(job config.RequestSpec, s pagination.State, _ pagination.PageInfo) (config.RequestSpec, pagination.State, *pagination.Stop, error) {
	if s == 1 {
		return job, nil, &pagination.Stop{Rule: "the countdown is over"}, nil
	}
	request, state := c.request(job, s.(int)-1)
	return request, state, nil, nil
}

// stamped is an authentication: a header.
type stamped struct{ header, text string }

func stampScheme() auth.Scheme {
	return auth.Scheme{
		Name:       "stamp",
		Settings:   []field.Declaration{stampHeader},
		Attributes: []field.Declaration{stamp},
		Compile: func(s auth.CompileInput) auth.Method {
			return stamped{stampHeader.Of(s.Section), s.Attributes.Field(stamp.Name).Text()}
		},
	}
}

func (s stamped) Start(*env.Run, *state.IterationValues) auth.Authenticator { return s }

func (s stamped) Authenticate(_ context.Context, r *auth.Attempt) error {
	r.Header.Set(s.header, s.text)
	return nil
}

// extended is the language of this program with both.
func extended() *schema.Language {
	return schema.New(engine.Features{
		Paging: append(pagination.AllMethods(), countdownMethod()),
		Auth:   append(auth.AllSchemes(), stampScheme()),
		Vocabulary: expr.Vocabulary{Functions: append(expr.AllFunctions(), expr.Function{Name: "shout", Arguments: "text", Min: 1, Max: 1, Doc: "The text in capitals.", Examples: []expr.Example{{Expression: `"a"`, Value: `"A"`}},
			Call: func(in expr.Input) (value.Value, error) {
				text, err := in.Text(0)
				return value.OfString(strings.ToUpper(text)), err
			}}), References: append(expr.AllReferences(), upside())},
	})
}

// upside is a reference: its name reversed.
func upside() expr.Reference {
	return expr.Reference{Key: "upside", Argument: "NAME", Examples: []expr.Example{{Expression: `{"upside": "cba"}`, Value: `"abc"`}}, Doc: "The name from its end.",
		Where: []expr.Site{expr.InHeaders, expr.InJobs, expr.InShared, expr.InUserData},
		Check: func(_ expr.Compiler, name string) *expr.ArgumentProblem {
			if name == "wrong" {
				return &expr.ArgumentProblem{Found: "a word", Expected: "expected another word", Hint: "turn it round"}
			}
			return nil
		},
		Value: func(_ *expr.Scope, name string) (value.Value, bool) {
			letters := []byte(name)
			slices.Reverse(letters)
			return value.OfString(string(letters)), name != ""
		}}
}

// TestAReferenceIsOneDeclaration: so is a reference, at every place where it exists.
func TestAReferenceIsOneDeclaration(t *testing.T) {
	l := extended()
	if !strings.Contains(string(l.Schema()), "`{\\\"upside\\\": …}`") {
		t.Error("the schema lacks it")
	}
	_, _, examples := expressionsPage(t)
	if page := examples.reference(t, l.Vocabulary); !strings.Contains(page, "### `upside`\n\nThe name from its end.\n\nForm: `{\"upside\": \"NAME\"}`. Where: `http.headers`; `params`, `headers`, `body` and `endpoint` of jobs; `defaultOptions`, `scrollRequest`; `userData`.\n") ||
		!strings.Contains(page, "| `{\"upside\": \"cba\"}` | `\"abc\"` |\n") {
		t.Errorf("the reference lacks it:\n%s", page)
	}
	document := func(name string) string {
		form := `{"upside":"` + name + `"}`
		return `{"api":{"baseUrl":"https://api.example.com","http":{"headers":{"X-A":` + form + `},"defaultOptions":{"params":{"b":[` + form + `]}}}},
			"config":{"jobs":[{"endpoint":{"function":"concat","args":["items/",` + form + `]},"dataType":"d","headers":{"X-C":` + form + `},"params":{"d":` + form + `},"userData":{"e":` + form + `}}]}}`
	}
	if r := diagnostic.Check(t.Context(), "config.json", []byte(document("cba")), load.Options{Language: l}); len(r.Findings) > 0 {
		t.Error(r.Findings)
	}
	r := diagnostic.Check(t.Context(), "config.json", []byte(document("wrong")), load.Options{Language: l})
	if len(r.Findings) != 6 {
		t.Error(r.Findings)
	}
	for _, f := range r.Findings {
		if f.Hint != "turn it round" || !strings.HasSuffix(f.Pointer, "/upside") {
			t.Errorf("%s: %s", f.Pointer, f.Hint)
		}
	}
	p, err := plan.Of(t.Context(), []byte(document("cba")), plan.Options{Options: load.Options{Language: l}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"items/abc?", "b%5B0%5D=abc&d=abc", "X-A: abc", "X-C: abc", "query d: job, upside cba", "header X-A: headers, upside cba"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// TestAFunctionIsOneDeclaration: a function that is declared in one file is known
// everywhere.
func TestAFunctionIsOneDeclaration(t *testing.T) {
	l := extended()
	_, _, examples := expressionsPage(t)
	if !strings.Contains(string(l.Schema()), "`strtotime`, `shout`") || !strings.Contains(examples.reference(t, l.Vocabulary), "### `shout(text)`\n\nThe text in capitals.\n\n| expression | value |\n|---|---|\n| `{\"function\": \"shout\", \"args\": [\"a\"]}` | `\"A\"` |\n") {
		t.Error("the schema or the reference lacks it")
	}
	call := func(name, arg string) string { return `{"function":"` + name + `","args":` + arg + `}` }
	document := func(name string) string {
		return `{"api":{"baseUrl":"https://api.example.com","http":{"headers":{"X-A":` + call(name, `["a"]`) + `}},
			"authentication":{"type":"query","query":{"b":` + call(name, `["b"]`) + `}}},
			"config":{"jobs":[{"endpoint":"items","params":{"c":` + call(name, `["c"]`) + `},"userData":{"d":` + call(name, `["d"]`) + `},
				"children":[{"endpoint":"items/{e}","placeholders":{"e":{"path":"e","function":"` + name + `","args":["e"]}}}]}]}}`
	}
	if r := diagnostic.Check(t.Context(), "config.json", []byte(document("shout")), load.Options{Language: l}); len(r.Findings) > 0 {
		t.Error(r.Findings)
	}
	r := diagnostic.Check(t.Context(), "config.json", []byte(document("shuot")), load.Options{Language: l})
	if len(r.Findings) != 5 {
		t.Error(r.Findings)
	}
	for _, f := range r.Findings {
		if f.Hint != `did you mean "shout"?` {
			t.Errorf("%s: %s", f.Pointer, f.Hint)
		}
	}
	p, err := plan.Of(t.Context(), []byte(document("shout")), plan.Options{Options: load.Options{Language: l}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"c=C", "X-A: A"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// featured is a configuration that uses both.
func featured(base, more string) string {
	return `{"api":{"baseUrl":"` + base + `","authentication":{"type":"stamp","stampHeader":"X-Stamp"},"pagination":{"method":"countdown","stepParam":"n"` + more + `}},
		"config":{"#stampText":"s3cret-stamp","jobs":[{"endpoint":"items"}]}}`
}

// TestAFeatureIsOneDeclaration: a method of paging and an authentication that are
// declared in one file are known everywhere.
func TestAFeatureIsOneDeclaration(t *testing.T) {
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.URL.RawQuery+" "+r.Header.Get("X-Stamp"))
		_, _ = w.Write([]byte(`[{"id":` + r.URL.Query().Get("n") + `}]`))
	}))
	defer server.Close()
	l, secrets := extended(), &secret.Registry{}
	text := featured(server.URL, "")

	t.Run("schema", func(t *testing.T) {
		schema := string(l.Schema())
		for _, want := range []string{`"countdown"`, `"stepParam"`, `"firstStep"`, `"stamp"`, `"stampHeader"`, `"#stampText"`} {
			if !strings.Contains(schema, want) {
				t.Errorf("%s is missing", want)
			}
		}
	})
	t.Run("reference", func(t *testing.T) {
		reference := newReference(t, l).text()
		for _, want := range []string{"| `stepParam` | string | – | Method `countdown`, required: parameter that counts down. | `\"step\"` |", "| `stampHeader` | string | – | Type `stamp`: ", "| `#stampText` |"} {
			if !strings.Contains(reference, want) {
				t.Errorf("%s is missing", want)
			}
		}
	})
	t.Run("validate", func(t *testing.T) {
		for in, want := range map[string]string{
			text:                                   "",
			featured(server.URL, `,"fristStep":2`): `/api/pagination/fristStep: did you mean "firstStep"?`,
			strings.Replace(text, `"countdown"`, `"countdwn"`, 1):                `/api/pagination/method: did you mean "countdown"?`,
			strings.Replace(text, `"type":"stamp"`, `"type":"stmap"`, 1):         `/api/authentication/type: did you mean "stamp"?`,
			strings.Replace(text, `"stampHeader"`, `"stampheader"`, 1):           `/api/authentication/stampheader: did you mean "stampHeader"?`,
			strings.Replace(text, `,"stepParam":"n"`, ``, 1):                     `/api/pagination: `,
			featured(server.URL, `,"countedTotal":"n"`):                          `/api/pagination/countedTotal: set "concurrency" to 2 or more, or remove this`,
			strings.Replace(text, `"items"`, `"items","params":{"n":1}`, 1):      `/config/jobs/0/params/n: remove it`,
			strings.Replace(text, server.URL, "http://api.example.com", 1):       `/api/baseUrl: write https://`,
			strings.Replace(text, `"items"`, `"items","params":{"step":1}`, 1):   "",
			strings.Replace(text, `"X-Stamp"`, `"X-Stamp","query":{"a":"b"}`, 1): "",
		} {
			var got []string
			for _, f := range diagnostic.Check(t.Context(), "config.json", []byte(in), load.Options{Language: l}).Findings {
				got = append(got, f.Pointer+": "+f.Hint)
			}
			if strings.Join(got, "\n") != want {
				t.Errorf("got  %s\nwant %s\n%s", strings.Join(got, "\n"), want, in)
			}
		}
		if r := diagnostic.Check(t.Context(), "config.json", []byte(text), load.Options{}); !r.Failed() {
			t.Error("the language of this program has it")
		}
	})
	t.Run("plan", func(t *testing.T) {
		p, err := plan.Of(t.Context(), []byte(text), plan.Options{Options: load.Options{Language: l}})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := p.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"items?n=3", "X-Stamp", "Counts down with n.", "authentication stamp", "query n: paging  (/api/pagination/stepParam)"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%q is missing", want)
			}
		}
		if strings.Contains(b.String(), "s3cret") || len(sent) > 0 {
			t.Errorf("%d requests\n%s", len(sent), b.String())
		}
	})
	t.Run("run", func(t *testing.T) {
		doc, err := load.Load(t.Context(), testvalue.Parse(t, text), load.Options{Language: l, Secrets: secrets})
		if err != nil || len(doc.Problems) > 0 {
			t.Fatal(err, doc.Problems)
		}
		tables := t.TempDir()
		result, err := doc.Program.Run(t.Context(), &env.Run{
			Log: event.NewLog(event.Discard{}, secrets, time.Now), Secrets: secrets, Now: time.Now,
			Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
			Getenv: func(string) string { return "" }, Temp: t.TempDir(), Tables: tables,
		})
		if err != nil || result.Rows != 3 {
			t.Fatal(result, err)
		}
		if want := []string{"n=3 s3cret-stamp", "n=2 s3cret-stamp", "n=1 s3cret-stamp"}; !slices.Equal(sent, want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		if table, err := os.ReadFile(filepath.Join(tables, "items")); err != nil || string(table) != "\"id\"\n\"3\"\n\"2\"\n\"1\"\n" {
			t.Errorf("%q, %v", table, err)
		}
	})
}
