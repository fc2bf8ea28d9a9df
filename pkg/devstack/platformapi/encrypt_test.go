package platformapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const encryptPath = "/encryption/encrypt"

// TestEncrypt: the ciphers are for whom the query says, and no token is needed.
func TestEncrypt(t *testing.T) {
	w := newWorld(t)
	box := encryption.NewBox(w.store.Key())
	reader := encryption.Scope{Component: "acme.ex", Project: "1", Configuration: "7"}
	for name, tc := range map[string]struct{ query, kind, body, prefix, want string }{
		"document": {"?componentId=acme.ex&projectId=1&configId=7", asJSON, `{"a":1.50,"#b":"secret","c":{"#d":"secret"}}`,
			"KBC::ConfigSecure::", `{"a":1.50,"#b":"secret","c":{"#d":"secret"}}`},
		"of the project":   {"?componentId=acme.ex&projectId=1", asJSON + "; charset=utf-8", `{"#b":"secret"}`, "KBC::ProjectSecure::", `{"#b":"secret"}`},
		"of the component": {"?componentId=acme.ex&configId=", asJSON, `{"#b":"secret"}`, "KBC::ComponentSecure::", `{"#b":"secret"}`},
		"text":             {"?componentId=acme.ex&projectId=1", "text/plain", `my "secret"`, "KBC::ProjectSecure::", `{"#":"my \"secret\""}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.callWith("POST", encryptPath+tc.query, tc.body, http.Header{"Content-Type": {tc.kind}})
			if got.status != 200 || strings.Contains(got.body, "secret") || !strings.Contains(got.body, tc.prefix) {
				t.Fatalf("%d %s", got.status, got.body)
			}
			sealed := value.OfMembers(value.Member{Name: "#", Value: value.OfString(got.body)})
			if kind := got.header.Get("Content-Type"); !strings.HasPrefix(tc.kind, asJSON) {
				if kind != "text/plain; charset=utf-8" {
					t.Errorf("content type %s", kind)
				}
			} else {
				parsed, err := value.Parse([]byte(got.body))
				if err != nil || kind != asJSON {
					t.Fatalf("%s: %v in %s", kind, err, got.body)
				}
				sealed = parsed
			}
			if plain, unread := box.Decrypt(reader, sealed); plain.JSON() != tc.want || unread != nil {
				t.Errorf("got %s, unread %q", plain.JSON(), unread)
			}
		})
	}
}

func TestEncryptRefuses(t *testing.T) {
	const scope, good = `"componentId", "projectId" or both are required; "configId" needs both, "branchType" needs "projectId"`, encryptPath + "?componentId=acme.ex"
	newWorld(t).run(t, []step{
		{"no scope", "POST", encryptPath, asJSON, `{}`, 400, queueError(scope, "400")},
		{"no scope for a text", "POST", encryptPath, "text/plain", `x`, 400, queueError(scope, "400")},
		{"configuration of no project", "POST", good + "&configId=7", asJSON, `{}`, 400, queueError(scope, "400")},
		{"odd branch", "POST", good + "&projectId=1&branchType=x", asJSON, `{}`, 400, queueError(`"branchType" must be default or dev`, "400")},
		{"odd query", "POST", good + "&%zz", asJSON, `{}`, 400, queueError("The query is not valid", "400")},
		{"no type", "POST", good, "", `{}`, 400, queueError("The Content-Type must be application/json or text/plain", "400")},
		{"no JSON", "POST", good, asJSON, `{`, 400, queueError("The body is not valid JSON: line 1, column 2: unexpected end of the text", "400")},
		{"no object", "POST", good, asJSON, `"x"`, 400, queueError("The body must be a JSON object, not a string", "400")},
		{"too deep", "POST", good, asJSON, strings.Repeat("[", 600) + strings.Repeat("]", 600), 400, queueError("The body is nested deeper than 512 levels", "400")},
		{"unknown path", "POST", "/encryption/decrypt", asJSON, `{}`, 404, queueError(`Path "/encryption/decrypt" not found`, "404")},
	})
}

// TestSecretsAreStoredEncrypted: neither the store nor a
// version nor a response has a plain secret, and ciphers stay as they are.
func TestSecretsAreStoredEncrypted(t *testing.T) {
	w := newWorld(t)
	const (
		secret   = "s3cret-at-rest"
		document = `{"#a":"` + secret + `","l":[{"#b":"` + secret + `","c":"open"}],"#v":"{{v}}","#e":"","#n":null,"#o":{"x":1}}`
		sealed   = `"#v":"{{v}}","#e":"","#n":null,"#o":{"x":1}}`
	)
	fields := `"configuration":` + document + `,"state":{"component":{"#s":"` + secret + `"}}`
	for _, step := range []struct{ method, path, body string }{
		{"POST", configs, `{"name":"n","configurationId":"c",` + fields + `}`},
		{"PUT", configs + "/c", `{` + fields + `}`},
		{"POST", configs + "/c/rows", `{"rowId":"r",` + fields + `}`},
		{"PUT", configs + "/c/rows/r", `{` + fields + `}`},
		{"PUT", configs + "/c/state", `{"state":{"component":{"#s":"` + secret + `"}}}`},
		{"PUT", configs + "/c/rows/r/state", `{"state":{"component":{"#s":"` + secret + `"}}}`},
		{"POST", "/queue/jobs", `{"component":"acme.ex","mode":"run","configData":` + document + `}`},
	} {
		got := w.call(step.method, step.path, asJSON, step.body)
		if got.status > 201 || strings.Contains(got.body, secret) || !strings.Contains(got.body, "KBC::ProjectSecure::") {
			t.Errorf("%s %s: %d %s", step.method, step.path, got.status, got.body)
		}
	}
	for _, path := range []string{configs + "/c", configs + "/c/versions/1", configs + "/c/versions/2", configs + "/c/rows/r/versions/1", "/queue/jobs"} {
		if got := w.call("GET", path, "", ""); strings.Contains(got.body, secret) || !strings.Contains(got.body, sealed) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	before := w.must("GET", configs+"/c", "", 200)["configuration"]
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	w.must("PUT", configs+"/c", `{"configuration":`+string(text)+`}`, 200)
	if after := w.must("GET", configs+"/c", "", 200)["configuration"]; !reflect.DeepEqual(after, before) {
		t.Errorf("ciphers changed from %v to %v", before, after)
	}
}
