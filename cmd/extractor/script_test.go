package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keboola/configurable-extractor/pkg/diagnostic"
)

var update = flag.Bool("update", false, "write the expected outputs of the scripts")

// TestScripts runs the scripts in testdata: commands as a user types them, with
// the exact output that must come.
func TestScripts(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(items))
	t.Cleanup(api.Close) // the scripts run after this function
	for _, subject := range []string{"validate", "codes", "run", "diff"} {
		t.Run(subject, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 filepath.Join("testdata", subject),
				UpdateScripts:       *update,
				RequireExplicitExec: true,
				Setup: func(e *testscript.Env) error {
					e.Setenv("KBC_DATADIR", "")
					e.Setenv("API", api.URL)
					return nil
				},
			})
		})
	}
}

// items is the API of the scripts: five items, as many on a page as `limit` asks
// for.
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

// TestEveryCodeHasAScript: a broken configuration for each code, named like it,
// whose expected output has it.
func TestEveryCodeHasAScript(t *testing.T) {
	known := map[string]bool{}
	for _, code := range diagnostic.Codes() {
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
