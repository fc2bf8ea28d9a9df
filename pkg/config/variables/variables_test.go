package variables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// fake is a platform made of JSON texts; what is not there is an error.
type fake struct {
	t       *testing.T
	records map[string]string // "job 1", "config 12", "row 12/7"
	errors  map[string]error
	asked   []string
	cancel  func() // called by every read, when set
}

// status is an error of the platform.
type status int

func (s status) Error() string { return fmt.Sprintf("GET https://platform: %d", int(s)) }

func (s status) Refused() bool { return s == 401 || s == 403 }

func (f *fake) read(record string) (value.Value, error) {
	f.asked = append(f.asked, record)
	if f.cancel != nil {
		f.cancel()
		return value.Value{}, errors.New("interrupted")
	}
	if err := f.errors[record]; err != nil {
		return value.Value{}, err
	}
	text, ok := f.records[record]
	if !ok {
		return value.Value{}, status(404)
	}
	return testvalue.Parse(f.t, text), nil
}

func (f *fake) JobVariables(_ context.Context, job string) (value.Value, string, error) {
	v, err := f.read("job " + job)
	return v.Field("variableValuesData"), v.Field("variableValuesId").Raw(), err
}

func (f *fake) ConfigurationContent(_ context.Context, component, id string) (value.Value, error) {
	if component != DefaultComponent {
		return f.read("config " + component + "/" + id)
	}
	return f.read("config " + id)
}

func (f *fake) RowContent(_ context.Context, component, configuration, row string) (value.Value, error) {
	if component != DefaultComponent {
		return f.read("row " + component + "/" + configuration + "/" + row)
	}
	return f.read("row " + configuration + "/" + row)
}

// values is the JSON text of a set with values of x and y.
func values(x, y string) string {
	return fmt.Sprintf(`{"values":[{"name":"x","value":%s},{"name":"y","value":%s}]}`, x, y)
}

const declares = `{"variables":[{"name":"x","type":"string"},{"name":"y","type":"int"}]}`

type resolution struct {
	doc       string
	flags     []Assignment
	offline   bool
	run       string
	component string
	records   map[string]string
	errors    map[string]error

	want     string // the document
	replaced string
	source   string
	warnings []string
	err      string
	pointer  string
	asked    string // in order, joined by ", "
}

