package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestParse(t *testing.T) {
	rows := []struct{ name, in, want string }{
		{"object", `{"a":1}`, `{"a":1}`},
		{"empty array", ` [] `, `{}`},
		{"cut", "{\n  \"a\":", "config.json is not valid JSON: line 2, column 7: unexpected end of the text; close its last quote and all of its brackets"},
		{"more text", `{} x`, "config.json is not valid JSON: line 1, column 4: invalid character 'x' at start of value; look at the comma, the quote or the bracket here and just before"},
		{"number", `5`, "config.json must contain an object, found a number"},
		{"string", `"KBC::x"`, "config.json must contain an object, found a string"},
		{"null", `null`, "config.json must contain an object, found null"},
		{"list", `[1]`, "config.json must contain an object, found a list of 1"},
		{"nothing", ``, "config.json is not valid JSON: line 1, column 1: unexpected end of the text; the file is empty: 'extractor init' writes a configuration to begin with"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v, err := config.Parse([]byte(row.in))
			got := v.JSON()
			if err != nil {
				got = err.Error()
				if failure.KindOf(err) != failure.User {
					t.Errorf("%v is no user error", err)
				}
			}
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
	_, err := config.Parse([]byte(`{`))
	if _, ok := errors.AsType[*value.SyntaxError](err); !ok {
		t.Errorf("%v has lost its cause", err)
	}
}

func TestDocument(t *testing.T) {
	doc, problems, _ := compiled(t, given{
		top: `"action":"validate","authorization":{"oauth_api":{"credentials":{"#data":"{}","appKey":5,"#appSecret":"s"}}},` +
			`"image_parameters":{"allowed_hosts":[{"host":"h.test"},{"scheme":"https","host":"10.0.0.5","port":"8443","endpoint":"/v1"}]},`,
		parameters: `"sshProxy":{"host":"h","port":"22","user":"u","#privateKey":"k"},"aws":{"signature":{"credentials":{"accessKeyId":"a","#secretKey":"b","serviceName":"c","regionName":"d"}}},"cache":{"ttl":"60"},`,
	}.document(), false)
	sameLines(t, "problems", problems, nil)
	authorization, ssh, aws, cache := auth.Authorization.In(doc.Root), httpclient.SSHProxy.In(doc.Settings), httpclient.Signed(doc), httpclient.Cache.In(doc.Settings)
	got := fmt.Sprint(doc.Action, doc.AllowedHosts, authorization.Pointer, authorization.Present(), ssh.Pointer, integer(ssh, "port", 0),
		aws.Pointer, aws.Value.JSON(), cache.Pointer, integer(cache, "ttl", 0))
	const want = `validate[{ h.test 0 } {https 10.0.0.5 8443 /v1}]/authorizationtrue/parameters/sshProxy22` +
		`/parameters/aws{"signature":{"credentials":{"accessKeyId":"a","#secretKey":"b","serviceName":"c","regionName":"d"}}}/parameters/cache60`
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSwitchedOff(t *testing.T) {
	for _, parameters := range []string{``, `"cache":false,"sshProxy":null,"aws":{"signature":{"credentials":[]}},`, `"cache":{},"aws":{"signature":[]},`, `"cache":0,"aws":[],`, `"cache":"","aws":null,`} {
		doc, problems, _ := compiled(t, given{parameters: parameters}.document(), false)
		sameLines(t, "problems", problems, nil)
		if doc.Action != "run" || doc.AllowedHosts != nil || !httpclient.SSHProxy.In(doc.Settings).Value.IsNull() || httpclient.Signed(doc).Present() || httpclient.Cache.In(doc.Settings).Present() {
			t.Errorf("%s: %+v", parameters, doc)
		}
	}
	doc, _, _ := compiled(t, given{parameters: `"cache":1,`}.document(), false)
	if !httpclient.Cache.In(doc.Settings).Present() {
		t.Error("cache 1 is off")
	}
}

// TestPlaces: sections know their place in the document as it was given.
func TestPlaces(t *testing.T) {
	rows := []struct {
		name string
		in   given
		want string
	}{
		{"wrapped", given{config: `"userData":"a","mappings":{"x":{"a":"b"}},`}, "/parameters/api/pagination /parameters/config/userData /parameters/config/mappings /parameters/config/jobs/0"},
		{"not wrapped", given{bare: true}, "/api/pagination /config/userData /config/mappings /config/jobs/0"},
		{"empty wrapper does not count", given{bare: true, top: `"parameters":[],`}, "/api/pagination /config/userData /config/mappings /config/jobs/0"},
		{"iterations", given{bare: true, parameters: `"iterations":[{"userData":"b"},{"mappings":{"y":{"a":"b"}},"jobs":[{"endpoint":"x"}]}],`, config: `"userData":"a",`},
			"/api/pagination /iterations/0/userData /config/mappings /config/jobs/0 | /api/pagination /config/userData /iterations/1/mappings /iterations/1/jobs/0"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			doc, problems, _ := compiled(t, row.in.document(), false)
			sameLines(t, "problems", problems, nil)
			var all []string
			for _, it := range doc.Iterations {
				all = append(all, strings.Join([]string{doc.API.Pagination.Pointer, it.UserData.Pointer, it.Mappings.Pointer, it.Jobs[0].Pointer}, " "))
			}
			if got := strings.Join(all, " | "); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// TestLostAttribute: a replaced object loses its other keys.
func TestLostAttribute(t *testing.T) {
	_, problems, _ := compiled(t, given{
		config: `"acct":{"id":7,"zone":"eu"},`, job: `"params":{"z":{"attr":"acct.zone"}},`,
		parameters: `"iterations":[{},{"acct":{"id":8}}],`,
	}.document(), false)
	sameLines(t, "problems", problems, []string{
		`/parameters/config/jobs/0/params/z/attr: expected the path of a string, number or boolean that exists in "attr", found "acct.zone"`,
	})
}

// TestSharedList: other packages report to the list that Compile returns, and each place
// gets one problem.
func TestSharedList(t *testing.T) {
	doc, list := config.Compile(testvalue.Parse(t, given{api: `"pagination":{"method":"offset","limit":"x","increment":"1"},`}.document()), config.Options{Tree: schema.Default().Tree, Now: clock})
	s := doc.API.Pagination
	if s.Problems() != list || doc.Root.Problems() != list || doc.Iterations[0].Jobs[0].UserData.Problems() != list {
		t.Fatal("a section has another list")
	}
	if integer(s, "limit", 3) != 3 || integer(s, "increment", 0) != 1 {
		t.Error("getters")
	}
	s.Get("limit").Problem("expected something else", "")
	s.Problem("the method offset needs luck", "")
	sameLines(t, "problems", lines(*list), []string{
		`/parameters/api/pagination/limit: expected an integer, found "x"`,
		`/parameters/api/pagination: the method offset needs luck, found an object`,
	})
}

// TestUsableWithProblems: with problems the result can still be used by other packages.
func TestUsableWithProblems(t *testing.T) {
	for _, text := range []string{`{}`, `{"parameters":5}`, `{"api":5,"config":5}`, `{"api":[],"config":{"jobs":5}}`, `{"parameters":{"iterations":[5,null]}}`, `{"api":{"pagination":5,"authentication":"x"},"config":[1]}`} {
		doc, problems := config.Compile(testvalue.Parse(t, text), config.Options{Tree: schema.Default().Tree})
		if problems.Err() == nil {
			t.Errorf("%s: no problem", text)
		}
		if len(doc.Iterations) == 0 {
			t.Fatalf("%s: no iteration", text)
		}
		for _, it := range doc.Iterations {
			if it.BaseURL == nil || doc.API.DefaultOptions.Kind() != value.Object || it.Attributes.Kind() != value.Object || doc.API.Pagination.Problems() != problems {
				t.Errorf("%s: %+v", text, it)
			}
		}
	}
}

// integer is the integer of that name in a section.
func integer(s config.Section, name string, fallback int) int {
	return field.Integer(name, "", "").Default(fallback).Of(s)
}
