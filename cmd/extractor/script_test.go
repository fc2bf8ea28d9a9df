package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/tests/commandtree"
)

// TestScripts runs the scripts in testdata: commands as a user types them, with
// the exact output that must come. $SHOP is the address of the sample API,
// $API of one with five items, $SILENT of one that never answers; those in
// platform have a platform of their own, which really runs the program.
func TestScripts(t *testing.T) {
	slowtest.Skip(t, "it starts hundreds of processes")
	t.Parallel()
	api := httptest.NewServer(scriptAPI())
	t.Cleanup(api.Close) // the scripts run after this function
	store := httptest.NewServer(shop.New(shop.Options{Now: time.Now}))
	t.Cleanup(store.Close)
	hung := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hung }))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(hung) })
	for _, subject := range subjects(t) {
		t.Run(subject, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 filepath.Join("testdata", subject),
				UpdateScripts:       golden.Update(t),
				RequireExplicitExec: true,
				Setup: func(e *testscript.Env) error {
					e.Setenv("KBC_DATADIR", "")
					e.Setenv("API", api.URL)
					e.Setenv("TZ", "UTC")
					e.Setenv("GORACE", quickExit)
					e.Setenv("SHOP", store.URL)
					e.Setenv("SILENT", silent.URL)
					if subject == "platform" {
						return withPlatform(e)
					}
					return nil
				},
			})
		})
	}
}

// scriptAPI is the API of the scripts.
func scriptAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", items)
	mux.HandleFunc("/v1/entries", entries)
	mux.HandleFunc("/v1/sales", sales)
	return mux
}

// entries are three entries on two pages, for requests with the token.
func entries(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer s3cret-token" {
		http.Error(w, `{"error":"no token"}`, http.StatusUnauthorized)
		return
	}
	if r.FormValue("cursor") == "" {
		fmt.Fprint(w, `{"entries":[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]}],"next_cursor":"Mg","has_more":true}`)
		return
	}
	fmt.Fprint(w, `{"entries":[{"id":3,"tags":["c"]}],"next_cursor":null,"has_more":false}`)
}

// sales is a report as a spreadsheet saves it.
func sales(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv; charset=windows-1250")
	// A client that is gone has its own error.
	_, _ = io.WriteString(w, "Sales in May\r\nday;city;amount\r\n2024-05-02;\x8eilina;19,90\r\n2024-05-03;\"Brno; \xb9ir\x9a\xed\";45,00\r\n")
}

// items are five items, on pages of `limit` items.
func items(w http.ResponseWriter, r *http.Request) {
	offset, err := strconv.Atoi(r.FormValue("offset"))
	limit, err2 := strconv.Atoi(r.FormValue("limit"))
	if r.URL.Path != "/items" || err != nil || err2 != nil {
		http.NotFound(w, r)
		return
	}
	var page []string
	for id := offset + 1; id <= min(offset+limit, 5); id++ {
		page = append(page, fmt.Sprintf(`{"id":%d,"name":"item %d"}`, id, id))
	}
	// A client that is gone has its own error.
	_, _ = fmt.Fprint(w, "["+strings.Join(page, ",")+"]")
}

// subjects are the directories of the scripts.
func subjects(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, e.Name())
		}
	}
	return all
}

// withPlatform serves a platform as long as a script runs, and sets the
// environment that the program finds it by. Ids count from 1.
func withPlatform(e *testscript.Env) error {
	at, stop, err := servePlatform(filepath.Join(e.WorkDir, ".platform"))
	if err != nil {
		return err
	}
	e.Defer(func() {
		if err := stop(); err != nil {
			e.T().Fatal(err)
		}
	})
	e.Setenv("KBC_URL", at.Storage)
	e.Setenv("QUEUE", at.Queue)
	e.Setenv("KBC_TOKEN", devstack.DefaultToken)
	e.Setenv("KBC_COMPONENTID", "acme.ex-shop")
	return nil
}

// servePlatform serves a platform that runs this program, until stop is called.
func servePlatform(data string) (at devstack.Addresses, stop func() error, err error) {
	self, err := exec.LookPath("extractor")
	if err != nil {
		return at, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	stdout, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := devstack.Serve(ctx, devstack.ServeOptions{
			Component: devstack.DefaultComponent,
			Data:      data, Listen: "127.0.0.1:0", Token: devstack.DefaultToken,
			Runner: devstack.RunnerProcess, Program: []string{self}, Logging: sandbox.LogGELF, DataTypes: tableload.NoTypes,
			Stdout: printed, Stderr: io.Discard,
		})
		printed.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	stop = func() error {
		cancel()
		return <-ended
	}
	if err := json.NewDecoder(stdout).Decode(&at); err != nil {
		return at, nil, errors.Join(err, stop())
	}
	return at, stop, nil
}

// TestEveryCommandHasAScript: each command and each flag is run by a script,
// where a user finds how.
func TestEveryCommandHasAScript(t *testing.T) {
	var scripts []string
	for _, subject := range subjects(t) {
		files, err := filepath.Glob(filepath.Join("testdata", subject, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			commands, _, _ := strings.Cut(string(text), "\n-- ")
			scripts = append(scripts, commands)
		}
	}
	for _, missing := range commandtree.Scripts(commands, scripts) {
		t.Error(missing)
	}
}

// TestEveryCodeHasAScript: a broken configuration for each code, named like it,
// whose expected output has it.
func TestEveryCodeHasAScript(t *testing.T) {
	known := map[string]bool{}
	for _, topic := range diagnostic.Topics() {
		code := topic.Name
		if _, isCode := diagnostic.Lookup(code); !isCode {
			continue
		}
		known[code+".txtar"] = true
		text, err := os.ReadFile(filepath.Join("testdata", "codes", code+".txtar"))
		if err != nil {
			t.Error(err)
			continue
		}
		_, expected, _ := strings.Cut(string(text), "-- expected --")
		if !strings.Contains(expected, "["+code+"]") || !strings.Contains(expected, "^") {
			t.Errorf("%s.txtar does not expect the code and a marker", code)
		}
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "codes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("%s is no code", e.Name())
		}
	}
}
