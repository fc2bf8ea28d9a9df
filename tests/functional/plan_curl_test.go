package functional

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestPlanCurl runs the commands of plan --curl in a shell: what arrives is what
// plan --json says, with the variables of the shell in the place of what is
// masked.
func TestPlanCurl(t *testing.T) {
	for _, program := range []string{"curl", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	var arrived []string
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Header.Del("Content-Length")
		arrived = append(arrived, fmt.Sprintf("%s http://%s%s\n%v\n%s", r.Method, r.Host, r.RequestURI, r.Header, body))
	}))
	defer api.Close()
	config := strings.ReplaceAll(`{"parameters": {
		"api": {
			"baseUrl": "@SERVER@/v1",
			"http": {"headers": {"X-Client": {"attr": "#client"}, "X-Empty": "", "X-Lines": ["a", "it's \"b\""]}},
			"authentication": {"type": "login", "loginRequest": {"endpoint": "login", "method": "POST", "params": {"key": {"attr": "#client"}}},
				"apiRequest": {"headers": {"Authorization": {"function": "concat", "args": ["Bearer ", {"response": "token"}]}}}}
		},
		"config": {"#client": "client-77", "jobs": [
			{"endpoint": "it's/$HOME/`+"`id`"+`/{a,b}[1-3]\\!*?x=a b", "params": {"list": ["a", "b"], "$(id)": "'\"\\"}},
			{"endpoint": "body", "method": "PUT", "params": {"q": "it's \"$HOME\" \\ 'a' `+"`id`"+` !! \n%", "key": {"attr": "#client"}}},
			{"endpoint": "file", "method": "POST", "params": {"@/etc/passwd": 1}},
			{"endpoint": "form", "method": "FORM"},
			{"endpoint": "form", "method": "FORM", "params": {"@/etc/passwd": 1}},
			{"endpoint": "gone", "method": "DELETE"}
		]}
	}}`, "@SERVER@", api.URL)
	p, err := plan.Of(context.Background(), []byte(config), plan.Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	var script, asJSON bytes.Buffer
	if err := p.WriteCurl(&script); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteJSON(&asJSON); err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("sh", "-eu")
	sh.Stdin = &script
	sh.Env = []string{"PATH=/usr/bin:/bin", "CLIENT=client-77", "LOGIN_TOKEN=t0ken", "NO_PROXY=*"}
	commands := script.String()
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, commands)
	}
	v, err := value.Parse([]byte(strings.NewReplacer("[hidden]", "client-77", "{login: token}", "t0ken").Replace(asJSON.String())))
	if err != nil {
		t.Fatal(err)
	}
	planned := v.Field("requests").Items()
	if len(planned) != len(arrived) || len(planned) != 7 {
		t.Fatalf("%d requests planned, %d arrived", len(planned), len(arrived))
	}
	for i, r := range planned {
		headers := http.Header{}
		for _, m := range r.Field("headers").Members() {
			lines := append([]value.Value{}, m.Value.Items()...)
			if m.Value.Kind() == value.String {
				lines = append(lines, m.Value)
			}
			for _, line := range lines {
				if m.Name != "Host" && m.Name != "Content-Length" {
					headers.Add(m.Name, line.Raw())
				}
			}
		}
		want := fmt.Sprintf("%s %s\n%v\n%s", r.Field("method").Raw(), r.Field("url").Raw(), headers, r.Field("body").Raw())
		if arrived[i] != want {
			t.Errorf("arrived\n%s\nwant\n%s", arrived[i], want)
		}
	}
	if t.Failed() {
		t.Log(commands)
	}
}
