package platformapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
)

// refusesUnknown reports whether a response refuses a parameter because it is unknown
// or is not supported.
func refusesUnknown(code int, body string) bool {
	return code == http.StatusNotImplemented || code == http.StatusBadRequest && strings.Contains(body, `"Unknown `)
}

// TestDeclaredParametersAreRead: every declared parameter has an effect. With some value
// the response names it, or differs from the response without it.
func TestDeclaredParametersAreRead(t *testing.T) {
	w := ones(t)
	w.shopTable()
	w.must("POST", "/v2/storage/tables/in.c-shop.t/export-async", `{}`, 202)
	w.must("POST", "/v2/storage/events", `{"message":"m","component":"c"}`, 201)
	names := strings.NewReplacer("{bucket}", "in.c-shop", "{table}", "in.c-shop.t", "{column}", "in.c-shop.t.id", "{version}", "1")
	values := []string{"nosuch", "-1", "0", "1", "100", "asc", "desc", strings.Repeat("x", 100_000)}
	bodies := []string{`{"a":[{}]}`, `[[]]`, `"x"`, `-1`, `"` + strings.Repeat("x", 100_000) + `"`}
	// Some have an effect only beside another one.
	besideQuery := map[string]string{"whereOperator": "whereColumn=id&"}
	besideMember := map[string]string{"whereOperator": `"whereColumn":"id",`, "metadata": `"provider":"p",`, "columnsMetadata": `"provider":"p",`}
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		if strings.Contains(pattern, "{branch}") {
			return // the same functions
		}
		for _, method := range methods {
			p, path := platformapi.ParametersOf(pattern, method), pathOf(names.Replace(pattern), "1")
			if method == http.MethodDelete {
				path = pathOf(pattern, "none")
			}
			for _, name := range p.Query {
				query := path + "?" + besideQuery[name]
				without := w.ask(t, method, query, nil).Body.String()
				if !slices.ContainsFunc(values, func(value string) bool {
					return w.ask(t, method, query+url.QueryEscape(name)+"="+value, nil).Body.String() != without
				}) {
					t.Errorf("%s %s: the parameter %q has no effect", method, path, name)
				}
			}
			for _, name := range p.Body {
				name = strings.TrimSuffix(name, "[]")
				if !slices.ContainsFunc(bodies, func(value string) bool {
					response := w.ask(t, method, path, strings.NewReader(`{`+besideMember[name]+`"`+name+`":`+value+`}`), "Content-Type", asJSON).Body.String()
					return strings.Contains(response, `\"`+name)
				}) {
					t.Errorf("%s %s: the member %q has no effect", method, path, name)
				}
			}
		}
	})
}

// TestNoParameterIsIgnored: every endpoint knows the parameters that it declares, and
// refuses any other by its name, in the query as well as in the body.
func TestNoParameterIsIgnored(t *testing.T) {
	w := ones(t)
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		if strings.Contains(pattern, "{branch}") {
			return // the same functions
		}
		for _, method := range methods {
			id := "1"
			if method == http.MethodDelete {
				id = "none" // what has the id 1 must stay
			}
			p, path := platformapi.ParametersOf(pattern, method), pathOf(pattern, id)
			if p.Absent {
				response := w.ask(t, method, path, nil)
				if want := method + " " + path + " is not supported by the local platform"; response.Code != 501 || !strings.Contains(response.Body.String(), want) {
					t.Errorf("%s %s: %d %s", method, path, response.Code, response.Body)
				}
				continue
			}
			try := func(query, body string, refused bool) {
				t.Helper()
				kind := form
				if strings.HasPrefix(pattern, "/queue") {
					kind = asJSON
				}
				response := w.ask(t, method, path+query, strings.NewReader(body), "Content-Type", kind)
				if refusesUnknown(response.Code, response.Body.String()) != refused {
					t.Errorf("%s %s%s, body %q: %d %s", method, path, query, body, response.Code, response.Body)
				}
				if refused && !strings.Contains(response.Body.String(), "nosuch") && !slices.ContainsFunc(p.Missing, func(name string) bool {
					return strings.Contains(response.Body.String(), `\"`+name+`\"`)
				}) {
					t.Errorf("%s %s%s: %s does not name the parameter", method, path, query, response.Body)
				}
			}
			for _, name := range slices.Concat(p.Query, p.Ignored) {
				try("?"+url.QueryEscape(name)+"=0", "", false)
			}
			for _, name := range p.Missing {
				try("?"+name+"=1", "", true)
			}
			try("?nosuch=1", "", true)
			try("?nosuch", "", true)
			try("?nosuch[]=1", "", true)
			if method == http.MethodGet || p.OwnBody {
				continue
			}
			member := func(name string) string {
				if strings.HasPrefix(pattern, "/queue") {
					return fmt.Sprintf(`{%q:"1"}`, strings.TrimSuffix(name, "[]"))
				}
				return url.QueryEscape(name) + "=1"
			}
			for _, name := range slices.Concat(p.Body, p.Ignored) {
				try("", member(name), false)
			}
			for _, name := range p.Missing {
				try("", member(name), true)
			}
			try("", member("nosuch"), true)
		}
	})
}

func TestParameters(t *testing.T) {
	w := newWorld(t)
	const events = "/v2/storage/events"
	w.run(t, []step{
		{"unknown", "GET", events + "?limi=1", "", "", 400, storageError(`Unknown parameter "limi", expected "runId", "component", `+
			`"configurationId", "sinceId", "maxId", "q", "limit", "offset" or "sortOrder"`, "validation")},
		{"none expected", "GET", "/v2/storage/tokens/verify?a", "", "", 400, storageError(`Unknown parameter "a", expected none`, "validation")},
		{"no list", "GET", events + "?limit[]=1", "", "", 400, storageError(`The parameter "limit" is not a list, found "limit[]"`, "validation")},
		{"twice", "GET", events + "?limit=1&limit=2", "", "", 400, storageError(`The parameter "limit" is there 2 times, expected once`, "validation")},
		{"unknown member", "POST", "/v2/storage/buckets", asJSON, `{"name":"n","stage":"in","colour":1}`, 400,
			storageError(`Unknown member "colour", expected "name", "stage", "displayName" or "description"`, "validation")},
		{"null is absent", "POST", "/v2/storage/tickets", asJSON, `{"colour":null}`, 201, `{"id":1}`},
		{"a body where none is", "POST", "/v2/storage/tickets", asJSON, `{"colour":1}`, 400, storageError(`Unknown member "colour", expected none`, "validation")},
		{"a broken body where none is", "POST", "/v2/storage/tickets", asJSON, `{`, 400,
			storageError("The body is not valid JSON: line 1, column 2: unexpected end of the text", "validation")},
		{"of the queue", "POST", "/queue/jobs/1/kill", asJSON, `{"colour":1}`, 400, queueError(`Unknown member "colour", expected none`, "400")},
		{"missing here", "GET", "/v2/storage/components?componentType=writer", "", "", 501,
			storageError(`The parameter "componentType" is not supported by the local platform`, "notImplemented")},
		{"two shapes", "POST", "/v2/storage/buckets", form, `name=n&name[]=m`, 400, storageError(`The field "name" is both a single value and a list`, "validation")},
		{"too deep", "POST", "/v2/storage/buckets", form, `name` + strings.Repeat("[a]", 9) + `=m`, 400,
			storageError(`The field "name" is nested deeper than 8 levels`, "validation")},
	})
}
