// Package goclient tests that the high-level package of the platform's Go client
// works with the local platform, unchanged: it stores configurations and rows,
// reads them back, encrypts secrets, runs jobs, and reads tables.
//
// It is a module of its own, so that what this client needs does not become a
// requirement of the project, and holds no code but tests.
package goclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/go-client/pkg/client"
	"github.com/keboola/go-client/pkg/keboola"
	"github.com/keboola/go-utils/pkg/orderedmap"
)

const component = keboola.ComponentID("acme.ex-shop")

// connect builds and starts a platform and connects the client to it.
func connect(t *testing.T) (context.Context, *keboola.AuthorizedAPI) {
	t.Helper()
	return connectTo(t)
}

// connectTo does the same with more flags.
func connectTo(t *testing.T, flags ...string) (context.Context, *keboola.AuthorizedAPI) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "devstack")
	if output, err := exec.Command("go", "-C", filepath.Join("..", ".."), "run", "-exec", "cp", "./cmd/devstack", program).CombinedOutput(); err != nil {
		t.Fatalf("building devstack: %v\n%s", err, output)
	}
	flags = append([]string{"serve", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0", "--token", "1234-goclient"}, flags...)
	cmd := exec.Command(program, flags...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("devstack ended with %v\n%s", err, &stderr)
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var addresses struct{ Storage, Authority string }
	if err == nil {
		err = json.Unmarshal(line, &addresses)
	}
	if err != nil {
		t.Fatalf("devstack printed %q: %v", line, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	// Nothing is to be repeated: every call must be answered well at once.
	once := client.New().WithRetry(client.RetryConfig{TotalRequestTimeout: 30 * time.Second})
	if addresses.Authority != "" {
		once = once.WithTransport(trusting(t, addresses.Authority))
	}
	api, err := keboola.NewAuthorizedAPI(ctx, addresses.Storage, "1234-goclient", keboola.WithClient(&once))
	if err != nil {
		t.Fatal(err)
	}
	return ctx, api
}

// shop is an API to extract from; it remembers the paths that were requested.
type shop struct {
	url   string
	mu    sync.Mutex
	paths []string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paths = append(s.paths, r.URL.Path)
		fmt.Fprintf(w, `[{"id":%d,"path":%q}]`, len(s.paths), r.URL.Path)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// document is a JSON object as the client holds it.
func document(t *testing.T, text string) *orderedmap.OrderedMap {
	t.Helper()
	m := orderedmap.New()
	if err := json.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// same compares documents as JSON.
func same(t *testing.T, what string, got, want *orderedmap.OrderedMap) {
	t.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func TestClient(t *testing.T) {
	ctx, api := connect(t)
	target := newShop(t)

	token, err := api.VerifyTokenRequest("1234-goclient").Send(ctx)
	if err != nil || token.ProjectID() != 1 || token.ProjectName() == "" {
		t.Fatalf("token %+v, %v", token, err)
	}
	if _, err := api.VerifyTokenRequest("wrong").Send(ctx); err == nil {
		t.Error("a wrong token is verified")
	}
	sealed, err := api.EncryptRequest(1, component, map[string]string{"#password": "secret", "user": "me"}).Send(ctx)
	if err != nil || !keboola.IsEncrypted((*sealed)["#password"]) || (*sealed)["user"] != "me" {
		t.Fatalf("encrypted %v, %v", sealed, err)
	}
	branch, err := api.GetDefaultBranchRequest().Send(ctx)
	if err != nil || branch.ID != 1 || !branch.IsDefault {
		t.Fatalf("branch %+v, %v", branch, err)
	}

	root := document(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"go-client","incrementalOutput":true,
		"mappings":{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"path":"path"}}}}}`, target.url))
	row := func(endpoint string) *orderedmap.OrderedMap {
		return document(t, fmt.Sprintf(`{"parameters":{"config":{"jobs":[{"endpoint":"{{prefix}}/%s","dataType":"t"}]}}}`, endpoint))
	}
	key := keboola.ConfigKey{BranchID: branch.ID, ComponentID: component}
	config := &keboola.ConfigWithRows{
		Config: &keboola.Config{ConfigKey: key, Name: "Shop", Description: "by the client", Content: root},
		Rows: []*keboola.ConfigRow{
			{Name: "first", Content: row("one")},
			{Name: "second", Content: row("two"), IsDisabled: true},
		},
	}
	if _, err := api.CreateConfigRequest(config, false).Send(ctx); err != nil {
		t.Fatal(err)
	}
	third := &keboola.ConfigRow{
		ConfigRowKey: keboola.ConfigRowKey{BranchID: branch.ID, ComponentID: component, ConfigID: config.ID},
		Name:         "third", Content: row("three"),
	}
	if _, err := api.CreateConfigRowRequest(third).Send(ctx); err != nil {
		t.Fatal(err)
	}
	readBack(ctx, t, api, config, third)

	job, err := api.NewCreateJobRequest(component).WithBranch(branch.ID).WithConfig(config.ID).
		WithVariableValuesData([]keboola.VariableData{{Name: "prefix", Value: "v1"}}).Send(ctx)
	if err != nil || job.ID == "" || job.IsFinished || job.Status != "created" {
		t.Fatalf("job %+v, %v", job, err)
	}
	ended := poll(ctx, t, api, job.JobKey)
	if ended.Status != "success" || ended.Result.Message != "Component processing finished." || ended.StartTime == nil || ended.EndTime == nil {
		t.Errorf("job %+v", ended)
	}
	if err := api.WaitForQueueJob(ctx, job.ID); err != nil {
		t.Error(err)
	}
	if want := []string{"/v1/one", "/v1/three"}; !slices.Equal(target.paths, want) {
		t.Errorf("requests %v, want %v", target.paths, want)
	}
	readTable(ctx, t, api, branch.ID)
	failing(ctx, t, api, config.ConfigKey)
}

// readBack reads what was stored in the ways that the client has for it.
func readBack(ctx context.Context, t *testing.T, api *keboola.AuthorizedAPI, config *keboola.ConfigWithRows, third *keboola.ConfigRow) {
	t.Helper()
	got, err := api.GetConfigRequest(config.ConfigKey).Send(ctx)
	if err != nil || got.Name != "Shop" || got.Description != "by the client" || got.IsDisabled {
		t.Fatalf("configuration %+v, %v", got, err)
	}
	same(t, "configuration", got.Content, config.Content)
	list, err := api.ListConfigRequest(config.BranchID, component).Send(ctx)
	if err != nil || len(*list) != 1 || (*list)[0].ID != config.ID {
		t.Errorf("list %+v, %v", list, err)
	}
	row, err := api.GetConfigRowRequest(third.ConfigRowKey).Send(ctx)
	if err != nil || row.Name != "third" {
		t.Fatalf("row %+v, %v", row, err)
	}
	same(t, "row", row.Content, third.Content)
	all, err := api.ListConfigsAndRowsFrom(keboola.BranchKey{ID: config.BranchID}).Send(ctx)
	if err != nil || len(*all) != 1 || len((*all)[0].Configs) != 1 {
		t.Fatalf("components %+v, %v", all, err)
	}
	var names []string
	for _, r := range (*all)[0].Configs[0].Rows {
		names = append(names, fmt.Sprint(r.Name, " ", r.IsDisabled))
	}
	if want := []string{"first false", "second true", "third false"}; !slices.Equal(names, want) {
		t.Errorf("rows %v, want %v", names, want)
	}
}

// poll fetches a job until it has ended. The client's own waiting begins with
// three seconds.
func poll(ctx context.Context, t *testing.T, api *keboola.AuthorizedAPI, key keboola.JobKey) *keboola.QueueJob {
	t.Helper()
	for {
		job, err := api.GetQueueJobRequest(key).Send(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if job.IsFinished {
			return job
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func readTable(ctx context.Context, t *testing.T, api *keboola.AuthorizedAPI, branch keboola.BranchID) {
	t.Helper()
	key := keboola.TableKey{BranchID: branch, TableID: keboola.MustParseTableID("in.c-go-client.t")}
	table, err := api.GetTableRequest(key).Send(ctx)
	if err != nil || !slices.Equal(table.Columns, []string{"id", "path"}) || !slices.Equal(table.PrimaryKey, []string{"id"}) || table.RowsCount != 2 {
		t.Errorf("table %+v, %v", table, err)
	}
	preview, err := api.PreviewTableRequest(key, keboola.WithLimitRows(10)).Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(preview.Columns, preview.Rows), "[id path] [[1 /v1/one] [2 /v1/three]]"; got != want {
		t.Errorf("preview %s, want %s", got, want)
	}
	buckets, err := api.ListBucketsRequest(branch).Send(ctx)
	if err != nil || len(*buckets) != 1 || (*buckets)[0].BucketID.String() != "in.c-go-client" {
		t.Errorf("buckets %+v, %v", buckets, err)
	}
	tables, err := api.ListTablesRequest(branch, keboola.WithColumns()).Send(ctx)
	if err != nil || len(*tables) != 1 || (*tables)[0].TableID != key.TableID || !slices.Equal((*tables)[0].Columns, []string{"id", "path"}) {
		t.Errorf("tables %+v, %v", tables, err)
	}
	unload(ctx, t, api, key)
}

// failing runs a job that fails, changes the configuration, and removes it.
func failing(ctx context.Context, t *testing.T, api *keboola.AuthorizedAPI, key keboola.ConfigKey) {
	t.Helper()
	event, err := api.CreateEventRequest(&keboola.Event{ComponentID: component, Message: "from the client", Type: "info", Results: keboola.JSONString{"a": 1}}).Send(ctx)
	if err != nil || event.ID == "" {
		t.Errorf("event %+v, %v", event, err)
	}
	job, err := api.NewCreateJobRequest(component).WithConfigData(map[string]any{"parameters": map[string]any{"api": map[string]any{}}}).Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if ended := poll(ctx, t, api, job.JobKey); ended.Status != "error" || ended.Result.Message == "" || ended.Result.Error["type"] != "user" {
		t.Errorf("job %+v", ended)
	}
	if err := api.WaitForQueueJob(ctx, job.ID); err == nil {
		t.Error("a job that failed was waited for with success")
	}
	changed := &keboola.ConfigWithRows{Config: &keboola.Config{ConfigKey: key, Name: "Renamed"}}
	if _, err := api.UpdateConfigRequest(changed, []string{"name"}).Send(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := api.GetConfigRequest(key).Send(ctx); err != nil || got.Name != "Renamed" || got.Description != "by the client" {
		t.Errorf("renamed %+v, %v", got, err)
	}
	if _, err := api.DeleteConfigRequest(key).Send(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := api.ListConfigRequest(key.BranchID, component).Send(ctx); err != nil || len(*got) != 0 {
		t.Errorf("after the removal: %+v, %v", got, err)
	}
}