func (tc resolution) check(t *testing.T) {
	t.Helper()
	platform := &fake{t: t, records: tc.records, errors: tc.errors}
	in := Inputs{Flags: tc.flags, Platform: platform, RunID: tc.run, Component: tc.component}
	if tc.offline {
		in.Platform = nil
	}
	got, err := Resolve(context.Background(), testvalue.Parse(t, tc.doc), in)
	if asked := strings.Join(platform.asked, ", "); asked != tc.asked {
		t.Errorf("asked %q, want %q", asked, tc.asked)
	}
	if tc.err != "" {
		if err == nil || failure.KindOf(err) != failure.User || failure.PointerOf(err) != tc.pointer {
			t.Fatalf("got %v at %q, want %q at %q", err, failure.PointerOf(err), tc.err, tc.pointer)
		}
		text := err.Error()
		if e, ok := err.(*failure.Error); ok {
			text = e.Message
		}
		if text != tc.err {
			t.Fatalf("got  %s\nwant %s", text, tc.err)
		}
		if !got.Document.IsNull() {
			t.Errorf("an error beside %s", got.Document.JSON())
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got.Document.JSON() != tc.want {
		t.Errorf("got %s, want %s", got.Document.JSON(), tc.want)
	}
	if strings.Join(got.Replaced, " ") != tc.replaced || got.Source != tc.source || !slices.Equal(got.Warnings, tc.warnings) {
		t.Errorf("got %q from %q with warnings %q", got.Replaced, got.Source, got.Warnings)
	}
}

func TestWhenNothingIsReplaced(t *testing.T) {
	records := map[string]string{"config 12": declares, "job 1": `{}`}
	for name, tc := range map[string]resolution{
		"no placeholder, no query": {
			doc: `{"variables_id":"12","variables_values_id":"7","a":"{b} {{#s}}"}`, run: "1", records: records,
			want: `{"variables_id":"12","variables_values_id":"7","a":"{b} {{#s}}"}`,
		},
		"placeholders in values do not count": {
			doc: `{"variableValuesData":` + values(`"{{z}}"`, `1`) + `,"a":"b"}`, want: `{"a":"b"}`,
		},
		"neither values nor variables_id": {
			doc: `{"a":"{{x}}","variableValuesData":[],"variableValuesId":""}`, offline: true, want: `{"a":"{{x}}"}`,
		},
		"job without values, no variables_id": {
			doc: `{"a":"{{x}}"}`, run: "1", records: records, want: `{"a":"{{x}}"}`, asked: "job 1",
		},
		"job refused, no variables_id": {
			doc: `{"a":"{{x}}"}`, run: "1", errors: map[string]error{"job 1": status(401)}, want: `{"a":"{{x}}"}`, asked: "job 1",
			warnings: []string{`variable values of job "1" cannot be read: GET https://platform: 401`},
		},
		"row without variables_id": {
			doc: `{"a":"{{x}}","variables_values_id":"7"}`, want: `{"a":"{{x}}","variables_values_id":"7"}`,
			warnings: []string{`variable values "7" are not used: variables_id does not say to which configuration they belong`},
		},
		"filled by the platform, a value with a placeholder": {
			doc: `{"a":"see {{x}}","variables_id":"12"}`, run: "5", records: map[string]string{"job 5": `{"variableValuesData":` + values(`"1"`, `"see {{ x }}"`) + `}`},
			want: `{"a":"see {{x}}","variables_id":"12"}`, asked: "job 5",
		},
		"filled by the platform, a value of a row that has no other value": {
			doc: `{"a":"{{z}}","variables_id":"12","variables_values_id":"7"}`, run: "1", records: map[string]string{"job 1": `{}`, "row 12/7": values(`"1"`, `"{{z}}"`)},
			want: `{"a":"{{z}}","variables_id":"12","variables_values_id":"7"}`, asked: "job 1, row 12/7",
		},
		"not an object": {doc: `["a"]`, want: `["a"]`},
		"list with placeholder, no values": {
			doc: `["{{x}}"]`, want: `["{{x}}"]`,
		},
	} {
		t.Run(name, tc.check)
	}
}

func TestMissingValues(t *testing.T) {
	x := []Assignment{{"x", "secret"}}
	const doc = `{"a":"{{z}}{{x}}{{y}}","variables_id":"12","variables_values_id":"7"}`
	const none = `; no variable values provided for variables configuration "12"`
	for name, tc := range map[string]resolution{
		"used": {
			doc: `{"a":"{{z}}{{x}}{{y}}{{z}}"}`, flags: x, offline: true,
			err: "missing values for variables: z, y (used in the configuration); the values come from the command line",
		},
		"declared": {
			doc: `{"a":"{{x}}","variables_id":"12"}`, flags: x, records: map[string]string{"config 12": declares}, asked: "config 12",
			err: `missing values for variables: y (declared in variables configuration "12"); the values come from the command line`,
		},
		"both": {
			doc: `{"a":"{{z}}","variables_id":"12"}`, flags: []Assignment{{"other", "1"}},
			records: map[string]string{"config 12": declares}, asked: "config 12",
			err: `missing values for variables: z (used in the configuration), x, y (declared in variables configuration "12"); the values come from the command line; nothing uses the variables of --var: other`,
		},
		"sets do not mix": {
			doc: doc, flags: x, asked: "config 12",
			records: map[string]string{"config 12": `{"variables":[]}`, "row 12/7": `{"values":[{"name":"z","value":"1"},{"name":"y","value":"1"}]}`},
			err:     "missing values for variables: z, y (used in the configuration); the values come from the command line",
		},
		"no values, no platform": {
			doc: doc, offline: true, run: "1",
			err: "missing values for variables: z, x, y (used in the configuration); no values were given, and the platform cannot be queried without its address and token (KBC_URL, KBC_TOKEN)",
		},
		"no values at all": {
			doc: `{"a":"{{z}}","variables_id":"12"}`, records: map[string]string{"config 12": declares}, asked: "config 12",
			err: `missing values for variables: z (used in the configuration), x, y (declared in variables configuration "12")` + none,
		},
		"everything refused": {
			doc: doc, run: "1", asked: "job 1, row 12/7, config 12",
			errors: map[string]error{"job 1": status(401), "row 12/7": status(401), "config 12": status(401)},
			err: `missing values for variables: z, x, y (used in the configuration)` + none +
				`; variable values of job "1" cannot be read: GET https://platform: 401` +
				`; cannot read variable values "7" of variables configuration "12": GET https://platform: 401` +
				`; variables configuration "12" cannot be read: GET https://platform: 401`,
		},
		"the row of the job does not give way to the default": {
			doc: doc, run: "1", asked: "job 1, row 12/8, config 12",
			records: map[string]string{"job 1": `{"variableValuesId":"8"}`, "row 12/7": values(`"a"`, `1`), "config 12": `{"variables":[]}`},
			err: `missing values for variables: z, x, y (used in the configuration)` + none +
				`; cannot read variable values "8" of variables configuration "12": GET https://platform: 404`,
		},
		"an empty row": {
			doc: doc, asked: "row 12/7, config 12", records: map[string]string{"row 12/7": `{"values":[]}`, "config 12": `[]`},
			err: `missing values for variables: z, x, y (used in the configuration)` + none,
		},
		"default row lacks one and the job was refused": {
			doc: doc, run: "1", asked: "job 1, row 12/7, config 12", errors: map[string]error{"job 1": status(403)},
			records: map[string]string{"row 12/7": values(`"a"`, `1`), "config 12": declares},
			err: `missing values for variables: z (used in the configuration); the values come from row "7" of variables configuration "12"` +
				`; variable values of job "1" cannot be read: GET https://platform: 403`,
		},
		"declarations unreadable": {
			doc: doc, flags: x, asked: "config 12", pointer: "/variables_id",
			err: `variables configuration "12" cannot be read: GET https://platform: 404`,
		},
	} {
		t.Run(name, tc.check)
	}
}

func FuzzResolve(f *testing.F) {
	f.Add([]byte(`{"a":"{{x}}","variables_id":"12"}`), []byte(values(`"1"`, `2`)), []byte(declares))
	f.Add([]byte(`{"{{x}}":"{{y}}","variableValuesData":[]}`), []byte(`{"values":[null]}`), []byte(`{"variables":{}}`))
	f.Fuzz(func(t *testing.T, doc, row, declared []byte) {
		texts := map[string]string{"config 12": string(declared), "row 12/7": string(row)}
		for _, text := range texts {
			if _, err := value.Parse([]byte(text)); err != nil {
				return
			}
		}
		d, err := value.Parse(doc)
		if err != nil {
			return
		}
		d = d.With("variables_id", value.OfString("12")).With("variables_values_id", value.OfString("7"))
		got, err := Resolve(context.Background(), d, Inputs{Platform: &fake{t: t, records: texts}})
		if err != nil {
			if failure.KindOf(err) != failure.User {
				t.Fatalf("%s: %v", doc, err)
			}
			return
		}
		if used := Placeholders(WithoutValues(d)); !slices.Equal(used, got.Replaced) {
			t.Fatalf("%s: %q used, %q replaced", doc, used, got.Replaced)
		}
	})
}

func Example() {
	doc, err := value.Parse([]byte(`{"parameters":{"config":{"outputBucket":"{{bucket}}","jobs":[{"endpoint":"users/{{ id }}"}]}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := Resolve(context.Background(), doc, Inputs{Flags: []Assignment{{"id", "1"}, {"bucket", "mine"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Document.JSON())
	fmt.Println(result.Replaced, "from", result.Source)
	// Output:
	// {"parameters":{"config":{"outputBucket":"mine","jobs":[{"endpoint":"users/1"}]}}}
	// [bucket id] from the command line
}

// Values below a key with a number sign are secrets, also as a part of
// the text there.
func TestSecretValues(t *testing.T) {
	doc := testvalue.Parse(t, `{"#a":"Bearer {{token}}","b":[{"#c":{"d":["{{ user }}:{{token}}"]}}],"e":"{{open}}","{{name}}":"{{name}}","#f":"{{flag}}"}`)
	result, err := Resolve(t.Context(), doc, Inputs{Flags: []Assignment{{"token", "T1"}, {"user", "U1"}, {"open", "O1"}, {"name", "N1"}, {"flag", "F1"}}})
	if want := []string{"T1", "U1", "F1"}; err != nil || !slices.Equal(result.Secrets, want) {
		t.Errorf("%v, %v; want %v", result.Secrets, err, want)
	}
}
