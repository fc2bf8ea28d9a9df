package control

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const variablesFile = `{"variables":[{"name":"id","type":"int"}]}`

func TestPush(t *testing.T) {
	const formOurs = "POST /v2/storage" + ours + " configuration="
	const formVars = `POST /v2/storage/components/keboola.variables/configs configuration=` + variablesFile
	for name, tc := range map[string]struct {
		content, variables, title, component string
		json                                 bool
		sent                                 []string
		out                                  string
	}{
		"alone": {
			`{"parameters":{"z":1.50,"a":2}}`, "", "", "", false,
			[]string{formOurs + `{"parameters":{"z":1.50,"a":2}}&name=shop`}, "configuration 12\n",
		},
		"keeps a variables_id": {
			`{"variables_id":"3","parameters":{}}`, "", "My shop", "", true,
			[]string{formOurs + `{"variables_id":"3","parameters":{}}&name=My shop`}, `{"id":"12","name":"My shop"}` + "\n",
		},
		"with variables": {
			`{"parameters":{}}`, variablesFile, "", "", false,
			[]string{formVars + "&name=shop variables", formOurs + `{"parameters":{},"variables_id":"7"}&name=shop`},
			"variable configuration 7\nconfiguration 12\n",
		},
		"replaces a variables_id": {
			`{"variables_id":"3","parameters":{}}`, variablesFile, "n", "", true,
			[]string{formVars + "&name=n variables", formOurs + `{"variables_id":"7","parameters":{}}&name=n`},
			`{"id":"12","name":"n","variables_id":"7"}` + "\n",
		},
		"another variables component": {
			`{}`, variablesFile, "n", "acme.variables", false,
			[]string{
				"POST /v2/storage/components/acme.variables/configs configuration=" + variablesFile + "&name=n variables",
				formOurs + `{"variables_id":"7"}&name=n`,
			},
			"variable configuration 7\nconfiguration 12\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.answers(createOurs, `{"id":"12","name":"n","description":""}`)
			w.answers(createVars, `{"id":"7"}`)
			w.answers("POST "+storage+"/components/acme.variables/configs", `{"id":"7"}`)
			p := Push{File: file(t, "shop.json", tc.content), Name: tc.title, VariablesComponent: tc.component}
			if tc.variables != "" {
				p.Variables = file(t, "v.json", tc.variables)
			}
			if err := w.Push(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			w.wrote(tc.out, "")
			w.requests(tc.sent...)
		})
	}
}

// TestPushRefuses: nothing is sent unless both files are good.
func TestPushRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ content, variables, want string }{
		"not JSON":                {"{\n x", "", "line 2"},
		"not an object":           {`"x"`, "", "object"},
		"variables not JSON":      {`{}`, `{`, "line 1"},
		"variables not a list":    {`{}`, `{"variables":{}}`, "a variable configuration needs an array of variables"},
		"a variable without name": {`{}`, `{"variables":[{"name":"a"},{"type":"int"}]}`, "a variable needs a name"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := Push{File: file(t, "c.json", tc.content)}
			if tc.variables != "" {
				p.Variables = file(t, "v.json", tc.variables)
			}
			err := w.Push(context.Background(), p)
			if err == nil || !strings.Contains(err.Error(), tc.want) || ExitCode(err) != failure.ExitUser {
				t.Errorf("got %v, exit code %d", err, ExitCode(err))
			}
			if n := w.transport.GetTotalCallCount(); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
	w := newWorld(t)
	if err := w.Push(context.Background(), Push{File: filepath.Join(t.TempDir(), "none.json")}); ExitCode(err) != failure.ExitUser {
		t.Errorf("got %v", err)
	}
}

func TestPushFails(t *testing.T) {
	const url = "POST " + storage + ours
	for name, tc := range map[string]struct {
		ours, vars, variables, want string
		exit, calls                 int
	}{
		"fault": {`500 {"error":"hunter22 ` + canary + `"}`, "", "",
			url + ": 500 Internal Server Error: [hidden] [hidden]; the configuration may be stored nevertheless: look with `extractor config list` before pushing it again\n", 2, 1},
		"refused after the variables": {`404 {"error":"no component","code":"c","exceptionId":"e"}`, `{"id":"7"}`, variablesFile,
			"only the variable configuration 7 was stored: " + url + ": 404 Not Found: no component (code c, exceptionId e)\n", 1, 2},
		"variables": {`{"id":"12"}`, `500 {}`, variablesFile,
			createVars + ": 500 Internal Server Error; the variable configuration may be stored nevertheless, the configuration is not\n", 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.answers(createOurs, tc.ours)
			w.answers(createVars, tc.vars)
			p := Push{File: file(t, "c.json", `{"parameters":{"api":[{"#password":"hunter22"}]}}`)}
			if tc.variables != "" {
				p.Variables = file(t, "v.json", tc.variables)
			}
			err := w.Push(context.Background(), p)
			if err == nil {
				t.Fatal("no error")
			}
			if exit := w.Fail(err); exit != tc.exit || len(w.sent) != tc.calls {
				t.Errorf("exit code %d after %d requests", exit, len(w.sent))
			}
			w.wrote("", tc.want)
		})
	}
}

func TestPull(t *testing.T) {
	const answer = `{"id":"12","name":"n","configuration":{"z":1.50,"a":{"t":"` + canary + `"},"e":[]}}`
	const pretty = "{\n  \"z\": 1.50,\n  \"a\": {\n    \"t\": \"[hidden]\"\n  },\n  \"e\": []\n}\n"
	w := newWorld(t)
	w.answers("GET "+storage+ours+"/12", answer)
	if err := w.Pull(context.Background(), "12", ""); err != nil {
		t.Fatal(err)
	}
	w.wrote(pretty, "")

	w = newWorld(t)
	w.answers("GET "+storage+ours+"/12", answer)
	path := filepath.Join(t.TempDir(), "c.json")
	if err := w.Pull(context.Background(), "12", path); err != nil {
		t.Fatal(err)
	}
	w.wrote("", "configuration 12 is in "+path+"\n")
	if got, err := os.ReadFile(path); err != nil || string(got) != pretty {
		t.Errorf("wrote %q, %v", got, err)
	}
	if err := w.Pull(context.Background(), "12", filepath.Join(path, "below-a-file")); ExitCode(err) != failure.ExitUser {
		t.Errorf("got %v", err)
	}
}

func TestPullOfNothing(t *testing.T) {
	w := newWorld(t)
	w.answers("GET "+storage+ours+"/12", `404 {"error":"none"}`)
	if err := w.Pull(context.Background(), "12", ""); ExitCode(err) != failure.ExitUser {
		t.Errorf("got %v", err)
	}
	w.wrote("", "")
}

func TestList(t *testing.T) {
	const answer = `[{"id":"1","name":"shop","version":10},{"id":"1234","name":"\u001b[31m` + canary + `","version":2}]`
	for name, tc := range map[string]struct {
		json         bool
		answer, want string
	}{
		"table": {false, answer, "ID    VERSION  NAME\n1     10       shop\n1234  2         [31m[hidden]\n"},
		"JSON":  {true, answer, `[{"id":"1","name":"shop","version":"10"},{"id":"1234","name":"\u001b[31m[hidden]","version":"2"}]` + "\n"},
		"none":  {false, `[]`, "ID  VERSION  NAME\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.answers("GET "+storage+ours, tc.answer)
			if err := w.List(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.wrote(tc.want, "")
		})
	}
}
