package control

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
			w.responses(createOurs, `{"id":"12","name":"n","description":""}`)
			w.responses(createVars, `{"id":"7"}`)
			w.responses("POST "+storage+"/components/acme.variables/configs", `{"id":"7"}`)
			p := Push{File: file(t, "shop.json", tc.content), Name: tc.title, VariablesComponent: tc.component}
			if tc.variables != "" {
				p.Variables = file(t, "v.json", tc.variables)
			}
			if err := w.Push(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			hint := "update it with `extractor config push " + p.File + " --config 12`\n"
			if tc.json {
				hint = ""
			}
			w.wrote(tc.out, hint)
			w.requests(tc.sent...)
		})
	}
}

// TestPushUpdates: a new version keeps the name, and the links to the variables
// that the file does not know.
func TestPushUpdates(t *testing.T) {
	const read = "GET /v2/storage" + ours + "/12"
	const formOurs = "PUT /v2/storage" + ours + "/12 configuration="
	const formVars = `PUT /v2/storage/components/keboola.variables/configs/7 configuration=` + variablesFile
	for name, tc := range map[string]struct {
		before, content, variables, title string
		json                              bool
		sent                              []string
		out                               string
	}{
		"alone": {`{}`, `{"parameters":{"z":1.50}}`, "", "", false,
			[]string{read, formOurs + `{"parameters":{"z":1.50}}`}, "configuration 12 is updated, version 5\n"},
		"an empty one": {`[]`, `{}`, "", "", true,
			[]string{read, formOurs + `{}`}, `{"id":"12","name":"Shop","version":"5"}` + "\n"},
		"another name": {`{}`, `{}`, "", "My shop", true,
			[]string{read, formOurs + `{}&name=My shop`}, `{"id":"12","name":"My shop","version":"5"}` + "\n"},
		"keeps the stored links": {`{"variables_id":"7","variables_values_id":"8","parameters":{}}`, `{"parameters":{"a":1}}`, "", "", false,
			[]string{read, formOurs + `{"parameters":{"a":1},"variables_id":"7","variables_values_id":"8"}`}, "configuration 12 is updated, version 5\n"},
		"the file's link wins": {`{"variables_id":"7","variables_values_id":"8"}`, `{"variables_id":"9"}`, "", "", false,
			[]string{read, formOurs + `{"variables_id":"9"}`}, "configuration 12 is updated, version 5\n"},
		"the file's values win": {`{"variables_id":"7","variables_values_id":"8"}`, `{"variables_values_id":"9"}`, "", "", false,
			[]string{read, formOurs + `{"variables_values_id":"9","variables_id":"7"}`}, "configuration 12 is updated, version 5\n"},
		"with its variables": {`{"variables_id":7,"variables_values_id":"8"}`, `{}`, variablesFile, "", false,
			[]string{read, formVars, formOurs + `{"variables_id":"7","variables_values_id":"8"}`},
			"variable configuration 7 is updated\nconfiguration 12 is updated, version 5\n"},
		"with its first variables": {`{}`, `{}`, variablesFile, "", true,
			[]string{read, "POST /v2/storage/components/keboola.variables/configs configuration=" + variablesFile + "&name=Shop variables", formOurs + `{"variables_id":"6"}`},
			`{"id":"12","name":"Shop","version":"5","variables_id":"6"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.responses("GET "+storage+ours+"/12", `{"id":"12","name":"Shop","version":4,"configuration":`+tc.before+`}`)
			w.responses("PUT "+storage+ours+"/12", `{"id":"12","name":"Shop","version":5}`)
			w.responses("PUT "+storage+"/components/keboola.variables/configs/7", `{"id":"7"}`)
			w.responses(createVars, `{"id":"6"}`)
			p := Push{File: file(t, "c.json", tc.content), Configuration: "12", Name: tc.title}
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

func TestPushUpdateFails(t *testing.T) {
	const url = storage + ours + "/12"
	const after = "; it may be stored nevertheless: push it again, that does no harm\n"
	for name, tc := range map[string]struct {
		read, ours, vars, want string
		exit, calls            int
	}{
		"none": {`404 {"error":"no such configuration"}`, "", "", "GET " + url + ": 404 Not Found: no such configuration\n", 1, 1},
		"the variables": {`{"id":"12","configuration":{"variables_id":"7"}}`, "", `500 {}`,
			"PUT " + storage + "/components/keboola.variables/configs/7: 500 Internal Server Error" + after, 2, 2},
		"after the variables": {`{"id":"12","configuration":{"variables_id":"7"}}`, `500 {}`, `{"id":"7"}`,
			"only the variable configuration 7 was stored: PUT " + url + ": 500 Internal Server Error" + after, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.responses("GET "+url, tc.read)
			w.responses("PUT "+url, tc.ours)
			w.responses("PUT "+storage+"/components/keboola.variables/configs/7", tc.vars)
			err := w.Push(context.Background(), Push{File: file(t, "c.json", `{}`), Variables: file(t, "v.json", variablesFile), Configuration: "12"})
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
			w.responses(createOurs, tc.ours)
			w.responses(createVars, tc.vars)
			p := Push{File: file(t, "c.json", `{"parameters":{"api":[{"#password":{"old":["hunter22"]}}]}}`)}
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
	const response = `{"id":"12","name":"n","configuration":{"z":1.50,"a":{"t":"` + canary + `"},"e":[]}}`
	const pretty = "{\n  \"z\": 1.50,\n  \"a\": {\n    \"t\": \"[hidden]\"\n  },\n  \"e\": []\n}\n"
	w := newWorld(t)
	w.responses("GET "+storage+ours+"/12", response)
	if err := w.Pull(context.Background(), "12", ""); err != nil {
		t.Fatal(err)
	}
	w.wrote(pretty, "")

	w = newWorld(t)
	w.responses("GET "+storage+ours+"/12", response)
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
	w.responses("GET "+storage+ours+"/12", `404 {"error":"none"}`)
	if err := w.Pull(context.Background(), "12", ""); ExitCode(err) != failure.ExitUser {
		t.Errorf("got %v", err)
	}
	w.wrote("", "")
}

func TestList(t *testing.T) {
	const response = `[{"id":"1","name":"shop","version":10},{"id":"1234","name":"\u001b[31m` + canary + `","version":2}]`
	for name, tc := range map[string]struct {
		json           bool
		response, want string
	}{
		"table": {false, response, "ID    VERSION  NAME\n1     10       shop\n1234  2         [31m[hidden]\n"},
		"JSON":  {true, response, `[{"id":"1","name":"shop","version":"10"},{"id":"1234","name":"\u001b[31m[hidden]","version":"2"}]` + "\n"},
		"none":  {false, `[]`, "ID  VERSION  NAME\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.JSON = tc.json
			w.responses("GET "+storage+ours, tc.response)
			if err := w.List(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.wrote(tc.want, "")
		})
	}
}

// TestPushEncrypts: what is stored has ciphers for the component and the project; without
// plain secrets no more is sent than the configuration.
func TestPushEncrypts(t *testing.T) {
	const (
		encryption = "https://encryption.example.com"
		verify     = "GET " + storage + "/tokens/verify"
		index      = "GET " + storage + "?exclude=components"
		encrypt    = "POST " + encryption + "/encrypt"
		services   = `{"services":[{"id":"encryption","url":"` + encryption + `"}]}`
		asked      = "POST /encrypt?componentId=acme.ex&projectId=7 "
		nothing    = "nothing is stored, because the secrets cannot be encrypted: "
	)
	before := []string{"GET /v2/storage/tokens/verify", "GET /v2/storage?exclude=components"}
	for _, tc := range []struct {
		name, content, project, index, ciphers string
		sent                                   []string // before the configuration
		stored, problem                        string
	}{
		{name: "plain secrets", content: `{"parameters":{"api":{"#key":7},"config":{"#token":"s3cret","list":[{"#a/b":"x-secret"}],"#c":"KBC::old"}}}`,
			ciphers: `{"#0":"KBC::A","#1":"KBC::B","#2":"KBC::C"}`, sent: append(before, asked+`{"#0":7,"#1":"s3cret","#2":"x-secret"}`),
			stored: `{"parameters":{"api":{"#key":"KBC::A"},"config":{"#token":"KBC::B","list":[{"#a/b":"KBC::C"}],"#c":"KBC::old"}}}`},
		{name: "nothing plain", content: `{"parameters":{"#a":"KBC::x","#b":"{{b}}","#c":"","#d":{"env":"D"},"e":"f"}}`,
			stored: `{"parameters":{"#a":"KBC::x","#b":"{{b}}","#c":"","#d":{"env":"D"},"e":"f"}}`},
		{name: "no project", content: `{"#a":"s3cret"}`, project: `{"owner":{}}`, sent: before[:1],
			problem: nothing + "GET " + storage + "/tokens/verify: 200 OK: the response names no project"},
		{name: "a token that may not", content: `{"#a":"s3cret"}`, project: `404 {"error":"gone"}`, sent: before[:1],
			problem: nothing + "GET " + storage + "/tokens/verify: 404 Not Found: gone"},
		{name: "no service", content: `{"#a":"s3cret"}`, index: `{"services":[]}`, sent: before,
			problem: nothing + "GET " + storage + ": 200 OK: the index names no usable address of the service encryption"},
		{name: "not all ciphers", content: `{"#a":"s3cret","#b":"t"}`, ciphers: `{"#0":"KBC::A"}`, sent: append(before, asked+`{"#0":"s3cret","#1":"t"}`),
			problem: nothing + "POST " + encryption + "/encrypt: 200 OK: the response lacks a cipher"},
	} {
		for _, id := range []string{"", "12"} {
			t.Run(tc.name+" "+id, func(t *testing.T) {
				w := newWorld(t)
				w.JSON = true
				w.responses(verify, cmp.Or(tc.project, `{"owner":{"id":7}}`))
				w.responses(index, cmp.Or(tc.index, services))
				w.responses(encrypt, tc.ciphers)
				w.responses(createOurs, `{"id":"12"}`)
				w.responses("PUT "+storage+ours+"/12", `{"id":"12","version":3}`)
				w.responses("GET "+storage+ours+"/12", `{"id":"12","name":"shop","configuration":{}}`)
				err := w.Push(context.Background(), Push{File: file(t, "shop.json", tc.content), Configuration: id})
				sent := slices.Clone(tc.sent)
				switch {
				case tc.problem != "":
				case id == "":
					sent = append(sent, "POST /v2/storage"+ours+" configuration="+tc.stored+"&name=shop")
				default:
					sent = append(sent, "GET /v2/storage"+ours+"/12", "PUT /v2/storage"+ours+"/12 configuration="+tc.stored)
				}
				if got := fmt.Sprint(err); got != cmp.Or(tc.problem, "<nil>") {
					t.Errorf("got %s", got)
				}
				w.requests(sent...)
				if w.progress.Len() > 0 {
					t.Errorf("progress %q", &w.progress)
				}
			})
		}
	}
}
