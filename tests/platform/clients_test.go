package platform

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// step is one call of a client, and what it needs of the response.
type step struct {
	name, method, path, kind, body string
	status                         int
	want                           string
}

// flow makes the calls one after the other. In paths and bodies {NAME} is what the
// answer to an earlier call had: the first match of keep[NAME].
func (s *stack) flow(t *testing.T, keep map[string]*regexp.Regexp, steps []step) {
	t.Helper()
	known := map[string]string{"{storage}": s.storage, "{queue}": s.queue}
	for _, tc := range steps {
		path, body := tc.path, tc.body
		for name, text := range known {
			path, body = strings.ReplaceAll(path, name, text), strings.ReplaceAll(body, name, text)
		}
		got, err := s.send(t.Context(), tc.method, path, tc.kind, body)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if got.status != tc.status || !strings.Contains(string(got.body), tc.want) {
			t.Fatalf("%s: %s %s: %d %s\nwant %d %s", tc.name, tc.method, path, got.status, got.body, tc.status, tc.want)
		}
		for name, pattern := range keep {
			if found := pattern.FindSubmatch(got.body); found != nil && known["{"+name+"}"] == "" {
				known["{"+name+"}"] = string(found[1])
			}
		}
	}
}

// TestKbc: the calls of kbc (`sync pull`, `diff` and `push`, `remote job run`, `remote
// table preview` and `detail`), over HTTP/2 and TLS, which it requires.
func TestKbc(t *testing.T) {
	t.Parallel()
	api := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "s3cret-of-kbc" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `[{"id":1,"name":"a"}]`)
	})
	s := serve(t, t.TempDir(), "--tls")
	response, err := s.client.Get(s.storage)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.ProtoMajor != 2 || response.TLS == nil {
		t.Errorf("the platform speaks %s", response.Proto)
	}
	const (
		branch = "{storage}/branch/1"
		config = branch + "/components/acme.ex-shop/configs"
	)
	cipher := s.encrypted(t, "s3cret-of-kbc")
	content := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"http":{"headers":{"Authorization":{"attr":"#token"}}}},"config":{"#token":%q,"outputBucket":"kbc","jobs":[{"endpoint":"users"}]}}}`, api.url, cipher)
	s.flow(t, map[string]*regexp.Regexp{
		"config": regexp.MustCompile(`"id":"(\d+)","name":"Shop"`), "row": regexp.MustCompile(`"id":"(\d+)","name":"row"`),
		"job": regexp.MustCompile(`^\{"id":"(\d+)","runId"`), "metadata": regexp.MustCompile(`"id":"(\d+)","key":"KBC.gone"`),
	}, []step{
		{"index", "GET", "{storage}?", "", "", 200, `"id":"queue","url":"` + s.queue + `"`},
		{"components of the index", "GET", "{storage}/", "", "", 200, `"id":"acme.ex-shop","name":"acme.ex-shop","type":"extractor"`},
		{"token", "GET", "{storage}/tokens/verify", "", "", 200, `"isMasterToken":true`},
		{"branches", "GET", "{storage}/dev-branches", "", "", 200, `"id":1,"name":"Main"`},
		{"push: create", "POST", config, jsonBody, `{"name":"Shop","description":"","changeDescription":"Updated from #KeboolaCLI","isDisabled":false,"configuration":` + content + `}`, 201, `"version":1,"changeDescription":"Updated from #KeboolaCLI"`},
		{"push: create a row", "POST", config + "/{config}/rows", jsonBody, `{"name":"row","description":"","changeDescription":"x","isDisabled":false,"configuration":{}}`, 201, `"name":"row"`},
		{"push: metadata", "POST", config + "/{config}/metadata", jsonBody, `{"metadata":[{"key":"KBC.KaC.meta","value":"1"}]}`, 201, `"key":"KBC.KaC.meta","value":"1","provider":"user"`},
		{"push: metadata of the branch", "POST", branch + "/metadata", jsonBody, `{"metadata":[{"key":"KBC.gone","value":"1"},{"key":"KBC.stays","value":"1"}]}`, 201, `"KBC.stays"`},
		{"push: metadata of the branch is removed", "DELETE", branch + "/metadata/{metadata}", "", "", 204, ""},
		{"pull: metadata of the branch", "GET", branch + "/metadata", "", "", 200, `"key":"KBC.stays"`},
		{"pull: configurations", "GET", branch + "/components?include=configuration,rows", "", "", 200, `"#token":"` + cipher},
		{"pull: metadata of configurations", "GET", branch + "/search/component-configurations?include=filteredMetadata", "", "", 200, `"metadata":[{"id":`},
		{"pull: notifications", "GET", strings.TrimSuffix(s.storage, "/v2/storage") + "/notification/project-subscriptions", "", "", 200, "[]"},
		{"push: update", "PUT", config + "/{config}", jsonBody, `{"changeDescription":"again","name":"Renamed","rowsSortOrder":["{row}"]}`, 200, `"name":"Renamed"`},
		{"push: list of rows", "GET", config + "/{config}/rows", "", "", 200, `"name":"row"`},
		{"push: delete a row", "DELETE", config + "/{config}/rows/{row}", "", "", 204, ""},
		{"job run", "POST", "{queue}/jobs", jsonBody, `{"component":"acme.ex-shop","config":"{config}","mode":"run","branchId":"1"}`, 201, `"status":"created"`},
		{"job", "GET", "{queue}/jobs/{job}", "", "", 200, `"url":"` + s.queue + `/jobs/`},
	})
	var jobs []job
	s.get(t, s.queue+"/search/jobs", &jobs)
	s.become(t, jobs[0].ID, "success")
	s.flow(t, nil, []step{
		{"table detail", "GET", branch + "/tables/in.c-kbc.users", "", "", 200, `"columns":["id","name"]`},
		{"table preview", "GET", branch + "/tables/in.c-kbc.users/data-preview?limit=10", "", "", 200, "\"1\",\"a\""},
		{"buckets", "GET", branch + "/buckets", "", "", 200, `"id":"in.c-kbc"`},
	})
}

// TestPushOverTLS: the extractor encrypts what it stores, and trusts the platform with
// the file that the platform names.
func TestPushOverTLS(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "--tls")
	path := filepath.Join(t.TempDir(), "shop.json")
	if err := os.WriteFile(path, []byte(`{"parameters":{"api":{"baseUrl":"https://api.test"},"config":{"#token":"s3cret-in-a-file","jobs":[{"endpoint":"users"}]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, stdout, stderr := s.command("config", "push", path)
	cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+s.authority)
	finish(t, cmd, stdout, stderr).want(t, 0, "configuration 1\n", "update it with")
	got, err := s.send(t.Context(), http.MethodGet, s.configs(component)+"/1", "", "")
	if err != nil || strings.Contains(string(got.body), "s3cret") || !strings.Contains(string(got.body), `"#token":"KBC::ProjectSecure::`) {
		t.Errorf("stored %s, %v", got.body, err)
	}
}

// TestSecretsAfterAKill: SIGKILL loses no version, no metadata and no secret; no file
// has a secret as it is, and the jobs after it get it.
func TestSecretsAfterAKill(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-that-survives"
	seen := make(chan string, 1)
	api := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `[{"id":1}]`)
	})
	dir := t.TempDir()
	s := serve(t, dir, "--tls")
	config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"http":{"headers":{"Authorization":{"attr":"#token"}}}},
		"config":{"#token":%q,"outputBucket":"b","jobs":[{"endpoint":"users"}]}}}`, api.url, secret))
	place := s.configs(component) + "/" + config
	s.call(t, http.StatusOK, http.MethodPut, place, form, "name=Renamed", nil)
	s.call(t, http.StatusCreated, http.MethodPost, place+"/metadata", jsonBody, `{"metadata":[{"key":"k","value":"v"}]}`, nil)
	authority, err := os.ReadFile(s.authority)
	if err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGKILL)
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := serve(t, dir, "--tls")
	if now, err := os.ReadFile(again.authority); err != nil || string(now) != string(authority) {
		t.Errorf("clients must trust another authority: %v", err)
	}
	again.flow(t, nil, []step{
		{"versions", "GET", again.configs(component) + "/" + config + "/versions", "", "", 200, `"name":"Renamed"`},
		{"the first version", "GET", again.configs(component) + "/" + config + "/versions/1", "", "", 200, `"name":"Shop"`},
		{"metadata", "GET", again.configs(component) + "/" + config + "/metadata", "", "", 200, `"key":"k","value":"v"`},
		{"rollback", "POST", again.configs(component) + "/" + config + "/versions/1/rollback", form, "", 201, `"version":3,"changeDescription":"Rollback to version 1"`},
	})
	again.become(t, again.start(t, config, "").ID, "success")
	if got := <-seen; got != secret {
		t.Errorf("the API got %q", got)
	}
}

// TestStorageClients: the first calls of the PHP and the Python client, which send forms
// and use paths without a branch.
func TestStorageClients(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	const config = "{storage}/components/acme.new/configs"
	s.flow(t, map[string]*regexp.Regexp{"row": regexp.MustCompile(`"id":"(\d+)","name":"row"`)}, []step{
		{"unknown component", "GET", "{storage}/components/acme.new", "", "", 404, `"code":"storage.components.notFound"`},
		{"its configurations", "GET", config, "", "", 404, `"code":"storage.components.notFound"`},
		{"first configuration of a component", "POST", config, form, "name=Main&description=some+desc&configurationId=main&configuration=%7B%22a%22%3A1%7D&isDisabled=0", 201, `"id":"main"`},
		{"known component", "GET", "{storage}/components/acme.new", "", "", 200, `"id":"acme.new"`},
		{"list of components", "GET", "{storage}/components?include=", "", "", 200, `"configurations":[{"id":"main","name":"Main"`},
		{"row", "POST", config + "/main/rows", form, "name=row&configuration=%7B%22b%22%3A1%7D", 201, `"name":"row"`},
		{"row changed", "PUT", config + "/main/rows/{row}", form, "configuration=%7B%22b%22%3A2%7D&changeDescription=why", 200, `"version":2`},
		{"versions of the row", "GET", config + "/main/rows/{row}/versions?", "", "", 200, `[{"version":2`},
		{"rollback of the row", "POST", config + "/main/rows/{row}/versions/1/rollback", form, "", 201, `"configuration":{"b":1}`},
		{"row from a version", "POST", config + "/main/rows/{row}/versions/2/create", form, "changeDescription=copy", 201, `"configuration":{"b":2}`},
		{"versions", "GET", config + "/main/versions?limit=2&offset=1", "", "", 200, `[{"version":4`},
		{"version", "GET", config + "/main/versions/1", "", "", 200, `"rows":[],"rowsSortOrder":[]`},
		{"configuration from a version", "POST", config + "/main/versions/2/create", form, "name=Copy&description=", 201, `"name":"Copy"`},
		{"rollback", "POST", config + "/main/versions/1/rollback", form, "changeDescription=back", 201, `"version":6,"changeDescription":"back"`},
		{"delete", "DELETE", config + "/main", "", "", 204, ""},
		{"trash", "GET", config + "?isDeleted=1", "", "", 200, `"changeDescription":"Configuration deleted"`},
		{"restore", "POST", config + "/main/restore", "", "", 201, `"isDeleted":false`},
		{"delete again", "DELETE", config + "/main", "", "", 204, ""},
		{"purge", "DELETE", config + "/main", "", "", 204, ""},
		{"purged", "POST", config + "/main/restore", "", "", 404, `not found in the trash`},
		{"bucket", "POST", "{storage}/buckets", form, "name=b&stage=in", 201, `"id":"in.c-b"`},
		{"metadata of a bucket", "POST", "{storage}/buckets/in.c-b/metadata", form, "provider=p&metadata%5B0%5D%5Bkey%5D=k&metadata%5B0%5D%5Bvalue%5D=v", 201, `"key":"k","value":"v","provider":"p"`},
		{"cipher", "POST", strings.TrimSuffix(s.storage, "/v2/storage") + "/encryption/encrypt?componentId=acme.new&projectId=1&configId=main", "text/plain", "s3cret", 200, "KBC::ConfigSecure::"},
	})
	var index struct{ Components []struct{ ID string } }
	got, err := s.client.Get(s.storage)
	if err == nil {
		err = json.NewDecoder(got.Body).Decode(&index)
		got.Body.Close()
	}
	if err != nil || len(index.Components) < 3 {
		t.Errorf("without a token the index has %v, %v", index.Components, err)
	}
}
